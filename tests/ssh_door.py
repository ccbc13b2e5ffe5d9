"""An SSH server of the tests, in a process of its own: the library's own, which speaks the real protocol.

`python tests/ssh_door.py PORT FOLDER PASSWORD`. The folder holds its host key (`host_key`) and the public keys that sign in
(`authorized_keys`). Users: `tunnel` may forward anywhere, `shut` nowhere; both sign in by key or password.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import asyncssh

USERS = ("tunnel", "shut")


class Door(asyncssh.SSHServer):
    """One connection of somebody."""

    password = keys = ""

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn

    def begin_auth(self, username: str) -> bool:
        if username in USERS:
            self._connection.set_authorized_keys(self.keys)
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return username in USERS and password == self.password

    def connection_requested(self, dest_host: str, dest_port: int, orig_host: str, orig_port: int) -> bool:
        if self._connection.get_extra_info("username") == "tunnel":
            return True
        # As OpenSSH's server refuses where AllowTcpForwarding or PermitOpen forbid it.
        raise asyncssh.ChannelOpenError(asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, "open failed")


async def serve(port: int, folder: Path) -> None:
    await asyncssh.listen(
        "127.0.0.1",
        port,
        server_factory=Door,
        server_host_keys=[str(folder / "host_key")],
        reuse_address=True,
    )
    await asyncio.Event().wait()


if __name__ == "__main__":
    Door.password, Door.keys = sys.argv[3], str(Path(sys.argv[2]) / "authorized_keys")
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2])))
