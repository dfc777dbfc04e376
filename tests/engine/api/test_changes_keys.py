"""Streams name rows by keys of every kind as reads do, whatever the session of the writer has set."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import httpx2 as httpx
import pytest

from tableapi import Settings, TableAPI
from tableapi.changes import triggers
from tests.helpers.changes import EventStream
from tests.helpers.support import NewDatabase

WRITER = {"timezone": "Asia/Tokyo", "datestyle": "German", "intervalstyle": "iso_8601", "bytea_output": "escape"}
KEYS = {
    "timestamptz": "2024-05-01 10:00:00.5+02", "timestamp": "2024-05-01 10:00", "date": "2024-05-01",
    "money": "1234.50", "interval": "1 day 02:00", "daterange": "[2024-02-01,2024-03-01)",
    "tstzrange": "[2024-02-01 00:00+02,2024-03-01 00:00+02)", "numeric": "1.50", "bigint": "9223372036854775807",
    "uuid": "0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e", "text": 'a"b', "inet": "10.0.0.1", "timetz": "10:00+02",
    "float8": "1e-7",
}  # fmt: skip
UNNAMED = {"integer[]": "{1,2}", "pair": "(1,2)"}
TABLES = {name: f"key{number}" for number, name in enumerate((*KEYS, *UNNAMED))}


@dataclass
class Followed:
    """A served database with followed tables, and a writer with session settings of its own."""

    api: TableAPI
    writer: asyncpg.Connection
    http: httpx.AsyncClient

    def stream(self, name: str) -> EventStream:
        return EventStream(self.api, f"/api/v2/x/_table/{TABLES[name]}/_changes", {}, {})

    async def write(self, sql: str) -> None:
        await self.writer.execute(sql)


@pytest.fixture(scope="module")
async def followed(module_database: NewDatabase) -> AsyncIterator[Followed]:
    tables = (f"create table {table} (k {name} primary key, v integer);" for name, table in TABLES.items())
    url = await asyncio.to_thread(module_database, "create type pair as (a integer, b integer);" + "".join(tables))
    writer = await asyncpg.connect(url, server_settings=WRITER)
    await triggers.install(writer, dict.fromkeys(TABLES.values(), ()), lambda line: None)
    api = TableAPI({"x": url}, open=True, settings=Settings(changes_poll_seconds=0.01))
    await api.start()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://test/api/v2/x/_table") as http:
        yield Followed(api, writer, http)
    await api.stop()
    await writer.close()


@pytest.mark.parametrize("name", KEYS)
async def test_a_deleted_row_is_identified_by_the_key_of_its_read(followed: Followed, name: str) -> None:
    async with followed.stream(name) as stream:
        assert await stream.next() == ("reset", {})
        await followed.write(f"insert into {TABLES[name]} values ('{KEYS[name]}', 1)")
        row = (await followed.http.get(f"/{TABLES[name]}")).json()["resource"][0]
        assert await stream.next() == ("row", row)
        await followed.write(f"delete from {TABLES[name]}")
        assert await stream.next() == ("gone", {"k": row["k"]})


@pytest.mark.parametrize("name", UNNAMED)
async def test_an_unusable_key_resets_only_its_own_stream(followed: Followed, name: str) -> None:
    async with followed.stream("text") as other, followed.stream(name) as stream:
        assert await stream.next() == await other.next() == ("reset", {})
        await followed.write(f"insert into {TABLES[name]} values ('{UNNAMED[name]}', 1)")
        assert await stream.next() == ("reset", {})
        await followed.write(f"insert into {TABLES['text']} values ('still {name}', 1)")
        assert await other.next() == ("row", {"k": f"still {name}", "v": 1})
