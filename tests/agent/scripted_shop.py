"""A shop asked through a language model behind real HTTP, whose replies are scripted by stage."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scripted_server import Reply, ScriptedServer, text_of

from sqlagent import pipeline
from sqlagent.adapters.openai import OpenAiLlm
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.events import Ended, Event
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Answer, Budget, Question

SHOP = """
CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country_id INTEGER REFERENCES country (id));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), status TEXT, total REAL);
INSERT INTO country VALUES (1, 'Norway'), (2, 'France'), (3, 'Chad');
INSERT INTO customer VALUES (1, 'Ann', 1), (2, 'Bob', 1), (3, 'Cid', 2), (4, 'Dan', 3);
INSERT INTO orders VALUES (1, 1, 'completed', 10), (2, 1, 'cancelled', 20), (3, 3, 'completed', 30), (4, 4, 'completed', 5);
"""
QUESTION = Question("How many customers are from Norway?")
RIGHT = "SELECT count(*) FROM customer JOIN country ON country.id = customer.country_id WHERE country.name = 'Norway'"
EQUAL = "SELECT count(c.id) FROM customer AS c WHERE c.country_id = (SELECT id FROM country WHERE name = 'Norway')"
WRONG = "SELECT count(*) FROM customer"
OTHER = "SELECT count(*) FROM country"


def stage(body: dict[str, Any]) -> str:
    """Tell from a prompt which stage asks: `sample`, `order`, `duel`, `marks`, `audit`, `repair` or `follow`."""
    signs = {
        "Reply with one word: yes or no": "point", "Reply with one letter: A or B": "pair",
        "Put them in order": "order", "Which of the two answers": "duel", "Give each candidate a mark": "marks",
        "another round with other ideas": "audit", "It did not work": "repair", "Now they typed": "follow",
    }  # fmt: skip
    text = text_of(body)
    return next((name for sign, name in signs.items() if sign in text), "sample")


def shown(body: dict[str, Any]) -> dict[str, str]:
    """Give the SQL behind each letter or label of a judge's prompt."""
    found = re.findall(r"^\[(\w+)\].*?\n<sql>\n(.*?)\n</sql>", text_of(body), re.DOTALL | re.MULTILINE)
    return {letter: " ".join(sql.split()) for letter, sql in found}


def best_first(body: dict[str, Any]) -> list[str]:
    """Order the letters as someone who knows would: the right SQL first, wherever it is shown."""
    return sorted(
        shown(body), key=lambda letter: ("'Norway'" not in shown(body)[letter], shown(body)[letter])
    )


class Script:
    """Replies by stage; samples come in turn, the rest as someone who knows would reply."""

    def __init__(
        self,
        *samples: Reply,
        again: tuple[Reply, ...] = (),
        **stages: Callable[[dict[str, Any]], Reply] | Reply,
    ) -> None:
        self.samples, self.again, self.stages = list(samples), list(again), stages
        self.lock = threading.Lock()

    def __call__(self, body: dict[str, Any]) -> Reply:
        at = stage(body)
        if at in self.stages:
            scripted = self.stages[at]
            return scripted(body) if callable(scripted) else scripted
        if at == "sample":
            resampling = (
                "requirement of the question as a short line" in text_of(body)
                or "The obvious reading" in text_of(body)
                or not self.samples
            )
            with self.lock:
                left = self.again if resampling and self.again else self.samples or self.again
                reply = left.pop(0) if len(left) > 1 else left[0]
            return (
                f"```sql\n{reply};\n```" if isinstance(reply, str) and reply.startswith("SELECT") else reply
            )
        order = best_first(body)
        return {
            "order": json.dumps({"order": order}),
            "duel": json.dumps({"better": order[0] if order else "tie", "confidence": 0.9}),
            "marks": json.dumps(
                {"marks": {name: 90 if "'Norway'" in sql else 10 for name, sql in shown(body).items()}}
            ),
            "audit": json.dumps({"verdict": "present", "reason": "one filters on the country", "unmet": []}),
        }.get(at, "")


def asked(
    server: ScriptedServer, question: Question = QUESTION, database: MemoryDatabase | None = None, **how: Any
) -> list[Event]:
    database = database or MemoryDatabase(SHOP)
    llm = OpenAiLlm(
        base_url=server.base_url,
        model="scripted",
        timeout=how.pop("timeout", 5.0),
        **{"max_retries": 0} | how.pop("llm", {}),
    )
    index = ValueIndex.build(database.catalog(), database)
    # the model alone, unless a test says otherwise
    how["budget"] = replace(how.get("budget") or Budget(), frame=bool(how.pop("frame", False)))
    return list(pipeline.answer(question, database=database, index=index, llm=llm, **how))


def ended(events: list[Event]) -> Answer:
    last = events[-1]
    assert isinstance(last, Ended) and sum(isinstance(e, Ended) for e in events) == 1
    return last.answer


def stages(server: ScriptedServer) -> list[str]:
    return [stage(body) for body in server.bodies]
