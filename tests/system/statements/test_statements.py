"""Spoil each statement of each write in turn: a write is kept completely or not at all, and the books stay correct.

A statement raises an error, is never answered, or loses its connection. After it, the same request works again.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, get_args
from urllib.parse import urlsplit

import asyncpg
import httpx2
import pytest

from tableapi import Settings, TableAPI
from tableapi.app.application import App
from tableapi.datasets import dataset
from tableapi.db import pool
from tableapi.db.pipeline import internals
from tests.helpers.fixtures import open_product
from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.support import NewDatabase, until
from tests.system.statements.proxy import Fault, StatementProxy

pytestmark = pytest.mark.slow
FAULTS = get_args(Fault)
HANG_SECONDS = 0.4  # the time limit of a request while its statement hangs
# Written outside the transaction of a request, before it or after its failure.
APART = {"usersession", "auditlog", "searchuse", "searchseen", "pgqueuer_log", "pgqueuer_statistics"}
# These pay for one person after the other, each in a separate transaction: a repeat pays for the rest.
BY_PERSON = {"revealmany", "enrich"}
Send = Callable[[], Awaitable[httpx2.Response]]
Changes = dict[str, tuple[int, int]]


class Watch:
    """The changes made by requests to a database's tables."""

    def __init__(self, connection: asyncpg.Connection, tables: list[str]) -> None:
        self._connection, self._tables = connection, tables

    @classmethod
    async def open(cls, url: str) -> Watch:
        connection = await asyncpg.connect(url)
        rows = await connection.fetch("select tablename from pg_tables where schemaname = 'public'")
        return cls(connection, sorted({row["tablename"] for row in rows} - APART))

    async def close(self) -> None:
        await self._connection.close()

    async def execute(self, sql: str) -> None:
        await self._connection.execute(sql)

    async def begin(self) -> tuple[int, dict[str, int]]:
        """Return the current state: the next transaction, and the number of rows of each table."""
        xid = await self._connection.fetchval("select pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        counted = await self._rows("count(*)")
        return xid, {table: count for table, count, _ in counted}

    async def since(self, present: tuple[int, dict[str, int]]) -> Changes:
        """Return the rows written since `present`, and the increase in rows, by table."""
        xid, before = present
        # A parameter, because PostgreSQL would plan a text with another number again.
        rows = await self._rows("count(*) filter (where xmin::text::bigint >= $1)", xid)
        changes = {table: (written, count - before[table]) for table, count, written in rows}
        return {table: change for table, change in changes.items() if change != (0, 0)}

    async def _rows(self, counted: str, *args: int) -> list[tuple[str, int, int]]:
        parts = (f"select '{table}', count(*), {counted} from \"{table}\"" for table in self._tables)
        return [tuple(row) for row in await self._connection.fetch(" union all ".join(parts), *args)]


async def _fine() -> bool:
    return True


async def _respond(send: Send) -> int:
    """Return the status of a response."""
    return (await send()).status_code


async def _spoil(
    app: App,
    proxy: StatementProxy,
    watch: Watch,
    arrange: Callable[[], Awaitable[Send]],
    books: Callable[[], Awaitable[bool]] = _fine,
    *,
    in_parts: bool = False,
) -> int:
    """Run a write with each of its statements spoilt in each way, and return the number of statements."""
    for _ in range(2):  # the first run compiles the plans and opens the connections
        send = await arrange()
        present = await watch.begin()
        proxy.arm()
        status = await _respond(send)
        statements = proxy.disarm()
        assert status < 300
        whole = await watch.since(present)
        assert whole
    for fault in FAULTS:
        for number in range(1, statements + 1):
            send = await arrange()
            present = await watch.begin()
            proxy.arm(number, fault)
            with pytest.MonkeyPatch.context() as patch:
                if fault == "hangs":
                    patch.setattr(app.admission, "_seconds", HANG_SECONDS)
                status = await _respond(send)
            proxy.disarm()
            changes = await watch.since(present)
            told = f"statement {number} of {statements} {fault}: {status}"
            assert in_parts or changes in ({}, whole), told
            assert changes.keys() <= whole.keys(), told
            assert "reveal" not in whole or changes.get("reveal") == changes.get("creditledger"), told
            assert status < 300 or status >= 400, told
            assert status >= 400 or changes == whole, f"{told}: acknowledged, and lost"
            assert await books(), told
            again = await arrange()
            assert await _respond(again) < 300, f"after {told}"
    return statements


# -- the table API ---------------------------------------------------------------------------------------------------

TABLES = """
create table customer (id serial primary key, name text not null, city text);
create table invoice (id serial primary key, customer_id integer not null references customer on delete cascade,
    total numeric not null);
create table line (id serial primary key, invoice_id integer not null references invoice on delete cascade, text text);
insert into customer (id, name, city) select n, 'c' || n, 'here' from generate_series(1000, 1009) n;
insert into invoice (id, customer_id, total) select n, n, 1 from generate_series(1000, 1009) n;
"""
RECORDS = [{"name": "a"}, {"name": "b"}, {"name": "c"}]
NESTED = {"name": "n", "invoice_by_customer_id": [{"total": 1, "line_by_invoice_id": [{"text": "x"}, {"text": "y"}]}]}
BATCH = {
    "requests": [
        {"id": "one", "method": "POST", "path": "_table/customer", "body": {"resource": [{"name": "b"}]}},
        {"method": "POST", "path": "_table/invoice",
         "body": {"resource": [{"customer_id": {"$ref": "one.resource.0.id"}, "total": 2}]}},
        {"method": "PATCH", "path": "_table/customer/1000", "body": {"city": "there"}},
    ]
}  # fmt: skip
WRITES: dict[str, tuple[str, str, Any]] = {
    "create one": ("POST", "_table/customer", {"resource": [RECORDS[0]]}),
    "create many": ("POST", "_table/customer", {"resource": RECORDS}),
    "create related": ("POST", "_table/customer", {"resource": [NESTED]}),
    "change one": ("PATCH", "_table/customer/1000", {"city": "there"}),
    "change a list": ("PATCH", "_table/customer", {"resource": [{"id": n, "city": "x"} for n in (1000, 1001, 1002)]}),
    "change by filter": ("PATCH", "_table/customer?filter=id >= 1000", {"resource": [{"city": "there"}]}),
    "change related": ("PATCH", "_table/customer/1001", {"city": "x", "invoice_by_customer_id": [{"total": 5}]}),
    "replace": ("PUT", "_table/customer/1002", {"name": "new"}),
    "upsert": ("POST", "_table/customer?upsert=true", {"resource": [{"id": n, "name": "u"} for n in (1003, 1004)]}),
    "batch": ("POST", "_batch", BATCH),
}  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    """Shorten the times after which a silent server counts as lost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(internals, "CANCEL_SECONDS", HANG_SECONDS / 2)
        patch.setattr(pool, "CHECK_SECONDS", HANG_SECONDS / 2)
        patch.setattr(pool, "SILENT_SECONDS", 0.0)
        yield


@pytest.fixture
async def proxy(pg_url: str) -> AsyncIterator[StatementProxy]:
    proxy = StatementProxy(urlsplit(pg_url).port or 5432)
    await proxy.start()
    yield proxy
    await proxy.stop()


@pytest.fixture(scope="module")
def shop_url(module_database: NewDatabase) -> str:
    return module_database(TABLES)


@asynccontextmanager
async def _shop(proxy: StatementProxy, url: str) -> AsyncIterator[tuple[App, httpx2.AsyncClient, Watch]]:
    """Serve the database through the proxy."""
    api = TableAPI({"shop": proxy.url(url)}, open=True, settings=Settings(database_connections=8, statement_seconds=1))
    app, watch = await api.start(), await Watch.open(url)
    try:
        transport = httpx2.ASGITransport(app=api)
        async with httpx2.AsyncClient(transport=transport, base_url="http://host/api/v2/shop/") as http:
            yield app, http, watch
    finally:
        await watch.close()
        await api.stop()


@pytest.mark.parametrize("name", WRITES)
async def test_a_failed_statement_leaves_a_write_undone(proxy: StatementProxy, shop_url: str, name: str) -> None:
    method, path, body = WRITES[name]
    async with _shop(proxy, shop_url) as (app, http, watch):

        async def arrange() -> Send:
            return lambda: http.request(method, path, json=body)

        assert await _spoil(app, proxy, watch, arrange) >= 1


@pytest.mark.parametrize("path", ["_table/customer/{}", "_table/customer?filter=id >= {}", "_table/customer?ids={}"])
async def test_a_failed_statement_leaves_a_deletion_undone(proxy: StatementProxy, shop_url: str, path: str) -> None:
    async with _shop(proxy, shop_url) as (app, http, watch):

        async def arrange() -> Send:
            await http.delete("_table/customer?filter=id >= 5000")
            await http.post("_table/customer", json={"resource": [{"id": 5000, "name": "d"}]})
            return lambda: http.delete(path.format(5000))

        assert await _spoil(app, proxy, watch, arrange) >= 1


async def test_a_check_of_the_schema_that_hangs_is_repeated(
    proxy: StatementProxy, shop_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset, "CHECK_SECONDS", HANG_SECONDS)
    async with _shop(proxy, shop_url) as (_, http, watch):
        proxy.arm(1, "hangs")
        await until(lambda: proxy.count)  # the checks run by themselves
        name = f"c{secrets.token_hex(4)}"
        await watch.execute(f"alter table line add {name} integer")

        async def noticed() -> bool:
            return (await http.get(f"_table/line?fields={name}")).status_code == 200

        await until(noticed)


# -- the product -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def empty_url(module_database: NewDatabase) -> str:
    return module_database()


@pytest.fixture(scope="module")
async def spoilt(
    pg_url: str, empty_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Product, StatementProxy, Watch]]:
    """Return the product behind a proxy, and a watch over its tables."""
    proxy = StatementProxy(urlsplit(pg_url).port or 5432)
    await proxy.start()
    async with open_product(proxy.url(empty_url), tmp_path_factory.mktemp("data"), statement_seconds=1) as product:
        product.app.state.limited = False
        for methods in product.scripts._scripts.values():  # without the longer time limits of some calls
            methods.update({method: replace(script, seconds=0.0) for method, script in methods.items()})
        product.app.admission.start()  # the time limit
        watch = await Watch.open(empty_url)
        try:
            yield product, proxy, watch
        finally:
            await watch.close()
            product.app.admission.stop()
    await proxy.stop()


async def _reveal(product: Product, account: Account) -> str:
    """Reveal the work addresses of a new person; return the address of the profile."""
    url = f"linkedin.com/{(await product.person()).key}"
    response = await account.owner.post("getcontact", linkedinurl=url, type="businessemail", action="reveal")
    assert response.status_code == 200
    return url


async def _getcontact(product: Product, account: Account) -> Send:
    url = f"linkedin.com/{(await product.person()).key}"
    return lambda: account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")


async def _revealmany(product: Product, account: Account) -> Send:
    urls = [f"linkedin.com/{(await product.person()).key}" for _ in range(3)]
    kinds = ["directdial", "businessemail"]
    return lambda: account.owner.post("revealmany", linkedinurls=urls, kinds=kinds, max_credits=100)


async def _enrich(product: Product, account: Account) -> Send:
    key = (await account.owner.table("POST", "apikeys", {"purpose": "x", "scopes": ["enrich"]})).json()
    people = [{"linkedinurl": f"linkedin.com/{(await product.person()).key}"} for _ in range(2)]
    client = product.caller(key=key["resource"][0]["apikey"])
    return lambda: client.post(f"{API}enrich", json={"people": people, "kinds": ["businessemail"], "max_credits": 50})


async def _keylookup(product: Product, account: Account) -> Send:
    key = (await account.owner.table("POST", "apikeys", {"purpose": "x"})).json()["resource"][0]["apikey"]
    query = {"linkedinurl": f"linkedin.com/{(await product.person()).key}", "type": "directdials", "apikey": key}
    client = product.caller(key="")
    return lambda: client.get(f"{API}keylookup", params=query)


async def _bulklookup(product: Product, account: Account) -> Send:
    urls = [f"https://www.linkedin.com/{(await product.person()).key}" for _ in range(2)]
    return lambda: account.owner.post("bulklookup", urls=urls, kinds=["directdial"], max_credits=100)


async def _vote(product: Product, account: Account) -> Send:
    vote = {"linkedin_url": await _reveal(product, account), "info": "jane.doe@acme.example", "action": "downvote",
            "type": "businessemail", "downvotereason": "others", "reasonnote": "It bounces"}  # fmt: skip
    return lambda: account.owner.table("POST", "contactfeedback", vote)


async def _note(product: Product, account: Account) -> Send:
    await _reveal(product, account)
    contact = (await account.owner.table("GET", "usercontact")).json()["resource"][0]["contactid"]
    return lambda: account.owner.post("contactmeta_addupdate", contactid=contact, tags=["a"], note="b")


async def _apikey(product: Product, account: Account) -> Send:
    return lambda: account.owner.table("POST", "apikeys", {"purpose": "x"})


async def _member(product: Product, account: Account) -> Send:
    member = {"firstname": "Mia", "lastname": "Member", "email": f"m-{secrets.token_hex(4)}@team.example"}
    return lambda: account.owner.table("POST", "appuser", member)


async def _removal(product: Product, account: Account) -> Send:
    member = await account.user()
    return lambda: account.owner.table("DELETE", f"appuser/{member.appuserid}")


async def _company(product: Product, account: Account) -> Send:
    return lambda: account.owner.table("PATCH", "client", {"clientid": account.clientid, "companyname": "New"})


async def _list(product: Product, account: Account) -> Send:
    listid = (await account.owner.table("POST", "contactlist", {"name": "Leads"})).json()["resource"][0]["listid"]
    record = {"listid": listid, "linkedinurl": f"https://linkedin.com/{(await product.person()).key}"}
    return lambda: account.owner.table("POST", "contactlistitem", record)


async def _register(product: Product, account: Account) -> Send:
    record = {"type": "register", "name": "New Person", "password": "Sesame123", "terms": True,
              "email": f"new-{secrets.token_hex(5)}@newcompany.example"}  # fmt: skip
    client = product.caller()
    return lambda: client.post(f"{TABLE}client", json={"resource": [record]})


CALLS: dict[str, Callable[[Product, Account], Awaitable[Send]]] = {
    "getcontact": _getcontact, "revealmany": _revealmany, "enrich": _enrich, "keylookup": _keylookup,
    "bulklookup": _bulklookup, "contactfeedback": _vote, "contactmeta": _note, "apikeys": _apikey,
    "appuser": _member, "appuser removed": _removal, "client": _company, "contactlistitem": _list,
    "register": _register,
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
async def test_a_failed_statement_leaves_a_call_undone(
    spoilt: tuple[Product, StatementProxy, Watch], name: str
) -> None:
    product, proxy, watch = spoilt
    accounts: list[Account] = []

    async def arrange() -> Send:
        accounts[:] = [account := await product.account()]
        return await CALLS[name](product, account)

    assert (
        await _spoil(product.app, proxy, watch, arrange, lambda: accounts[0].ledger_fits(), in_parts=name in BY_PERSON)
        >= 2
    )
