"""Every setting, its default and its reason; the only reader of the environment.

A person sets Turnscope up through the variables in SETTINGS and nothing else. What follows the table is
Django's own configuration, made from them. What belongs to one channel (limits, owners, guard, origins) is
not here: it is kept with the channel.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key
from platformdirs import user_data_path

# ---------------------------------------------------------------- what a person may set


class Setting(NamedTuple):
    """One environment variable."""

    name: str
    default: str
    """What is used when the variable is absent or empty; "" where the reason says what happens instead."""
    reason: str
    """What it decides and why the default is what it is, as a person reads it in the README."""


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "TURNSCOPE_HOME",
        "",
        "Where data is kept. By default the platform's user data directory, so that an installed command"
        " finds the same data from any folder; `make run` uses the checkout's `var/`.",
    ),
    Setting(
        "TURNSCOPE_DATABASE_URL",
        "",
        "`postgres://user:password@host:port/name` for more than one machine, or `sqlite:///path`."
        " By default SQLite in TURNSCOPE_HOME: nothing to install.",
    ),
    Setting(
        "TURNSCOPE_REDIS_URL",
        "",
        "`redis://host:port/0` carries hints between several processes. By default they stay in memory:"
        " a hint is never content, so a lost one costs a moment and no data.",
    ),
    Setting("TURNSCOPE_HOST", "127.0.0.1", "The address `turnscope serve` binds: only this machine."),
    Setting("TURNSCOPE_PORT", "8000", "The port `turnscope serve` binds."),
    Setting(
        "TURNSCOPE_HOSTS",
        "localhost,127.0.0.1,[::1]",
        "Host names a request may ask for, by commas. Anything else is refused, so that a website which"
        " points its own name at this machine reads nothing.",
    ),
    Setting(
        "TURNSCOPE_ORIGINS",
        "",
        "Origins besides our own that a browser may write from, by commas, on every channel. By default"
        " none: a website must not post to a server on this machine.",
    ),
    Setting(
        "TURNSCOPE_SECRET_KEY",
        "",
        "Signs what a browser keeps. By default a new one for each start, which suits one process;"
        " several processes need the same one.",
    ),
    Setting(
        "TURNSCOPE_FRAME_LIMIT",
        "16 MiB",
        "The largest frame taken in. Real frames hold images and whole histories; one beyond this is"
        " kept in pieces and reported as too large to read.",
    ),
    Setting(
        "TURNSCOPE_BODY_LIMIT",
        "64 MiB",
        "The largest body of one POST, packed or not. Larger recordings go through import or a socket.",
    ),
    Setting(
        "TURNSCOPE_CHROMIUM",
        "",
        "The browser that the browser tests drive. By default the first of chromium, chromium-browser and"
        " google-chrome that is found, or Playwright's own.",
    ),
    Setting("TURNSCOPE_DEBUG", "0", "1 shows Django's error pages, for work on Turnscope itself."),
)


def _value(name: str) -> str:
    """The variable's text, or its default. A name that the table lacks is a programmer's mistake."""
    default = next(setting.default for setting in SETTINGS if setting.name == name)
    return os.environ.get(name, "").strip() or default


def _number(name: str) -> int:
    text = _value(name)
    if not text.isascii() or not text.isdigit():
        raise ImproperlyConfigured(f"{name} should be a whole number, not {text!r}.")
    return int(text)


_UNITS = {"": 1, "B": 1, "KIB": 1024, "MIB": 1024**2, "GIB": 1024**3}


def _size(name: str) -> int:
    """Bytes, from `65536`, `64 KiB`, `16MiB`."""
    text = _value(name)
    digits = text.rstrip("BbKkMmGgIi ")
    unit = text[len(digits) :].strip().upper()
    if not digits.isascii() or not digits.isdigit() or unit not in _UNITS:
        raise ImproperlyConfigured(f"{name} should be a size such as 65536 or 16 MiB, not {text!r}.")
    return int(digits) * _UNITS[unit]


def _list(name: str) -> list[str]:
    return [part.strip() for part in _value(name).split(",") if part.strip()]


def unknown_settings() -> list[str]:
    """TURNSCOPE_ variables that are set and mean nothing: typing mistakes, most likely."""
    known = {setting.name for setting in SETTINGS} | {"TURNSCOPE_SHARED"}
    return sorted(name for name in os.environ if name.startswith("TURNSCOPE_") and name not in known)


# ---------------------------------------------------------------- where things are

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parent
"""The checkout; in an installed package, site-packages (then templates and static stand in PACKAGE)."""


def _beside(name: str) -> Path:
    """`templates` and `static` stand at the checkout's root, and inside the package in a wheel."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else ROOT / name


HOME = Path(_value("TURNSCOPE_HOME") or user_data_path("turnscope")).expanduser()
"""Made by the first command that keeps something; reading a file leaves no trace."""

HOST = _value("TURNSCOPE_HOST")
PORT = _number("TURNSCOPE_PORT")
ORIGINS = _list("TURNSCOPE_ORIGINS")
FRAME_LIMIT = _size("TURNSCOPE_FRAME_LIMIT")
BODY_LIMIT = _size("TURNSCOPE_BODY_LIMIT")
CHROMIUM = _value("TURNSCOPE_CHROMIUM")

# ---------------------------------------------------------------- Django: the basics

SECRET_KEY = _value("TURNSCOPE_SECRET_KEY") or get_random_secret_key()
DEBUG = _value("TURNSCOPE_DEBUG") == "1"
ALLOWED_HOSTS = _list("TURNSCOPE_HOSTS")

INSTALLED_APPS = [
    "daphne",  # first: `manage.py runserver`, for work on Turnscope itself, then speaks websockets too
    "channels",
    "django.contrib.staticfiles",
    "turnscope.store",
    "turnscope.web",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "turnscope.urls"
ASGI_APPLICATION = "turnscope.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [_beside("templates")],
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
STATIC_URL = "/static/"
STATICFILES_DIRS = [_beside("static")]
# Pages name /assets/<version>/...: joined, compressed, kept by browsers for a year (web/assets.py).
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "turnscope.web.assets.Storage"},
}

# Times are kept as milliseconds since 1970 and spelled for the reader's own zone by the page.
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False

# The page refuses to be framed, and a browser to guess a type: what an agent emitted is hostile text.
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
DATA_UPLOAD_MAX_MEMORY_SIZE = BODY_LIMIT

# ---------------------------------------------------------------- where rows live


def _database(url: str) -> dict[str, Any]:
    """Django's description of the database that a URL names; SQLite in HOME for ""."""
    parts = urlsplit(url)
    if not url or parts.scheme == "sqlite":
        # sqlite:///relative and sqlite:////absolute, as everywhere.
        path = Path(unquote(parts.path)[1:]).expanduser() if url else HOME / "turnscope.sqlite3"
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": path,
            "OPTIONS": {
                # WAL: a tail reads while the writer writes. FULL: an acked frame survives a power cut.
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
                # A transaction here writes: it takes the lock at once and waits for it, instead of failing
                # in the middle when a second process was faster.
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
            },
        }
    if parts.scheme in ("postgres", "postgresql"):
        if not parts.path.strip("/"):
            raise ImproperlyConfigured("TURNSCOPE_DATABASE_URL names no database: postgres://host/NAME.")
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.strip("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(parts.port or ""),
            "OPTIONS": dict(parse_qsl(parts.query)),
            # Under ASGI each request has a thread of its own, which ends with it: a connection that is kept
            # would be left behind open. The writer's thread opens one a second, which costs milliseconds.
            "CONN_MAX_AGE": 0,
        }
    raise ImproperlyConfigured(
        f"TURNSCOPE_DATABASE_URL should begin with postgres:// or sqlite:///, not {parts.scheme or url!r}."
    )


DATABASES = {"default": _database(_value("TURNSCOPE_DATABASE_URL"))}

# ---------------------------------------------------------------- how hints travel


def _channel_layer(url: str) -> dict[str, Any]:
    if not url:
        return {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    # channels_redis waits 5 s for a message, redis-py 8 gives up on any answer after just as long.
    host = {"address": url, "socket_timeout": 30}
    return {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [host]}}


CHANNEL_LAYERS = {"default": _channel_layer(_value("TURNSCOPE_REDIS_URL"))}

# ---------------------------------------------------------------- what is said on the terminal

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"turnscope": {"level": "INFO"}},
}
