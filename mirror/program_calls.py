"""Django as an ASGI application, with a shorter way for calls of the API.

A page passes a dozen of middleware, most in a thread of their own, and its thread opens the store anew. A call of the API
has no session, no form and no page: it is answered whole in one thread that keeps its connection of the store.
"""

from __future__ import annotations

import asyncio
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix
from django.utils.module_loading import import_string

from mirror.store_threads import StoreThreads

ROOT = "/api/"

Message = dict[str, Any]


class ProgramHandler(BaseHandler):
    """Answers calls of the API through the middleware that they need, `PROGRAM_MIDDLEWARE`."""

    def __init__(self) -> None:
        super().__init__()
        self._view_middleware: list[Any] = []
        self._template_response_middleware: list[Any] = []
        self._exception_middleware: list[Any] = []
        chain = convert_exception_to_response(self._get_response)  # type: ignore[attr-defined]  # Django's own, not in its stubs
        for name in reversed(settings.PROGRAM_MIDDLEWARE):
            chain = convert_exception_to_response(import_string(name)(chain))
        self._middleware_chain = chain

    def get_response(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a call, and be done with it unless it streams. Nobody is signed in: its token says whose it is."""
        request.user = AnonymousUser()
        answered: HttpResponseBase = super().get_response(request)
        if not answered.streaming:
            answered.close()
        return answered


class Application(ASGIHandler):
    """Answers pages as Django does, and calls of the API in threads of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.programs = ProgramHandler()
        self.threads = StoreThreads()

    async def handle(self, scope: Message, receive: Any, send: Any) -> None:
        """Answer a request. Below another address than the root, the path alone does not tell a call of the API."""
        if get_script_prefix(scope) or not scope["path"].startswith(ROOT):
            await super().handle(scope, receive, send)
            return
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        try:
            set_script_prefix("")
            request, answered = self.create_request(scope, body)
            if request is not None:
                answered = await self.threads.do(self.programs.get_response, request)
            if answered is None:  # no request, no answer: Django gives one of both
                return
            if answered.streaming:
                try:
                    await self._streamed(answered, receive, send)
                finally:
                    await self.threads.do(answered.close)
            else:
                await self.send_response(answered, send)
        finally:
            body.close()

    async def _streamed(self, answered: HttpResponseBase, receive: Any, send: Any) -> None:
        """Send a stream, which ends when its caller goes."""
        sending = asyncio.create_task(self.send_response(answered, send))
        leaving = asyncio.create_task(self.listen_for_disconnect(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (leaving, sending):
                task.cancel()
            ended = await asyncio.gather(sending, leaving, return_exceptions=True)
        if isinstance(ended[0], Exception):
            raise ended[0]
