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
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
