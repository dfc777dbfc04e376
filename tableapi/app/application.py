"""The ASGI application: admission, dispatch, errors, and headers common to all responses."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from tableapi.app.authentication import Authentication
from tableapi.app.dispatch import Dispatch
from tableapi.app.feature import Feature
from tableapi.app.lifespan import Lifespan, Process
from tableapi.app.options import ServeOptions
from tableapi.app.pages import Pages
from tableapi.app.routes import API
from tableapi.app.script_calls import ScriptCalls
from tableapi.app.state import AppState
from tableapi.app.tables.calls import TableCalls
from tableapi.auth.scopes import WRITE, require
from tableapi.config.networks import Networks
from tableapi.config.settings import Settings
from tableapi.datasets.dataset import Dataset, ServedDataset
from tableapi.datasets.role_dataset import acting, request_settings
from tableapi.db.errors import telling, to_api_error
from tableapi.errors import DOC, RETRY, ApiError, Busy, Internal, MethodNotAllowed, NotFound
from tableapi.http import xml
from tableapi.http.admission import AdmissionControl, raise_for_cancellation
from tableapi.http.compression import MIN_BYTES
from tableapi.http.cors import Cors
from tableapi.http.request import HttpRequest, Receive, Scope, Send, unquoted
from tableapi.http.response import Response, error_response
from tableapi.http.send import encoded, head, send_response
from tableapi.log import get_logger
from tableapi.observability import metrics, tracing
from tableapi.observability.logging import AccessLog, shown_path
from tableapi.project.files import load_project
from tableapi.query import options
from tableapi.query.spelling import choices, suggestion

log = get_logger(__name__)
Kind = TypeVar("Kind", bound=Feature)

_API = re.compile(r"/api(?:/v\d+(?:\.\d+)*)?(?:/|\Z)")
ANY_PAGE = Cors("", ("*",))
UNLIMITED = frozenset(("/healthz", "/readyz", "/metrics"))  # served during overload, and without a database
_BUSY = (
    b'{"error":{"code":503,"context":{"reason":"busy","scope":"resource","request_id":"%s"'
    b"%s},"
    b'"message":"The server is busy. Try again in a moment.","status_code":503}}'
)
_BUSY_DOC = f',"doc":"{DOC}busy"'.encode()
_BUSY_LINES = "content-type: application/json\r\nretry-after: 1\r\ncache-control: no-store\r\n"


class App:
    """The application of one worker process.

    Args:
        settings: Limits and time-outs.
        served: The databases and their rights.
        process: Process-level setup of `tableapi serve`; None inside a host program.
        features: Its optional features; `tableapi.app.features.application` passes all of them.
    """

    def __init__(
        self,
        settings: Settings,
        served: ServeOptions,
        process: Process | None = None,
        features: Sequence[Callable[[App], Feature]] = (),
    ) -> None:
        self.settings, self.served = settings, served
        project = self.project = load_project(served.project)
        self.state = AppState(settings, served)
        self.authentication = Authentication(self.state)
        self.pages = Pages(settings, served, self.state, project)
        self.tables = TableCalls(self.state)
        scripts = self.state.scripts
        self.scripts = None if scripts is None else ScriptCalls(self.state, scripts, self.authentication)
        self.admission = AdmissionControl(settings.max_in_flight, settings.request_seconds, self.state.waits)
        self.access_log = AccessLog(process is not None and settings.log_level in ("debug", "info"))
        self.features = tuple(feature(self) for feature in features)
        self.state.add(self.features)
        self._dispatch = Dispatch(self.pages, self.features)
        self.life = Lifespan(self.state, self.pages, self.admission, process)
        self._secret_paths = () if scripts is None else scripts.secret_paths
        self.proxies = Networks(settings.trusted_proxies) if settings.trusted_proxies else None
        self._any_page = frozenset(path for feature in self.features for path in feature.open_paths)
        self._cors = Cors(settings.public_url, settings.cors_origins)
        self._compress = settings.compression
        self._busy_doc = _BUSY_DOC if self.pages.has_docs else b""

    def feature(self, kind: type[Kind]) -> Kind:
        """Return the feature of this class. Raises LookupError if the application lacks it."""
        for feature in self.features:
            if isinstance(feature, kind):
                return feature
        raise LookupError(kind.__name__)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or the lifespan, of an ASGI server."""
        if scope["type"] != "http":
            await self._other(scope, receive, send)
            return
        request = HttpRequest(scope, receive, self.proxies)
        if request.raw_path not in UNLIMITED and self.admission.full():
            await send_response(send, request, *self.shed(request))
            return
        respond = self.respond if tracing.tracer is None else self.traced
        response, body, lines = await respond(request)
        await send_response(send, request, response, body, lines)
        self.finished(request, response)

    async def traced(self, request: HttpRequest) -> tuple[Response, bytes, bytes]:
        """Do what `respond` does, as a span of the client's trace."""
        sent = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.pairs or ()}
        with tracing.request(request.headers or sent) as span:
            response, body, lines = await self.respond(request)
            tracing.describe_response(span, request.method, request.route, response.status, request.request_id)
        return response, body, lines

    async def respond(self, request: HttpRequest) -> tuple[Response, bytes, bytes]:
        """Return the response to a request, its body as it is sent, and its header lines.

        Requests in flight are counted and limited in time. A body that has not been read is read for a while.
        """
        task = None
        try:
            request.read()
            if request.path not in UNLIMITED:
                if not self.state.is_open:
                    raise Busy("The database cannot be reached. Try again in a moment.", headers=RETRY)
                task = self.admission.enter(request)
            response = await self._route(request)
        except asyncio.CancelledError as cancellation:
            try:
                raise_for_cancellation(request, cancellation)
            except Exception as error:
                response = self._error_response(error, request)
        except Exception as error:
            response = self._error_response(error, request)
        finally:
            self.admission.leave(task)
        # `in` of bytes costs more than most of what is done here: CPython first tries its left side as a number.
        if "xml" in request.headers.get("accept", "") or (request.query_string and b"xml" in request.query_string):
            response = await xml.negotiate(response, request)
        if self.pages.draining:
            response.headers["Connection"] = "close"
        if request.unread and not request.cancelled_for:
            await request.drain()
        cors = ANY_PAGE if request.path in self._any_page else self._cors
        body, more = response.body, ""
        if self._compress and len(body) >= MIN_BYTES:
            body, more = await encoded(request, response)
        return response, body, head(request, response, len(body), cors, more)

    def finished(self, request: HttpRequest, response: Response) -> None:
        """Count and log a request after its response."""
        seconds = time.perf_counter() - request.started_at
        metrics.request(request.route, request.method, response.status, seconds)
        if self.access_log.enabled:
            self.access_log.line(
                request.method,
                shown_path(request.path or request.raw_path, self._secret_paths),
                request.query_string.decode("latin-1"),
                response.status,
                seconds,
                len(response.body),
                request.request_id,
                request.ip,
                request.actor.user,
            )

    def shed(self, request: HttpRequest) -> tuple[Response, bytes, bytes]:
        """Return what `respond` returns, for a request that there is no room for.

        Decided before any work: a rejection must cost far less than the response it makes room for. It is not logged;
        /metrics counts it under the route "shed".
        """
        method, request_id, sent = request.method, request.request_id, dict(request.pairs or ())
        origin = request.headers.get("origin") or sent.get(b"origin", b"").decode("latin-1") or None
        body = b"" if method == "HEAD" else _BUSY % (request_id.encode(), self._busy_doc)
        metrics.request("shed", method, 503, 0.0)
        lines = f"{_BUSY_LINES}content-length: {len(body)}\r\nx-request-id: {request_id}\r\n"
        return Response(body, 503), body, (lines + self._cors.headers(origin)).encode("latin-1")

    async def _other(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle lifespan and websocket scopes. Unknown types are ASGI extensions and need no response."""
        if scope["type"] == "lifespan":
            await self.life.run(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})

    def _error_response(self, error: Exception, request: HttpRequest) -> Response:
        """Build the response for an error; an error other than an ApiError is a bug and is logged."""
        api_error = to_api_error(error)
        if api_error is None:
            path = shown_path(request.path, self._secret_paths)
            log.error("bug", request_id=request.request_id, path=path, exc_info=error)
            api_error = Internal("Something went wrong!")
        if api_error.reason == "read_only":
            self.pages.write_rejected()
        mount = request.root_path if self.pages.has_docs else None
        return error_response(api_error, request.request_id, mount)

    def _route(self, request: HttpRequest) -> Awaitable[Response]:
        """Dispatch a request by its path."""
        if request.method == "OPTIONS":
            return self._preflight(request)
        if request.path.startswith(API):  # nearly every request
            at = len(API)
        elif (other := _API.match(request.path)) is not None:
            at = other.end()
        else:
            return (self._dispatch.own(request.path) or self._page)(request)
        parts = request.raw_path[at:].split("/")
        if "" in parts:
            parts = list(filter(None, parts))
        if request.encoded:
            parts = [unquoted(part) for part in parts]
        name = parts[0] if parts else ""
        if (dataset := self.state.datasets.get(name)) is not None:
            actor = None if (caller := request.headers.caller) is None else self.authentication.known(request, caller)
            if actor is None:
                return self._identified(request, dataset, parts[1:])
            request.actor = actor
            return self.respond_for_dataset(request, dataset, parts[1:])
        if (handler := self._dispatch.api.get(name)) is not None:
            request.route = name or "api"
            if request.method not in ("GET", "HEAD"):
                raise MethodNotAllowed("Only GET is supported here.", headers={"Allow": "GET"})
            return handler(request, parts)
        # unless it is the code in the path of a script
        misspelt = name == "_table" or (len(parts) > 1 and parts[1].startswith("_"))
        if self.scripts is not None and (not misspelt or self.scripts.serves(parts)):
            return self.scripts.respond(request, parts)
        return self._unknown_service(request, name)

    async def _preflight(self, request: HttpRequest) -> Response:
        cors = ANY_PAGE if request.path in self._any_page else self._cors
        return Response(b"", 204, headers=cors.preflight(request))

    async def _identified(self, request: HttpRequest, dataset: ServedDataset, parts: list[str]) -> Response:
        """Respond to a request of a caller that has to be looked up."""
        request.actor = await self.authentication.actor(request)
        return await self.respond_for_dataset(request, dataset, parts)

    async def _unknown_service(self, request: HttpRequest, name: str) -> Response:
        """Raise NotFound, which suggests a dataset to callers with valid credentials."""
        hint = ""
        if name == "_table":
            below = request.path.partition("/_table")[2][:100]
            hint = f" The dataset is missing before it: /api/v2/<dataset>/_table{below}."
        with suppress(ApiError):
            if (await self.authentication.actor(request)).role:
                hint = hint or choices(name, self.state.datasets, "Its databases")
        raise NotFound(f"There is no service '{name[:100]}'.{hint}", reason="unknown_service")

    async def _page(self, request: HttpRequest) -> Response:
        request.route = "page"
        handler = self._dispatch.page(request.path)
        if handler is None:
            return await self.pages.other(request)
        if request.method not in ("GET", "HEAD"):
            raise MethodNotAllowed("Only GET is supported here.", headers={"Allow": "GET"})
        return await handler(request)

    def respond_for_dataset(
        self, request: HttpRequest, served: ServedDataset, parts: list[str], query: dict[str, str] | None = None
    ) -> Awaitable[Response]:
        """Dispatch a request below `/api/v2/<dataset>`; `parts` follow the dataset name.

        query: its options, if they are known.
        """
        name = parts[0] if parts else ""
        handler = self._dispatch.dataset.get(name)
        request.route = name if name and handler else "dataset"
        actor = request.actor
        role = actor.role
        if role == "*":
            telling.set(True)  # full rights include the details of database errors
        dataset: Dataset = served.others.get(role, served)
        if actor.scopes is not None:
            if name in ("_func", "_proc"):
                require(actor.scopes, WRITE)  # a routine may write
            dataset = self.state.scoped.of(dataset, actor.scopes)
        if dataset.database_roles:
            dataset = _acting(request, dataset)
        rights = dataset.rights(role)
        if query is None:
            query = options.parse_query(request.query_string) if request.query_string else {}
        if name == "_table" and len(parts) > 1:
            return self.tables.respond(request, dataset, rights, parts, query)
        if handler is None:
            known = ("_table", *self._dispatch.dataset)
            close = " Call a function at _func/NAME." if name == "rpc" else suggestion(name, known)
            if not close and not name.startswith("_"):
                close = f" Tables are below _table: /api/v2/{served.name}/_table/{name[:100]}."
            raise NotFound(f"There is no '{name[:100]}' here.{close}", reason="unknown_resource")
        return handler(request, dataset, rights, parts, query)


def _acting(request: HttpRequest, dataset: Dataset) -> Dataset:
    """Return the dataset from its caller's perspective: some callers run as a PostgreSQL role."""
    acts = dataset.database_roles.get(request.actor.role)
    if acts is None:
        return dataset
    settings = request_settings(acts, request.actor, request.method, request.path, request.headers)
    return acting(dataset, acts, settings)
