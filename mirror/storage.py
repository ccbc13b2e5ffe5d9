"""Files in a bucket of any S3-compatible store, where `S3_BUCKET` is set; otherwise this is not imported.

Decides how faults of such a store are said: in plain words, without an address's query, a key or
a signature. The subjects decide which files they store.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError
from storages.backends.s3 import S3Storage

# A store that does not answer is given up after some 15 s: three times these, and pauses between.
CONNECT_SECONDS, READ_SECONDS, ATTEMPTS = 4, 30, 3
# Files are held in memory up to this size while they are read.
MEMORY_BYTES = 8_000_000

_REFUSED = {
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "InvalidToken",
    "403",
}


class StorageAway(OSError):
    """The store of files cannot be used now; the message is fit to be shown."""


class BucketStorage(S3Storage):  # type: ignore[misc]
    """One bucket. Raises StorageAway, or FileNotFoundError for a file that is not there."""

    def __init__(self, **options: Any) -> None:
        options.setdefault(
            "client_config",
            Config(
                s3={"addressing_style": options.get("addressing_style", "auto")},
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
                # stores other than Amazon's know no checksums in trailers
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )
        options.setdefault("max_memory_size", MEMORY_BYTES)
        super().__init__(**options)

    def fetch(self, name: str, path: Path) -> None:
        """Copy a file to this machine, in parts side by side when it is large."""
        with self._said():
            self.bucket.Object(self._normalize_name(name)).download_file(str(path))

    def _open(self, name: str, mode: str = "rb") -> Any:
        with self._said():
            opened = super()._open(name, mode)
            if "r" in mode:
                # Fetched now: a store that goes away is met here, not while somebody reads.
                opened.file.seek(0)
            return opened

    def _save(self, name: str, content: Any) -> str:
        with self._said():
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        """Delete a file; one that is not there is as good as deleted."""
        with self._said():
            super().delete(name)

    def exists(self, name: str) -> bool:
        """Say whether there is a file of this name."""
        with self._said():
            return bool(super().exists(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """List the folders and files in a folder; none when there is none."""
        with self._said():
            folders, found = super().listdir(path)
            return list(folders), list(found)

    def size(self, name: str) -> int:
        """Tell how many bytes a file has."""
        with self._said():
            return int(super().size(name))

    @contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            raise self._client_fault(error) from None
        except Boto3Error as error:
            if isinstance(cause := error.__context__, ClientError):
                raise self._client_fault(cause) from None
            raise StorageAway(self._silent()) from None
        except (NoCredentialsError, PartialCredentialsError):
            raise StorageAway(
                "There are no keys for the file storage: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY."
            ) from None
        except (BotoCoreError, ValueError):
            raise StorageAway(self._silent()) from None

    def _silent(self) -> str:
        return f"The file storage ({self._where()}) does not answer."

    def _where(self) -> str:
        return f"bucket {self.bucket_name}" + (f" at {self.endpoint_url}" if self.endpoint_url else "")

    def _client_fault(self, error: ClientError) -> OSError:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code == "NoSuchBucket":
            return StorageAway(f"The file storage ({self._where()}) has no such bucket.")
        if code in ("404", "NoSuchKey"):
            return FileNotFoundError("The file is not in the file storage.")
        if code in _REFUSED:
            return StorageAway(f"The file storage ({self._where()}) refuses the keys it was given.")
        return StorageAway(
            f"The file storage ({self._where()}) could not do it ({code or 'no reason given'})."
        )
