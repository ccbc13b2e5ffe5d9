"""Errors that channels raise on purpose: about typed settings, and about deliveries that the other side did not take."""

from __future__ import annotations


class DeliveryFailed(Exception):
    """The other side did not take it; the message is what it answered, fit to be shown.

    `is_permanent`: trying again is no use. `is_refused`: this recipient will never take mail. `retry_after`:
    seconds the other side asked to wait.
    """

    def __init__(
        self,
        message: str,
        *,
        is_permanent: bool = False,
        is_refused: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.is_permanent, self.is_refused, self.retry_after = is_permanent, is_refused, retry_after


class ChannelError(ValueError):
    """Typed settings of a channel that cannot stand; `field` is the field it is said beside."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field
