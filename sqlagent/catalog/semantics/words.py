"""The meaning of words in names of columns, as data: habits of people who name tables. Nothing here belongs to one schema."""

from __future__ import annotations

from sqlagent.language.lexicon import words_of
from sqlagent.language.words import stem


def stems(text: str) -> frozenset[str]:
    """Give the stems of words kept as running text."""
    return frozenset(stem(word) for word in text.split())


OPENED = {
    "po": "purchase order", "so": "sales order", "wo": "work order", "qc": "quality check", "sls": "sales",
    "spec": "specialty", "fst": "first", "frst": "first", "lst": "last", "txt": "text", "nm": "name", "fnm": "first name", "lnm": "last name", "fn": "first name", "cty": "city", "ins": "insurance", "prov": "provider", "hosp": "hospital",
    "diag": "diagnosis", "proc": "procedure", "med": "medication", "presc": "prescription", "rx": "prescription", "drg": "drug", "dis": "discharge", "disch": "discharge", "adm": "admission",
    "bk": "booking", "bkd": "booked", "iss": "issued", "pd": "paid", "flr": "floor", "crncy": "currency", "curr": "currency", "cur": "current", "stk": "stock", "lvl": "level",
    "opn": "open", "cls": "closed", "exp": "expiry", "eff": "effective", "trm": "term", "cntr": "contract", "contr": "contract", "agt": "agent", "rep": "representative", "slsp": "salesperson",
    "gr": "gross", "nt": "net", "mrgn": "margin", "cst_amt": "cost amount", "ship": "ship", "dlvr": "delivered", "rcv": "received", "rcvd": "received", "ordrd": "ordered", "retd": "returned", "cncl": "cancelled",
    "prm": "promised", "sched": "scheduled", "act": "actual", "est": "estimated", "plnd": "planned", "bgt": "budget", "fcst": "forecast", "tgt": "target", "sz": "size", "clr": "color", "desc": "description",
    "dsc": "description", "lbl": "label", "ttl": "title", "cmpy": "company", "co": "company", "ctct": "contact", "tel": "telephone", "eml": "email", "zip": "zip", "lat": "latitude",
    "hh": "household", "acq": "acquisition", "ref": "reference", "inc": "incident", "evt": "event", "cust": "customer", "emp": "employee", "mgr": "manager", "loc": "location", "whse_loc": "location", "dt": "date", "dte": "date", "tm": "time", "ts": "time", "cd": "code", "prd": "product", "cst": "customer",
    "clnt": "client", "ord": "order", "ordr": "order", "ln": "line", "itm": "item", "stat": "status", "sts": "status", "st": "status",
    "typ": "type", "tp": "type", "ctry": "country", "cntry": "country", "reg": "region", "prc": "price", "pr": "price", "val": "value",
    "tot": "total", "disc": "discount", "rev": "revenue", "whs": "warehouse", "wh": "warehouse", "whse": "warehouse",
    "supp": "supplier", "vend": "vendor", "pmt": "payment", "pay": "payment", "shp": "shipment", "shpmt": "shipment", "del": "delivery", "dlv": "delivery",
    "ret": "return", "rtn": "return", "bal": "balance", "pat": "patient", "appt": "appointment", "phys": "physician",
    "tkt": "ticket", "usr": "user", "sess": "session", "cmp": "campaign", "camp": "campaign", "chnl": "channel", "seg": "segment",
    "dur": "duration", "mins": "minutes", "min": "minutes", "hrs": "hours", "hr": "hour", "secs": "seconds", "sec": "seconds", "created": "created", "crt": "created",
    "upd": "updated", "strt": "start", "beg": "begin", "mat": "material", "mach": "machine", "wkr": "worker", "veh": "vehicle", "drv": "driver",
    "rte": "route", "brn": "branch", "br": "branch", "flg": "flag", "ind": "indicator", "pol": "policy", "clm": "claim", "prem": "premium",
    "sku": "sku", "subs": "subscription", "sub": "subscription", "mbr": "member", "membr": "member", "rm": "room", "bkg": "booking", "resv": "reservation",
    "frt": "freight", "wgt": "weight", "svc": "service", "srv": "service", "serv": "service", "surch": "surcharge", "surchg": "surcharge", "orig": "origin", "ltr": "liter", "pcs": "pieces", "odo": "odometer", "dist": "distance",
    "prom": "promised", "purch": "purchase", "cred": "credit", "lim": "limit", "cap": "capacity", "comm": "commission", "ctrct": "contract", "wrk": "work", "wknd": "weekend", "qtr": "quarter",
    "hdr": "header", "ent": "entity", "cts": "cents", "cr": "credit", "chan": "channel", "rrp": "retail price", "chg": "charge", "chgs": "charges", "req": "requested", "pur": "purchase", "strg": "storage", "blkd": "blocked", "inact": "inactive", "ctn": "carton",
    "stf": "staff", "insr": "insurer", "tmp": "temperature", "hol": "holiday", "cal": "calendar", "lv": "left", "rsn": "reason", "rgn": "region", "mfr": "manufacturer", "eq": "equipment", "equip": "equipment", "dpt": "department", "pri": "priority", "prio": "priority", "own": "owner", "catg": "category",
    "grs": "gross", "unt": "unit", "ds": "description", "mov": "movement", "trn": "transaction", "wst": "waste", "knd": "kind", "pln": "planned", "clsd": "closed", "prs": "persons", "dmg": "damage", "cli": "client", "ofc": "office", "frq": "frequency", "canc": "cancelled", "hdl": "handler", "hdlr": "handler", "rmk": "remark", "rmks": "remarks", "incid": "incident",
}  # fmt: skip
"""Short forms in names, beside those of the language's own list; opened only inside names."""

NUMBERED = {"reg": "registration", "lic": "license", "pol": "policy", "acc": "account", "ser": "serial"}
"""Short forms that mean something else before a number: a reg no is no region's."""

DATED = {
    "fin": "finished",
    "reg": "registration",
    "ret": "return",
    "st": "start",
    "iss": "issue",
    "can": "cancelled",
    "rep": "reported",
    "app": "application",
}
"""Short forms that mean something else before a date: a reg date is no region's, a st date no status's."""

RUN_TOGETHER = words_of(
    """
    qty amt pct num account actual address agent amount average balance billing birth bonus booking branch brand budget campaign cancel canceled
    carrier category channel city claim class client closed code color comment commission company contact contract cost count
    country created credit currency current customer date delivered delivery department description detail device discontinued
    discount document driver due duration email employee ended entry event expiry factor fee first flag freight gender grade gross
    group header height hire hired history hours industry inventory invoice issued item job joined label last latitude lead level
    limit line list location loyalty machine manager margin member message method minutes model modified month name net note
    number online opened order original owner paid parent part party patient payment percent person phone plan planned points
    postal price priority product profit project promised promotion purchase quantity quarter quota rate rating reason received
    reference region rep request resolved return revenue review role room salary sale sales score season segment seller serial
    service session ship shipment shipped shipping size source staff standard start state status stock store street subtotal
    supplier support tax team territory ticket tier time title total transaction trip type unit units updated user value vehicle
    vendor visit warehouse weight work year zone
    """
)
"""Words that names run together are made of."""

PREFIXES = words_of(
    """
    dim fact fct tbl t tb v vw view stg src raw d f dw dwh rel lk lkp lu ref xref mst mstr trn tx hst hist
    """
)
SUFFIXES = words_of(
    """
    dim fact tbl table tab view master mstr mast mst hd hdr header head
    """
)

RECORDS_OPENED = {
    "ar": "article", "ba": "batch", "cp": "complaint", "ct": "contract", "cu": "customer", "dn": "delivery note", "em": "employee", "gr": "goods receipt",
    "in": "invoice", "it": "item", "iv": "invoice", "or": "order", "pm": "payment", "pr": "product", "qu": "quote", "rc": "receipt", "sh": "shipment", "su": "supplier", "tr": "tour", "vn": "vendor",
}  # fmt: skip
"""Two letters before a word for a head, a line or a master record, and what they are short for there."""

RECORD_KINDS = words_of("mast master mstr head header hd hdr line ln lines det dtl pos item")
"""Words for records of a kind, behind what they are of."""

PRICED = stems("price rate cost fee wage salary pay tariff")
"""Heads of names that say what something costs for a time."""

ASSETS = stems(
    "vehicle car van truck lorry bus bike bicycle boat vessel aircraft plane machine device tool animal horse pet room kennel building house apartment flat locker"
)
"""Nouns of things that last, whatever times their tables hold of them."""

ADDED = stems("fee tip surcharge shipping delivery tax vat")
"""Words of amounts that stand beside what was bought, and are in the total."""
PARTS = ADDED | stems("subtotal discount freight rebate refund deposit")
"""Words of amounts that a total is made of, or that were taken off it."""
BUYERS = stems("customer user member account client subscriber buyer shopper patient guest")
"""Nouns of those who buy."""
CAME_BACK = stems("return refund")
"""Nouns of rows whose goods and money came back."""
PAPERS = stems("invoice bill payment receipt refund reminder statement")
"""Nouns of what is written about what happened."""
BOUGHT = stems("purchase supplier vendor procurement")
"""Nouns of orders that the business places itself."""
STAFF = stems("employee staff worker person personnel associate people")
"""Nouns of those who work for the business."""
KEYS = stems("id key code number ref reference fk sk pk uuid guid nr")
NAMES = stems("name title label caption")
TIMES = stems(
    "date time at on day timestamp datetime when created updated since until from to month year epoch opened closed started "
    "ended begin end start valid effective birth hired left"
)
MONEY = stems(
    "amount price cost revenue salary total fee charge pay paid spend budget tax margin profit balance income sale mrr arr "
    "refund payment wage commission value due turnover premium gross net cash deposit rent fare bill subtotal earnings cents cent eur usd gbp"
)
AVERAGED = stems(
    "rate price score rating age percent percentage pct ratio temperature level average grade satisfaction latitude longitude "
    "height weight size nps csat ces stars speed pressure humidity factor index probability fte multiplier interest salary wage"
)
BULK = stems("weight mass")
BODILY = stems("height temperature pressure pulse bmi heart birth breed")
"""Words beside which a weight is of a body, and is not added up."""
PIECES = stems("unit average avg mean per each single limit max maximum min minimum standard")
"""Words with which a weight is of one piece."""
COUNTED = stems(
    "count quantity seats units number calls users visits pages clicks views impressions items guests passengers nights"
)
SPANS = {"minutes": "minutes", "minute": "minutes", "hours": "hours", "hour": "hours", "days": "days", "day": "days", "seconds": "seconds",
         "second": "seconds", "weeks": "weeks", "duration": "duration"}  # fmt: skip
STATE_CODES = {
    **dict.fromkeys(("can", "canx", "canc", "cncl", "cxl", "cx", "cnl", "cnx", "xld", "cncld"), "cancelled"), **dict.fromkeys(("vd", "voi"), "void"),
    **dict.fromkeys(("rfd", "rfnd", "refd", "ref"), "refunded"), **dict.fromkeys(("rcvd", "rcd", "recd", "rcv"), "received"),
    **dict.fromkeys(("pend", "pnd", "pen"), "pending"), **dict.fromkeys(("conf", "cnf", "cfm", "confd"), "confirmed"),
    **dict.fromkeys(("compl", "comp", "cmp", "cmpl", "cpl"), "completed"), **dict.fromkeys(("drft", "dft"), "draft"),
    **dict.fromkeys(("rej", "rjct", "rejd"), "rejected"), **dict.fromkeys(("appr", "apvd", "apr"), "approved"),
    **dict.fromkeys(("iss", "issd"), "issued"), "pd": "paid", **dict.fromkeys(("opn", "op"), "open"), **dict.fromkeys(("cls", "clsd", "clo"), "closed"),
    **dict.fromkeys(("plg", "plgd", "pldg"), "pledged"), **dict.fromkeys(("act", "actv"), "active"), "susp": "suspended", **dict.fromkeys(("exp", "expd"), "expired"),
    **dict.fromkeys(("dlvd", "dlv", "delv", "dlvrd"), "delivered"), **dict.fromkeys(("shpd", "shp"), "shipped"), **dict.fromkeys(("ns", "nsh", "noshow"), "no show"),
    **dict.fromkeys(("retd", "rtd", "rtn"), "returned"), **dict.fromkeys(("fld", "fail"), "failed"),
}  # fmt: skip
"""Codes of states that stand in no list, and what they are short for; some bear letters that their word does not have in this order."""

STATES = stems("status state stage phase condition outcome")
FLAGS = stems("is has was can flag indicator active enabled billable newsletter subscribed")
LEVELS_OF_STOCK = stems("reorder stock inventory safety")
"""Words with which a level is a number of pieces, and no rank that rows are grouped by."""
GEOGRAPHY = ("continent", "region", "country", "state", "province", "city", "town", "zip", "postcode")
CATEGORICAL = stems(
    "type category kind class grade band tier level group segment status state stage phase channel method mode priority severity reason "
    "gender sex color colour size code line brand source medium device region country city industry sector department team role plan season vintage cohort edition"
)

EARLY = stems("order created create opened open started start begin began sign signed signup sale sold purchase invoice issued issue booked "
              "booking placed hired hire registered joined visited visit entry transaction posted work call checked checkin admitted "
              "admission reported requested received event usage session scheduled departure check in rental pickup loan")  # fmt: skip
LATE = stems("update updated modified changed ship shipped deliver delivered closed close resolved resolve end ended due paid pay cancel canceled "
             "cancelled expire expired expiry term terminated termination left to until last completed finished returned valid load loaded etl "
             "synced deleted approved promised required expected planned response arrival discharge discharged checkout dropoff next scanned refunded")  # fmt: skip
NEVER = stems("due promised promise prom required expected expect eta etd planned target deadline estimated until thru update updated modified "
              "changed edited deleted removed load loaded etl synced imported extracted next renewal expire expired expiry expires reminder")  # fmt: skip
"""Words of times at which nothing has happened, or nothing of what the row is about."""

HELD = stems(
    "scheduled schedule held start starts started begin begins visit tour event session check checkin arrival departure from pickup appointment"
)
"""Words of times at which something takes place that was agreed before."""

AGREED = stems("booked booking reserved reservation requested placed entered created made")
"""Words of times at which something was agreed that takes place later."""

TAKING_PLACE = stems("appointment booking reservation tour visit class lesson course session meeting event concert show screening performance "
                     "flight trip stay rental match game exam examination training workshop seminar webinar interview exhibition surgery "
                     "shift departure consultation viewing inspection treatment")  # fmt: skip
"""Nouns of what is held at a time that was agreed before."""

TRAVELS = stems(
    "sailing flight trip voyage crossing journey ride run route train bus tram leg transfer haul shipment freight"
)
"""Nouns of what begins with a departure."""

SAME_DEED = tuple(stems(group) for group in (
    "payment paid pay settled", "sale sold sell", "message sent", "email sent", "absence start from", "claim reported filed", "invoice invoiced issued billed",
    "bill billed issued", "loss incident occurred", "purchase bought", "dispatch dispatched shipped", "shipment ship shipped", "order ordered placed",
    "ticket opened created", "return returned", "delivery delivered deliver", "hire hired", "signup signed registered", "donation donated", "call called",
))  # fmt: skip
"""Nouns with the verbs that are the same deed."""

PERSONAL = stems("birth born dob death")
ENDS = stems("end ended term termination terminated cancel canceled cancelled churn churned left leave exit valid to until expire expired "
             "discontinued resigned deactivated retired dissolved removed thru through leaving departure out quit finish finished sold scrapped disposed decommissioned deceased died")  # fmt: skip
ENDED = stems("end ended term termination terminated cancel canceled cancelled churn churned left leave exit discontinued resigned deactivated "
              "retired removed quit leaving until to thru through sold scrapped disposed decommissioned deceased died")  # fmt: skip
BEGINS = stems("start started begin began from hired hire joined since valid effective signed opened")
CODE_KINDS = stems("type kind category domain set list group class field name entity")
DATE_PARTS = stems("year month quarter week weekday day dayofweek monthname holiday fiscal")
UNIT_ENDS = {"l": "litre", "lt": "litre", "m": "metre", "h": "hour", "t": "tonne", "g": "gram", "cm": "centimetre", "mm": "millimetre", "ml": "millilitre"}  # fmt: skip
"""Units at the end of a column's name: `qty_l`, `len_m`."""
MEASURED = frozenset(["qty", "quantity", "len", "length", "width", "height", "depth", "beam", "draft", "draught", "loa", "volume", "vol", "weight", "wgt", "wt", "dist", "distance", "area", "size", "used", "consumption", "capacity", "cap", "duration", "dur", "worked"])  # fmt: skip
"""Parts of names behind which a letter is a unit."""
QUANTITIES = frozenset(["qty", "quantity", "qnty", "quant", "units"])
HANDLED = {"ord": "ordered", "shp": "shipped", "ship": "shipped", "rcv": "received", "rec": "received", "rtn": "returned", "ret": "returned", "dlv": "delivered", "inv": "invoiced", "rej": "rejected", "alloc": "allocated", "cncl": "cancelled", "bo": "backordered"}  # fmt: skip
"""Short forms behind a quantity, which say what was done with so many."""
UNITS = stems(
    "litre liter metre meter tonne ton gram kilogram kg km kilometre kwh mwh hectare ha centimetre millimetre millilitre mile"
)
"""Words that only say in what a figure is measured."""
NOT_YET = stems("estimated planned budget budgeted expected target forecast scheduled quoted")
"""Words of figures that say what was to be, not what was."""
