"""The URLs of the core. Those of each feature are listed in its class (`tableapi.app.features`).

A test compares all of them with the responses of a server.
"""

from __future__ import annotations

from tableapi.app.feature import Route
from tableapi.app.pages import DOCS, Pages
from tableapi.app.script_calls import ScriptCalls
from tableapi.app.tables.calls import TableCalls

API = "/api/v2/"
SECURITY = "/.well-known/security.txt"
GET, ANY, CALL = ("GET",), ("GET", "POST", "PUT", "PATCH", "DELETE"), ("GET", "POST")
POST = ("POST",)
TABLE = (*ANY, "QUERY")
RECORD = ("GET", "PUT", "PATCH", "DELETE", "QUERY")


ROUTES = (
    Route(GET, "/healthz", Pages.health, "guides/deployment.md"),
    Route(GET, "/readyz", Pages.ready, "guides/deployment.md"),
    Route(GET, SECURITY, Pages.security, "guides/deployment.md"),
    Route(GET, "/llms.txt", Pages.llms, "guides/agents.md"),
    Route(GET, DOCS, Pages.docs, "guides/deployment.md"),
    Route(GET, f"{DOCS}/{{file...}}", Pages.docs, "guides/deployment.md"),
    Route(GET, "/{page...}", Pages.other, "explanation/architecture.md"),
    Route(ANY, "/api/v2/{script...}", ScriptCalls.respond, "reference/calls.md"),
    Route(TABLE, "/api/v2/{dataset}/_table/{table}", TableCalls.respond, "reference/wire.md"),
    Route(RECORD, "/api/v2/{dataset}/_table/{table}/{id}", TableCalls.respond, "reference/wire.md"),
)
