"""Everything that the core serves besides the API: health, documentation and the project's pages."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import asyncpg

from tableapi.app.options import ServeOptions
from tableapi.app.state import AppState
from tableapi.config.settings import Settings
from tableapi.errors import ApiError, MethodNotAllowed, NotFound
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response, dumps, of_starlette
from tableapi.http.site import Site, docs_folders
from tableapi.http.static import Static, page_headers, with_members
from tableapi.log import get_logger
from tableapi.project.project import Project

log = get_logger(__name__)
SECURITY_LASTS = timedelta(days=180)  # lifetime of a fetched security contact
_API = "/api/v2/"
_BELOW = f"The API is below {_API}."
READ_ONLY_SECONDS = 10.0  # how long /readyz reports a rejected write
LLMS = """\
# {title}

> An HTTP API of the tables of PostgreSQL databases: filters, relations, aggregates and writes below
> `/api/v2/<database>/_table/<table>`, with the rights of the caller.

Send the key as the header X-API-Key, and the token of a session as X-Session-Token. Errors are JSON;
`error.context.reason` is stable, and the message says what to do.

{introduction}## API

- [Databases]({root}/api/v2/): their names; `/api/v2/<database>/_spec?compact=true` is a short description for language
  models, with tables, columns, relations and the syntax of requests
- [OpenAPI 3.1]({root}/api/v2/_spec): every call that the caller may use; `?typed=true` for generators of clients
- [Tools]({root}/mcp): the Model Context Protocol over HTTP
- [Page for people]({root}/api/docs)
"""
LLM_PAGES = (
    ("reference/wire", "Requests and responses", "every option, verb and status"),
    ("guides/filters", "Filters", "the language of conditions"),
    ("guides/relations", "Relations", "related rows, and conditions on them"),
    ("guides/writes", "Writes", "records, upserts, batches, dry runs"),
    ("guides/agents", "Agents", "MCP: sign-in, tools, rights"),
    ("guides/clients", "Clients", "generated clients for TypeScript and Python"),
    ("reference/errors", "Errors", "every reason, and what to do"),
)
DOCS = "/docs"


class Pages:
    """The pages of one worker process, and the state reported by /readyz."""

    def __init__(self, settings: Settings, served: ServeOptions, state: AppState, project: Project) -> None:
        self._settings, self._served, self._state, self._project = settings, served, state, project
        self.draining = False
        self._write_rejected_at = -READ_ONLY_SECONDS
        self.of_project = project.pages(settings)
        headers = page_headers(
            project.content_sources, project.payment_origins, secure=settings.public_url.startswith("https")
        )
        folder = served.project
        edits = {"/manifest.json": with_members(project.manifest(settings))}
        self._static = Static(folder / "frontend" / "dist", headers, edits) if folder else None
        self._docs = Site.find(docs_folders(folder), DOCS, headers)

    @property
    def has_docs(self) -> bool:
        """Whether the documentation is served, so that links to it work."""
        return self._docs is not None

    def drain(self) -> None:
        """Prepare to stop: report not ready, and close each connection after its next response."""
        self.draining = True

    def write_rejected(self) -> None:
        """Report on /readyz and in the log that the database rejected a write."""
        if not self._writes_rejected:
            log.error("writes_refused", alarm="read_only")
        self._write_rejected_at = time.monotonic()

    @property
    def _writes_rejected(self) -> bool:
        return time.monotonic() - self._write_rejected_at < READ_ONLY_SECONDS

    async def health(self, request: HttpRequest) -> Response:
        """Respond 200 as long as the process runs."""
        return Response(b'{"status":"ok"}')

    async def ready(self, request: HttpRequest) -> Response:
        """Respond 200 if every database is reachable and the process is not about to stop, else 503.

        Rejected writes do not cause a 503, because reads still work and every other node would reject the same writes.
        """
        if self.draining:
            return Response(dumps({"status": "stopping"}), 503)
        down = []
        for name, dataset in self._state.datasets.items():
            try:
                await dataset.db.reads.fetchrow("select 1")
            except (ApiError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                down.append(name)
        if down:
            return Response(dumps({"status": "unavailable", "databases": down}), 503, headers={"Retry-After": "1"})
        return Response(b'{"status":"ready","writes":"refused"}' if self._writes_rejected else b'{"status":"ready"}')

    async def security(self, request: HttpRequest) -> Response:
        """Return the security contact (RFC 9116). Raises NotFound without SECURITY_CONTACT."""
        settings = self._settings
        if not settings.security_contact:
            raise NotFound("There is no such page.")
        expires = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + SECURITY_LASTS
        lines = [
            f"Contact: {settings.security_contact}",
            f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
            f"Canonical: {settings.public_url}/.well-known/security.txt",
            "Preferred-Languages: en",
        ]
        text = "\n".join(lines) + "\n"
        return Response(text.encode(), content_type="text/plain; charset=utf-8")

    async def llms(self, request: HttpRequest) -> Response:
        """Return the introduction for language models (llmstxt.org), or the project's own file."""
        own = self._static.respond(request.path, request.headers) if self._static else None
        if own is not None:
            return own
        root = f"{self._settings.public_url}{request.root_path}"
        pages = "".join(f"- [{title}]({root}{DOCS}/{path}/): {text}\n" for path, title, text in LLM_PAGES)
        introduction = self._project.introduction(self._settings, root)
        text = LLMS.format(title=self._project.title(self._settings), root=root, introduction=introduction)
        return Response(
            (text + (f"\n## Pages\n\n{pages}" if self._docs else "")).encode(), content_type="text/markdown"
        )

    async def docs(self, request: HttpRequest) -> Response:
        """Return a page of the built documentation. Raises NotFound if it was not built."""
        if self._docs is None:
            raise NotFound("The documentation has not been built. Run: make docs", reason="not_found")
        return self._docs.respond(request.path, request.root_path, request.headers)

    async def other(self, request: HttpRequest) -> Response:
        """Return a page of the project or its front end. Without a front end, `/` redirects to the API page."""
        path = request.path
        if self.of_project is not None and path.startswith(self.of_project.prefix):
            self._state.guard.check(request, forms=True)
            page = await self.of_project.respond(request.scope, request.receive)
            if page is None:
                raise NotFound("There is no such page.")
            return of_starlette(page, "text/html")
        if request.method not in ("GET", "HEAD"):
            raise MethodNotAllowed(f"Only GET is supported here. {_BELOW}{_meant(path)}", headers={"Allow": "GET"})
        response = self._static.respond(path, request.headers) if self._static else None
        if response is not None:
            return response
        if path == "/":
            return Response(b"", 307, headers={"Location": f"{request.root_path}/api/docs"})
        raise NotFound(f"There is no such page. {_BELOW}{_meant(path)}")


def _meant(path: str) -> str:
    """Say what to write instead of a path outside /api/v2/, without telling which datasets exist."""
    if path.startswith("//"):
        return " The path begins with two slashes; write one."
    if path.lower().startswith(_API):
        return " The path is case sensitive; write /api/v2/ in lower case."
    parts = path.strip("/").split("/")
    if "_table" in parts[1:]:
        at = parts.index("_table", 1)
        return f" Did you mean {_API}{'/'.join(parts[at - 1 :])[:100]}?"
    graphql = " There is no GraphQL." if parts[-1].lower() == "graphql" else ""
    return f"{graphql} Tables are at {_API}<dataset>/_table/<table>."
