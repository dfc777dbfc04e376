"""deploy/citus.sql: each statement of a request reads the rows of one client, on one machine, or the file names it.

The statements are those that PostgreSQL receives while every role uses every table and call. The plan of each, with
parameters in place of values, has to compare the `clientid` of every distributed table with a parameter, or with that
of a table that is compared so.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import httpx2
import orjson

from tests.helpers.desk import staff, view
from tests.helpers.fixtures import open_product
from tests.helpers.product import API, Product
from tests.helpers.support import NewDatabase
from tests.product.test_citus import PLAIN, named
from tests.system.replay import product as of_product
from tests.system.statements.proxy import StatementProxy

STATEMENT = re.compile(r"\s*(with|select|insert|update|delete)\b", re.IGNORECASE)
OWN = re.compile(r"\b(?:pg_\w+|pgqueuer\w*|schemaversion|tableapi_live)\b")  # tables of PostgreSQL and of the engine
_CLIENT = r'("[^"]+"|\b\w+)\.clientid'
BOUND, JOINED = re.compile(rf"{_CLIENT} = \(?\$\d+"), re.compile(rf"{_CLIENT} = {_CLIENT}\b")
LEAST = 250  # statements


async def _day(product: Product) -> None:
    """Use the calls that change or list much; each answer is checked, so that it runs the whole of its statements."""
    account, fresh = await product.account(), await product.account()
    people = [await product.person(full_name=f"Ann Day{number}") for number in range(3)]
    urls = [f"linkedin.com/{person.key}" for person in people]
    owner, member = account.owner, await staff(product)
    key = await owner.table("POST", "apikeys", {"purpose": "x", "scopes": ["lookup", "enrich", "contacts", "usage"]})
    caller = product.caller(key=key.json()["resource"][0]["apikey"])
    made = await owner.table("POST", "contactlist", {"name": "Day"})
    listid = made.json()["resource"][0]["listid"]
    looked = await view(member, owner)
    requests: list[Callable[[], Awaitable[httpx2.Response]]] = [
        lambda: owner.post("revealmany", linkedinurls=urls[:2], kinds=["businessemail", "directdial"]),
        lambda: owner.post("getcontact", linkedinurl=urls[0], type="personalemail", action="reveal"),
        lambda: owner.post("searchname", searchtext="ann"),
        lambda: owner.post("searchpeople", name="Ann"),
        lambda: owner.post("searchurl", linkedinurl=urls[0], phone=True),
        lambda: owner.post("listimport", listid=listid, text="\n".join(urls)),
        lambda: owner.http.get(f"{API}listexport", params={"listid": listid}),
        lambda: owner.http.get(f"{API}account/credits"),
        lambda: owner.http.get(f"{API}user/session"),
        lambda: fresh.owner.post("upgradeplan", planid=1),
        lambda: owner.table("PATCH", "usercontact", {"deleted": 1}, filter="deleted = 0"),
        lambda: owner.table("GET", "usercontact", related="*", include_count="true"),
        lambda: owner.table("DELETE", f"contactlist/{listid}"),
        lambda: caller.post(f"{API}enrich", json={"people": [{"linkedinurl": urls[2]}], "kinds": ["businessemail"]}),
        lambda: caller.get(f"{API}account/contacts"),
        lambda: caller.get(f"{API}account/usage"),
        lambda: looked.get(f"{API}leads/_table/usercontact"),
        lambda: owner.http.delete(f"{API}user/session"),
    ]
    for request in requests:
        answer = await request()
        assert answer.status_code < 300, (str(answer.request.url), answer.text)


async def _recorded(url: str, folder: Path) -> set[str]:
    """Return the statements of a product on an empty database."""
    proxy, found = StatementProxy(urlsplit(url).port or 5432), set[str]()
    await proxy.start()
    try:
        async with open_product(proxy.url(url), folder) as product:
            proxy.heard = found.add
            async for _ in of_product.requests(product):
                pass
            await _day(product)
    finally:
        await proxy.stop()
    return {sql for sql in found if STATEMENT.match(sql) and not OWN.search(sql)}


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)


def _unbound(plan: dict[str, Any], placed: dict[str, str | None]) -> set[str]:
    """Return the tables that are read without a comparison of their client."""
    scans, bound, pairs = dict[str, str](), set[str](), list[tuple[str, ...]]()
    for node in _nodes(plan):
        if node["Node Type"].endswith("Scan") and placed.get(node.get("Relation Name", "")) == "clientid":
            scans[node["Alias"]] = node["Relation Name"]
        for text in (
            text for name, text in node.items() if name.endswith(("Cond", "Filter")) and isinstance(text, str)
        ):
            bound |= {alias.strip('"') for alias in BOUND.findall(text)}
            pairs += [tuple(alias.strip('"') for alias in pair) for pair in JOINED.findall(text)]
    while more := {alias for pair in pairs if bound & set(pair) for alias in pair} - bound:
        bound |= more
    return {table for alias, table in scans.items() if alias not in bound}


async def _plan(db: asyncpg.Connection, sql: str) -> dict[str, Any]:
    """Return the plan that does not depend on values."""
    await db.execute(f"prepare one as {sql}")
    try:
        count = await db.fetchval("select cardinality(parameter_types) from pg_prepared_statements where name = 'one'")
        values = f"({', '.join(['null'] * count)})" if count else ""
        text = await db.fetchval(f"explain (verbose, format json) execute one{values}")
        plan: dict[str, Any] = orjson.loads(text)[0]["Plan"]
        return plan
    finally:
        await db.execute("deallocate one")


async def test_a_statement_of_a_client_is_bound_to_it(new_database: NewDatabase, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database)
    statements = await _recorded(url, tmp_path)
    assert len(statements) > LEAST
    db = await asyncpg.connect(url, server_settings={"plan_cache_mode": "force_generic_plan"})
    try:
        await db.execute(PLAIN)  # keys and references as they are under Citus
        placed = {row[0]: row[1] for row in await db.fetch("select name::text, spread from placed")}
        free = {}
        for sql in sorted(statements):
            text = " ".join(sql.split())
            try:
                if tables := _unbound(await _plan(db, sql), placed):
                    free[text] = ", ".join(sorted(tables))
            except asyncpg.PostgresError as error:
                free[text] = str(error)
    finally:
        await db.close()
    across = named("across")
    wrong = {text: why for text, why in free.items() if not any(name in text for name in across)}
    assert not wrong, "\n\n".join(f"{why}: {text[:600]}" for text, why in wrong.items())
    unused = [name for name in across if not any(name in text for text in free)]
    assert not unused, "deploy/citus.sql names statements that are bound, or never run"
