"""The `tableapi check` command."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
from dotenv import dotenv_values

from tableapi.app.options import BadDatasets, ServeOptions, is_loopback, named_in, of_any
from tableapi.config.command_error import BadSettings
from tableapi.config.environment import EnvironmentSettings
from tableapi.config.interpreter import is_optimized
from tableapi.config.settings import Settings
from tableapi.crypto.vault import HASHES, MIN_SECRET, MIN_TOKEN, weak_secret, weak_token
from tableapi.db.session import address, connect
from tableapi.project.project import Project
from tableapi.server import placement
from tableapi.server.preflight import CannotServe, check_database
from tableapi.server.stored_keys import check_stored

NO_PROXIES = "TRUSTED_PROXIES is missing: behind a load balancer, all clients share one address."
NO_METRICS = "METRICS_TOKEN is missing: /metrics is off."
LEAST_KEY = 16  # minimum length of a key in the access file


def checked(settings: Settings, project: Project, folder: Path) -> list[tuple[bool, str]]:
    """Return (fatal, line) for each setting that is missing or unsafe in production."""
    from tableapi.server.migrate import BadMigration, difference  # imports SQLAlchemy, as below

    problems = [*_services(settings), *_secrets(settings), *project.checks(settings), *_unknown(settings), *_python()]
    if settings.database_url is not None and settings.secret_keys and (folder / "policy.py").is_file():
        try:
            if (found := asyncio.run(difference(settings, folder))) is not None:
                problems.append(found)
            asyncio.run(check_stored(settings, folder))
            problems += [(True, f"DATABASE_URL: {line}") for line in asyncio.run(_placed(settings, folder))]
        except (BadSettings, BadMigration) as error:
            problems.append((True, str(error)))
        except (OSError, asyncpg.PostgresError):  # reported above
            pass
    return problems


async def _placed(settings: Settings, folder: Path) -> list[str]:
    """Return the tables that do not lie where the project wants them, in a database with Citus."""
    connection = await connect(settings.direct_url, timeout=10)
    try:
        return await placement.compare(connection, folder)
    finally:
        await connection.close()


def checked_datasets(settings: EnvironmentSettings) -> list[tuple[bool, str]]:
    """Return (fatal, line) for each problem of a server with DATASETS and no project."""
    from tableapi.app.declared import check_rights  # imports SQLAlchemy, as below
    from tableapi.app.features.declared_webhooks import check_declared
    from tableapi.datasets.declared import BadRights

    problems: list[tuple[bool, str]] = []
    if settings.access_file is None:
        line = (
            "ACCESS_FILE is missing: `tableapi serve` starts only with --open, which gives full rights to every client."
        )
        problems.append((True, line))
    try:
        datasets = of_any(
            named_in(settings.datasets), is_open=settings.access_file is None, access=settings.access_file, key="",
            host="127.0.0.1", source="DATASETS",
        )  # fmt: skip
    except BadDatasets as error:
        return [*problems, (True, str(error))]
    for name, url in datasets.urls.items():
        try:
            asyncio.run(check_database(url, datasets.setting(name)))
        except CannotServe as error:
            problems.append((True, str(error)))
    if datasets.access is not None and not problems:
        try:
            asyncio.run(check_rights(datasets, settings))
            asyncio.run(check_declared(datasets, private=settings.webhooks_private))
        except BadRights as error:
            problems.append((True, f"ACCESS_FILE: {error}"))
    return [*problems, *_keys(datasets), *_files(settings), *_traffic(settings), *_unknown(settings), *_python()]


def _keys(datasets: ServeOptions) -> Iterator[tuple[bool, str]]:
    """Yield the unsafe settings of the access file."""
    if datasets.access is None or datasets.access_path is None:
        return
    short = sum(len(key) < LEAST_KEY for key in datasets.access.keys)
    if short:
        yield True, f"ACCESS_FILE: {short} of its keys are shorter than {LEAST_KEY} characters and could be guessed."
    if datasets.access_path.stat().st_mode & 0o007:
        yield False, "ACCESS_FILE contains keys, but every user of the machine can read it. Run chmod o= on it."


def _files(settings: EnvironmentSettings) -> Iterator[tuple[bool, str]]:
    """Yield the files with passwords that every user of the machine can read."""
    for name, path in (("DATASETS", settings.datasets.removeprefix("@")), (".env", ".env")):
        with suppress(OSError):
            if (path != settings.datasets) and Path(path).stat().st_mode & 0o007:
                yield (
                    False,
                    f"{name} contains passwords, but every user of the machine can read it. Run chmod o= on it.",
                )


def _traffic(settings: EnvironmentSettings) -> Iterator[tuple[bool, str]]:
    """Yield problems that affect clients of databases without a project."""
    if not settings.rate_limits:
        yield False, "RATE_LIMITS is off: the number of requests per address is not limited."
    if "*" in settings.cors_origins:
        yield False, "CORS_ORIGINS is *: any web page that knows a key can send requests with it."
    if not settings.trusted_proxies:
        yield False, NO_PROXIES
    if not settings.metrics_token:
        yield False, NO_METRICS


def _unknown(settings: Settings) -> Iterator[tuple[bool, str]]:
    """Yield unknown names in `.env`. The environment is not checked, because other programs use it, too."""
    from tableapi.query.spelling import suggestion  # imports SQLAlchemy, which most commands do not need

    known = {name.upper() for name in type(settings).model_fields}
    for name in dotenv_values(".env"):
        if name.upper() not in known and not name.upper().startswith(("OTEL_", "PG", "POSTGRES_")):
            yield False, f".env: unknown setting {name[:60]}.{suggestion(name.upper()[:60], known)}"


def _python() -> Iterator[tuple[bool, str]]:
    if not is_optimized():
        yield (
            False,
            f"Python {sys.version.split()[0]} in {sys.base_prefix} was built without --enable-optimizations, so "
            "requests take a seventh more time. Use Debian's, Docker's or uv's, or build it again.",
        )


def _services(settings: Settings) -> Iterator[tuple[bool, str]]:
    if settings.database_url is None:
        yield True, "DATABASE_URL is missing: the embedded PostgreSQL is for one machine and has no backup."
    else:
        try:
            asyncio.run(check_database(settings.database_url))
        except CannotServe as error:
            yield True, str(error)
        if settings.database_direct_url is not None:
            try:
                asyncio.run(check_database(settings.database_direct_url, "DATABASE_DIRECT_URL"))
            except CannotServe as error:
                yield True, str(error)
        elif address(settings.database_url)[1]:
            yield (
                False,
                "DATABASE_DIRECT_URL is missing: behind a pooler in transaction mode, nodes are not notified of "
                "changes, so a sign-out takes up to 30 s to reach all of them.",
            )
    for url in settings.database_replica_urls:
        try:
            asyncio.run(check_database(url, "DATABASE_REPLICA_URLS"))
        except CannotServe as error:
            yield False, f"{error} Until it responds, every read goes to the primary."
    public = urlsplit(settings.public_url)
    if is_loopback(public.hostname or ""):
        yield True, f"PUBLIC_URL is {settings.public_url}: links in mails would lead to the reader's own machine."
    elif public.scheme != "https":
        yield True, f"PUBLIC_URL is {settings.public_url}: without https, sessions travel in clear text."
    if settings.rate_limits is False:
        yield True, "RATE_LIMITS is off: the number of password guesses is not limited."
    if settings.redis_url is None:
        yield False, "REDIS_URL is missing: each node counts rate limits separately."
    if not settings.trusted_proxies:
        yield False, NO_PROXIES


def _secrets(settings: Settings) -> Iterator[tuple[bool, str]]:
    if not settings.secret_keys:
        yield (
            True,
            "SECRET_KEYS is missing: a key generated on one node is unknown to the others and is lost with the "
            "node's disk.",
        )
    if weak := weak_secret(settings.secret_keys, MIN_SECRET):
        yield True, weak
    if weak := weak_token("METRICS_TOKEN", settings.metrics_token, MIN_TOKEN):
        yield True, weak
    if sum(not key.startswith(HASHES) for key in settings.secret_keys) > 1:
        yield (
            False,
            "SECRET_KEYS contains older keys: run `tableapi rotate-keys`, which lists those that can be removed.",
        )
    if not settings.app_keys:
        yield (
            False,
            "APP_KEYS is missing: each node generates its own key, so a page loaded from one node is rejected by the "
            "others.",
        )
    if not settings.metrics_token:
        yield False, NO_METRICS
