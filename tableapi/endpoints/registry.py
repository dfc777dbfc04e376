"""Finds the scripts and table hooks of a project, checks their door, and runs them. What is behind the door is theirs.

A file below scripts/ is the path of the same name below /api/v2/: `scripts/user/session.py` is /api/v2/user/session.
`jobs/<name>.py` holds the job `<name>`. `_shared/` holds no endpoints.
`tables/<table>.py` holds hooks: functions `get`, `post`, `patch` (also for PUT) and
`delete`, called as `await hook(ctx, records, options)` instead of or before the engine's own work on that table.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from tableapi.auth.guesses import Guesses
from tableapi.auth.policy import Actor
from tableapi.config.settings import Settings
from tableapi.crypto.vault import Vault
from tableapi.db.database import Db
from tableapi.endpoints.context import NO_REQUEST, Context, ScriptRequest
from tableapi.endpoints.guard import Endpoint, authorize, count_call, decode, script, validate
from tableapi.endpoints.jobs import CAUSE
from tableapi.endpoints.project import Project, load_project
from tableapi.errors import Busy, MethodNotAllowed, NotFound, TooLarge
from tableapi.ratelimit import counter
from tableapi.tables.export import Export

__all__ = ["Context", "Endpoint", "Hook", "ScriptRequest", "Scripts", "script"]

Records = list[dict[str, Any]]
Hook = Callable[[Context[Any, Any], Records, Mapping[str, Any]], Awaitable[Records | Export | None]]
PRIVATE = {"Cache-Control": "no-store"}
_HOOK_VERBS = {"GET": "get", "POST": "post", "PUT": "patch", "PATCH": "patch", "DELETE": "delete"}
SYSTEM = Actor(role="system")


class Scripts:
    """The endpoints, hooks and jobs of one project, and what they need to run."""

    def __init__(self, settings: Settings, db: Db | None = None, project: Project | None = None) -> None:
        self.settings, self.vault, self.project = settings, Vault(settings.secret_keys), project or Project()
        self.vendors: Any = self.project.vendors(settings)
        self.guesses = Guesses(settings.address_per_minute, settings.workers)
        self._db = db
        self._endpoints: dict[str, dict[str, Endpoint]] = {}  # path -> method -> endpoint
        self._hooks: dict[tuple[str, str], Hook] = {}
        self.jobs: dict[str, Endpoint] = {}

    @classmethod
    def load(cls, folder: Path, settings: Settings, db: Db | None = None) -> Scripts:
        """Import every script below `folder`/scripts."""
        scripts = cls(settings, db, load_project(folder))
        root = folder / "scripts"
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        for file in sorted(root.rglob("*.py")):
            parts = file.relative_to(root).with_suffix("").parts
            if parts[0] == "_shared" or parts[-1] == "__init__":
                continue
            module = importlib.import_module(".".join(("scripts", *file.relative_to(root).with_suffix("").parts)))
            if parts[0] == "jobs":
                parts = parts[1:]
            if parts[0] == "tables":
                scripts._keep_hooks(parts[-1], module)
            else:
                for endpoint in _endpoints_of(module):
                    scripts.add("/".join(parts), endpoint)
        return scripts

    def add(self, path: str, endpoint: Endpoint) -> None:
        """Serve (or queue) an endpoint under a path."""
        if endpoint.job:
            self.jobs[path] = replace(endpoint, name=path)
            return
        served = f"{path}/{{{endpoint.tail}}}" if endpoint.tail else path
        self._endpoints.setdefault(served, {})[endpoint.method] = replace(endpoint, name=served)

    def _keep_hooks(self, table: str, module: ModuleType) -> None:
        for verb, name in _HOOK_VERBS.items():
            if hook := getattr(module, name, None):
                self._hooks[table, verb] = hook

    @property
    def db(self) -> Db:
        if self._db is None:
            raise RuntimeError("Scripts were loaded without a database")
        return self._db

    @db.setter
    def db(self, db: Db) -> None:
        self._db = db

    async def close(self) -> None:
        """Let go of connections to the outside."""
        await self.vendors.close()

    def __iter__(self) -> Iterator[Endpoint]:
        """Every endpoint that has a URL, for the API description."""
        for methods in self._endpoints.values():
            yield from methods.values()

    def find(self, method: str, path: str) -> Endpoint | None:
        """The endpoint of a path below /api/v2/; None when the path is not a script's."""
        path = path.strip("/")
        methods = self._endpoints.get(path) or self._tailed(path.rpartition("/")[0])
        if methods is None:
            return None
        if endpoint := methods.get(method):
            return endpoint
        raise MethodNotAllowed(f"{method} is not served here.", headers={"Allow": ", ".join(sorted(methods))})

    @property
    def secret_paths(self) -> tuple[str, ...]:
        """Beginnings of paths whose last part is its own proof, such as a mailed code: `/removalrequest/`."""
        public = {one.name for one in self if one.tail and one.public}
        return tuple(sorted("/" + name.partition("{")[0] for name in public))

    def _tailed(self, parent: str) -> dict[str, Endpoint] | None:
        for name in self._endpoints if parent else ():
            if name.startswith(parent + "/{"):
                return self._endpoints[name]
        return None

    def hook(self, table: str, verb: str) -> Hook | None:
        """What stands in front of the engine for this verb of a table."""
        return self._hooks.get((table, verb))

    def context(self, actor: Actor, request: Request | None = None) -> Context[Any, Any]:
        """What a hook or script gets."""
        call = NO_REQUEST if request is None else script_request(request)
        return Context(actor, self.db, self.settings, self.vault, self.vendors, call, self.guesses)

    async def run(self, endpoint: Endpoint, request: Request, actor: Actor) -> Response:
        """One request: door, input, script, answer. Raises ApiError.

        The state of the request holds the tightest of its limits as `hit`, before and after.
        """
        authorize(endpoint, actor)
        ctx, state = self.context(actor, request), request.scope["state"]
        ctx.hit = counter.tighter(state.get("hit"), count_call(endpoint, actor, ctx.request.network))
        try:
            answer = await endpoint.run(ctx, *await self._arguments(endpoint, request))
        except TimeoutError:
            raise Busy("This took too long. Try again in a moment.", headers={"Retry-After": "2"}) from None
        finally:
            state["hit"] = ctx.hit
        return _response(answer, PRIVATE | ctx.headers)

    async def _arguments(self, endpoint: Endpoint, request: Request) -> tuple[Any, ...]:
        if not endpoint.takes_input:
            return ()
        if endpoint.raw:
            return (await _body(request, endpoint.body_bytes or self.settings.body_bytes),)
        if endpoint.method == "GET":
            data: dict[str, Any] = dict(request.query_params)
        else:
            body = await _body(request, endpoint.body_bytes or self.settings.body_bytes)
            data = decode(body, request.headers.get("content-type", ""))
            if endpoint.method == "DELETE":
                data = dict(request.query_params) | data
        if endpoint.tail:
            data[endpoint.tail] = request.scope["path"].rstrip("/").rpartition("/")[2]
        return (validate(endpoint.input, data) if endpoint.input else data,)

    async def run_job(self, name: str, payload: Mapping[str, Any]) -> Any:
        """Run an internal script: from the queue, the clock, or `tableapi run`."""
        endpoint = self.jobs.get(name)
        if endpoint is None:
            raise NotFound(f"There is no internal script '{name}'.")
        given = {field: value for field, value in payload.items() if field != CAUSE}
        arguments = (validate(endpoint.input, given),) if endpoint.input else ()
        return await endpoint.run(self.context(SYSTEM), *arguments)


def script_request(request: Request) -> ScriptRequest:
    """The request as scripts see it. `ip` and `request_id` are what the app put into the scope."""
    headers, scope = request.headers, request.scope
    bearer = headers.get("authorization", "")
    token = bearer[7:].strip() if bearer[:7].lower() == "bearer " else ""
    token = token or headers.get("x-session-token") or headers.get("x-dreamfactory-session-token") or ""
    state = scope.get("state") or {}
    ip = state.get("ip") or (scope["client"][0] if scope.get("client") else "")
    return ScriptRequest(
        method=request.method, path=request.scope["path"], headers=headers, query=request.query_params, ip=str(ip),
        request_id=str(state.get("request_id", "")), session_token=token, source=request,
    )  # fmt: skip


async def _body(request: Request, most: int) -> bytes:
    """The body, refused as soon as it is known to be too large."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most:
        raise TooLarge.of(most)
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise TooLarge.of(most)
        parts.append(part)
    return b"".join(parts)


def _response(answer: Any, headers: dict[str, str]) -> Response:
    if isinstance(answer, Response):
        for name, value in headers.items():
            answer.headers.setdefault(name, value)
        return answer
    if isinstance(answer, BaseModel):
        body = answer.model_dump_json().encode()
    else:
        body = orjson.dumps({"success": True} if answer is None else answer)
    return Response(body, media_type="application/json", headers=headers)


def _endpoints_of(module: ModuleType) -> Iterator[Endpoint]:
    for value in vars(module).values():
        endpoint = getattr(value, "endpoint", None)
        if isinstance(endpoint, Endpoint) and value.__module__ == module.__name__:
            yield endpoint
