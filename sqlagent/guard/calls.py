"""Calls, as they are written: every function by list, and the few whose arguments matter."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.guard.lists import LISTED, Lists, lists, reason_of
from sqlagent.guard.plainer import is_word
from sqlagent.guard.policy import Policy, further, switched_off
from sqlagent.language.saying import spaced, worded
from sqlagent.values import Refusal


def calls_problem(
    root: exp.Expr, tokens: Sequence[Token], allowed: Lists, policy: Policy, dialect: str
) -> Refusal | None:
    """Refuse a call of what is on no list, or of what is on one with arguments that are not."""
    return _calls(root, tokens, allowed, further(policy), dialect) or _special(tokens, allowed, policy)


def _calls(
    root: exp.Expr, tokens: Sequence[Token], allowed: Lists, added: frozenset[str], dialect: str
) -> Refusal | None:
    """Look up every word that stands before an opening bracket, as it is written."""
    named: set[int] | None = None
    called: set[object] | None = None
    for i, token in enumerate(tokens[:-1]):
        if tokens[i + 1].token_type != TokenType.L_PAREN or not is_word(token):
            continue
        quoted = token.token_type == TokenType.IDENTIFIER
        name = folded(token.text, dialect) if quoted else token.text.lower().split()[-1]
        dotted = i >= 2 and tokens[i - 1].token_type == TokenType.DOT
        if dotted and f"{tokens[i - 2].text.lower()}.{name}" in added:
            continue
        # In Oracle and Snowflake "upper" is another function than UPPER, as it is in others of the long tail.
        if quoted and (name in allowed.grammar or dialect not in LISTED):
            return _function(token.text, token, allowed, added)
        if dotted and not _may_qualify(tokens[i - 2], tokens, i, allowed):
            return _function(f"{tokens[i - 2].text}.{token.text}", token, allowed, added)
        if name in allowed.functions or (name in added and not dotted):
            continue
        if name in allowed.words and not quoted and not dotted:
            if called is None:
                called = {node.meta.get("start") for node in root.find_all(exp.Anonymous)}
            if token.start not in called:
                continue
        if name in allowed.bare and i + 2 < len(tokens) and tokens[i + 2].token_type == TokenType.R_PAREN:
            continue
        if named is None:
            named = names_with_columns(root)
        if token.start in named and not dotted:
            continue
        return _function(token.text, token, allowed, added)
    return None


def folded(name: str, dialect: str) -> str:
    """Bring a quoted name to the form of the lists; in PostgreSQL "Lower" is another function than lower."""
    return name if dialect == "postgres" or not name.isascii() else name.lower()


def _may_qualify(owner: Token, tokens: Sequence[Token], i: int, allowed: Lists) -> bool:
    """Say whether `owner.function(` calls the engine's own function (or DuckDB's dot call)."""
    if owner.text.lower() in allowed.schemas and tokens[i - 3 if i >= 3 else 0].token_type != TokenType.DOT:
        return True
    return allowed is lists("duckdb")


def names_with_columns(root: exp.Expr) -> set[int]:
    """List where aliases stand that may be followed by a list of columns."""
    found: set[int] = set()
    for alias in root.find_all(exp.TableAlias):
        if isinstance(alias.this, exp.Identifier) and alias.args.get("columns"):
            found.add(alias.this.meta.get("start", -1))
    return found


def _own_operator(tokens: Sequence[Token]) -> bool:
    """Say whether OPERATOR( ... names no schema but pg_catalog."""
    owner = [token.text.lower() for token in tokens if is_word(token)]
    return not owner or owner == ["pg_catalog"]


def unwelcome(name: str, position: int | None) -> Refusal:
    """Refuse a function that never passes, with its reason."""
    return Refusal(
        worded("The function {name} may not be called.", name=name),
        worded("It {reason}.", reason=worded(reason_of(name.lower().rpartition(".")[2]))),
        worded("Leave it out, and ask for rows of the tables of this source."),
        position,
        "function",
        name,
    )


def _function(name: str, token: Token, allowed: Lists, added: frozenset[str]) -> Refusal:
    bare = name.lower().rpartition(".")[2]
    if reason_of(bare):
        return unwelcome(name, token.start)
    found = process.extract(bare, allowed.functions | added, scorer=fuzz.ratio, limit=2, score_cutoff=80)
    near = tuple(str(n) for n, _, _ in found if n != bare)
    meant = worded("Did you mean {names}?", names=near[0]) if near else ""
    return Refusal(
        worded("The function {name} may not be called.", name=name),
        worded("It is not on the list of functions that only compute."),
        spaced(meant, worded("If it only computes, an administrator can allow it for this source.")),
        token.start,
        "function",
        name,
        near,
    )


def _special(tokens: Sequence[Token], allowed: Lists, policy: Policy) -> Refusal | None:
    """Decide the few functions whose arguments matter."""
    for i, token in enumerate(tokens[:-2]):
        word = token.text.lower()
        if tokens[i + 1].token_type != TokenType.L_PAREN:
            continue
        if word == "operator" and not _own_operator(tokens[i + 2 : i + 6]):
            return Refusal(
                worded("An operator is named with its schema."),
                worded("Operators run functions, and only those of PostgreSQL itself are known to compute."),
                worded("Write the operator alone."),
                token.start,
            )
        if word == "version" and "version" in policy.refused:
            return switched_off("version()", token.start)
        if word == "current_setting":
            asked = tokens[i + 2]
            alone = i + 3 < len(tokens) and tokens[i + 3].text in (")", ",")
            if asked.token_type == TokenType.STRING and alone and asked.text.lower() in allowed.settings:
                continue
            return Refusal(
                worded("The setting {text} may not be read.", text=asked.text),
                worded("Most settings tell about the server; it is not on the list of harmless ones."),
                worded("Leave it out."),
                token.start,
            )
    return None
