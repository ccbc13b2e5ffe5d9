"""Scripts and styles as browsers get them: small, and under names that change with what they hold."""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.management import call_command
from servestatic.storage import CompressedManifestStaticFilesStorage

_STAMP = ".made-of"
# Lines that are nothing but a comment; no text of our scripts has such a line.
_COMMENTS = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]*)\n", re.M | re.S)


class NamedByContent(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it has no types
    """Names with a hash and files beside them in brotli and gzip, once `static_files_make` ran; plain names before."""

    support_js_module_import_aggregation = True

    def stored_name(self, name: str) -> str:
        """The name in the address of a file."""
        return str(super().stored_name(name)) if self.hashed_files else name

    def _save(self, name: str, content: File[bytes]) -> str:
        """Keep a file; our own scripts without their comments, a seventh of what is sent."""
        if name.startswith("js/") and name.endswith(".js") and not name.startswith("js/build/"):
            content = ContentFile(script_bared(b"".join(content.chunks()).decode()).encode())
        return str(super()._save(name, content))


def script_bared(script: str) -> str:
    """Give a script without the comments that have lines of their own.

    Example:
        >>> script_bared("// One.\\nlet a; // two\\n  /** Three. */\\nconst b = '//';\\n")
        "let a; // two\\nconst b = '//';\\n"
    """
    return _COMMENTS.sub("", script)


def static_files_make() -> bool:
    """Copy, name and compress the files when one of them changed; returns whether it had to.

    Takes some 6 s of a processor, mostly for the charts' library. Files of earlier versions stay, as pages that
    are open still ask for them.
    """
    stamp = Path(settings.STATIC_ROOT) / _STAMP
    made_of = _fingerprint()
    if stamp.is_file() and stamp.read_text() == made_of:
        return False
    call_command("collectstatic", interactive=False, verbosity=0, stdout=io.StringIO())
    stamp.write_text(made_of)
    return True


def _fingerprint() -> str:
    """What the files are made of: names, sizes and times."""
    found = []
    for finder in get_finders():
        for name, storage in finder.list([]):
            state = Path(storage.path(name)).stat()
            found.append((name, state.st_size, state.st_mtime_ns))
    return hashlib.sha256(json.dumps(sorted(found)).encode()).hexdigest()
