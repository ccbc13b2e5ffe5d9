"""Rows by the rows of their own table that they point at, or that point at them: who reports to Ada, whom Bo referred, who was referred, who manages nobody.

The relation is found by its column's words (`manager_id`, `referred_by`, `trained_by`, `parent_id`) and by words of the same role;
where several tables have such a column, the noun decides. The rest of the question is understood without this and restricted by it.
Leaves groups by such a relation to `among_themselves`: "who has the most people".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics import Relation, Thing
from sqlagent.catalog.value_index import normal
from sqlagent.language.words import plural_of, singular, split_name, stem
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.source import Source

_ROLES = tuple(
    frozenset(words.split())
    for words in (
        "subordinate manager manage boss supervisor supervise leader lead report superior chief head",
        "refer referrer referral recommend recommender recommendation recommended",
        "parent mother holding subsidiary subsidiaries daughter main headquarters head branch branches affiliate",
    )
)
"""Words of one role: who reports to somebody has a boss, or a manager."""

_PEOPLE = frozenset(map(stem, ["who", "whom", "people", "person", "colleague", "someone", "anyone", "everyone", "member"]))  # fmt: skip
_THOSE_BELOW = frozenset(map(stem, ["report", "subordinate", "subsidiary", "branch", "affiliate"]))
"""Nouns of rows that point at one: an employee without reports manages nobody."""

_WAYS = ("referral", "recommendation", "word of mouth")
"""Nouns of how somebody came."""

_SHORT = {"ref": "referrer", "mgr": "manager", "sup": "supervisor", "superv": "supervisor", "par": "parent", "prnt": "parent", "hq": "headquarters"}  # fmt: skip
"""Pieces of names of columns that point at rows of their own table, in full."""

_LONG = 4
"""Letters that two forms of one word share at least: refer, referred, referrer."""

_LISTED = ("list ", "show ", "which ", "who ")
"""Words by which rows are asked for, where a bare noun may ask how many there are."""

_TIMES = "in|during|since|this|last|before|after|between"
_WHEN = rf"(?P<when> (?:{_TIMES}) .+)?"
_GROUPED = rf"(?P<when> (?:{_TIMES}|by|per|each) .+)?"
_ASKED = (
    r"^(?P<count>how many |(?:the )?number of |count (?:of )?)?(?:list |show |which |what |all |the |our )*"
)
_NOUN = r"(?P<noun>[a-z][\w-]*(?: [a-z][\w-]*)??)"
_DONE = "[a-z]+(?:ed|ght|led|wn)"
_IS = r"(?: (?:who|that|which))?(?: (?:is|are|was|were|have been|has been|got))?"
_REFERRAL = r"(?:a |an )?(?:(?:personal |customer )?(?:recommendation|referral|word of mouth)s?)"
_OTHERS = r"(?:anyone|anybody|someone|somebody|others?|other [a-z]+|another [a-z]+|any [a-z]+)"


_Making = Callable[[Relation, str, Source], "tuple[Condition, ...] | None"]
"""The conditions that a relation, a name and a source give."""


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


_BELOW = _compiled(
    rf"{_ASKED}{_NOUN}{_IS} (?P<role>report)(?:s|ing)? (?:directly )?to (?P<name>.+)$",
    r"^(?P<noun>who) (?P<role>report)s? (?:directly )?to (?P<name>.+)$",
    rf"{_ASKED}{_NOUN}{_IS} (?P<role>{_DONE}) by (?P<name>.+?){_WHEN}$",
    rf"{_ASKED}(?P<noun>whom?|[a-z][\w-]*(?: [a-z][\w-]*)??) (?:did|does|has) (?P<name>.+?) (?P<role>[a-z]+){_WHEN}$",
    rf"{_ASKED}{_NOUN} (?:(?:who|that|which) )?(?:have|has|having|with) (?P<name>.+?) as (?:their|his|her|its|an?) (?P<role>[a-z]+)$",
    rf"{_ASKED}(?P<role>subsidiaries) of (?P<name>.+)$",
)
"""Rows that point at one that is named."""

_WHO_IS = r"(?:(?:who|what)(?: is| was|['’]?s) )?"
_ABOVE = _compiled(
    rf"^{_WHO_IS}(?P<name>.+?)(?:['’]?s|['’]) (?P<role>[a-z]+)$",
    rf"^{_WHO_IS}(?:the )?(?P<role>[a-z]+) of (?P<name>.+)$",
    r"^(?:to )?whom? does (?P<name>.+) (?P<role>report)(?: to)?$",
    rf"^who (?P<role>{_DONE}|[a-z]+s) (?P<name>(?!the\b|most\b|us\b|nobody\b|no\b).+)$",
)
"""The row that one which is named points at."""

_WITHOUT = _compiled(
    rf"{_ASKED}{_NOUN} (?:without|with no|(?:who |that |which )?(?:have|has|having) no|(?:who |that |which )?(?:do not|does not|don['’]t|doesn['’]t) have) (?:an? |any )?(?:direct )?(?P<role>[a-z]+)$",
    r"^(?P<noun>who) has no (?:direct )?(?P<role>[a-z]+)$",
    rf"{_ASKED}{_NOUN}(?: (?:who|that|which))? (?:were not|was not|weren['’]t|not|never|were never) (?P<role>{_DONE})(?: by {_OTHERS})?{_WHEN}$",
)
"""Rows that point at none."""

_POINTING = _compiled(
    rf"{_ASKED}{_NOUN}{_IS} (?P<role>{_DONE})(?: by (?:an?|another|other) (?P<again>[a-z]+))?{_WHEN}$",
    rf"{_ASKED}(?P<role>{_DONE}) (?P<noun>[a-z][\w-]*){_GROUPED}$",
    rf"{_ASKED}{_NOUN}(?: (?:we|who|that|which))*(?: (?:got|get|won|gained|acquired|came|come|came to us|joined))? (?:by|through|via|from) (?P<role>{_REFERRAL}){_WHEN}$",
)
"""Rows that point at one, whichever."""

_NOBODY = _compiled(
    rf"{_ASKED}{_NOUN} (?:who|that|which) (?:have |has )?(?P<role>[a-z]+) (?:nobody|no one|no-one|noone|no other [a-z]+)$",
    rf"{_ASKED}{_NOUN} (?:who|that|which) (?:(?:have |has )?(?:never|not)|(?:do|does|did) not|(?:do|does|did|have|has)n['’]t) (?P<role>[a-z]+) {_OTHERS}$",
)
"""Rows that none points at."""

_SOMEBODY = _compiled(rf"{_ASKED}{_NOUN} (?:who|that|which) (?:have |has )?(?P<role>[a-z]+) {_OTHERS}$")
"""Rows that some point at."""

_NO_ONE = "(?:nobody|no one|no-one|noone)"
_ARE = "(?:(?:who|that|which) )?(?:are|is)"
_ROLE_OF = r"(?:the )?(?P<role>[a-z]+) (?:of|to|for)"
_NOT_CALLED = _compiled(
    rf"{_ASKED}{_NOUN} {_ARE}(?: not|n['’]t) (?:an? |the )?{_ROLE_OF} {_OTHERS}$",
    rf"{_ASKED}{_NOUN} {_ARE} (?:an? |the )?{_ROLE_OF} {_NO_ONE}$",
    rf"{_ASKED}{_NOUN} {_ARE} {_NO_ONE}['’]?s (?P<role>[a-z]+)$",
    rf"{_ASKED}{_NOUN} {_ARE}(?: not|n['’]t) {_OTHERS}['’]?s (?P<role>[a-z]+)$",
    rf"{_ASKED}{_NOUN}(?: {_ARE})?(?: not|n['’]t) (?P<role>[a-z]+ing) {_OTHERS}$",
    rf"{_ASKED}{_NOUN}(?: {_ARE})? (?P<role>[a-z]+ing) {_NO_ONE}$",
)
"""Rows that none points at, by what these would be called: "who are nobody's mentor"."""

_NOT_SO = _compiled(rf"{_ASKED}{_NOUN} {_ARE}(?: not|n['’]t) an? (?P<role>[a-z]+)$")
"""Rows that are not called so, whether by those that point at them or by a stored role: "clients that are not a parent"."""

_CALLED = _compiled(
    rf"{_ASKED}{_NOUN} {_ARE} (?:an? |the )?{_ROLE_OF} {_OTHERS}$",
    rf"{_ASKED}{_NOUN} {_ARE} {_OTHERS}['’]?s (?P<role>[a-z]+)$",
    rf"{_ASKED}{_NOUN}(?: {_ARE})? (?P<role>[a-z]+ing) {_OTHERS}$",
)
"""Rows that some point at, by what these are called."""

_POINTS = frozenset(map(stem, ["referral", "recommendation", "daughter"])) | _THOSE_BELOW
"""Nouns of rows that point at another one."""


_BESIDE = _compiled(
    rf"^(?:list |show |all |the |our )*{_NOUN}(?:,| and|, and| with) (?:who (?:is|are) )?(?:their|his|her|its) (?P<role>[a-z]+)$",
)
"""Rows, each with the one that it points at."""


@dataclass(frozen=True, slots=True)
class OwnKind:
    """A question without its relation, what restricts its rows instead, and whether the rows above are shown: alone, or beside."""

    text: str
    relation: Relation
    where: tuple[Condition, ...]
    is_above: bool = False
    is_beside: bool = False

    def frame(self, frame: Frame, source: Source) -> Frame | None:
        """Give the frame of the question restricted so; None where its rows are others."""
        if frame.anchor != self.relation.source or frame.transform:
            return None
        if self.text.startswith("list " if frame.measures else "how many "):
            return None
        if (self.is_above or self.is_beside) and frame.measures:
            return None
        above = source.shown(self.relation.target, (self.relation,))
        columns = above if self.is_above else (*frame.columns, *above) if self.is_beside else frame.columns
        return replace(frame, where=(*frame.where, *self.where), columns=columns)


_UNDER = re.compile(
    r"^(?P<who>(?:.*\b)?(?:employees|staff|people|workers|colleagues|reps?)|who) (?:of|under|below|(?:who |that )?works? (?:for|under)|working (?:for|under)) (?P<name>.+)$",
    re.IGNORECASE,
)
"""People of somebody: those who report to them."""
_WORKING = re.compile(
    r"^(?P<who>(?:(?:which|list|show|how many) )?[a-z][\w-]*) (?:(?:who|that) (?:works?|are working)|work|working) (?:directly )?(?:for|under) (?P<name>(?!us\b|them\b|\d).+)$",
    re.IGNORECASE,
)
""" "Gardeners working under Ada"."""
_TEAM_OF = re.compile(
    r"^(?:who is |who['’]?s |list |show )?(?:in |on )?(?P<name>(?!our\b|my\b|today\b).+?)(?:['’]s|s['’]) (?:own )?(?:team|direct reports|subordinates|reports|people)$",
    re.IGNORECASE,
)
""" "Ada's team": those who report to her."""


def of_own_kind(text: str, source: Source) -> OwnKind | None:
    """Tell what a question asks by a relation of a table to itself; None where it is another question, or the relation is not one."""
    text = text.strip().rstrip("?.! ")
    own = [r for r in source.model.relations if r.source == r.target and len(r.columns) == 1]
    if not own:
        return None
    if found := _TEAM_OF.match(text):
        text = f"who reports to {found['name']}"
    elif found := _UNDER.match(text) or _WORKING.match(text):
        text = f"{found['who']} who report to {found['name']}".replace("who who report", "who reports")
    for patterns, make in (
        (_WITHOUT, _missing),
        (_NOBODY, _childless),
        (_SOMEBODY, _with_children),
        (_NOT_CALLED, _childless),
        (_NOT_SO, _childless),
        (_CALLED, _with_children),
        (_POINTING, _filled),
        (_BELOW, _of_parent),
        (_ABOVE, _of_child),
        (_BESIDE, _any),
    ):
        for pattern in patterns:
            found = pattern.match(text)
            one = relation_of(found["role"], _said(found, "noun"), source) if found is not None else None
            if found is None or one is None:
                continue
            if patterns is _NOT_SO and _is_stored(singular(found["role"].lower()), source):
                continue
            turned = patterns in (_WITHOUT, _NOT_CALLED, _NOT_SO, _CALLED)
            where = (_other_way(make, found["role"]) if turned else make)(one, _said(found, "name"), source)
            again = _said(found, "again")
            if where is None or again and relation_of(found["role"], again, source) != one:
                continue
            is_open = patterns is _WITHOUT and not text.lower().startswith(_LISTED)
            asked = "how many " if _said(found, "count") else "" if is_open else "list "
            bare = f"{asked}{plural_of(source.model.things[one.source].said)}{_said(found, 'when')}"
            return OwnKind(bare, one, where, patterns is _ABOVE, patterns is _BESIDE)
    return None


def _other_way(make: _Making, role: str) -> _Making:
    """The condition on rows that a word calls so: those without reports manage nobody, nobody's trainee has no trainer."""
    word = stem(role.lower())
    if make is _missing:
        return _childless if word in _THOSE_BELOW else make
    if word in _POINTS or role.lower().removesuffix("s").endswith("ee"):
        return _missing if make is _childless else _filled
    return make


def _said(found: re.Match[str], group: str) -> str:
    return found.groupdict().get(group) or ""


def relation_of(role: str, noun: str, source: Source, *, is_deed: bool = False) -> Relation | None:
    """The one relation of a table to itself that a word may mean, of the rows that a noun names, or of people of any kind.

    A word that is stored somewhere means what is stored, unless it is for a person, or `is_deed` of somebody.
    """
    words = [word for word in normal(role).split() if word not in ("a", "an", "personal")]
    words = ["recommendation"] if "mouth" in words else words
    if not is_deed and any(_is_stored(word, source) for word in words if not _is_person(word)):
        return None
    found = [
        one
        for one in source.model.relations
        if one.source == one.target and len(one.columns) == 1
        if any(_alike(word, _SHORT.get(name, name)) for word in words for name in split_name(one.columns[0]))
        if not noun or _names(noun, source.model.things[one.source], source)
    ]
    return found[0] if len(found) == 1 else None


def _is_person(word: str) -> bool:
    return word in _ROLES[0] or word.endswith(("er", "or"))


def _is_stored(word: str, source: Source) -> bool:
    """Whether a word, or another for the same way of coming, is a stored value, which is as likely meant: a source of customers called referral."""
    index = source.vocabulary.index
    words = _WAYS if word in _WAYS else (word,)
    return index is not None and any(match.score >= 0.9 for one in words for match in index.lookup(one))


def _alike(word: str, name: str) -> bool:
    """Whether a word is a form of a column's, or of the same role.

    Example:
        >>> _alike("trainer", "trained"), _alike("boss", "manager"), _alike("owner", "manager")
        (True, True, False)
    """
    if _is_form(word, name):
        return True
    return any(
        any(_is_form(word, one) for one in role) and any(_is_form(name, one) for one in role)
        for role in _ROLES
    )


def _is_form(word: str, other: str) -> bool:
    one, two = stem(word), stem(other)
    short, long = sorted((one, two), key=len)
    return one == two or len(short) >= _LONG and long.startswith(short.removesuffix("e"))


def _names(noun: str, thing: Thing, source: Source) -> bool:
    words = noun.lower().split()
    if len(words) == 1 and stem(words[0]) in {*_PEOPLE, *thing.noun[-1:]}:
        return True
    return any(t.kind == "thing" and t.table == thing.table for t in source.vocabulary.targets(words)[:1])


def _named(
    name: str, thing: Thing, source: Source, path: tuple[Relation, ...]
) -> tuple[Condition, ...] | None:
    """That a row is called so: by its whole name, or by a part of it that one column of its name holds."""
    index, columns = source.vocabulary.index, thing.display
    words = normal(name)
    if index is None or not columns or not words:
        return None

    def called(column: str, said: str) -> Condition | None:
        matches = index.lookup(said) or (index.containing(said) if len(columns) == 1 else [])
        texts = tuple(
            dict.fromkeys(
                m.value for m in matches if (m.column.table, m.column.column) == (thing.table, column)
            )
        )
        return Condition("in", (source.slot(thing.table, column, path),), texts) if texts else None

    if len(columns) == 1:
        one = called(columns[0], words)
        return (one,) if one is not None and len(one.values) == 1 else None
    parts = words.split()
    for cut in range(1, len(parts)):
        first, last = called(columns[0], " ".join(parts[:cut])), called(columns[1], " ".join(parts[cut:]))
        if first is not None and last is not None:
            return first, last
    return None


def _missing(one: Relation, name: str, source: Source) -> tuple[Condition, ...] | None:
    return (Condition("missing", (source.slot(one.source, one.columns[0]),)),)


def _any(one: Relation, name: str, source: Source) -> tuple[Condition, ...] | None:
    return ()


def _filled(one: Relation, name: str, source: Source) -> tuple[Condition, ...] | None:
    return (Condition("filled", (source.slot(one.source, one.columns[0]),)),)


def _childless(one: Relation, name: str, source: Source) -> tuple[Condition, ...] | None:
    return (Condition("exists", child=one.source, path=(one,), negated=True),)


def _with_children(one: Relation, name: str, source: Source) -> tuple[Condition, ...] | None:
    return (Condition("exists", child=one.source, path=(one,)),)


def _of_parent(one: Relation, name: str, source: Source) -> tuple[Condition, ...] | None:
    thing = source.model.things[one.target]
    return _named(name, thing, source, (one,)) or _in_role(name, thing, source, (one,))


_ARTICLE = re.compile(r"^(?:the|our|a|an) ", re.IGNORECASE)


def _in_role(
    name: str, thing: Thing, source: Source, path: tuple[Relation, ...]
) -> tuple[Condition, ...] | None:
    """That a row is told by its role: who works under the head of maintenance. One column of few texts has to hold the very words."""
    index, words = source.vocabulary.index, normal(_ARTICLE.sub("", name))
    if index is None or not words:
        return None
    found = {
        (match.column.column, match.value)
        for match in index.lookup(words)
        if match.column.table == thing.table and normal(match.value) == words
    }
    columns = {column for column, _ in found}
    fields = [one for one in source.model.fields[thing.table] if one.column in columns and one.few]
    if len(columns) != 1 or not fields:
        return None
    values = tuple(sorted(value for _, value in found))
    return (Condition("in", (source.slot(thing.table, fields[0].column, path),), values),)


def _of_child(one: Relation, name: str, source: Source) -> tuple[Condition, ...] | None:
    return _named(name, source.model.things[one.source], source, ())
