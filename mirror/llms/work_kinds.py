"""The kind of work of this subject: language models to be tested."""

from __future__ import annotations

from mirror.llms.models import EndpointTest
from mirror.work.kinds import Kind, Share, Way
from mirror.work.leases import Lease, end_unheld

# Of one person at once.
TESTS = Share("people.User", lambda _: 2)


class EndpointTests(Kind):
    """Calls of a language model for somebody who waits."""

    name, model, module = "endpoint_test", EndpointTest, "mirror.llms.endpoint_tests"
    shares = {TESTS: Way("owner")}
    attempts = 2

    @property
    def lost_seconds(self) -> float:
        """Shorter than usual: somebody waits on a page."""
        return 15.0

    def do(self, lease: Lease) -> None:
        """Call it."""
        from mirror.llms import endpoint_tests

        endpoint_tests.endpoint_test_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.llms import endpoint_tests

        endpoint_tests.endpoint_test_break(lease)

    def stopped(self, row: EndpointTest) -> bool:
        """Say so."""
        from mirror.llms import endpoint_tests

        return end_unheld(row, said={"error": endpoint_tests.STOPPED})

    def given_up(self, row: EndpointTest, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.llms import endpoint_tests

        return end_unheld(row, said={"error": endpoint_tests.GIVEN_UP.format(count=died)})
