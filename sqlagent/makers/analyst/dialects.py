"""Times, texts and numbers in the words of each dialect: SQLite, PostgreSQL, MySQL, DuckDB; Spark like them where it can.

Every function here gives SQL text for an expression that is already SQL text.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from datetime import date

from sqlglot import exp
from sqlglot.dialects.mysql import MySQL

from sqlagent.catalog.semantics import Form
from sqlagent.catalog.semantics.entries import JSON
from sqlagent.language.lexicon import words_of
from sqlagent.makers.analyst.periods import Period
from sqlagent.values import USUAL_CALENDAR, Calendar

SQLITE, POSTGRES, MYSQL, DUCKDB = "sqlite", "postgres", "mysql", "duckdb"
SPARKS = ("spark", "databricks")
# Those whose words for times are known here; other dialects are left to the generator, which writes by sqlglot.
WRITTEN = (SQLITE, POSTGRES, MYSQL, DUCKDB, *SPARKS)
_TEXTS = (Form.TEXT_DAY, Form.TEXT_MOMENT)
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def has_days(form: Form | None) -> bool:
    """Whether a time written so has a day of the week."""
    return form not in (None, Form.YEAR, Form.NUMBER_MONTH, Form.TEXT_MONTH)


def has_hours(form: Form | None) -> bool:
    """Whether a time written so has hours."""
    return form in (Form.MOMENT, Form.TEXT_MOMENT, Form.SECONDS, Form.MILLISECONDS)


class Dialect:
    """Writes what dialects write differently."""

    def __init__(self, name: str, calendar: Calendar = USUAL_CALENDAR) -> None:
        self.name = name
        self.calendar = calendar

    def quoted(self, name: str) -> str:
        """A name in quotes where it needs them."""
        plain = name.isidentifier() and name.isascii() and (name.islower() or self.name in (SQLITE, DUCKDB))
        safe = plain and name.lower() not in _RESERVED
        return name if safe else exp.to_identifier(name, quoted=True).sql(self.name or None)

    def text(self, value: str) -> str:
        """A text as a literal."""
        return exp.Literal.string(value).sql(self.name or None)

    def moment(self, sql: str, form: Form | None) -> str:
        """A stored time as the dialect's own, for its functions to work on."""
        if self.name == SQLITE:
            if form in (Form.NUMBER_DAY, Form.TEXT_NUMBER_DAY):
                return f"(substr({sql}, 1, 4) || '-' || substr({sql}, 5, 2) || '-' || substr({sql}, 7, 2))"
            if form is Form.YEAR:
                return f"({sql} || '-01-01')"
            if form is Form.NUMBER_MONTH:
                return f"(substr({sql}, 1, 4) || '-' || substr({sql}, 5, 2) || '-01')"
            if form is Form.TEXT_MONTH:
                return f"({sql} || '-01')"
            if form is Form.SECONDS:
                return f"datetime({sql}, 'unixepoch')"
            if form is Form.MILLISECONDS:
                return f"datetime({sql} / 1000, 'unixepoch')"
            return sql
        number = form in (Form.NUMBER_DAY, Form.TEXT_NUMBER_DAY)
        if self.name == MYSQL:
            if number:
                return f"STR_TO_DATE({sql}, '%Y%m%d')"
            if form is Form.YEAR:
                return f"CAST(CONCAT({sql}, '-01-01') AS DATE)"
            if form is Form.TEXT_MONTH:
                return f"CAST(CONCAT({sql}, '-01') AS DATE)"
            if form in (Form.SECONDS, Form.MILLISECONDS):
                return f"FROM_UNIXTIME({sql}{' / 1000' if form is Form.MILLISECONDS else ''})"
            return f"CAST({sql} AS DATETIME)" if form in _TEXTS else sql
        if number:
            whole = f"CAST({sql} AS VARCHAR)"
            day = f"(substr({whole}, 1, 4) || '-' || substr({whole}, 5, 2) || '-' || substr({whole}, 7, 2))"
            return f"CAST({day} AS DATE)"
        if form is Form.YEAR:
            return f"CAST((CAST({sql} AS VARCHAR) || '-01-01') AS DATE)"
        if form is Form.NUMBER_MONTH:
            whole = f"CAST({sql} AS VARCHAR)"
            return f"CAST((substr({whole}, 1, 4) || '-' || substr({whole}, 5, 2) || '-01') AS DATE)"
        if form is Form.TEXT_MONTH:
            return f"CAST(({sql} || '-01') AS DATE)"
        if form in (Form.SECONDS, Form.MILLISECONDS):
            return f"TO_TIMESTAMP({sql}{' / 1000.0' if form is Form.MILLISECONDS else ''})"
        return f"CAST({sql} AS TIMESTAMP)" if form in _TEXTS else sql

    def within(self, sql: str, form: Form | None, period: Period) -> str:
        """That a stored time lies in a period: from its first day on, before its last one ends."""
        parts = []
        if period.first is not None:
            parts.append(f"{sql} >= {self._edge(period.first, form)}")
        if period.until is not None:
            parts.append(f"{sql} < {self._edge(period.until, form)}")
        return " AND ".join(parts) or f"{sql} IS NOT NULL"

    def _edge(self, day: date, form: Form | None) -> str:
        if form in (Form.NUMBER_DAY, Form.TEXT_NUMBER_DAY):
            number = day.strftime("%Y%m%d")
            return number if form is Form.NUMBER_DAY else f"'{number}'"
        if form is Form.NUMBER_MONTH:
            return day.strftime("%Y%m")
        if form is Form.TEXT_MONTH:
            return f"'{day:%Y-%m}'"
        if form is Form.YEAR:
            return str(day.year)
        if form in (Form.SECONDS, Form.MILLISECONDS):
            seconds = calendar.timegm(day.timetuple())
            return str(seconds * (1000 if form is Form.MILLISECONDS else 1))
        if form in (Form.DAY, Form.MOMENT) and self.name == DUCKDB:
            return f"DATE '{day.isoformat()}'"
        return f"'{day.isoformat()}'"

    def grain(self, sql: str, form: Form | None, grain: str) -> str:
        """The label of the year, quarter, month, week, day, weekday or hour that a time lies in."""
        if form is Form.YEAR:
            return sql
        if form is Form.TEXT_MONTH and grain == "month":
            return sql
        own = self.moment(sql, form)
        if grain.startswith("fiscal"):
            return self._fiscal_grain(own, grain)
        if grain == "week" and self.calendar.week:
            return self._week(own)
        if self.name == SQLITE:
            return self._sqlite_grain(own, grain)
        if self.name == MYSQL:
            return self._mysql_grain(own, grain)
        if self.name in SPARKS:
            return self._spark_grain(own, grain)
        return self._other_grain(own, grain)

    def _week(self, own: str) -> str:
        """The first day of the week that a time lies in, where that is no Monday."""
        later = 7 - self.calendar.week
        if self.name == SQLITE:
            return f"date({own}, '-' || ((CAST(strftime('%w', {own}) AS INTEGER) + {(6 + later) % 7}) % 7) || ' days')"
        if self.name == MYSQL:
            return f"DATE_SUB(DATE({own}), INTERVAL (WEEKDAY({own}) + {later}) % 7 DAY)"
        if self.name in SPARKS:
            return f"DATE_SUB(CAST({own} AS DATE), CAST((WEEKDAY({own}) + {later}) % 7 AS INT))"
        return f"CAST(DATE_TRUNC('week', {own} + INTERVAL '{later} days') AS DATE) - {later}"

    def _fiscal_grain(self, own: str, grain: str) -> str:
        """The label of the fiscal year, or of the quarter of one, that a time lies in: FY2025, FY2025-Q2."""
        month, begins = self.grain(own, None, "month of year"), self.calendar.year
        if self.name in (MYSQL, *SPARKS):
            year = f"YEAR({own})"
        elif self.name == SQLITE:
            year = f"CAST(strftime('%Y', {own}) AS INTEGER)"
        else:
            year = f"CAST(EXTRACT(YEAR FROM {own}) AS INTEGER)"
        if begins > 1 and self.calendar.year_name == "ends":
            year = f"({year} + CASE WHEN {month} >= {begins} THEN 1 ELSE 0 END)"
        elif begins > 1:
            year = f"({year} - CASE WHEN {month} < {begins} THEN 1 ELSE 0 END)"
        parts = ["'FY'", self.as_text(year)]
        if grain == "fiscal quarter":
            quarter = self.whole(f"(({month} + {12 - begins}) % 12) / 3.0")
            parts += ["'-Q'", self.as_text(f"({quarter} + 1)")]
        return f"CONCAT({', '.join(parts)})" if self.name in (MYSQL, *SPARKS) else " || ".join(parts)

    @staticmethod
    def _sqlite_grain(own: str, grain: str) -> str:
        if grain == "weekend":
            return f"CASE WHEN strftime('%w', {own}) IN ('0', '6') THEN 'weekend' ELSE 'weekday' END"
        if grain == "quarter":
            return f"strftime('%Y', {own}) || '-Q' || ((CAST(strftime('%m', {own}) AS INTEGER) + 2) / 3)"
        if grain == "week":
            return f"date({own}, '-' || ((CAST(strftime('%w', {own}) AS INTEGER) + 6) % 7) || ' days')"
        if grain == "weekday":
            cases = " ".join(f"WHEN '{n}' THEN '{day}'" for n, day in enumerate(WEEKDAYS))
            return f"CASE strftime('%w', {own}) {cases} END"
        if grain == "day":
            return f"date({own})"
        if grain == "hour":
            return f"CAST(strftime('%H', {own}) AS INTEGER)"
        if grain == "month of year":
            return f"CAST(strftime('%m', {own}) AS INTEGER)"
        if grain == "quarter of year":
            return f"((CAST(strftime('%m', {own}) AS INTEGER) + 2) / 3)"
        return f"strftime('{'%Y' if grain == 'year' else '%Y-%m'}', {own})"

    @staticmethod
    def _mysql_grain(own: str, grain: str) -> str:
        if grain == "weekend":
            return f"CASE WHEN WEEKDAY({own}) >= 5 THEN 'weekend' ELSE 'weekday' END"
        if grain == "quarter":
            return f"CONCAT(YEAR({own}), '-Q', QUARTER({own}))"
        if grain == "week":
            return f"DATE_SUB(DATE({own}), INTERVAL WEEKDAY({own}) DAY)"
        if grain == "hour":
            return f"HOUR({own})"
        if grain == "day":
            return f"DATE({own})"
        if grain == "month of year":
            return f"MONTH({own})"
        if grain == "quarter of year":
            return f"QUARTER({own})"
        formats = {"year": "%Y", "month": "%Y-%m", "weekday": "%W"}
        return f"DATE_FORMAT({own}, '{formats.get(grain, '%Y-%m')}')"

    @staticmethod
    def _spark_grain(own: str, grain: str) -> str:
        if grain == "weekend":
            return f"CASE WHEN WEEKDAY({own}) >= 5 THEN 'weekend' ELSE 'weekday' END"
        if grain == "quarter":
            return f"CONCAT(YEAR({own}), '-Q', QUARTER({own}))"
        if grain == "week":
            return f"CAST(DATE_TRUNC('week', {own}) AS DATE)"
        if grain == "day":
            return f"CAST({own} AS DATE)"
        if grain == "hour":
            return f"HOUR({own})"
        if grain == "month of year":
            return f"MONTH({own})"
        if grain == "quarter of year":
            return f"QUARTER({own})"
        formats = {"year": "yyyy", "month": "yyyy-MM", "weekday": "EEEE"}
        return f"DATE_FORMAT({own}, '{formats.get(grain, 'yyyy-MM')}')"

    def _other_grain(self, own: str, grain: str) -> str:
        if grain == "weekend":
            return f"CASE WHEN EXTRACT(ISODOW FROM {own}) >= 6 THEN 'weekend' ELSE 'weekday' END"
        if grain == "quarter":
            year, quarter = f"EXTRACT(YEAR FROM {own})", f"EXTRACT(QUARTER FROM {own})"
            return f"CAST({year} AS VARCHAR) || '-Q' || CAST({quarter} AS VARCHAR)"
        if grain == "week":
            return f"CAST(DATE_TRUNC('week', {own}) AS DATE)"
        if grain == "day":
            return f"CAST({own} AS DATE)"
        if grain == "hour":
            return f"CAST(EXTRACT(HOUR FROM {own}) AS INTEGER)"
        if grain == "month of year":
            return f"CAST(EXTRACT(MONTH FROM {own}) AS INTEGER)"
        if grain == "quarter of year":
            return f"CAST(EXTRACT(QUARTER FROM {own}) AS INTEGER)"
        if self.name == DUCKDB:
            formats = {"year": "%Y", "month": "%Y-%m", "weekday": "%A"}
            return f"STRFTIME({own}, '{formats.get(grain, '%Y-%m')}')"
        formats = {"year": "YYYY", "month": "YYYY-MM", "weekday": "FMDay"}
        return f"TO_CHAR({own}, '{formats.get(grain, 'YYYY-MM')}')"

    def on_weekdays(self, sql: str, form: Form | None, days: Sequence[str]) -> str:
        """That a time lies on one of some days of the week, Monday as "0"."""
        own = self.moment(sql, form)
        if self.name == SQLITE:
            numbers = [f"'{(int(day) + 1) % 7}'" for day in days]
            place = f"strftime('%w', {own})"
        elif self.name == MYSQL or self.name in SPARKS:
            numbers, place = [str(int(day)) for day in days], f"WEEKDAY({own})"
        else:
            numbers, place = [str(int(day) + 1) for day in days], f"EXTRACT(ISODOW FROM {own})"
        return f"{place} = {numbers[0]}" if len(numbers) == 1 else f"{place} IN ({', '.join(numbers)})"

    def in_hours(self, sql: str, form: Form | None, first: str, last: str) -> str:
        """That a time of day lies from `first` until before `last`, both as HH:MM; past midnight where `first` is the later.

        A column without a form holds times of day as they are.
        """
        ends = [
            f"{int(hour):02}:{int(minute):02}" for hour, minute in (end.split(":") for end in (first, last))
        ]
        own = sql
        if form is not None:
            own = self.moment(sql, form)
            if self.name == SQLITE:
                own = f"strftime('%H:%M', {own})"
            elif self.name == MYSQL:
                own = f"TIME_FORMAT({own}, '%H:%i')"
            elif self.name in SPARKS:
                own = f"DATE_FORMAT({own}, 'HH:mm')"
            elif self.name == DUCKDB:
                own = f"STRFTIME({own}, '%H:%M')"
            else:
                own = f"TO_CHAR({own}, 'HH24:MI')"
        parts = [f"{own} {sign} '{end}'" for sign, end in zip((">=", "<"), ends, strict=True)]
        if ends[0] == "00:00":
            return parts[1]
        if ends[1] == "24:00":
            return parts[0]
        return f"({parts[0]} OR {parts[1]})" if ends[0] > ends[1] else f"({parts[0]} AND {parts[1]})"

    def weekday_place(self, sql: str, form: Form | None) -> str:
        """A number by which weekdays stand in their order, the first day of the source's week first."""
        own, later = self.moment(sql, form), (7 - self.calendar.week) % 7
        if self.name == SQLITE:
            return f"(CAST(strftime('%w', {own}) AS INTEGER) + {(6 + later) % 7}) % 7"
        if self.name == MYSQL or self.name in SPARKS:
            return f"(WEEKDAY({own}) + {later}) % 7" if later else f"WEEKDAY({own})"
        place = f"EXTRACT(ISODOW FROM {own})"
        return f"(CAST({place} AS INTEGER) + {later - 1}) % 7" if later else place

    def days(self, later: str, later_form: Form | None, earlier: str, earlier_form: Form | None) -> str:
        """Days, with their fraction, from one time to another."""
        late, early = self.moment(later, later_form), self.moment(earlier, earlier_form)
        if self.name == SQLITE:
            return f"(julianday({late}) - julianday({early}))"
        if self.name == MYSQL:
            return f"(TIMESTAMPDIFF(SECOND, {early}, {late}) / 86400E0)"
        if self.name in SPARKS:
            return f"((UNIX_TIMESTAMP({late}) - UNIX_TIMESTAMP({early})) / 86400.0)"
        stamped = f"CAST({late} AS TIMESTAMP) - CAST({early} AS TIMESTAMP)"
        return f"(EXTRACT(EPOCH FROM ({stamped})) / 86400.0)"

    def today(self) -> str:
        """The day of the database's clock."""
        return "'now'" if self.name == SQLITE else "CURRENT_DATE"

    def as_text(self, sql: str) -> str:
        """A number as text."""
        name = {SQLITE: "TEXT", MYSQL: "CHAR"}.get(self.name, "STRING" if self.name in SPARKS else "VARCHAR")
        return f"CAST({sql} AS {name})"

    def holds(self, sql: str, pattern: str) -> str:
        """That a text matches a pattern of LIKE, letter case ignored."""
        word = "ILIKE" if self.name in (POSTGRES, DUCKDB) else "LIKE"
        return f"{sql} {word} {self.text(pattern)}"

    def lists(self, sql: str, separator: str, entry: str, *, denied: bool = False) -> str:
        """That a text which is a list has an entry, whole and as it is stored; `denied` that it has not, as a text that is missing."""
        whole = f"COALESCE({sql}, '')" if denied else sql
        mark = separator.strip()
        if separator == JSON:
            mark = '"'
        elif separator != mark:
            whole = f"REPLACE({whole}, {self.text(separator)}, {self.text(mark)})"
        if separator != JSON:
            end = self.text(mark)
            concatenated = self.name in (MYSQL, *SPARKS)
            whole = f"CONCAT({end}, {whole}, {end})" if concatenated else f"{end} || {whole} || {end}"
        plain = "".join(f"!{c}" if c in "%_!\\" else c for c in entry)
        escaped = " ESCAPE '!'" if plain != entry else ""
        return f"{whole} {'NOT LIKE' if denied else 'LIKE'} {self.text(f'%{mark}{plain}{mark}%')}{escaped}"

    def whole(self, sql: str) -> str:
        """A number without its fraction."""
        if self.name == MYSQL:
            return f"FLOOR({sql})"
        return f"CAST({sql} AS INTEGER)" if self.name == SQLITE else f"CAST(FLOOR({sql}) AS INTEGER)"


_RESERVED = words_of(
    """
    order group select from where by table index user key column values case when then else end and or not in is null as on join
    left right inner outer full cross union all distinct limit offset having desc asc between like exists any some default check
    primary foreign references date time timestamp year month day hour interval current_date row rows rank begin to using with
    grant role set option read write condition function procedure view trigger return returns analyse analyze session_user
    current_user fetch for create drop alter lateral only natural collate constraint do placing system range lead lag groups
    window over partition change keys lines match div mod starting trailing separator usage release repeat replace require revoke
    signal sql ssl undo unlock use virtual while loop leave kill lock force float exit explain each dual describe delayed declare
    database cube empty except generated get grouping of percent_rank recursive cume_dist ntile first_value last_value nth_value
    dense_rank row_number accessible
    add autoincrement cast commit deferrable escape insert intersect into isnull nothing notnull raise returning transaction unique update
    delete glob initially array asymmetric authorization binary both collation concurrently freeze ilike leading overlaps similar symmetric
    tablesample variadic verbose anti semi show summarize pivot unpivot qualify current_time current_timestamp
    """
) | frozenset(word.lower() for word in MySQL.Generator.RESERVED_KEYWORDS)
"""Words that some engine does not take bare as the name of a table or of a column."""
