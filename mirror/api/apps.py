"""Django's entry for this subject."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_save


class ApiConfig(AppConfig):
    name = "mirror.api"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """See to it that tokens of somebody who is shut out end for good."""
        post_save.connect(_end_tokens, sender="people.User", dispatch_uid="end_tokens")


def _end_tokens(instance: Any, created: bool, **_: Any) -> None:
    if not created and not instance.is_active:
        from mirror.api.services import tokens_end

        tokens_end(instance)
