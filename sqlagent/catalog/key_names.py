"""Names that suggest keys: which columns may hold another table's key, by their words alone.

Values bear out or refute what is suggested here (`statistics`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlagent.language.words import name_words, plural_of, split_name, stem
from sqlagent.values import Column, Kind, Table

KEY_WORDS = frozenset({"id", "key", "code", "number", "ref", "reference", "fk", "sk", "uuid", "nr", "cd"})
"""Words of names that say a column holds a key."""

Owner = tuple[Table, Column, tuple[str, ...]]
"""A table, the column that tells its rows apart, and the words of its name."""

_SELF = frozenset(
    stem(w) for w in ("manager", "parent", "supervisor", "boss", "mentor", "referrer", "head", "lead")
)
_STAFF = frozenset(
    stem(w)
    for w in [
        "employee",
        "emp",
        "staff",
        "stf",
        "stff",
        "personnel",
        "worker",
        "user",
        "person",
        "people",
        "crew",
        "member",
    ]
)
"""Nouns of tables that hold who works there."""

_BUYERS = frozenset(stem(w) for w in ["customer", "cust", "client", "account", "partner", "debtor", "buyer"])
"""Nouns of tables that hold who buys."""

_PARTNERS = frozenset({"billto", "shipto", "soldto", "payer", "consignee", "owncust"})
"""Names for who gets goods or a bill."""

_ROLES = frozenset(
    stem(w)
    for w in [
        "rep",
        "representative",
        "salesperson",
        "salesman",
        "seller",
        "agent",
        "operator",
        "op",
        "foreman",
        "fore",
        "manager",
        "mgr",
        "supervisor",
        "handler",
        "owner",
        "assignee",
        "author",
        "creator",
        "editor",
        "approver",
        "inspector",
        "technician",
        "tech",
        "driver",
        "clerk",
        "buyer",
        "planner",
        "trainer",
        "instructor",
        "coordinator",
        "mechanic",
        "reviewer",
        "auditor",
        "cashier",
        "waiter",
        "captain",
        "lead",
        "head",
        "vet",
        "veterinarian",
        "nurse",
        "doctor",
        "physician",
        "dentist",
        "hygienist",
        "surgeon",
        "therapist",
        "optician",
        "consultant",
        "adviser",
        "advisor",
        "counsellor",
        "teacher",
        "tutor",
        "coach",
        "lecturer",
        "chef",
        "cook",
        "guide",
        "pilot",
        "engineer",
        "developer",
        "designer",
        "stylist",
        "barber",
        "groomer",
        "receptionist",
        "courier",
        "rider",
        "porter",
        "host",
        "officer",
        "underwriter",
        "adjuster",
        "broker",
        "lawyer",
        "attorney",
        "solicitor",
        "accountant",
        "bookkeeper",
        "photographer",
        "translator",
        "picker",
        "packer",
        "welder",
        "fitter",
        "installer",
        "electrician",
        "plumber",
        "surveyor",
        "dispatcher",
    ]
)
"""The roles of somebody who works there, as columns say them."""

_HEADERS = frozenset({"hd", "hdr", "header", "mst", "master", "tbl", "tab"})
"""Ends of table names that are none of the noun."""


def suggested(table: Table, column: Column, owners: Sequence[Owner]) -> list[tuple[Table, Column]]:
    """The keys a column's name suggests: three at most, likeliest first.

    Example:
        >>> boats = Table("boats", (Column("id", kind=Kind.INTEGER),), primary_key=("id",))
        >>> trips = Table("trips", (Column("boat_id", kind=Kind.INTEGER),))
        >>> [(table.name, key.name) for table, key in suggested(trips, trips.columns[0], [(boats, boats.columns[0], ("boat",))])]
        [('boats', 'id')]
    """
    words = [stem(w) for w in name_words(column.name)]
    bare = [w for w in words if w not in KEY_WORDS]
    ends_as_key = len(bare) < len(words)
    out: list[tuple[int, Table, Column]] = []
    for owner, key, noun in owners:
        if (column.kind is Kind.TEXT) != (key.kind is Kind.TEXT):
            continue
        same = column.name.lower() == key.name.lower() and column.name.lower() not in (
            "id",
            "code",
            "name",
            "key",
        )
        if owner.key == table.key:
            own = {noun[-1], *split_name(key.name)} - KEY_WORDS
            named = ends_as_key and column.name != key.name and set(bare) & (_SELF | own) and set(bare) - own
            if named or _ends_whole(column.name, key.name) or _is_of_another(column.name, key.name, noun):
                out.append((3, owner, key))  # a row's own number points at no other row
            continue
        if same:
            out.append((0, owner, key))
        elif ends_as_key and (
            _ends_so(column.name, key.name)
            or bare
            and (bare[-1] == noun[-1] or tuple(bare) == noun[-len(bare) :])
        ):
            out.append((1, owner, key))
        elif bare and ends_as_key and len(bare[-1]) >= 3 and noun[-1].startswith(bare[-1]):
            out.append((2, owner, key))
        elif bare and len(bare) == 1 and bare[0] == noun[-1] and column.name.lower() != "name":
            out.append((4, owner, key))
        elif noun[-1] in _STAFF and (
            _is_somebody(column, bare, ends_as_key) or _is_staff_in_role(column.name, key.name, noun)
        ):
            out.append((5, owner, key))
        elif (
            _is_in_role(column.name, key.name, noun)
            or noun[-1] in _BUYERS
            and column.name.lower().replace("_", "") in _PARTNERS
        ):
            out.append((6, owner, key))
    out.sort(key=lambda found: (found[0], len(found[1].name)))
    return [(owner, key) for _, owner, key in out[:3]]


def noun_of(table: Table) -> tuple[str, ...]:
    """The stems of a table's name without an end that says how it is kept: so_hd is the head of an so, EMPMST keeps an emp."""
    pieces = split_name(table.name)
    if len(pieces) == 1 and (found := _KEPT_SO.fullmatch(pieces[0])) is not None:
        return tuple(stem(word) for word in name_words(found[1]))
    words = [stem(word) for word in name_words(table.name)]
    return tuple(words[:-1] if len(words) > 1 and pieces[-1] in _HEADERS else words)


_KEPT_SO = re.compile(r"([a-z]{2,})(?:hdr|mst|mast)")
"""A noun and how it is kept, in one piece."""


def _is_somebody(column: Column, bare: Sequence[str], ends_as_key: bool) -> bool:
    """Whether a column says who did something: rep_no, handled_by, acc_mgr, PLNR, FIXBY."""
    name = split_name(column.name)
    by = len(bare) > 1 and name[-1] == "by" or len(name) == 1 and _DONE_BY.fullmatch(name[0]) is not None
    if len(bare) == 1 and _IN_ONE_PIECE.fullmatch(name[0 if len(name) == 1 else -1]):
        return True
    role = bool(bare) and bare[-1] in _ROLES
    return by or role and (ends_as_key if len(bare) == 1 else not ends_as_key)


_DONE_BY = re.compile(
    r"(?:rep|fix|chk|crt|cre|upd|appr?|wrt|insp|pack|pick|rec|rcv|iss|ent|mod|opn|cls|sgn|ver|ship|made|sold|done|paid|sent)by"
)
"""A deed cut short and by, in one piece; a hobby and what is nearby are none."""

_IN_ONE_PIECE = re.compile(r"(?:sls|sales|svc|acct)?rep|[a-z]{0,4}mgr|plnr|supv|oper|opr")
"""Names in one piece for somebody who works there: SLSREP, PLNR, OPER."""

_IN_SHORT = frozenset(
    {
        "hdl",
        "hdlr",
        "sal",
        "sales",
        "srv",
        "service",
        "svc",
        "resp",
        "responsible",
        "agt",
        "appr",
        "assigned",
        "support",
        "pl",
        "plan",
        "planned",
        "ac",
        "act",
        "actual",
    }
)
"""Short forms and words for what somebody who works there did, behind the noun: staff_hdlr."""


def _is_staff_in_role(name: str, key: str, noun: Sequence[str]) -> bool:
    """Whether a column is called by the noun of staff and a role behind it: staff_sales and staff_mgr point at staff_no."""
    parts = split_name(name)
    if len(parts) != 2:
        return False
    head, role = parts
    is_named = head in split_name(key) or stem(head) == noun[-1]
    return is_named and head not in KEY_WORDS and (role in _IN_SHORT or stem(role) in _ROLES)


_WAYS = frozenset({"from", "to", "in", "out"})
"""Words behind a noun that tell the role of what is pointed at: zone_from, zone_to."""

_AMOUNTS = frozenset(
    stem(w)
    for w in ["min", "max", "num", "number", "no", "count", "cnt", "total", "tot", "avg", "average", "qty", "quantity", "days", "hours", "minutes", "per", "prior", "previous", "past", "first", "last", "next", "of", "is", "has", "price", "rate", "amount"]
)  # fmt: skip
"""Words beside a noun that count or tell something else of it: max_order is a number, no order."""


def _is_in_role(name: str, key: str, noun: Sequence[str]) -> bool:
    """Whether a column bears a role and what is pointed at, without a word for a key: orig_loc points at loc_cd, home_team at teams."""
    parts = split_name(name)
    behind = parts[-1:] if len(parts) > 1 and parts[-1] in _WAYS else []
    *before, said = parts[:-1] if behind else parts
    owned = [piece for piece in split_name(key) if stem(piece) not in KEY_WORDS][-1:]
    is_named = said in owned or stem(said) == noun[-1] and plural_of(said) != said
    roles = {stem(word) for word in (*before, *behind)}
    is_key = said in KEY_WORDS or stem(said) in KEY_WORDS  # prio_cd says nothing of what it points at
    return is_named and not is_key and len(said) > 1 and bool(roles) and not roles & _AMOUNTS


def _ends_so(name: str, key: str) -> bool:
    """Whether a name is a key's own name after words of a role: OrigDepCd points at DepCd, home_depot_id at depot_id."""
    parts, end = split_name(name), split_name(key)
    return len(end) > 1 and len(parts) > len(end) and parts[-len(end) :] == end


def _ends_whole(name: str, key: str) -> bool:
    """Whether a name is a role and a key in one piece behind it: BOSS_ENO points at ENO."""
    parts, end = split_name(name), split_name(key)
    return len(end) == 1 and len(end[0]) > 2 and end[0] not in KEY_WORDS and parts[1:] == end


_MADE_OF = frozenset({"copy", "crn", "credit", "rpt", "rep", "repeat", "reprint", "dup", "duplicate", "corr", "correction", "reversal", "storno", "replacement", "renewal", "followup", "child", "split"})  # fmt: skip
"""Words before “of” for a row that is made from another one; number_of and size_of count."""

_OTHERS = frozenset({"prev", "previous", "prior", "parent", "orig", "original", "repl", "replaced", "replaces", "renewed", "next"})  # fmt: skip
"""Words before a noun for another row of the same table."""


def _is_of_another(name: str, key: str, noun: Sequence[str]) -> bool:
    """Whether a column is called by another row of its table: prev_pol of policies, RPT_OF for a repeat of."""
    parts = split_name(name)
    if len(parts) == 1:
        return parts[0] == "parent" or noun[-1] in _STAFF and (stem(parts[0]) in _SELF or parts[0] == "supv")
    if len(parts) != 2:
        return False
    owned = {piece for piece in split_name(key) if stem(piece) not in KEY_WORDS} | {noun[-1]}
    if parts[1] == "of":
        return parts[0] in _MADE_OF
    return parts[0] in _OTHERS and (parts[1] in owned or stem(parts[1]) in owned)
