"""Where an ASGI server enters."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mirror.settings")
django.setup(set_prefix=False)

from mirror.program_calls import Application  # noqa: E402 - it needs the apps

application = Application()
