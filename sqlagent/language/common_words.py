"""Common English words, which are never taken for a stored value that is only spelled alike.

A closed list of general English: words of asking, function words, and the verbs, adverbs and adjectives that
any question may hold. Names of things, which values often are, stand in no list here.
"""

from __future__ import annotations

import re

from sqlagent.language.cues import CUE_WORDS
from sqlagent.language.lexicon import (
    ATTRIBUTE_ADJECTIVES,
    COMMAND_WORDS,
    COMPARATIVE_FORMS,
    MONTHS,
    NUMBER_WORDS,
    STOP_WORDS,
    VERB_ATTRIBUTES,
    words_of,
)
from sqlagent.language.words import stem

_FURTHER = words_of(
    """about above according across actually add added after again against ago ahead allow almost alone along already
    although always among amount answer anyone anything anyway apart apply around aside ask assume assuming away back
    because become before begin behind being believe below beside besides beyond break bring build call cancel care carry
    cause certain check choose claim clear clearly close complete consider contain continue could create cut date deal
    decide delay deliver depend describe detail did die discover divide doing done due during early earn easy either else
    end enjoy enough even ever every everyone exactly expect explain express fail fall far feel few fill final finally find
    finish fit fix follow following form free full further general generally give given go going good great grow guess
    had half handle hand happen hard have hear help hence hence here herself high himself hold however identify if
    ignore imagine important improve include increase indeed inside instead intend into involve issue itself join just
    keep kind know large last late lead learn leave left lend less let lie like likely link list little live look lose
    low main mainly make manage matter may maybe mean meanwhile measure meet mention might mind miss move much must
    name namely near nearly need never next nobody normal normally nothing now occur offer often once open order
    originally other otherwise ought out outside own part particular particularly pay people perhaps pick place plan play
    plus point possible possibly prefer prepare present previous previously probably produce provide put quite raise
    rather reach read ready real really reason receive record reduce refer regarding relate remain remember remove repeat
    replace reply report request require rest result return right roughly run say second see seem sell send separate serve
    set several share shall short should show side similar simple simply since single small soon sort speak specific
    specifically spend stand start state stay still stop strong such suggest suppose sure take talk tell than thank that
    then there therefore these they think third those though through throughout thus together too toward towards try
    turn type typical typically understand unless unlike until unusual upon use useful usual usually various very via
    visit wait walk want watch well were what whatever when whenever where whereas wherever whether which while whoever
    whole whom whose why will wish with within without won word worse would write wrong yes yet
    """
)
_COMMON = frozenset(
    (
        *_FURTHER, *STOP_WORDS, *CUE_WORDS, *COMMAND_WORDS, *ATTRIBUTE_ADJECTIVES, *COMPARATIVE_FORMS,
        *VERB_ATTRIBUTES, *NUMBER_WORDS, *MONTHS,
    )
)  # fmt: skip
_STEMS = frozenset(map(stem, _COMMON))


def is_common(words: str) -> bool:
    """Tell whether a text is made of common English words alone, in any of their forms.

    Example:
        >>> is_common("Also"), is_common("Please name"), is_common("delivered"), is_common("Alonso"), is_common("Also Oslo")
        (True, True, True, False, False)
    """
    found = re.findall(r"[^\W_]+(?:'[^\W_]+)?", words.lower())
    return bool(found) and all(word in _COMMON or stem(word) in _STEMS for word in found)
