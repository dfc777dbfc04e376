"""The ASGI app: what answers under which path, and what every answer has. The table of contents of the engine."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
from starlette.requests import Request

from tableapi.app.callers import Callers
from tableapi.app.lifespan import Lifespan, Process
from tableapi.app.meta import Meta
from tableapi.app.served import Datasets
from tableapi.app.state import Services
from tableapi.config.settings import Settings
from tableapi.db.errors import RETRYABLE, telling, to_api_error
from tableapi.endpoints.registry import Scripts
from tableapi.errors import (
    RETRY,
    ApiError,
    BadRequest,
    Busy,
    Internal,
    NotFound,
    Unauthorized,
)
from tableapi.http import admission, response
from tableapi.http.body import parse_body
from tableapi.http.request import HttpRequest, Receive, Scope, Send, meant_verb, preflight, respond, unquoted
from tableapi.http.response import Reply
from tableapi.log import get_logger
from tableapi.observability import metrics, tracing
from tableapi.observability.logging import AccessLog, new_request_id, shown_path
from tableapi.query import options
from tableapi.tables.read import TableRequest

log = get_logger(__name__)

_API = re.compile(r"/api(?:/v\d+(?:\.\d+)*)?(?:/|\Z)")
# What a request is told that names something made, or uses something changed, since the schema was read.
_STALE = frozenset(("unknown_field", "unknown_relation", "schema_changed", "bad_value"))
_TRIES = 3
_OF_POSTGRES = (asyncpg.PostgresError, asyncpg.InternalClientError)
Attempt = Callable[[], Awaitable[Reply]]
WATCHED = frozenset(("/healthz", "/readyz", "/metrics"))  # who watches must see, above all when it is busy
_BUSY = (
    b'{"error":{"code":503,"context":{"reason":"busy","scope":"resource","request_id":"%s",'
    b'"doc":"/docs/reference/errors/#busy"},'
    b'"message":"The server is busy. Try again in a moment.","status_code":503}}'
)
_BUSY_HEADERS = [(b"content-type", b"application/json"), (b"retry-after", b"1"), (b"cache-control", b"no-store")]


class App:
    def __init__(self, settings: Settings, datasets: Datasets, process: Process | None = None) -> None:
        self.settings = settings
        self.services = Services(settings, datasets)
        self.callers = Callers(self.services)
        self.system = Meta(settings, datasets, self.services)
        self.admission = admission.AdmissionControl(
            settings.max_under_way, settings.request_seconds, self.services.waits
        )
        self.life = Lifespan(self.services, self.system, self.admission, process)
        self.access_log = AccessLog(process is not None and settings.log_level in ("debug", "info"))
        self._secret = self.services.scripts.secret_paths if self.services.scripts is not None else ()
        self._proxies = frozenset(settings.trusted_proxies)
        self._origins = frozenset((settings.public_url,))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.life.run(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Before any work: a refusal that costs a third of an answer would take the place of one.
        if scope["path"] not in WATCHED and self.admission.full():
            await _shed(send, scope["method"])
            return
        http = HttpRequest(scope, receive, self._proxies)
        if tracing.tracer is None:
            made = await self._made(http)
        else:
            sent = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
            with tracing.request(sent) as span:
                made = await self._made(http)
                tracing.answered(span, http.method, http.route, made.status, http.id)
        if self.system.draining:
            made.headers["Connection"] = "close"
        if http.unread:
            await http.drain()
        await respond(send, http, made, self._origins)
        seconds = time.perf_counter() - http.began
        metrics.request(http.route, http.method, made.status, seconds)
        raw = scope.get("query_string") or b""
        self.access_log.line(
            http.method,
            shown_path(scope["path"], self._secret),
            raw.decode("latin-1"),
            made.status,
            seconds,
            len(made.body),
            http.id,
            http.ip,
            http.actor.user,
        )

    async def _made(self, http: HttpRequest) -> Reply:
        """The answer, whatever happens."""
        try:
            return await self._admitted(http)
        except Exception as error:
            return self._refused(error, http)

    def _refused(self, error: Exception, http: HttpRequest) -> Reply:
        refused = to_api_error(error)
        if refused is None:
            log.error("bug", request_id=http.id, path=shown_path(http.path, self._secret), exc_info=error)
            refused = Internal("Something went wrong!")
        if refused.reason == "read_only":
            self.system.not_saved()
        return response.refused(refused, http.id)

    async def _admitted(self, http: HttpRequest) -> Reply:
        """The answer, if there is a place for one more request, and within its time."""
        http.read()
        if http.path in WATCHED:
            return await self._route(http)
        if not self.services.is_open:
            raise Busy("The database cannot be reached. Try again in a moment.", headers=RETRY)
        place = self.admission.enter(http)
        try:
            return await self._route(http)
        except asyncio.CancelledError as error:
            admission.cancelled(http, error)
        finally:
            self.admission.leave(place)

    async def _route(self, http: HttpRequest) -> Reply:
        if http.method == "OPTIONS":
            return Reply(b"", 204, headers=preflight(http, self._origins))
        found = _API.match(http.path)
        if found is None:
            http.route = "page"
            return await self.system.page(http)
        parts = [p for p in http.raw_path[found.end() :].split("/") if p]
        return await self._api(http, [unquoted(p) for p in parts])

    # -- /api/v2/... ---------------------------------------------------------------------------------------------------

    async def _api(self, http: HttpRequest, parts: list[str]) -> Reply:
        head = parts[0] if parts else ""
        if (dataset := self.services.datasets.get(head)) is not None:
            http.actor = await self.callers.actor(http)
            return await self._dataset(http, dataset, parts[1:])
        if head in ("_spec", "config", "docs", ""):
            http.route = head or "api"
            return await self.system.api(http, parts, self.callers.actor)
        if self.services.scripts is not None:
            return await self._script(http, self.services.scripts, "/".join(parts))
        raise NotFound(f"There is no service '{head[:100]}'.", reason="unknown_service")

    async def _dataset(self, http: HttpRequest, dataset: Any, parts: list[str]) -> Reply:
        kind = parts[0] if parts else ""
        if http.actor.role == "*":
            telling.set(True)
        http.route = kind if kind in ("_table", "_schema", "_proc", "_func", "_spec") else "dataset"
        rights = dataset.rights(http.actor.role)
        query = options.parse_query(http.query_string)
        if kind == "_table" and len(parts) > 1:
            return await self._table(http, dataset, rights, parts, query)
        return await self.system.dataset(http, dataset, rights, parts, query)

    async def _table(
        self, http: HttpRequest, dataset: Any, rights: Any, parts: list[str], query: dict[str, str]
    ) -> Reply:
        if len(parts) > 3:
            raise NotFound("There is nothing under a record.")
        if len(http.query_string) > (chars := dataset.bounds.filter.length):
            options.within(query, chars)
        verb = meant_verb(http, query)
        ident = parts[2] if len(parts) == 3 else None
        body = None
        if http.method != "GET":
            raw = await http.body(self.settings.body_bytes)
            body = parse_body(http.headers.get("content-type", ""), raw, self.settings.body_bytes)
        http.reads = verb == "GET"
        table = await dataset.table(parts[1], rights)
        call = TableRequest(dataset, http.actor, rights, table, query, body, http.headers)

        async def run() -> Reply:
            # In a transaction that a fault of PostgreSQL has ended nothing more can be done.
            faults = (ApiError,) if call.dataset.pinned else (ApiError, *_OF_POSTGRES)
            return await self._latest(
                call, parts[1], http, faults, lambda: self.services.answer(call.again(), verb, ident, http)
            )

        key = http.headers.get("idempotency-key")

        async def once() -> Reply:
            return await self.services.answers.once(str(key), call, verb, ident, run)

        try:
            if key is None or verb == "GET":
                return await run()
            return await self._latest(call, parts[1], http, _OF_POSTGRES, once)  # the claim went with its transaction
        finally:
            if call.tenant_mismatches:
                await self.services.tenant_mismatches(call, http)

    async def _latest(
        self, call: TableRequest, name: str, http: HttpRequest, faults: tuple[type[Exception], ...], attempt: Attempt
    ) -> Reply:
        """The answer of `attempt` by the tables as they are now, also when DDL is run beside the request.

        `faults`: what another try may mend."""
        dataset = call.dataset
        for _ in range(_TRIES):
            schema = dataset.schema
            try:
                return await attempt()
            except faults as error:
                await self._after_ddl(error, dataset, schema, http)
            # DDL was run since the schema was read: once more with the tables as they are now.
            call.table = await dataset.table(name, call.rights)
            call.rights = dataset.rights(http.actor.role)
        return await attempt()

    async def _after_ddl(self, error: Exception, dataset: Any, schema: Any, http: HttpRequest) -> None:
        """Returns when the refusal may come of DDL or of a deadlock, so that the request is worth another try; else
        raises it. `schema` is the one that the request was refused by; another request may have had it read again."""
        if isinstance(error, RETRYABLE):
            return
        refused = to_api_error(error)
        if refused is None:
            raise error
        if refused.reason == "forbidden" and http.actor.role in ("", "key") and self.services.has_sessions:
            raise Unauthorized("Your account access session is expired") from None
        if refused.reason not in _STALE:
            raise error
        await dataset.look()
        if dataset.schema is schema:
            if refused.reason == "schema_changed":  # nothing did: a value, as of type regclass, named what is not there
                raise BadRequest("A value does not fit its field.", reason="bad_value") from None
            raise error

    async def _script(self, http: HttpRequest, scripts: Scripts, path: str) -> Reply:
        endpoint = scripts.find(http.method, path)
        if endpoint is None:
            raise NotFound("There is nothing here.", reason="unknown_service")
        http.route = endpoint.name
        if not endpoint.public:
            http.actor = await self.callers.caller(http, endpoint)
        state = http.scope.setdefault("state", {})
        state.update(ip=http.ip, request_id=http.id, hit=http.hit)
        http.reads = http.method == "GET"
        http.seconds = endpoint.seconds

        async def run() -> Reply:
            try:
                made = await scripts.run(endpoint, Request(http.scope, http.receive), http.actor)
            finally:
                http.hit = state["hit"]
            headers = {k.title(): v for k, v in made.headers.items() if k not in ("content-length", "content-type")}
            return Reply(bytes(made.body), made.status_code, made.headers.get("content-type", response.JSON), headers)

        key = http.headers.get("idempotency-key")
        if key is None or http.method == "GET" or endpoint.public:
            return await run()
        sent = http.query_string + b"\0" + await http.keep_body(endpoint.body_bytes or self.settings.body_bytes)
        return await self.services.answers.again(
            key, http.actor, f"{http.method} {path}", sent, run, endpoint.repeatable
        )


async def _shed(send: Send, method: str) -> None:
    """The refusal of one request too many, without a line in the log: /metrics counts them as route "shed"."""
    number = new_request_id().encode()
    body = b"" if method == "HEAD" else _BUSY % number
    headers = [*_BUSY_HEADERS, (b"content-length", b"%d" % len(body)), (b"x-request-id", number)]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
    metrics.request("shed", method, 503, 0.0)
