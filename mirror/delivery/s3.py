"""Files put in a bucket of S3 or of anything that speaks like it, in constant memory.

An object is there whole or not at all, and a second attempt writes the same key again. The endpoint is held to the
rules of webhooks: what it was connected to is looked at before a byte is sent.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from boto3.s3.transfer import TransferConfig
from boto3.session import Session
from botocore.awsrequest import (
    AWSHTTPConnection,
    AWSHTTPConnectionPool,
    AWSHTTPSConnection,
    AWSHTTPSConnectionPool,
)
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
    SSLError,
)
from botocore.session import get_session
from django.utils.translation import gettext as _

from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.file_names import dated_names, moment_utc
from mirror.delivery.mail_letter import text_file
from mirror.delivery.parcel import Parcel
from mirror.delivery.parcel_words import ANSWER_CHARS
from mirror.delivery.posting import url_check
from mirror.delivery.reach import NOWHERE, Reach
from mirror.phrases import one_line, size
from mirror.sources.addresses import refused_because
from sqlagent.errors import without_folders

# One part is in memory at a time; 10,000 of them (S3's limit) hold 80 GB.
PART_BYTES = 8 * 1024 * 1024
_TRANSFER = TransferConfig(multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES, use_threads=False)
# The names S3 itself takes ("General purpose bucket naming rules").
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_WORDS = {
    "NoSuchBucket": "there is no such bucket",
    "404": "there is no such bucket",
    "AccessDenied": "the access key may not write there",
    "403": "the access key may not write there",
    "InvalidAccessKeyId": "the access key is not known",
    "SignatureDoesNotMatch": "the secret key does not belong to the access key",
}
# Worth another try although the status blames the request.
_AGAIN = {"RequestTimeout", "RequestTimeTooSkewed", "SlowDown", "ServiceUnavailable", "InternalError"}

# A session of boto3 makes one client at a time; deliveries run in threads.
_making = Lock()


def check(target: Mapping[str, Any], secret: str, *, by_staff: bool, reach: Reach) -> dict[str, Any]:
    """Clean bucket, prefix, region, endpoint and access key. Raises: ChannelError."""
    words = {name: str(target.get(name, "")).strip() for name in ("bucket", "prefix", "region", "endpoint")}
    access_key = str(target.get("access_key", "")).strip()
    if not _BUCKET.fullmatch(words["bucket"]) or ".." in words["bucket"]:
        raise ChannelError(
            _("A bucket's name has 3 to 63 small letters, digits, dots and hyphens."), "bucket"
        )
    prefix = words["prefix"].strip("/")
    if prefix != one_line(prefix) or len(prefix.encode()) > 400 or {".", ".."} & set(prefix.split("/")):
        raise ChannelError(_("A prefix is a path like reports/sales, without . and .. in it."), "prefix")
    if not re.fullmatch(r"[a-z0-9-]{0,40}", words["region"]):
        raise ChannelError(_("A region is a name like eu-central-1."), "region")
    if not words["region"] and not words["endpoint"]:
        raise ChannelError(_("Name the region, or the endpoint of another store than Amazon's."), "region")
    if words["endpoint"]:
        words["endpoint"] = url_check(words["endpoint"], "endpoint", reach)
        if urlsplit(words["endpoint"]).path.strip("/") or urlsplit(words["endpoint"]).query:
            raise ChannelError(_("An endpoint is https:// and a host; the bucket stands beside."), "endpoint")
    if not re.fullmatch(r"[!-~]{3,128}", access_key):
        raise ChannelError(_("The access key is missing."), "access_key")
    if not re.fullmatch(r"[!-~]{3,256}", secret):
        raise ChannelError(_("The secret key is missing."), "secret")
    return {**words, "prefix": prefix, "access_key": access_key}


def describe(target: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the bucket and prefix, and the endpoint where it is not Amazon's."""
    place = "/".join(filter(None, (str(target.get("bucket", "")), str(target.get("prefix", "")))))
    endpoint = urlsplit(str(target.get("endpoint", ""))).netloc
    return (f"s3://{place}" + (f" at {endpoint}" if endpoint else ""),)


def deliver(
    target: Mapping[str, Any],
    secret: str,
    parcel: Parcel,
    to: str = "",
    before: Callable[[], None] | None = None,
    reach: Reach = NOWHERE,
) -> str:
    """Put the files of a parcel, or its text where it has none, under their keys. Raises: DeliveryFailed."""
    place = describe(target)[0]
    bucket, prefix = str(target["bucket"]), str(target["prefix"])
    names = dated_names(parcel if parcel.files else text_file(parcel))
    try:
        client = _client(target, secret, reach)
        if before:
            before()
        for name, file in names:
            key = f"{prefix}/{name}" if prefix else name
            with file.open() as stream:
                client.upload_fileobj(
                    stream,
                    bucket,
                    key,
                    ExtraArgs={
                        "ContentType": file.media_type,
                        "Metadata": {"delivery": one_line(parcel.uid), "scheduled-for": moment_utc(parcel)},
                    },
                    Config=_TRANSFER,
                )
    except ClientError as error:
        raise _refused(error, place) from None
    except (BotoCoreError, _Refused) as error:
        # botocore wraps what a connection raised, and names it in its own words.
        inner = getattr(error, "kwargs", {}).get("error")
        said = str(inner) if isinstance(inner, _Refused) else _why_not(error)
        raise DeliveryFailed(
            one_line(f"{place} could not be reached: {said}", ANSWER_CHARS),
            is_permanent=isinstance(inner, _Refused),
        ) from None
    except OSError as error:
        raise DeliveryFailed(
            f"A file could not be read: {error.strerror or without_folders(str(error))}."
        ) from None
    files = "1 file" if len(names) == 1 else f"{len(names)} files"
    return f"{files}, {size(sum(file.size for _, file in names))}, in {place}"


def _refused(error: ClientError, place: str) -> DeliveryFailed:
    """Say by code and status what was answered; other words of an answer are told to nobody."""
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    said = _WORDS.get(code, "it refused the file")
    return DeliveryFailed(
        one_line(f"{place}: {said} ({status})", ANSWER_CHARS),
        is_permanent=400 <= status < 500 and status not in (408, 429) and code not in _AGAIN,
    )


def _why_not(error: Exception) -> str:
    """Say why a store was not reached, without a word of what answered."""
    match error:
        case ConnectTimeoutError() | ReadTimeoutError():
            return "it did not answer in time"
        case SSLError():
            return "no TLS connection could be made, or its certificate is not accepted"
        case EndpointConnectionError():
            return "nothing answers there"
        case ConnectionClosedError():
            return "it closed the connection"
        case _:
            return "what answers there does not speak as a store does"


@cache
def _session() -> Session:
    """The maker of clients; it reads its descriptions of S3 once a process (0.2 s and 10 MB each time else)."""
    nowhere = (None, None, os.devnull, None)
    files = {"config_file": nowhere, "credentials_file": nowhere, "profile": (None, None, None, None)}
    return Session(botocore_session=get_session(env_vars=files))


def _client(target: Mapping[str, Any], secret: str, reach: Reach) -> Any:
    """Make a client that uses nothing of the environment: no proxy, no profile, no other key."""
    endpoint = str(target.get("endpoint", ""))
    if endpoint:
        try:
            url_check(endpoint, "endpoint", reach)
        except ChannelError as error:
            raise DeliveryFailed(str(error)) from None
    with _making:
        client = _session().client(
            "s3",
            aws_access_key_id=str(target["access_key"]),
            aws_secret_access_key=secret,
            region_name=str(target.get("region", "")) or "us-east-1",
            endpoint_url=endpoint or None,
            config=Config(
                connect_timeout=10,
                read_timeout=60,
                proxies={},
                ignore_configured_endpoint_urls=True,
                retries={"total_max_attempts": 2, "mode": "standard"},
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
                s3={"addressing_style": "path" if endpoint else "auto"},
            ),
        )
    # botocore offers no way to say how a connection is made; a test holds this to what it is for.
    client._endpoint.http_session._manager.pool_classes_by_scheme = _pools(reach)
    return client


class _Refused(Exception):
    """A connection was made to an address that may not be called; nothing was sent."""


class _Checked:
    """Looks at what a connection was made to, before TLS and before the request."""

    reach = NOWHERE

    def _new_conn(self) -> Any:
        sock = super()._new_conn()  # type: ignore[misc]
        is_private_fine = self.reach.covers(str(self.host), int(self.port or 0))  # type: ignore[attr-defined]
        place = ipaddress.ip_address(str(sock.getpeername()[0]).partition("%")[0])
        why = refused_because(place, private=is_private_fine)
        if why:
            sock.close()
            raise _Refused(f"it may not be called: {why}")
        return sock


class _Connection(_Checked, AWSHTTPConnection):  # type: ignore[misc]
    pass


class _TlsConnection(_Checked, AWSHTTPSConnection):  # type: ignore[misc]
    pass


def _pools(reach: Reach) -> dict[str, type]:
    """The pools of connections of one client: each looks at where it was made to."""
    plain = type("_Connection", (_Connection,), {"reach": reach})
    tls = type("_TlsConnection", (_TlsConnection,), {"reach": reach})
    return {
        "http": type("_Pool", (AWSHTTPConnectionPool,), {"ConnectionCls": plain}),
        "https": type("_TlsPool", (AWSHTTPSConnectionPool,), {"ConnectionCls": tls}),
    }
