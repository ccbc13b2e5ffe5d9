"""Django's entry for this subject."""

from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "mirror.sharing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make its kind of work known, and tell of saved SQL that is shared."""
        from mirror.library.signals import sql_shared
        from mirror.sharing.notices import saved_told
        from mirror.sharing.work_kinds import ShareNotices
        from mirror.work.kinds import register

        register(ShareNotices)
        sql_shared.connect(saved_told)
