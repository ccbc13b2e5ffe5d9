"""Prompts as documents: one .md a prompt, loaded and rendered here.

A prompt file opens with a title and a `> Purpose:` line, which are for people; what is under
`## Prompt` is sent. `{{name}}` stands for a text; `{{#name}} ... {{/name}}` is left out where
that text is empty. Texts are put in once and never read again for placeholders, so nothing a
person or a database says can become part of a prompt's structure.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent

_SECTION = re.compile(r"\{\{#(\w+)\}\}\n?(.*?)\{\{/\1\}\}\n?", re.DOTALL)
_NAME = re.compile(r"\{\{(\w+)\}\}")


def names() -> tuple[str, ...]:
    """List the prompts there are."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.md")))


@cache
def source(name: str) -> str:
    """Read what a prompt sends, placeholders still in it."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return text.partition("## Prompt\n")[2].strip()


@cache
def purpose(name: str) -> str:
    """Read the purpose line of a prompt; empty where it has none."""
    found = re.search(r"^> Purpose: (.+)$", (FOLDER / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else ""


@cache
def fields(name: str) -> frozenset[str]:
    """Name the fields of a prompt, which a caller fills with texts."""
    return frozenset(re.findall(r"\{\{[#/]?(\w+)\}\}", source(name)))


def render(name: str, **texts: str) -> str:
    """Put texts into a prompt. Every placeholder must be given, and nothing else.

    Raises: KeyError naming what is missing or not asked for.
    """
    wanted = fields(name)
    if wanted != texts.keys():
        wrong = sorted(wanted ^ texts.keys())
        raise KeyError(f"prompt {name} and what was given differ in: {', '.join(wrong)}")
    template = source(name)
    while (
        cleared := _SECTION.sub(lambda m: m.group(2) if texts[m.group(1)].strip() else "", template)
    ) != template:
        template = cleared
    return _NAME.sub(lambda m: texts[m.group(1)], template).strip()
