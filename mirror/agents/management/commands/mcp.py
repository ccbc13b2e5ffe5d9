"""Answers agents by MCP: `manage.py mcp` over stdin and stdout, `manage.py mcp --http` for agents elsewhere."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.api.problems import Problem
from mirror.api.services import token_find
from mirror.store_threads import StoreThreads

TOKEN = "MIRROR_TOKEN"


class Command(BaseCommand):
    """Over stdin and stdout the token is in MIRROR_TOKEN; over HTTP each request carries its own."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Answer agents by MCP, over stdin and stdout, or with --http over HTTP at /mcp."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--http", action="store_true", help="serve HTTP instead of stdin and stdout")
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8010)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            from mirror.agents.serving import http_app, server_make
        except ImportError as error:
            raise CommandError(
                f"{error.name} is not installed. Run: .venv/bin/pip install -r requirements-mcp.txt"
            ) from None
        if options["http"]:
            import uvicorn

            uvicorn.run(
                http_app(StoreThreads()),
                host=options["host"],
                port=options["port"],
                log_level="warning",
                proxy_headers=bool(settings.TRUSTED_PROXIES),
                forwarded_allow_ips=settings.TRUSTED_PROXIES,
            )
            return
        secret = os.environ.get(TOKEN, "")
        if not secret:
            raise CommandError(f"Set {TOKEN} to a token for agents. Make one under Your account, Tokens.")
        try:
            token_find(secret)
        except Problem as problem:
            raise CommandError(f"{TOKEN}: {problem.title} {problem.detail}") from None
        server_make(StoreThreads(), secret).run("stdio")
