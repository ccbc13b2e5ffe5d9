"""Where a WSGI server enters."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mirror.settings")
application = get_wsgi_application()
