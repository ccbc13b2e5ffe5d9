"""A statement as text whose clauses have places, so that a change touches its own clause and leaves the layout of all others.

Only one outermost SELECT is read; the statements of a WITH before it stay as they are. After each change the text is parsed
again, and every clause that was not to change is compared with its former tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.sql.literals import ODD

_CLAUSES = {
    TokenType.FROM: "from_",
    TokenType.WHERE: "where",
    TokenType.GROUP_BY: "group",
    TokenType.HAVING: "having",
    TokenType.ORDER_BY: "order",
    TokenType.LIMIT: "limit",
    TokenType.OFFSET: "offset",
}
_SETS = (TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT)
_OPEN = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE)
_SHUT = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE)
_OTHERS = tuple(
    getattr(TokenType, name)
    for name in ("QUALIFY", "WINDOW", "FETCH", "FOR", "CLUSTER_BY", "DISTRIBUTE_BY", "SORT_BY", "SETTINGS")
)
"""Further clauses behind which a known one ends."""

ORDER = ("expressions", "from_", "where", "group", "having", "order", "limit", "offset")
"""The clauses that are read, in the order in which they stand."""

_WORDS = {"where": "WHERE", "group": "GROUP BY", "having": "HAVING", "order": "ORDER BY", "limit": "LIMIT"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a clause stands: its word begins at `start`, what follows the word goes from `begin` to `end`."""

    start: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Layout:
    """One SELECT as text, tree, tokens and the places of its clauses."""

    text: str
    dialect: str
    tree: exp.Select
    tokens: Sequence[Token]
    places: dict[str, Place]

    def body(self, clause: str) -> str:
        """The text of a clause behind its word; empty where there is none."""
        place = self.places.get(clause)
        return self.text[place.begin : place.end] if place is not None else ""

    def items(self, clause: str) -> list[tuple[int, int]]:
        """The places of what commas part in a clause."""
        place = self.places.get(clause)
        if place is None:
            return []
        inside = [one for one in self.tokens if place.begin <= one.start < place.end]
        if clause == "expressions" and inside and inside[0].token_type in (TokenType.DISTINCT, TokenType.ALL):
            inside = inside[1:]
        found: list[tuple[int, int]] = []
        depth, first = 0, True
        for one in inside:
            if one.token_type is TokenType.COMMA and not depth:
                first = True
                continue
            depth += (one.token_type in _OPEN) - (one.token_type in _SHUT)
            if first:
                found.append((one.start, one.end + 1))
                first = False
            else:
                found[-1] = (found[-1][0], one.end + 1)
        return found

    def item(self, clause: str, number: int) -> str:
        """The text of one item of a clause."""
        start, end = self.items(clause)[number]
        return self.text[start:end]

    def conditions(self, clause: str) -> list[tuple[int, int, exp.Expr]]:
        """The places and trees of the conditions that AND joins in a clause; none where a place is not sure."""
        place = self.places.get(clause)
        if place is None:
            return []
        trees = [*_joined_by_and(self.tree.args[clause].this)]
        found: list[tuple[int, int]] = []
        depth, between, first = 0, False, True
        for one in self.tokens:
            if not place.begin <= one.start < place.end:
                continue
            depth += (one.token_type in _OPEN) - (one.token_type in _SHUT)
            depth += (one.token_type is TokenType.CASE) - (one.token_type is TokenType.END)
            if not depth and one.token_type is TokenType.BETWEEN:
                between = True
            if not depth and one.token_type is TokenType.AND and not between:
                first = True
                continue
            if not depth and one.token_type is TokenType.AND:
                between = False
            found = (
                [*found, (one.start, one.end + 1)] if first else [*found[:-1], (found[-1][0], one.end + 1)]
            )
            first = False
        if len(found) != len(trees):
            return []
        return [(start, end, tree) for (start, end), tree in zip(found, trees, strict=True)]

    def without_conditions(self, clause: str, gone: Collection[int]) -> Layout | None:
        """The statement without some conditions of a clause, and without the clause where none is left."""
        parts = self.conditions(clause)
        kept = [number for number in range(len(parts)) if number not in gone]
        if not kept:
            return self.with_clause(clause, "")
        edits = [(parts[one][0], parts[one + 1][0], "") for one in gone if one < kept[-1]]
        if kept[-1] + 1 < len(parts):
            edits.append((parts[kept[-1]][1], parts[-1][1], ""))
        return self.changed(edits, {clause})

    def with_clause(self, clause: str, body: str) -> Layout | None:
        """The statement with another text behind a clause's word, or with that clause; without it where the text is empty."""
        place = self.places.get(clause)
        if place is not None and body:
            return self.changed([(place.begin, place.end, f" {body}")], {clause})
        if place is not None:
            start = len(self.text[: place.start].rstrip())
            return self.changed([(start, place.end, "")], {clause})
        if not body:
            return self
        before = [self.places[one] for one in ORDER[: ORDER.index(clause)] if one in self.places]
        at = before[-1].end
        return self.changed([(at, at, f"{self.line_break()}{self._worded(clause)} {body}")], {clause})

    def with_condition(self, clause: str, condition: str) -> Layout | None:
        """The statement with one more condition, which holds besides those that are there."""
        place = self.places.get(clause)
        if place is None:
            return self.with_clause(clause, condition)
        also = self.cased("AND")
        body = self.body(clause).strip()
        if isinstance(self.tree.args[clause].this, exp.Or):
            return self.with_clause(clause, f"({body}) {also} {condition}")
        space = f"{self.line_break()}  " if "\n" in self.text else " "
        return self.changed([(place.end, place.end, f"{space}{also} {condition}")], {clause})

    def with_item(
        self, clause: str, item: str, at: int | None = None, *, touched: Collection[str] = ()
    ) -> Layout | None:
        """The statement with one more item in a clause: before the one with number `at`, else as the last one."""
        items = self.items(clause)
        if not items:
            return self.with_clause(clause, item)
        if at is not None and at < len(items):
            place, text = items[at][0], f"{item}, "
            if (start := self._line(place)) is not None:
                text = f"{item},\n{start}"
        else:
            place, text = items[-1][1], f", {item}"
            start = self._line(items[-1][0])
            if start is not None:
                text = f",\n{start}{item}"
        return self.changed([(place, place, text)], {clause, *touched})

    def without_items(self, clause: str, numbers: Collection[int]) -> Layout | None:
        """The statement without some items of a clause, and without the clause where none is left."""
        items = self.items(clause)
        left = [one for number, one in enumerate(items) if number not in numbers]
        if not left:
            return self.with_clause(clause, "") if clause != "expressions" else None
        edits = []
        for number in sorted(numbers):
            if number + 1 < len(items):
                edits.append((items[number][0], items[number + 1][0], ""))
        last = [number for number in range(len(items)) if number not in numbers][-1]
        if last + 1 < len(items):
            edits = [one for one in edits if one[0] < items[last][1]]
            edits.append((items[last][1], items[-1][1], ""))
        return self.changed(edits, {clause})

    def with_swapped(self, clause: str, number: int, item: str) -> Layout | None:
        """The statement with another item in the place of one."""
        start, end = self.items(clause)[number]
        return self.changed([(start, end, item)], {clause})

    def changed(self, edits: Sequence[tuple[int, int, str]], clauses: Collection[str]) -> Layout | None:
        """The statement with texts put in; None where another clause would come out changed."""
        text = self.text
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        made = layout_of(text, self.dialect)
        if made is None:
            return None
        keys = {*self.tree.args, *made.tree.args} - {*clauses}
        same = all((self.tree.args.get(key) or None) == (made.tree.args.get(key) or None) for key in keys)
        return made if same else None

    def _worded(self, clause: str) -> str:
        return self.cased(_WORDS[clause])

    def cased(self, word: str) -> str:
        """A word of SQL in the letter case of the statement's own."""
        select = self.places["expressions"].start
        return word.lower() if self.text[select : select + 6].islower() else word

    def line_break(self) -> str:
        """The break between two clauses: a line, or a space in a statement of one line."""
        if "\n" not in self.text.strip():
            return " "
        return "\n" + (self._line(self.places["expressions"].start) or "")

    def _line(self, place: int) -> str | None:
        """The spaces before a place that begins a line; None where it begins none."""
        before = self.text[:place].rpartition("\n")
        return before[2] if before[1] and not before[2].strip() else None


def _joined_by_and(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.And):
        yield from _joined_by_and(node.this)
        yield from _joined_by_and(node.expression)
    else:
        yield node


def layout_of(text: str, dialect: str) -> Layout | None:
    """Read one SELECT; None where the text is anything else, or is a union of several."""
    try:
        trees = [one for one in sqlglot.parse(text, read=dialect) if one is not None]
        tokens = sqlglot.tokenize(text, read=dialect)
    except ODD:
        return None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        return None
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    starts = _starts(tokens)
    if starts is None:
        return None
    places = {}
    for (clause, number), following in zip(starts, [*starts[1:], ("", len(tokens))], strict=True):
        if not clause:
            continue
        word, last = tokens[number], tokens[following[1] - 1]
        places[clause] = Place(word.start, word.end + 1, last.end + 1)
    known = {one for one in ORDER if one != "expressions" and trees[0].args.get(one)}
    if {*places} - {"expressions"} != known or any(one.begin >= one.end for one in places.values()):
        return None
    return Layout(text, dialect, trees[0], tokens, places)


def _starts(tokens: Sequence[Token]) -> list[tuple[str, int]] | None:
    """The clauses of the outermost SELECT with the tokens that they begin at; one without a name for any other clause."""
    depth = 0
    found: list[tuple[str, int]] = []
    for number, one in enumerate(tokens):
        depth += (one.token_type in _OPEN) - (one.token_type in _SHUT)
        if depth:
            continue
        if one.token_type in _SETS or one.token_type is TokenType.SELECT and found:
            return None
        if one.token_type is TokenType.SELECT:
            found.append(("expressions", number))
        elif found and one.token_type in _CLAUSES:
            clause = _CLAUSES[one.token_type]
            if any(known == clause for known, _ in found):
                return None
            found.append((clause, number))
        elif found and one.token_type in _OTHERS:
            found.append(("", number))
    return found or None
