"""A real mail server on loopback, in a process of its own, that keeps mails as files and fails as told.

`MailServer` starts it; `orders` says how it behaves from the next command on; `mails()` gives what it took, `log()`
what happened in order, and `wait_for` waits for a moment of that. It is killed and started again on the same
port like any other server: what it took stays.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 20


@dataclass(frozen=True)
class Mail:
    """A mail that the server took: its envelope and its bytes, as `email` reads them."""

    sender: str
    to: tuple[str, ...]
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        message = message_from_bytes(self.raw, policy=default)
        assert isinstance(message, EmailMessage)
        return message


class MailServer:
    """The server process. Settings for it are `EMAIL_HOST` 127.0.0.1 and `EMAIL_PORT` `port`."""

    host = "127.0.0.1"

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        most_bytes: int = 33_554_432,
        login: tuple[str, str] | None = None,
        certificate: tuple[Path, Path] | None = None,
        tls_from_the_start: bool = False,
    ) -> None:
        self.folder, self.port = folder, port
        (folder / "mails").mkdir(parents=True, exist_ok=True)
        self._options = ["--most-bytes", str(most_bytes)]
        if login:
            self._options += ["--login", ":".join(login)]
        if certificate:
            self._options += ["--certificate", *map(str, certificate)]
        if tls_from_the_start:
            self._options += ["--tls-from-the-start"]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> MailServer:
        """Start it, on the port it had before; ready when this returns."""
        self._process = subprocess.Popen(
            [
                sys.executable, "-m", "tests.mail_server", "--folder", str(self.folder),
                "--port", str(self.port), *self._options,
            ],
            cwd=ROOT, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert self._process.stdout
        self.port = int(self._process.stdout.readline())
        return self

    def stop(self) -> None:
        """End it as SIGKILL does; its mails stay."""
        if self._process:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout
            self._process.stdout.close()
            self._process = None

    def __enter__(self) -> MailServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def orders(self, **orders: Any) -> None:
        """Behave like this from the next command on, until told otherwise.

        `refuse`: {address: reply to RCPT}. `first`: {address: reply to the first RCPT of it}. `sender`: reply to
        MAIL. `greeting`: reply instead of the greeting. `mail`: reply to the last dot. `slow`: seconds before
        each mail is taken. `before_data`, `in_data`, `after_dot` (not taken), `after_taking`: "hang" or "close".
        """
        aside = self.folder / f"orders.{os.getpid()}"
        aside.write_text(json.dumps(orders))
        aside.replace(self.folder / "orders.json")

    def mails(self, to: str | None = None) -> list[Mail]:
        """Give what was taken, in order; to one recipient, if named."""
        found = []
        for path in sorted((self.folder / "mails").glob("*.json")):
            kept = json.loads(path.read_text())
            found.append(Mail(kept["sender"], tuple(kept["to"]), kept["raw"].encode("latin-1")))
        return [mail for mail in found if to is None or to in mail.to]

    def log(self) -> list[str]:
        """Give what happened: `connected`, `mail A`, `rcpt B`, `data`, `dot`, `taken`, ..."""
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []

    def forget(self) -> None:
        """Throw away what was taken, what happened and what was ordered."""
        for path in [*(self.folder / "mails").iterdir(), self.folder / "log", self.folder / "orders.json"]:
            path.unlink(missing_ok=True)

    def wait_for(self, moment: str, times: int = 1, seconds: float = 20) -> None:
        """Wait until something happened so many times. Raises: TimeoutError."""
        ends = time.monotonic() + seconds
        while sum(line.startswith(moment) for line in self.log()) < times:
            if time.monotonic() > ends:
                raise TimeoutError(f"no {moment!r} in {self.log()}")
            time.sleep(0.01)


class _Desk:
    """The server's folder: orders, a log, mails."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = len(list((folder / "mails").glob("*.json")))

    def order(self, name: str) -> Any:
        try:
            return json.loads((self.folder / "orders.json").read_text()).get(name)
        except FileNotFoundError:
            return None

    def note(self, line: str) -> None:
        with (self.folder / "log").open("a") as log:
            log.write(line + "\n")

    def is_first(self, recipient: str) -> bool:
        return (self.folder / "log").read_text().splitlines().count(f"rcpt {recipient}") == 1

    def keep(self, envelope: Envelope) -> int:
        self._number += 1
        raw = envelope.content if isinstance(envelope.content, bytes) else b""
        kept = {"sender": envelope.mail_from, "to": envelope.rcpt_tos, "raw": raw.decode("latin-1")}
        aside = self.folder / f"mails/{self._number:06}.aside"
        aside.write_text(json.dumps(kept))
        aside.rename(aside.with_suffix(".json"))
        self.note("taken")
        return self._number


class _Server(SMTP):
    """Fails as told at the moments that aiosmtpd's handlers do not reach."""

    desk: _Desk

    async def fail(self, moment: str) -> bool:
        how = self.desk.order(moment)
        if how:
            self.desk.note(f"{how} {moment}")
        if how == "hang":
            await asyncio.sleep(3_600)
        if how == "close":
            self.transport.abort()
        return bool(how)

    async def _handle_client(self) -> None:
        self.desk.note("connected")
        if self.desk.order("greeting"):
            await self.push(self.desk.order("greeting"))
            self.transport.close()
            return
        await super()._handle_client()

    async def smtp_DATA(self, arg: str) -> None:
        if await self.fail("before_data"):
            return
        if self.desk.order("in_data"):
            await self.push("354 go on")
            await self._reader.readline()
            await self.fail("in_data")
            return
        self.desk.note("data")
        await super().smtp_DATA(arg)


class _Handler:
    """Takes mails, and refuses as told."""

    def __init__(self, desk: _Desk) -> None:
        self.desk = desk

    async def handle_MAIL(
        self, server: _Server, session: Session, envelope: Envelope, address: str, given: Any
    ):
        self.desk.note(f"mail {address}")
        if self.desk.order("sender"):
            return self.desk.order("sender")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: _Server, session: Session, envelope: Envelope, address: str, given: Any
    ):
        self.desk.note(f"rcpt {address}")
        refused = (self.desk.order("refuse") or {}).get(address)
        first = (self.desk.order("first") or {}).get(address)
        if refused or (first and self.desk.is_first(address)):
            return refused or first
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: _Server, session: Session, envelope: Envelope) -> str:
        self.desk.note("dot")
        if self.desk.order("mail"):
            return str(self.desk.order("mail"))
        if await server.fail("after_dot"):
            return "451 not reached"
        await asyncio.sleep(self.desk.order("slow") or 0)
        number = self.desk.keep(envelope)
        await server.fail("after_taking")
        return f"250 2.0.0 Ok: queued as {number}"


async def _serve(options: argparse.Namespace) -> None:
    desk = _Desk(Path(options.folder))
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.certificate)
    user, _, password = options.login.partition(":")

    def signs_in(server: Any, session: Any, envelope: Any, mechanism: Any, data: Any) -> AuthResult:
        is_right = (data.login, data.password) == (user.encode(), password.encode())
        return AuthResult(success=is_right, handled=False)

    def made() -> _Server:
        server = _Server(
            _Handler(desk),
            hostname="mail.test",
            data_size_limit=options.most_bytes,
            tls_context=None if options.tls_from_the_start else context,
            auth_require_tls=bool(context) and not options.tls_from_the_start,
            **({"authenticator": signs_in, "auth_required": True} if options.login else {}),
        )
        server.desk = desk
        return server

    at_once = context if options.tls_from_the_start else None
    loop = asyncio.get_running_loop()
    server = await loop.create_server(made, MailServer.host, options.port, ssl=at_once)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    from mirror.processes import die_with_parent

    die_with_parent(signal.SIGKILL)
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--most-bytes", type=int)
    parser.add_argument("--login", default="")
    parser.add_argument("--certificate", nargs=2)
    parser.add_argument("--tls-from-the-start", action="store_true")
    asyncio.run(_serve(parser.parse_args()))
