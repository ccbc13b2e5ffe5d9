"""Verbs that say only that something happened: used, performed, placed. Denied of a thing, they speak of its events.

General English only. The tables tell their objects; the verb itself tells nothing.
"""

from __future__ import annotations

from sqlagent.language.lexicon import words_of
from sqlagent.language.words import stem

DEEDS = words_of(
    """
    use used perform performed carry carried make made take took taken do did done place placed file filed submit submitted lodge
    lodged raise raised request requested execute executed conduct conducted run ran hold held give gave given offer offered
    assign assigned schedule scheduled book booked reserve reserved hire hired rent rented lend lent borrow borrowed order ordered
    buy bought purchase purchased sell sold drive drove driven deploy deployed visit visited attend attended receive received handle
    handled grant granted work worked write wrote written bring brought generate generated log logged involve involved serve served deliver
    delivered teach taught coach coached ship shipped move moved choose chose chosen select selected pick picked play played watch watched read stock stocked
    """
)
"""Verbs that say of an event only that there was one."""

HAPPENINGS = frozenset(
    stem(w)
    for w in [
        "purchase",
        "transaction",
        "record",
        "entry",
        "event",
        "activity",
        "usage",
        "use",
        "booking",
        "order",
    ]
)
"""Nouns that say of the noun before them that it happened: "fuel purchase", "status entry"."""

PIECEWISE = frozenset(
    stem(w)
    for w in [
        "sold",
        "sell",
        "sells",
        "buy",
        "buys",
        "bought",
        "performed",
        "done",
        "consumed",
        "handed",
        "given",
    ]
)
"""Verbs of what is done piece by piece: how many were sold is the sum of quantities, not of lines. None is a noun of events too."""

MEASURED: dict[str, tuple[str, ...]] = {
    word: tuple(columns.split())
    for words, columns in (
        ("heaviest lightest", "weight mass kg kilogram kilo ton pound gross"),
        ("longest shortest", "length distance km mile duration minute hour day page word character"),
        ("tallest", "height"),
        ("deepest shallowest", "depth"),
        ("widest narrowest", "width"),
        ("farthest furthest nearest", "distance km mile"),
        ("fastest slowest", "speed kmh mph"),
        ("hottest coldest warmest", "temperature"),
        ("richest poorest", "wealth income balance"),
    )
    for word in words.split()
}
"""Superlatives and the words of columns in which they are measured, likeliest first."""

_AUXILIARIES = words_of("be been being had have has ever yet any a an the to actually even once it they")
_DO = frozenset({"do", "does", "did", "don't", "doesn't", "didn't"})


def is_deed(word: str, denial: str) -> bool:
    """Whether a word after a denial is a verb: one of those above, or one that looks like a participle.

    After "did not" the bare form is one too.

    Example:
        >>> is_deed("performed", "never"), is_deed("smoked", "never"), is_deed("any", "never")
        (True, True, False)
    """
    if word in _AUXILIARIES:
        return False
    if word in DEEDS:
        return word.endswith(("ed", "en")) or word not in _BARE or bool(_DO & set(denial.split()))
    return len(word) > 4 and word.endswith("ed")


_BARE = words_of(
    """
    use perform carry make take do place file submit lodge raise request execute conduct hold give offer assign schedule book reserve
    hire rent lend borrow order buy purchase sell drive deploy visit attend receive handle work write bring generate log involve
    serve deliver ship move choose select pick play watch stock
    """
)
"""Of these the forms that are nouns too unless "did not" stands before them."""


def undone(word: str) -> str:
    """The verb in a word that says it was not done: "used" of "unused"; empty where there is none.

    Example:
        >>> undone("unused"), undone("unsold"), undone("under"), undone("unit")
        ('used', 'sold', '', '')
    """
    bare = word.removeprefix("un")
    return bare if bare != word and bare in DEEDS and bare not in _BARE else ""
