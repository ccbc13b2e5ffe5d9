"""A database server as a process of a test: its programs, its folder, its port, its certificate, its end.

A server is unprivileged, on loopback, and gone with the process. As root it runs as an ordinary user.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from ipaddress import ip_address
from itertools import count
from pathlib import Path

from tests import stores

PASSWORD = "correct horse battery"
START_SECONDS = 30
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class ServerMissing(RuntimeError):
    """A server's programs are not installed; the message says how to get them."""


class Server(ABC):
    """One running server. `user` owns everything in it and signs in with `PASSWORD`."""

    host = "127.0.0.1"
    user: str
    stop_signal: signal.Signals
    start_seconds = START_SECONDS

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mirror-server-", dir=_open_folder()))
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = _owner()
        if self._owner is not None:
            os.chown(self.folder, self._owner.pw_uid, self._owner.pw_gid)
        self.folder.chmod(0o700)
        self.prepare()

    @abstractmethod
    def prepare(self) -> None:
        """Make the data folder."""

    @abstractmethod
    def command(self) -> list[str]:
        """The command line that serves it in the foreground."""

    def is_ready(self) -> bool:
        """Tell whether it answers: by itself, whether something listens at its port."""
        with socket.socket() as probe:
            return probe.connect_ex((self.host, self.port)) == 0

    def make_certificate(self) -> None:
        """Make `cert.pem` and `key.pem` for 127.0.0.1, signed by nobody but itself."""
        certificate, key = certificate_for(self.host)
        for name, content in (("cert.pem", certificate), ("key.pem", key)):
            path = self.folder / name
            path.write_bytes(content)
            path.chmod(0o600)
            if self._owner is not None:
                os.chown(path, self._owner.pw_uid, self._owner.pw_gid)

    def data_make(self, name: str, command: list[str]) -> None:
        """Make the folder `data` by a command, once a run; those after it get a copy."""
        data = self.folder / "data"

        def first(to: Path) -> None:
            self.run(command)
            shutil.copytree(data, to)

        kept = stores.made(name, first)
        if not data.exists():
            shutil.copytree(kept, data)
            if self._owner is not None:
                for path in (data, *data.rglob("*")):
                    os.chown(path, self._owner.pw_uid, self._owner.pw_gid)

    def run(self, command: list[str]) -> None:
        """Run a program of the server's as its user, and wait."""
        done = subprocess.run(command, **self._as_owner(), capture_output=True, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed: {done.stderr.decode() or done.stdout.decode()}")

    def start(self) -> None:
        """Start it and wait until it answers."""
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(
            self.command(), **self._as_owner(), stdout=log, stderr=log, preexec_fn=_die_with(self.stop_signal)
        )
        log.close()
        until = time.monotonic() + self.start_seconds
        while not self.is_ready():
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(
                    f"{self.command()[0]} did not start:\n{(self.folder / 'log').read_text()[-2000:]}"
                )
            time.sleep(0.05)

    def stop(self, how: signal.Signals | None = None) -> None:
        """Stop it and wait; `how` is another signal than the orderly one."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how or self.stop_signal)
            self._process.wait(30)
        self._process = None

    def remove(self) -> None:
        """Stop it and delete its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _as_owner(self) -> dict[str, object]:
        if self._owner is None:
            return {"cwd": self.folder, "env": {**os.environ, "SPARK_LOCAL_IP": self.host}}
        return {
            "cwd": self.folder,
            "user": self._owner.pw_uid,
            "group": self._owner.pw_gid,
            "extra_groups": [],
            "env": {
                **os.environ,
                "SPARK_LOCAL_IP": self.host,
                "HOME": str(self.folder),
                "TMPDIR": str(self.folder),
            },
        }


def certificate_for(address: str) -> tuple[bytes, bytes]:
    """Make a certificate for an address, signed by itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, address)])
    # Good at whatever hour the tests believe it is: the drivers look at the real clock.
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return certificate.public_bytes(encoding), private


# Ports that test processes hand out: below those that the system gives to whoever asks for any, a range for each process.
FIRST_PORT, PORTS, RANGES = 11_000, 3_000, 7
_handed: dict[int, Iterator[int]] = {}


def free_port() -> int:
    """Give a port nobody listens on, and that no other test process is given before a server has taken it."""
    pid = os.getpid()
    if pid not in _handed:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
        first = FIRST_PORT + PORTS * (int(worker) % RANGES)
        _handed[pid] = (first + (pid * 37 + n) % PORTS for n in count())
    for port in _handed[pid]:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("unreachable")


# Where `script/test` lays OpenSSH's server: its package would start one that anybody may call.
OPENSSH = Path(__file__).resolve().parents[1] / "var" / "openssh" / "usr" / "sbin"
INSTALL = {
    "sshd": "apt-get download openssh-server && dpkg-deb -x openssh-server_*.deb var/openssh",
    "initdb": "sudo apt-get install -y --no-install-recommends postgresql",
    "postgres": "sudo apt-get install -y --no-install-recommends postgresql",
    "mariadb-install-db": "sudo apt-get install -y --no-install-recommends mariadb-server",
    "mariadbd": "sudo apt-get install -y --no-install-recommends mariadb-server",
    "redis-server": "sudo apt-get install -y --no-install-recommends redis-server",
    "java": "sudo apt-get install -y --no-install-recommends default-jre-headless",
}


def program(name: str) -> str:
    """Find a server's program. Raises: ServerMissing."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda p: -float(p.parts[-3]))
    places += [Path(folder) / name for folder in ("/usr/sbin", "/usr/local/sbin", "/usr/libexec", OPENSSH)]
    found = next((str(place) for place in places if place.is_file()), None) or shutil.which(name)
    if found is None:
        raise ServerMissing(f"{name} is not installed. Run: {INSTALL[name]}")
    return found


def has_openssh() -> bool:
    """Whether OpenSSH's server is here. Every tunnel is tried with asyncssh's; on what only OpenSSH's does, no rule hangs alone."""
    try:
        return bool(program("sshd"))
    except ServerMissing:
        return False


def missing() -> list[str]:
    """List what is not installed, each with the line that installs it."""
    lines = []
    for name in INSTALL:
        try:
            program(name)
        except ServerMissing as error:
            lines.append(str(error))
    return lines


def _owner() -> pwd.struct_passwd | None:
    """The user who runs the servers when we are root: they refuse to be root themselves."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def _open_folder() -> str:
    """A folder for temporary files that an ordinary user can walk into."""
    folder = Path(tempfile.gettempdir())
    is_open = all(part.stat().st_mode & 0o001 for part in (folder, *folder.parents))
    return str(folder) if is_open else "/tmp"


def _die_with(signal_: signal.Signals) -> Callable[[], None]:
    """Have the kernel stop a child when this process is gone, however it went (Linux)."""

    def arrange() -> None:
        LIBC.prctl(PR_SET_PDEATHSIG, int(signal_), 0, 0, 0)

    return arrange
