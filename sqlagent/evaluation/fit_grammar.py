"""Learn the grammar's weights from training questions: frames, roles, DISTINCT, and which column is meant.

Decides what is language enough to be kept: a feature must occur with several databases, so no
name of one schema survives. Only training databases are read; figures come from databases
held out of the fit. Needs numpy and scipy (requirements-dev.txt).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.evaluation.fit_beam import Beam, beam, learn_order, report
from sqlagent.evaluation.fit_choices import Case, fit_choice
from sqlagent.evaluation.gold_trees import read_gold
from sqlagent.evaluation.grammar_labels import Labels, label
from sqlagent.evaluation.items import Databases, read_items
from sqlagent.evaluation.lessons import taught_lines
from sqlagent.makers.grammar.choosing import Chooser
from sqlagent.makers.grammar.features import distinct_features, frame_features, slot_features, slot_kind
from sqlagent.makers.grammar.frames import normalised
from sqlagent.makers.grammar.reading import Reading, read
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.scoring import Weights
from sqlagent.makers.grammar.tree import Query, base

MIN_DATABASES = 5
"""Databases a feature must occur with: what fewer share is a schema's word, not the language's."""

MIN_CLASS = 6
"""Questions that must show a frame or a role before it is learned."""

PENALTY = 2.0
"""Strength of the L2 penalty; on databases held out roles lost 0.466 nats a slot at 0.6, 0.432 at 2, 0.430 at 4."""

LESSON_WEIGHT = 3
"""How often a lesson counts: business questions are rare among the training questions."""

SMALLEST = 0.1
"""Weights nearer to zero are left out of the file."""


@dataclass(slots=True)
class Example:
    """One training question read and labelled."""

    db: str
    question: str
    reading: Reading
    schema: Schema
    gold: Query
    labels: Labels


def examples(lines: Iterable[dict[str, Any]], sources: dict[str, tuple[Schema, ValueIndex]]) -> list[Example]:
    """Read and label training lines; those whose gold the grammar cannot compose are left out."""
    out: list[Example] = []
    for line in lines:
        schema, index = sources[line["db"]]
        gold = read_gold(line["gold"], schema.catalog)
        if gold is None:
            continue
        reading = read(line["question"], schema.naming, index)
        out.append(Example(line["db"], line["question"], reading, schema, gold, label(reading, schema, gold)))
    return out


def taught() -> list[Example]:
    """The lessons: questions about schemas of our own, each counted `LESSON_WEIGHT` times."""
    out: list[Example] = []
    for name, catalog, question, sql in taught_lines():
        schema = Schema(catalog)
        gold = read_gold(sql, catalog)
        if gold is None:
            raise ValueError(f"a lesson is outside the grammar: {sql}")
        reading = read(question, schema.naming, None)
        out.append(Example(name, question, reading, schema, gold, label(reading, schema, gold)))
    return out * LESSON_WEIGHT


def fit_softmax(rows: Sequence[tuple[str, list[str], str]], penalty: float = PENALTY) -> dict[str, Any]:
    """Fit one log-linear model on (database, features, class); returns classes and weights by feature."""
    sizes = Counter(c for _, _, c in rows)
    classes = sorted(c for c, n in sizes.items() if n >= MIN_CLASS) or [sizes.most_common(1)[0][0]]
    place = {c: n for n, c in enumerate(classes)}
    kept = [r for r in rows if r[2] in place]
    seen: dict[str, set[str]] = defaultdict(set)
    for db, features, _ in kept:
        for feature in features:
            seen[feature].add(db)
    names = sorted(f for f, dbs in seen.items() if len(dbs) >= MIN_DATABASES)
    at = {f: n for n, f in enumerate(names)}
    indices: list[int] = []
    pointers = [0]
    for _, features, _ in kept:
        indices.extend(at[f] for f in features if f in at)
        pointers.append(len(indices))
    x = csr_matrix((np.ones(len(indices)), indices, pointers), shape=(len(kept), len(names)))
    y = np.array([place[c] for _, _, c in kept])
    weights = _minimise(x, y, len(classes), penalty)
    return {"classes": classes, "weights": _sparse(names, classes, weights)}


def _minimise(x: csr_matrix, y: Any, classes: int, penalty: float) -> Any:
    count, width = x.shape
    target = np.zeros((count, classes))
    target[np.arange(count), y] = 1.0
    transposed = x.T.tocsr()

    def loss(flat: Any) -> tuple[float, Any]:
        w = flat.reshape(width, classes)
        scores = x @ w
        scores -= scores.max(axis=1, keepdims=True)
        expd = np.exp(scores)
        total = expd.sum(axis=1, keepdims=True)
        logp = scores - np.log(total)
        value = -float(logp[np.arange(count), y].sum()) + 0.5 * penalty * float((w * w).sum())
        grad = transposed @ (expd / total - target) + penalty * w
        return value, grad.ravel()

    start = np.zeros(width * classes)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60, "maxcor": 6})
    return found.x.reshape(width, classes)


def _sparse(names: list[str], classes: list[str], weights: Any) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for n, name in enumerate(names):
        row = {c: round(float(w), 2) for c, w in zip(classes, weights[n], strict=True) if abs(w) >= SMALLEST}
        if row:
            out[name] = row
    return out


def pick_cases(found: Sequence[Example]) -> list[Case]:
    """Slots whose gold column or table is known, with every target they could have meant."""
    out: list[Case] = []
    for e in found:
        chooser = Chooser(e.reading, e.schema, {})
        used = {base(t) for t in normalised(e.gold).instances()}
        for n, slot in enumerate(e.reading.slots):
            role = e.labels.roles[n]
            if role in ("N", "L") or len(slot.targets) < 2:
                continue
            if role.startswith("T"):
                targets = slot.tables()
                right = [k for k, t in enumerate(targets) if t.table in used]
            else:
                targets = slot.columns()
                name = e.labels.picks.get(n)
                right = [k for k, t in enumerate(targets) if (t.table, t.column) == name]
            if right and len(right) < len(targets):
                out.append(Case(e.db, [chooser.features(n, t, role) for t in targets], right))
    return out


def learn(found: Sequence[Example]) -> dict[str, Any]:
    """Fit every model of the grammar; returns what goes into `weights.json`."""
    frames = [(e.db, frame_features(e.reading), e.labels.frame) for e in found]
    roles: dict[str, list[tuple[str, list[str], str]]] = defaultdict(list)
    distinct: list[tuple[str, list[str], str]] = []
    for e in found:
        for n, role in enumerate(e.labels.roles):
            slot = e.reading.slots[n]
            features = slot_features(e.reading, n, e.labels.frame, e.schema)
            roles[slot_kind(slot)].append((e.db, features, role))
        distinct.append((e.db, distinct_features(e.reading, e.labels.frame), str(int(e.labels.distinct))))
    return {
        "frame": fit_softmax(frames),
        "role": {kind: fit_softmax(rows) for kind, rows in sorted(roles.items())},
        "distinct": fit_softmax(distinct),
        "pick": fit_choice(pick_cases(found)),
    }


FOLDS = 3
EVERY = 7
"""One training question in seven is searched and run to learn the order of the beam: 960 are enough."""


def fit(data: Path, out: Path) -> str:
    """Fit the grammar on `spider_train` in a data folder and write its weights. Raises: BadInput.

    Returns the figures on held-out databases. Takes about four minutes of one core.
    """
    items = read_items(data / "spider_train" / "questions.jsonl")
    databases = Databases(str(data / "spider_train" / "databases"))
    sources: dict[str, tuple[Schema, ValueIndex]] = {}
    for name in sorted({i.db for i in items}):
        source = databases.source(name)
        assert source.index is not None
        sources[name] = (Schema(source.catalog, source.index.flags()), source.index)
    found = examples([{"db": i.db, "question": i.question.text, "gold": i.gold} for i in items], sources)
    lessons = taught()
    folds = {name: n % FOLDS for n, name in enumerate(sorted(sources, key=_shuffled))}
    beams: list[Beam] = []
    for fold in range(FOLDS):
        weights = Weights(learn([e for e in found if folds[e.db] != fold] + lessons))
        chosen = [i for i in items[::EVERY] if folds[i.db] == fold]
        beams.extend(
            b for b in (beam(i, databases, sources[i.db][0], weights) for i in chosen) if b is not None
        )
    learned = learn(found + lessons)
    learned["rank"] = learn_order(beams)
    text = json.dumps(learned, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    out.write_text(text.replace("},", "},\n") + "\n", encoding="utf-8")
    return report(beams, folds)


def _shuffled(name: str) -> str:
    """An order that has nothing to do with the alphabet, and is the same on every machine."""
    return hashlib.sha256(name.encode()).hexdigest()
