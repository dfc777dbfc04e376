"""What is beside the tables: health, metrics, the app's pages, schema and descriptions. A few lines each."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import asyncpg

from tableapi.app.served import Datasets, is_loopback
from tableapi.app.state import Services
from tableapi.auth.policy import Actor
from tableapi.auth.rights import Rights
from tableapi.config.settings import Settings
from tableapi.datasets.dataset import Dataset
from tableapi.endpoints import queue_metrics
from tableapi.endpoints.project import load_project
from tableapi.errors import ApiError, BadRequest, MethodNotAllowed, NotFound, Unauthorized
from tableapi.http import response
from tableapi.http.response import Reply
from tableapi.http.static import Static, page_headers
from tableapi.log import get_logger
from tableapi.observability import metrics
from tableapi.openapi import docs
from tableapi.openapi.cache import Descriptions, unpacked
from tableapi.query import options, plan
from tableapi.tables import describe, routines

log = get_logger(__name__)
# Headers that a proxy adds.
_FORWARDED = frozenset(("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"))
READ_ONLY_SECONDS = 10.0  # seconds for which a refused write is told by /readyz


class Meta:
    def __init__(self, settings: Settings, served: Datasets, services: Services) -> None:
        self.settings, self.served, self.services = settings, served, services
        self.draining = False
        self._refused = -READ_ONLY_SECONDS  # when a write was refused last
        folder = served.project / "frontend" / "dist" if served.project else None
        self.project = load_project(served.project)
        self.pages = self.project.pages(settings)
        keyed = served.project is not None or not served.open or bool(served.key)
        title = self.project.title(settings)
        self.descriptions = Descriptions(
            services.scripts, served.project, title, settings.run_dir / "described", keyed=keyed
        )
        self.static = (
            Static(
                folder,
                page_headers(
                    self.project.content_sources,
                    self.project.payment_origins,
                    secure=settings.public_url.startswith("https"),
                ),
            )
            if folder
            else None
        )

    def drain(self) -> None:
        """We are about to stop: not ready any more, and each answer is the last of its connection."""
        self.draining = True

    def not_saved(self) -> None:
        """A write was refused: the disk of the database is full, or it is read-only. Somebody has to see to it."""
        if not self._lately:
            log.error("writes_refused", alarm="read_only")
        self._refused = time.monotonic()

    @property
    def _lately(self) -> bool:
        return time.monotonic() - self._refused < READ_ONLY_SECONDS

    # -- /healthz, /metrics and pages --------------------------------------------------------------------------------

    async def page(self, http: Any) -> Reply:
        if http.method not in ("GET", "HEAD") and not self._is_page_of_project(http.path):
            raise MethodNotAllowed("Only GET is served here.", headers={"Allow": "GET"})
        path = http.path
        if path == "/healthz":
            return Reply(b'{"status":"ok"}')
        if path == "/readyz":
            return await self._ready()
        if path == "/metrics":
            return await self._metrics(http)
        if self._is_page_of_project(path):
            return await self._page_of_project(http)
        found = self.static.reply(path, http.headers) if self.static else None
        if found is not None:
            return found
        if path == "/":
            return Reply(b"", 307, headers={"Location": "/api/docs"})
        raise NotFound("There is no such page.")

    def _is_page_of_project(self, path: str) -> bool:
        return self.pages is not None and path.startswith(self.pages.prefix)

    async def _page_of_project(self, http: Any) -> Reply:
        assert self.pages is not None
        made = await self.pages.answer(http.scope, http.receive)
        if made is None:
            raise NotFound("There is no such page.")
        headers = {k.title(): v for k, v in made.headers.items() if k not in ("content-length", "content-type")}
        return Reply(bytes(made.body), made.status_code, made.headers.get("content-type", "text/html"), headers)

    async def _ready(self) -> Reply:
        """Ready means: every database answers now, and we are here to stay. Where nothing can be saved, reading goes
        on, and every other node is as badly off: it is said, and the balancer leaves us in."""
        if self.draining:
            return Reply(response.dumps({"status": "stopping"}), 503)
        down = []
        for name, dataset in self.services.datasets.items():
            try:
                await dataset.db.reads.fetchrow("select 1")
            except (ApiError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                down.append(name)
        if down:
            return Reply(
                response.dumps({"status": "unavailable", "databases": down}), 503, headers={"Retry-After": "1"}
            )
        return Reply(b'{"status":"ready","writes":"refused"}' if self._lately else b'{"status":"ready"}')

    async def _metrics(self, http: Any) -> Reply:
        if not self._may_watch(http):
            raise NotFound("There is no such page.")
        return Reply(metrics.text() + await queue_metrics.text(self.services.scripts), content_type=metrics.MEDIA_TYPE)

    def _may_watch(self, http: Any) -> bool:
        """With METRICS_TOKEN its bearer; without it /metrics is off.

        A demo, and `--open` to this machine, show it to this machine: they have nothing to hide from it. Elsewhere
        the address tells nothing, because a proxy on the same machine makes every request come from it.
        """
        if token := self.settings.metrics_token:
            given = http.headers.get("authorization", "").removeprefix("Bearer ").strip()
            return hmac.compare_digest(given.encode(), token.encode())
        harmless = bool(self.project.local_only(self.settings)) or (self.served.open and not self.served.key)
        direct = _FORWARDED.isdisjoint(http.headers) and _is_loopback((http.scope.get("client") or ("",))[0])
        return harmless and is_loopback(self.settings.host) and direct

    # -- /api/v2/ itself ---------------------------------------------------------------------------------------------

    async def api(self, http: Any, parts: list[str], actor_of: Callable[[Any], Awaitable[Actor]]) -> Reply:
        head = parts[0] if parts else ""
        if http.method != "GET":
            raise MethodNotAllowed("Only GET is served here.", headers={"Allow": "GET"})
        if head == "config":
            return Reply(response.dumps(self._config()))
        if head == "":
            http.actor = await actor_of(http)
            services = [{"name": name, "type": "postgresql"} for name in self.services.datasets]
            return Reply(response.dumps({"resource": services}))
        if head == "_spec" and len(parts) == 1:
            http.actor = await actor_of(http)
            return await self._described(http, self.services.datasets.values(), scripts=True)
        if head == "docs":
            return docs.page("/".join(parts[1:]), http.headers)
        raise NotFound("There is nothing here.")

    async def _described(self, http: Any, datasets: Iterable[Dataset], *, scripts: bool) -> Reply:
        if not http.actor.role:
            raise Unauthorized("A valid app key is needed.", reason="no_key")
        packed = await self.descriptions.of(http.actor, datasets, scripts=scripts)
        if "gzip" in http.headers.get("accept-encoding", ""):
            return Reply(packed, headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
        return Reply(await asyncio.to_thread(unpacked, packed), headers={"Vary": "Accept-Encoding"})

    def _config(self) -> dict[str, Any]:
        """What the app needs before anybody has signed in. The app key ships with the app, so it is public."""
        s = self.settings
        return {
            "appkey": s.app_keys[0] if s.app_keys and self.served.project else "",
            "dataset": s.dataset,
            "datasets": list(self.services.datasets),
            "publicurl": s.public_url,
            **self.project.config(s),
        }

    # -- /api/v2/<dataset>/... but for records -----------------------------------------------------------------------

    async def dataset(
        self, http: Any, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Reply:
        kind = parts[0] if parts else ""
        if kind == "":
            self._only_get(http)
            if options.boolean("as_access_list", query.get("as_access_list", "")):
                return describe.access_list(dataset, rights)
            return Reply(response.dumps({"resource": [{"name": name} for name in self._parts]}))
        if kind == "_table":
            if http.method in ("POST", "PUT", "PATCH", "DELETE"):
                raise BadRequest("Name a table: /_table/<table>.", reason="no_table")
            self._only_get(http)
            return await describe.tables(dataset, rights, query)
        if kind == "_spec" and len(parts) == 1:
            self._only_get(http)
            return await self._described(http, [dataset], scripts=False)
        if kind in routines.KINDS and self._routines_served:
            return await routines.answer(http, dataset, http.actor, parts, query, self.settings.body_bytes)
        if kind == "_schema" and self._schema_served:
            self._only_get(http, "Schema changes are not served over the API; migrations own the schema.")
            return await self._schema(dataset, rights, parts[1:], query)
        raise NotFound(f"There is no '{kind[:100]}' here.", reason="unknown_resource")

    @property
    def _parts(self) -> list[str]:
        """The parts of a dataset that are served."""
        schema, called = ["_schema"] * self._schema_served, ["_proc", "_func"] * self._routines_served
        return ["_table", *schema, *called]

    @property
    def _routines_served(self) -> bool:
        """A project has scripts; routines of its database are served when PUBLIC_ROUTINES names them."""
        return self.served.project is None or bool(self.settings.public_routines)

    @property
    def _schema_served(self) -> bool:
        """A project shows its tables by /_spec, as the caller may see them; /_schema is for any other database."""
        return self.served.project is None

    def _only_get(self, http: Any, message: str = "Only GET is served here.") -> None:
        if http.method not in ("GET", "HEAD"):
            raise MethodNotAllowed(message, headers={"Allow": "GET"})

    async def _schema(self, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]) -> Reply:
        if not parts:
            return await describe.tables(dataset, rights, query)
        table = await dataset.table(parts[0], rights)
        right = rights.right(table, "GET") or plan.right_of(table, rights, "POST")
        made = describe.describe(dataset.schema, table, right, rights)
        if len(parts) == 1:
            return Reply(response.dumps(made))
        part = {"_field": "field", "_related": "related"}.get(parts[1])
        if part is None or len(parts) > 3:
            raise NotFound(f"There is no '{parts[1][:100]}' here.", reason="unknown_resource")
        if len(parts) == 2:
            return Reply(response.dumps({"resource": made[part]}))
        for one in made[part]:
            if one["name"].lower() == parts[2].lower():
                return Reply(response.dumps(one))
        raise NotFound(f"Table '{table.name}' has no {part} '{parts[2][:100]}'.", reason="unknown_resource")


def _is_loopback(ip: str) -> bool:
    try:
        return ipaddress.ip_address(ip).is_loopback
    except ValueError:
        return False
