"""Which addresses are called for nobody, however they are written, and which are a matter of a setting."""

from __future__ import annotations

import ipaddress
import socket

import pytest

from mirror.sources.addresses import AddressRefused, host_check, is_private, refused_because

# Each stands for itself, whoever asks and whatever the settings say.
SECRETS = [
    "169.254.169.254",  # EC2, Azure, Google Cloud, DigitalOcean, OpenStack
    "169.254.170.2",  # containers on ECS
    "169.254.0.1",
    "169.254.255.255",
    "168.63.129.16",  # Azure's wire server
    "100.100.100.200",  # Alibaba Cloud
    "192.0.0.192",  # Oracle Cloud
    "fd00:ec2::254",  # EC2 over IPv6
    "fd20:ce::254",  # Google Cloud over IPv6
    "fe80::1",
    "fe80::a9fe:a9fe",
    "fec0::1",  # site-local, deprecated by RFC 3879
    "feff::1",
    "::ffff:169.254.169.254",  # mapped
    "::ffff:168.63.129.16",
    "::ffff:0:169.254.169.254",  # translated, RFC 2765
    "::ffff:0:100.100.100.200",
    "::169.254.169.254",  # compatible
    "64:ff9b::169.254.169.254",  # NAT64
    "64:ff9b::168.63.129.16",
    "64:ff9b:1::169.254.169.254",  # NAT64 of one's own, RFC 8215
    "2002:a9fe:a9fe::1",  # 6to4
    "2002:a83f:8110::",
    "2001:0:a9fe:a9fe::5aff:fefe",  # Teredo: its server
    "2001:0:4136:e378:8000:63bf:5601:5601",  # Teredo: its client, inverted
    "2606:4700::5efe:169.254.169.254",  # ISATAP
    "2606:4700::200:5efe:168.63.129.16",
]
NOWHERE = [
    "0.0.0.0", "0.0.0.1", "0.255.255.255", "::", "::ffff:0.0.0.0", "64:ff9b::0.1.2.3", "2002:0:1::", "224.0.0.1",
    "239.255.255.250", "ff02::1", "::ffff:224.0.0.1",
]  # fmt: skip
HERE = [
    "127.0.0.1", "127.255.0.9", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd12::1",
    "::ffff:127.0.0.1", "::ffff:0:10.0.0.1", "::127.0.0.1", "64:ff9b::192.168.1.1", "2002:7f00:1::1", "2002:a00:1::",
    "2001:0:4136:e378:8000:63bf:80ff:fffe", "fd12::5efe:10.0.0.1", "2606:4700::5efe:10.0.0.1",
]  # fmt: skip
EVERYWHERE = ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::1.1.1.1", "::ffff:1.1.1.1"]


def why(address: str, **asked: bool) -> str:
    return refused_because(ipaddress.ip_address(address), **asked)


@pytest.mark.parametrize("address", SECRETS)
@pytest.mark.parametrize("private", [None, True, False])
def test_where_clouds_keep_their_secrets_nobody_is_let(settings, address, private):
    settings.SOURCE_PRIVATE_HOSTS = True
    assert "link-local" in why(address, private=private)


@pytest.mark.parametrize("address", NOWHERE)
@pytest.mark.parametrize("private", [None, True, False])
def test_what_is_no_single_machine_is_not_called(settings, address, private):
    settings.SOURCE_PRIVATE_HOSTS = True
    assert "nothing can be reached" in why(address, private=private)


@pytest.mark.parametrize("address", HERE)
def test_this_machine_and_private_networks_are_a_setting_or_a_decision(settings, address):
    settings.SOURCE_PRIVATE_HOSTS = True
    assert why(address) == why(address, private=True) == ""
    assert "no administrator has allowed it" in why(address, private=False)
    settings.SOURCE_PRIVATE_HOSTS = False
    assert "SOURCE_PRIVATE_HOSTS is off" in why(address)
    assert why(address, private=True) == ""


@pytest.mark.parametrize("address", EVERYWHERE)
def test_public_addresses_are_called(settings, address):
    settings.SOURCE_PRIVATE_HOSTS = False
    assert why(address) == why(address, private=False) == ""


@pytest.mark.parametrize(
    "typed",
    [
        "2852039166",
        "0xA9FEA9FE",
        "0251.0376.0251.0376",
        "0xA9.0xFE.0xA9.0xFE",
        "169.254.43518",
        "169.16689662",
        "2822734096",  # 168.63.129.16
        "0xA83F8110",
        "::ffff:a9fe:a9fe",
    ],
)
def test_numbers_written_otherwise_are_what_they_stand_for(typed):
    with pytest.raises(AddressRefused, match="link-local"):
        host_check(typed, 80)


def test_zero_and_short_forms_of_it_are_refused():
    for typed in ("0", "0.0", "0x0", "00.0.0.0"):
        with pytest.raises(AddressRefused, match="nothing can be reached"):
            host_check(typed, 80)


def test_a_name_is_private_when_one_of_its_addresses_is(monkeypatch):
    answers = {"both.example": ["1.1.1.1", "10.0.0.1"], "public.example": ["1.1.1.1"]}

    def look_up(host, *_, **__):
        if host not in answers:
            raise socket.gaierror
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 0)) for one in answers[host]]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert is_private("both.example")
    assert not is_private("public.example")
    assert not is_private("nowhere.example")
