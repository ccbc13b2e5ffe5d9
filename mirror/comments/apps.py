"""Django's entry for this subject."""

from django.apps import AppConfig


class CommentsConfig(AppConfig):
    name = "mirror.comments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make its kind of work known."""
        from mirror.comments.work_kinds import Mentions
        from mirror.work.kinds import register

        register(Mentions)
