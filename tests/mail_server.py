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
        """End it as SIGKILL does; what it took stays."""
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


def _serve(options: argparse.Namespace) -> None:
    from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

    folder = Path(options.folder)
    number = len(list((folder / "mails").glob("*.json")))

    def order(name: str) -> Any:
        try:
            return json.loads((folder / "orders.json").read_text()).get(name)
        except FileNotFoundError:
            return None

    def note(line: str) -> None:
        with (folder / "log").open("a") as log:
            log.write(line + "\n")

    class Server(SMTP):
        """Fails as told at the moments the handlers of aiosmtpd do not reach."""

        async def fail(self, moment: str) -> bool:
            how = order(moment)
            if how:
                note(f"{how} {moment}")
            if how == "hang":
                await asyncio.sleep(3_600)
            if how == "close":
                self.transport.abort()
            return bool(how)

        async def _handle_client(self) -> None:
            note("connected")
            if order("greeting"):
                await self.push(order("greeting"))
                self.transport.close()
                return
            await super()._handle_client()

        async def smtp_DATA(self, arg: str) -> None:
            if await self.fail("before_data"):
                return
            if order("in_data"):
                await self.push("354 go on")
                await self._reader.readline()
                await self.fail("in_data")
                return
            note("data")
            await super().smtp_DATA(arg)

    class Handler:
        """Takes mails, and refuses as told."""

        async def handle_MAIL(
            self, server: Server, session: Session, envelope: Envelope, address: str, given
        ):
            note(f"mail {address}")
            if order("sender"):
                return order("sender")
            envelope.mail_from = address
            return "250 OK"

        async def handle_RCPT(
            self, server: Server, session: Session, envelope: Envelope, address: str, given
        ):
            note(f"rcpt {address}")
            is_first = (folder / "log").read_text().splitlines().count(f"rcpt {address}") == 1
            refused = (order("refuse") or {}).get(address)
            first = (order("first") or {}).get(address)
            if refused or (first and is_first):
                return refused or first
            envelope.rcpt_tos.append(address)
            return "250 OK"

        async def handle_DATA(self, server: Server, session: Session, envelope: Envelope) -> str:
            nonlocal number
            note("dot")
            if order("mail"):
                return order("mail")
            if await server.fail("after_dot"):
                return "451 not reached"
            await asyncio.sleep(order("slow") or 0)
            number += 1
            raw = envelope.content if isinstance(envelope.content, bytes) else b""
            kept = {
                "sender": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "raw": raw.decode("latin-1"),
            }
            aside = folder / f"mails/{number:06}.aside"
            aside.write_text(json.dumps(kept))
            aside.rename(folder / f"mails/{number:06}.json")
            note("taken")
            await server.fail("after_taking")
            return f"250 2.0.0 Ok: queued as {number}"

    def signs_in(server, session, envelope, mechanism, data) -> AuthResult:
        user, _, password = options.login.partition(":")
        is_right = (data.login, data.password) == (user.encode(), password.encode())
        return AuthResult(success=is_right, handled=False)

    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.certificate)
    starttls = None if options.tls_from_the_start else context
    login = {"authenticator": signs_in, "auth_required": True} if options.login else {}

    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(
            lambda: Server(
                Handler(), data_size_limit=options.most_bytes, hostname="mail.test", tls_context=starttls,
                auth_require_tls=bool(context) and not options.tls_from_the_start, **login,
            ),
            MailServer.host, options.port, ssl=context if options.tls_from_the_start else None,
        )  # fmt: skip
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(serve())


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
    _serve(parser.parse_args())
