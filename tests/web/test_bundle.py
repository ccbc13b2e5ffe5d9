"""A support bundle tells no secret, wherever in the settings it stands and however a line of a log writes it."""

from __future__ import annotations

import zipfile

import pytest

from mirror.upkeep.bundle import bundle_write, hidden

pytestmark = pytest.mark.django_db


def test_secrets_of_nested_settings_are_hidden_however_short(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            **settings.STORAGES["default"],
            "OPTIONS": {"access_key": "AKIAEXAMPLE", "secret_key": "s3/abcdef", "more": [{"token": "q7w"}]},
        },
    }
    settings.EMAIL_HOST_PASSWORD = "abc12"
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "web.log").write_text("signed s3/abcdef by AKIAEXAMPLE, q7w; smtp abc12 refused\n")
    bundle_write(tmp_path / "bundle.zip", [])
    told = zipfile.ZipFile(tmp_path / "bundle.zip").read("logs/web.log").decode()
    assert told == "signed [secret] by [secret], [secret]; smtp [secret] refused"


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("mysql://root:hunter2@db/x failed", "hunter2"),
        ("postgresql+psycopg://u:hunter2@h failed", "hunter2"),
        ("amqp://u:hunter2@h", "hunter2"),
        ("server at db password=hunter2 failed", "hunter2"),
        ("PWD : hunter2", "hunter2"),
        ("api_key: 'hunter 2' failed", "hunter"),
        ('{"token": "h2"}', "h2"),
        ("Authorization: Bearer hunter2", "hunter2"),
        ("connect to 2001:db8::7 failed", "2001:db8"),
        ("connect to [FE80::1]:5432 failed", "FE80"),
        ("connect to 2001:db8:1:2:3:4:5:6 failed", "2001"),
    ],
)
def test_what_a_line_says_is_secret_or_an_address_is_hidden(line, secret):
    assert secret not in hidden(line)


@pytest.mark.parametrize("line", ["08:19:12 worker 3 started", "x::text = y", "tests/a.py::test_b failed"])
def test_times_and_casts_stay(line):
    assert hidden(line) == line
