"""Third-party files are the released ones, and pages load nothing from other hosts."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

FRONTEND = Path(__file__).resolve().parent.parent.parent / "frontend"
VENDOR = FRONTEND / "static" / "vendor"
LISTED = dict(re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", (VENDOR / "VENDORED.md").read_text(), re.M))


def test_every_vendored_file_is_listed():
    released = {path for kind in ("*.js", "*.css", "*.woff2", "*.json") for path in VENDOR.rglob(kind)}
    assert {path.relative_to(VENDOR).as_posix() for path in released} == set(LISTED)


@pytest.mark.parametrize("name", sorted(LISTED))
def test_a_vendored_file_is_as_released(name: str):
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == LISTED[name]


def test_the_lock_file_pins_bytes_and_names_no_address():
    packages = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert all("integrity" in package for name, package in packages.items() if name)


def test_templates_hold_no_inline_script_and_load_nothing_from_elsewhere():
    for path in (FRONTEND / "templates").rglob("*.html"):
        text = path.read_text()
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)", text), path
        assert not re.search(r"\son\w+=|hx-on", text), path
        assert not re.search(r"(?:src|href)=[\"'](?:https?:)?//", text), path


def test_our_own_modules_fetch_only_from_this_server():
    for path in (FRONTEND / "static" / "js").glob("*.js"):
        assert not re.search(r"https?://", path.read_text()), path
