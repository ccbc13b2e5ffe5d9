"""Python programs that tests start as processes of their own, without what each would spend on loading libraries.

Django, Celery, pyarrow and the rest take two seconds of a processor to load, more than most of these programs work. One process
has them loaded (nothing of `mirror`, no settings: what a program reads of its environment and of another folder it reads itself) and forks
whenever a test starts a program. `Popen` and `run` are used like those of `subprocess`: the program is a child of the process
that started it, with its own arguments, environment, folder and files, and ends or is killed as any other. It differs in
what the system shows as its command line.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import pickle
import runpy
import signal
import socket
import subprocess
import sys
import threading
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import setproctitle

from sqlagent.forks.forking import THREADLESS

ROOT = Path(__file__).resolve().parent.parent
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
# Modules that the programs load. A library that starts threads on import may not stand here: a fork has one thread.
LOADED = (
    *(
        "django.conf",
        "django.core.management",
        "django.db.models",
        "django.forms",
        "django.http",
        "django.views",
    ),
    *("django.template", "django.test", "django.urls", "django.contrib.auth.hashers", "django.core.mail"),
    *(
        "django.db.backends.sqlite3.base",
        "django.db.backends.sqlite3.schema",
        "django.db.migrations.executor",
        "django.db.migrations.autodetector",
        "django.core.management.commands.migrate",
        "django.core.management.commands.shell",
        "django.core.management.commands.makemigrations",
        "django.core.cache.backends.locmem",
        "django.core.asgi",
        "django.contrib.auth.password_validation",
        "django.contrib.messages.middleware",
        "django.contrib.sessions.middleware",
    ),
    *(
        "django.middleware.cache",
        "django.middleware.clickjacking",
        "django.middleware.common",
        "django.middleware.security",
        "django.views.csrf",
        "django.views.defaults",
        "django.views.decorators.vary",
    ),
    *(
        "celery.bin.celery",
        "celery.app.control",
        "celery.apps.worker",
        "celery.apps.beat",
        "celery.fixups.django",
    ),
    *(
        "celery.concurrency.prefork",
        "celery.concurrency.thread",
        "celery.worker.components",
        "celery.worker.consumer",
    ),
    *("kombu.transport.filesystem", "kombu.transport.virtual", "uvicorn.main", "environ"),
    *(
        "pydantic",
        "pydantic.dataclasses",
        "pydantic.json_schema",
        "pydantic.networks",
        "pydantic.type_adapter",
        "narwhals.stable.v1",
        "narwhals.stable.v2",
        "PIL.Image",
        "pyarrow",
        "pyarrow.compute",
        "pyarrow.parquet",
        "numpy",
        "duckdb",
        "sqlglot",
        "cryptography.fernet",
        "rapidfuzz.fuzz",
    ),
    *(
        "django_htmx",
        "csp.middleware",
        "dateutil.rrule",
        "cronsim",
        "prompt_toolkit",
        "click_repl",
        "yaml",
        "simplejson",
    ),
    *(
        "sqlagent.pipeline",
        "sqlagent.evaluation.improving.fitting",
        "sqlagent.evaluation.scoring",
        "sqlagent.makers.llm_rewriting",
        "sqlagent.makers.rewriting",
        "sqlagent.sql.completing",
        "sqlagent.sql.meaning",
        "sqlagent.telling.charting",
        "sqlagent.telling.explaining",
        "sqlagent.telling.summarizing.contribution_words",
    ),
)
OURS = ("sqlagent", "mirror", "script", "tests")


class Popen(subprocess.Popen):
    """A Python program as `subprocess.Popen` starts it, forked of a process that has libraries loaded.

    The command is that of Python itself: `-m` and a module, `-c` and a text, or a file.
    """

    def _execute_child(self, args: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any,
                       env: Any, startupinfo: Any, creationflags: Any, shell: Any, p2cread: int, p2cwrite: int,
                       c2pread: int, c2pwrite: int, errread: int, errwrite: int, *others: Any) -> None:  # fmt: skip
        command = [os.fspath(word) for word in args]
        assert command[0] == sys.executable and preexec_fn is None and not pass_fds and not shell
        told = (command[1:], os.fspath(cwd or Path.cwd()), dict(os.environ if env is None else env))
        given = zip((p2cread, c2pwrite, errwrite), range(3), strict=True)
        self.pid = _server().fork(told, [own if fd == -1 else fd for fd, own in given])
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)


def run(
    args: list[Any],
    *,
    check: bool = False,
    timeout: float | None = None,
    capture_output: bool = False,
    **how: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a Python program to its end, as `subprocess.run` does."""
    if capture_output:
        how |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    given = how.pop("input", None)
    if given is not None:
        how["stdin"] = subprocess.PIPE
    with Popen(args, **how) as process:
        try:
            out, errors = process.communicate(given, timeout=timeout)
        except BaseException:
            process.kill()
            raise
        done = subprocess.CompletedProcess(args, process.returncode, out, errors)
    if check:
        done.check_returncode()
    return done


class _Server:
    """The process that forks, as those see it who ask."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._asks, self._lock = ours, threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm", str(theirs.fileno())],
            cwd=ROOT, env=os.environ | THREADLESS, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
        )  # fmt: skip
        theirs.close()
        atexit.register(self._end)

    def fork(self, told: Any, files: list[int]) -> int:
        """Have a program started with these as its standard files; the number of its process, a child of this one."""
        data = pickle.dumps(told)
        with self._lock:
            # The program is forked by a fork that ends at once, and then belongs to the nearest process that says so.
            _prctl(PR_SET_CHILD_SUBREAPER, 1)
            try:
                socket.send_fds(self._asks, [len(data).to_bytes(8, "big")], files)
                self._asks.sendall(data)
                return int.from_bytes(_exactly(self._asks, 8), "big")
            finally:
                _prctl(PR_SET_CHILD_SUBREAPER, 0)

    def _end(self) -> None:
        self._asks.close()
        self._process.wait(10)


@cache
def _server_of(pid: int) -> _Server:
    return _Server()


def _server() -> _Server:
    return _server_of(os.getpid())


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _exactly(from_: socket.socket, size: int) -> bytes:
    held = b""
    while len(held) < size:
        part = from_.recv(size - len(held))
        if not part:
            raise EOFError("The process that starts programs is gone.")
        held += part
    return held


# ---------------------------------------------------------------- the process that forks


def serve(asks: socket.socket) -> tuple[list[str], str, dict[str, str]] | None:
    """Fork for each that asks until nobody can. In a fork: what it is to do; at the end: None."""
    while True:
        head, files, *_ = socket.recv_fds(asks, 8, 3)
        if not head:
            return None
        told = pickle.loads(_exactly(asks, int.from_bytes(head, "big")))
        here, there = os.pipe()
        between = os.fork()
        if not between:
            child = os.fork()
            if child:
                os._exit(0 if os.write(there, child.to_bytes(8, "big")) else 1)
            for file in (here, there, asks.detach()):
                os.close(file)
            for number, file in enumerate(files):
                os.dup2(file, number)
            for file in files:
                os.close(file)
            return told
        # Only when that one is gone the program is a child of who asked.
        os.waitpid(between, 0)
        asks.sendall(os.read(here, 8))
        os.close(here)
        os.close(there)
        for file in files:
            os.close(file)


def begin(words: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be the program that was asked for."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if Path(folder).resolve() != ROOT:
        ours_forget()
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    os.chdir(folder)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, closefd=False, buffering=1, errors=errors)  # noqa: SIM115 - the program's own, until it ends
        for number, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "backslashreplace"))
    )
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    sys.path[0] = folder
    match words:
        case ["-m", module, *rest]:
            sys.argv = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", text, *rest]:
            sys.argv = ["-c", *rest]
            exec(compile(text, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - a test's own program
        case [path, *rest]:
            sys.argv, sys.path[0] = [path, *rest], str(Path(path).resolve().parent)
            runpy.run_path(path, run_name="__main__")


def ours_forget() -> None:
    """Let go of what was loaded of this repository: the program stands in another folder and loads its own."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    sys.path[1:] = [place for place in sys.path[1:] if Path(place).resolve() != ROOT]


def main() -> None:
    """Load, fork, and in a fork be what was asked for."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    asks = socket.socket(fileno=int(sys.argv[1]))
    for module in LOADED:
        import_module(module)
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a library started a thread: forks are not safe"
    # The first model that a process makes looks through all installed packages for plugins.
    import_module("pydantic").create_model("First")
    # A title of its own is possible where the first look for its place came before the environment was another.
    setproctitle.getproctitle()
    gc.collect()
    gc.freeze()
    told = serve(asks)
    if told is not None:
        begin(*told)


if __name__ == "__main__":
    main()
