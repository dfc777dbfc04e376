"""Find the scripts, table hooks and jobs of a project, and run them.

The path of a file below scripts/ is its URL below /api/v2/: `scripts/user/session.py` serves /api/v2/user/session.
`jobs/<name>.py` contains the job `<name>`; folders with a leading underscore are skipped. `tables/<table>.py` contains
hooks: functions `get`, `post`, `patch` (also for PUT) and `delete`, called as `await hook(ctx, records, options)`
before or instead of the engine's own handling of that table. A hook with a fourth parameter, a model, also takes the
members of the body next to `resource` that the model names. They are never stored with an idempotency key.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response as StarletteResponse

from tableapi.auth.guesses import Guesses
from tableapi.auth.policy import NO_SESSIONS, Actor
from tableapi.config.settings import Settings
from tableapi.crypto.unseal import MaskingVault
from tableapi.crypto.vault import Vault
from tableapi.db.database import Db
from tableapi.errors import ApiError, Busy, MethodNotAllowed, NotFound
from tableapi.http.body import object_body
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response, dumps, of_starlette
from tableapi.project.context import Context
from tableapi.project.files import import_scripts, load_project
from tableapi.project.guard import HOOK_VERBS, Run, Script, authorize, count_call, validate
from tableapi.project.jobs import CAUSE
from tableapi.project.project import Project
from tableapi.query.spelling import suggestion
from tableapi.tables.export import Export

Records = list[dict[str, Any]]
Hook = Callable[..., Awaitable[Records | Export | None]]  # (ctx, records, options), and possibly a model
SCRIPT_JSON = "application/json"
SYSTEM = Actor(role="system")
# A time in UTC as PostgreSQL's to_json writes it, in rows that a script returns.
_UTC = re.compile(rb'"(\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)\+00:00"')


class Scripts:
    """The scripts, hooks and jobs of one project, and their dependencies."""

    def __init__(self, settings: Settings, db: Db | None = None, project: Project | None = None) -> None:
        self.settings, self.project, self.masked = settings, project or Project(), frozenset[str]()
        self.vendors: Any = self.project.vendors(settings)
        self.guesses = Guesses(settings.address_per_minute, settings.workers)
        self._db = db
        self._scripts: dict[str, dict[str, Script]] = {}  # path -> method -> script
        self._tailed: dict[str, dict[str, Script]] = {}  # path without its last segment -> method -> script
        self.hooks: dict[tuple[str, str], Hook] = {}  # (table, verb) -> hook
        self.jobs: dict[str, Script] = {}
        self.sessions = NO_SESSIONS  # of the policy

    @classmethod
    def load(cls, folder: Path, settings: Settings, db: Db | None = None) -> Scripts:
        """Import every script below `folder`/scripts. Raises BadProject."""
        import pgqueuer.queries  # noqa: F401 - `jobs` says why

        scripts = cls(settings, db, load_project(folder))
        for parts, module in import_scripts(folder):
            if parts[0] == "tables":
                scripts._add_hooks(parts[-1], module)
                continue
            for script in _scripts_of(module):
                scripts.add("/".join(parts[1:] if parts[0] == "jobs" else parts), script)
        return scripts

    @classmethod
    def given(cls, scripts: Mapping[str, Run], hooks: Iterable[Run], settings: Settings, db: Db) -> Scripts:
        """Register the scripts and hooks of a host program.

        Raises ValueError for functions that are neither.
        """
        given = cls(settings, db)
        for path, run in scripts.items():
            script = getattr(run, "script", None)
            if not isinstance(script, Script) or script.every:
                raise ValueError(f"scripts: {path} needs @script. Scheduled jobs require a project.")
            given.add(path.strip("/"), script)
        for run in hooks:
            if (named := getattr(run, "hook", None)) is None:
                raise ValueError(f"hooks: {run!r} needs @hook(table, verb).")
            table, verbs = named
            given.hooks |= {(table, verb): run for verb in (*verbs, *(["PUT"] if "PATCH" in verbs else []))}
        return given

    @cached_property
    def vault(self) -> Vault:
        """Encryption with SECRET_KEYS. Raises ValueError if there are none."""
        return Vault(self.settings.secret_keys)

    @cached_property
    def masking_vault(self) -> Vault:
        """A vault that decrypts nothing, for roles in `masked`."""
        return MaskingVault(self.settings.secret_keys)

    def add(self, path: str, script: Script) -> None:
        """Serve a script under a path, or register a job."""
        if script.job:
            self.jobs[path] = replace(script, name=path)
        elif script.tail:
            named = replace(script, name=f"{path}/{{{script.tail}}}")
            self._tailed.setdefault(path, {})[script.method] = named
        else:
            self._scripts.setdefault(path, {})[script.method] = replace(script, name=path)

    def _add_hooks(self, table: str, module: ModuleType) -> None:
        for verb, name in HOOK_VERBS.items():
            if hook := getattr(module, name, None):
                self.hooks[table, verb] = hook

    @property
    def db(self) -> Db:
        """The project's database. Raises RuntimeError if the scripts were loaded without one."""
        if self._db is None:
            raise RuntimeError("Scripts were loaded without a database")
        return self._db

    @db.setter
    def db(self, db: Db) -> None:
        self._db = db

    async def close(self) -> None:
        """Close the connections to external services."""
        await self.vendors.close()

    def __iter__(self) -> Iterator[Script]:
        """Yield every script that has a URL."""
        for methods in (*self._scripts.values(), *self._tailed.values()):
            yield from methods.values()

    def serves(self, path: str) -> bool:
        """Whether a script has this path below /api/v2/, with any method."""
        return path in self._scripts or path.rpartition("/")[0] in self._tailed

    def similar(self, path: str) -> str:
        """Return " Did you mean '...'?" for the path of a public script, or ""."""
        return suggestion(path, (script.name for script in self if script.public and not script.tail))

    def find(self, method: str, path: str) -> Script | None:
        """Return the script of a path below /api/v2/; None if no script has this path.

        Raises MethodNotAllowed (405) if the path has scripts only for other methods.
        """
        methods = self._scripts.get(path) or self._tailed.get(path.rpartition("/")[0])
        if methods is None:
            return None
        if script := methods.get(method):
            return script
        raise MethodNotAllowed(
            f"The method '{method}' is not supported here. Use {' or '.join(sorted(methods))}.",
            headers={"Allow": ", ".join(sorted(methods))},
        )

    @property
    def secret_paths(self) -> tuple[str, ...]:
        """Path prefixes that are followed by a credential, such as an emailed code: `/removal/`."""
        public = {script.name for script in self if script.tail and script.public}
        return tuple(sorted("/" + name.partition("{")[0] for name in public))

    def context(self, actor: Actor, request: HttpRequest | None = None) -> Context[Any, Any]:
        """Build the context for a script, hook or job. Roles in `masked` get a vault that decrypts nothing."""
        vault = self._open_masking_vault if actor.role in self.masked else self._open_vault
        return Context(actor, self._db or self.db, self.settings, vault, self.vendors, request, self.guesses)

    def _open_vault(self) -> Vault:
        return self.vault

    def _open_masking_vault(self) -> Vault:
        return self.masking_vault

    async def run(self, script: Script, request: HttpRequest) -> Response:
        """Check and run one call of a script. `request.hit` becomes the tightest of its limits.

        Raises ApiError.
        """
        actor = request.actor
        if actor.role not in script.roles:
            authorize(script, actor, self.sessions)
        if script.limits:
            count_call(script, request)
        ctx = self.context(actor, request)
        try:
            arguments = await self._arguments(script, ctx, request)
        except ApiError:
            if script.own_key is not None and script.own_key.check is not None:
                await script.own_key.check(ctx)
            raise
        try:
            result = await script.run(ctx, *arguments)
        except TimeoutError:
            raise Busy("This took too long. Try again in a moment.", headers={"Retry-After": "2"}) from None
        return _reply(result, {"Cache-Control": "no-store"} | ctx.headers)

    async def _arguments(self, script: Script, ctx: Context[Any, Any], request: HttpRequest) -> tuple[Any, ...]:
        if not script.takes_input:
            return ()
        if script.raw:
            return (await request.body(script.body_bytes or self.settings.body_bytes),)
        if script.method == "GET":
            data = dict(request.query)
        else:
            data = await object_body(request, script.body_bytes or self.settings.body_bytes)
            if script.method == "DELETE":
                data = {**request.query, **data}
        if script.tail:
            data[script.tail] = request.path.rstrip("/").rpartition("/")[2]
        if script.input is not None:
            known = script.input.model_fields  # a property, which costs half a microsecond
            if unknown := {name: value for name, value in data.items() if name not in known}:
                await self.project.check_input(ctx, unknown)
        return (validate(script.input, data) if script.input else data,)

    async def run_job(self, name: str, payload: Mapping[str, Any]) -> Any:
        """Run the job `name`, for the queue, the schedule or `tableapi run`. Raises NotFound."""
        script = self.jobs.get(name)
        if script is None:
            raise NotFound(f"There is no internal script '{name}'.")
        data = {field: value for field, value in payload.items() if field != CAUSE}
        arguments = (validate(script.input, data),) if script.input else ()
        return await script.run(self.context(SYSTEM), *arguments)


def _reply(result: Any, headers: dict[str, str]) -> Response:
    """Build the response from a script's result: a model, plain data, None or a Starlette response.

    Times in UTC have one form, with Z.
    """
    if isinstance(result, StarletteResponse):
        response = of_starlette(result)
        response.headers = headers | response.headers
        return response
    if isinstance(result, BaseModel):
        body = result.model_dump_json().encode()
    else:
        body = dumps({"success": True} if result is None else result)
    return Response(_UTC.sub(rb'"\1Z"', body), 200, SCRIPT_JSON, headers)


def _scripts_of(module: ModuleType) -> Iterator[Script]:
    for value in vars(module).values():
        script = getattr(value, "script", None)
        if isinstance(script, Script) and value.__module__ == module.__name__:
            yield script
