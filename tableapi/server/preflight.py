"""Check the port and the database before anything is started."""

from __future__ import annotations

import errno
import socket
from importlib.util import find_spec
from urllib.parse import urlsplit

import asyncpg

from tableapi.auth.tokens.settings import token_settings
from tableapi.config.command_error import BadSettings, CommandError, MissingExtra
from tableapi.config.networks import is_loopback
from tableapi.config.settings import Settings
from tableapi.crypto.vault import (
    GUESSABLE_LOCAL_TOKEN,
    GUESSABLE_SECRET,
    GUESSABLE_TOKEN,
    MIN_SECRET,
    MIN_TOKEN,
    weak_secret,
    weak_token,
)
from tableapi.db.session import connect
from tableapi.log import get_logger
from tableapi.observability import tracing

log = get_logger(__name__)
OLDEST_VERSION = 150_000


class CannotServe(CommandError):
    """The port, the database or the disk cannot be used."""


def check_port(host: str, port: int) -> None:
    """Raise CannotServe if the port is in use. With SO_REUSEPORT, workers would share it unnoticed."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise _foreign(host) from None
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise port_in_use(host, port) from None
            if error.errno == errno.EADDRNOTAVAIL:
                raise _foreign(host) from None
            if error.errno == errno.EACCES:
                raise CannotServe(
                    f"PORT: ports below 1024 need rights that this user lacks (is {port}). Use --port 8000, behind a "
                    "proxy that listens on the other port."
                ) from None
            raise CannotServe(f"Cannot listen on {host}:{port}: {error.strerror}.") from None


def _foreign(host: str) -> CannotServe:
    return CannotServe(
        f"HOST: '{host[:100]}' is not an address of this machine. Use 127.0.0.1, 0.0.0.0 or one of its addresses."
    )


def port_in_use(host: str, port: int) -> CannotServe:
    other = port + 1 if port < 65535 else port - 1
    return CannotServe(
        f"Port {port} on {host} is in use. Stop the program that uses it, or choose another port: --port {other}, or "
        f"PORT={other}."
    )


def check_extras(settings: Settings) -> None:
    """Reject token settings that contradict each other, and settings that need a missing package.

    Raises BadSettings or MissingExtra.
    """
    if (settings.jwt_secret or settings.jwt_jwks) and not (find_spec("joserfc") and find_spec("httpx2")):
        raise MissingExtra("JWT_JWKS" if settings.jwt_jwks else "JWT_SECRET", "jwt")
    token_settings(settings)
    if settings.redis_url is not None and find_spec("redis") is None:
        raise MissingExtra("REDIS_URL", "redis")
    if tracing.enabled(settings) and find_spec("opentelemetry") is None:
        raise MissingExtra("OTEL_EXPORTER_OTLP_ENDPOINT", "otel")


def check_secrets(settings: Settings, key: str) -> None:
    """Reject secrets that could be guessed. `key`: that of --api-key. Raises BadSettings."""
    shortest = GUESSABLE_LOCAL_TOKEN if is_loopback(settings.host) else GUESSABLE_TOKEN
    for weak in (
        weak_secret(settings.secret_keys, GUESSABLE_SECRET),
        weak_token("METRICS_TOKEN", settings.metrics_token, shortest),
        weak_token("--api-key", key, shortest),
    ):
        if weak:
            raise BadSettings(weak)
    if key and len(key) < MIN_TOKEN and not is_loopback(settings.host):
        log.warning("short_key", option="--api-key", characters=len(key), recommended=MIN_SECRET)


async def check_database(url: str, setting: str = "DATABASE_URL") -> None:
    """Raise CannotServe if the database is unreachable or older than PostgreSQL 15.

    setting: the option or setting with the URL, which the message names.
    """
    shown = f"{setting}: the database {without_password(url)}"
    try:
        connection = await connect(url, timeout=5)
    except TimeoutError:
        raise CannotServe(f"{shown} did not respond within 5 s. Check host and port, and the firewalls.") from None
    except socket.gaierror as error:
        raise CannotServe(f"{shown} cannot be reached: {error.strerror}. Check the name of the host.") from None
    except OSError as error:
        reason, check = error.strerror or str(error), ""
        if error.errno and "Connect call failed" in reason:
            reason, check = "connection refused", " Is PostgreSQL running there, on this port?"
        raise CannotServe(f"{shown} cannot be reached: {reason}.{check}") from None
    except (asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise CannotServe(f"{shown} refused the connection: {reason}.{_advice(error)}") from None
    try:
        version = int(await connection.fetchval("select current_setting('server_version_num')"))
    finally:
        await connection.close()
    if version < OLDEST_VERSION:
        raise CannotServe(
            f"{shown} is PostgreSQL {version // 10_000}; {OLDEST_VERSION // 10_000} or newer is required."
        )


def _advice(error: Exception) -> str:
    """Return advice for a rejected connection; "" if PostgreSQL's message suffices."""
    match error:
        case asyncpg.InvalidCatalogNameError():
            return " Create it with createdb, or correct the name."
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return " Check the user name and the password."
    return ""


def without_password(url: str) -> str:
    """Return `host:port/database` of a database URL."""
    parts = urlsplit(url)
    return f"{parts.netloc.rpartition('@')[2] or 'localhost'}{parts.path}"
