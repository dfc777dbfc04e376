"""The `tableapi run` command."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from tableapi.config.command_error import CommandError
from tableapi.config.settings import Settings

if TYPE_CHECKING:
    from tableapi.project.guard import Script


class UnknownScript(CommandError):
    """The script or an argument of `tableapi run` does not exist."""

    code = 2


async def run_script(settings: Settings, folder: Path, name: str, words: Sequence[str]) -> int:
    """Upgrade the database, run the job `name` with arguments `name=value`, and print its result.

    Returns:
        The exit code: the field `exit_code` of the result, or 0.

    Raises:
        UnknownScript, ApiError.
    """
    from tableapi.db.database import Db
    from tableapi.project.registry import Scripts
    from tableapi.query.spelling import suggestion
    from tableapi.server.migrate import init

    payload: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UnknownScript(f"'{word}' must be name=value.")
        payload[key] = value
    if settings.init:
        await init(settings, folder, say=lambda line: print(line, file=sys.stderr))
    db = Db(settings.direct_url, reads=1, pool=4, statement_timeout=3600, name="tableapi-run")
    await db.connect()
    scripts = Scripts.load(folder, settings, db)
    try:
        if name not in scripts.jobs:
            hint = suggestion(name, scripts.jobs)
            problem = f"There is no internal script '{name[:100]}'.{hint}" if name else "Name the script to run."
            raise UnknownScript(f"{problem} Available scripts: {', '.join(sorted(scripts.jobs))}.")
        _check_names(name, payload, scripts.jobs[name])
        result = await scripts.run_job(name, payload)
    finally:
        await scripts.close()
        await db.close()
    if result is not None:
        print(result if isinstance(result, str) else orjson.dumps(result, default=_plain).decode())
    return int(getattr(result, "exit_code", 0))


def _check_names(name: str, payload: Mapping[str, Any], script: Script) -> None:
    """Reject arguments that the script does not have, which would have no effect. Raises UnknownScript."""
    from tableapi.query.spelling import suggestion

    fields = script.input.model_fields if script.input else {}
    known = [field.alias or name for name, field in fields.items()]
    for word in payload:
        if word not in known:
            has = f"It has {', '.join(known)}." if known else "It has none."
            raise UnknownScript(f"{name} has no argument '{word}'.{suggestion(word, known)} {has}")


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)
