"""Update to a newer schema under load, node by node, without a failed request."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg

from tests.helpers.balancer import balancer
from tests.helpers.customer import CONTACTS, HEADERS, REVEAL, SETTINGS, books, prepare, reveal
from tests.helpers.load import Request, load
from tests.helpers.newer_project import newer_project
from tests.helpers.support import ROOT, NewDatabase, Serve, Server, tableapi, until

PEOPLE = 50_000


def asked(number: int) -> Request:
    """Build eight requests in turn: four list reads, one write, three paid reveals."""
    if number % 8 in (1, 3, 5):
        return "POST", REVEAL, reveal(number % PEOPLE)
    if number % 8 == 7:
        return "PATCH", f"{CONTACTS}?filter=contactid%3D0", b'{"resource":[{"deleted":0}]}'
    return "GET", f"{CONTACTS}?limit=5&order=createdon%20desc&include_count=true", b""


async def test_no_request_fails_while_nodes_are_replaced_one_by_one(
    new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    url = await asyncio.to_thread(new_database)
    new = await asyncio.to_thread(newer_project, tmp_path)
    settings = SETTINGS | {"DATABASE_URL": url, "DRAIN_SECONDS": "1", "WORKER": "off"}

    async def start(folder: Path, name: str) -> Server:
        more = {"INIT": "on" if name == "old0" else "off", "DATA_DIR": str(tmp_path / name)}
        return await asyncio.to_thread(serve, cwd=folder, **settings, **more)

    async with balancer() as pool:
        running = [await start(ROOT, "old0")]
        await prepare(url, PEOPLE)
        running.append(await start(ROOT, "old1"))
        for node in running:
            await pool.join(node.port)
        async with load(lambda: pool.port, asked, headers=HEADERS, clients=4, keep=True, pause=0.03) as seen:
            await until(lambda: seen.count > 20)
            done = await asyncio.to_thread(tableapi, "init", cwd=new, **settings, DATA_DIR=tmp_path / "i")
            assert done.returncode == 0, done.stderr
            assert "_newer.sql" in done.stdout, done.stdout
            for number, before in enumerate(running):
                await pool.join((await start(new, f"new{number}")).port)
                assert await asyncio.to_thread(before.stop) in (0, 143)
                pool.nodes.remove(before.port)
            replaced = seen.count
            await until(lambda: seen.count > replaced + 20)
    assert pool.errors == []
    assert seen.count > 200
    assert not seen.wrong(200)
    charged = sum(1 for request, status, body in seen.bodies if request[1] == REVEAL and b'"charged":1' in body)
    totals = await books(url)
    assert totals["fits"]
    assert charged == totals["reveals"] == totals["booked"] == totals["spent"] > 50
    connection = await asyncpg.connect(url)
    wrong = """
        select count(*) from usercontactlink l join usercontact c using (contactid)
        where l.listedon is distinct from c.createdon or l.searchname is distinct from lower(c.name)
    """
    assert await connection.fetchval(wrong) == 0
    assert await connection.fetchval("select max(version) from schemaversion") == len(
        list((new / "migrations").glob("*.sql"))
    )
    await connection.close()
