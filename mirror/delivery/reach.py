"""Which private hosts a channel may call."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """Which hosts on this machine and in private networks messages may go to.

    `is_everywhere`: all of them. Otherwise `hosts`, in small letters, as they stand in an address: `host` or `host:port`.
    Metadata services of clouds are never among them.
    """

    is_everywhere: bool = False
    hosts: frozenset[str] = frozenset()

    def covers(self, host: str, port: int) -> bool:
        """Say whether a host may be called although it is private.

        Example:
            >>> reach = Reach(hosts=frozenset({"hooks.internal", "10.1.2.3:8443", "fd12::1"}))
            >>> reach.covers("Hooks.Internal", 80), reach.covers("10.1.2.3", 443), reach.covers("fd12::1", 443)
            (True, False, True)
        """
        name = host.casefold().rstrip(".")
        return self.is_everywhere or bool(
            self.hosts & {name, f"{name}:{port}", f"[{name}]", f"[{name}]:{port}"}
        )


NOWHERE = Reach()
