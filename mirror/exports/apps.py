"""Django's entry for this subject."""

import os

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "mirror.exports"

    def ready(self) -> None:
        """Have matplotlib keep its list of fonts under `VAR_DIR`: a service's home is often not writable."""
        from django.conf import settings

        os.environ.setdefault("MPLCONFIGDIR", str(settings.VAR_DIR / "matplotlib"))
