#!/usr/bin/env python
"""Django's command line for Mirror."""

import os
import sys

from mirror.keys import keys_make
from mirror.modes import umask_set

if __name__ == "__main__":
    umask_set()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mirror.settings")
    keys_make()
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Mirror cannot start: {error}. The file .env.example says what each setting is for.")
    except BrokenPipeError:
        # The reader has gone, as with `| head`; nothing is left to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
