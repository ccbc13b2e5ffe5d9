"""Every setting: why it exists, its name, a default that runs on one machine.

Values come from the environment or from `.env` beside `manage.py`; `.env.example` lists
them all. Secrets have no default outside development: `script/server` makes its own in
`var/secrets.env`, and a missing one stops the start with its name. Apps, middleware and
periodic work, which no environment changes, come from `mirror/wiring.py`.
"""

from __future__ import annotations

import logging
import os
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from mirror.environment import Environment
from mirror.keys import NAMES, env_read
from mirror.logs import logging_of
from mirror.modes import umask_set
from mirror.wiring import *  # noqa: F403
from mirror.wiring import BASE_DIR
from sqlagent.values import Prices

env = Environment()
# Another file to read settings from than `.env`.
ENV_FILE = Path(env.str("MIRROR_ENV_FILE", default=str(BASE_DIR / ".env")))
env_read()

# Where everything a running Mirror writes lives: store, broker, results, secrets. Its user's alone.
VAR_DIR = Path(env.str("MIRROR_VAR_DIR", default=str(BASE_DIR / "var")))
umask_set()
VAR_DIR.mkdir(parents=True, exist_ok=True)

# A deployment others use: secrets come from the environment, never from a file made in passing.
PRODUCTION = env.bool("PRODUCTION", default=False)
if not PRODUCTION and (VAR_DIR / "secrets.env").is_file():
    env.read_env(VAR_DIR / "secrets.env")

if PRODUCTION and (_missing := [name for name in NAMES if not os.environ.get(name)]):
    raise ImproperlyConfigured(
        f"PRODUCTION is set, so {' and '.join(_missing)} must come from the environment or {ENV_FILE}. "
        "For fresh ones run: python -m mirror.keys"
    )

# Shows stack traces and allows plain cookies; never in production.
DEBUG = env.bool("DEBUG", default=False)

# Signs sessions and links. No default: a missing one stops the start with its name.
SECRET_KEY = env.str("SECRET_KEY")

# Encrypt stored passwords of sources; newest first, older ones are kept to read with.
MIRROR_ENCRYPTION_KEYS = env.list("MIRROR_ENCRYPTION_KEYS")

# Names this server answers to.
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# Behind a TLS proxy: cookies over TLS only.
SECURE_COOKIES = env.bool("SECURE_COOKIES", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_COOKIES

# For how long browsers that came over TLS come over nothing else (HSTS, seconds): half a year behind a TLS proxy.
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=15_768_000 if SECURE_COOKIES else 0)

# Proxies whose word is believed about who calls and by which scheme: addresses or networks. By default none.
TRUSTED_PROXIES = env.list("TRUSTED_PROXIES", default=[])
for _proxy in TRUSTED_PROXIES:
    try:
        ip_network(_proxy)
    except ValueError:
        raise ImproperlyConfigured(f"TRUSTED_PROXIES: {_proxy} is no address and no network") from None

# The store: users, sources, runs. SQLite unless DATABASE_URL names another.
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'store.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
# Wrong passwords for one name from one address before there is a wait; the other bounds are multiples of it.
SIGN_IN_FAILURE_LIMIT = env.int("SIGN_IN_FAILURE_LIMIT", default=5)

# How long a one-time sign-in link works (hours).
SIGN_IN_LINK_HOURS = env.int("SIGN_IN_LINK_HOURS", default=24)

# People who must give a second factor (a one-time code or a passkey) beside a password or a link: nobody, administrators or
# everyone. Others may.
SECOND_FACTOR_REQUIRED = env.str("SECOND_FACTOR_REQUIRED", default="nobody")
if SECOND_FACTOR_REQUIRED not in ("nobody", "administrators", "everyone"):
    raise ImproperlyConfigured("SECOND_FACTOR_REQUIRED must be nobody, administrators or everyone")

# An OpenID Connect provider that people sign in by (docs/identity.md): its issuer as it names itself, and the client id
# and secret of Mirror there. Without an issuer there is none.
OIDC_ISSUER = env.str("OIDC_ISSUER", default="").strip()
OIDC_CLIENT_ID = env.str("OIDC_CLIENT_ID", default="").strip()
OIDC_CLIENT_SECRET = env.str("OIDC_CLIENT_SECRET", default="").strip()
if OIDC_ISSUER and not OIDC_CLIENT_ID:
    raise ImproperlyConfigured("OIDC_ISSUER needs OIDC_CLIENT_ID")
_oidc = urlsplit(OIDC_ISSUER)
if OIDC_ISSUER and not (
    _oidc.hostname
    and not _oidc.query
    and not _oidc.fragment
    and (
        _oidc.scheme == "https"
        or _oidc.scheme == "http"
        and _oidc.hostname in ("localhost", "127.0.0.1", "::1")
    )
):
    raise ImproperlyConfigured("OIDC_ISSUER must be an address that begins with https://")

# Its name among people; it stands on the button.
OIDC_NAME = env.str("OIDC_NAME", default="your company")

# Scopes of the request. Empty: openid, profile, email, groups and offline_access, as far as the provider lists them.
OIDC_SCOPES = env.str("OIDC_SCOPES", default="")

# The claim that lists somebody's groups; a dot leads into an object, as in realm_access.roles.
OIDC_GROUPS_CLAIM = env.str("OIDC_GROUPS_CLAIM", default="groups")

# Only people in one of these groups are let in; empty: everyone whom the provider lets in.
OIDC_ALLOWED_GROUPS = [one.strip() for one in env.list("OIDC_ALLOWED_GROUPS", default=[])]

# Further parameters of the request that a browser is sent with, such as access_type=offline&prompt=consent.
OIDC_AUTHORIZE_PARAMS = env.str("OIDC_AUTHORIZE_PARAMS", default="")

# How far the clocks of the provider and of this machine may be apart (seconds).
OIDC_CLOCK_SECONDS = env.int("OIDC_CLOCK_SECONDS", default=60)
if not 0 <= OIDC_CLOCK_SECONDS <= 300:
    raise ImproperlyConfigured("OIDC_CLOCK_SECONDS must be between 0 and 300")

# How long sessions go on while the provider cannot be asked (minutes).
OIDC_GRACE_MINUTES = env.int("OIDC_GRACE_MINUTES", default=60)
if OIDC_GRACE_MINUTES < 5:
    raise ImproperlyConfigured("OIDC_GRACE_MINUTES must be 5 or more")

# Days until somebody is shut out who was not seen at the provider, where it gives no lasting permission to ask.
OIDC_AWAY_DAYS = env.int("OIDC_AWAY_DAYS", default=30)

STATIC_ROOT = VAR_DIR / "static"
# Stored results and files to download: a folder, or a bucket of any S3-compatible store.
MEDIA_ROOT = Path(env.str("MEDIA_ROOT", default=str(VAR_DIR / "media")))
S3_BUCKET = env.str("S3_BUCKET", default="")
# Django's own default lets everybody on the machine read them.
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
STORAGES: dict[str, dict[str, object]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "mirror.static_files.NamedByContent"},
}
if S3_BUCKET:
    # Where it is, unless at Amazon; the keys, unless the machine has a role; a folder in the bucket.
    _endpoint, _addressing = env.str("S3_ENDPOINT_URL", default=""), env.str("S3_ADDRESSING", default="")
    if _endpoint and not _endpoint.startswith(("http://", "https://")):
        raise ImproperlyConfigured("S3_ENDPOINT_URL must begin with http:// or https://")
    if _addressing not in ("", "path", "virtual", "auto"):
        raise ImproperlyConfigured("S3_ADDRESSING must be path, virtual or auto")
    STORAGES["default"] = {
        "BACKEND": "mirror.storage.BucketStorage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": _endpoint or None,
            "region_name": env.str("S3_REGION", default="") or None,
            "access_key": env.str("S3_ACCESS_KEY_ID", default="") or None,
            "secret_key": env.str("S3_SECRET_ACCESS_KEY", default="") or None,
            "location": env.str("S3_FOLDER", default=""),
            # "path" is what stores other than Amazon's understand; some want "virtual"
            "addressing_style": _addressing or ("path" if _endpoint else "auto"),
        },
    }

# Copies of stored results on this machine, where they are in a bucket (megabytes).
RESULT_COPIES_MEGABYTES = env.int("RESULT_COPIES_MEGABYTES", default=2_000)

# ------------------------------------------------------------------ worker

# A Redis broker, where there is one; otherwise messages are files under VAR_DIR.
REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
else:
    CELERY_BROKER_URL = "filesystem://localhost/"
    CELERY_BROKER_TRANSPORT = "mirror.broker:Transport"
    _messages, _control = VAR_DIR / "broker" / "messages", VAR_DIR / "broker" / "control"
    for _folder in (_messages, _control):
        _folder.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_messages),
        "data_folder_out": str(_messages),
        "control_folder": str(_control),
    }
# Processors that this process may use; in a container there may be fewer than the machine has.
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

# Processes that answer questions and run SQL: one a processor, at least two, so that one that crashes is not all, and
# at most eight, as each takes some 200 MB.
WORKERS = env.int("WORKERS", default=min(max(_CORES, 2), 8))

# Threads of each of them: 32 together, of which each takes two connections of the store at most. Work that waits for a
# language model or a database takes a thread, not a process.
WORKER_THREADS = env.int("WORKER_THREADS", default=max(32 // max(WORKERS, 1), 4))

# Processes that make reports.
REPORT_WORKERS = env.int("REPORT_WORKERS", default=min(max(_CORES // 2, 2), 4))

# The scheduler's own memory of what it sent.
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "scheduler")

# How long a worker holds a run before it must renew its lease (seconds).
LEASE_SECONDS = env.int("LEASE_SECONDS", default=30)

# ------------------------------------------------------------------ language model

# Any OpenAI-compatible server. Without LLM_BASE_URL or LLM_API_KEY the built-in generator answers.
LLM_BASE_URL = env.str("LLM_BASE_URL", default="")
LLM_API_KEY = env.str("LLM_API_KEY", default="")
LLM_MODEL = env.str("LLM_MODEL", default="")

# A second server for the calls that the first one fails, with its own key and model (else the first one's).
LLM_SECOND_BASE_URL = env.str("LLM_SECOND_BASE_URL", default="")
LLM_SECOND_API_KEY = env.str("LLM_SECOND_API_KEY", default="")
LLM_SECOND_MODEL = env.str("LLM_SECOND_MODEL", default="")
if LLM_SECOND_BASE_URL and not (LLM_BASE_URL or LLM_API_KEY):
    raise ImproperlyConfigured("LLM_SECOND_BASE_URL is of use beside LLM_BASE_URL or LLM_API_KEY only")

# A model that only ranks: it compares and marks candidates where its server answers, else the one above does.
RANKER_BASE_URL = env.str("RANKER_BASE_URL", default="")
RANKER_API_KEY = env.str("RANKER_API_KEY", default="")
RANKER_MODEL = env.str("RANKER_MODEL", default="")
if RANKER_BASE_URL and not (LLM_BASE_URL or LLM_API_KEY):
    raise ImproperlyConfigured("RANKER_BASE_URL is of use beside LLM_BASE_URL or LLM_API_KEY only")
if RANKER_BASE_URL and not RANKER_MODEL.strip():
    raise ImproperlyConfigured("RANKER_BASE_URL needs RANKER_MODEL, the name its server uses")

# Tokens that a question may cost; 0: what its budget says.
LLM_TOKENS = env.int("LLM_TOKENS", default=0)

# The cost of a million tokens, by server: of prompts, of prompts read from the cache, of replies.
LLM_PRICES = env.str("LLM_PRICES", default="")
LLM_SECOND_PRICES = env.str("LLM_SECOND_PRICES", default="")
RANKER_PRICES = env.str("RANKER_PRICES", default="")
for _name in ("LLM_PRICES", "LLM_SECOND_PRICES", "RANKER_PRICES"):
    try:
        Prices.read(globals()[_name])
    except ValueError:
        raise ImproperlyConfigured(
            f"{_name} must be two or three numbers, such as 2.5, 10 or 2.5, 1.25, 10"
        ) from None

# The currency these are in, and what a question may cost in it; 0: no bound.
LLM_CURRENCY = env.str("LLM_CURRENCY", default="USD")
LLM_MONEY = env.float("LLM_MONEY", default=0.0)
if LLM_MONEY < 0 or (LLM_MONEY and not LLM_PRICES):
    raise ImproperlyConfigured("LLM_MONEY must be 0 or more, and needs LLM_PRICES to be reckoned with")

# Whether replies come word by word, so that one that stalls is given up after half a minute.
LLM_STREAM = env.bool("LLM_STREAM", default=False)

# Seconds one call of a language model may take, retries included; a model on a CPU needs more.
LLM_TIMEOUT = env.float("LLM_TIMEOUT", default=120.0)

# Drafts of the built-in generator shown to the language model as hints (0 to 3).
LLM_DRAFTS = env.int("LLM_DRAFTS", default=0)

# How much a question may cost a language model: quick, normal, thorough, or faithful to the paper (docs/method.md).
LLM_BUDGET = env.str("LLM_BUDGET", default="normal")
if LLM_BUDGET not in ("quick", "normal", "thorough", "faithful"):
    raise ImproperlyConfigured("LLM_BUDGET must be quick, normal, thorough or faithful")

# ------------------------------------------------------------------ limits

# Seconds one statement may run, rows of a candidate, rows kept of a result, days they are kept, and how much
# of one source at once (megabytes).
STATEMENT_SECONDS = env.float("STATEMENT_SECONDS", default=30.0)
# Megabytes of memory one statement may take where its engine runs on this machine: SQLite, DuckDB, uploads.
STATEMENT_MEGABYTES = env.int("STATEMENT_MEGABYTES", default=2_000)
SCAN_MEGABYTES = env.int("SCAN_MEGABYTES", default=1_000_000)
CANDIDATE_ROWS = env.int("CANDIDATE_ROWS", default=10_000)
RESULT_ROWS = env.int("RESULT_ROWS", default=1_000_000)
RESULT_DAYS = env.int("RESULT_DAYS", default=30)
RESULT_MEGABYTES = env.int("RESULT_MEGABYTES", default=10_000)

# Whether people may share questions, threads and dashboards by links that work without signing in.
SHARE_LINKS = env.bool("SHARE_LINKS", default=True)

# Comments that one person may write in an hour.
COMMENTS_PER_HOUR = env.int("COMMENTS_PER_HOUR", default=60)

# Days a thread of questions is kept after its last one. 0 keeps threads for ever.
THREAD_DAYS = env.int("THREAD_DAYS", default=0)

# The longest question taken (characters).
QUESTION_CHARS = env.int("QUESTION_CHARS", default=2_000)

# ------------------------------------------------------------------ sources

# Where database files may lie for people who are not staff. Staff may name any path.
SOURCE_FILES_DIR = Path(env.str("SOURCE_FILES_DIR", default=str(VAR_DIR / "files")))

# May sources be on this machine or in its private networks? Yes on one's own machine; say no where
# strangers sign up. Link-local addresses (a cloud's metadata service) are refused either way.
SOURCE_PRIVATE_HOSTS = env.bool("SOURCE_PRIVATE_HOSTS", default=True)

# Connections that one person may try within a minute, so that nobody looks for open ports with them.
CONNECTION_TESTS_PER_MINUTE = env.int("CONNECTION_TESTS_PER_MINUTE", default=20)

# The most that is taken of uploaded files at once (megabytes). They go to disk as they come: a hundred small
# ones kept in memory would be 200 MB of the web server.
UPLOAD_MEGABYTES = env.int("UPLOAD_MEGABYTES", default=200)
FILE_UPLOAD_HANDLERS = [
    "mirror.upload_limit.SizeLimit",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# Bounds of reading one uploaded file, or of making tables of an upload: memory of its process (megabytes)
# and time (seconds; a file gets two minutes and 20 seconds a megabyte of them). Up to four are read at once.
UPLOAD_READ_MEGABYTES = env.int("UPLOAD_READ_MEGABYTES", default=2_000)
UPLOAD_READ_SECONDS = env.float("UPLOAD_READ_SECONDS", default=600.0)
# A page about uploaded files has three fields a column.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

# Statements and questions that run at once on one source; others wait their turn.
CONCURRENT_RUNS = env.int("CONCURRENT_RUNS", default=4)

# The same of one person, on all sources together, so that others find workers free.
CONCURRENT_RUNS_PER_PERSON = env.int("CONCURRENT_RUNS_PER_PERSON", default=4)

# Questions and statements of one person that may be on their way, waiting ones counted; more are refused.
QUEUED_PER_PERSON = env.int("QUEUED_PER_PERSON", default=100)

# How old a source's catalog may be before a question reads it anew (hours).
CATALOG_HOURS = env.int("CATALOG_HOURS", default=24)

# Distinct stored values of one text column that are made searchable, and seconds a worker reads them at a time.
VALUE_INDEX_PER_COLUMN = env.int("VALUE_INDEX_PER_COLUMN", default=2_000)
VALUE_INDEX_SECONDS = env.float("VALUE_INDEX_SECONDS", default=10.0)

# ------------------------------------------------------------------ reports

# Rows that one SQL of a report may give, and seconds it may run: more than for people who wait.
REPORT_ROWS = env.int("REPORT_ROWS", default=10_000_000)
REPORT_SECONDS = env.float("REPORT_SECONDS", default=600.0)

# Minutes until a report that failed is tried again, and again; then it has failed.
REPORT_RETRY_MINUTES = [float(one) for one in env.list("REPORT_RETRY_MINUTES", default=["1", "5", "15"])]

# The same for each delivery of a report; then it is given up.
DELIVERY_RETRY_MINUTES = [
    float(one) for one in env.list("DELIVERY_RETRY_MINUTES", default=["1", "5", "15", "60", "180"])
]

# Where people reach this server; links in mails and messages begin with it, and passkeys are bound to its name.
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000")

# The mail server (SMTP). Without a host no mail is sent, and pages say so.
EMAIL_HOST = env.str("EMAIL_HOST", default="")
EMAIL_PORT = env.int("EMAIL_PORT", default=25)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", default="")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", default="")

# How its connection is encrypted: STARTTLS (usually port 587), or TLS from the start (465). One or neither.
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", default=False)
EMAIL_USE_SSL = env.bool("EMAIL_USE_SSL", default=False)

# Seconds to wait for one answer of the mail server. Taking over a whole mail may last five times as long.
EMAIL_TIMEOUT = env.float("EMAIL_TIMEOUT", default=30.0)

# Domains whose addresses get reports without being asked first, besides those of people here and of MAIL_FROM.
# Where one is named, here or by an administrator, all others are refused; otherwise each is asked once.
MAIL_DOMAINS = env.list("MAIL_DOMAINS", default=[])

# Mails an hour that one person's reports may send, each recipient counted.
MAILS_PER_HOUR = env.int("MAILS_PER_HOUR", default=200)

# Calls an hour of one person's reports: webhooks, Slack and buckets.
CALLS_PER_HOUR = env.int("CALLS_PER_HOUR", default=600)

# New outside addresses a day that one person's reports may ask whether they want mails.
MAIL_ASKS_PER_DAY = env.int("MAIL_ASKS_PER_DAY", default=50)

# Recipients of one report by mail, and ways it goes out.
REPORT_RECIPIENTS = env.int("REPORT_RECIPIENTS", default=200)
REPORT_CHANNELS = env.int("REPORT_CHANNELS", default=10)

# The least time between two runs of a schedule, for people who are not administrators (minutes).
REPORT_LEAST_MINUTES = env.int("REPORT_LEAST_MINUTES", default=15)

# Hosts on this machine or in private networks that everybody's webhooks, Slack addresses and buckets may be at, such as
# hooks.internal or 10.1.2.3:8443. Others in private networks are for reports of administrators alone.
WEBHOOK_HOSTS = env.list("WEBHOOK_HOSTS", default=[])

# Sender of mails; bounces go there.
DEFAULT_FROM_EMAIL = MAIL_FROM = env.str("MAIL_FROM", default="Mirror <mirror@localhost>")

# The most that is attached to one mail (megabytes); larger files are linked to.
MAIL_ATTACHMENT_MB = env.int("MAIL_ATTACHMENT_MB", default=20)

# Where reports may be put as files for people who are not staff. Staff may name any folder.
REPORT_FOLDERS_DIR = Path(env.str("REPORT_FOLDERS_DIR", default=str(VAR_DIR / "folders")))

# Seconds a webhook has to take a report, from connecting to the end of its answer.
WEBHOOK_SECONDS = env.float("WEBHOOK_SECONDS", default=30.0)

# ------------------------------------------------------------------ charts in mails and files

# Renderer of these pictures: "plotly" in a Chromium, as pages do; "simple", faster and plainer; "auto": the
# first where a Chromium is found, else the second.
CHART_IMAGES = env.str("CHART_IMAGES", default="auto")

# How long a Chromium stays up for the next chart (seconds).
CHART_BROWSER_SECONDS = env.float("CHART_BROWSER_SECONDS", default=60.0)

# ------------------------------------------------------------------ audit

# Days that the audit is kept: who did what, and what was refused. 0 keeps it for ever.
AUDIT_DAYS = env.int("AUDIT_DAYS", default=730)

# ------------------------------------------------------------------ API

# Calls that one token may make a minute, over HTTP and by agents together; so many may come at once.
API_CALLS_PER_MINUTE = env.int("API_CALLS_PER_MINUTE", default=600)

# ------------------------------------------------------------------ metrics

# The bearer token by which Prometheus reads /metrics; without it only administrators who are signed in do.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="").strip()
if METRICS_TOKEN and (len(METRICS_TOKEN) < 20 or not METRICS_TOKEN.isascii()):
    raise ImproperlyConfigured(
        "METRICS_TOKEN must be 20 plain characters or more, such as: openssl rand -hex 32"
    )

# Where spans of answered questions go, and headers that go with them ("name=value,name=value").
TRACES_URL = env.str("TRACES_URL", default="").strip()
if TRACES_URL and not TRACES_URL.startswith(("http://", "https://")):
    raise ImproperlyConfigured("TRACES_URL must be an address, such as: http://127.0.0.1:4318/v1/traces")
TRACES_HEADERS = env.dict("TRACES_HEADERS", default={})

# ------------------------------------------------------------------ log

# How much is said: DEBUG, INFO, WARNING or ERROR. One line an event, no question, row or secret in it.
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
# Lines for people ("line"), or JSON objects for programs that collect logs ("json").
LOG_FORMAT = env.str("LOG_FORMAT", default="line")
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured("LOG_FORMAT must be line or json")
# Warnings of Python are lines of the log too, then.
logging.captureWarnings(LOG_FORMAT == "json")
LOGGING = logging_of(LOG_LEVEL, LOG_FORMAT)
