"""What a restore does with files that somebody else laid, and with backups that somebody else wrote."""

from __future__ import annotations

import os
import stat

from mirror.keys import NAMES
from mirror.upkeep.backup import restoring

KEYS = dict.fromkeys(NAMES, "x")


def test_keys_go_into_no_file_that_somebody_laid_out_before(tmp_path):
    to, laid = tmp_path / "keys.env", tmp_path / f".keys.env.{os.getpid()}"
    laid.touch()
    laid.chmod(0o666)
    restoring._keys_write(to, KEYS)
    assert stat.S_IMODE(to.stat().st_mode) == 0o600


def test_keys_are_not_written_through_a_link(tmp_path):
    to, laid, other = (tmp_path / name for name in ("keys.env", f".keys.env.{os.getpid()}", "other"))
    other.write_text("precious")
    laid.symlink_to(other)
    restoring._keys_write(to, KEYS)
    assert other.read_text() == "precious"
    assert to.is_file() and not to.is_symlink()
    assert sorted(tmp_path.iterdir()) == sorted([to, laid, other])
