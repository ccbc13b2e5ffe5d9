"""Calls that could fill the memory or hold a processor in one step that nothing breaks off.

The length of such a call's result, the widths in a format, and one of two lengths that are multiplied must stand in
the SQL. Lengths from aggregates, CTEs and stored texts are not checked: deadlines and limits of memory bound those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.guard.lists import Lists
from sqlagent.guard.plainer import is_word
from sqlagent.language.saying import number, template, worded
from sqlagent.values import Refusal

MOST_LENGTH = 10_000
"""Longest text, list or blob that a call may be told to make."""

MOST_COMPARED = 1_000
"""Longest text compared letter by letter with every letter of another; a million steps take 10 ms."""

MOST_LISTED = 1_000_000
"""Longest list that range() makes in one cell."""

_FINE = frozenset(("microsecond", "millisecond", "second", "minute"))
_NUMBERED = re.compile(r"\s*[0-9.eE+_]+\s*\Z")
_FINELY = re.compile("(?i)second|minute|[0-9]:[0-9]")
_LEAST = frozenset(("least", "min"))
_CUTS = frozenset(("left", "substr", "substring", "right"))
_WIDE = re.compile(r"\*|[0-9]{5,}|\{[^{}]*\{")

Arguments = list[Sequence[Token]]
Problem = tuple[str, str] | None
"""The problem of a call, with {function} for its name, and what to do."""


def lengths_problem(root: exp.Expr, tokens: Sequence[Token], allowed: Lists) -> Refusal | None:
    """Refuse a call whose result or work is not bounded by what stands in the SQL."""
    checks = _checks(allowed)
    for at, token in enumerate(tokens[:-1]):
        if tokens[at + 1].token_type != TokenType.L_PAREN or not is_word(token):
            continue
        check = checks.get(token.text.lower())
        if check is None or (check is _listed and _is_source(root, token)):
            continue
        arguments = _arguments(tokens, at + 2)
        if at > 1 and tokens[at - 1].token_type == TokenType.DOT:
            owner = tokens[at - 2]
            if owner.text.lower() not in allowed.schemas:
                arguments.insert(0, (owner, owner))  # DuckDB's value.function(...)
        problem = check(arguments, token.text.lower(), allowed)
        if problem is not None:
            what, advice = problem
            return Refusal(worded(what, function=token.text), _WHY, advice, token.start, "length", token.text)
    return None


_WHY = worded("It could fill the memory, or compute for minutes in one step that cannot be stopped.")


def _arguments(tokens: Sequence[Token], at: int) -> Arguments:
    """Part what stands between a call's brackets at its commas."""
    found: Arguments = []
    start, depth = at, 1
    for place in range(at, len(tokens)):
        kind = tokens[place].token_type
        depth += (kind in _OPEN) - (kind in _CLOSE)
        if not depth or (depth == 1 and kind == TokenType.COMMA):
            found.append(tokens[start:place])
            start = place + 1
        if not depth:
            break
    return found


_OPEN = frozenset((TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE))
_CLOSE = frozenset((TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE))


def _checks(allowed: Lists) -> dict[str, Callable[[Arguments, str, Lists], Problem]]:
    return {
        **dict.fromkeys(allowed.bounded, _bounded),
        **dict.fromkeys(allowed.formats, _format),
        **dict.fromkeys(allowed.compared, _compared),
        **dict.fromkeys(allowed.by_name, _by_name),
        **dict.fromkeys(allowed.listed, _listed),
        **dict.fromkeys(allowed.folding, _folding),
        **dict.fromkeys(allowed.paths, _path),
        "replace": _replaced,
    }


def _bounded(arguments: Arguments, name: str, allowed: Lists) -> Problem:
    place = allowed.bounded[name] - 1
    if place < len(arguments) and not _is_small(arguments[place], MOST_LENGTH):
        return (
            template("How long the result of {function} becomes cannot be told from the SQL."),
            worded(
                "Give the length as a number of at most {count}, or as LEAST(length, number).",
                count=number(f"{MOST_LENGTH:,}"),
            ),
        )
    return _nested(arguments, allowed)


def _nested(arguments: Arguments, allowed: Lists) -> Problem:
    """Refuse a call that makes a text longer, within one that does."""
    for argument in arguments:
        for at, token in enumerate(argument[:-1]):
            if argument[at + 1].token_type != TokenType.L_PAREN:
                continue
            name = token.text.lower()
            if name in allowed.bounded or (name == "replace" and _grows(_arguments(argument, at + 2))):
                return template("{function} lengthens what another call has lengthened already."), worded(
                    "Use one of the two calls."
                )
    return None


def _grows(arguments: Arguments) -> bool:
    """Say whether replace(text, old, new) may make a text longer."""
    if len(arguments) != 3:
        return False
    old, new = arguments[1:]
    known = all(len(each) == 1 and each[0].token_type == TokenType.STRING for each in (old, new))
    return not (known and len(new[0].text) <= max(len(old[0].text), 1))


def _replaced(arguments: Arguments, name: str, allowed: Lists) -> Problem:
    return _nested(arguments, allowed) if _grows(arguments) else None


def _by_name(arguments: Arguments, name: str, allowed: Lists) -> Problem:
    """Look at `list_aggregate(list, 'sum')`, where a text names the function that is called."""
    named = arguments[1] if len(arguments) > 1 else ()
    called = named[0].text.lower() if len(named) == 1 and named[0].token_type == TokenType.STRING else ""
    if called not in allowed.functions or called in _checks(allowed):
        return template("{function} is not given the name of a listed aggregate."), worded(
            "Name a plain aggregate, as 'sum'."
        )
    return None


def _listed(arguments: Arguments, name: str, allowed: Lists) -> Problem:
    """Look at `range(...)` where it makes one list of all its numbers."""
    for token in (token for argument in arguments for token in argument):
        is_much = token.token_type == TokenType.NUMBER and not (
            token.text.isdigit() and int(token.text) <= MOST_LISTED
        )
        is_much |= token.token_type == TokenType.STRING and _NUMBERED.match(token.text) is not None
        if is_much or token.text.lower().rstrip("s") in _FINE or _FINELY.search(token.text):
            return (
                template("{function} makes a list that may be too long."),
                worded("Put it into FROM, where its rows come one by one, or ask for less."),
            )
    return None


def _folding(arguments: Arguments, name: str, allowed: Lists) -> Problem:
    """Look at `list_reduce(list, lambda a, b: a || a)`, whose every step may double a text."""
    for token in (token for argument in arguments[1:] for token in argument):
        if token.token_type == TokenType.DPIPE or token.text.lower() in _JOINS:
            return template("{function} may double a text at every step."), worded(
                "Join the list with array_to_string(list, '')."
            )
    return None


def _path(arguments: Arguments, name: str, allowed: Lists) -> Problem:
    """Look at `json_set(text, path, value)`, whose path of 100,000 steps ends the process."""
    if any(len(path) > 1 for path in arguments[1::2]):
        return template("The path of {function} is computed."), worded(
            "Write the path as a text, or take it from a column."
        )
    return None


_JOINS = frozenset(
    ("concat", "concat_ws", "list_concat", "list_cat", "array_cat", "array_concat", "repeat", "list_append")
)


def _is_source(root: exp.Expr, token: Token) -> bool:
    """Say whether a call stands in FROM, where it gives rows."""
    return any(
        isinstance(table.this, exp.Func) and table.this.meta.get("start") == token.start
        for table in root.find_all(exp.Table)
    )


def _is_small(argument: Sequence[Token], most: int) -> bool:
    """Say whether an argument is a small number, or the least of something and one."""
    if len(argument) == 1 or (len(argument) == 2 and argument[0].token_type == TokenType.DASH):
        last = argument[-1]
        return last.token_type == TokenType.NUMBER and last.text.isdigit() and int(last.text) <= most
    if (
        len(argument) > 3
        and argument[0].text.lower() in _LEAST
        and argument[1].token_type == TokenType.L_PAREN
    ):
        inner = _arguments(argument, 2)
        closed = sum(map(len, inner)) + len(inner) - 1 + 3 == len(argument)
        return closed and len(inner) > 1 and any(len(each) == 1 and _is_small(each, most) for each in inner)
    return False


def _format(arguments: Arguments, name: str, allowed: Lists) -> Problem:
    first = arguments[0] if arguments else []
    if len(first) == 1 and first[0].token_type == TokenType.STRING and not _WIDE.search(first[0].text):
        return None
    return (
        template("The format of {function} is not a plain text, or asks for too wide a field."),
        worded("Write the format in the SQL, with widths of at most four digits and no *."),
    )


def _compared(arguments: Arguments, name: str, allowed: Lists) -> Problem:
    few = arguments[:2]
    short = [each for each in few if len(each) == 1 and each[0].token_type == TokenType.STRING]
    if any(len(each[0].text) <= MOST_COMPARED for each in short) or all(map(_is_cut, few)):
        return None
    return (
        template("How long the texts are that {function} compares cannot be told from the SQL."),
        worded(
            "Compare with a text in the SQL, or cut both: left(text, {count}).", count=f"{MOST_COMPARED:,}"
        ),
    )


def _is_cut(argument: Sequence[Token]) -> bool:
    """Say whether an argument is a text cut to a length in the SQL."""
    if len(argument) < 5 or argument[0].text.lower() not in _CUTS:
        return False
    inner = _arguments(argument, 2)
    closed = sum(map(len, inner)) + len(inner) - 1 + 3 == len(argument)
    return closed and len(inner) > 1 and _is_small(inner[-1], MOST_COMPARED)
