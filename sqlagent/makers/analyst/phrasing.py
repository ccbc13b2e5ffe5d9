"""A question as people type it, in the words it is read by: short forms opened, turns of phrase reworded, signs apart."""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Role
from sqlagent.catalog.semantics.words import UNIT_ENDS
from sqlagent.language.lexicon import MONTH_PATTERN
from sqlagent.language.scales import scales_written_out
from sqlagent.makers.analyst.areas import with_areas
from sqlagent.makers.analyst.coded_phrases import with_codes
from sqlagent.makers.analyst.flag_people import with_flag_people
from sqlagent.makers.analyst.money_back import with_refunds
from sqlagent.makers.analyst.own_business import without_idle_deeds
from sqlagent.makers.analyst.phrasal_verbs import with_one_verb
from sqlagent.makers.analyst.seasons import with_seasons
from sqlagent.makers.analyst.state_families import with_families
from sqlagent.makers.analyst.targets import Target
from sqlagent.makers.analyst.vocabulary import Vocabulary

_JOINED = re.compile(r"\b\d{4}[/-]\d{2}(?:\d{2})?\b")
_NUMBER_OF = re.compile(r"\b(?:no\.?|nr\.?|nos\.?|nbr\.?|num\.?) of\b", re.IGNORECASE)
_OF_NOW = re.compile(r"\b(this|last) (year|quarter|month|week)['’]?s(?= [a-z])", re.IGNORECASE)
""" "this years orders": an apostrophe that was left out."""
_WITHOUT = re.compile(r"(?<![\w/])w/o(?![\w/])", re.IGNORECASE)
_REPEATED = re.compile(r"([,;.?!:])(?: ?\1)+")
_BY_GRAIN = re.compile(
    r"\b(day|week|month|quarter|year) (?:by|on|after) \1\b(?! growth| change)", re.IGNORECASE
)
"""One period after the other: "month by month"."""
_SHORT_GRAINS = {
    "yr": "year", "yrs": "years", "qtr": "quarter", "qtrs": "quarters", "mth": "month", "mths": "months", "mnth": "month", "mnths": "months", "mo": "month", "wk": "week", "wks": "weeks",
}  # fmt: skip
_SHORT_GRAIN = re.compile(rf"(?<![\w-])(?:{'|'.join(_SHORT_GRAINS)})(?![\w-])", re.IGNORECASE)
_SAYS_NOTHING = re.compile(r"\b(?:so far|side by side|next to each other|all in all|if any)\b", re.IGNORECASE)
"""Phrases whose words mean something alone and nothing together."""
_N = re.compile(r"(?<=[a-z]{2})\s+'?n'?\s+(?=[a-z]{2})")
""" "hotels n restaurants"; a code N is written large."""


STORED = 0.1
"""Cost up to which a word is stored as it was typed."""

_GROWTH = re.compile(r"\b(?:growth|grow|grew|grown|increase|increased)\b", re.IGNORECASE)
_IN_PERCENT = re.compile(r",? (?:in|as) (?:%|percent|per cent|a percentage)$", re.IGNORECASE)
"""Growth is told in percent, whether that is said or not."""


def condensed(text: str) -> str:
    """Put one space for several, and one mark for several of a kind: patterns then take time in proportion to a text.

    Example:
        >>> condensed("sales ,, ,  by   month ;;")
        'sales , by month ;'
    """
    return _REPEATED.sub(r"\1", " ".join(text.split()))


def prepared(text: str, vocabulary: Vocabulary) -> str:
    """Give a question as it is cut: "w/o" and "n" opened, signs apart, stored years quoted. A text that was prepared stays as it is."""
    text = scales_written_out(text)
    text = _OF_NOW.sub(r"\1 \2", _NUMBER_OF.sub("number of", _N.sub(" and ", text)))
    if _GROWTH.search(text):
        text = _IN_PERCENT.sub("", text)
    text = _SAYS_NOTHING.sub(" ", _WITHOUT.sub("without", _in_stored_words(text, vocabulary)))
    text = _SHORT_GRAIN.sub(lambda short: _opened(short.group(), vocabulary), _BY_GRAIN.sub(r"by \1", text))
    for found, written in _REWRITTEN:
        text = found.sub(written, text)
    runs = any(t.kind == "value" and t.cost < STORED for t in vocabulary.targets(["running"]))
    state = "running" if runs else "active"
    text = _RUNNING.sub(lambda found: f"{found['are'] or ''} {state}".strip(), text)
    text = _WITH_UNIT.sub(lambda found: _apart(found, vocabulary), text)
    if _CAME_IN.search(text) and any(t.kind == "thing" for t in vocabulary.targets(["visit"])):
        text = _CAME_IN.sub("visited", text)
    text = _RECEIVABLES.sub(lambda found: _unpaid_amount(found, vocabulary), text)
    text = _OUTSTANDING.sub(lambda found: _unpaid(found, vocabulary), text)
    text = _EX_PLACE.sub(lambda found: _from_place(found, vocabulary), text)
    text = _SPLIT_VALUES.sub(lambda found: _by_their_column(found, vocabulary), text)
    text = _RATE.sub(lambda found: _regular(found, vocabulary), text)
    text = _CHARGES_OF.sub(lambda found: _amount_of(found, vocabulary), text)
    text = _LIVE.sub(lambda found: _active(found, vocabulary), text)
    text = _MAKE.sub(lambda found: _made_by(found, vocabulary), text)
    text = _ACRONYM.sub(_without_acronym, text)
    text = _UNDER.sub(lambda found: _with_one(found, vocabulary), text)
    text = _ARRIVED.sub(lambda found: _until_arrival(found[0], vocabulary), text)
    text = _REPAIRED.sub(lambda found: _resolved(found[0], vocabulary), text)
    if _CAME_BACK.search(text) and any(t.kind == "field" for t in vocabulary.targets(["returned"])):
        text = _CAME_BACK.sub("returned", text)
    text = _MOST_DONE.sub(lambda found: _with_the_most(found, vocabulary), text)
    text = without_idle_deeds(_WE_DID.sub(lambda found: _deed_done(found, vocabulary), text), vocabulary)
    text = _BY_NUMBER.sub(lambda found: _column_of_numbers(found, vocabulary), text)
    text = _PERCENT_OF.sub("as a percentage of ", text)
    text = _LAST_TIME.sub(r"\1 \2", text)
    for years in (_YEARS_OF_SPAN, _SPAN_OF_YEARS):
        text = years.sub(r"\g<span> \g<one> \g<vs> \g<span> \g<two>", text)
    text = _OPPOSED.sub(lambda found: _opposed(found.group(), vocabulary), text)
    text = text.replace("(", " , ").replace(")", " ")
    return " ".join(text.replace("%", " % ").replace("#", " # ").split())


_RUNNING = re.compile(
    r"\b(?:(?:that|which) )?(?P<are>are|is) (?:currently |still |now )?running(?: (?:today|now|right now|currently|at the moment))?(?=$| (?:by|per|for|in|at|with|of)\b|[?,.])"
    r"|\brunning (?:today|now|right now|currently|at the moment)\b",
    re.IGNORECASE,
)
_WITH_UNIT = re.compile(
    r"(?<![\w$€£.,])(\d[\d.,]*)\s?(m|met(?:er|re)s?|l|lit(?:er|re)s?|t|tons?|tonnes?|h|g|cm|mm|ml)\b",
    re.IGNORECASE,
)
_TALLER = re.compile(
    r"\b(?:long|wid|deep|tall|high|heavi|broad|narrow|short|light)e?r than (?:a )?$", re.IGNORECASE
)
_UNITS_SAID = {**UNIT_ENDS, "h": "hours", "ton": "tonne", "meter": "metre", "liter": "litre"}
"""Units as people type them behind a number, and the word that columns in them bear."""


def _apart(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """ "20m" as 20 metres where a column is kept in metres, the length first; elsewhere it is 20 million."""
    said = found[2].lower()
    unit = _UNITS_SAID.get(said, _UNITS_SAID.get(said.rstrip("s"), said.rstrip("s")))
    if unit == "hours":
        return f"{found[1]} {unit}"
    kept = [target for target in vocabulary.targets([unit]) if target.kind == "field"]
    if not kept:
        return found[0]
    if _TALLER.search(found.string[: found.start()]):
        return found[1]
    long = {(t.table, t.column) for t in vocabulary.targets(["length"])} if unit == "metre" else set()
    return f"{found[1]} {'length' if any((t.table, t.column) in long for t in kept) else unit}"


_BY_NUMBER = re.compile(r"\b(?P<way>by|per) (?:the )?number of (?P<what>[a-z][\w-]*)(?=$|[,;?.]| (?:in|for|of|this|last)\b)", re.IGNORECASE)  # fmt: skip
""" "Rent by number of bedrooms": what is counted is stored, and no rows are."""


def _column_of_numbers(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """The column alone, where one of few numbers bears the name and no table does."""
    best = next(iter(vocabulary.targets([found["what"].lower()])), None)
    one = (
        vocabulary.model.field(best.table, best.column) if best is not None and best.kind == "field" else None
    )
    is_counted = best is not None and best.cost < STORED and one is not None and one.is_number and one.few
    return f"{found['way']} {found['what']}" if is_counted else found[0]


_RECEIVABLES = re.compile(
    r"\b(?:(?P<late>overdue|past[- ]due) |outstanding |open |unpaid )?(?:accounts )?receivables?\b",
    re.IGNORECASE,
)
""" "Outstanding receivables": what is not paid, and not what was received."""

_BILL = r"(?P<bill>invoices?|bills?|payments?|fees?|charges?|premiums?)"
_OUTSTANDING = re.compile(
    rf"(?P<lead>\b(?:how many|number of|count of|count|amount of|value of|sum of|list|show|which) (?:the |our |all )*)(?:outstanding (?P<kind>[a-z]+ )??{_BILL}|(?P<kind_2>[a-z]+ )??{_BILL.replace('bill>', 'bill_2>')} (?:are|is|were|remain) (?:still )?outstanding)\b",
    re.IGNORECASE,
)
""" "How many invoices are outstanding": they are counted, and not added up."""

_EX_PLACE = re.compile(r"(?<=[a-z] )[Ee]x (?P<place>[A-Z][\w-]+)")
""" "Shipments ex China": from there, as carriers and growers say it."""

_SPLIT_VALUES = re.compile(
    r",? (?:(?:split|broken down|divided) (?:up )?(?:into |by |between |in )?)(?P<values>[\w-]+(?: ?[/,] ?[\w-]+)+(?:,? (?:and|or) [\w-]+)?)(?=$|[,;?.])",
    re.IGNORECASE,
)
""" "Count split sea / air / road": one row for each of these values."""

_RATE = re.compile(
    r"\b(?P<agg>average|avg|mean|median|highest|lowest) (?P<what>[a-z]+) per (?P<grain>month|week|day|hour|year)(?= (?:by|per|for each|for every|in each|of each) )",
    re.IGNORECASE,
)
""" "Mean fee per month by plan": the monthly fee, where a column is called so, and no groups of months."""

_CHARGES_OF = re.compile(
    r"\b(?P<kind>[a-z][\w-]+) (?:charges|fees) (?=(?:invoiced|billed|charged|collected)\b)", re.IGNORECASE
)
""" "Storage charges invoiced": how much that was, where a kind of lines is called so."""

_REGULARLY = {"hour": "hourly", "day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
_LIVE = re.compile(
    r"(?P<lead>^|\b(?:our|the|all|any|how many|count|of|with|per|by|are|an?|no) )live (?P<noun>[a-z][\w-]*)",
    re.IGNORECASE,
)
""" "Live policies": what holds now, where no state is called so."""

_MAKE = re.compile(
    r"\b(?P<way>by|per|each|every) (?P<owner>[a-z][\w-]* )?makes?(?=$|[,;:?.]| (?:in|for|of|and|this|last|with|during|since)\b)",
    re.IGNORECASE,
)
""" "Repairs by make": who made it."""

_ACRONYM = re.compile(r"\b(?P<short>[A-Z]{2,6}) \((?P<long>[a-z][a-z -]{4,60})\)")
""" "NFF (no fault found)": the same twice."""

_MONTHLY = rf"(?:{MONTH_PATTERN}|q[1-4]|h[12]|\d{{4}}|last|this|the)"
_LEFT_OUT = (
    r"\b(?:excluding|excl\.?|except(?: for)?|leaving out|ignoring|not counting|without counting|minus)"
)
"""Words behind which a denial is denied: those without orders left out are those with orders."""
_REWRITTEN = (
    (re.compile(r"^what (?:did|do|have|has) (?:we|they|you) (?:all )?(?=(?:invoice|bill|charge|spend|pay|collect)(?:d|ed)?\b)", re.IGNORECASE), "how much did we "),
    (re.compile(r"\b(\d[\d,.]*(?: ?%| percent)?) (?:or|and) (?:over|more|above|older|higher|greater|longer|up)\b", re.IGNORECASE), r"at least \1"),
    (re.compile(r"\b(\d[\d,.]*(?: ?%| percent)?) (?:or|and) (?:under|less|fewer|below|younger|lower|shorter)\b", re.IGNORECASE), r"at most \1"),
    (re.compile(r"\b(do|does|did|has|have|had|is|are|was|were)nt\b", re.IGNORECASE), r"\1n't"),
    (re.compile(r"\b(?:that |which |who )?(?:take|takes|took) (?:the )?(longest|shortest) (from|between|to)\b", re.IGNORECASE), r"with the \1 time \2"),
    (re.compile(r"(?<=\d )and (?:has |have |had )?(?:already|since|later) (?=\w)", re.IGNORECASE), "who "),
    (re.compile(r"\b(?<=s )(order|visit|rent|book|purchas)ing(?= (?:per|by|each|in|during|since|this|last)\b)", re.IGNORECASE), r"who \1ed"),
    (re.compile(r"\b(from|between) (?:the |its )?report (to|and) (?=[a-z])", re.IGNORECASE), r"\1 reported \2 "),
    (re.compile(r"\b(?:still )?not (?:yet )?(?:been )?(closed|resolved|settled|answered|paid|finished|completed|delivered|repaired|fixed)(?: yet)? after (?:more than |over |longer than )?(\d+ (?:days?|weeks?|months?))\b", re.IGNORECASE), r"un\1 more than \2 ago"),
    (re.compile(r"\b(?:which |that )?(?:are )?(?:more than|over|longer than) (\d+ (?:days?|weeks?|months?)) (?:overdue|past due)(?=$|[,;?.]| (?:by|per|with|and)\b)", re.IGNORECASE), r"overdue due more than \1 ago"),
    (re.compile(r"\b(?:overdue|past due) (?:by |for |since )?(?:more than|over|longer than) (\d+ (?:days?|weeks?|months?))(?=$|[,;?.]| (?:by|per|with|and)\b)", re.IGNORECASE), r"overdue due more than \1 ago"),
    (re.compile(r"\be[- ]?mail add?res+(?:es)?\b", re.IGNORECASE), "email"),
    (re.compile(r"\b(?:only|just) once\b|\bonce only\b", re.IGNORECASE), "exactly once"),
    (re.compile(r"\b(?:placed|made|had|have|has|with|bought|took) (?:only|just) (?:one|1)\b", re.IGNORECASE), "with exactly one"),
    (re.compile(r"\b(order|invoice|job|ticket|account|contract|serial|batch|part|po|quote|claim|policy) no(?=\s*(?:,|$|and\b))", re.IGNORECASE), r"\1 number"),
    (re.compile(r"\b(q[1-4]|h[12]|[1-4]q) ?['’-]? ?([0-4]\d)\b(?![.,%\d])", re.IGNORECASE), r"\1 20\2"),
    (re.compile(rf"\b({MONTH_PATTERN}) ?['’-]([0-4]\d)\b(?![.,%\d])", re.IGNORECASE), r"\1 20\2"),
    (re.compile(r"\b(?<!not )(?<!still )([a-z]{3,}ed) with us\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\b((?:share|percentage|percent|proportion|part|%) of (?:all |our |the )*[\w-]+(?: [\w-]+)?) (?:that |which )?(?:carry|carries|carried|include|includes|included|contain|contains|contained|involve|involves|involved|come with|came with|bear|got|get) (?=an? |any |some |at least )", re.IGNORECASE), r"\1 with "),
    (re.compile(r"\b(?:that |which )?we(?: have| had|['’]ve)? ever (?:issued|made|had|sold|got|received|sent|did|raised|placed|billed|wrote|took)\b", re.IGNORECASE), ""),
    (re.compile(r"\b(?:that |who |which )?(?:placed|made|had|did|took|booked|attended|got|received) (?:their|his|her|its) (first|last|latest|most recent) ([\w-]+(?: [\w-]+)??) (?=(?:in|on|during|before|after|since|between|this|last)\b)", re.IGNORECASE), r"whose \1 \2 was "),
    (re.compile(r"\b(done|completed|finished|delivered|paid|shipped|returned|closed|repaired|resolved|settled|made|held|took place) (?:after|past|later than) (?:(?:the|its|their|when) )?(?:(?:they|it) (?:was|were) )?(?:planned|due|promised|scheduled|agreed|expected|required)(?: date| day| time)?\b", re.IGNORECASE), r"\1 late"),
    (re.compile(r"\b(days|hours|minutes) (?:paid|delivered|finished|completed|done|shipped|arrived|returned) late\b", re.IGNORECASE), r"\1 late"),
    (re.compile(r"\b(days|hours|minutes|time) ([a-z]{3,}ed|paid|sent|sold|held|made|bought) to ([a-z]{3,}ed|paid|sent|sold|held|made|bought)\b", re.IGNORECASE), r"\1 from \2 to \3"),
    (re.compile(r"\bprice list (?:of|for) (?:the |our |all )?([\w -]+)$", re.IGNORECASE), r"list \1 with price"),
    (re.compile(r"^how many (.+?),? and what (?:are they|is it|they are|it is) worth(?: in total| altogether)?(?=\s*\??$)", re.IGNORECASE), r"number and total amount of \1"),
    (re.compile(r"^(?:the |our )?(highest|lowest|best|worst|biggest|busiest|slowest) (?!(?:selling|paid|rated|single)\b)([a-z][\w-]*(?: [a-z][\w-]*)?) (day|week|month|quarter|year)(?= in\b| of\b|$)", re.IGNORECASE), r"\3 with the \1 \2"),
    *(
        (re.compile(rf"^(which|what) (day of the week|weekday|day|month|quarter|year|hour)s? (?:do|does|did) (?:people|customers|clients|guests|we|they|everyone) (?:{verbs})(?: something| things)? (?:the )?(most|least)(?: often)?\b", re.IGNORECASE), rf"\1 \2 has the \3 {noun}")
        for verbs, noun in (("buy|order|shop|purchase", "orders"), ("visit|come", "visits"), ("book|reserve", "bookings"))
    ),
    (re.compile(r"\bbest[- ]selling (day|week|month|quarter|year)\b", re.IGNORECASE), r"\1 with the most units sold"),
    (re.compile(r"\b(most|least) (return|refund|cancel|review)(?:l?ed|ed) ([a-z][\w-]*)\b", re.IGNORECASE), r"\3 with the \1 \2s"),
    (re.compile(r"(?<![\w/])w/ ?(?=\w)", re.IGNORECASE), "with "),
    (re.compile(r"^(?!how |which |what )(.+?),? (?:and )?(?:please )?(?:list|show|name|display) (?:them|these|those)(?: all| please)?$", re.IGNORECASE), r"list \1"),
    (re.compile(r",? (?:by )?names?,? not (?:by )?(?:the )?(?:codes?|ids?|numbers?)(?: please)?$", re.IGNORECASE), ""),
    (re.compile(r"\b(we|they|you)ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\baveraging\b", re.IGNORECASE), "with average"),
    (re.compile(rf"\btook in (?=(?:{_MONTHLY})\b)", re.IGNORECASE), "took during "),
    (re.compile(r"\b(?:(?:that|which) )?(?:will )?ends? (?=(?:with)?in \d+ (?:days|weeks|months)\b)", re.IGNORECASE), "ending "),
    (re.compile(r"\b(expir(?:ing|es?)|ending|due|laps(?:ing|es?)|matur(?:ing|es?)) (?:with)?in (?=\d+ (?:days|weeks|months)\b(?! (?:of|after|from|before|since|ago)\b))", re.IGNORECASE), r"\1 during the next "),
    (re.compile(rf"\bending (?:in|within) (?=(?:(?:the )?next|{_MONTHLY})\b)", re.IGNORECASE), "ending during "),
    (re.compile(r"\b(first|last) (?:day|date) of (?!(?:the |this |last |each |every )?(?:day|week|month|quarter|year|season)\b)", re.IGNORECASE), r"when was the \1 "),
    (re.compile(r"\b(gr(?:ew|ow|ows|own|owing)|r(?:ose|ise|ises|ising)|increas(?:ed|es|e|ing)|f(?:ell|all|alls|alling)|declin(?:ed|es|e|ing)|dropp(?:ed|ing)|shr(?:ank|ink|inks|inking)) (?:the )?(?:fastest|quickest)\b", re.IGNORECASE), r"\1 the most"),
    (re.compile(r"\b(gr(?:ew|ow|ows|own|owing)|r(?:ose|ise|ises|ising)|increas(?:ed|es|e|ing)) (?:the )?slowest\b", re.IGNORECASE), r"\1 the least"),
    (re.compile(r"^(?:which|what) ([a-z][\w-]*(?: [a-z][\w-]*)?) (?:do|does|did) (?:our |the )?([a-z][\w-]*) use (?:the )?most(?: often| frequently)?(?=$| (?:in|during|since|this|last)\b|[?.!])", re.IGNORECASE), r"most used \1 of \2"),
    (re.compile(r"^(?:(?:which|what|the) )?([a-z][\w-]*(?: [a-z][\w-]*)?) (?:(?:is|are|was|were|gets?) )?used (?:the )?most(?: often| frequently)?(?=$| (?:in|by|per|during|since|this|last)\b|[?.!])", re.IGNORECASE), r"most used \1"),
    (re.compile(r"\b(?:that|which) costs? (?=between\b)", re.IGNORECASE), ""),
    (re.compile(r"\b(?:that|which) costs? (?=(?:more|less|over|under|above|below|at least|at most|up to)\b)", re.IGNORECASE), "costing "),
    (re.compile(r"\b(?:how old (?:is|are|was|were)|(?:the )?ages? of) (?:our |the )?oldest (?=[a-z])", re.IGNORECASE), "maximum age of "),
    (re.compile(r"\b(?:how old (?:is|are|was|were)|(?:the )?ages? of) (?:our |the )?youngest (?=[a-z])", re.IGNORECASE), "minimum age of "),
    (re.compile(r"\b(age|how old)((?: of| are| were)? (?:(?:our|the|all|new) )*[a-z][\w-]*?s?)?,? (?:on average )?when (?:(?:they|he|she|people) )?(?:were |was |are |have |had )?([a-z]{4,}(?: (?:up|in|on))?)\b", re.IGNORECASE), r"\1 at \3\2"),
    (re.compile(r"\b(makes?|made|earns?|earned|brings? in|brought in|generates?|generated|brings?) (us )?(the )?(most|least) (?:money|cash)\b", re.IGNORECASE), r"\1 the \4 revenue"),
    (re.compile(r"^(?!(?:how|what|which)\b)((?:(?:our|all|the) )*[a-z][\w-]*(?: [a-z][\w-]*)? (?:over|under|above|below|(?:older|younger|cheaper|longer|shorter|larger|smaller|more expensive|bigger|more|less) than) [\d.,]+(?: ?%| [a-z]+)??),?(?: as)? (?:a |the )?(share|percentage|%|proportion) of ((?:total |all )?[a-z]+)\b", re.IGNORECASE), r"\2 of \3 from \1"),
    (re.compile(r",? since (?:the )?(?:very )?(?:start|beginning|inception|day one|we started|we began)(?: of (?:the )?(?:records|data|time))?(?=\s*[?.!]*$)", re.IGNORECASE), ""),
    (re.compile(r"\b(past due|overdue|unpaid|outstanding|not (?:yet )?paid|still open)((?: [a-z]+)?) as of (?:today|now)\b", re.IGNORECASE), r"\1\2"),
    (re.compile(r"\b(between|from) (?:right )?now (and|to|until)\b", re.IGNORECASE), r"\1 today \2"),
    (re.compile(r"\b(?:(?:who|that|which) )?(?:(?:are|is) )?still (?:work|works|working|employed|employs)(?: (?:here|for us|with us|at the company))(?=$|[,?.]| (?:in|on|by|per|for|with|and)\b)", re.IGNORECASE), "still with us"),
    (re.compile(r"\b(?:has|have|had) (?:already )?(?:run out|lapsed)(?=$|[,;?.)]| (?:in|on|by|before|since|this|last)\b)", re.IGNORECASE), "has expired"),
    (re.compile(r"\b(?:run|runs|running|ran) out(?= (?:in|on|between|by|before|after|during|this|next|within|from|soon)\b|$)", re.IGNORECASE), "expiring"),
    (re.compile(r"^(which|what) (weekday|day of the week|day|month|quarter|year|hour)s? (?:sells|sell|sold|makes|make|made|earns|earned|brings in|brought in|generates|generated) (?:the )?(most|least)(?: money| revenue| sales)?\b", re.IGNORECASE), r"\1 \2 has the \3 revenue"),
    (re.compile(r"\b(?:(?:that|which) (?:are|is) )?(?:still |currently )?in (?:active )?(?:service|operation|force)(?=$|[,?.;:]| (?:have|has|that|which|from|of|by|per|for|with|and|at|today|now|right now|currently)\b)", re.IGNORECASE), "active"),
    (re.compile(r"^(how many [a-z][\w-]*(?: [a-z][\w-]*)?) (?:do|did) (?=[a-z]+ (?:more than|less than|fewer than|over|under|at least|at most|exactly|only) (?:\d+|one|two|three|four|five|six|ten)\b)", re.IGNORECASE), r"\1 who "),
    (re.compile(r"\b(?:that |which |who )?(?:are |is |were |was )?past (?:their|its|the) due (?:date|day)s?(?=$|[,;?.)]| (?:by|per|with|and|in|of|for)\b)", re.IGNORECASE), "overdue"),
    (re.compile(r"\bturned down\b(?! (?:by|to|from) (?:\d|an?\b))", re.IGNORECASE), "rejected"),
    (re.compile(r"^(?:show|list|find|give me|name|display)(?: me)? (?:the )?(?=[a-z][\w-]*(?: [a-z][\w-]*)? with the (?:longest|shortest) (?:time|duration|delay) (?:from|between)\b)", re.IGNORECASE), "which "),
    (re.compile(r"\b(billed|invoiced|charged) to (?:our |the )?(?:customers|clients)(?=$|[,;?.]| (?:by|per|each|this|last|in \d)\b)", re.IGNORECASE), r"\1"),
    (re.compile(r"\bthis year to date\b", re.IGNORECASE), "year to date"),
    (re.compile(r"\b(share|percentage|percent|proportion|%) of (?:the )?([a-z]+) ([a-z]+) (?:among|amongst|out of) (?:all )?(?:the )?([a-z]{3,}ed|open|paid|sold)(?: ones| \3)\b(?:(.*),? (?:in )?percent$)?", re.IGNORECASE), r"\1 of \4 \3 that were \2\5"),
    (re.compile(r"^who (?:among|amongst|of|out of) (?:the |our |all )*([a-z][\w-]*?(?: [a-z][\w-]*?)?)s has (?:the )?(?:highest|largest|greatest|biggest) number of ", re.IGNORECASE), r"which \1 has the most "),
    (re.compile(r"\b(?:that |which )?(?:ended up|ended|resulted|resulting|ending|came back) (?:with|in|as) (?=(?:an? |the )?no [a-z])", re.IGNORECASE), "with "),
    (re.compile(r"\b(?:that |which )?(?:have |has |had )?(?:fallen|dropped|gone|sunk|fell|slipped) (below|under|above|over) (?=(?:their|its|the) )", re.IGNORECASE), r"\1 "),
    (re.compile(r"\bby ((?:customers|clients|members|guests|users|buyers|people|patients|students|passengers)) (?=(?:who|that|not)\b)", re.IGNORECASE), r"of \1 "),
    (re.compile(r"\b(?:(?:that|which|who) )?weigh(?:s|ed|ing)? (?=(?:more|less|over|under|above|below|at least|at most|between|up to|exactly)\b)", re.IGNORECASE), ""),
    (re.compile(r"\b(?:costing|priced) (?=between\b)", re.IGNORECASE), ""),
    (re.compile(r"^(?:(?:what|which|the|show|show me) )*(?:percent(?:age)?|%|share|proportion) of (?:our |the |all )*(?P<when>(?:this|last) (?:year|quarter|month|week)['’]?s? )?(?P<what>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?) (?P<later>(?:(?:(?:in|during) )?(?:(?:this|last) (?:year|quarter|month|week)|\d{4}) )?)(?:that |which |who )?(?:have |has |had |were |was |are |is )?(?:used|use|uses|using|made use of|redeemed|applied|placed with|paid with|bought with) an? (?=[a-z])", re.IGNORECASE), r"share of \g<what> \g<when>\g<later>with a "),
    (re.compile(r"\b(?:total )?running costs?\b", re.IGNORECASE), "total costs"),
    (re.compile(r"\b(?:that |which |who )?(?:last(?:ed|s|ing)?|t(?:ook|akes?|aking)) (?=(?:more than|less than|longer than|shorter than|over|under|at least|at most|up to|between|fewer than) (?:an?|\d[\d.,]*) (?:minutes?|mins?|hours?|days?|weeks?|months?)\b)", re.IGNORECASE), ""),
    (re.compile(r"\b(more than|less than|longer than|shorter than|over|under|at least|at most|within) an? (minute|hour|day|week|month)\b", re.IGNORECASE), r"\1 1 \2s"),
    (re.compile(r"\b((?:another|(?:a )?different) [a-z]+(?: [a-z]+)?) (?:than|from) (?:where )?(?:(?:it|they|he|she|the one)(?: was| were| had)? )?[a-z]{4,}(?: up)?(?: at| in| from)?(?=\s*(?:\?|$|,))", re.IGNORECASE), r"\1"),
    (re.compile(r"\b(?:still )?(open|unpaid|pending|unresolved|unanswered) after (?:more than |over |longer than )?(\d+ (?:days?|weeks?|months?))\b", re.IGNORECASE), r"\1 more than \2 ago"),
    (re.compile(r"^how long (?:do|does|did) (?:an? |the |our |a typical )?([a-z][\w-]*(?: [a-z][\w-]*)?) (?:usually |typically |normally )?last(?: on average| typically| usually)?(?: before (?:(?:it|they|he|she) (?:is|are|was|were|gets?) |being )(cancell?ed|closed|terminated))?(?=$|[,?]| in\b| by\b| per\b)", re.IGNORECASE), r"average duration of \2 \1"),
    (re.compile(r"\b(paying (?:customers?|clients?|accounts?)(?: do we have| are there| have we got)?) (?:right now|currently|at the moment|now|today)\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\b(?:(?:for|of|from|in) )?(?:everything|everyone|anything|anyone|all(?: of (?:them|it))?) (?:but|except(?: for)?|other than|besides) (?=\w)", re.IGNORECASE), "excluding "),
    (re.compile(rf"{_LEFT_OUT} (?:those|the ones|ones|any) (?:without|with no) (?:any |an? )?", re.IGNORECASE), "that have "),
    (re.compile(rf"{_LEFT_OUT} (?:those|the ones|ones|any) (?:(?:that|which|who) )?(?:(?:were|was|are|is|have been|has been|had been|have|has|had) )?(?:not|never) (?:been )?(?=[a-z]+(?:ed|old|ent|aid)\b)", re.IGNORECASE), "that were "),
    (re.compile(rf"{_LEFT_OUT} ([a-z]+s) (?:that|which|who) (?:were|was|are|is|have been|has been|had been) (?:not|never) (?=[a-z]+(?:ed|old|ent|aid)\b)", re.IGNORECASE), r"of \1 that were "),
    (re.compile(r"\bpeople (?:who )?(?:work|are working|are employed|worked)(?: (?:for us|here))?(?= (?:in|at|per|by|for)\b|$|[?,.])", re.IGNORECASE), "staff"),
    (re.compile(r"\ban? (?=(?:hour|day|kilometre|kilometer|km|mile|litre|liter|hectare|tonne|kg|kilo|minute)\b(?! ago| earlier| later| before| after))", re.IGNORECASE), "per "),
)  # fmt: skip
"""Turns of phrase and how they are read: an hour as per hour, what we invoiced as how much."""

NAMED = 0.02
"""Cost below which a word is a table's very name."""

_DEAD = ("deceased", "died", "dead")
_OPPOSITES = {
    "living": _DEAD,
    "alive": _DEAD,
    "valid": ("voided", "void", "invalid", "cancelled", "canceled", "expired"),
}
"""States that are told by their opposite where a source keeps none of that name."""
_CAME_IN = re.compile(
    r"\b(?:came|come|comes|coming) in\b(?! (?:first|last|second|third|to|from|by|at|on)\b)", re.IGNORECASE
)
""" "Which patients came in twice": a visit, where visits are kept."""

_WE_DID = re.compile(
    r"(?<=\bmany )(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:did|do|have) (?:we|they) (?P<verb>[a-z]{4,})(?=$|[?,.]| (?:in|on|during|since|before|after|last|this|between|by|per|for|from|to)\b)",
    re.IGNORECASE,
)
""" "How many projects did we deliver in 2025"."""

_PERCENT_OF = re.compile(
    r"\b(?:in|as) (?:percent|per cent|%) of (?=(?:the |our )?[a-z])(?!(?:the |our )?(?:all|each|every|total|whole|rows)\b)",
    re.IGNORECASE,
)
""" "Freight in percent of revenue": one figure as a share of another."""

_LAST_TIME = re.compile(r"^(when .+?),? (?:for )?the (first|last) time\s*[?.]?$", re.IGNORECASE)
""" "When did the Red Lion order the last time"."""

_SPAN = r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?: ?(?:-|–|to|until|till|through) ?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)?|q[1-4]|h[12]|(?:first|second) half)"
_VERSUS = r"(?:vs\.?|versus|against|compared (?:to|with)|over)"
_YEARS = (
    rf"(?P<one>(?:19|20)\d\d|(?P<now>this year)) (?P<vs>{_VERSUS}) (?P<two>(?(now)last year|(?:19|20)\d\d))"
)
_YEARS_OF_SPAN = re.compile(
    rf"\b(?P<span>{_SPAN})(?: ?[:,]| in| of)? {_YEARS}\b(?! ?[-–])",
    re.IGNORECASE,
)
_SPAN_OF_YEARS = re.compile(
    rf"\b{_YEARS},? (?:(?:in|from|for) )?\(?(?P<span>{_SPAN})\)?(?=$|[\s,?.])(?! (?:19|20)\d\d)",
    re.IGNORECASE,
)
"""Months that stand beside two years which are compared: they are meant of each, "june to august, 2024 vs 2023"."""

_DONE = {
    "bring": "brought",
    "build": "built",
    "find": "found",
    "give": "given",
    "hold": "held",
    "keep": "kept",
    "lend": "lent",
    "lose": "lost",
    "make": "made",
    "send": "sent",
    "sell": "sold",
    "spend": "spent",
    "take": "taken",
    "teach": "taught",
    "write": "written",
}
"""Deeds of verbs that do not end in "ed" then."""

_CAME_BACK = re.compile(
    r"\b(?:came|come|comes|coming|were brought|was brought|brought|handed) back\b", re.IGNORECASE
)
_NOW = r"right now|now|currently|at the moment|today|at present"
_UNDER = re.compile(
    rf"\b(?:(?:that|which) )?(?:(?:are|is) )?(?:(?:{_NOW}) )?(?:under|on|in|covered by) (?:an? )?(?:active |current |running |valid |open )?(?P<what>contract|agreement|subscription|lease)(?: (?:{_NOW}))?(?=$|[,;?.]| (?:by|per|with|and|in|at|for|have|has|haven|hasn)\b)",
    re.IGNORECASE,
)
""" "Machines under contract right now": those with one that runs."""

_WAS = re.compile(r"\b(?:was|were|had been) $", re.IGNORECASE)
_THEN = re.compile(
    rf"^ (?:in|for|at) (?:the )?(?:(?:start|beginning|end|middle) of )?(?:\d|(?:last|this|past|previous|next|early|late|q[1-4]|spring|summer|autumn|fall|winter|{MONTH_PATTERN})\b)",
    re.IGNORECASE,
)
""" "Under contract in 2025": at another time than now."""

_ARRIVED = re.compile(
    r"\b(?:until|till) (?:we|they|someone|somebody|anyone|our [a-z]+|the [a-z]+|an? [a-z]+) (?:are|is|were|was|get|gets|got|arrives?|arrived|reach|reaches|reached)(?: (?:there|on[- ]site|at the site|on the spot|the site))?(?=$|[,;?.]| (?:by|per|in|for|this|last)\b)",
    re.IGNORECASE,
)
""" "Minutes until we are on site": until the arrival."""

_REPAIRED = re.compile(
    r"(?:(?<=\bto )|(?<=ntil )|(?<=till )|(?<=reported and ))(?:(?:it |they )?(?:was|were|is|are|got) )?(?:being )?(?:fixed|repaired|solved|sorted|fix|repair|repairs)(?=$|[,?.]| (?:by|per|in|for)\b)",
    re.IGNORECASE,
)
""" "From report to fixed": resolved, where that is what is recorded."""

_MOST_DONE = re.compile(
    r"\b(?P<way>most|least)(?: often| frequently|-)? ?(?P<verb>[a-z]{3,}ed) (?!in\b|by\b|on\b|at\b|for\b|of\b|than\b|and\b)(?P<thing>[a-z][\w-]*(?: (?!in\b|by\b|of\b|for\b|at\b|on\b|per\b|this\b|last\b|since\b|during\b|with\b)[a-z][\w-]*){0,3})",
    re.IGNORECASE,
)
""" "Most rented model": the one with the most rentals, where these are rows of their own."""

_OPPOSED = re.compile(
    rf"\b(?:{'|'.join(_OPPOSITES)})\b(?! (?:in|at|near|with|alone|abroad)\b)", re.IGNORECASE
)


def _with_one(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """Word "under contract" as having an active one, where contracts have a table and no other time than now is said."""
    text = found.string
    if _WAS.search(text, 0, found.start()) or _THEN.match(text[found.end() :]):
        return found[0]  # a contract that is active now says nothing of another time
    kept = any(
        t.kind == "thing" and t.cost < NAMED for t in vocabulary.targets([f"{found['what'].lower()}s"])
    )
    return f"with an active {found['what']}" if kept else found[0]


def _unpaid_amount(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """Receivables as the amount of unpaid or overdue invoices, where these have a table and nothing is called receivable."""
    said = [t for t in vocabulary.targets(["receivable"]) if t.cost < STORED]
    bill = next((word for word in ("invoice", "bill") if vocabulary.table_named(word)), "")
    if said or not bill:
        return found[0]
    return f"{'overdue' if found['late'] else 'unpaid'} {bill} amount"


def _unpaid(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """Outstanding rows as unpaid ones, where no state is called so."""
    if any(t.kind == "value" and t.cost < STORED for t in vocabulary.targets(["outstanding"])):
        return found[0]
    kind = found["kind"] or found["kind_2"] or ""
    return f"{found['lead']}unpaid {kind}{found['bill'] or found['bill_2']}"


def _regular(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """A rate in the words of the column that holds it; as it stands where none does."""
    said = f"{_REGULARLY[found['grain'].lower()]} {found['what'].lower()}"
    kept = any(t.kind == "field" and t.cost < STORED for t in vocabulary.targets(said.split()))
    return f"{found['agg']} {said}" if kept else found[0]


def _amount_of(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """The charges of a stored kind as its amount."""
    best = next(iter(vocabulary.targets([found["kind"].lower()])), None)
    is_kind = best is not None and best.kind == "value" and best.cost < STORED
    return f"{found['kind']} amount " if is_kind else found[0]


def _from_place(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """From a stored place, rather than what was once one."""
    is_stored = any(
        t.kind == "value" and t.cost < STORED for t in vocabulary.targets([found["place"].lower()])
    )
    return f"from {found['place']}" if is_stored else found[0]


def _by_their_column(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """Values of one column, as groups by it; as it stands where they are of several."""
    values = [one for one in re.split(r" ?[/,] ?| (?:and|or) ", found["values"]) if one]
    columns: list[set[tuple[str, str]]] = [
        {
            (t.table, t.column)
            for t in vocabulary.targets([one.lower()])
            if t.kind == "value" and t.cost < STORED
        }
        for one in values
    ]
    common = set.intersection(*columns) if columns else set()
    said = {
        one.said for table, column in common if (one := vocabulary.model.field(table, column)) is not None
    }
    if len(values) < 2 or len(said) != 1:
        return found[0]
    return f" of {', '.join(values[:-1])} and {values[-1]} by {said.pop()}"


def _active(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """Live as active, before a noun of a table and where a source stores no such word."""
    noun = vocabulary.targets([found["noun"].lower()])
    is_thing = any(t.kind == "thing" and t.cost < NAMED for t in noun)
    return (
        f"{found['lead']}active {found['noun']}"
        if is_thing and not vocabulary.targets(["live"])
        else found[0]
    )


def _made_by(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """The column of who made something, where its word is no other than another one's for it."""
    own = vocabulary.targets(["make"])
    known = (
        word
        for word in ("manufacturer", "brand", "maker")
        if any(t.kind == "field" and t.cost < STORED for t in vocabulary.targets([word]))
    )
    if any(t.cost < STORED for t in own):
        return found[0]
    return next((f"{found['way']} {word}" for word in known), found[0])


def _without_acronym(found: re.Match[str]) -> str:
    """The words for which an acronym stands, said once."""
    initials = "".join(word[0] for word in re.split(r"[ -]+", found["long"]) if word)
    return found["long"] if initials.upper() == found["short"] else found[0]


def _until_arrival(said: str, vocabulary: Vocabulary) -> str:
    """Until somebody is there, as until the time that bears the name of an arrival; as it stands where none does."""
    arrived = (t for t in vocabulary.targets(["arrived"]) if t.kind == "field" and t.cost < STORED)
    is_time = any(
        (one := vocabulary.model.field(t.table, t.column)) is not None and one.role is Role.TIME
        for t in arrived
    )
    return "until arrived" if is_time else said


def _resolved(said: str, vocabulary: Vocabulary) -> str:
    """A repair that no word of the source tells of, as the time that it was resolved, done or closed at; as it stands elsewhere."""
    own = vocabulary.targets([said.lower().split()[-1]])
    if any(
        t.cost < _KNOWN and t.kind not in ("thing", "relation") and not _is_key(t, vocabulary) for t in own
    ):
        return said
    known = (
        word
        for word in ("resolved", "completed", "finished", "closed")
        if any(t.kind == "field" and t.cost < STORED for t in vocabulary.targets([word]))
    )
    return next(known, said)


def _is_key(target: Target, vocabulary: Vocabulary) -> bool:
    one = vocabulary.model.field(target.table, target.column) if target.kind == "field" else None
    return one is not None and one.role is Role.KEY


_KNOWN = 0.3
"""Cost below which a source has a word of its own for what was said."""


def _with_the_most(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """A thing that something is done to most often, by the rows of that deed; as it stands where no table is called after it."""
    base = found["verb"].lower().removesuffix("ed")
    for deed in (
        f"{base}s",
        f"{base}als",
        f"{base}ings",
        f"{base}es",
        f"{base[:-1]}s" if base[-1:] == base[-2:-1] else f"{base}s",
    ):
        if any(t.kind == "thing" and t.cost < NAMED for t in vocabulary.targets([deed])):
            return f"{found['thing']} with the {found['way'].lower()} {deed}"
    return found[0]


def _deed_done(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """ "Projects did we deliver" as projects delivered, where a time bears that name."""
    verb = found["verb"].lower()
    done = next(
        (
            form
            for form in (_DONE.get(verb, f"{verb}ed"), f"{verb}d", f"{verb}{verb[-1]}ed", f"{verb[:-1]}ied")
            if any(t.kind in ("field", "value") and t.cost <= STORED for t in vocabulary.targets([form]))
        ),
        "",
    )
    return f"{found['what']} {done}" if done else found[0]


def _opposed(word: str, vocabulary: Vocabulary) -> str:
    """A state as what it denies, where the source only knows that: a ticket is valid that is not voided."""
    if vocabulary.targets([word.lower()]):
        return word
    known = (
        w
        for w in _OPPOSITES[word.lower()]
        if any(t.kind in ("field", "value") for t in vocabulary.targets([w]))
    )
    return next((f"non-{w}" for w in known), word)


def _opened(short: str, vocabulary: Vocabulary) -> str:
    """A grain written out, unless the source stores the short form."""
    stored = any(t.kind == "value" and t.cost < STORED for t in vocabulary.targets([short.lower()]))
    return short if stored else _SHORT_GRAINS[short.lower()]


def _in_stored_words(text: str, vocabulary: Vocabulary) -> str:
    """A question whose seasons, areas, people and codes are told as the source tells them."""
    for told in (with_one_verb, with_flag_people, with_areas, with_seasons, with_codes, _years_joined):
        text = told(text, vocabulary)
    if vocabulary.paid_back:
        text = with_refunds(text, vocabulary.paid_back)
    return with_families(text, vocabulary.families)


def _years_joined(text: str, vocabulary: Vocabulary) -> str:
    """ "2025/26" as one text where the source stores it: years of schools, seasons and budgets."""
    for found in _JOINED.findall(text):
        if vocabulary.targets([found], quoted=True):
            text = re.sub(rf"(?<![\w\"']){re.escape(found)}(?![\w\"'])", f'"{found}"', text)
    return text
