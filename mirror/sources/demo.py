"""The sample source: a shop that generates itself, always the same, in a few seconds.

It decides what the shop holds and how its three years went: growth, seasons, a category
that ended, web orders that belong to no store, returns that make two meanings of revenue,
customers and stores that each have a region. Only `Random.random()` is drawn from, whose
sequence for a seed is the same in every version of Python, and money is counted in cents.
"""

from __future__ import annotations

import os
import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import date, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from mirror.sources import demo_words as words

SEED = 20261120
FIRST_DAY, LAST_DAY = date(2023, 11, 1), date(2026, 10, 31)
DAYS = (LAST_DAY - FIRST_DAY).days + 1
CUSTOMERS, VISITS_PER_ORDER = 5_600, 1.95

# How busy each month is, January first: gifts in December, gardens and bikes in spring.
SEASON = (0.78, 0.76, 0.92, 1.02, 1.10, 1.08, 0.98, 0.90, 0.94, 1.00, 1.22, 1.62)
# Monday first; people shop on the web in the evening and in stores on Saturday.
WEEKDAY = (0.95, 0.92, 0.94, 0.98, 1.08, 1.25, 0.88)
ORDERS_A_DAY, GROWTH_A_YEAR, PRICE_RISE_A_YEAR = 29.0, 0.27, 0.03

SHOP_QUESTIONS: tuple[str, ...] = (
    "Which five countries bring the most revenue?",
    "What was the revenue per month?",
    "How many orders were placed each month in 2025?",
    "How much revenue does each category bring?",
    "How many customers are there in each country?",
    "What are the ten best-selling products by quantity?",
    "What is the average salary for each job title?",
    "How many returns were there for each reason?",
    "How many web visits came from each device?",
    "How much revenue came from Norway each year?",
)

SCHEMA = """
CREATE TABLE stores (
    id INTEGER PRIMARY KEY, name VARCHAR(60) NOT NULL, city VARCHAR(60) NOT NULL,
    region VARCHAR(40) NOT NULL, opened_on DATE NOT NULL, floor_area INTEGER);
CREATE TABLE employees (
    id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL, job_title VARCHAR(40) NOT NULL,
    store_id INTEGER REFERENCES stores (id), manager_id INTEGER REFERENCES employees (id),
    hired_on DATE NOT NULL, salary DECIMAL(10, 2) NOT NULL, email VARCHAR(120));
CREATE TABLE categories (
    id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL UNIQUE, discontinued_on DATE);
CREATE TABLE products (
    id INTEGER PRIMARY KEY, category_id INTEGER NOT NULL REFERENCES categories (id),
    name VARCHAR(80) NOT NULL, price DECIMAL(10, 2) NOT NULL, cost DECIMAL(10, 2) NOT NULL,
    weight DECIMAL(8, 3), introduced_on DATE NOT NULL);
CREATE TABLE customers (
    id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL, email VARCHAR(120),
    city VARCHAR(60), country VARCHAR(60) NOT NULL, region VARCHAR(40) NOT NULL,
    birth_date DATE, signed_up_on DATE NOT NULL, newsletter BOOLEAN NOT NULL);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id),
    store_id INTEGER REFERENCES stores (id), employee_id INTEGER REFERENCES employees (id),
    ordered_at TIMESTAMP NOT NULL, channel VARCHAR(10) NOT NULL, status VARCHAR(12) NOT NULL,
    payment_method VARCHAR(20) NOT NULL);
CREATE TABLE order_lines (
    id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (id),
    product_id INTEGER NOT NULL REFERENCES products (id), quantity INTEGER NOT NULL,
    unit_price DECIMAL(10, 2) NOT NULL, discount DECIMAL(4, 2) NOT NULL,
    amount DECIMAL(12, 2) NOT NULL);
CREATE TABLE returns (
    id INTEGER PRIMARY KEY, order_line_id INTEGER NOT NULL REFERENCES order_lines (id),
    returned_on DATE NOT NULL, quantity INTEGER NOT NULL, reason VARCHAR(40) NOT NULL,
    refunded_amount DECIMAL(12, 2) NOT NULL);
CREATE TABLE web_visits (
    id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id),
    visited_at TIMESTAMP NOT NULL, device VARCHAR(10) NOT NULL, referrer VARCHAR(20),
    pages_viewed INTEGER NOT NULL, duration_seconds INTEGER);
"""

INDEXES = """
CREATE INDEX orders_customer ON orders (customer_id);
CREATE INDEX orders_store ON orders (store_id);
CREATE INDEX orders_ordered_at ON orders (ordered_at);
CREATE INDEX order_lines_order ON order_lines (order_id);
CREATE INDEX order_lines_product ON order_lines (product_id);
CREATE INDEX returns_order_line ON returns (order_line_id);
CREATE INDEX web_visits_customer ON web_visits (customer_id);
ANALYZE;
"""

Row = tuple[Any, ...]
T = TypeVar("T")


def write_shop(path: Path, progress: Callable[[str, int], None] | None = None) -> int:
    """Write the shop as a SQLite file and return how many rows it holds.

    The same rows in the same order every time. The file appears whole or not at all: it is
    written aside and moved into place. `progress` is called after each table with its name
    and number of rows. About 250,000 rows in three seconds.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(aside, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            db.executescript(SCHEMA)
            db.execute("BEGIN")
            total = 0
            for table, rows in Shop(SEED).tables():
                count = _insert(db, table, rows)
                total += count
                if progress is not None:
                    progress(table, count)
            db.execute("COMMIT")
            db.executescript(INDEXES)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
    return total


def _insert(db: sqlite3.Connection, table: str, rows: Sequence[Row]) -> int:
    marks = ", ".join("?" * len(rows[0]))
    db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 (our own table names)
    return len(rows)


class Picker:
    """Picks one of several things by weight, from a single random number."""

    def __init__(self, weighted: Iterable[tuple[T, float]]) -> None:
        things, weights = zip(*weighted, strict=True)
        self.things: tuple[Any, ...] = things
        self.ends = list(accumulate(weights))

    def pick(self, chance: float) -> Any:
        """Pick the thing whose share of the total holds `chance` (0 to 1)."""
        return self.things[bisect_right(self.ends, chance * self.ends[-1])]


class Shop:
    """One run of the generator; `tables` yields each table's rows, parents before children."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed).random

    def tables(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield each table's name and rows, a referenced table before those that point at it."""
        yield "stores", self._stores()
        yield "employees", self._employees()
        yield "categories", [(n, c[0], c[1]) for n, c in enumerate(words.CATEGORIES, 1)]
        yield "products", self._products()
        yield "customers", self._customers()
        orders, lines, returns = self._sales()
        yield "orders", orders
        yield "order_lines", lines
        yield "returns", returns
        yield "web_visits", self._visits()

    def _below(self, stop: int) -> int:
        return int(self.chance() * stop)

    def _one(self, things: Sequence[T]) -> T:
        return things[self._below(len(things))]

    def _name(self) -> str:
        return f"{self._one(words.FIRST_NAMES)} {self._one(words.LAST_NAMES)}"

    def _stores(self) -> list[Row]:
        return [
            (n, name, city, region, opened, None if name == "King's Cross" else 180 + 20 * self._below(45))
            for n, (name, city, region, opened, _) in enumerate(words.STORES, 1)
        ]

    def _employees(self) -> list[Row]:
        rows: list[Row] = []
        self.staff: list[list[int]] = []

        def hire(title: str, store: int | None, manager: int | None, since: str, base: int) -> int:
            number = len(rows) + 1
            hired = date.fromisoformat(since) + timedelta(days=self._below(700))
            salary = base + 100 * self._below(base // 400)
            email = f"employee{number}@shop.example" if self.chance() > 0.04 else None
            hired = min(hired, date(2026, 9, 1))
            rows.append((number, self._name(), title, store, manager, hired.isoformat(), salary, email))
            return number

        chief = hire("Chief executive", None, None, "2014-01-06", 148_000)
        heads = [
            hire(f"Head of {part}", None, chief, "2014-02-03", 96_000)
            for part in ("stores", "web", "purchasing")
        ]
        for _ in range(9):
            hire("Web developer", None, heads[1], "2018-01-08", 62_000)
        for _ in range(6):
            hire("Buyer", None, heads[2], "2016-01-11", 55_000)
        for number, (_, _, _, opened, share) in enumerate(words.STORES, 1):
            manager = hire("Store manager", number, heads[0], opened, 58_000)
            sellers = [
                hire("Sales assistant", number, manager, opened, 36_000) for _ in range(4 + share // 3)
            ]
            hire("Warehouse worker", number, manager, opened, 33_000)
            self.staff.append([manager, *sellers, *sellers])
        return rows

    def _products(self) -> list[Row]:
        rows: list[Row] = []
        self.prices: list[int] = []
        weights: list[tuple[int, float]] = []
        for category, (_, ended, low, high, names) in enumerate(words.CATEGORIES, 1):
            for name in names:
                spread = self.chance()
                cents = int((low + (high - low) * spread * spread) * 100) // 10 * 10 + 9
                cost = cents * (45 + self._below(25)) // 100
                weight = None if self.chance() < 0.06 else (50 + self._below(9_000)) / 1_000
                introduced = date(2019, 1, 7) + timedelta(days=7 * self._below(250 if ended else 330))
                rows.append(
                    (len(rows) + 1, category, name, cents / 100, cost / 100, weight, introduced.isoformat())
                )
                self.prices.append(cents)
                popularity = self.chance()
                weights.append(
                    (len(rows), (0.15 + popularity * popularity) * (0.6 if cents > 40_000 else 1.0))
                )
        self.products = Picker(weights)
        gone = next(n for n, c in enumerate(words.CATEGORIES, 1) if c[1])
        self.lasting = Picker([(p, w) for p, w in weights if rows[p - 1][1] != gone])
        self.introduced = [date.fromisoformat(row[6]) for row in rows]
        return rows

    def _customers(self) -> list[Row]:
        """Customers in the order they signed up: a quarter before the first day, the rest as it grew."""
        places = Picker([(place, place[2]) for place in words.COUNTRIES])
        rows: list[Row] = []
        self.spending: list[float] = []
        self.signed_up: list[int] = []
        for number in range(1, CUSTOMERS + 1):
            if number <= CUSTOMERS // 4:
                day = -900 + number * 900 // (CUSTOMERS // 4)
            else:
                done = (number - CUSTOMERS // 4) / (CUSTOMERS - CUSTOMERS // 4)
                day = min(int(DAYS * (1.25 * done - 0.25 * done * done)), DAYS - 1)
            country, region, _, spending, cities = places.pick(self.chance())
            odd = number % 700 == 350
            name = words.ODD_NAMES[number // 700] if odd else self._name()
            email = None if self.chance() < 0.05 else f"customer{number}@mail.example"
            city = None if self.chance() < 0.02 else self._one(cities)
            born = date(1946, 1, 1) + timedelta(days=self._below(22_000))
            birth = None if self.chance() < 0.18 else born.isoformat()
            since = (FIRST_DAY + timedelta(days=day)).isoformat()
            newsletter = int(self.chance() < 0.41)
            rows.append((number, name, email, city, country, region, birth, since, newsletter))
            self.spending.append(spending)
            self.signed_up.append(day)
        return rows

    def _moment(self, day: int, first: int, last: int) -> datetime:
        start = datetime.combine(FIRST_DAY + timedelta(days=day), datetime.min.time())
        return start + timedelta(seconds=first * 3_600 + self._below((last - first) * 3_600))

    def _busy(self, day: int) -> int:
        """Orders of one day: growth, season, weekday, a promotion week each November, chance."""
        today = FIRST_DAY + timedelta(days=day)
        rate = ORDERS_A_DAY * (1 + GROWTH_A_YEAR * day / 365) * SEASON[today.month - 1]
        rate *= WEEKDAY[today.weekday()]
        if today.month == 11 and 22 <= today.day <= 29:
            rate *= 1.7
        return int(rate * (0.8 + 0.4 * self.chance()) + 0.5)

    def _sales(self) -> tuple[list[Row], list[Row], list[Row]]:
        orders: list[Row] = []
        lines: list[Row] = []
        returns: list[Row] = []
        stores = Picker([(n, store[4]) for n, store in enumerate(words.STORES, 1)])
        opened = [(date.fromisoformat(store[3]) - FIRST_DAY).days for store in words.STORES]
        payments, reasons = Picker(words.PAYMENTS), Picker(words.REASONS)
        self.orders_of_day: list[int] = []
        for day in range(DAYS):
            moments = sorted(self._moment(day, 7, 23) for _ in range(self._busy(day)))
            self.orders_of_day.append(len(moments))
            known = bisect_right(self.signed_up, day)
            for moment in moments:
                chance = self.chance()
                customer = int(known * chance * (0.35 + 0.65 * chance))
                store = stores.pick(self.chance()) if self.chance() < 0.38 else None
                if store is not None and opened[store - 1] > day:
                    store = None
                seller = self._one(self.staff[store - 1]) if store else None
                if day < DAYS - 12 or store:
                    status = "delivered"
                else:
                    status = "shipped" if day < DAYS - 3 else "processing"
                orders.append(
                    (
                        len(orders) + 1,
                        customer + 1,
                        store,
                        seller,
                        moment.isoformat(" "),
                        "store" if store else "web",
                        status,
                        payments.pick(self.chance()),
                    )
                )
                first = len(lines)
                self._fill(len(orders), day, customer, lines)
                for line in lines[first:]:
                    if self.chance() < (0.035 if store else 0.075):
                        self._give_back(line, day, reasons, returns)
        returns.sort(key=lambda row: (row[2], row[1]))
        numbered = [(n, *row[1:]) for n, row in enumerate(returns, 1)]
        return orders, lines, numbered

    def _fill(self, order: int, day: int, customer: int, lines: list[Row]) -> None:
        """Add the lines of one order: one to six different products."""
        today = FIRST_DAY + timedelta(days=day)
        ended = today > date(2025, 1, 31)
        seen: set[int] = set()
        chance = self.chance()
        for _ in range(1 + int(chance * chance * 5 * self.spending[customer])):
            product = (self.lasting if ended else self.products).pick(self.chance())
            if product in seen or self.introduced[product - 1] > today:
                continue
            seen.add(product)
            self._line(order, day, product, lines)
        if not seen:
            self._line(order, day, 1 + self._below(5), lines)

    def _line(self, order: int, day: int, product: int, lines: list[Row]) -> None:
        rise = 1 + PRICE_RISE_A_YEAR * (day - DAYS) / 365
        cents = int(self.prices[product - 1] * rise)
        several = 1 if cents > 20_000 else 4
        chance = self.chance()
        quantity = 1 + int(chance * chance * several)
        percent = (0, 0, 0, 0, 0, 5, 10, 10, 20)[self._below(9)]
        amount = (quantity * cents * (100 - percent) + 50) // 100
        lines.append((len(lines) + 1, order, product, quantity, cents / 100, percent / 100, amount / 100))

    def _give_back(self, line: Row, day: int, reasons: Picker, returns: list[Row]) -> None:
        back = day + 2 + self._below(34)
        if back >= DAYS:
            return
        quantity = 1 + self._below(line[3])
        paid = round(line[6] * 100)
        refunded = paid * quantity // line[3]
        if self.chance() < 0.1:
            refunded = refunded * 4 // 5
        on = (FIRST_DAY + timedelta(days=back)).isoformat()
        returns.append((0, line[0], on, quantity, reasons.pick(self.chance()), refunded / 100))

    def _visits(self) -> list[Row]:
        rows: list[Row] = []
        devices, referrers = Picker(words.DEVICES), Picker(words.REFERRERS)
        for day, orders in enumerate(self.orders_of_day):
            known = bisect_right(self.signed_up, day)
            count = int(orders * VISITS_PER_ORDER * (0.85 + 0.3 * self.chance()))
            for moment in sorted(self._moment(day, 0, 24) for _ in range(count)):
                customer = 1 + self._below(known) if self.chance() < 0.57 else None
                device, referrer = devices.pick(self.chance()), referrers.pick(self.chance())
                chance = self.chance()
                pages = 1 + int(chance * chance * 14)
                seconds = None if pages == 1 else pages * (12 + self._below(70))
                rows.append(
                    (len(rows) + 1, customer, moment.isoformat(" "), device, referrer, pages, seconds)
                )
        return rows
