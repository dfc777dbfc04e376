"""Requests to databases of the tests: the wire cases, random reads and writes, a foreign schema, MCP, a stream."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import asyncpg
import httpx2

from tableapi.app.application import App
from tableapi.app.features import application
from tableapi.app.options import ServeOptions
from tableapi.auth.access_file import AccessFile
from tableapi.config.settings import Settings
from tests.foreign import database as foreign
from tests.helpers.table_api import CASES, FIXTURE, FULL_KEY, access_file, key_of
from tests.system.differential.generate import Generator
from tests.system.differential.models import MODELS, Source
from tests.system.replay.recording import Exchange, exchange

READS, SELECTIONS = 350, 40  # per model
Database = Callable[[str], Awaitable[str]]
MESSAGE = {"Accept": "application/json, text/event-stream"}
FOREIGN = """
    select case when n.nspname = 'public' then c.relname else n.nspname || '.' || c.relname end as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'other', 'Odd.Schema') and c.relkind in ('r', 'p', 'v', 'm') order by 1
"""


@asynccontextmanager
async def served(urls: dict[str, str], folder: Path, access: dict[str, Any] | None = None) -> AsyncIterator[App]:
    """Serve databases as `tableapi serve --dataset` does, in this process."""
    file = None
    if access is not None:
        path = folder / "access.json"
        path.write_text(json.dumps(access))
        file = AccessFile.load(path)
    app = application(Settings(data_dir=folder, strict_options=False), ServeOptions(urls=urls, access=file))
    await app.life.start()
    try:
        yield app
    finally:
        await app.life.stop()


def client(app: App, **headers: str) -> httpx2.AsyncClient:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    transport = httpx2.ASGITransport(app, client=("127.0.0.1", 1))
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=named, timeout=60)


async def cases(new: Database, folder: Path) -> AsyncIterator[Exchange]:
    """Yield the wire cases, each on a fresh fixture where the one before it wrote."""
    url = await new("cases")
    db = await asyncpg.connect(url)
    await db.execute(FIXTURE)
    async with served({"cases": url}, folder, access_file()) as app, client(app) as http:
        dirty = False
        for case in CASES:
            if dirty:
                await db.execute(FIXTURE)
            dirty = bool(case.get("mutates"))
            asked = [(case["request"], key_of(case.get("context")))]
            asked += [(more["request"], FULL_KEY) for more in case.get("after", [])]
            for number, (request, key) in enumerate(asked):
                body = request.get("body")
                headers = {
                    "X-DreamFactory-API-Key": key,
                    "Accept": "application/json",
                    **(request.get("headers") or {}),
                }
                if body is not None and not isinstance(body, str):
                    body = json.dumps(body)
                    headers.setdefault("Content-Type", "application/json")
                response = await http.request(
                    request["method"], f"/api/v2/cases/{request['path']}", params=request.get("query"), headers=headers,
                    content=body.encode() if body is not None else None,
                )  # fmt: skip
                yield exchange(f"case {case['id']} {number}", response)
    await db.close()


async def random_requests(new: Database, folder: Path) -> AsyncIterator[Exchange]:
    """Yield random reads of four schemas, writes of every verb as dry runs, and the same through MCP."""
    urls = {}
    for name, model in MODELS.items():
        urls[name] = await new(name)
        db = await asyncpg.connect(urls[name])
        await db.execute(model.sql)
        await db.close()
    async with served(urls, folder) as app, client(app) as http:
        for name, model in MODELS.items():
            generator = Generator(model, random.Random(f"replay {name}"))
            for number in range(READS):
                read = generator.read()
                response = await http.get(f"/api/v2/{name}/_table/{read.table}", params=read.options)
                yield exchange(f"read {name} {number} {read.table}", response)
            for number in range(SELECTIONS):
                selection = generator.selection()
                source = model.tables[selection.table]
                async for one in _writes(http, name, number, selection.table, selection.filter, source):
                    yield one
            for path in ("_table", "_schema", *(f"_schema/{table}" for table in model.tables)):
                yield exchange(f"describe {name} {path}", await http.get(f"/api/v2/{name}/{path}"))


async def _writes(
    http: httpx2.AsyncClient, name: str, number: int, table: str, text: str, source: Source
) -> AsyncIterator[Exchange]:
    path, change, key = f"/api/v2/{name}/_table/{table}", source.change, ",".join(source.identity)
    label = f"{name} {number} {table}"

    async def asked(verb: str, way: str, to: str, body: Any = None, /, **options: str) -> Exchange:
        response = await http.request(verb, to, params={"dry_run": "true", **options}, json=body)
        return exchange(f"{verb} {label} {way}", response)

    for verb in ("PATCH", "PUT", "DELETE") if change else ("DELETE",):
        body = None if verb == "DELETE" else {"resource": [change]}
        yield await asked(verb, "filter", path, body, filter=text, fields="*")
    rows = (await http.get(path, params={"filter": text, "fields": "*", "limit": "2", "order": key})).json()["resource"]
    idents = [",".join(str(row[column]) for column in source.identity) for row in rows]
    keyed = [{column: row[column] for column in source.identity} | change for row in rows]
    for options in ({}, {"continue": "true"}, {"rollback": "true"}, {"return": "minimal"}):
        word = "".join(options) or "plain"
        if rows:
            yield await asked("POST", f"taken {word}", path, {"resource": rows}, **options)
            yield await asked("POST", f"upsert {word}", path, {"resource": rows}, upsert="true", **options)
        if keyed and change:
            yield await asked("PATCH", f"list {word}", path, {"resource": keyed}, **options)
            yield await asked("PUT", f"list {word}", path, {"resource": keyed}, **options)
        yield await asked("DELETE", f"ids {word}", path, None, ids=",".join([*idents, "999999"]), **options)
    for ident in idents[:1]:
        one = f"{path}/{quote(ident, safe=',')}"
        yield await asked("PATCH", "path", one, change)
        yield await asked("PATCH", "unknown field", one, {"nothing": 1})
        yield await asked("DELETE", "path", one, None, fields="*")
    for tool, arguments in (
        ("query", {"fields": [*source.identity], "limit": 5}),
        ("update_records", {"change": change, "dry_run": True, "max_affected": 50}),
        ("delete_records", {"dry_run": True, "max_affected": 50}),
    ):
        named = {"name": tool, "arguments": {"database": name, "table": table, "filter": text, **arguments}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": named}
        yield exchange(f"tool {tool} {label}", await http.post("/mcp", json=message, headers=MESSAGE))


async def foreign_tables(new: Database, folder: Path) -> AsyncIterator[Exchange]:
    """Yield reads and descriptions of every table of a schema with every type and name."""
    url = await new("foreign")
    owner = await asyncpg.connect(url)
    await foreign.build(owner)
    names = [row["name"] for row in await owner.fetch(FOREIGN)]
    await owner.close()
    async with served({"x": url}, folder) as app, client(app) as http:
        for name in names:
            path = f"/api/v2/x/_table/{quote(name, safe='')}"
            yield exchange(f"foreign list {name}", await http.get(path, params={"limit": "3"}))
            yield exchange(
                f"foreign bad {name}", await http.post(path, params={"dry_run": "true"}, json={"resource": [{}]})
            )
            yield exchange(f"foreign schema {name}", await http.get(f"/api/v2/x/_schema/{quote(name, safe='')}"))
