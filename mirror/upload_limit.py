"""Refuse an upload that is larger than allowed before any of it is kept."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

MEGABYTE = 1_000_000
# Bytes that a form adds around its files.
SLACK = 1_000_000


class SizeLimit(FileUploadHandler):
    """Stops reading files at `UPLOAD_MEGABYTES`; the request then says so in `is_too_large`.

    Goes before the handlers that keep files, and hands on what it lets through.
    """

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *_: Any, **__: Any) -> None:
        """Look at the length that was announced."""
        self._limit = settings.UPLOAD_MEGABYTES * MEGABYTE
        self._read = 0
        self._is_over = content_length > self._limit + SLACK

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Take no file of a request that is too long."""
        super().new_file(*args, **kwargs)
        if self._is_over:
            self._stop()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Count what comes."""
        self._read += len(raw_data)
        if self._read > self._limit:
            self._stop()
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the handlers behind."""

    def _stop(self) -> None:
        setattr(self.request, "is_too_large", True)  # noqa: B010 - `TooLarge` reads it; Django has no place for it
        raise StopUpload(connection_reset=False)
