"""Words of asking: what marks counting, averaging, ordering, comparing and the like.

A closed list by nature; which construct a cue leads to is learned (see `grammar.scoring`).
"""

from __future__ import annotations

from sqlagent.language.lexicon import words_of

CUE_WORDS = words_of(
    """number numbers count total totals sum average avg mean median maximum minimum max min most least highest
    lowest largest smallest greatest top bottom first last best worst rank ranked order ordered sort sorted
    ascending descending alphabetical alphabetically lexicographic lexicographical increasing decreasing reverse
    group grouped distinct different unique several various multiple common frequent frequently often rarely
    popular least more less fewer greater above below exceed exceeding exceeds over under older younger larger
    smaller higher lower bigger longer shorter earlier later before after since until during between within
    equal equals exactly except excluding exclude without never not neither nor both either only also including
    include includes contain contains containing begin begins beginning start starts starting end ends ending
    substring letter word prefix suffix string like similar percent percentage ratio share proportion difference
    compared per each every overall combined together total monthly yearly annual annually weekly daily quarterly
    quarter month week day year years months weeks days decade century today yesterday tomorrow current currently
    recent recently latest newest oldest time times trend over across amount value values list details
    information info data record records row rows entry entries result results answer question thing things
    kind kinds type types sorts way ways exist exists existing existed available respective respectively
    corresponding associated related belong belongs belonging has have having had use used uses using own owns
    owned appear appears made make makes take taken takes happen happened occur occurred involve involved give
    given gives get gets got come comes came go goes went work works worked live lives living located based
    whose develop developed development evolve evolved change changed changes growth everything everybody person people individual individuals fewest built event events whole entire nothing someone anyone everyone anything something none null missing empty unknown blank known called named
    titled labeled labelled please thanks thank you hello hi could would should let's lets show me tell want need
    like know see see many much how what which who when where why all any some no one ones it's there
    half twice double exact same single sole alone case cases least equal descending order from high low to
    bring brings brought earn earns earned do did does done place placed places buy buys bought sell sells sold
    perform performed performs receive received receives hold holds held find finds found contain
    """
)
