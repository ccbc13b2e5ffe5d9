"""Why a call was not done, as RFC 9457 tells it: a status, a code that programs read, and words that people read."""

from __future__ import annotations

from functools import partial
from typing import Any

TYPE = "urn:mirror:problem:"
MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """A call that is not done. `wait` is after how many seconds to try again; `more` goes into the answer."""

    def __init__(
        self, status: int, code: str, title: str, detail: str = "", *, wait: int = 0, **more: Any
    ) -> None:
        super().__init__(title)
        self.status, self.code, self.title, self.detail, self.wait, self.more = (
            status,
            code,
            title,
            detail,
            wait,
            more,
        )

    def told(self) -> dict[str, Any]:
        """The answer's body."""
        said = {"type": TYPE + self.code, "title": self.title, "status": self.status, "detail": self.detail}
        return {name: value for name, value in said.items() if value != ""} | self.more

    def headers(self) -> dict[str, str]:
        """The answer's headers besides its media type."""
        headers = {"Cache-Control": "no-store"}
        if self.wait:
            headers["Retry-After"] = str(self.wait)
        if self.status == 401:
            headers["WWW-Authenticate"] = 'Bearer realm="Mirror"'
        return headers


no_token = partial(
    Problem,
    401,
    "no-token",
    "This address needs a token.",
    "Send the header “Authorization: Bearer mir_...”. Tokens are made under Your account.",
)
unknown_token = partial(
    Problem,
    401,
    "unknown-token",
    "There is no such token.",
    "It may have been copied in part. Make a new one.",
)
expired = partial(Problem, 401, "expired-token", "This token is over.", "Make a new one under Your account.")
revoked = partial(
    Problem, 401, "revoked-token", "This token was revoked.", "Make a new one under Your account."
)
shut_out = partial(
    Problem, 401, "shut-out", "The person of this token can no longer sign in.", "Ask an administrator."
)
away = partial(
    Problem,
    401,
    "away",
    "The person of this token has to sign in again before it works.",
    "Sign in by the identity provider.",
)
codes_lacking = partial(
    Problem,
    401,
    "codes-lacking",
    "The person of this token has to set up a second factor before it works.",
    "This installation asks for one. Set up one-time codes or a passkey under Your account; the token works again then.",
)
for_agents = partial(
    Problem,
    403,
    "agent-token",
    "This token is for agents.",
    "It works by MCP alone, where the privacy of a source holds. Make a token for a program.",
)
for_programs = partial(
    Problem,
    403,
    "program-token",
    "This token is for programs.",
    "MCP takes tokens that were made for agents.",
)
not_permitted = partial(Problem, 403, "not-permitted", "The person of this token may not do this.")
not_found = partial(Problem, 404, "not-found", "There is nothing here for this token.")
token_in_address = partial(
    Problem,
    400,
    "token-in-address",
    "A token does not belong in an address.",
    "Addresses are kept in logs. Revoke this token, make a new one, and send it in the header Authorization.",
)
too_large = partial(
    Problem,
    413,
    "too-large",
    "This body is too large.",
    "A call takes up to 1 MB; files are uploaded on the pages.",
)
away = partial(
    Problem, 503, "away", "Mirror cannot reach its own store now.", "Try again in a few seconds.", wait=5
)
broken = partial(
    Problem, 500, "broken", "Something in Mirror broke.", "It is in the server's log. Trying again may help."
)
other_body = partial(
    Problem,
    422,
    "key-reused",
    "This Idempotency-Key was sent with another call.",
    "Take a new key for every new call; the same key only to send the same call again.",
)
