"""Effects of analysts' words, as data: operators, business words and the roles they stand for, general English only.

No name of any one schema stands here: a business word leads to roles (`concepts`), and those are
looked for in whatever model there is.
"""

from __future__ import annotations

from sqlagent.language.lexicon import words_of
from sqlagent.language.words import stem

OPERATORS: dict[str, tuple[str, str]] = {
    phrase: (op, detail)
    for op, detail, phrases in (
        ("by", "", "by|per|each|every|for each|for every|in each|at each|of each|split by|grouped by|group by|broken down by|breakdown by|break down by|by each|across|segmented by|sliced by|for all"),
        ("count", "", "how many|number of|count of|no of|# of|#|nr of|the number of|the count of|count|how many times|how often|volume|volume of|counts|number"),
        ("figures", "both", "how many and how much|how much and how many|number and total|total and number|number and value|value and number|count and total|total and count|count and value|number and amount|amount and number|number and sum"),
        ("much", "", "how much|how much money|what did we make|what do we make|what did we earn|what do we earn|what have we earned|what have we made|what did we take in|what did we get|what was earned|what was made"),
        ("agg", "sum", "total|sum|sum of|overall|in total|totals|combined|total of|aggregate|altogether|summed"),
        ("agg", "avg", "average|avg|mean|on average|typical|average of|avg of|averaged"),
        ("agg", "median", "median|median of"),
        ("agg", "min", "minimum|lowest possible|minimum of"),
        ("agg", "max", "maximum|maximum of"),
        ("distinct", "", "different|distinct|unique|separate"),
        ("rank", "desc", "top|best|most|highest|biggest|largest|greatest|leading|strongest|max|busiest|most popular|most common|most frequent|commonest|worth the most|most often|most frequently"),
        ("rank", "desc", "heaviest|tallest|deepest|widest|farthest|furthest|hottest|warmest|richest|most in demand|most used|most booked|most performed|most ordered|most visited|most requested|most frequently used|most often used"),
        ("rank", "asc", "lightest|shallowest|narrowest|nearest|coldest|poorest|least used|least booked|least visited|least ordered|least requested"),
        ("rank", "asc", "bottom|worst|least|lowest|smallest|fewest|weakest|quietest|min|least popular|least common|least often|least frequently"),
        ("rank", "new", "latest|newest|most recent|last|last ever|very last|recent|youngest"),
        ("rank", "old", "oldest|earliest|longest serving|longest standing|longest tenured|first|first ever|very first"),
        ("rank", "long", "longest|slowest"),
        ("rank", "short", "shortest|fastest|quickest"),
        ("rank", "dear", "most expensive|priciest|dearest|costliest|best paid|highest paid|most valuable"),
        ("rank", "cheap", "cheapest|least expensive|lowest paid|worst paid"),
        ("list", "", "list|list of|list all|show|which|what|who|whose|show me|give me|find|names of|name of|show all|details of|tell me|get me|pull"),
        ("not", "", "not|no|never|without|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|haven't|hasn't|hadn't|with no|have no|has no|had no|with zero|zero|but not|but never|never had|without any|without a|without a single|without a single one|not a single|not one|lacking|that never|who never|no longer|not any|did not|do not|does not|has not|have not|had not|nobody|none|nothing"),
        ("except", "", "excl|excl.|w/o|ex.|leaving aside|except|excluding|exclude|other than|apart from|leaving out|leave out|ignoring|ignore|minus|except for|besides|not counting|not including|without counting|skip|skipping|removing|taking out|disregarding|disregard|outside of|outside"),
        ("except", "one", "non"),
        ("missing", "", "missing|unknown|blank|null|undefined|unset|not set|not recorded|unassigned"),
        ("more", ">", "more than|more expensive than|pricier than|over|above|greater than|exceeding|exceed|exceeds|exceeded|higher than|longer than|older than|larger than|bigger than|after more than|upwards of|costing more than|costing over|worth more than|in excess of|>"),
        ("more", ">=", "at least|minimum of|no less than|not less than|>="),
        ("more", "<", "less than|under|below|fewer than|lower than|cheaper than|shorter than|younger than|smaller than|within less than|costing less than|<"),
        ("more", "<=", "at most|up to|maximum of|no more than|not more than|<=|within"),
        ("more", "=", "exactly|equal to|equals"),
        ("between", "", "between"),
        ("vs", "", "vs|versus|compare with|compare to|compares with|compares to|compare against|relative to|compared to|compared with|against|compare|in comparison with|in comparison to|as opposed to|v"),
        ("share", "", "share of|percentage of|percent of|% of|proportion of|fraction of|share|percentage|percent|%|what percentage|what share|what percent|what proportion|pct|pct of|what % of|what %|what percentage of|what share of|what proportion of|what fraction of|how big a share|contribution of|as a share|as percent"),
        ("ratio", "", "ratio|ratio of|ratio between"),
        ("rate", "", "rate"),
        ("growth", "", "growth|growth of|growth in|growth rate|grow|grew|grown|increase|increase in|increased|yoy|y/y|year over year|year on year|mom|m/m|month over month|month on month|qoq|quarter over quarter|change in|change of|change|trend growth|rise in|decline in|decrease in|percent change|percentage change"),
        ("running", "", "running total|running total of|cumulative|cumulated|cumulatively|running sum|running sum of|accumulated|running"),
        ("moving", "", "moving average|rolling average|moving avg|rolling avg|moving mean|rolling mean"),
        ("rel", "", "who|that|which|whose|where|with|having|thats|that's|who's|whos|who have|that have|who has|that has|who had|that had|that are|that were|who are|who were|which are|that is|which have|including only"),
        ("with", "", "with their|and their|and its|along with|together with|including|include|incl|plus|with the|and the corresponding|with its|alongside"),
        ("current", "", "current|currently|still|right now|now|at the moment|presently|present|existing|as of now|as of today|these days|at present|ongoing|running now|running at the moment|still running|to date|still with us|on the books|on our books"),
        ("past", "", "former|ex|previous|past|discontinued|inactive|retired|deactivated|ended|out of use|out of service|out of order|not in use|no longer in use|no longer used|no longer active|not active any more|no longer use|don't use any more|don't use anymore|not used any more|no longer offered|no longer available|no longer sold|no longer carried|no longer stocked|no longer made|no longer produced|no longer employed|no longer with us|not offered any more|not sold any more"),
        ("only", "", "only|just|only the|only those"),
        ("all", "", "all|any|entire|whole|every single"),
        ("both", "", "both"),
        ("either", "", "either"),
        ("or", "", "or"),
        ("and", "", "and|&|as well as|also|and also|,|;|then"),
        ("of", "", "of|due to|because of|owing to|for|in|from|on|at|to|into|within the|during|among|amongst|out of|under the|inside|via|through|using"),
        ("average", "", "above average|above the average|more than average|more than the average|higher than average|over average|better than average|above-average|over the average|than the average|than average"),
        ("below average", "", "below average|below the average|less than average|less than the average|under average|worse than average|below-average|under the average"),
        ("start", "", "starts with|start with|starting with|begins with|begin with|beginning with"),
        ("end", "", "ends with|end with|ending with|ending in"),
        ("contain", "", "contains|contain|containing|includes the word|with the word|mentioning|mentions|called|named"),
        ("times", "", "times"),
        ("zero", "", "include zeros|include the ones with zero|including zero|including those with none|include those without|even those without|even with zero|including the ones with none|include zero|including zeros|also those with zero|include the ones with none|incl zero"),
        ("distribution", "", "distribution|distribution of|breakdown|breakdown of|split|split of|mix|mix of|composition|composition of|histogram|histogram of"),
        ("trend", "", "trend|trend of|over time|development|development of|evolution|evolution of|trends|time series"),
        ("pivot", "", "one column per|a column per|columns per|as columns|in columns|with columns per|column for each|one column for each"),
        ("weekday", "56", "weekend|weekends|on a weekend|on weekends|on the weekend|at the weekend|at weekends|during the weekend|during weekends|over the weekend|on the weekends|at a weekend"),
        ("weekday", "01234", "on weekdays|on a weekday|on working days|on business days|on workdays|working days|workdays|business days|during weekdays|on normal weekdays"),
        ("weekday", "0", "monday|mondays|on a monday|on monday|on mondays|every monday|on the monday"),
        ("weekday", "1", "tuesday|tuesdays|on a tuesday|on tuesday|on tuesdays|every tuesday|on the tuesday"),
        ("weekday", "2", "wednesday|wednesdays|on a wednesday|on wednesday|on wednesdays|every wednesday|on the wednesday"),
        ("weekday", "3", "thursday|thursdays|on a thursday|on thursday|on thursdays|every thursday|on the thursday"),
        ("weekday", "4", "friday|fridays|on a friday|on friday|on fridays|every friday|on the friday"),
        ("weekday", "5", "saturday|saturdays|on a saturday|on saturday|on saturdays|every saturday|on the saturday"),
        ("weekday", "6", "sunday|sundays|on a sunday|on sunday|on sundays|every sunday|on the sunday"),
        ("clock", "05:00-12:00", "in the morning|in the mornings|mornings|morning|before noon"),
        ("clock", "12:00-18:00", "in the afternoon|in the afternoons|afternoons|afternoon"),
        ("clock", "18:00-24:00", "in the evening|in the evenings|evenings|evening"),
        ("clock", "22:00-05:00", "at night|during the night|overnight"),
        ("late", "", "late|overdue|too late|past due|behind schedule|past deadline|after the deadline|delayed|belated|belatedly|after the due date|after due date|past due date|past the due date|past their due date|after their due date|after its due date|past its due date|later than due|later than promised|after the promised date|after the promised day|after promised date|past the promised date|after the promised delivery date|later than planned|later than expected|after the expected date|after the agreed date|missed the deadline|past the deadline|after deadline|tardy"),
        ("on time", "", "on time|on-time|in time|punctual|punctually|on schedule|by the due date|before the due date|by the promised date|before the promised date|by the deadline|before the deadline|within the deadline|not late|ontime|not later than promised|as promised"),
        ("span", "", "wait|response time|response times|reaction time|resolution time|wait time|waiting time|lead time|turnaround|turnaround time|cycle time|processing time|handling time|transit time|delivery time|delay between|lag between|gap between|how long|duration|duration of|time between|days between|hours between|minutes between|length of time|time from|days from|hours from|days until|time until|time to|days to|hours to|minutes to|time taken to|how quickly|how fast|does it take|do they take|does it usually take|does it typically take|in advance|ahead of time|beforehand|average delay|delay|delays|days late|days overdue|how late|processing days|time it takes to|time needed to|time spent|days it takes to|days elapsed between|elapsed time between|days passed between|hours late|minutes late|shipping time|repair time|throughput time|how soon|days ahead|how far ahead|how far in advance|days in advance"),
        ("age", "", "age|how old|age in years|age group|age groups|age band|age bands|age bracket|age brackets|age range"),
        ("tenure", "", "tenure|length of service|years of service|seniority|tenure in years"),
        ("for each other", "", "respectively"),
        ("rankall", "", "rank|ranking of|ranked|ranked by|ordered by|sorted by|sort by|order by|leaderboard of"),
        ("rankall", "desc", "biggest on top|largest on top|highest on top|biggest first|largest first|highest first"),
        ("rankall", "asc", "smallest first|lowest first|fewest first|smallest on top|lowest on top"),
        ("rankall", "new", "newest first|latest first|most recent first|newest on top"),
        ("rankall", "old", "oldest first|earliest first|oldest on top"),
        ("new", "", "new|newly"),
        ("when", "", "when|what date|on which date|which date|date of"),
        ("why", "", "why"),
        ("where", "", "where"),
        ("than", "", "than"),
        ("comparative", ">", "more|higher|greater|larger|bigger|longer|better"),
        ("comparative", "<", "fewer|less|lower|smaller|shorter|worse"),
        ("same", "", "same|the same|equal"),
        ("there", "", "are there any|are there|is there any|is there|are any of|is any of|do any of|does any of|do any|does any|were there any|have any of|has any of"),
        ("aside", "", "on file|on record|in the system|in the database|in our records|at all|in any way"),
    )
    for phrase in phrases.split("|")
}  # fmt: skip
"""Phrases that do something, longest first where several fit: (operator, detail)."""

GLUE = (
    words_of(
        """
    a an the our my your their its his her is are was were be been being do does did have has had having i me we us you they it he assigned attached linked associated
    she there this that these those please can could would will should may might want need like know see tell give show get gets
    got come comes came go goes went make makes made take takes took taken put puts place placed happen happened occur occurred appear appears appeared
    receive received bring brings brought generate generated some something anything nothing everything everyone someone somebody anyone one ones whom what which how as if so
    than then out up down off about per let let's ok okay hi hello thanks thank hey actually really ever yet already here again
    too also very most much many thing things stuff people's data database table record records row rows entry info information
    figure figures result results report overview summary number in by done doing currently total respectively altogether
    individual respective corresponding overall way terms case cases look looks looking whats what's who's wheres it's its' s t im
    i'm id ive based business end day's we've we're eat eats spend spends spent write wrote written contact contacted log logged
    recorded register registered enter entered create add added use used using exist exists belong belongs perform performed them
    themselves single myself ours theirs him keep kept say said work worked works run ran handle handled own owns lives live living resident residing located sit
    sits sitting involve involved gone lead leads led making deliver responsible think because but while during across until
    """
    )
    - {"created", "due"}
    - set(OPERATORS)
)
"""Words that may stand in a question without changing what it asks."""

DESCRIBING = frozenset({"business", "individual", "single", "live", "recorded", "registered", "resident"})
"""Of these, words that describe rows where a column stores them: business customers, live listings."""

NOUN_PHRASES = frozenset({"no show", "no shows"})
"""Nouns whose first word says no elsewhere."""

DOINGS = frozenset({"done", "given", "taught", "held", "performed"})
"""Verbs that say of something agreed before that it took place."""

STATE_WORDS = DOINGS | frozenset(
    {
        "out",
        "in",
        "up",
        "off",
        "put",
        "made",
        "left",
        "taken",
        "handled",
        "registered",
        "recorded",
        "entered",
        "received",
        "used",
        "gone",
    }
)
"""Words that say little, unless rows have a state of that name."""

PARTICIPLES = frozenset(words_of(
    "paid sold sent left held born bought met begun done made built written taken given gone flown driven lent borrowed won lost hired"
))  # fmt: skip
"""Deeds of verbs that do not end in "ed"."""

WEAK_GLUE = frozenset(
    words_of(
        "kind kinds sort sorts amount amounts value values file files filed submit submitted lodge lodged incoming"
    )
)
"""Words that say little beside a noun, and something where a column bears them."""

DOMAIN_SYNONYMS = (
    "customer client account company buyer shopper consumer member guest", "employee staff worker personnel person colleague member headcount associate crew people carer caregiver",
    "order purchase", "product item article sku good part", "donation gift contribution", "donor supporter giver constituent benefactor", "sale order transaction", "vendor supplier", "store shop branch outlet location", "salesperson rep representative seller salesman agent",
    "ticket case issue request incident", "shipment delivery dispatch consignment", "department team division unit", "doctor physician provider clinician practitioner",
    "visit appointment encounter consultation", "absence leave timeoff", "vacation holiday pto", "sick illness sickness", "salary pay wage compensation earnings", "cost expense spend spending expenditure outlay",
    "revenue turnover income sale", "sell sold sale order buy bought purchase", "category type kind group class segment", "country nation", "region area territory zone", "city town", "gender sex", "invoice bill", "payment receipt pay", "signup sign", "arrival arrive", "departure depart", "delivery deliver", "closure close", "resolution resolve", "cancellation cancel", "termination term terminate", "hire hiring", "shipment ship", "return returned", "registration register", "admission admit", "discharge release",
    "subscription plan contract membership", "cancel churn terminate quit", "score rating satisfaction csat", "vaccination immunisation immunization", "surgery operation", "clinic practice", "dog canine", "cat feline", "horse equine", "quantity unit piece", "trip journey ride tour run", "delivery drop", "flat apartment unit", "lease letting tenancy rental", "job repair task assignment", "vehicle car truck van", "driver chauffeur",
    "warehouse depot", "stock inventory", "campaign promotion marketing advertising ad advert promo", "channel source medium via", "joined since", "reason cause", "job position role title", "manager boss supervisor lead", "office site location", "student pupil learner", "teacher instructor lecturer trainer coach",
    "course class", "loan credit", "claim case", "policy contract", "room unit", "guest visitor", "booking reservation", "session visit", "hours time", "rejected declined denied refused", "approved accepted", "cancelled canceled annulled",
    "completed finished done closed", "pending open waiting", "running ongoing active", "hire join start onboard", "leave quit exit depart", "return refund", "message reply comment", "reply response answer", "machine equipment device", "defect fault failure",
    "project engagement", "fee charge", "charge chargeable charged", "payout paid disbursement payment", "payer customer", "fleet vehicle lorry truck van bus car", "discount rebate", "brand make manufacturer", "user customer", "agent operator", "carrier courier", "sign register join", "create raise file log", "resolve solve close", "pay settle collect", "deliver arrive", "ship dispatch send", "birth born", "left leaving departed exit quit", "began begun begin start started", "paid paying", "sent sending dispatch", "tax vat",
    "billing cycle", "lift elevator", "technician mechanic engineer fitter", "contract agreement", "referral referred refer",  "headquarters hq", "grade level", "performance rating", "switch change move", "amount value sum total", "length duration", "weight mass", "kg kilo kilogram kilogramme", "ha hectare", "km kilometer kilometre", "ltr litre liter", "tonne ton", "rental hire", "birthday birth", "phone telephone", "email mail", "zip postcode", "money amount", "cash amount", "raise increase", "collected paid received", "owed outstanding due", "applicant candidate", "lost loss", "child kid", "delay delayed late", "piece unit", "category department", "web site online",
    "vessel ship boat ferry", "sailing crossing voyage passage", "harbor harbour port marina", "passenger traveller traveler rider", "aircraft plane airplane", "truck lorry", "bus coach", "bike bicycle cycle", "skipper captain",
    "pickup collect collection", "complaint claim grievance", "settle resolve close", "handle process", "lot batch consignment", "yield output", "scrap reject waste", "freight haulage", "pallet skid", "parcel package",
    "child kid youth", "adult grownup", "donor giver supporter", "donation gift contribution", "volunteer helper", "tenant renter lessee occupant", "landlord owner", "deposit bond", "property building house home dwelling", "plot parcel field",
    "dish meal", "waiter server", "screening showing performance", "exam examination test", "grade mark", "lesson session", "teacher tutor", "animal pet", "vet veterinarian", "patient client", "therapist physiotherapist", "treatment therapy procedure", "prescription medication drug medicine",
    "inspection check audit", "penalty fine", "outage downtime stoppage", "repair fix", "spare part component", "meter gauge", "consumption usage use", "subscriber member", "contractor subcontractor", "bid offer quote quotation", "lead prospect", "deal opportunity", "meeting appointment", "overtime extra", "shift duty", "interview screening",
    "submission submit", "decision decide", "referral refer", "receipt receive", "expiry expire end", "response respond", "entry enter", "failure fail", "application apply", "signature sign",
    "complaint complain", "settlement settle", "acquisition acquire", "publication publish", "production produce", "diagnosis diagnose",
)  # fmt: skip
"""Words that may name the same, as people use them; stems of each group stand for each other at a small cost."""


PHRASE_SYNONYMS = {stem(word): tuple(tuple(stem(w) for w in phrase.split()) for phrase in phrases.split("|")) for word, phrases in (
    ("visit", "check in|sign in|walk in"), ("attendance", "check in|sign in"), ("signup", "sign up"), ("joiner", "sign up"), ("callout", "call out"),
)}  # fmt: skip
"""Words and the names of several words that mean the same."""


def synonyms() -> dict[str, frozenset[str]]:
    """Give of each stem the stems that may stand for it."""
    out: dict[str, set[str]] = {}
    for group in DOMAIN_SYNONYMS:
        members = {stem(word) for word in group.split()}
        for member in members:
            out.setdefault(member, set()).update(members - {member})
    return {word: frozenset(others) for word, others in out.items()}


SYNONYMS = synonyms()

CONCEPTS: dict[str, str] = {
    phrase: concept
    for concept, phrases in (
        ("revenue", "revenue|sales|turnover|gmv|sales revenue|net sales|net revenue|gross sales|gross revenue|sales amount|sales value|money made|takings|proceeds|order value|sales volume|income|earned|earn|took in|billing|billings|amount billed|billed amount|invoiced value|value invoiced|billed value|invoice value|total invoiced|total billed|amount invoiced|amount charged|charged amount|value charged|invoiced amount|money|money earned|amount earned|earned amount|money brought in|raised|raise|money raised|amount raised|funds raised|fundraising income"),
        ("cost", "cost of goods|cogs|cost of sales"),
        ("spend", "spend|spending|expenses|expenditure|costs|cost|expense|money spent|outlay"),
        ("margin", "margin|profit|gross margin|gross profit|markup|profits|margins|earnings"),
        ("margin rate", "margin rate|margin percent|margin percentage|profit margin|margin %|gross margin percent|gross margin percentage|gross margin %|margin in percent|margin in %|gross margin rate|gross profit %|gross profit percent|gross profit margin|profit %"),
        ("units", "units sold|units|quantity sold|quantity|pieces|pieces sold|volume sold|qty"),
        ("units per order", "items per order|items per receipt|items per basket|items per transaction|units per receipt|units per transaction|units per basket|units per order|average items per order|avg items per order|products per order|pieces per order|basket items"),
        ("order value", "average order value|avg order value|aov|average basket|basket size|average basket size|average basket value|order size|basket value|average ticket size|average invoice value|average receipt value|average transaction value|average purchase value|average sale"),
        ("headcount", "headcount|head count|number of staff|workforce|number of heads|heads|ftes"),
        ("staff", "staff|workers|colleagues"),
        ("people", "people|persons|individuals"),
        ("signups", "signups|sign ups|sign-ups|new customers|new signups|new accounts|new users|new clients|registrations|new registrations|new members|acquired customers"),
        ("hires", "hires|new hires|joiners|new joiners|new employees|hirings|recruits|starters|new starters"),
        ("leavers", "leave|leaves|quit|resign|resigned|left|left us|left the company|leavers|departures|terminations|attrition|exits|resignations|quits"),
        ("churned", "churned customers|lost customers|churned|cancellations|churns|cancelations|lost"),
        ("churn rate", "churn rate|churn|attrition rate|turnover rate|staff turnover"),
        ("collected", "cash collected|money collected|collected cash|collections|collected|payments received|money received|cash received|received cash|cash in"),
        ("outstanding", "outstanding amount|outstanding|unpaid amount|amount owed|open amount|receivables|money owed|outstanding balance|unpaid balance|open balance|balance due|owe us|owes us|owed to us|still owe|still owed|owed"),
        ("selling", "best selling|bestselling|best-selling|top selling|top-selling|most sold|best sold|worst selling|least sold|bestseller|bestsellers|best sellers|best seller|top seller|top sellers|worst seller|worst sellers|selling"),
        ("customers", "buyers|buying customers|paying customers"),
        ("orders", "orders|order|receipts|receipt|transactions|transaction|baskets|purchases|checkouts"),
        ("ctr", "click through rate|clickthrough rate|ctr|click rate|click-through rate"),
        ("reports", "direct reports|reports to|reportees|subordinates|reporting to|report to|direct report"),
        ("utilisation", "utilization|utilisation|utilization rate|utilisation rate"),
        ("return rate", "return rate|refund rate|returns rate"),
        ("cancellation rate", "cancellation rate|cancelation rate|cancellations rate|cancel rate|rate of cancellation|rate of cancellations"),
        ("conversion rate", "conversion rate|conversion"),
    )
    for phrase in phrases.split("|")
}  # fmt: skip
"""Business words and the concept behind them, longest first where several fit."""

_EVENTS = """
    sale order invoice transaction payment booking reservation purchase charge bill fee receipt subscription rental deal contract line
    item detail visit claim trip job
"""
MONEY_EVENTS = tuple(stem(word) for word in _EVENTS.split())
"""Nouns of events that sell, likeliest first."""

_PAID = """
    payment donation invoice sale expense refund deposit withdrawal fee fine grant transfer purchase bill charge contribution pledge payout
    reimbursement transaction bonus
"""
PAID_EVENTS = frozenset(stem(word) for word in _PAID.split())
"""Nouns of events that are sums of money, so that their total is one rather than how many there are."""

UNIT_WORDS = {"day": 1.0, "days": 1.0, "hour": 24.0, "hours": 24.0, "minute": 1440.0, "minutes": 1440.0, "week": 1 / 7, "weeks": 1 / 7,
              "month": 1 / 30.4375, "months": 1 / 30.4375, "year": 1 / 365.25, "years": 1 / 365.25, "second": 86400.0, "seconds": 86400.0}  # fmt: skip
"""How many of a unit make a day."""
