"""Connections of a node: at most DATABASE_CONNECTIONS, few when idle, enough for each database."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
import httpx2 as httpx
import pytest

from tests.helpers.support import NewDatabase, Serve, tableapi, until

DATASETS, WORKERS, MOST = 7, 2, 46
SLEEPY = """
create table item (id serial primary key, v text);
insert into item (v) select 'v' || n from generate_series(1, 20) n;
create function slow(integer) returns boolean language plpgsql volatile as
    'begin perform pg_sleep(0.02); return true; end';
create view slowly as select id, v from item where slow(id) limit 3;
"""


@pytest.fixture(scope="module")
def urls(module_database: NewDatabase) -> list[str]:
    return [module_database(SLEEPY) for _ in range(DATASETS)]


async def count(admin: asyncpg.Connection, urls: list[str]) -> int:
    """Return the number of connections of the server to these databases."""
    sql = "select count(*) from pg_stat_activity where datname = any($1) and application_name = 'tableapi'"
    return int(await admin.fetchval(sql, [url.rpartition("/")[2] for url in urls]))


async def settled(admin: asyncpg.Connection, maximum: int, urls: list[str]) -> int:
    """Wait up to 30 s until there are at most `maximum` connections, and return their number."""

    async def few() -> bool:
        return await count(admin, urls) <= maximum

    await until(few)
    return await count(admin, urls)


async def test_seven_databases_share_the_connections_of_a_node(
    pg_url: str, urls: list[str], serve: Serve, tmp_path: Path
) -> None:
    words = [word for n, url in enumerate(urls) for word in ("--dataset", f"d{n}={url}")]
    environment = {"WORKERS": WORKERS, "DATABASE_CONNECTIONS": MOST, "DATABASE_IDLE_SECONDS": 1}
    server = serve(*words, "--open", cwd=tmp_path, **{k: str(v) for k, v in environment.items()})
    admin = await asyncpg.connect(pg_url)
    try:
        at_rest = 2 * DATASETS * WORKERS
        assert await settled(admin, at_rest, urls) <= at_rest
        seen = 0

        async def watch() -> None:
            nonlocal seen
            while True:
                seen = max(seen, await count(admin, urls))
                await asyncio.sleep(0.01)

        async with httpx.AsyncClient(base_url=f"{server.url}/api/v2", timeout=60) as client:

            async def ask(number: int) -> int:
                name = f"d{number % DATASETS}"
                if number % 3:
                    return (await client.get(f"/{name}/_table/slowly")).status_code
                body = {"resource": [{"v": "new"}]}
                return (await client.post(f"/{name}/_table/item", json=body)).status_code

            for size in (1, 60, 200):
                watching = asyncio.create_task(watch())
                statuses = await asyncio.gather(*(ask(n) for n in range(size * 2)))
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)
                assert set(statuses) == {200}
            assert at_rest < seen <= MOST, "busy databases use more, and never more than allowed"
            assert await settled(admin, at_rest, urls) <= at_rest

            requests = [client.get("/d0/_table/slowly") for _ in range(60)]
            assert {response.status_code for response in await asyncio.gather(*requests)} == {200}
            assert {(await client.get(f"/d{n}/_table/slowly")).status_code for n in range(DATASETS)} == {200}
    finally:
        await admin.close()


def test_too_few_connections_prevent_the_start_with_a_one_line_error(urls: list[str], tmp_path: Path) -> None:
    words = [word for n, url in enumerate(urls) for word in ("--dataset", f"d{n}={url}")]
    environment = {"WORKERS": "2", "DATABASE_CONNECTIONS": "41", "DATA_DIR": str(tmp_path / "data")}
    result = tableapi("serve", *words, "--open", cwd=tmp_path, **environment)
    assert result.returncode == 2
    assert "DATABASE_CONNECTIONS is 41" in result.stderr
    assert "at least 42" in result.stderr
    assert result.stderr.count("\n") == 1


async def test_a_project_respects_database_connections(
    pg_url: str, project: Path, serve: Serve, module_database: NewDatabase
) -> None:
    url = await asyncio.to_thread(module_database)
    environment = {"WORKERS": "2", "DATABASE_CONNECTIONS": "10", "DATABASE_IDLE_SECONDS": "1", "WORKER": "off"}
    server = serve(cwd=project, DATABASE_URL=url, APP_KEYS="k", **environment)
    admin = await asyncpg.connect(pg_url)
    try:
        async with httpx.AsyncClient(base_url=server.url, headers={"X-API-Key": "k"}, timeout=60) as client:
            asked = [client.get("/api/v2/data/_table/note") for _ in range(100)]
            statuses = [response.status_code for response in await asyncio.gather(*asked)]
        assert set(statuses) <= {200, 429}
        assert await count(admin, [url]) <= 10
        assert await settled(admin, 8, [url]) <= 8
    finally:
        await admin.close()
