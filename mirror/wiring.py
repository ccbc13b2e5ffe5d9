"""The parts that Mirror is put together from: apps, middleware, ways to sign in, static files, periodic work.

No environment changes them; `mirror/settings.py` takes them all and adds those that one may choose.
"""

from __future__ import annotations

from pathlib import Path

from csp.constants import NONE, SELF, UNSAFE_INLINE

BASE_DIR = Path(__file__).resolve().parent.parent

INSTALLED_APPS = [
    "servestatic.runserver_nostatic",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "mirror.work",
    "mirror.health",
    "mirror.audit",
    "mirror.people",
    "mirror.sources",
    "mirror.llms",
    "mirror.results",
    "mirror.exports",
    "mirror.library",
    "mirror.knowledge",
    "mirror.asking",
    "mirror.workbench",
    "mirror.dashboards",
    "mirror.sharing",
    "mirror.comments",
    "mirror.reports",
    "mirror.api",
    "mirror.agents",
    "mirror.upkeep",
]

MIDDLEWARE = [
    "mirror.health.middleware.request_named",
    "mirror.health.middleware.health_first",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "mirror.kept_private.kept_private",
    "csp.middleware.CSPMiddleware",
    "mirror.api.middleware.api_alone",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "mirror.audit.middleware.acting",
    "mirror.people.middleware.LanguageOfPerson",
    "mirror.people.middleware.second_factor_first",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

# Of sessions, forms and pages: calls of the API have none of these, and pass all other (`mirror.program_calls`).
_OF_PAGES = {
    "mirror.health.middleware.health_first",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "mirror.people.middleware.second_factor_first",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
}
PROGRAM_MIDDLEWARE = [name for name in MIDDLEWARE if name not in _OF_PAGES]

ROOT_URLCONF = "mirror.urls"
ASGI_APPLICATION = "mirror.asgi.application"
WSGI_APPLICATION = "mirror.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "frontend" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["mirror.template_filters"],
            "context_processors": [
                "django.template.context_processors.i18n",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "mirror.asking.context.rail",
                "mirror.reports.context.sending",
            ],
        },
    },
]

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "people.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "mirror.people.passwords.BesideTheName"}]
# One for each way in; a session keeps its name.
AUTHENTICATION_BACKENDS = [
    f"mirror.people.ways.{name}" for name in ("Password", "Link", "Passkey", "Provider")
]
SESSION_ENGINE = "mirror.people.session_store"
LOGIN_URL = "people:sign_in"
LOGIN_REDIRECT_URL = "asking:ask"
LOGOUT_REDIRECT_URL = "people:sign_in"
SESSION_COOKIE_HTTPONLY = True

# English is what the code says; the other languages are catalogs beside the templates, made by `script/messages`.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "frontend" / "locale"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "frontend" / "static"]
# Ours alone: no page asks for those of libraries.
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
# A start makes them small and names them by their content (`static_files_make`); other files are served from where they lie.
SERVESTATIC_USE_FINDERS = True
# Brotli and gzip are what browsers ask for.
SERVESTATIC_USE_ZSTD = False
SERVESTATIC_KEEP_ONLY_HASHED_FILES = True
SERVESTATIC_ALLOW_ALL_ORIGINS = False

# Files that a page may load: our own only. Inline styles are Plotly's need.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF, UNSAFE_INLINE],
        "img-src": [SELF, "data:", "blob:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    },
}
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"

# ------------------------------------------------------------------ work

CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# A broker that goes away ends no work: a message that comes twice is refused by the row, which is leased.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False

# Which kind of work goes to which queue is said where it is registered (`kinds.py` of a subject). Ticks are taken by
# whichever worker has time.
CELERY_TASK_ROUTES = {
    "mirror.work.tasks.recover": {"queue": "ticks"},
    "mirror.reports.tasks.tick_reports": {"queue": "ticks"},
    "mirror.dashboards.tasks.tick_dashboards": {"queue": "ticks"},
    "mirror.reports.tasks.expire_reports": {"queue": "reports"},
    "mirror.reports.tasks.look_ahead": {"queue": "reports"},
    "mirror.reports.tasks.look_at_source": {"queue": "reports"},
}

# How often the scheduler looks for work to hand back or to delete (seconds).
CELERY_BEAT_MAX_LOOP_INTERVAL = 20
CELERY_BEAT_SCHEDULER = "mirror.celery:Scheduler"
CELERY_BEAT_SCHEDULE = {
    "recover-work": {
        "task": "mirror.work.tasks.recover",
        "schedule": 10.0,
        "options": {"expires": 10.0},
    },
    "tick-reports": {
        "task": "mirror.reports.tasks.tick_reports",
        "schedule": 20.0,
        "options": {"expires": 20.0},
    },
    "tick-dashboards": {
        "task": "mirror.dashboards.tasks.tick_dashboards",
        "schedule": 60.0,
        "options": {"expires": 60.0},
    },
    "tick-knowledge": {
        "task": "mirror.knowledge.tasks.tick_knowledge",
        "schedule": 300.0,
        "options": {"expires": 300.0},
    },
    "look-ahead": {"task": "mirror.reports.tasks.look_ahead", "schedule": 3600.0},
    "expire-reports": {"task": "mirror.reports.tasks.expire_reports", "schedule": 3600.0},
    "tick-people": {
        "task": "mirror.people.tasks.tick_people",
        "schedule": 30.0,
        "options": {"expires": 30.0},
    },
    "end-sessions": {"task": "mirror.people.tasks.end_sessions", "schedule": 3600.0},
    "end-audit-days": {"task": "mirror.audit.tasks.end_days", "schedule": 3600.0},
    "end-threads": {"task": "mirror.asking.tasks.end_threads", "schedule": 3600.0},
    "expire-results": {"task": "mirror.results.tasks.expire_results", "schedule": 3600.0},
}
