"""The request of somebody who is signed in, which is what every view gets but those that say otherwise.

`LoginRequiredMiddleware` sends everybody else to the sign-in page before a view is called.
"""

from __future__ import annotations

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from mirror.people.models import User


class PersonRequest(HttpRequest):
    """A request whose `user` is a person. A type to annotate with; requests are made by Django."""

    user: User
    htmx: HtmxDetails
