"""Failures of a language model in a plain sentence: who asks is told no address and none of the server's words."""

from __future__ import annotations

from sqlagent.errors import BudgetSpent, LlmError, LlmRateLimited, LlmRejected, LlmTooLong, LlmUnreachable

NO_SQL = "The language model replied, but there was no SQL in what it said."

# The first that fits is said.
_SAID: tuple[tuple[type[LlmError], str], ...] = (
    (LlmUnreachable, "The language model did not reply."),
    (LlmRateLimited, "The language model is too busy to reply."),
    (LlmTooLong, "The prompt is too long for the model."),
    (LlmRejected, "The language model refused the request."),
    (LlmError, "The language model gave no usable reply."),
)


def plainly(error: LlmError) -> str:
    """Say in a sentence that a language model failed. A spent budget and a reply without SQL are told as they are: these words are ours.

    Example:
        >>> plainly(LlmUnreachable("The language model at 10.0.0.7 could not be reached ([Errno 111])."))
        'The language model did not reply.'
    """
    if isinstance(error, BudgetSpent) or str(error) == NO_SQL:
        return str(error)
    return next(words for kind, words in _SAID if isinstance(error, kind))
