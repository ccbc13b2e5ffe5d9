"""Keys for one machine: made once, kept in `secrets.env`, read by the settings.

`script/server` and `manage.py` are the two doors that make them. Where `PRODUCTION` is set
neither does: there a missing secret must stop the start, because a key made in passing and
lost again would take every stored password with it.
"""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path


def keys_file() -> Path:
    """Tell where the keys of this machine are kept."""
    root = Path(__file__).resolve().parent.parent
    return Path(os.environ.get("MIRROR_VAR_DIR") or root / "var") / "secrets.env"


def keys_make() -> bool:
    """Write fresh keys, readable by this user alone, unless they are there. Say whether any were made.

    Nothing is made where `PRODUCTION` is set, nor when the environment brings both secrets.
    """
    file = keys_file()
    if file.exists() or os.environ.get("PRODUCTION", "").lower() in ("1", "true", "yes", "on"):
        return False
    if os.environ.get("SECRET_KEY") and os.environ.get("MIRROR_ENCRYPTION_KEYS"):
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    encryption_key = base64.urlsafe_b64encode(os.urandom(32)).decode()
    text = (
        "# Made on first start. Keep it: without MIRROR_ENCRYPTION_KEYS the passwords of sources are lost.\n"
        f"SECRET_KEY={secrets.token_urlsafe(50)}\n"
        f"MIRROR_ENCRYPTION_KEYS={encryption_key}\n"
    )
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
    return True
