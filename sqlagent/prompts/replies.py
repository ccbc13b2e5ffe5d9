"""Replies of a language model: the SQL, the JSON or the refusal in one, however it is wrapped.

Decides only where in a text the meant part stands. Models fence, chat, think aloud, break off and
repeat themselves; every reader here is patient and none of them raises. Callers decide the worth
of the parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import sqlglot
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.sql.literals import ODD

TRIES = 80
"""Pieces of plain text that are tried as SQL: a reply of 100 kB must not hold up a worker."""

OBJECTS = 200
"""Braces, from the last one back, that are tried as the beginning of a JSON object."""

TRIED_CHARS = 8_000
"""The longest piece that is tried; longer statements stand in blocks."""

_THOUGHT_TAG = re.compile(
    r"(?:<(?=/?\w+>)|\[(?=/?\w+\])|◁(?=/?\w+▷))(/?)(?:think|thinking|reasoning|thought)[>\]▷]", re.IGNORECASE
)
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>(.*?)(?=<\|(?:end|start|channel|return)\|>|\Z)", re.DOTALL
)
_BLOCK = re.compile(r"(```+|~~~+)[ \t]*([\w+-]*)[^\S\n]*\n?(.*?)(?:\1|\Z)", re.DOTALL)
_TAGGED = re.compile(r"<(sql|answer|final|final_sql)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_BEGINS = re.compile(r"(?>\s|--[^\n]*\n|/\*.*?\*/|\()*+(?:select|with)\b", re.IGNORECASE | re.DOTALL)
_LINE_BEGINS = re.compile(r"^[ \t>*-]*`?\(*(?=(?:select|with)\b)", re.IGNORECASE | re.MULTILINE)
_INLINE = re.compile(r"(?::\s*[*`\"]*\s*|`)(?=(?:select|with)\s)", re.IGNORECASE)
_LETTERS = re.compile(r"(?<![A-Za-z])([A-Z])(?![A-Za-z'])")
_LOOK = re.compile(r"^[ \t>*`-]*LOOK\b[*`]*:[*`]*", re.MULTILINE)
_DECLINED = re.compile(r"^[^\w\n]*UNANSWERABLE\b\W*(.*)", re.MULTILINE | re.DOTALL)


def without_thoughts(text: str) -> str:
    """Drop what a model thought aloud; a thought that never ended is all there is, and stays out.

    Example:
        >>> without_thoughts("<think>SELECT 2?</think>SELECT 1")
        'SELECT 1'
        >>> without_thoughts("<|channel|>analysis<|message|>two?<|end|><|start|>assistant<|channel|>final<|message|>SELECT 1")
        'SELECT 1'
    """
    channels = _CHANNEL.findall(text)  # gpt-oss writes so where its server does not take it apart
    if channels:
        return "".join(said for channel, said in channels if channel.lower() == "final")
    kept: list[str] = []
    at, is_open = 0, False
    for tag in _THOUGHT_TAG.finditer(text):
        if not tag[1]:
            kept += [] if is_open else [text[at : tag.start()]]
            is_open = True
        else:
            if not is_open:
                kept = []  # a thought whose beginning was left out
            at, is_open = tag.end(), False
    return "".join(kept if is_open else [*kept, text[at:]])


def sql_in(reply: str) -> str:
    """Find the statement a reply ends with; empty when there is none.

    Patient with fenced, tagged, chatty, quoted, several, partial and empty replies and with
    JSON. Of several blocks the last that reads as SQL counts, a whole one before a cut one.
    The closing semicolon is dropped; whether the SQL is any good is not asked here.

    Example:
        >>> sql_in("Sure! Here it is:\\n```sql\\nSELECT 1;\\n```\\nHope it helps.")
        'SELECT 1'
        >>> sql_in("I am not certain what you mean.")
        ''
    """
    text = without_thoughts(reply).replace("\r\n", "\n").strip()
    if text.startswith("{") and (value := _json_sql(text)):
        text = value
    blocks = [m for m in _BLOCK.finditer(text) if m.group(2).lower() not in ("json", "text", "python")]
    blocks_text = [m.group(3) for m in blocks if m.group(0).endswith(m.group(1))]
    cut = [m.group(3) for m in blocks if not m.group(0).endswith(m.group(1))]
    tagged = [m.group(2) for m in _TAGGED.finditer(text)]
    jsons = [_json_sql(m.group(3)) for m in _BLOCK.finditer(text) if m.group(3).lstrip().startswith("{")]
    for found in (blocks_text, tagged, jsons, cut):
        statements = [piece for piece in found if _BEGINS.match(piece)]
        if statements:
            return _last_statement(statements[-1])
    if any(m.group(2).lower().endswith("sql") for m in blocks):
        return ""
    return _bare(text)


def declined_in(reply: str) -> str:
    """Read what a reply says is missing when it calls the question unanswerable; else empty."""
    found = _DECLINED.search(without_thoughts(reply))
    if not found:
        return ""
    return " ".join(found.group(1).split())[:300] or "the facts asked for"


def look_in(reply: str) -> str:
    """Find the statement by which a reply asks to look at the data; empty where it writes SQL or declines instead.

    Example:
        >>> look_in("Let me see.\\nLOOK: `SELECT DISTINCT city FROM shop`;")
        'SELECT DISTINCT city FROM shop'
        >>> look_in("LOOK: SELECT 1\\n```sql\\nSELECT name FROM shop\\n```")
        ''
    """
    text = without_thoughts(reply)
    found = _LOOK.search(text)
    if not found:
        return ""
    if any(_BEGINS.match(m.group(3)) for m in _BLOCK.finditer(text[: found.start()])):
        return ""
    rest = text[found.end() :].strip()
    blocks = [m.group(3).strip() for m in _BLOCK.finditer(rest) if _BEGINS.match(m.group(3))]
    plain = re.split(r"\n\s*\n|```", rest)[0].strip(" `*;\n")
    if _BEGINS.match(plain):
        return "" if blocks else _last_statement(plain)
    return _last_statement(blocks[0]) if len(blocks) == 1 else ""


def _json_sql(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    return next(
        (v for k, v in value.items() if k.lower() in ("sql", "query", "answer") and isinstance(v, str)), ""
    )


def _bare(text: str) -> str:
    """Find SQL that stands in plain text: from the last line that begins like it, to its end."""
    starts = [m.end() for m in _LINE_BEGINS.finditer(text)]
    inline = [m.end() for m in _INLINE.finditer(text)]
    tries = iter(range(TRIES))
    for at in [*_heads(text, starts), *reversed(inline)]:
        body = _until_prose(text[at : at + TRIED_CHARS], tries)
        if body:
            return _last_statement(body)
        if next(tries, None) is None:
            break
    return ""


def _heads(text: str, starts: Sequence[int]) -> Sequence[int]:
    """Order line starts: the last statement first, but a WITH before the SELECTs inside it."""
    heads: list[int] = []
    for at in starts:
        inside = heads and ";" not in text[heads[-1] : at] and "\n\n" not in text[heads[-1] : at]
        if not inside:
            heads.append(at)
    taken = set(heads)
    rest = [at for at in starts if at not in taken]
    return [*reversed(heads), *reversed(rest)]


def _until_prose(text: str, tries: Iterator[int]) -> str:
    """Cut plain text where SQL ends: at a semicolon or quote mark, else where it stops parsing; empty where none reads.

    Each piece that is tried takes one of `tries`, which all pieces of a reply share.
    """
    text = text.strip().strip("`")
    for token in _tokens(text):
        if token.token_type == TokenType.SEMICOLON:
            text = text[: token.start]
            return text if _reads(text) else ""
    lines = text.split("\n")
    for end in range(len(lines), 0, -1):
        head = "\n".join(lines[:end]).strip().strip("`")
        if next(tries, None) is None:
            return ""
        if _reads(head):
            return head
    quoted = text.split("`")[0]
    return quoted if _reads(quoted) else ""


def _reads(text: str) -> bool:
    if not _BEGINS.match(text) or " from " not in f" {' '.join(text.lower().split())} " and len(text) > 200:
        return False
    try:
        return sqlglot.parse_one(text) is not None
    except ODD:
        return False


def _tokens(text: str) -> list[Token]:
    try:
        return sqlglot.tokenize(text)
    except ODD:
        return []


def _last_statement(text: str) -> str:
    """Keep the last of several statements, when all of them only read; drop the semicolon."""
    text = text.strip()
    cuts = [token.start for token in _tokens(text) if token.token_type == TokenType.SEMICOLON]
    pieces = [text[a:b].strip() for a, b in zip([0, *(c + 1 for c in cuts)], [*cuts, len(text)], strict=True)]
    pieces = [piece for piece in pieces if piece and not re.fullmatch(r"(?:--[^\n]*\s*)+", piece)]
    if len(pieces) > 1 and all(_BEGINS.match(piece) for piece in pieces):
        return pieces[-1]
    if len(pieces) == 1:
        return pieces[0]
    return text.rstrip("; \n\t")


# ---------------------------------------------------------------- judgements


def json_in(reply: str) -> dict[str, Any]:
    """Find the JSON object a reply ends with, fenced or not; empty when there is none.

    Example:
        >>> json_in('A is wider, so:\\n```json\\n{"order": ["B", "A"]}\\n```')
        {'order': ['B', 'A']}
        >>> json_in("B > A")
        {}
    """
    text = without_thoughts(reply)
    decoder = json.JSONDecoder(strict=False)
    found: dict[str, Any] = {}
    starts = [brace.start() for brace in re.finditer("{", text)]
    at = starts[-OBJECTS:][0] if starts else -1
    while at >= 0:
        end = at + 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and value:
            found = value
        at = text.find("{", end)
    return found or _pairs_in(text)


_PAIR = re.compile(
    r'"(\w{1,40})"\s*:\s*("(?:[^"\\]|\\.){0,2000}"|\[[^\[\]{}]{0,2000}\]|\{[^{}]{0,2000}\}|-?\d+(?:\.\d+)?)'
)


def _pairs_in(text: str) -> dict[str, Any]:
    """Read the names and values of an object that was cut off, or broken by a quote inside a text; the last one of a name counts.

    Example:
        >>> json_in('{"why": "the "paid" ones", "order": ["B", "A"], "re')
        {'why': 'the ', 'order': ['B', 'A']}
    """
    found: dict[str, Any] = {}
    begin = text.find("{")
    for name, value in _PAIR.findall(text[begin:]) if begin >= 0 else ():
        try:
            found[name] = json.loads(value, strict=False)
        except ValueError:
            continue
    return found


def letters_in(reply: str, count: int) -> tuple[int, ...]:
    """Read an order of lettered candidates (0 for A) from JSON or bare text; each letter once.

    Bare text counts only where one line holds nothing but letters and signs ("B > A = C"),
    since a chatty line can name letters in any order. Nothing found gives an empty order.

    Example:
        >>> letters_in('{"order": ["C", "A", "B"]}', 3), letters_in("The order: B > A > C", 3)
        ((2, 0, 1), (1, 0, 2))
        >>> letters_in("A is better than what B does", 2)
        ()
    """
    value = json_in(reply)
    listed = next((v for k, v in value.items() if k.lower() in ("order", "ranking", "ranked", "best")), None)
    if isinstance(listed, str):
        return _letters(listed, count)
    if isinstance(listed, list):
        return _letters(" ".join(str(item) for item in listed), count)
    lines = [line.strip(" *`.") for line in without_thoughts(reply).splitlines()]
    for line in reversed(lines):
        order = line.rpartition(":")[2].strip(" *`.")
        if count > 1 and re.fullmatch(rf"[A-Z]{{{count}}}", order):
            order = " ".join(order)
        if re.fullmatch(r"[\s\[\]\"'(]*[A-Z](?:[\s\[\]\"'>=,;()]|->|then|and|[A-Z](?![a-z]))*", order):
            found = _letters(order, count)
            if len(found) > 1 or count == 1 or len(order.strip()) == 1:
                return found
    return ()


def _letters(text: str, count: int) -> tuple[int, ...]:
    found = [ord(letter) - ord("A") for letter in _LETTERS.findall(text)]
    return tuple(dict.fromkeys(i for i in found if i < count))
