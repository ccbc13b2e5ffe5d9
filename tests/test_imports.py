"""The arrows: who may know whom. docs/architecture.md draws them; this reads every import and holds them.

A new module needs a place in the tables below. That is on purpose: where it stands is a decision.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# ---------------------------------------------------------------- the tables

# The door: what flows, and what is asked of the outside. They know nothing but each other.
FOUNDATIONS = {"values", "errors", "events", "ports"}

# Floors of pure tools that any stage may use: words, trees of SQL, prompts, what is known of a source. They know no stage.
TOOLS = {"catalog", "language", "prompts", "rows", "sql"}

# Floors of stages. A room of these knows no other room of them; values pass between rooms.
STAGES = {"makers", "method", "telling", "guard"}

# Imports against the arrows, each with its reason.
EXCEPTIONS = {
    ("method/execution", "guard"),  # nothing reaches a database that the guard has not passed
    ("makers/following", "makers/followups"),  # the LLM's rewriting falls back to the rules
    ("makers/following", "makers/analyst"),  # before the rules, the nearest frame
    (
        "makers/rewriting",
        "makers/analyst",
    ),  # SQL is changed by its frame, and times and names are the analyst's
    ("method/answer_checks", "method/features"),  # what an answer leaves out is a feature of it
    (
        "method/presenting",
        "method/features",
    ),  # which presentation was asked for is read off the question alike
    ("makers/judging", "method/features"),  # the deterministic judge weighs features
}

# Around the method. `pipeline` knows every stage, and so do the parts that it is made of, `journey`; `evaluation` stands outside and knows everything; `forks` nothing.
AROUND = {"adapters", "evaluation", "forks", "journey", "pipeline", "testing"}

# Floors whose rooms are told apart.
FLOORS = (TOOLS | STAGES) - {"guard"}

# Libraries that compute and touch nothing outside.
COMPUTING = {"sqlglot", "rapidfuzz", "snowballstemmer"}

# One vendor an adapter. Arrow is how columns come: `arrow` keeps their limits, two drivers' rows become its arrays.
VENDORS = {
    "arrow": {"pyarrow"},
    "base": set(),
    "child": set(),
    "columnar": set(),
    "database": set(),
    "duckdb": {"duckdb", "pyarrow", "pytz"},
    "engine": set(),
    "engines": set(),
    "here": set(),
    "column_kinds": set(),
    "lending": set(),
    "missing": set(),
    "mysql": {"pymysql"},
    "openai": {"openai", "httpx2"},
    "plain": set(),
    "postgres": {"psycopg", "pyarrow"},
    # Thrift and SASL are how PyHive's protocol travels.
    "spark": {"pyhive", "TCLIService", "thrift", "thrift_sasl"},
    "sqlalchemy": {"sqlalchemy"},
    "warehouse": {"sqlalchemy"},
    "warehouses": {"sqlalchemy"},
    "clickhouse": {"clickhouse_connect", "urllib3"},
    "sqlite": set(),
    "ssh": {"asyncssh"},
    "tally": set(),
    "titles": {"setproctitle"},
    "tls": set(),
}

# Each subject knows itself and those to its left.
SUBJECTS = [
    "work",
    "audit",
    "people",
    "sources",
    "llms",
    "results",
    "queries",
    "exports",
    "delivery",
    "library",
    "knowledge",
    "asking",
    "workbench",
    "dashboards",
    "sharing",
    "comments",
    "reports",
    "palette",
    "api",
    "agents",
    "upkeep",
]
# Roles of a file in its subject. A prefix may say of what: `upload_views`, `part_forms`.
ROLES = (
    "models",
    "selectors",
    "services",
    "tasks",
    "kinds",
    "forms",
    "pages",
    "views",
    "urls",
    "events",
    "widgets",
)
# Roles that face the browser: they show and ask, and leave changes to services.
BROWSER = ("views", "forms", "pages", "urls", "events", "widgets")
# Files of no such role that know requests or templates all the same, and why.
KNOW_REQUESTS = {
    "api/middleware.py",  # what holds for every call of the API
    "audit/middleware.py",  # who sent a request, and from where
    "asking/context.py",  # the rail that every page has
    "reports/context.py",  # that all sending is paused
    "comments/templatetags/comments.py",  # comments on the pages of other subjects
    "llms/templatetags/llms.py",  # one's own use, on the page of another subject
    "people/middleware.py",  # the person's language, and a second factor that lacks
    "people/languages.py",  # in which language a request is answered
    "people/entering.py",  # a session for who signed in
    "people/requests.py",  # the type of a request by somebody who is signed in
    "delivery/mail_letter.py",  # a mail is a template too
}
# Models know rows, of others too, and what their fields are made of.
MODELS_MAY_KNOW = (".models", ".secrets", ".kept_paths", ".work.leases")
# Calls that write to the store, on whatever they are made.
WRITES = {"save", "create", "get_or_create", "update_or_create", "bulk_create", "bulk_update", "delete"}

# Packages that every subject may use. Only the addresses, the worker and upkeep know `health`.
SHARED = {
    "confined",
    "environment",
    "forked",
    "keys",
    "logs",
    "modes",
    "paging",
    "phrases",
    "stored_words",
    "tunnel_words",
    "processes",
    "recent",
    "secrets",
    "storable",
    "settings",
    "storage",
    "store_threads",
    "zones",
}


# ---------------------------------------------------------------- reading imports


@dataclass(frozen=True)
class Import:
    """One import: where it stands, what it names, and whether it runs when the file is imported."""

    file: Path
    line: int
    name: str
    at_top: bool

    @property
    def package(self) -> str:
        return self.name.split(".")[0]

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line} imports {self.name}"


@cache
def imports(folder: str) -> tuple[Import, ...]:
    """Every import of every module in a folder; `from a import b` counts as `a.b` where that is a module."""
    return tuple(
        Import(file, line, name, at_top)
        for file in sorted((ROOT / folder).rglob("*.py"))
        if "migrations" not in file.parts
        for line, name, at_top in _imported(ast.parse(file.read_text()), file)
    )


def _imported(parent: ast.AST, file: Path, at_top: bool = True) -> Iterator[tuple[int, str, bool]]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, at_top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}:{node.lineno}: write the whole name"
            for alias in node.names:
                yield node.lineno, _module(node.module or "", alias.name), at_top
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or _is_for_types(node):
            yield from _imported(node, file, at_top=False)
        elif not isinstance(node, ast.expr):  # an import is a statement, and no expression holds one
            yield from _imported(node, file, at_top)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _module(package: str, name: str) -> str:
    folder = ROOT / Path(*package.split("."))
    is_module = (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()
    return f"{package}.{name}" if is_module else package


def unit(file: Path) -> str:
    """The room of sqlagent that a file stands in, with its floor: `method/ranking`, `guard`."""
    return room(".".join(("sqlagent", *file.relative_to(ROOT / "sqlagent").with_suffix("").parts)))


def room(name: str) -> str:
    """The room that an import names; of sqlagent with its floor."""
    parts = name.split(".")
    if len(parts) > 2 and parts[0] == "sqlagent" and parts[1] in FLOORS and parts[2] != "__init__":
        return f"{parts[1]}/{parts[2]}"
    return parts[1] if len(parts) > 1 else "__init__"


def floor(here: str) -> str:
    """The floor of a room."""
    return here.split("/")[0]


# ---------------------------------------------------------------- circles


def circles(imports: Iterable[Import]) -> list[list[str]]:
    """Every set of files that reach each other by imports, inside functions and for types too."""
    known: dict[Path, set[Path]] = {}
    for i in imports:
        named = ROOT / Path(*i.name.split("."))
        there = named / "__init__.py" if named.is_dir() else named.with_suffix(".py")
        if there != i.file:
            known.setdefault(i.file, set()).add(there)
    reached = {start: _reached(start, known) for start in known}
    found = {
        tuple(sorted(there for there in reached[start] if start in reached.get(there, ())))
        for start in known
        if start in reached[start]
    }
    return [[str(file.relative_to(ROOT)) for file in circle] for circle in sorted(found)]


def _reached(start: Path, known: dict[Path, set[Path]]) -> set[Path]:
    found, next_up = set(), [start]
    while next_up:
        for there in known.get(next_up.pop(), ()):
            if there not in found:
                found.add(there)
                next_up.append(there)
    return found


def test_no_file_reaches_itself_by_imports():
    assert circles([*imports("sqlagent"), *imports("mirror")]) == []


def test_a_circle_would_be_found():
    services, kinds = ROOT / "mirror/asking/services/answering.py", ROOT / "mirror/asking/work_kinds.py"
    back = Import(services, 1, "mirror.asking.work_kinds", at_top=True)
    (circle,) = circles([*imports("sqlagent"), *imports("mirror"), back])
    assert {str(services.relative_to(ROOT)), str(kinds.relative_to(ROOT))} <= set(circle)


# ---------------------------------------------------------------- hops


def hops(heading: str) -> list[tuple[str, Path, int]]:
    """The rows of a table of docs/architecture.md: a function, the file it stands in, the row of who calls it."""
    table = (ROOT / "docs/architecture.md").read_text().partition(f"| | {heading} |")[2].partition("\n\n")[0]
    rows = re.findall(r"\| `(\w+)` \| `([\w/.]+)` \| (\d*) *\|", table)
    return [(name, ROOT / file, int(by or 0)) for name, file, by in rows]


@pytest.mark.parametrize("heading", ["an ask", "from a report's tick to a sent mail"])
def test_each_hop_is_there_and_is_called_as_the_table_says(heading):
    found = hops(heading)
    assert 9 <= len(found) <= 15
    for name, file, by in found:
        tree = ast.parse(file.read_text())
        assert name in [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)], name
        if by:
            caller = found[by - 1][1]
            assert re.search(rf"\b{name}\b", caller.read_text()), f"{caller} does not name {name}"


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("CONTRIBUTING.md", r"^\| `(\w+)` \|"), ("docs/architecture.md", r"(\w+)(?= <- | \(a subject)")],
)
def test_the_documents_have_the_subjects_in_their_order(name, pattern):
    named = re.findall(pattern, (ROOT / name).read_text(), re.MULTILINE)
    assert [subject for subject in named if subject in SUBJECTS] == SUBJECTS


# ---------------------------------------------------------------- sqlagent


def test_every_floor_of_sqlagent_has_its_place():
    floors = {floor(unit(file)) for file in (ROOT / "sqlagent").rglob("*.py")} - {"__init__"}
    placed = FOUNDATIONS | TOOLS | STAGES | AROUND
    assert floors <= placed, f"no place yet for {sorted(floors - placed)}"
    assert placed <= floors, f"gone: {sorted(placed - floors)}"


def test_sqlagent_knows_neither_the_web_nor_the_worker():
    assert not [
        str(i) for i in imports("sqlagent") if i.package in ("django", "celery", "kombu", "mirror", "uvicorn")
    ]


def may_know(here: str, there: str) -> bool:
    """Say whether one room may know another."""
    if there == here or (here, there) in EXCEPTIONS:
        return True
    if floor(here) in FOUNDATIONS | {"testing"}:
        return there in FOUNDATIONS
    if here == "forks":
        return False
    if here == "adapters":
        return there in FOUNDATIONS | {"forks"}
    if floor(here) in TOOLS | STAGES:
        return floor(there) in FOUNDATIONS | TOOLS
    if here in ("pipeline", "journey"):
        return floor(there) in FOUNDATIONS | TOOLS | STAGES or there == "journey"
    return True


@pytest.mark.parametrize(
    ("here", "there", "may"),
    [
        ("method/ranking", "method/grouping", False),
        ("method/execution", "guard", True),
        ("makers/repair", "guard", False),
        ("catalog/keys", "method/linking", False),
        ("sql/clauses", "catalog/lookup", True),
        ("adapters", "sql/names", False),
        ("pipeline", "adapters", False),
        ("pipeline", "telling/readings", True),
        ("pipeline", "journey", True),
        ("journey", "pipeline", False),
    ],
)
def test_arrows_are_read_off_the_floors(here, there, may):
    assert may_know(here, there) is may


def test_rooms_know_only_what_they_may():
    wrong = [
        str(i)
        for i in imports("sqlagent")
        if i.package == "sqlagent" and not may_know(unit(i.file), room(i.name))
    ]
    assert not wrong, "\n".join(wrong)


def test_every_exception_is_still_needed():
    used = {(unit(i.file), room(i.name)) for i in imports("sqlagent") if i.package == "sqlagent"}
    assert used >= EXCEPTIONS


def test_foundations_and_tools_do_not_run_in_circles():
    known: dict[str, set[str]] = {}
    for i in imports("sqlagent"):
        if i.package == "sqlagent" and i.at_top and room(i.name) != unit(i.file):
            known.setdefault(unit(i.file), set()).add(room(i.name))

    def walk(here: str, path: tuple[str, ...]) -> None:
        assert here not in path, " -> ".join((*path, here))
        for there in known.get(here, ()):
            walk(there, (*path, here))

    for start in {here for here in known if floor(here) in FOUNDATIONS | TOOLS}:
        walk(start, ())


def test_only_adapters_import_a_vendor_and_each_its_own():
    wrong = []
    for i in imports("sqlagent"):
        if i.package in sys.stdlib_module_names or i.package == "sqlagent" or unit(i.file) == "evaluation":
            continue
        may = COMPUTING if floor(unit(i.file)) in TOOLS | STAGES else set()
        if unit(i.file) == "adapters":
            stem = i.file.stem.split("_")[0]
            may = VENDORS.get(stem, set())
        if i.package not in may:
            wrong.append(str(i))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("module", ["sqlagent.pipeline", "sqlagent.adapters"])
def test_importing_it_loads_no_vendor(module):
    vendors = {
        "psycopg",
        "pymysql",
        "duckdb",
        "openai",
        "httpx2",
        "django",
        "celery",
        "sqlalchemy",
        "pyhive",
        "clickhouse_connect",
        "asyncssh",
    }
    code = f"import sys, {module}; print(*sorted(set(sys.modules) & {vendors!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


# ---------------------------------------------------------------- mirror


def subject(file: Path) -> str:
    """The subject a file of mirror stands in."""
    return file.relative_to(ROOT / "mirror").parts[0].removesuffix(".py")


def role(file: Path) -> str:
    """Role of a file in its subject: models, services, views ...; the first part of its path where that says no role.

    Both `views.py` and `upload_views.py` are views, and all files of a folder `pages` are pages, but for those whose
    own name says otherwise: `pages/selectors.py` holds selectors, `editing/part_forms.py` forms.
    """
    parts = [part.removesuffix(".py") for part in file.relative_to(ROOT / "mirror").parts[1:]]
    roles = (
        known for part in reversed(parts) for known in ROLES if part == known or part.endswith(f"_{known}")
    )
    return next(roles, parts[0] if parts else "")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("sources/views.py", "views"),
        ("sources/limit_views.py", "views"),
        ("results/column_pages.py", "pages"),
        ("reports/pages/run.py", "pages"),
        ("asking/services/values.py", "services"),
        ("reports/editing/part_forms.py", "forms"),
        ("reports/pages/selectors.py", "selectors"),
        ("reports/views/runs.py", "views"),
        ("reports/making/conditions.py", "making"),
        ("asking/management/commands/ask.py", "management"),
        ("sources/limits.py", "limits"),
        ("settings.py", ""),
    ],
)
def test_a_role_is_read_off_the_end_of_a_name(name, wanted):
    assert role(ROOT / "mirror" / name) == wanted


def test_a_subject_knows_only_those_to_its_left():
    wrong = []
    for i in imports("mirror"):
        here, there = subject(i.file), room(i.name)
        if i.package != "mirror" or here == there or there == "__init__":
            continue
        if here in SUBJECTS:
            may = set(SUBJECTS[: SUBJECTS.index(here)]) | SHARED
            if here == "upkeep":  # which looks whether parts live
                may.add("health")
        elif here in ("urls", "celery"):
            may = {"health", *SHARED}
        elif here == "__init__":
            may = {"celery"}
        elif here == "settings":
            may = {"wiring", *SHARED}
        elif here == "asgi":
            may = {"program_calls", *SHARED}
        else:
            may = SHARED
        if there not in may:
            wrong.append(str(i))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", BROWSER)
def test_what_meets_the_browser_knows_neither_sqlagent_nor_a_driver(part):
    drivers = set().union(*VENDORS.values()) | {"sqlagent", "sqlglot"}
    wrong = [str(i) for i in imports("mirror") if role(i.file) == part and i.package in drivers]
    assert not wrong, "\n".join(wrong)


def test_models_know_no_services_and_no_stages():
    wrong = [
        str(i)
        for i in imports("mirror")
        if role(i.file) == "models"
        and (i.package == "sqlagent" or i.package == "mirror" and not i.name.endswith(MODELS_MAY_KNOW))
    ]
    assert not wrong, "\n".join(wrong)


def test_what_does_not_meet_the_browser_knows_no_requests_and_no_templates():
    web = ("django.http", "django.shortcuts", "django.template", "django.contrib.messages")
    know = [
        i
        for i in imports("mirror")
        # A command is a door as a view is: one validates with a form.
        if subject(i.file) in SUBJECTS and role(i.file) not in (*BROWSER, "management")
        if i.name.startswith(web) or _names_the_browser(i)
    ]
    wrong = [str(i) for i in know if str(i.file.relative_to(ROOT / "mirror")) not in KNOW_REQUESTS]
    assert not wrong, "\n".join(wrong)
    assert {str(i.file.relative_to(ROOT / "mirror")) for i in know} == KNOW_REQUESTS, (
        "one is no longer needed"
    )


def _names_the_browser(i: Import) -> bool:
    """It imports a file of Mirror that meets the browser."""
    parts = i.name.split(".")[1:]
    return i.package == "mirror" and len(parts) > 1 and role(Path(ROOT, "mirror", *parts)) in BROWSER


def test_no_page_is_a_library_of_other_pages():
    """Code that views share stands in files without an address."""
    addressed = {i.name for i in imports("mirror") if role(i.file) == "urls" and i.package == "mirror"}
    shown = {name for name in addressed if role(Path(ROOT, *name.split("."))) == "views"}
    assert len(shown) > 12
    wrong = [str(i) for i in imports("mirror") if i.name in shown and role(i.file) != "urls"]
    assert not wrong, "\n".join(wrong)


def test_what_meets_the_browser_writes_nothing():
    wrong = []
    for file in sorted((ROOT / "mirror").rglob("*.py")):
        if role(file) not in BROWSER:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in WRITES
            ):
                wrong.append(f"{file.relative_to(ROOT)}:{node.lineno} writes: {ast.unparse(node)[:80]}")
    assert not wrong, "\n".join(wrong)


def test_tasks_and_kinds_of_work_import_what_does_it_inside_the_body():
    light = ("models", "kinds", "work_kinds", "shares", "limits")
    wrong = [
        str(i)
        for i in imports("mirror")
        if role(i.file) in ("tasks", "kinds") and i.package in ("mirror", "sqlagent") and i.at_top
        if not (room(i.name) == "work" and subject(i.file) == "work" or i.name == "mirror.work.kinds")
        if not (
            role(i.file) == "kinds" and (i.name.split(".")[-1] in light or i.name == "mirror.work.leases")
        )
    ]
    assert not wrong, "\n".join(wrong)


def test_a_driver_is_opened_by_adapters_alone():
    # Titles of processes are no driver.
    drivers = set().union(*VENDORS.values()) - {"duckdb", "pyarrow", "setproctitle"}
    wrong = [str(i) for i in imports("mirror") if i.package in drivers]
    # DuckDB also reads files of our own: stored results, and uploads before they are a source.
    own = (ROOT / "mirror/results", ROOT / "mirror/sources/uploads")
    # The client of HTTP that carries the driver of language models carries the requests to an identity provider too.
    wrong = [
        said for said in wrong if not re.match(r"mirror/people/provider/wire\.py:\d+ imports httpx2$", said)
    ]
    wrong += [
        str(i)
        for i in imports("mirror")
        if i.package == "duckdb" and not any(map(i.file.is_relative_to, own))
    ]
    assert not wrong, "\n".join(wrong)
