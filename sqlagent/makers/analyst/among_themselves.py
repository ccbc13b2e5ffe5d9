"""Rows that point at rows of their own table: which supervisor has the most people, customers that are parents of others, who referred others.

Such questions are worded as groups by that relation, which the frames know: "number of staff by supervisor, top 1". Leaves to
`own_kind` which relation a word means, and questions for single rows: who reports to Ada, who manages nobody.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Relation
from sqlagent.language.words import plural_of, split_name, stem
from sqlagent.makers.analyst.own_kind import relation_of
from sqlagent.makers.analyst.source import Source

_LEADER = re.compile(
    r"^(?:which|what) (?P<role>[a-z][\w-]*) has (?:the )?(?P<way>most|fewest) (?P<whom>[a-z][\w-]*)(?: (?:under|below|reporting to|working for) (?:him|her|them|him or her|it))?$",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"^(?:which |list |show )?(?:the |our )?(?P<noun>[a-z][\w-]*)(?: (?:that|who|which))?(?: are| is)? (?P<role>[a-z][\w-]*) (?:of|to) (?P<bound>at least|more than) (?P<count>\w+) other (?P<again>[a-z][\w-]*)(?:,? and how many(?: [a-z]+)?(?: each)?)?$",
    re.IGNORECASE,
)
_DID = re.compile(
    r"^(?:which |list |show )?(?:the |our )?(?P<noun>[a-z][\w-]*) (?:that |who |which )?(?:have )?(?P<role>[a-z]+ed) (?P<bound>at least |more than |over )?(?P<count>\w+)(?P<more> or more)? other (?P<again>[a-z][\w-]*)$",
    re.IGNORECASE,
)
_BELONGS = re.compile(
    r"^(?:which|what) (?P<noun>[a-z][\w-]*) (?:belong to|have|report to) an? (?P<role>[a-z][\w-]*)(?: (?P<again>[a-z][\w-]*))?,? and (?:to )?(?:which|who|what)(?: one)?(?: is (?:it|that))?$",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"^(?:who|(?:which|what) (?P<noun>[a-z][\w-]*)) (?:has |have )?(?P<role>[a-z]{3,}) (?:us )?(?:the )?(?P<way>most|fewest) (?:new |other )?(?P<whom>[a-z][\w-]*)(?: to (?:us|the [a-z]+))?(?: (?:by|through|via) (?P<by>referral|recommendation|word of mouth)s?)?(?P<when> (?:in|during|since|this|last) .+)?$",
    re.IGNORECASE,
)
_DOERS = re.compile(
    r"^(?:who are )?(?:our |the )?(?:top (?P<count>\d+)|(?P<several>\d+) (?:top|best|biggest)|top|best) (?P<role>[a-z]+er)s(?P<when> (?:in|during|since|this|last) .+)?$",
    re.IGNORECASE,
)
_HAVING = re.compile(
    r"^(?:which |what |list |show )?(?:the |our )?(?P<noun>[a-z][\w-]*)(?: that| which| who)? (?:have|has|with|having) (?P<role>[a-z]+),?(?: and)? how many(?: (?:each|of them|are there|do they have|has each|for each|every one))?(?: has| have)?$",
    re.IGNORECASE,
)
_WITH_COUNT = re.compile(
    r"^(?:which |what |list |show |(?:could|can) you show me )?(?:the |our )?(?P<noun>[a-z][\w-]*)(?: that| which| who)? (?:have|has|with|having) (?P<role>[a-z]+),? (?:along |together )?with (?:the )?(?:number|count) of (?P<again>[a-z]+)(?: (?:for|of) each(?: of them| one)?| each)?$"
    r"|^(?:the |our )?(?:main |parent |head |mother )?(?P<noun_2>[a-z][\w-]*) (?:and|with) (?:the|their) (?P<role_2>[a-z]+) counts?$",
    re.IGNORECASE,
)
_WITH_MOST = re.compile(
    r"^(?:which |what |who is |the |our |list |show )*(?P<noun>[a-z][\w-]*) (?:with|has|have) the (?P<way>most|fewest) (?P<role>referrals|recommendations)(?P<when> (?:in|during|since|this|last) .+)?$",
    re.IGNORECASE,
)
_TOP_DOERS = re.compile(
    r"^(?:who (?:is|are) )?(?:the |our )?top (?:(?P<count>\d+) )?(?P<role>[a-z]+er)(?P<s>s?) by (?:the )?(?:number|count|no\.?) of (?:new )?(?P<whom>[a-z][\w-]*)(?: (?:they |he |she )?(?:has |have )?(?P<deed>[a-z]+ed))?(?P<when> (?:in|during|since|this|last) .+)?$",
    re.IGNORECASE,
)
_IF_ANY = re.compile(
    r",? (?:only|but only|just) (?:for )?(?:those|the ones|[a-z]+s) (?:(?:that|which|who) (?:have|had)|with) (?:any|some|at least one)$",
    re.IGNORECASE,
)
"""Groups of rows that point at something are those with some."""
_OF_EACH = re.compile(
    r"^(?:the )?(?:number of |how many )?(?P<role>[a-z]+s) (?:per|by|of each|for each) (?P<noun>[a-z][\w-]*)(?P<first>, top \d+)?$",
    re.IGNORECASE,
)


_TEAM = re.compile(
    r"^how many (?P<whom>[a-z]+) (?:does|do|has|have) (?:each|every|the|our) (?P<role>[a-z]+?)s? (?:have|lead|leads|manage|manages|supervise|supervises|look after)?(?: ?(?:in|on) (?:his|her|their|the)(?: (?:or|/) (?:his|her))? teams?)?(?P<now> (?:at the moment|right now|currently|now|today|at present))?$",
    re.IGNORECASE,
)
_ANYBODY = frozenset({"people", "persons", "staff", "employees", "members", "reports", "subordinates"})
"""Words for those whom somebody leads, whatever their table is called."""

_SENT = frozenset({"sent", "brought", "introduced"})
"""Verbs of those who refer others to us."""


def among_themselves(text: str, source: Source) -> str:
    """Word such a question as groups of a relation; empty where it is no such question, or no table points at itself so."""
    text = text.strip().rstrip("?.! ")
    if found := _LEADER.match(text):
        one = relation_of(found["role"], found["whom"], source, is_deed=True)
        way = "top" if found["way"].lower() == "most" else "bottom"
        return f"number of {_plural(one, source)} by {_pointing(one)}, {way} 1" if one is not None else ""
    if found := _OF_OTHERS.match(text):
        one = relation_of(found["role"], found["noun"], source, is_deed=True)
        if one is None or stem(found["noun"]) != stem(found["again"]):
            return ""
        return f"number of {_plural(one, source)} by {_pointing(one)}, {found['bound']} {found['count']}"
    if found := _DID.match(text):
        one = relation_of(found["role"], found["noun"], source, is_deed=True)
        if one is None or stem(found["noun"]) != stem(found["again"]):
            return ""
        bound = "at least" if found["more"] else (found["bound"] or "exactly").strip()
        return f"number of {_plural(one, source)} per {_pointing(one)}, {bound} {found['count']}"
    if found := _BELONGS.match(text):
        one = relation_of(found["role"], found["noun"], source, is_deed=True)
        return f"{_plural(one, source)} with a {found['role']}" if one is not None else ""
    return _of_deeds(text, source)


def _of_deeds(text: str, source: Source) -> str:
    """The same of words of one role: who referred the most, the top referrers, referrals per customer."""
    if found := _MOST.match(text):
        role = found["by"] or ("refer" if found["role"].lower() in _SENT else found["role"])
        one = relation_of(role, found["whom"], source, is_deed=True)
        if one is None or found["noun"] and relation_of(role, found["noun"], source, is_deed=True) != one:
            return ""
        way = "top" if found["way"].lower() == "most" else "bottom"
        return f"number of {_plural(one, source)}{found['when'] or ''} by {_pointing(one)}, {way} 1"
    if found := _DOERS.match(text):
        one = relation_of(found["role"], "", source, is_deed=True)
        if one is None or not one.columns[0].lower().endswith("by"):
            return ""  # managers may be the best ones by much else
        count = found["count"] or found["several"] or "10"
        return f"number of {_plural(one, source)}{found['when'] or ''} by {_pointing(one)}, top {count}"
    if found := _TEAM.match(text):
        noun = "" if found["whom"].lower() in _ANYBODY else found["whom"]
        one = relation_of(found["role"], noun, source, is_deed=True)
        still = "active " if found["now"] else ""
        return f"number of {still}{_plural(one, source)} per {_pointing(one)}" if one is not None else ""
    if found := _HAVING.match(text):
        one = relation_of(found["role"], found["noun"], source)
        return f"number of {found['noun']} per {_pointing(one)}" if one is not None else ""
    if found := _TOP_DOERS.match(text):
        one = relation_of(found["role"], found["whom"], source, is_deed=True)
        if one is None or not one.columns[0].lower().endswith("by") and not found["deed"]:
            return ""
        count = found["count"] or ("10" if found["s"] else "1")
        return f"number of {_plural(one, source)}{found['when'] or ''} by {_pointing(one)}, top {count}"
    if found := _WITH_MOST.match(text):
        one = relation_of(found["role"], found["noun"], source, is_deed=True)
        way = "top" if found["way"].lower() == "most" else "bottom"
        shown = f"number of {_plural(one, source)}{found['when'] or ''}" if one is not None else ""
        return f"{shown} by {_pointing(one)}, {way} 1" if one is not None else ""
    if found := _WITH_COUNT.match(text):
        role, noun = found["role"] or found["role_2"], found["noun"] or found["noun_2"]
        one = relation_of(role, noun, source) if stem(found["again"] or role) == stem(role) else None
        is_apart = one is None or source.vocabulary.table_named(role) not in ("", one.source)
        return f"number of {noun} per {_pointing(one)}" if one is not None and not is_apart else ""
    if found := _OF_EACH.match(_IF_ANY.sub("", text)):
        if source.vocabulary.table_named(found["role"]):
            return ""
        one = relation_of(found["role"], found["noun"], source)
        return (
            f"number of {_plural(one, source)} per {_pointing(one)}{found['first'] or ''}"
            if one is not None
            else ""
        )
    return ""


def _pointing(one: Relation) -> str:
    """The words of a column that points at its own table, without those for what it points at: referred by, of referred_by_owner_id."""
    words = ["number" if word == "no" else word for word in split_name(one.columns[0]) if word != "id"]
    noun = {*map(stem, split_name(one.target)), *map(stem, split_name(one.referenced[0]))}
    role = [word for word in words if stem(word) not in noun]
    return " ".join(role if any(len(word) > _CUT for word in role) else words)


_CUT = 3
"""Letters up to which a word of a name is cut short, and says little by itself: ref, mgr."""


def _plural(one: Relation, source: Source) -> str:
    return plural_of(source.model.things[one.source].said)
