"""Operations on tokens, on services that act by them, and on calls that come with a key."""

from mirror.api.services.accounts import account_end, account_make, account_renew
from mirror.api.services.calls_once import Done, call_once
from mirror.api.services.tokens import (
    PREFIX,
    TokenError,
    token_check,
    token_find,
    token_make,
    token_revoke,
    token_use,
    tokens_end,
)

__all__ = [
    "PREFIX",
    "Done",
    "TokenError",
    "account_end",
    "account_make",
    "account_renew",
    "call_once",
    "token_check",
    "token_find",
    "token_make",
    "token_revoke",
    "token_use",
    "tokens_end",
]
