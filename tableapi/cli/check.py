"""What `tableapi run` and `tableapi check` do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import orjson

from tableapi.app.served import is_loopback
from tableapi.config.command_error import CommandError
from tableapi.config.secret_file import kept_secret
from tableapi.config.settings import Settings
from tableapi.crypto.vault import HASHES
from tableapi.endpoints.project import Project
from tableapi.server.preflight import CannotServe, check_database


class UnknownScript(CommandError):
    """`tableapi run` was given a script or words that do not exist."""

    code = 2


async def run_script(settings: Settings, folder: Path, name: str, words: Sequence[str]) -> None:
    """Bring the database up to date, run the internal script `name`, print what it returns. Raises ApiError."""
    from tableapi.db.database import Db
    from tableapi.endpoints.registry import Scripts
    from tableapi.server.migrate import init

    payload: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UnknownScript(f"'{word}' is not name=value.")
        payload[key] = value
    if settings.init:
        await init(settings, folder, say=lambda line: print(line, file=sys.stderr))
    db = Db(str(settings.database_url), lanes=1, pool=4, statement_timeout=3600, name="tableapi-run")
    await db.connect()
    scripts = Scripts.load(folder, settings, db)
    try:
        if name not in scripts.jobs:
            raise UnknownScript(f"There is no internal script '{name}'. There are: {', '.join(sorted(scripts.jobs))}.")
        answer = await scripts.run_job(name, payload)
    finally:
        await scripts.close()
        await db.close()
    if answer is not None:
        print(answer if isinstance(answer, str) else orjson.dumps(answer, default=_plain).decode())


def sealing_keys(settings: Settings) -> tuple[str, ...]:
    """SECRET_KEYS, or the key that was made once under DATA_DIR. None is made: nothing could be under it."""
    kept = settings.data_dir / "secrets" / "secret_key"
    if settings.secret_keys:
        return settings.secret_keys
    if not kept.exists():
        raise CommandError(f"SECRET_KEYS is missing, and there is no {kept}.")
    return (kept_secret(kept),)


async def reseal(url: str, secret_keys: Sequence[str], folder: Path) -> str:
    """Seal everything of the project in `folder` under the first key; what to say of it. Raises CannotReseal."""
    from tableapi.app.state import load_policy
    from tableapi.cli.rotate_keys import Reseal
    from tableapi.cli.rotate_keys_sql import declared

    policy = load_policy(folder)
    connection = await asyncpg.connect(url, timeout=10, server_settings={"application_name": "tableapi-reseal"})
    try:
        tables = declared(policy.POLICY, getattr(policy, "SEALED_TABLES", ()))
        return await Reseal(connection, secret_keys, tables).run()
    finally:
        await connection.close(timeout=5)


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)


def checked(settings: Settings, project: Project) -> list[tuple[bool, str]]:
    """(grave, line) for each thing that is missing or unsafe; the grave ones stop a start in production."""
    return [*_surroundings(settings), *_secrets(settings), *project.checks(settings)]


def _surroundings(settings: Settings) -> Iterator[tuple[bool, str]]:
    if settings.database_url is None:
        yield True, "DATABASE_URL is missing: the embedded PostgreSQL is for one machine and has no backup."
    else:
        try:
            asyncio.run(check_database(settings.database_url))
        except CannotServe as error:
            yield True, f"DATABASE_URL: {error}"
    for url in settings.database_replica_urls:
        try:
            asyncio.run(check_database(url))
        except CannotServe as error:
            yield False, f"DATABASE_REPLICA_URLS: {error} Until it answers, all is read from the primary."
    public = urlsplit(settings.public_url)
    if is_loopback(public.hostname or ""):
        yield True, f"PUBLIC_URL is {settings.public_url}: mailed links would lead to the reader's own machine."
    elif public.scheme != "https":
        yield True, f"PUBLIC_URL is {settings.public_url}: without https, sessions travel in clear text."
    if settings.rate_limits is False:
        yield True, "RATE_LIMITS is off: passwords can be tried without end."
    if settings.redis_url is None:
        yield False, "REDIS_URL is missing: rate limits count on each node alone."
    if not settings.trusted_proxies:
        yield False, "TRUSTED_PROXIES is missing: behind a balancer, limits per address would count the balancer."


def _secrets(settings: Settings) -> Iterator[tuple[bool, str]]:
    if not settings.secret_keys:
        yield (
            True,
            "SECRET_KEYS is missing: a key made on one node cannot be read on another, and is lost with its disk.",
        )
    for number, key in enumerate(settings.secret_keys, 1):
        if len(key) < 32:
            yield True, f"SECRET_KEYS: key {number} has {len(key)} characters; 32 or more are needed."
    if sum(not key.startswith(HASHES) for key in settings.secret_keys) > 1:
        yield False, "SECRET_KEYS holds older keys: `tableapi reseal` makes them unneeded, and says which can go."
    if not settings.app_keys:
        yield False, "APP_KEYS is missing: each node makes its own, and a page of one is refused by another."
    if not settings.metrics_token:
        yield False, "METRICS_TOKEN is missing: /metrics is off."
