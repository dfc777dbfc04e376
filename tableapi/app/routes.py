"""Every URL of the engine, in one list.

`{name}` matches one path segment, `{name...}` the rest of the path. The dispatch tables below are derived from the
list, and a test compares it with the responses of a server.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tableapi.app.agents.endpoint import PATH as MCP
from tableapi.app.agents.endpoint import Agents
from tableapi.app.agents.sign_in import RESOURCE, SERVER, SignIn
from tableapi.app.batch import Batches
from tableapi.app.meta import Meta
from tableapi.app.pages import DOCS, STUDIO, Pages
from tableapi.app.script_calls import ScriptCalls
from tableapi.app.table_calls import TableCalls
from tableapi.app.webhook_calls import WebhookCalls
from tableapi.http.response import Reply

Handler = Callable[..., Awaitable[Reply]]
API = "/api/v2/"
SECURITY = "/.well-known/security.txt"
GET, ANY, CALL = ("GET",), ("GET", "POST", "PUT", "PATCH", "DELETE"), ("GET", "POST")
POST = ("POST",)
TABLE = (*ANY, "QUERY")
RECORD = ("GET", "PUT", "PATCH", "DELETE", "QUERY")


@dataclass(frozen=True, slots=True)
class Route:
    """One URL: its methods, pattern and handler, and the page in docs/ that describes it."""

    methods: tuple[str, ...]
    path: str
    handler: Handler
    page: str


ROUTES = (
    Route(GET, "/healthz", Pages.health, "guides/deployment.md"),
    Route(GET, "/readyz", Pages.ready, "guides/deployment.md"),
    Route(GET, "/metrics", Pages.metrics, "reference/metrics.md"),
    Route(GET, SECURITY, Pages.security, "guides/deployment.md"),
    Route(GET, "/llms.txt", Pages.llms, "guides/agents.md"),
    Route(POST, MCP, Agents.answer, "guides/agents.md"),
    Route(GET, RESOURCE, SignIn.resource, "guides/agents.md"),
    Route(GET, f"{RESOURCE}{MCP}", SignIn.resource, "guides/agents.md"),
    Route(GET, SERVER, SignIn.server, "guides/agents.md"),
    Route(GET, DOCS, Pages.docs, "guides/deployment.md"),
    Route(GET, f"{DOCS}/{{file...}}", Pages.docs, "guides/deployment.md"),
    Route(GET, STUDIO, Pages.studio, "guides/studio.md"),
    Route(GET, f"{STUDIO}/{{file...}}", Pages.studio, "guides/studio.md"),
    Route(GET, "/{page...}", Pages.other, "explanation/architecture.md"),
    Route(GET, "/api/v2/", Meta.services, "reference/wire.md"),
    Route(GET, "/api/v2/config", Meta.config, "reference/calls.md"),
    Route(GET, "/api/v2/docs", Meta.docs, "reference/wire.md"),
    Route(GET, "/api/v2/docs/{file...}", Meta.docs, "reference/wire.md"),
    Route(GET, "/api/v2/_spec", Meta.spec, "reference/wire.md"),
    Route(GET, "/api/v2/system/service", Meta.system, "reference/wire.md"),
    Route(GET, "/api/v2/system/service/{service}", Meta.system, "reference/wire.md"),
    Route(ANY, "/api/v2/{script...}", ScriptCalls.answer, "reference/calls.md"),
    Route(GET, "/api/v2/{dataset}/", Meta.parts, "reference/wire.md"),
    Route(GET, "/api/v2/{dataset}/_spec", Meta.dataset_spec, "reference/wire.md"),
    Route(GET, "/api/v2/{dataset}/_schema", Meta.schema, "reference/wire.md"),
    Route(GET, "/api/v2/{dataset}/_schema/{table}", Meta.schema, "reference/wire.md"),
    Route(GET, "/api/v2/{dataset}/_schema/{table}/_field", Meta.schema, "reference/wire.md"),
    Route(GET, "/api/v2/{dataset}/_schema/{table}/_field/{field}", Meta.schema, "reference/wire.md"),
    Route(GET, "/api/v2/{dataset}/_schema/{table}/_related", Meta.schema, "reference/wire.md"),
    Route(GET, "/api/v2/{dataset}/_schema/{table}/_related/{relation}", Meta.schema, "reference/wire.md"),
    Route(CALL, "/api/v2/{dataset}/_proc", Meta.routine, "reference/wire.md"),
    Route(CALL, "/api/v2/{dataset}/_proc/{routine}", Meta.routine, "reference/wire.md"),
    Route(CALL, "/api/v2/{dataset}/_func", Meta.routine, "reference/wire.md"),
    Route(CALL, "/api/v2/{dataset}/_func/{routine}", Meta.routine, "reference/wire.md"),
    Route(POST, "/api/v2/{dataset}/_batch", Batches.answer, "reference/wire.md"),
    Route(GET, "/api/v2/{dataset}/_webhooks", WebhookCalls.answer, "guides/webhooks.md"),
    Route(GET, "/api/v2/{dataset}/_webhooks/{webhook}", WebhookCalls.answer, "guides/webhooks.md"),
    Route(POST, "/api/v2/{dataset}/_webhooks/{webhook}/replay", WebhookCalls.answer, "guides/webhooks.md"),
    Route(POST, "/api/v2/{dataset}/_webhooks/{webhook}/test", WebhookCalls.answer, "guides/webhooks.md"),
    Route(GET, "/api/v2/{dataset}/_table", Meta.tables, "reference/wire.md"),
    Route(TABLE, "/api/v2/{dataset}/_table/{table}", TableCalls.answer, "reference/wire.md"),
    Route(GET, "/api/v2/{dataset}/_table/{table}/_changes", TableCalls.answer, "reference/wire.md"),
    Route(RECORD, "/api/v2/{dataset}/_table/{table}/{id}", TableCalls.answer, "reference/wire.md"),
)


def _by_segment(prefix: str) -> dict[str, Handler]:
    """Return the handlers below `prefix` by the next path segment, where it is a fixed word."""
    below = ((route.path.removeprefix(prefix).partition("/")[0], route) for route in reversed(ROUTES)
             if route.path.startswith(prefix))  # fmt: skip
    return {segment: route.handler for segment, route in below if "{" not in segment}


PAGES = {
    route.path: route.handler
    for route in ROUTES
    if "{" not in route.path and (route.path == SECURITY or not route.path.startswith((API, MCP, "/.well-known/")))
}
SIGN_IN = {
    route.path: route.handler for route in ROUTES if route.path.startswith("/.well-known/") and route.path != SECURITY
}
# Folders: the path itself and everything below it.
FOLDERS = {
    route.path.removesuffix("/{file...}"): route.handler
    for route in ROUTES
    if route.path.endswith("/{file...}") and not route.path.startswith(API)
}
META = _by_segment(API)  # "", config, docs, _spec, system
DATASET = _by_segment(f"{API}{{dataset}}/")  # "", _spec, _schema, _proc, _func, _table
