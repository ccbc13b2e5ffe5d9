"""Scripts and styles as browsers get them: small, and under names that change with what they hold."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import rjsmin
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.management import call_command
from servestatic.storage import CompressedManifestStaticFilesStorage

_STAMP = ".made-of"


class NamedByContent(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it has no types
    """Names with a hash and files beside them in brotli and gzip, once `static_files_make` ran; plain names before."""

    support_js_module_import_aggregation = True

    def stored_name(self, name: str) -> str:
        """The name in the address of a file."""
        return str(super().stored_name(name)) if self.hashed_files else name

    def _save(self, name: str, content: File[bytes]) -> str:
        """Keep a file; our own scripts without comments and spaces: 28.7 kB of brotli in place of 35.8, measured 2026-11-27."""
        if name.startswith("js/") and name.endswith(".js") and not name.startswith("js/build/"):
            content = ContentFile(rjsmin.jsmin(b"".join(content.chunks())))
        return str(super()._save(name, content))


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
    """The state of the files: names, sizes and times."""
    found = []
    for finder in get_finders():
        for name, storage in finder.list([]):
            state = Path(storage.path(name)).stat()
            found.append((name, state.st_size, state.st_mtime_ns))
    return hashlib.sha256(json.dumps(sorted(found)).encode()).hexdigest()
