"""In which language somebody reads pages and mails."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language_from_request

from mirror.people.models import User


def language_wanted(request: HttpRequest) -> str:
    """The language of an answer: the one that the person chose, else the first of the browser's that there is."""
    return _known(getattr(request.user, "language", "")) or get_language_from_request(request)


def language_of(person: User | None) -> str:
    """The language of a mail to somebody: the one they chose, else that of their browser, else that of the code.

    It is for `django.utils.translation.override`.
    """
    wanted = [person.language, person.browser_language] if person else []
    return next(filter(None, map(_known, wanted)), settings.LANGUAGE_CODE)


def _known(code: str) -> str:
    """A language back that pages are there in, and "" for any other: one may have been there before."""
    return code if code in dict(settings.LANGUAGES) else ""
