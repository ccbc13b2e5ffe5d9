"""Keys for one machine: made once, kept in `secrets.env`, read by the settings.

`script/server` and `manage.py` are the two doors that make them. Where `PRODUCTION` is set, in the environment or in
the settings' file, neither does: there a missing secret must stop the start, because a key made in passing and
lost again would take every stored password with it. `python -m mirror.keys` prints fresh ones to keep elsewhere.
"""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path

import environ

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("SECRET_KEY", "MIRROR_ENCRYPTION_KEYS")


def env_file() -> Path:
    """Tell which file settings are read from."""
    return Path(os.environ.get("MIRROR_ENV_FILE") or ROOT / ".env")


def env_read() -> None:
    """Take the settings of that file into the environment; variables that are set already win."""
    if env_file().is_file():
        environ.Env.read_env(env_file())


def keys_file() -> Path:
    """Tell where the keys of this machine are kept."""
    env_read()
    return Path(os.environ.get("MIRROR_VAR_DIR") or ROOT / "var") / "secrets.env"


def keys_make() -> bool:
    """Write fresh keys, readable by this user alone, unless they are there. Say whether any were made.

    Nothing is made where `PRODUCTION` is set, nor when the environment brings both secrets.
    """
    file = keys_file()
    if file.exists() or os.environ.get("PRODUCTION", "").lower() in environ.Env.BOOLEAN_TRUE_STRINGS:
        return False
    if all(os.environ.get(name) for name in NAMES):
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w") as out:
        out.write(
            "# Made on first start. Keep it: without MIRROR_ENCRYPTION_KEYS the passwords of sources are lost.\n"
            + keys_new()
        )
    return True


def keys_new() -> str:
    """Make up fresh keys, as lines of a settings' file."""
    key = base64.urlsafe_b64encode(os.urandom(32)).decode()
    return f"SECRET_KEY={secrets.token_urlsafe(50)}\nMIRROR_ENCRYPTION_KEYS={key}\n"


if __name__ == "__main__":
    print(keys_new(), end="")
