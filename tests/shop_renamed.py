"""The shop under other names, so that nothing can be fitted to the sample's own words.

Every table and column gets another sensible word; values, keys and order of rows stay.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from mirror.sources.demo import SCHEMA

TABLES = {
    "stores": "branches",
    "employees": "staff_members",
    "categories": "departments",
    "products": "goods",
    "customers": "clients",
    "orders": "purchases",
    "order_lines": "purchase_items",
    "returns": "refunds",
    "web_visits": "site_sessions",
}

COLUMNS = {
    "stores": {
        "id": "branch_id",
        "name": "branch_name",
        "city": "town",
        "region": "area",
        "opened_on": "opening_date",
        "floor_area": "square_metres",
    },
    "employees": {
        "id": "staff_id",
        "name": "full_name",
        "job_title": "position",
        "store_id": "branch_id",
        "manager_id": "supervisor_id",
        "hired_on": "start_date",
        "salary": "yearly_pay",
        "email": "mail_address",
    },
    "categories": {"id": "department_id", "name": "department_name", "discontinued_on": "closed_date"},
    "products": {
        "id": "item_id",
        "category_id": "department_id",
        "name": "item_name",
        "price": "list_price",
        "cost": "purchase_cost",
        "weight": "mass",
        "introduced_on": "launch_date",
    },
    "customers": {
        "id": "client_id",
        "name": "client_name",
        "email": "mail_address",
        "city": "town",
        "country": "nation",
        "region": "area",
        "birth_date": "date_of_birth",
        "signed_up_on": "registration_date",
        "newsletter": "gets_newsletter",
    },
    "orders": {
        "id": "purchase_id",
        "customer_id": "client_id",
        "store_id": "branch_id",
        "employee_id": "staff_id",
        "ordered_at": "purchased_at",
        "channel": "sales_channel",
        "status": "state",
        "payment_method": "paid_with",
    },
    "order_lines": {
        "id": "purchase_item_id",
        "order_id": "purchase_id",
        "product_id": "item_id",
        "quantity": "units",
        "unit_price": "price_each",
        "discount": "rebate",
        "amount": "line_total",
    },
    "returns": {
        "id": "refund_id",
        "order_line_id": "purchase_item_id",
        "returned_on": "sent_back_on",
        "quantity": "units",
        "reason": "cause",
        "refunded_amount": "money_back",
    },
    "web_visits": {
        "id": "session_id",
        "customer_id": "client_id",
        "visited_at": "started_at",
        "device": "device_type",
        "referrer": "came_from",
        "pages_viewed": "page_count",
        "duration_seconds": "length_seconds",
    },
}


def rename_shop(src: Path, dst: Path) -> None:
    """Copy the shop file `src` to `dst` with all tables and columns renamed, values untouched."""
    shutil.copyfile(src, dst)
    with closing(sqlite3.connect(dst)) as db:
        for table, columns in COLUMNS.items():
            for old, new in columns.items():
                db.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
        for old, new in TABLES.items():
            db.execute(f"ALTER TABLE {old} RENAME TO {new}")
        db.commit()


def original_columns() -> dict[str, list[str]]:
    """Tables and columns of the shop as its own schema declares them."""
    found: dict[str, list[str]] = {}
    for table, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\);", SCHEMA, re.DOTALL):
        parts = re.split(r",\s*(?![^(]*\))", body.strip())
        found[table] = [part.split()[0] for part in parts]
    return found
