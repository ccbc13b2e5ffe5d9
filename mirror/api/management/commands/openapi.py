"""Prints the OpenAPI document of the API, as docs/openapi.json has it."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand

from mirror.api.v1_urls import document


class Command(BaseCommand):
    help = "Print the OpenAPI document of the API: manage.py openapi > docs/openapi.json"

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        self.stdout.write(json.dumps(document(), indent=1, ensure_ascii=False))
