"""Behind pgbouncer in transaction mode, with the URL of docs/reference/settings.md, everything works as without it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import asyncpg
import httpx2 as httpx
import pytest

from tableapi.db.database import Db
from tests.helpers.pooler import Pooler, pooler
from tests.helpers.support import NewDatabase, Serve, until

SQL = """
create table visit (id serial primary key, place text not null, at timestamptz, pause interval, raw bytea, day date);
insert into visit (place, at, pause, raw, day)
values ('Oslo', '2024-05-01 12:00+02', '1 day 2 hours', '\\x00ff', '2024-05-01'), ('Cork', null, null, null, null);
"""
ROW = {"id": 1, "place": "Oslo", "at": "2024-05-01 10:00:00+00", "pause": "1 day 02:00:00", "raw": "AP8=",
       "day": "2024-05-01"}  # fmt: skip


@pytest.fixture(scope="module")
def behind(module_database: NewDatabase) -> Iterator[Pooler]:
    with pooler(module_database(SQL)) as peer:
        yield peer


@pytest.fixture(scope="module", params=["?statement_cache_size=0", "?application_name=a&statement_cache_size=0"])
def http(behind: Pooler, module_serve: Serve, request: Any) -> Iterator[httpx.Client]:
    server = module_serve("--dataset", f"x={behind.url}{request.param}", "--open")
    with httpx.Client(base_url=f"{server.url}/api/v2/x/_table", timeout=30) as client:
        yield client


def test_reads_pass_the_pooler(http: httpx.Client, behind: Pooler) -> None:
    for _ in range(3):
        assert http.get("/visit/1").json() == ROW
        assert http.get("/visit", params={"order": "id desc"}).json()["resource"][1] == ROW
    assert http.get("/visit", params={"ids": "2,1", "fields": "id"}).json() == {"resource": [{"id": 2}, {"id": 1}]}
    assert http.get("/visit/1", params={"timezone": "Europe/Oslo"}).json()["at"] == "2024-05-01 12:00:00+02"
    lines = http.get("/visit", headers={"Accept": "application/x-ndjson"}).text
    assert len(lines.splitlines()) == 2
    assert behind.refused == []


def test_writes_pass_the_pooler(http: httpx.Client, behind: Pooler) -> None:
    for number in range(3):
        changed = http.patch("/visit/2", params={"fields": "place"}, json={"place": f"Cork {number}"})
        assert changed.json()["place"] == f"Cork {number}"
    tried = http.post("/visit", params={"dry_run": "true", "fields": "place"}, json=[{"place": "a"}, {"place": "b"}])
    assert tried.json() == {"resource": [{"place": "a"}, {"place": "b"}]}
    kind, options = {"Content-Type": "text/csv"}, {"import": "true", "dry_run": "true"}
    assert http.post("/visit", params=options, content="place\nRome\nBern\n", headers=kind).json()["created"] == 2
    assert behind.refused == []


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    return new_database()


async def test_notifications_bypass_the_pooler(url: str) -> None:
    """A pooler in transaction mode loses LISTEN, so it is sent to the direct address."""
    heard: list[str] = []
    db = Db("postgresql://postgres@127.0.0.1:1/none?statement_cache_size=0", direct=url)
    db.listen("a_channel", heard.append)
    speaker = await asyncpg.connect(url)
    try:

        async def arrived() -> bool:
            await speaker.execute("notify a_channel, 'gone'")
            return "gone" in heard

        await until(arrived)
    finally:
        await speaker.close()
        await db.close()
