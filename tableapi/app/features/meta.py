"""Requests about the API itself: services, front-end settings, descriptions, schemas, routines."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from tableapi.app.application import App
from tableapi.app.feature import Feature, Route
from tableapi.app.pages import DOCS
from tableapi.app.routes import CALL, GET
from tableapi.app.tables import explain
from tableapi.auth.rights import Rights
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest, MethodNotAllowed, NotFound, Unauthorized
from tableapi.http import compression, preferences
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response, dumps
from tableapi.openapi import clients, compact, outline, system_services
from tableapi.openapi.cache import Descriptions, unpacked
from tableapi.openapi.docs import DocsPage
from tableapi.openapi.tables import TableDescription
from tableapi.openapi.typed import TextNumbers, TypedDescription
from tableapi.query import option_values, options, plan
from tableapi.tables import describe, routines

# Options of lists and descriptions, for strict handling. `refresh` is DreamFactory's: nothing is cached here.
_SHARED = ("refresh", "accept", "format", "method", "_method")
_OF_LISTS = ("as_list", "fields", *_SHARED)
_OF_PARTS = ("as_list", "as_access_list", *_SHARED)
_OF_SPEC = ("compact", "model", "outline", "typed", "numbers", "client", "resource_name", *_SHARED)
NO_DDL = "The schema cannot be changed over the API. Use migrations."


class Meta(Feature):
    """Handle requests that concern neither records nor scripts."""

    def __init__(self, app: App) -> None:
        settings, served, state, project = app.settings, app.served, app.state, app.project
        self._has_docs = app.pages.has_docs
        self._settings, self._served, self._state = settings, served, state
        self._authentication, self._project = app.authentication, project
        self._docs = DocsPage(project.look)
        self._descriptions = Descriptions(
            state.scripts,
            served.project,
            project.title(settings),
            settings.run_dir / "described",
            keyed=served.project is not None or not served.open or bool(served.key),
            rights=lambda: state.rights_mark,
        )
        # A project has scripts instead of routines, unless PUBLIC_ROUTINES lists some, and /_spec describes the tables
        # that the caller may use.
        self._serves_routines = served.project is None or bool(settings.public_routines)
        self._serves_schema = served.project is None

    # -- /api/v2/<name> ------------------------------------------------------------------------------------------------

    async def services(self, request: HttpRequest, parts: list[str]) -> Response:
        """List the databases."""
        request.actor = await self._authentication.actor(request)
        query = options.parse_query(request.query_string)
        self._check(request, query, _OF_PARTS, "The list of databases")
        if option_values.boolean("as_list", query.get("as_list", "")):
            return Response(dumps({"resource": list(self._state.datasets)}))
        services = [{"name": name, "type": "postgresql"} for name in self._state.datasets]
        return Response(dumps({"resource": services}))

    async def system(self, request: HttpRequest, parts: list[str]) -> Response:
        """List the databases that the caller may use, in DreamFactory's format for services."""
        if len(parts) > 3 or parts[1:2] != ["service"]:
            raise _unknown("/".join(parts))
        request.actor = await self._authentication.actor(request)
        if not request.actor.role:
            raise Unauthorized(request.actor.key_error, reason="no_key")
        datasets = list(self._state.datasets_of(request.actor.role).values())
        listed = [
            system_services.describe(number, dataset.name)
            for number, dataset in enumerate(datasets, 1)
            if describe.allowed(dataset.schema, dataset.rights(request.actor.role))
        ]
        return system_services.respond(listed, parts[2:], options.parse_query(request.query_string))

    async def config(self, request: HttpRequest, parts: list[str]) -> Response:
        """Return the settings that the front end needs before sign-in.

        The app key is public, because it ships with the app.
        """
        if len(parts) > 1:
            raise NotFound(f"Unknown path '{request.path[:200]}'.")
        settings = self._settings
        config = {
            "appkey": settings.app_keys[0] if settings.app_keys and self._served.project else "",
            "dataset": settings.dataset,
            "datasets": list(self._state.datasets),
            "publicurl": settings.public_url,
            "docsurl": f"{request.root_path}{DOCS}/" if self._has_docs else "",
            **self._project.config(settings),
        }
        return Response(dumps(config))

    async def spec(self, request: HttpRequest, parts: list[str]) -> Response:
        """Return the OpenAPI description of all databases and scripts, for an account's key that of its calls."""
        if len(parts) > 1:
            raise NotFound(f"Unknown path '{request.path[:200]}'.")
        request.actor = await self._authentication.actor(request, account_keys=True)
        self._check(request, request.query, _OF_SPEC, "The description of the API")
        return await self._described(request, self._state.datasets_of(request.actor.role).values(), scripts=True)

    async def docs(self, request: HttpRequest, parts: list[str]) -> Response:
        """Return a file of the page that displays the description."""
        return self._docs.respond("/".join(parts[1:]), request.root_path, request.headers)

    async def _described(self, request: HttpRequest, datasets: Iterable[Dataset], *, scripts: bool) -> Response:
        if not request.actor.role:
            raise Unauthorized(request.actor.key_error, reason="no_key")
        client = clients.checked(request.query["client"]) if request.query.get("client") else None
        kind = _kind_of(request.query, typed=client is not None)
        root = request.root_path or "/"
        packed = await self._descriptions.of(request.actor, datasets, root, scripts=scripts, kind=kind)
        if client is not None:
            numbers = "text" if kind is TextNumbers else None
            text = await asyncio.to_thread(lambda: clients.write(client, unpacked(packed), numbers=numbers))
            return Response(text, content_type="text/plain; charset=utf-8")
        if compression.weights(request.headers.get("accept-encoding", "")).get("gzip", 0.0) > 0:
            return Response(packed, headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
        return Response(await asyncio.to_thread(unpacked, packed), headers={"Vary": "Accept-Encoding"})

    # -- /api/v2/<dataset>/<name> --------------------------------------------------------------------------------------

    async def parts(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Response:
        """List the resources of a database or, with `as_access_list`, the caller's access to them."""
        _only_get(request)
        self._check(request, query, _OF_PARTS, "The list of resources")
        if option_values.boolean("as_access_list", query.get("as_access_list", "")):
            return describe.access_list(dataset, rights)
        names = ["_table", *["_schema"] * self._serves_schema, *["_proc", "_func"] * self._serves_routines]
        if option_values.boolean("as_list", query.get("as_list", "")):
            return Response(dumps({"resource": names}))
        return Response(dumps({"resource": [{"name": name} for name in names]}))

    async def tables(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Response:
        """List the tables of a database."""
        if request.method in ("POST", "PUT", "PATCH", "DELETE"):
            new = " Tables cannot be created over the API." if request.method == "POST" else ""
            raise BadRequest(f"Name a table: /_table/<table>.{new}", reason="no_table")
        _only_get(request)
        self._check(request, query, _OF_LISTS, "The list of tables")
        return await describe.tables(dataset, rights, query)

    async def dataset_spec(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Response:
        """Return the OpenAPI description of one database."""
        if len(parts) > 1:
            raise _unknown(parts[0])
        _only_get(request)
        self._check(request, query, _OF_SPEC, "The description of the API")
        short = [name for name in ("compact", "model", "outline") if option_values.boolean(name, query.get(name, ""))]
        if not short:
            return await self._described(request, [dataset], scripts=False)
        if not request.actor.role:
            raise Unauthorized(request.actor.key_error, reason="no_key")
        table = await dataset.table(query["resource_name"], rights) if query.get("resource_name") else None
        if "outline" in short:
            described = (
                outline.table_outline(dataset, rights, table) if table else await outline.outline(dataset, rights)
            )
            return Response(dumps(described))
        build = compact.model if "model" in short else compact.compact
        return Response(dumps(build(dataset, rights, table)))

    async def routine(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Response:
        """List the procedures or functions of a database, or call one."""
        if not self._serves_routines:
            raise _unknown(parts[0])
        explain.reject_question(request.headers.get("prefer", ""))
        limit = self._settings.body_bytes
        run = partial(routines.respond, request, dataset, request.actor, parts, query, limit, strict=self._state.strict)
        key = request.headers.get("idempotency-key")
        undone = routines.is_dry_run(query, request.headers.get("prefer", ""))
        if request.method != "POST" or len(parts) == 1 or key is None or undone:
            return await run()
        sent = dumps(sorted(query.items())) + await request.peek_body(limit)
        route = f"POST {dataset.name}/{'/'.join(parts)}"
        return await self._state.idempotency.again(key, request.actor, route, sent, run)

    async def schema(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Response:
        """Describe the tables, one table, or one of its fields or relations."""
        if not self._serves_schema:
            raise _unknown(parts[0])
        _only_get(request, NO_DDL)
        self._check(request, query, _OF_LISTS, "The schema")
        if len(parts) == 1:
            return await describe.tables(dataset, rights, query)
        table = await dataset.table(parts[1], rights)
        right = rights.right(table, "GET") or plan.right_of(table, rights, "POST")
        description = describe.describe(dataset.schema, table, right, rights)
        if len(parts) == 2:
            return Response(dumps(description))
        kind = {"_field": "field", "_related": "related"}.get(parts[2])
        if kind is None or len(parts) > 4:
            raise _unknown(parts[2])
        if len(parts) == 3:
            return Response(dumps({"resource": description[kind]}))
        for member in description[kind]:
            if member["name"].lower() == parts[3].lower():
                return Response(dumps(member))
        raise NotFound(f"Table '{table.name}' has no {kind} '{parts[3][:100]}'.", reason="unknown_resource")

    def _check(self, request: HttpRequest, query: Mapping[str, str], known: Sequence[str], subject: str) -> None:
        """Reject options without effect under strict handling. Raises BadRequest."""
        strict = self._state.strict
        if "prefer" in request.headers:
            _, strict = preferences.checked(request.headers, {}, ("handling",), strict=strict)
        if strict:
            options.reject_unknown(query, known, subject)

    routes = (
        Route(GET, "/api/v2/", services, "reference/wire.md"),
        Route(GET, "/api/v2/config", config, "reference/calls.md"),
        Route(GET, "/api/v2/docs", docs, "reference/wire.md"),
        Route(GET, "/api/v2/docs/{file...}", docs, "reference/wire.md"),
        Route(GET, "/api/v2/_spec", spec, "reference/wire.md"),
        Route(GET, "/api/v2/system/service", system, "reference/wire.md"),
        Route(GET, "/api/v2/system/service/{service}", system, "reference/wire.md"),
        Route(GET, "/api/v2/{dataset}/", parts, "reference/wire.md"),
        Route(GET, "/api/v2/{dataset}/_spec", dataset_spec, "reference/wire.md"),
        Route(GET, "/api/v2/{dataset}/_schema", schema, "reference/wire.md"),
        Route(GET, "/api/v2/{dataset}/_schema/{table}", schema, "reference/wire.md"),
        Route(GET, "/api/v2/{dataset}/_schema/{table}/_field", schema, "reference/wire.md"),
        Route(GET, "/api/v2/{dataset}/_schema/{table}/_field/{field}", schema, "reference/wire.md"),
        Route(GET, "/api/v2/{dataset}/_schema/{table}/_related", schema, "reference/wire.md"),
        Route(GET, "/api/v2/{dataset}/_schema/{table}/_related/{relation}", schema, "reference/wire.md"),
        Route(CALL, "/api/v2/{dataset}/_proc", routine, "reference/wire.md"),
        Route(CALL, "/api/v2/{dataset}/_proc/{routine}", routine, "reference/wire.md"),
        Route(CALL, "/api/v2/{dataset}/_func", routine, "reference/wire.md"),
        Route(CALL, "/api/v2/{dataset}/_func/{routine}", routine, "reference/wire.md"),
        Route(GET, "/api/v2/{dataset}/_table", tables, "reference/wire.md"),
    )


def _only_get(request: HttpRequest, message: str = "Only GET is supported here.") -> None:
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowed(message, headers={"Allow": "GET"})


def _kind_of(query: Mapping[str, str], *, typed: bool) -> type[TableDescription]:
    """Return the kind of description selected by `typed` and `numbers`. Raises BadRequest."""
    parsed = options.options({"numbers": query["numbers"]} if "numbers" in query else {})
    if not typed and not option_values.boolean("typed", query.get("typed", "")):
        return TableDescription
    return TextNumbers if parsed.exact_texts else TypedDescription


def _unknown(name: str) -> NotFound:
    return NotFound(f"There is no '{name[:100]}' here.", reason="unknown_resource")
