"""Choices that the deterministic judge is fitted on: groups of a question with their features, and which of them are right.

Three kinds of questions: pools of published systems, whole, in small draws, and without or of one family of systems alone; what the built-in
generator writes to training questions; gold SQL among mutations of itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sqlagent.errors import DatabaseError
from sqlagent.evaluation.items import Databases, Item, Source, json_lines, read_items
from sqlagent.evaluation.mutations import mutations
from sqlagent.evaluation.progress import Bar
from sqlagent.evaluation.scoring import Scorer
from sqlagent.evaluation.selecting import STATEMENT
from sqlagent.makers.grammar import GrammarSampler
from sqlagent.makers.judging import FeatureJudge
from sqlagent.method import grouping, linking
from sqlagent.method.execution import Executor
from sqlagent.method.ranking import SHOWN, is_empty
from sqlagent.values import Candidate, Execution, Limits, LinkedSchema, Rows

TRAINING = "spider_train"

SAMPLES, SAMPLE_SIZE, SAMPLE_WEIGHT = 10, 5, 0.1
"""Small pools drawn from each question's candidates, and what one of them counts."""

WITHOUT = 3
"""Small pools drawn from the candidates of all families but one."""

RELATIVES = 4
"""Candidates of one family from which on they are a pool of their own."""

MUTANT_WEIGHT, MUTANT_STEP = 0.03, 3
"""The weight of a training question (6,700 of them would drown 700 pools), and every which is taken."""

GENERATED_STEP = 3
"""Every which training question the built-in generator writes candidates for."""

QUICK = Limits(seconds=0.5, rows=2_000)

FULL, FIVE, ONLY, WITHOUT_FULL, WITHOUT_FIVE = "full", "five", "only", "without, full", "without, five"
WEIGHTS = {FULL: 1.0, FIVE: SAMPLE_WEIGHT, WITHOUT_FULL: 1.0, WITHOUT_FIVE: 1 / WITHOUT}
"""The weight of a pool of each kind in a fit; pools of one family alone are only tested on."""

_FAMILIES = {
    "resdsql": "resdsql",
    "codes": "codes",
    "picard": "picard",
    "7b": "small",
    "8b": "small",
    "llama": "small",
}
_OPEN = ("deepeye", "excot", "alphasql")


@dataclass(frozen=True, slots=True)
class Choice:
    """One question's groups: their features, sizes, and which are right.

    `kind` says which of its candidates they are, `family` which family was left out or is alone; `oracle` marks a pool
    that holds the right answer, and `weight` is what choosing well counts.
    """

    db: str
    pool: str
    features: tuple[Mapping[str, float], ...]
    right: tuple[bool, ...]
    empty: tuple[bool, ...]
    weight: float
    kind: str = FULL
    family: str = ""
    sizes: tuple[int, ...] = ()
    oracle: bool = False


def family(system: str) -> str:
    """Name the family of a published system: relatives share a base model or a release.

    Example:
        >>> family("nl2sql360/SFT_CodeS_15B"), family("dpc/CHESS#3"), family("dpc_scale/Qwen2.5-Coder-7B_N11#7")
        ('codes', 'chess', 'dpc_scale')
        >>> family("nl2sql360/DAILSQL"), family("deepeye/qwen3-coder-30b-a3b")
        ('large', 'open')
    """
    release, _, name = system.partition("/")
    name = name.partition("#")[0].lower()
    if release == "dpc_scale":
        return release
    if release == "dpc":
        return name
    if release in _OPEN:
        return "open"
    return next((kin for sign, kin in _FAMILIES.items() if sign in name), "large")


def read_pool(folder: Path, databases: Path) -> list[Choice]:
    """Read a pool in all its kinds. Raises: BadInput."""
    path = folder / "pool.jsonl"
    items = read_items(path, pool=True)
    systems = {str(line["id"]): _systems(line) for _, line in json_lines(path)}
    opened = Databases(str(databases / "databases"))
    bar = Bar(len(items), folder.name)
    found: list[Choice] = []
    for item in items:
        found += _choices(item, systems[item.id], opened.source(item.db), folder.name)
        bar.step()
    opened.close()
    return found


def _systems(line: Mapping[str, object]) -> tuple[str, ...]:
    """Authors of the candidates that `read_items` keeps; for leaving relatives out, and for nothing that selects."""
    candidates = line["candidates"]
    assert isinstance(candidates, list)
    return tuple(
        family(str(one.get("system", ""))) for one in candidates if isinstance(one, dict) and one.get("sql")
    )


def _choices(item: Item, families: Sequence[str], source: Source, pool: str) -> Iterator[Choice]:
    ran = {
        e.candidate.sql: e
        for e in Executor(source.database, source.catalog, STATEMENT).run(
            [Candidate(sql) for sql in dict.fromkeys(item.candidates)]
        )
    }
    linked = linking.link(item.question, source.catalog, source.index)
    scorer, judge = Scorer(item, source), FeatureJudge(source.index, {})
    ordered = grouping.asks_order(item.question)
    for kind, kin, places in _draws(item, families):
        executions = [ran[item.candidates[at]] for at in places]
        groups = grouping.group_by_execution(executions, ordered)[:SHOWN]
        if groups:
            yield Choice(
                item.db,
                pool,
                tuple(judge.group_features(item.question, linked, groups)),
                tuple(scorer.is_right(g.members[0].sql, g.rows) for g in groups),
                tuple(is_empty(g) for g in groups),
                WEIGHTS.get(kind, 0.0),
                kind,
                kin,
                tuple(g.size for g in groups),
                any(scorer.is_right(e.sql, e.rows) for e in executions),
            )


def _draws(item: Item, families: Sequence[str]) -> Iterator[tuple[str, str, Sequence[int]]]:
    """The pools of a question: its candidates' places, with what they are and the family that they are about."""
    random, every = Random(f"ranker:{item.id}"), range(len(item.candidates))
    yield FULL, "", every
    for _ in range(SAMPLES):
        yield FIVE, "", random.sample(every, min(SAMPLE_SIZE, len(every)))
    for kin in sorted(set(families)):
        own = [at for at in every if families[at] == kin]
        others = [at for at in every if families[at] != kin]
        if len(own) >= RELATIVES:
            yield ONLY, kin, own
        if others:
            yield WITHOUT_FULL, kin, others
            for _ in range(WITHOUT):
                yield WITHOUT_FIVE, kin, random.sample(others, min(SAMPLE_SIZE, len(others)))


def read_generated(folder: Path) -> list[Choice]:
    """Read training questions, each with what the built-in generator writes to it; its beam does not vote."""
    items = read_items(folder / "questions.jsonl")[::GENERATED_STEP]
    opened = Databases(str(folder / "databases"))
    bar = Bar(len(items), "generated")
    found: list[Choice] = []
    for item in items:
        choice = _generated(item, opened.source(item.db))
        found += [choice] if choice is not None else []
        bar.step()
    opened.close()
    return found


def _generated(item: Item, source: Source) -> Choice | None:
    linked = linking.link(item.question, source.catalog, source.index)
    beam = list(GrammarSampler(source.index).sample(item.question, linked, count=SHOWN))
    executions = list(Executor(source.database, source.catalog, QUICK).run(beam))
    groups = grouping.group_by_execution(executions, grouping.asks_order(item.question))[:SHOWN]
    if len(groups) < 2:
        return None
    scorer, judge = Scorer(item, source), FeatureJudge(source.index, {})
    right = tuple(scorer.is_right(g.members[0].sql, g.rows) for g in groups)
    features = tuple(judge.group_features(item.question, linked, groups))
    empty = tuple(is_empty(g) for g in groups)
    return Choice(item.db, TRAINING, features, right, empty, 0.0, oracle=any(right))


def read_mutants(folder: Path) -> list[Choice]:
    """Read training questions, each with its gold SQL among mutations that give other rows."""
    items = read_items(folder / "questions.jsonl")[::MUTANT_STEP]
    opened = Databases(str(folder / "databases"))
    bar, found = Bar(len(items), "mutations"), []
    for item in items:
        choice = _mutant(item, opened.source(item.db))
        if choice is not None:
            found.append(choice)
        bar.step()
    opened.close()
    return found


def _mutant(item: Item, source: Source) -> Choice | None:
    ordered = grouping.asks_order(item.question)
    linked = linking.link(item.question, source.catalog, source.index)
    judge = FeatureJudge(source.index, {})
    gold = _run(item.gold or "", source)
    if gold is None:
        return None
    key = grouping.fingerprint(gold, ordered)
    rows = [_values(judge, item, linked, item.gold or "", gold)]
    for sql in mutations(item.gold or "", source.catalog, Random(item.id)):
        got = _run(sql, source)
        if got is not None and grouping.fingerprint(got, ordered) != key:
            rows.append(_values(judge, item, linked, sql, got))
    if len(rows) < 2:
        return None
    right = (True, *[False] * (len(rows) - 1))
    return Choice(item.db, TRAINING, tuple(rows), right, right, MUTANT_WEIGHT)


def _run(sql: str, source: Source) -> Rows | None:
    try:
        return source.database.execute(sql, QUICK)
    except DatabaseError:
        return None


def _values(
    judge: FeatureJudge, item: Item, linked: LinkedSchema, sql: str, rows: Rows
) -> Mapping[str, float]:
    return judge.read(item.question, linked, Execution(Candidate(sql), rows, sql)).values
