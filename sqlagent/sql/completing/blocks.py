"""The blocks of a statement that may be half typed, read off its tokens: what each reads from, and which columns it gives.

A block is one SELECT. Columns keep the stored column they come from, through CTEs and subqueries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.language.lexicon import words_of
from sqlagent.sql.completing.known import Known
from sqlagent.values import Column, Table

# Queries in queries that are followed: deeper ones are made, not typed.
DEEPEST = 40
_SETS = ("UNION", "EXCEPT", "INTERSECT", "MINUS")
_CLAUSES = words_of(
    """
    SELECT FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT OFFSET FETCH RETURNING
    """
)
_JOINS = words_of(
    """
    JOIN LEFT RIGHT FULL INNER CROSS OUTER NATURAL SEMI ANTI ASOF STRAIGHT_JOIN LATERAL
    """
)
_NOT_ALIAS = (
    _CLAUSES | _JOINS | frozenset((*_SETS, "ON", "USING", "AS", "AND", "OR", "TABLESAMPLE", "SET", "WITH"))
)
_OPERATORS = words_of("AND OR NOT IN IS LIKE ILIKE BETWEEN NULL END THEN ELSE WHEN CASE DISTINCT ALL")


@dataclass(frozen=True, slots=True)
class Field:
    """A column that can be named: with the stored column it comes from, where it is one."""

    name: str
    table: Table | None = None
    column: Column | None = None


@dataclass(slots=True)
class Read:
    """Something that a block reads from, under the name it has there. `on` is where its condition begins, as a token's number."""

    name: str
    fields: list[Field] = field(default_factory=list)
    table: Table | None = None
    begins: int = 0
    on: int | None = None


@dataclass(slots=True)
class Block:
    """One SELECT: the tokens it stretches over, where its clauses begin, and what it reads from."""

    start: int
    end: int
    outer: Block | None
    ctes: dict[str, Read]
    clauses: list[tuple[str, int]] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    gives: list[Field] = field(default_factory=list)

    def clause_at(self, number: int) -> str:
        """The clause that the place before a token is in; empty before the first."""
        return next((name for name, start in reversed(self.clauses) if start < number), "")

    def clause_start(self, name: str) -> int | None:
        """The token at which a clause begins; None where the block has none of this name."""
        return next((start for known, start in self.clauses if known == name), None)


def word(token: Token) -> str:
    """The text of a token, in capitals where it is a word without quotes; of two words in one, such as ORDER BY, the first."""
    if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
        return token.text
    return token.text.split()[0].upper() if token.text.strip() else token.text


def is_name(token: Token) -> bool:
    """A token may be a name: a word, or one in quotes."""
    if token.token_type is TokenType.IDENTIFIER:
        return True
    return token.token_type is not TokenType.STRING and (token.text[:1].isalpha() or token.text[:1] == "_")


class Blocks:
    """The blocks of one statement."""

    def __init__(self, tokens: Sequence[Token], known: Known) -> None:
        self.tokens = tokens
        self.known = known
        self.all: list[Block] = []
        self._closing = _closing(tokens)
        self._query(0, len(tokens), {}, None, 0)

    def at(self, number: int) -> Block | None:
        """The innermost block around the place before a token."""
        around = [block for block in self.all if block.start <= number <= block.end]
        return min(around, key=lambda block: (block.end - block.start, -block.start), default=None)

    # ------------------------------------------------------------ queries

    def _query(
        self,
        start: int,
        end: int,
        ctes: dict[str, Read],
        outer: Block | None,
        depth: int,
        own: Read | None = None,
    ) -> list[Field]:
        """Read a query between two tokens; gives its columns. A CTE that reads its `own` name has those of its first part there."""
        if depth > DEEPEST:
            return []
        ctes = dict(ctes)
        if start < end and word(self.tokens[start]) == "WITH":
            start = self._with(start + 1, end, ctes, outer, depth)
        parts, begin = [], start
        for number in self._level(start, end):
            if word(self.tokens[number]) in _SETS:
                parts.append((begin, number))
                begin = number + 1
                while begin < end and word(self.tokens[begin]) in ("ALL", "DISTINCT", "BY", "NAME"):
                    begin += 1
        parts.append((begin, end))
        given: list[Field] = []
        for one, other in parts:
            fields = self._part(one, other, ctes, outer, depth)
            given = given or fields
            if own is not None and not own.fields:
                own.fields = given
        return given

    def _part(
        self, start: int, end: int, ctes: dict[str, Read], outer: Block | None, depth: int
    ) -> list[Field]:
        if (
            start < end
            and self.tokens[start].token_type is TokenType.L_PAREN
            and self._end(start, end) >= end - 1
        ):
            return self._query(start + 1, self._end(start, end), ctes, outer, depth + 1)
        return self._block(start, end, ctes, outer, depth)

    def _with(self, number: int, end: int, ctes: dict[str, Read], outer: Block | None, depth: int) -> int:
        """Read CTEs; gives where the query after them begins."""
        if number < end and word(self.tokens[number]) == "RECURSIVE":
            number += 1
        while number < end and is_name(self.tokens[number]) and word(self.tokens[number]) != "SELECT":
            name, names = self.tokens[number].text, []
            number += 1
            if number < end and self.tokens[number].token_type is TokenType.L_PAREN:
                close = self._end(number, end)
                names = [token.text for token in self.tokens[number + 1 : close] if is_name(token)]
                number = close + 1
            while number < end and word(self.tokens[number]) in ("AS", "NOT", "MATERIALIZED"):
                number += 1
            if number >= end or self.tokens[number].token_type is not TokenType.L_PAREN:
                return number
            close = self._end(number, end)
            made = Read(name, [Field(one) for one in names])
            inside = {**ctes, name.lower(): made}
            given = self._query(number + 1, close, inside, outer, depth + 1, made)
            if names:
                made.fields = [
                    Field(one, given[n].table, given[n].column) if n < len(given) else Field(one)
                    for n, one in enumerate(names)
                ]
            else:
                made.fields = given
            ctes[name.lower()] = made
            number = close + 1
            if number >= end or self.tokens[number].token_type is not TokenType.COMMA:
                return number
            number += 1
        return number

    def _block(
        self, start: int, end: int, ctes: dict[str, Read], outer: Block | None, depth: int
    ) -> list[Field]:
        block = Block(start, end, outer, ctes)
        self.all.append(block)
        for number in self._level(start, end):
            name = word(self.tokens[number])
            is_clause = name in _CLAUSES and self.tokens[number].token_type is not TokenType.IDENTIFIER
            if is_clause and not (name == "FROM" and block.clause_start("FROM") is not None):
                block.clauses.append((name, number))
        self._reads(block, depth)
        self._inner(block, start, end, depth)
        block.gives = self._gives(block)
        return block.gives

    def _inner(self, block: Block, start: int, end: int, depth: int) -> None:
        """Read the queries in brackets of a block that are not what it reads from."""
        origin = block.clause_start("FROM")
        skipped = {read.begins for read in block.reads}
        for number in self._level(start, end):
            if self.tokens[number].token_type is TokenType.L_PAREN and not (
                origin is not None and number in skipped
            ):
                self._bracket(number, end, block, depth)

    def _bracket(self, number: int, end: int, block: Block, depth: int) -> None:
        close = self._end(number, end)
        if number + 1 < len(self.tokens) and number + 1 <= close:
            first = word(self.tokens[number + 1]) if number + 1 < close else ""
            if first in ("SELECT", "WITH"):
                self._query(number + 1, close, block.ctes, block, depth + 1)
                return
        for inner in self._level(number + 1, close):
            if self.tokens[inner].token_type is TokenType.L_PAREN and depth < DEEPEST:
                self._bracket(inner, close, block, depth + 1)

    # ------------------------------------------------------------ what a block reads from

    def _reads(self, block: Block, depth: int) -> None:
        start = block.clause_start("FROM")
        if start is None:
            return
        end = next((at for _, at in block.clauses if at > start), block.end)
        wants, number = True, start + 1
        while number < end:
            token, said = self.tokens[number], word(self.tokens[number])
            if token.token_type is TokenType.COMMA or said in _JOINS:
                wants, number = True, number + 1
            elif said in ("ON", "USING") and block.reads:
                block.reads[-1].on = number
                wants, number = False, number + 1
            elif wants and (token.token_type is TokenType.L_PAREN or is_name(token)):
                number = self._read(block, number, end, depth)
                wants = False
            elif token.token_type is TokenType.L_PAREN:
                number = self._end(number, end) + 1
            else:
                number += 1

    def _read(self, block: Block, number: int, end: int, depth: int) -> int:
        """Read one source; gives the token after it."""
        begins, read = number, Read("", begins=number)
        if self.tokens[number].token_type is TokenType.L_PAREN:
            close = self._end(number, end)
            first = word(self.tokens[number + 1]) if number + 1 < min(close, len(self.tokens)) else ""
            if first and first not in ("SELECT", "WITH", "VALUES", "("):
                self._joined(block, number + 1, close, depth)
                return close + 1
            read.fields = self._query(number + 1, close, block.ctes, block, depth + 1)
            number = close + 1
        else:
            path = [self.tokens[number].text]
            number += 1
            while (
                number + 1 < end
                and self.tokens[number].token_type is TokenType.DOT
                and is_name(self.tokens[number + 1])
            ):
                path.append(self.tokens[number + 1].text)
                number += 2
            if number < end and self.tokens[number].token_type is TokenType.L_PAREN:
                number = self._end(number, end) + 1
            read.name = path[-1]
            self._named(read, path, block)
        if number < end and word(self.tokens[number]) == "AS":
            number += 1
        if number < end and is_name(self.tokens[number]) and word(self.tokens[number]) not in _NOT_ALIAS:
            read.name = self.tokens[number].text
            number += 1
            if number < end and self.tokens[number].token_type is TokenType.L_PAREN:
                close = self._end(number, end)
                names = [token.text for token in self.tokens[number + 1 : close] if is_name(token)]
                read.fields = [Field(name) for name in names] or read.fields
                number = close + 1
        read.begins = begins
        block.reads.append(read)
        return number

    def _joined(self, block: Block, start: int, end: int, depth: int) -> None:
        """Read joins that stand in brackets."""
        number, wants = start, True
        while number < end:
            token, said = self.tokens[number], word(self.tokens[number])
            if token.token_type is TokenType.COMMA or said in _JOINS:
                wants, number = True, number + 1
            elif wants and (is_name(token) or token.token_type is TokenType.L_PAREN):
                number, wants = self._read(block, number, end, depth + 1), False
            else:
                number += 1

    def _named(self, read: Read, path: list[str], block: Block) -> None:
        cte = block.ctes.get(path[0].lower()) if len(path) == 1 else None
        if cte is not None:
            read.fields = cte.fields
            return
        table = self.known.table(".".join(path)) or (
            self.known.table(".".join(path[-2:])) if len(path) > 2 else None
        )
        if table is not None:
            read.table = table
            read.fields = [Field(column.name, table, column) for column in table.columns]

    # ------------------------------------------------------------ what a block gives

    def _gives(self, block: Block) -> list[Field]:
        start = block.clause_start("SELECT")
        if start is None:
            return []
        end = next((at for _, at in block.clauses if at > start), block.end)
        items: list[list[Token]] = [[]]
        for number in self._level(start + 1, end):
            if self.tokens[number].token_type is TokenType.COMMA:
                items.append([])
            else:
                items[-1].append(self.tokens[number])
        given: list[Field] = []
        for item in items:
            while item and word(item[0]) in ("DISTINCT", "ALL"):
                item = item[1:]
            given.extend(self._item(item, block))
        return given

    def _item(self, item: list[Token], block: Block) -> Iterator[Field]:
        if not item:
            return
        if item[-1].token_type is TokenType.STAR and len(item) <= 4:
            of = item[0].text.lower() if len(item) == 3 else ""
            for read in block.reads:
                if not of or read.name.lower() == of:
                    yield from read.fields
            return
        alias = ""
        if len(item) > 2 and word(item[-2]) == "AS" and is_name(item[-1]):
            alias, item = item[-1].text, item[:-2]
        elif (
            len(item) > 1
            and is_name(item[-1])
            and word(item[-1]) not in _OPERATORS
            and (
                item[-2].token_type in (TokenType.R_PAREN, TokenType.NUMBER, TokenType.STRING)
                or is_name(item[-2])
            )
            and word(item[-2]) not in _OPERATORS - {"END", "NULL"}
        ):
            alias, item = item[-1].text, item[:-1]
        names = [token.text for token in item if is_name(token)]
        is_column = len(item) == 2 * len(names) - 1 and 1 <= len(names) <= 3
        found = resolve(block, names[-1], names[-2] if len(names) > 1 else "") if is_column else None
        if alias:
            yield Field(alias, found.table, found.column) if found else Field(alias)
        elif is_column:
            yield found or Field(names[-1])

    # ------------------------------------------------------------ brackets

    def _level(self, start: int, end: int) -> Iterator[int]:
        """The tokens between two that stand in no bracket; of a bracket its opening and its end."""
        number = start
        while number < min(end, len(self.tokens)):
            yield number
            if self.tokens[number].token_type is TokenType.L_PAREN:
                number = self._end(number, end)
                if number < end:
                    yield number
            number += 1

    def _end(self, number: int, end: int) -> int:
        """The bracket that closes one, or the end where none does."""
        return min(self._closing.get(number, end), end)


def resolve(block: Block | None, name: str, of: str = "") -> Field | None:
    """The column that a name means in a block or around it."""
    while block is not None:
        for read in block.reads:
            if not of or read.name.lower() == of.lower():
                found = next((one for one in read.fields if one.name.lower() == name.lower()), None)
                if found is not None:
                    return found
        block = block.outer
    return None


def _closing(tokens: Sequence[Token]) -> dict[int, int]:
    """The bracket that closes each. Where some are not closed, one of a call that is being typed ends before FROM."""
    kinds = [token.token_type for token in tokens]
    is_open = kinds.count(TokenType.L_PAREN) > kinds.count(TokenType.R_PAREN)
    opened: list[int] = []
    found: dict[int, int] = {}
    for number, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            opened.append(number)
        elif (
            is_open
            and opened
            and word(token) == "FROM"
            and _is_call(tokens, opened[-1])
            or token.token_type is TokenType.R_PAREN
            and opened
        ):
            found[opened.pop()] = number
    return found


def _is_call(tokens: Sequence[Token], number: int) -> bool:
    """A bracket is that of a call, which has no FROM of its own."""
    before = tokens[number - 1] if number else None
    return before is not None and is_name(before) and word(before) not in _WITH_FROM | _NOT_ALIAS | _OPERATORS


_WITH_FROM = frozenset(("EXTRACT", "TRIM", "SUBSTRING", "OVERLAY", "POSITION", "EXISTS", "VALUES", "SELECT"))
