"""One POST to an address somebody typed: where it may go, how long it may take, and its status.

A name is looked up once, every address it stands for is checked, and the connection is made to a checked
address: a name that changes between the check and the connection leads nowhere else. Redirects are
not followed, proxies of the environment are not used, and one deadline holds for everything.

Of an answer only the status is told, and how long to wait: typing an address must not let a person read the answers of a server inside. Its body is not even read.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import httpcore2
from django.conf import settings
from django.utils.translation import gettext as _

from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.reach import NOWHERE, Reach
from mirror.phrases import one_line
from mirror.sources.addresses import refused_because

CONNECT_SECONDS = 10.0
URL_CHARS = 2_000

_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?|[0-9A-Fa-f:.]+")


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply: the status, and the header that says how long to wait."""

    status: int
    retry_after: str = ""

    @property
    def said(self) -> str:
        """The status in the words of the standard, whatever words came with it.

        Example:
            >>> Answer(404).said, Answer(299).said
            ('404 Not Found', '299')
        """
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return str(self.status)


def url_check(typed: str, field: str = "url", reach: Reach = NOWHERE) -> str:
    """Give an address that may be posted to: https, or http too where private networks may be called.

    Its name is looked up; a private host is refused unless `reach` covers it. Raises: ChannelError.
    """
    url = typed.strip()
    _, host, port = _parts(url, field, reach)
    try:
        addresses(host, port, reach)
    except DeliveryFailed as error:
        raise ChannelError(str(error), field) from None
    return url


def _parts(url: str, field: str, reach: Reach) -> tuple[str, str, int]:
    """Split an address that may be posted to into scheme, host and port. Raises: ChannelError."""
    if not url:
        raise ChannelError(_("The address is missing; it begins with https://."), field)
    if len(url) > URL_CHARS:
        raise ChannelError(
            _("An address has %(url_chars)s characters at most.") % {"url_chars": f"{URL_CHARS:,}"}, field
        )
    if not re.fullmatch(r"[!-~]+", url):
        raise ChannelError(_("An address has no spaces, and letters beyond ASCII stand as %.. in it."), field)
    try:
        split = urlsplit(url)
        port = split.port
        scheme, host = split.scheme.lower(), split.hostname or ""
    except ValueError:
        raise ChannelError(_("This is not an address of the web."), field) from None
    if scheme not in ("http", "https"):
        raise ChannelError(_("The address must begin with https://."), field)
    if split.username is not None or split.password is not None:
        raise ChannelError(_("A name and a password in the address are not supported."), field)
    if not _HOST.fullmatch(host) or "\\" in url:
        raise ChannelError(_("There is no host name in this address."), field)
    number = port if port is not None else 443 if scheme == "https" else 80
    if scheme == "http" and not (settings.SOURCE_PRIVATE_HOSTS or reach.covers(host, number)):
        raise ChannelError(_("The address must begin with https://."), field)
    return scheme, host, number


def addresses(host: str, port: int, reach: Reach) -> list[str]:
    """Look a name up and give its addresses, all of which may be called. Raises: DeliveryFailed."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        raise DeliveryFailed(
            _("No machine is called “%(host)s”. Check the spelling.") % {"host": host}
        ) from None
    places = [str(place[0]).partition("%")[0] for *_rest, place in found]
    for place in places:
        why = refused_because(ipaddress.ip_address(place), private=reach.covers(host, port))
        if why:
            raise DeliveryFailed(
                _("“%(host)s” may not be called: %(why)s.") % {"host": host, "why": why}, is_permanent=True
            )
    return list(dict.fromkeys(places))


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    before: Callable[[], None] | None = None,
    reach: Reach = NOWHERE,
) -> Answer:
    """Send one POST and give the answer, whatever its status.

    `before` is called when the connection stands and nothing of the request was sent. Raises: DeliveryFailed.
    """
    try:
        scheme, host, port = _parts(url, "url", reach)
    except ChannelError as error:
        raise DeliveryFailed(str(error), is_permanent=True) from None
    split = urlsplit(url)
    target = (split.path or "/") + (f"?{split.query}" if split.query else "")
    network = _Network(_Deadline(settings.WEBHOOK_SECONDS), before, reach)
    request = httpcore2.Request(
        b"POST",
        httpcore2.URL(scheme=scheme.encode(), host=host.encode(), port=port, target=target.encode()),
        headers=[
            ("Host", split.netloc),
            ("User-Agent", "Mirror"),
            ("Accept", "*/*"),
            ("Connection", "close"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            *headers.items(),
        ],
        content=body,
    )
    try:
        with httpcore2.ConnectionPool(network_backend=network) as pool:
            response = pool.handle_request(request)
            try:
                told = {name.lower(): value for name, value in response.headers}
                return Answer(response.status, told.get(b"retry-after", b"").decode("latin-1"))
            finally:
                response.close()
    except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise DeliveryFailed(_in_words(error, host, is_sent=network.is_sent)) from None


def _in_words(error: Exception, host: str, *, is_sent: bool) -> str:
    # httpcore makes its errors of the one it caught, and then drops the chain.
    cause = error.args[0] if error.args else None
    after = " after the report was sent; it may have arrived" if is_sent else ""
    match error:
        case httpcore2.ConnectTimeout():
            return f"“{host}” could not be reached: it did not answer in time."
        case httpcore2.TimeoutException():
            return f"“{host}” did not answer within {settings.WEBHOOK_SECONDS:g} seconds{after}."
        case httpcore2.ConnectError():
            if isinstance(cause, ssl.SSLCertVerificationError):
                return f"The certificate of “{host}” is not accepted: {one_line(cause.verify_message, 120)}."
            if isinstance(cause, ssl.SSLError):
                return f"“{host}” does not speak TLS there: {one_line(cause.reason or str(cause), 120)}."
            said = (cause.strerror if isinstance(cause, OSError) else None) or str(error)
            return f"“{host}” could not be reached: {one_line(said, 120)}."
        case httpcore2.ProtocolError():
            if "disconnected" in str(error).lower():
                return f"“{host}” closed the connection{after or ' without an answer'}."
            return f"“{host}” does not speak HTTP."
        case _:
            return f"“{host}” closed the connection{after}."


class _Deadline:
    """The time by which everything must be over."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds

    def left(self, most: float | None = None) -> float:
        """Seconds left, `most` at most. Raises: httpcore2.ReadTimeout."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the time is over")
        return left if most is None else min(left, most)


class _Network(httpcore2.NetworkBackend):
    """Connects to checked addresses only, and tells when the first byte of a request is about to go."""

    def __init__(self, deadline: _Deadline, before: Callable[[], None] | None, reach: Reach) -> None:
        self._deadline, self._before, self._reach = deadline, before, reach
        self.is_sent = False

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to the first address of the name that answers."""
        inner = httpcore2.SyncBackend()
        failed: Exception = httpcore2.ConnectError(f"no address of {host}")
        for place in addresses(host, port, self._reach):
            try:
                stream = inner.connect_tcp(place, port, self._deadline.left(CONNECT_SECONDS))
                return _Stream(stream, self)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
        raise failed

    def left(self, most: float | None = None) -> float:
        """Seconds left. Raises: httpcore2.ReadTimeout."""
        return self._deadline.left(most)

    def about_to_send(self) -> None:
        """Call back, once, before the first byte of the request."""
        if not self.is_sent:
            if self._before:
                self._before()
            self.is_sent = True


class _Stream(httpcore2.NetworkStream):
    """A connection whose every step ends with the deadline; callers write the request to it."""

    def __init__(self, inner: httpcore2.NetworkStream, network: _Network) -> None:
        self._inner, self._network = inner, network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._network.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer:
            self._network.about_to_send()
        self._inner.write(buffer, self._network.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, self._network.left(CONNECT_SECONDS))
        return _Stream(inner, self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
