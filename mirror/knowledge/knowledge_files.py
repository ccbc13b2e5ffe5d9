"""A team's knowledge of a source as a YAML file that a repository can keep, and such a file read with care.

Example:
    >>> read_file("mirror: knowledge\\nversion: 1\\nterms:\\n- {phrase: vip, kind: filter, sql: 'a > 1'}\\n").terms[0]["phrase"]
    'vip'
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from mirror.knowledge.dbt_files import dbt_entries, dbt_is
from mirror.knowledge.foreign_entries import Foreign
from mirror.knowledge.models import StoredAnswer, StoredTerm
from mirror.knowledge.ossie_files import ossie_entries
from mirror.knowledge.snowflake_files import snowflake_entries, snowflake_is

VERSION = 1
MOST_BYTES = 5_000_000
MOST_JSON_BYTES = 40_000_000
"""JSON is read a hundred times as fast as YAML, and the manifest of a dbt project is large."""

MOST_ENTRIES = 10_000
TERM_FIELDS = ("phrase", "kind", "sql", "synonyms", "unit", "description", "status")
ANSWER_FIELDS = ("question", "sql")


class FileRefused(ValueError):
    """A file that cannot be taken at all; the message is fit to be shown."""


@dataclass(frozen=True, slots=True)
class KnowledgeFile:
    """The content of a file, as it is written; `strange` names parts that are not taken over, each with the reason."""

    terms: tuple[Mapping[str, Any], ...] = ()
    verified: tuple[Mapping[str, Any], ...] = ()
    strange: tuple[tuple[str, str], ...] = ()


class _Loader(yaml.SafeLoader):
    """YAML of plain values: no aliases, by which a small file becomes a large one."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise FileRefused("The file uses aliases (*), which are not read.")
        return super().compose_node(parent, index)


class _Dumper(yaml.SafeDumper):
    """YAML for people: texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def read_file(text: str, engine: str = "") -> KnowledgeFile:
    """Read a file of ours, or one of Apache Ossie, dbt or Snowflake for a source of this engine.

    Raises: FileRefused for one that is neither, of another version, or too large.
    """
    is_json = text.lstrip()[:1] == "{"
    most = MOST_JSON_BYTES if is_json else MOST_BYTES
    if len(text.encode()) > most:
        raise FileRefused(f"The file has more than {most:,} bytes.")
    try:
        found = _json(text) if is_json else None
        if found is None:
            found = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, FileRefused):
            raise
        raise FileRefused(f"The file is no YAML: {' '.join(str(error).split())[:200]}") from None
    if (foreign := _foreign(found, engine)) is not None:
        return KnowledgeFile(
            tuple(foreign.terms[:MOST_ENTRIES]),
            tuple(foreign.verified[:MOST_ENTRIES]),
            tuple(foreign.left[:MOST_ENTRIES]),
        )
    if not isinstance(found, dict) or found.get("mirror") != "knowledge":
        raise FileRefused("The file does not begin with “mirror: knowledge”.")
    if found.get("version") != VERSION:
        raise FileRefused(f"The file is of version {found.get('version')!r}; this Mirror reads {VERSION}.")
    known = {"mirror", "version", "source", "terms", "verified"}
    strange = [
        (str(key)[:80], "Mirror does not know this part of a file.") for key in found if key not in known
    ]
    return KnowledgeFile(_entries(found, "terms"), _entries(found, "verified"), tuple(strange))


def _json(text: str) -> Any:
    """A JSON file; None where it is none, but perhaps YAML. Raises: FileRefused where that would take minutes."""
    try:
        return json.loads(text)
    except ValueError as error:
        if len(text) > MOST_BYTES:
            raise FileRefused(f"The file is no JSON: {error}") from None
        return None


def _foreign(found: Any, engine: str) -> Foreign | None:
    """The content of a file of another product; None where it is of none that is read."""
    if isinstance(found, dict) and isinstance(found.get("semantic_model"), list):
        return ossie_entries(found["semantic_model"], engine)
    if dbt_is(found):
        return dbt_entries(found, engine)
    return snowflake_entries(found, engine) if snowflake_is(found) else None


def _entries(found: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], ...]:
    entries = found.get(name) or []
    if not isinstance(entries, list):
        raise FileRefused(f"“{name}” is no list.")
    if len(entries) > MOST_ENTRIES:
        raise FileRefused(f"“{name}” holds {len(entries):,} entries; at most {MOST_ENTRIES:,} are read.")
    return tuple(one if isinstance(one, dict) else {} for one in entries)


def written(source: str, terms: Sequence[StoredTerm], answers: Sequence[StoredAnswer]) -> str:
    """Write terms and verified answers; the same rows give the same bytes. Authors and times are left out."""
    plain = {
        "mirror": "knowledge",
        "version": VERSION,
        "source": source,
        "terms": [term_plain(one) for one in terms],
        "verified": [{"question": one.question, "sql": one.sql} for one in answers],
    }
    return dumped(plain)


def dumped(plain: Mapping[str, Any]) -> str:
    """Plain values as YAML for people."""
    return str(yaml.dump(dict(plain), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120))


def term_plain(term: StoredTerm) -> dict[str, Any]:
    """A term as a file has it, without empty fields."""
    plain: dict[str, Any] = {"phrase": term.phrase, "kind": term.kind, "sql": term.body}
    more = {"synonyms": list(term.synonyms), "unit": term.unit, "description": term.description}
    plain |= {name: value for name, value in more.items() if value}
    return plain if term.status == StoredTerm.Status.FORCE else plain | {"status": term.status}
