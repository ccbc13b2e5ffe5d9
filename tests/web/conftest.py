"""A question asked and answered, for the tests of the pages."""

from __future__ import annotations

import pytest

from mirror.asking import services
from mirror.asking.models import Run, Version
from mirror.work.leases import Status
from sqlagent.method.fallback import Rests
from tests.web.working import REVENUE, TOP, answer, work


@pytest.fixture(autouse=True)
def nobody_rests(monkeypatch) -> None:
    """A language model that failed in one test is asked in the next one: a row and a port may be given twice."""
    monkeypatch.setattr("mirror.llms.opening._RESTS", Rests())


@pytest.fixture
def asked(transactional_db, shop, alice, media) -> Run:
    """A question answered by the whole pipeline."""
    return answer(services.run_ask(alice, shop, REVENUE))


@pytest.fixture
def answered(transactional_db, shop, alice, media) -> Run:
    """A run with an answer as the pipeline leaves it, without its cost."""
    run = services.run_ask(alice, shop, REVENUE)
    known = {"agreement_size": 5, "agreement_pool": 7, "confidence": 0.91}
    Run.objects.filter(pk=run.pk).update(status=Status.DONE, outcome="answered", **known)
    run.refresh_from_db()
    version = work(services.version_edit(run, TOP))
    Version.objects.filter(pk=version.pk).update(origin=Version.Origin.ANSWER)
    return run
