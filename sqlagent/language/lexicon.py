"""The meaning of words, as data: stop words, abbreviations, synonyms, adjectives and the attributes they measure.

General English and the habits of people who name columns; nothing here belongs to one schema.
"""

from __future__ import annotations


def words_of(text: str) -> frozenset[str]:
    """Give the words of a list kept as running text."""
    return frozenset(text.split())


APART = {
    "production": "production", "productions": "production", "department": "department", "departments": "department", "international": "international",
    "organisation": "organisation", "organisations": "organisation", "organization": "organisation", "organizations": "organisation",
    "university": "university", "universities": "university", "marketing": "marketing", "apartment": "apartment", "apartments": "apartment",
}  # fmt: skip
"""Stems of words that the stemmer cuts down to another word's: a production is no product, a department nothing that departs."""

IRREGULAR = {
    "people": "person",
    "persons": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "wives": "wife",
    "lives": "live",
    "criteria": "criterion",
    "phenomena": "phenomenon",
    "indices": "index",
    "matrices": "matrix",
    "data": "data",
    "media": "media",
    "staffs": "staff",
    "movies": "movie",
    "cookies": "cookie",
    "series": "series",
    "species": "species",
    "matches": "match",
    "taxes": "tax",
    "heroes": "hero",
    "bought": "buy",
    "sold": "sell",
    "taught": "teach",
    "wrote": "write",
    "written": "write",
    "won": "win",
    "lost": "lose",
    "made": "make",
    "paid": "pay",
    "spent": "spend",
    "took": "take",
    "taken": "take",
    "gave": "give",
    "given": "give",
    "held": "hold",
    "led": "lead",
    "born": "bear",
    "died": "death",
    "flew": "fly",
    "flown": "fly",
    "drove": "drive",
    "driven": "drive",
    "sang": "sing",
    "sung": "sing",
    "grew": "grow",
    "known": "know",
    "shipped": "ship",
    "weighs": "weight",
    "weighed": "weight",
    "weigh": "weight",
}

ABBREVIATIONS = {
    "fname": "first name",
    "lname": "last name",
    "firstname": "first name",
    "lastname": "last name",
    "fullname": "full name",
    "dob": "date birth",
    "mpg": "miles per gallon",
    "qty": "quantity",
    "amt": "amount",
    "addr": "address",
    "dept": "department",
    "desc": "description",
    "descr": "description",
    "emp": "employee",
    "mgr": "manager",
    "cust": "customer",
    "prod": "product",
    "num": "number",
    "nbr": "number",
    "stu": "student",
    "crs": "course",
    "acc": "account",
    "acct": "account",
    "avg": "average",
    "max": "maximum",
    "min": "minimum",
    "temp": "temperature",
    "tel": "telephone",
    "msg": "message",
    "info": "information",
    "org": "organization",
    "univ": "university",
    "govt": "government",
    "yr": "year",
    "mth": "month",
    "wk": "week",
    "pct": "percentage",
    "perc": "percentage",
    "lang": "language",
    "loc": "location",
    "lat": "latitude",
    "lng": "longitude",
    "lon": "longitude",
    "inv": "invoice",
    "trans": "transaction",
    "txn": "transaction",
    "pos": "position",
    "prof": "professor",
    "bldg": "building",
    "instr": "instructor",
    "sal": "salary",
    "cnt": "count",
    "ref": "reference",
    "img": "image",
    "grp": "group",
    "lvl": "level",
    "src": "source",
    "dest": "destination",
    "dst": "destination",
    "arr": "arrival",
    "dep": "departure",
    "cat": "category",
    "ctg": "category",
    "seq": "sequence",
    "abbr": "abbreviation",
    "spec": "specification",
    "ht": "height",
    "wt": "weight",
    "sup": "supplier",
    "comm": "commission",
    "pop": "population",
    "len": "length",
    "vol": "volume",
    "pub": "publication",
    "adv": "advisor",
    "ident": "id",
    "identifier": "id",
    "identification": "id",
    "hq": "headquarters",
    "gndr": "gender",
    "zipcode": "zip code",
    "postcode": "postal code",
    "nationality": "nationality",
    "unitprice": "unit price",
    "enr": "enrollment",
    "gni": "gross national income",
    "gnp": "gross national product",
    "gdp": "gross domestic product",
    "id": "id",
}

COMMON_NAME_WORDS = words_of(
    """id name type code date number year month day time title status price cost amount count total address
    city state country phone email description level rank size weight height length area age sex gender first
    last full start end min max average key value text note notes comment region zip postal street role job
    salary budget capacity population rating score grade credit points room building floor color model make
    order customer product student pet stu employee emp dept airport flight source dest airline album artist track
    genre book author movie film game team player match season school course class department company store
    shop station account balance user item category unit quantity user birth death home state line bus car
    """
)

STOP_WORDS = words_of(
    """a an the of for to in on at by with from and or is are was were be been being do does did done have has
    had having i me my we us our you your he she it its they them their this that these those there which who
    whom whose what when where how why all any every each some no not nor only than then as so such if but
    please can could would will shall should may might must give show list tell find return get display
    provide state name also just about into out up down over under between among per via more most less
    least fewer many much other another both either neither own same different distinct unique respectively
    corresponding along together well placed made say let see know come comes came want need like many ever least
    """
) - {"name", "state"}

COMMAND_WORDS = words_of(
    """give show list tell find return get display provide select count report compute calculate describe
    present search retrieve fetch determine identify see know want need print output enumerate extract plot
    draw compare rank sort order break breakdown group
    """
)

SYNONYM_GROUPS = (
    "country nation", "city town", "salary pay wage earn earning compensation", "price cost charge",
    "revenue sale turnover income", "customer client buyer purchaser", "employee staff worker personnel",
    "product item good article", "order purchase", "category type kind class", "gender sex",
    "teacher instructor professor lecturer faculty", "student pupil", "film movie", "car vehicle automobile",
    "id identifier identification", "location place venue site", "address residence", "phone telephone",
    "mail email", "job occupation profession position", "manager boss supervisor head", "shop store outlet branch",
    "begin start commence", "end finish", "birthday birth", "hometown home", "author writer", "song track",
    "singer artist musician vocalist performer", "amount quantity", "nationality citizenship citizen country",
    "company firm business corporation", "university college", "doctor physician", "picture photo image",
    "rating score", "rank ranking", "duration length", "capacity seat", "airline carrier", "airport",
    "departure leave depart source origin", "arrival arrive destination land", "population inhabitant people resident",
    "area size surface", "speed velocity", "weight mass", "description detail", "title name", "year", "district area region",
    "surname last family", "forename first given", "state province", "language tongue", "continent", "river", "mountain peak",
    "discount rebate", "supplier vendor provider", "invoice bill", "payment pay", "shipment delivery ship deliver",
    "return refund", "visit attend", "founded found establish", "open", "member", "team club squad", "player athlete",
    "match game", "coach trainer", "stadium arena", "concert show performance", "section division department unit",
    "maker manufacturer producer brand make", "lodging hotel", "apartment flat", "room", "agency bureau", "user account person",
    "review comment feedback", "mark grade", "horsepower power", "engine", "note remark comment", "kid child",
    "money amount cash", "reason cause motive", "visit session view hit", "web site online internet website", "category department group",
    "quantity unit piece", "amount total sum value", "status state", "channel medium", "hire start employ", "deal sale", "discontinue close end",
    "sign register registration join signup", "weight mass", "method way", "client customer account", "refund money", "device platform", "ship vessel boat", "shipment consignment", "fee charge", "staff", "session", "region territory zone", "headquarters hq headquarter", "stock inventory",
    "spend amount payment", "code abbreviation",
)  # fmt: skip

ATTRIBUTE_ADJECTIVES = {
    # word -> (attributes it measures, direction: 1 when much of it, -1 when little)
    "old": ("age birth founded date year built", 1), "elderly": ("age", 1), "young": ("age birth date year", -1),
    "heavy": ("weight mass", 1), "light": ("weight mass", -1), "tall": ("height elevation", 1),
    "high": ("height elevation altitude", 1), "low": ("height elevation altitude", -1),
    "long": ("length duration time distance minutes", 1), "short": ("length duration height time distance minutes", -1),
    "large": ("size area population capacity amount number total", 1), "big": ("size area population capacity amount", 1),
    "small": ("size area population capacity amount number", -1), "expensive": ("price cost fee amount salary rate", 1),
    "costly": ("price cost fee", 1), "pricey": ("price cost", 1),
    "cheap": ("price cost fee amount rate", -1), "fast": ("speed velocity time", 1), "quick": ("speed time duration", -1),
    "slow": ("speed time", -1), "rich": ("money wealth balance income net worth salary", 1), "wealthy": ("money wealth balance", 1),
    "poor": ("money wealth income", -1), "new": ("date year time founded", 1), "recent": ("date year time", 1),
    "late": ("date year time", 1), "latest": ("date year time", 1), "early": ("date year time", -1), "populous": ("population", 1),
    "populated": ("population", 1), "popular": ("popularity", 1), "good": ("rating score rank stars", 1),
    "bad": ("rating score rank stars", -1), "wide": ("width", 1), "narrow": ("width", -1), "deep": ("depth", 1),
    "hot": ("temperature", 1), "warm": ("temperature", 1), "cold": ("temperature", -1), "powerful": ("power horsepower", 1),
    "senior": ("age hire date year", 1), "strong": ("power strength", 1), "dense": ("density", 1), "crowded": ("population capacity attendance", 1),
    "near": ("distance", -1), "far": ("distance", 1), "profitable": ("profit", 1), "close": ("distance", -1),
    "paid": ("salary pay wage", 1), "rated": ("rating score stars rank", 1), "busy": ("", 1),
}  # fmt: skip

COMPARATIVE_FORMS = {
    "better": "good", "best": "good", "worse": "bad", "worst": "bad", "farther": "far", "farthest": "far",
    "further": "far", "furthest": "far", "earlier": "early", "earliest": "early", "later": "late", "latest": "latest",
    "newest": "new", "newer": "new", "oldest": "old", "eldest": "old", "older": "old", "elder": "old",
    "biggest": "big", "bigger": "big", "heaviest": "heavy", "heavier": "heavy", "priciest": "pricey",
    "richest": "rich", "cheapest": "cheap", "busiest": "busy", "hottest": "hot", "wealthiest": "wealthy", "costliest": "costly",
}  # fmt: skip

VERB_ATTRIBUTES = {
    "weigh": "weight", "weight": "weight", "cost": "price cost", "earn": "salary", "last": "duration length", "pay": "salary payment amount",
    "age": "age", "live": "city country address home residence state", "locate": "location city address country state", "reside": "city address residence country",
    "bear": "birth", "name": "name", "call": "name", "found": "founded year", "depart": "departure source origin from", "leave": "departure source origin from",
    "arrive": "arrival destination to", "land": "arrival destination", "fly": "destination", "own": "owner", "produce": "year", "release": "release year date", "host": "host",
    "speak": "language", "score": "score points", "measure": "length height size", "graduate": "graduation", "marry": "marital", "die": "death",
    "sell": "sales", "hire": "hire", "join": "join", "enroll": "enrollment", "register": "registration", "open": "open", "where": "location city place address country", "when": "date time year",
}  # fmt: skip

DEMONYMS = {
    "american": "united states|usa|us|america", "british": "united kingdom|uk|britain", "english": "england|united kingdom|uk",
    "french": "france", "german": "germany", "italian": "italy", "spanish": "spain", "dutch": "netherlands|holland",
    "swiss": "switzerland", "swedish": "sweden", "norwegian": "norway", "danish": "denmark", "finnish": "finland",
    "russian": "russia|russian federation", "chinese": "china", "japanese": "japan", "korean": "korea|south korea", "indian": "india",
    "brazilian": "brazil", "mexican": "mexico", "canadian": "canada", "australian": "australia", "irish": "ireland",
    "scottish": "scotland", "welsh": "wales", "greek": "greece", "turkish": "turkey", "polish": "poland", "austrian": "austria",
    "belgian": "belgium", "portuguese": "portugal", "egyptian": "egypt", "african": "africa", "european": "europe", "asian": "asia",
    "hungarian": "hungary", "czech": "czech republic|czechia", "romanian": "romania", "bulgarian": "bulgaria", "ukrainian": "ukraine",
    "argentine": "argentina", "argentinian": "argentina", "chilean": "chile", "colombian": "colombia", "israeli": "israel",
    "thai": "thailand", "vietnamese": "vietnam", "indonesian": "indonesia", "malaysian": "malaysia", "icelandic": "iceland",
    "norge": "norway", "deutschland": "germany", "espana": "spain", "suisse": "switzerland", "sverige": "sweden", "danmark": "denmark",
    "suomi": "finland", "america": "united states|usa|us", "usa": "united states|us|america", "us": "united states|usa", "uk": "united kingdom|great britain",
    "england": "united kingdom|uk", "holland": "netherlands",
    "woman": "f|female|w|women", "women": "f|female|w|women", "female": "f|female|w", "man": "m|male|men", "men": "m|male|men", "male": "m|male", "girl": "f|female", "boy": "m|male",
    "boys": "m|male", "girls": "f|female", "females": "f|female", "males": "m|male",
    "kitten": "cat", "puppy": "dog", "mathematics": "math", "maths": "math",
}  # fmt: skip

NUMBER_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1_000,
    "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12, "once": 1, "twice": 2, "thrice": 3,
}  # fmt: skip

MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
    "september": 9, "october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4,
    "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
MONTH_PATTERN = f"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
"""Any name of a month, as a regular expression."""


IMPLIED = {
    "revenue": "amount total", "sale": "amount revenue total", "turnover": "amount total", "spend": "amount total", "spending": "amount",
    "earning": "amount", "bring": "amount", "headcount": "employee", "staff": "employee", "worth": "amount value price",
    "buyer": "customer", "purchase": "order", "sold": "quantity", "sell": "quantity", "unit": "quantity",
}  # fmt: skip
"""Words that may stand for a column of another name, one way only."""

SAME_SIGN = {
    word: sign
    for sign, words in {
        "show": "show list give return display provide select report get fetch print present retrieve",
        "find": "find tell identify determine",
        "descend": "descending decreasing reverse reversed decreasingly descendingly",
        "ascend": "ascending increasing increasingly",
        "alphabet": "alphabetical alphabetically lexicographic lexicographical lexicographically alphabetic",
        "distinct": "distinct different unique",
        "each": "each every",
        "more": "greater higher larger bigger above exceeding exceeds exceed",
        "less": "fewer smaller lower below under",
        "not": "cannot don't doesn't didn't isn't aren't wasn't weren't hasn't haven't can't not",
        "most": "most",
        "least": "least fewest",
        "both": "both",
        "averag": "average avg mean",
        "order": "sorted sort ordered order ordering",
    }.items()
    for word in words.split()
}
"""Words of asking that come to the same, under one sign, so that what is learned of one holds for all."""

MEASURES = words_of("revenu sale turnov proceed profit spend incom earn charg expens quantiti")
"""Stems of what businesses add up rather than look at row by row."""

DEED_DONE = r"(?:\w{3,}ed|bought|paid|left|came|went) (?:in|on|since|before|after|during|at|from|within|this|last|again|(?:19|20)\d\d)\b"
"""Deeds of some of the things asked for, and when: "how many ordered in 2025" has no noun of its own."""
