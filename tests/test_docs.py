"""Documents are true: commands, settings, versions, layout, libraries, links, checksums."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.order import FIRST

ROOT = Path(__file__).resolve().parents[1]
DOCS = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
    "frontend/static/vendor/VENDORED.md",
]
# Documents with commands of the repository.
GUIDES = ("README.md", "CONTRIBUTING.md", "docs/development.md")
DECISIONS = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def text(name: str) -> str:
    return (ROOT / name).read_text()


def commands(name: str) -> list[str]:
    """Every line in a block marked `sh`."""
    blocks = re.findall(r"```sh\n(.*?)```", text(name), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


# ---------------------------------------------------------------- commands


def test_the_readme_has_the_two_commands():
    assert {"script/server", "script/test"} <= set(commands("README.md"))


@pytest.mark.parametrize("line", sorted({line for name in GUIDES for line in commands(name)}))
def test_every_command_shown_can_be_run(line):
    from django.core.management import get_commands

    words = line.split()
    if words[0] == ".venv/bin/python":
        assert (ROOT / words[1]).is_file()
        assert words[2] in get_commands(), f"manage.py knows no {words[2]}"
        return
    program = ROOT / words[0]
    assert program.is_file()
    assert program.stat().st_mode & 0o111, f"{words[0]} cannot be executed"
    for argument in words[1:]:
        if "/" in argument:
            assert (ROOT / argument).exists()


@pytest.mark.parametrize(
    "script",
    [
        ".ci/run",
        *(
            f"script/{name}"
            for name in [
                "server",
                "test",
                "environment",
                "requirements",
                "lint",
                "format",
                "types",
                "package",
                "coverage",
            ]
        ),
    ],
)
def test_scripts_are_well_formed(script):
    subprocess.run(["bash", "-n", script], cwd=ROOT, check=True)


def test_ci_runs_exactly_the_test_command():
    assert "check script/test --long\n" in text(".ci/run")


def test_the_workflow_runs_the_parts_of_ci_and_the_hooks_its_linters():
    parts = subprocess.run([".ci/run", "--list"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    job = yaml.safe_load(text(".github/workflows/ci.yml"))["jobs"]["check"]
    assert job["strategy"]["matrix"]["part"] == parts.splitlines()
    assert job["steps"][-1]["run"] == '.ci/run "$PART"'
    # One part alone is the part of the whole run, by the same name.
    assert parts.splitlines() == [
        *re.findall(r'^part "([^"]+)"', text("script/test"), re.MULTILINE),
        "lint",
        "types",
        "bundles",
        "package",
    ]
    for wrong in ([".ci/run", "rest"], ["script/test", "--part", "rest"]):
        assert subprocess.run(wrong, cwd=ROOT, capture_output=True).returncode == 2
    hooks = yaml.safe_load(text(".pre-commit-config.yaml"))["repos"][0]["hooks"]
    assert [hook["entry"] for hook in hooks] == ["script/format", "script/types"]


def test_measured_lines_are_told_by_folder(tmp_path):
    counts = {
        "mirror/urls.py": (1, 2),
        "mirror/asking/views.py": (3, 4),
        "sqlagent/guard/sql/deep.py": (5, 1000),
    }
    files = {
        name: {"summary": {"covered_lines": run, "num_statements": lines}}
        for name, (run, lines) in counts.items()
    }
    (measured := tmp_path / "lines.json").write_text(json.dumps({"files": files}))
    told = subprocess.run(
        [sys.executable, "script/folders.py", measured], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert told.splitlines()[2:] == [
        "| mirror | 2 | 50% |",
        "| mirror/asking | 4 | 75% |",
        "| sqlagent/guard | 1,000 | 0% |",
        "| all | 1,006 | 1% |",
    ]


def test_forms_for_issues_ask_each_thing_once():
    for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text())
        assert {"name", "description", "body"} <= set(form), path.name
        asked = [part["id"] for part in form["body"] if part["type"] != "markdown"]
        assert asked and len(asked) == len(set(asked)), path.name
        assert all(part["attributes"].get("label") for part in form["body"] if part["type"] != "markdown")


def test_the_order_of_the_tests_names_files_that_are_there():
    assert not [name for name in FIRST if not (ROOT / name).is_file()]


def test_the_server_says_how_it_is_used():
    done = subprocess.run(
        [sys.executable, "script/serve.py", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--host" in done.stdout
    assert "--port" in done.stdout


# ---------------------------------------------------------------- settings


def settings_read() -> dict[str, ast.Call]:
    """Every setting that settings.py takes from the environment, with the call that takes it."""
    found = {}
    for node in ast.walk(ast.parse(text("mirror/settings.py"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "env" and node.func.attr != "read_env":
                assert isinstance(node.args[0], ast.Constant)
                found[str(node.args[0].value)] = node
    return found


def settings_listed() -> dict[str, str]:
    """Every setting of .env.example with its default; a comment must stand above each."""
    found, explained = {}, False
    for line in text(".env.example").splitlines():
        match = re.fullmatch(r"# ([A-Z][A-Z0-9_]+)=(.*)", line)
        if match:
            assert explained, f"{match[1]} has no comment"
            found[match[1]] = match[2]
        else:
            explained = line.startswith("# ")
            assert line.startswith("#") or not line, "every setting is commented out: copying changes nothing"
    return found


def test_every_setting_is_listed_and_none_else():
    assert set(settings_read()) == set(settings_listed())


def test_listed_defaults_are_the_real_ones():
    for name, call in settings_read().items():
        default = next((word.value for word in call.keywords if word.arg == "default"), None)
        listed = settings_listed()[name]
        if default is None:
            assert listed == "", f"{name} has no default"
        elif isinstance(default, ast.Constant):
            value = default.value
            assert listed == (str(value).lower() if isinstance(value, bool) else str(value)), name
        elif isinstance(default, ast.List):
            assert listed == ",".join(ast.literal_eval(default)), name


def test_every_setting_read_is_explained_where_it_is_read():
    lines = text("mirror/settings.py").splitlines()
    for name, call in settings_read().items():
        above = lines[: call.lineno - 1]
        while above and above[-1].strip() and not above[-1].startswith("#"):
            above.pop()
        assert above and above[-1].startswith("#"), f"{name} has no comment in settings.py"


# ---------------------------------------------------------------- versions and libraries


UNTRIED = ("trino", "snowflake", "bigquery", "sqlserver", "oracle", "redshift")
EXTRAS = ("spark", "mcp", "clickhouse", "ssh", "databricks", *UNTRIED)
REQUIREMENTS = ("requirements", *(f"requirements-{name}" for name in EXTRAS), "requirements-dev")


def chosen(name: str) -> dict[str, str]:
    """Library to version, of what one .in file chooses."""
    lines = [line for line in text(f"{name}.in").splitlines() if line and not line.startswith(("#", "-r"))]
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+(\[[a-z0-9,]+\])?==[0-9][0-9A-Za-z.]*", line), (
            f"not pinned: {line}"
        )
    return dict(re.sub(r"\[.*?\]", "", line).split("==") for line in lines)


def installed(name: str) -> list[Requirement]:
    """Requirements of the installed file of a .in file, each with one version and its hashes."""
    lines = [line for line in text(f"{name}.txt").splitlines() if not line.lstrip().startswith("#")]
    found = []
    for entry in " ".join(line.rstrip("\\") for line in lines).replace(" --hash=", "\n--hash=").split("\n"):
        first, _, rest = entry.partition(" ")
        if first.startswith("--hash="):
            assert re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", first), first
            entry = rest
        if entry.strip():
            found.append(Requirement(entry))
    return found


def test_libraries_are_pinned_and_each_has_its_reason():
    table = text("docs/dependencies.md")
    named = {
        name.strip()
        for row in re.findall(r"^\| (.*?) \|", table, re.MULTILINE)[1:]
        for name in row.split(",")
    }
    assert named == set().union(*map(chosen, REQUIREMENTS))


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_what_is_installed_is_pinned_with_hashes_and_names_no_place(name):
    lines = text(f"{name}.txt").splitlines()
    for at, line in enumerate(lines):
        if re.match(r"[A-Za-z0-9]", line):
            assert "==" in line and line.endswith("\\"), line
            assert lines[at + 1].startswith("    --hash=sha256:"), f"{line} has no hash"
        else:
            assert line.startswith(("#", "    #", "    --hash=sha256:")), line
    assert "://" not in text(f"{name}.txt")
    pins = {canonicalize_name(one.name): str(one.specifier) for one in installed(name)}
    for library, version in chosen(name).items():
        assert pins[canonicalize_name(library)] == f"=={version}", "run script/requirements"


def test_what_runs_has_the_same_versions_in_every_file():
    files = [{one.name: str(one.specifier) for one in installed(name)} for name in REQUIREMENTS]
    for name, smaller in zip(REQUIREMENTS, files[:-1], strict=False):
        # Drivers of warehouses are not installed for the tests, which have no server to call by them.
        larger = smaller | files[0] if name.removeprefix("requirements-") in UNTRIED else files[-1]
        assert {one: larger[one] for one in smaller} == smaller


def test_what_is_installed_is_what_is_pinned():
    from importlib.metadata import version

    for one in installed(REQUIREMENTS[-1]):
        if one.marker is None or one.marker.evaluate():
            assert str(one.specifier) == f"=={version(one.name)}", one.name


def test_an_installation_refuses_a_file_with_another_hash(tmp_path):
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr("tiny.py", "")
        files.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        files.writestr(
            "tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        files.writestr("tiny-1.0.dist-info/RECORD", "")
    shutil.copytree(ROOT / "script", tmp_path / "script")
    right = hashlib.sha256(wheel.read_bytes()).hexdigest()

    def install(requirement: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "requirements.txt").write_text(f"{requirement}\n")
        make = "set -eu; . script/environment; environment_make requirements.txt"
        return subprocess.run(["bash", "-c", make], cwd=tmp_path, capture_output=True, text=True)

    wrong = install(f"./{wheel.name} --hash=sha256:{'0' * 64}")
    assert wrong.returncode == 1
    assert "DO NOT MATCH THE HASHES" in wrong.stderr
    assert "The installation of requirements.txt failed" in wrong.stderr
    assert "Hashes are required" in install(f"./{wheel.name}").stderr
    assert install(f"./{wheel.name} --hash=sha256:{right}").returncode == 0
    assert list(tmp_path.glob(".venv/lib/*/site-packages/tiny.py"))


def test_the_newest_change_is_of_this_version():
    newest = re.search(r"^## ([0-9.]+)", text("CHANGELOG.md"), re.MULTILINE)
    assert newest
    assert newest[1] == PROJECT["version"]


def test_the_package_of_sqlagent_asks_for_the_versions_that_are_tested():
    package = tomllib.loads(text("sqlagent/pyproject.toml"))
    asked = package["project"]["dependencies"] + sum(package["project"]["optional-dependencies"].values(), [])
    pins = {
        name: str(one.specifier)
        for one in installed(REQUIREMENTS[-1])
        for name in [canonicalize_name(one.name)]
    }
    for one in map(Requirement, asked):
        assert str(one.specifier) == pins[canonicalize_name(one.name)], one.name
    assert package["build-system"]["requires"] == [f"hatchling{pins['hatchling']}"]
    assert package["project"]["version"] == PROJECT["version"]
    assert package["project"]["requires-python"] == PROJECT["requires-python"]


def test_the_package_of_sqlagent_asks_for_all_that_it_imports():
    """SQLite and the built-in analyst need what is always installed; every other library is an extra's."""
    project = tomllib.loads(text("sqlagent/pyproject.toml"))["project"]
    asked = project["dependencies"] + sum(project["optional-dependencies"].values(), [])
    from importlib.metadata import packages_distributions

    brought = packages_distributions()
    imported = set()
    for path in (ROOT / "sqlagent").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            imported |= {name.split(".")[0] for name in names}
    libraries = {
        canonicalize_name(brought[name][0]) for name in imported - sys.stdlib_module_names - {"sqlagent"}
    }
    assert libraries <= {canonicalize_name(Requirement(one).name) for one in asked}


def test_the_python_named_is_the_python_needed():
    needed = PROJECT["requires-python"].removeprefix(">=")
    assert f"Python {needed} or newer" in text("README.md")
    assert re.search(rf"version_info < \({needed.replace('.', ', ')}\)", text("script/environment"))


def test_the_licence_is_the_one_named():
    assert PROJECT["license"] == "Apache-2.0"
    assert "Apache License" in text("LICENSE")


# ---------------------------------------------------------------- layout and links


def layout() -> list[str]:
    """Every path in the layout of docs/architecture.md."""
    block = text("docs/architecture.md").split("## Layout")[1].split("```")[1]
    found, folders = [], {0: ""}
    for line in block.splitlines():
        if not line.strip():
            continue
        name, depth = line.split()[0], (len(line) - len(line.lstrip())) // 4
        found.append(folders[depth] + name)
        folders[depth + 1] = found[-1] if name.endswith("/") else ""
    return found


def test_the_layout_is_as_drawn():
    gone = [name for name in layout() if not (ROOT / name).exists()]
    assert not gone


def test_the_drawing_of_the_house_is_made_from_the_code():
    made = subprocess.run(
        [sys.executable, "script/drawing.py", "-"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert made.stdout == text("docs/house.svg"), "run .venv/bin/python script/drawing.py"
    drawn = set(re.findall(r"<text [^>]*middle[^>]*>([^<]+)<", made.stdout))
    assert {"pipeline", "guard", "asking", "reports"} <= drawn
    assert made.stdout.count("<path d=") > len(drawn) - 3  # each box but the lowest imports one that is drawn


def test_every_room_is_drawn():
    drawn = {name.rstrip("/") for name in layout()}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [path for path in tracked.split() if path.startswith(("sqlagent/", "mirror/", "script/"))]
    rooms = {"/".join(path.split("/")[:2]) for path in paths if not path.endswith("__init__.py")}
    # A folder that is drawn with what is in it is drawn whole.
    floors = {
        name.rpartition("/")[0] for name in drawn if name.startswith("sqlagent/") and name.count("/") == 2
    }
    inside = {"/".join(path.split("/")[:3]) for path in paths if "/".join(path.split("/")[:2]) in floors}
    rooms |= {path for path in inside if not path.endswith(("__init__.py", ".md"))}
    missing = rooms - drawn
    assert not missing


# A document by its name, or a file by its path; `<name>.md` and `*.md` are none.
CITED = re.compile(
    r"(?<![][\w./*>:-])((?:[\w.-]+/)*[\w-]+\.md|(?:sqlagent|mirror|tests|docs|script|frontend)/[\w./-]*\w\.\w+)\b(?:, ([A-Z]\w+)\))?"
)


def said(path: Path) -> Iterator[tuple[int, str]]:
    """Every comment and docstring of a Python file, and every line of a document, with its line."""
    if path.suffix == ".md":
        yield from enumerate(path.read_text().splitlines(), 1)
        return
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
    for token in tokens:
        is_docstring = token.type == tokenize.STRING and token.string.startswith(('"""', 'r"""'))
        if is_docstring or token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def tracked() -> list[Path]:
    """Python files and documents that are in the repository."""
    names = subprocess.run(
        ["git", "ls-files", "*.py", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [path for name in names if (path := ROOT / name).is_file() and "prompts" not in path.parts]


def test_what_is_cited_exists():
    wrong = []
    for path in tracked():
        for line, text in said(path):
            for cited, heading in CITED.findall(text):
                places = [folder / cited for folder in (ROOT, ROOT / "docs", path.parent)]
                found = next((place for place in places if place.exists()), None)
                where = f"{path.relative_to(ROOT)}:{line}"
                if found is None:
                    wrong.append(f"{where} cites {cited}, which does not exist")
                elif heading and not re.search(rf"^#+ {heading}\b", found.read_text(), re.MULTILINE):
                    wrong.append(f"{where} cites {heading} of {cited}, which has no such heading")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", DOCS)
def test_links_lead_somewhere(name):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)[^)]*\)", text(name)):
        if target.startswith("http"):
            continue
        place = (ROOT / name).parent / target if target else ROOT / name
        assert place.exists(), f"{name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", place.read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
            assert anchor in slugs, f"{name} links to {target}#{anchor}"


# ---------------------------------------------------------------- the guide and the decisions


def test_the_guide_is_read_in_ten_minutes():
    assert len(text("CONTRIBUTING.md").encode()) <= 12_288


def test_every_decision_has_its_parts_and_its_line_in_the_index():
    index = re.findall(r"^- \[(\d{4})\]\((\S+)\) (.+)$", text("docs/decisions/README.md"), re.MULTILINE)
    assert [path.name for path in DECISIONS] == [name for _, name, _ in index]
    for at, (path, (number, _, title)) in enumerate(zip(DECISIONS, index, strict=True), 1):
        assert number == path.name[:4] == f"{at:04d}", path.name
        said = path.read_text()
        assert said.startswith(f"# {at}. {title}\n\nDate: 20"), path.name
        headings = re.findall(r"^## (.+)$", said, re.MULTILINE)
        assert headings == ["Context", "Decision", "What was given up"], path.name


@pytest.mark.parametrize(
    "name",
    ["CONTRIBUTING.md", *(str(path.relative_to(ROOT)) for path in (ROOT / "docs/decisions").glob("*"))],
)
def test_no_sentence_of_the_guide_begins_with_whoever_or_what(name):
    prose = re.sub(r"^#.*$", "", text(name), flags=re.MULTILINE)
    assert not re.findall(r"\b(?:Whoever|Whatever|What)\b[^.]*", prose)


# A relative clause as the subject of a sentence: "What is kept goes" for "Kept rows go". Questions and quotations may begin so.
TURNED = re.compile(
    r"""(?: ^ | [.:;!?)*|>"”]\s+ | \n\s*(?:\n|[-*]\ )\s* )  # a sentence, an item or a cell begins
        [*_(]*
        ((?: What | Whatever | Who | Whoever | Whom )\b (?! [^.!?]*\? ) [^.!?\n]*)""",
    re.VERBOSE,
)


def turned(text: str) -> list[str]:
    """Sentences that begin with a relative clause."""
    return [found.strip() for found in TURNED.findall(text.strip())]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Docstrings and comments of a Python file, or a document without headings and code, with the line each begins at."""
    text = path.read_text()
    if not re.search(r"\bWh(?:at|o)", text):
        return
    if path.suffix == ".md":
        yield 1, re.sub(r"(?ms)^#[^\n]*$|^```.*?^```$", "", text)
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(said))):
                yield node.lineno, said
    comments: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.append(token.string.lstrip("# "))
        elif token.type != tokenize.NL and comments:
            yield token.start[0] - len(comments), "\n".join(comments)
            comments = []


@pytest.mark.parametrize(
    "text",
    [
        "What a page says.",
        "The rows of a page. Who sees them is decided elsewhere.",
        "Bounds of a run:\n\n- Whoever asks waits.",
        "**What goes to a language model**: names.",
        "| file | What reads it |",
        "Sums.\nWhatever lacks is told.",
    ],
)
def test_a_sentence_that_begins_with_a_relative_clause_is_found(text):
    assert turned(text)


@pytest.mark.parametrize(
    "text",
    [
        "What does a page say? Its rows.",
        'Questions: "What does X cost", "who sells most".',
        "Text of a page, and who sees it.",
        "Rows that somebody may see; their number is told. Whole tables too.",
    ],
)
def test_questions_and_other_sentences_are_not(text):
    assert not turned(text)


def test_no_sentence_begins_with_a_relative_clause():
    wrong = [
        f"{path.relative_to(ROOT)}:{line} {sentence}"
        for path in tracked()
        for line, text in prose(path)
        for sentence in turned(text)
    ]
    assert not wrong, "\n".join(wrong)


def test_what_is_vendored_has_the_sums_written_down():
    rows = re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})`", text(DOCS[-1]), re.MULTILINE)
    folder = ROOT / "frontend/static/vendor"
    files = [*folder.glob("*.js"), *folder.glob("fonts/*.woff2"), *folder.glob("topojson/*.json")]
    assert {name for name, _ in rows} == {str(path.relative_to(folder)) for path in files}
    for name, wanted in rows:
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == wanted
