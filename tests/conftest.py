"""People and data that the tests share: Alice, Bob and Charlie, the shop, and clients signed in as each.

Alice owns things, Bob shares her team, Charlie is a stranger: every page is walked by all three.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Generator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from django.test import TransactionTestCase
from django.utils import translation
from hypothesis import settings as hypothesis_settings

from tests import clock, lengths, stores, strict_templates
from tests.order import FileScheduling, give_way, ordered
from tests.server_processes import has_openssh

# The shop is the source of this number in each test (`ids_part`), so that what a process keeps unpacked of it serves them all.
SHOP = 500
# After so many things made, garbage is looked for: each look costs, and a test's rows and pages are gone by themselves.
GARBAGE = 20_000
# The same examples every time, and none failed for being slow: a red test is about the change at hand.
hypothesis_settings.register_profile("same", derandomize=True, deadline=None)
hypothesis_settings.load_profile("same")
# Nothing that is loaded or collected goes before the end: looking through it for garbage took a quarter of collecting.
gc.disable()
strict_templates.install()
TransactionTestCase._fixture_teardown = lambda case: stores.store_empty()
clock.clock_set()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for garbage again once all is collected, in what is made from then on."""
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(GARBAGE)
        gc.enable()


# At the very end, so that extensions tell what they made apart from leaks; before it, pytest would look through all of it again.
atexit.register(gc.unfreeze)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what is marked `long` to the long run, and `openssh` to machines that have its server; put the rest in order."""
    absent = ["long"] if not lengths.IS_LONG else []
    absent += ["openssh"] if not has_openssh() else []
    if left := [item for item in items if any(item.get_closest_marker(name) for name in absent)]:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
    items[:] = ordered(items)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples in the docstrings of what is tested, not of the tests: benches and settings would be loaded for it."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling | None:
    """Hand tests out by file where that is asked for; by itself otherwise."""
    if config.getoption("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return FileScheduling(config, log)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let what is killed and has to go on in time go first."""
    give_way(item)


@pytest.fixture(autouse=True)
def templates_name_what_exists() -> Iterator[None]:
    """Fails a test whose pages used a name that nothing defines."""
    strict_templates.taken()
    yield
    found = strict_templates.taken()
    assert not found, "\n".join(found)


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """A request leaves its language to the thread; the next test begins with that of the code."""
    yield
    translation.activate("en")


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The tests' store is there when they begin, as a copy (`tests.stores`)."""
    return True


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Put it there, under the name that it has in this process."""
    from django.db import connection

    path = Path(connection.settings_dict["TEST"]["NAME"])
    stores.store_copy(path)
    stores.ids_part(path)


@pytest.fixture(scope="session")
def shop_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample shop, written once a run."""
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite3"
    stores.shop_copy(path)
    return path


@pytest.fixture
def alice(db):
    """Owns the shop; a member of the analysts."""
    from mirror.people.services import user_create

    return user_create("alice", name="Alice")


@pytest.fixture
def bob(db):
    """In Alice's team."""
    from mirror.people.services import user_create

    return user_create("bob", name="Bob")


@pytest.fixture
def charlie(db):
    """A stranger: in no team."""
    from mirror.people.services import user_create

    return user_create("charlie", name="Charlie")


@pytest.fixture
def admin(db):
    """Manages people; is in no team and owns nothing."""
    from mirror.people.services import first_admin

    return first_admin()


@pytest.fixture
def team(alice, bob):
    """The analysts: Alice, who manages it, and Bob."""
    from mirror.people.services import member_add, team_create

    team = team_create("Analysts", by=alice)
    member_add(team, "bob")
    return team


@pytest.fixture(scope="session")
def shop_read_at() -> datetime:
    """When the sample shop was read: the same hour for all tests, so that what is unpacked of it is kept between them."""
    from django.utils import timezone

    return timezone.now()


@pytest.fixture
def shop(new_shop, shop_read_at: datetime):
    """The sample shop as a source that Alice owns and shares with the analysts; its tables and values are read."""
    stores.shop_known(new_shop, shop_read_at)
    return new_shop


@pytest.fixture
def new_shop(alice, team, shop_file: Path):
    """The same, and nothing of it read."""
    from mirror.sources.demo import SHOP_QUESTIONS
    from mirror.sources.models import Source

    source = Source.objects.create(
        pk=stores.ids_first("sources_source") + SHOP,
        owner=alice,
        name="shop",
        engine=Source.Engine.SQLITE,
        database=str(shop_file),
        is_sample=True,
        examples=list(SHOP_QUESTIONS),
    )
    source.teams.add(team)
    return source


def _signed_in(user):
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def as_alice(alice):
    """A browser in which Alice is signed in."""
    return _signed_in(alice)


@pytest.fixture
def as_bob(bob):
    """A browser in which Bob is signed in."""
    return _signed_in(bob)


@pytest.fixture
def as_charlie(charlie):
    """A browser in which Charlie is signed in."""
    return _signed_in(charlie)


@pytest.fixture
def as_admin(admin):
    """A browser in which the administrator is signed in."""
    return _signed_in(admin)


@pytest.fixture
def media(settings, tmp_path: Path) -> Iterator[Path]:
    """A folder of its own for what this test stores."""
    settings.MEDIA_ROOT = tmp_path / "media"
    yield settings.MEDIA_ROOT
