"""The files of a deployment: the image's recipe held to rules, its steps done in a clean folder, its parts run one by one."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from mirror.settings import ALLOWED_HOSTS  # noqa: F401 - the settings are read before a folder is made read-only
from script.parts import ROLES
from tests import warm
from tests.stores import static_copy
from tests.test_imports import ROOT
from tests.web.test_server import free_port

DOCKERFILE = (ROOT / "Dockerfile").read_text()


def instructions(text: str = DOCKERFILE) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, lines that go on put together."""
    joined = re.sub(r"\\\n", " ", "\n".join(line for line in text.splitlines() if not line.startswith("#")))
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in joined.splitlines() if line.strip()]


def faults(text: str = DOCKERFILE) -> list[str]:
    """Faults of a Dockerfile by hadolint's rules and by ours."""
    found, steps = [], instructions(text)
    for name, words in steps:
        if name == "FROM" and (":" not in words.split()[0] or ":latest" in words):
            found.append(f"DL3006/DL3007: {words} names no version")
        if name == "ADD":
            found.append("DL3020: COPY instead of ADD")
        if name == "MAINTAINER":
            found.append("DL4000")
        if name == "WORKDIR" and not words.startswith("/"):
            found.append("DL3000: WORKDIR is not absolute")
        if name in ("CMD", "ENTRYPOINT") and not words.startswith("["):
            found.append(f"DL3025: {name} is no JSON list")
        if name == "RUN":
            if "apt-get install" in words and ("--no-install-recommends" not in words or " -y" not in words):
                found.append("DL3014/DL3015: apt-get install")
            if "apt-get update" in words and "rm -rf /var/lib/apt/lists/*" not in words:
                found.append("DL3009: lists of apt stay")
            if "pip install" in words and ("--no-cache-dir" not in words or "--require-hashes" not in words):
                found.append("DL3042: pip's cache, or no hashes")
            if re.search(r"\bsudo\b|\bcd /|\|", words):
                found.append("DL3004/DL3003/DL4006: sudo, cd or a pipe")
        if name in ("ENV", "ARG") and re.search(r"(KEY|PASSWORD|SECRET)\w*=\S", words):
            found.append(f"a secret in {words}")
    names = [name for name, _ in steps]
    users = [words for name, words in steps if name == "USER"]
    if not users or users[-1].split(":")[0] in ("0", "root"):
        found.append("DL3002: it runs as root")
    if names.count("HEALTHCHECK") != 1 or "VOLUME" not in names:
        found.append("no HEALTHCHECK, or no VOLUME")
    return found


def test_the_recipe_of_the_image_keeps_to_the_rules():
    assert faults() == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("python:3.12-slim-bookworm", "python"), "DL3006"),
        (("USER 10001:10001", "USER root"), "DL3002"),
        (("--no-install-recommends", ""), "DL3014"),
        (("--require-hashes", ""), "DL3042"),
        (("COPY manage.py", "ADD manage.py"), "DL3020"),
        (('ENTRYPOINT ["python", "script/serve.py"]', "ENTRYPOINT python script/serve.py"), "DL3025"),
        (("PRODUCTION=true", "SECRET_KEY=abc"), "a secret"),
        (("HEALTHCHECK", "LABEL"), "no HEALTHCHECK"),
    ],
)
def test_a_broken_rule_would_be_found(change, fault):
    assert any(fault in found for found in faults(DOCKERFILE.replace(*change)))


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder that the image's COPY lines make, compiled, and closed to writing as a read-only root is."""
    root = tmp_path_factory.mktemp("image") / "app"
    root.mkdir()
    copied = [
        shlex.split(words) for name, words in instructions() if name == "COPY" and "--from" not in words
    ]
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for *sources, to in copied:
        for source in sources:
            assert any(source == kept or source.startswith(f"{kept}/") for kept in allowed), (
                f"{source} is ignored"
            )
            place = root / to / Path(source).name if to.endswith("/") else root / to
            place.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, place)
    compiled = [words for name, words in instructions() if name == "RUN" and "compileall" in words][0]
    subprocess.run([sys.executable, *shlex.split(compiled)[1:]], cwd=root, check=True)
    before = _listed(root)
    yield root
    assert _listed(root) == before, "something was written beside the volume"


def _listed(root: Path) -> set[tuple[str, int]]:
    return {(str(path), path.stat().st_mtime_ns) for path in root.rglob("*") if path.is_file()}


class Part:
    """One part, run as a container runs it."""

    def __init__(self, image: Path, data: Path, role: str, port: int = 0, **settings: str) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.port, self.log = port, data.with_name(f"{role or 'all'}.log")
        self.environment = {
            **kept,
            "MIRROR_ENV_FILE": os.devnull,
            "MIRROR_VAR_DIR": str(data),
            "MIRROR_ROLE": role,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
            "HOME": "/tmp",
            "PRODUCTION": "true",
            "SECRET_KEY": "x" * 50,
            "MIRROR_ENCRYPTION_KEYS": "A" * 43 + "=",
            "WORKERS": "1",
            "CHART_IMAGES": "simple",
            "MIRROR_PORT": str(port),
            **settings,
        }
        self.image = image
        with self.log.open("ab") as out:
            self.process = warm.Popen(
                [sys.executable, "script/serve.py", "--port", str(port or 8000)],
                cwd=image,
                env=self.environment,
                stdout=out,
                stderr=out,
            )

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        return warm.run(
            [sys.executable, *words],
            cwd=self.image,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def stop(self) -> int:
        self.end()
        return self.process.wait(60)


def until(happens, seconds: float = 120) -> bool:
    """Wait until something is so; a deadline, not a bound."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if happens():
            return True
        time.sleep(0.5)
    return False


def health(port: int) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


@pytest.mark.timeout(600)
def test_each_part_runs_by_itself_from_the_images_files_and_all_of_them_are_one_mirror(image, tmp_path):
    data, port = tmp_path / "data", free_port()
    data.mkdir(mode=0o700)
    static_copy(data)
    early = Part(image, data, "deliveries")
    try:
        assert until(lambda: "Waiting for the store to be prepared" in early.said()), early.said()
        prepare = Part(image, data, "prepare")
        assert prepare.process.wait(240) == 0, prepare.said()
        assert "sign_in_link" in prepare.said()
        parts = {"deliveries": early, "web": Part(image, data, "web", port)}
        try:
            assert until(lambda: health(port) == 503), "the web server answers before its workers"
            parts |= {role: Part(image, data, role) for role in ROLES if role not in parts}
            assert until(lambda: health(port) == 200), "\n".join(part.said() for part in parts.values())
            for role, part in parts.items():
                done = part.command("script/healthcheck.py")
                assert done.returncode == 0, (role, done.stderr)
            second = Part(image, data, "", free_port())
            assert second.process.wait(120) == 1
            assert "Mirror is running already" in second.said()
            refused = second.command("manage.py", "restore", str(tmp_path / "none.tar"))
            assert refused.returncode == 1
            assert parts["worker"].stop() == 0
            assert until(lambda: health(port) == 503), "a part that stopped is told"
            assert parts["web"].command("script/healthcheck.py").returncode == 0, (
                "and the web server lives on"
            )
            assert until(lambda: parts["worker"].command("script/healthcheck.py").returncode == 1)
        finally:
            for part in parts.values():  # at once: some wait seconds for what they have begun
                part.end()
            ended = {role: part.stop() for role, part in parts.items()}
        assert set(ended.values()) == {0}, ended
    finally:
        early.stop()


def test_a_role_that_is_none_is_refused(image, tmp_path):
    part = Part(image, tmp_path / "data", "wobker")
    assert part.process.wait(60) == 2
    assert "MIRROR_ROLE is wobker" in part.said()


def test_a_healthcheck_of_nothing_fails(image, tmp_path):
    part = Part(image, tmp_path / "data", "web", free_port(), SECRET_KEY="")
    assert part.process.wait(60) == 1
    assert part.command("script/healthcheck.py").returncode == 1


# ---------------------------------------------------------------- the other files


def _yaml(name: str) -> dict:
    import yaml

    return yaml.safe_load((ROOT / name).read_text())


def test_compose_runs_each_part_once_confined_and_after_the_store_is_prepared():
    services = _yaml("compose.yaml")["services"]
    roles = {
        name: one["environment"]["MIRROR_ROLE"]
        for name, one in services.items()
        if one.get("image") == "mirror"
    }
    assert roles == {name: name for name in (*ROLES, "prepare")}
    for name in ROLES:
        one = services[name]
        assert one["read_only"] and one["cap_drop"] == ["ALL"] and one["volumes"] == ["data:/data"]
        assert one["depends_on"]["prepare"] == {"condition": "service_completed_successfully"}
        assert set(one["environment"]) == {"DATABASE_URL", "REDIS_URL", "MIRROR_ROLE"}
    assert services["web"]["ports"] == ["127.0.0.1:8000:8000"], "TLS is a proxy's"
    small = _yaml("deploy/compose.small.yaml")["services"]
    assert list(small) == ["mirror"] and small["mirror"]["read_only"]


@pytest.mark.parametrize("unit", ["mirror.service", "mirror@.service"])
def test_units_name_what_is_there(unit):
    text = (ROOT / "deploy" / "systemd" / unit).read_text()
    lines = dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
    words = lines["ExecStart"].split()
    assert (ROOT / words[1]).is_file() and lines["User"] == "mirror" and lines["ProtectSystem"] == "strict"
    assert ("--only" in words) == ("@" in unit)
    if found := shutil.which("systemd-analyze"):
        done = subprocess.run(
            [found, "verify", str(ROOT / "deploy/systemd" / unit)], capture_output=True, text=True
        )
        assert "Unknown" not in done.stderr, done.stderr


def test_the_example_of_settings_names_real_ones_and_starts_once_it_is_filled_in(tmp_path):
    file, known = tmp_path / "mirror.env", (ROOT / ".env.example").read_text()
    text = (ROOT / "deploy" / "mirror.env.example").read_text()
    for name in re.findall(r"^(?:# )?([A-Z_]+)=", text, re.MULTILINE):
        assert re.search(rf"^# {name}=", known, re.MULTILINE), name
    made = subprocess.run(
        [sys.executable, "-m", "mirror.keys"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for line in made.stdout.splitlines():
        name = line.partition("=")[0]
        text = text.replace(f"\n{name}=\n", f"\n{line}\n")
    file.write_text(text)
    code = (
        "import django; django.setup(); from django.conf import settings as s;"
        "print(s.SITE_URL, s.SECURE_HSTS_SECONDS, s.SESSION_COOKIE_SECURE, s.TRUSTED_PROXIES[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "MIRROR_ENV_FILE": str(file),
            "MIRROR_VAR_DIR": str(tmp_path / "var"),
            "DJANGO_SETTINGS_MODULE": "mirror.settings",
        },
        capture_output=True,
        text=True,
    )
    assert done.stdout == "https://mirror.example.com 15768000 True 127.0.0.1\n", done.stderr


def test_browsers_are_told_to_come_by_tls_alone_and_only_over_tls(client, db, settings):
    settings.SECURE_HSTS_SECONDS = 15_768_000
    from django.test import Client

    over_tls = Client().get("/sign-in/", secure=True)
    assert over_tls.headers["Strict-Transport-Security"] == "max-age=15768000"
    assert "Strict-Transport-Security" not in Client().get("/sign-in/").headers


def test_what_the_guide_names_is_there():
    text = (ROOT / "docs" / "deploy.md").read_text()
    for name in re.findall(r"\]\(\.\./([\w./@-]+)\)", text) + re.findall(
        r"`(deploy/[\w./@-]+|script/[\w.]+)`", text
    ):
        assert (ROOT / name).is_file(), name
    for name in re.findall(r"\b([A-Z]+_[A-Z_]+)\b", text):
        assert re.search(rf"\b{name}\b", (ROOT / ".env.example").read_text() + "\n".join(_others())), name


def _others() -> list[str]:
    return ["BACKUP_PASSPHRASE", "POSTGRES_PASSWORD", "MIRROR_ROLE"]


def test_links_in_mails_begin_with_the_port_that_was_chosen_unless_a_setting_says_where(monkeypatch) -> None:
    from mirror import settings as written
    from script.serve import site_named

    monkeypatch.setenv("SITE_URL", "https://mirror.example.org")
    monkeypatch.setattr(written, "SITE_URL", "https://mirror.example.org")
    site_named("http://127.0.0.1:8137")
    assert written.SITE_URL == "https://mirror.example.org"
    monkeypatch.delenv("SITE_URL")
    site_named("http://127.0.0.1:8137")
    assert written.SITE_URL == "http://127.0.0.1:8137"
