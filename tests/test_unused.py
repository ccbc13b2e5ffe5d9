"""Nothing stands unused: vulture reads mirror and sqlagent; uses that it cannot see are in `unused.txt`, with the reason.

A name that only tests use is unused. Names in templates, in the paths of settings and in lookups of queries count as uses.
"""

from __future__ import annotations

import ast
import fnmatch
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parents[1]
# Called by Celery, by signals and by the API.
DECORATORS = ["@shared_task", "@signals.*", "@receiver*", "@router.*", "@api.*", "@field_validator"]
# Read by Django and Celery, not by us.
SKIPPED = {"mirror/settings.py", "mirror/wiring.py"}


def allowed() -> dict[str, str]:
    """Pattern of a name to the reason why it may stand."""
    found, why = {}, ""
    for line in (ROOT / "tests/unused.txt").read_text().splitlines():
        if line.startswith("# "):
            why = line[2:]
        else:
            found |= dict.fromkeys(line.split(), why)
    return found


def templates() -> set[str]:
    """Every word in a tag or a variable of a template."""
    files = (path for path in (ROOT / "frontend/templates").rglob("*") if path.is_file())
    return {
        word
        for path in files
        for tag in re.findall(r"{[{%].*?[%}]}", path.read_text())
        for word in re.findall(r"\w+", tag)
    }


def named() -> Iterator[str]:
    """Names in dotted paths (`"mirror.logs.WithoutTokens"`) and in lookups (`queued_at__lt=`)."""
    for path in (*(ROOT / "mirror").rglob("*.py"), *(ROOT / "sqlagent").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if re.fullmatch(r"(?:mirror|sqlagent)([.:]\w+)+", node.value):
                    yield re.split("[.:]", node.value)[-1]
            elif isinstance(node, ast.keyword) and node.arg and "__" in node.arg:
                yield from node.arg.split("__")


@cache
def found() -> tuple[tuple[str, str], ...]:
    """The name and place of everything that nothing uses."""
    vulture = Vulture(ignore_decorators=DECORATORS)
    vulture.scavenge(
        [str(ROOT / "mirror"), str(ROOT / "sqlagent"), str(ROOT / "script")], exclude=["*/migrations/*"]
    )
    used = templates() | set(named())
    places = ((item.name, item) for item in vulture.get_unused_code(min_confidence=60))
    return tuple(
        (name, f"{item.filename.relative_to(ROOT)}:{item.first_lineno} {item.message}")
        for name, item in places
        if name not in used and str(item.filename.relative_to(ROOT)) not in SKIPPED
    )


def test_nothing_stands_unused():
    known = allowed()
    dead = [place for name, place in found() if not any(fnmatch.fnmatchcase(name, one) for one in known)]
    assert not dead, "\n".join(dead)


def test_every_exception_is_still_needed():
    names = {name for name, _ in found()}
    gone = [one for one in allowed() if not any(fnmatch.fnmatchcase(name, one) for name in names)]
    assert not gone
    assert all(allowed().values()), "each has its reason"


# Subjects whose fragments a subject's pages show besides its own.
SHOWS_TOO = {"workbench": ("asking",)}


def test_every_field_of_a_page_is_shown():
    """A field of a page that no template names and no view or page reads is dead weight."""
    dead = []
    for folder in sorted(path for path in (ROOT / "mirror").iterdir() if path.is_dir()):
        pages = [p for p in folder.rglob("*.py") if p.stem.endswith("pages") or p.parent.name == "pages"]
        shown = _words("parts", "results", "exports", folder.name, *SHOWS_TOO.get(folder.name, ()))
        for path in pages:
            shown |= {n.attr for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Attribute)}
        views = [p for p in folder.rglob("*.py") if p.stem.endswith("views") or p.parent.name == "views"]
        for path in views:
            shown |= {n.attr for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Attribute)}
        for path in pages:
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    fields = [line.target for line in node.body if isinstance(line, ast.AnnAssign)]
                    dead += [
                        f"{path.relative_to(ROOT)} {node.name}.{field.id}"
                        for field in fields
                        if isinstance(field, ast.Name) and field.id not in shown
                    ]
    assert not dead, "\n".join(dead)


def _words(*folders: str) -> set[str]:
    files = [path for name in folders for path in (ROOT / "frontend/templates" / name).glob("*")]
    tags = [tag for path in files for tag in re.findall(r"{[{%].*?[%}]}", path.read_text())]
    return {word for tag in tags for word in re.findall(r"\w+", tag)}
