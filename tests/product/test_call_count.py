"""Count the calls of our own code for a request, so that a new layer in every request is noticed.

On a busy machine, statements and timers take other paths.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from types import CodeType, FrameType
from typing import Any

import httpx2
import pytest

from tableapi import Access, Rule, Sessions, TableAPI
from tableapi.app.features.mcp.endpoint import Mcp
from tableapi.config.settings import Settings
from tableapi.observability import metrics
from tests.helpers.product import TABLE, Account, Product
from tests.helpers.support import ROOT, execute

OURS = (str(ROOT / "tableapi"), str(ROOT / "product"), str(ROOT / "scripts"))
# (calls, files)
MOST = {
    "read one": (67, 30), "read with relation": (79, 34), "create two": (92, 29), "update": (74, 29),
    "getcontact": (118, 28), "change through a hook": (89, 40), "tool call": (125, 53), "delete by filter": (89, 34),
    "upsert of two": (173, 42), "nested write": (179, 37), "update with all fields": (86, 35),
    "update with a computed field": (98, 34), "update with a relation": (99, 34), "filter with a relation": (126, 42),
    "create with a relation": (105, 36), "dry run": (112, 35), "batch of ten": (596, 36),
}  # fmt: skip
MCP = {"Accept": "application/json, text/event-stream"}

SCHEMA = """
create table customer (id serial primary key, name text not null);
create table invoice (id serial primary key, customerid integer not null references customer, total numeric);
create table note (id serial primary key, text text not null);
create table login (token bytea primary key, customerid integer not null);
insert into customer (name) values ('Ada');
insert into invoice (customerid, total) values (1, 12.50);
insert into login values (sha256('ada'), 1);
create function invoices_over(floor numeric) returns setof invoice stable language sql
    as 'select * from invoice where total >= floor';
"""


def own(table: Any, actor: Any) -> Any:
    """Select the rows of the caller."""
    return table.c.customerid == actor.customerid


CUSTOMER = Rule(roles=("customer",), rows=own)
CHANGE = Rule(roles=("customer",), rows=own, fields={"total"})
POLICY = {"invoice": Access(read=CUSTOMER, update=CHANGE)}
SESSIONS = Sessions(lookup="select customerid, 'customer' as role from login where token = $1", user="customerid")


async def _calls(send: Callable[[], Awaitable[Any]]) -> tuple[int, int]:
    """Count the calls of functions of ours during one request, and their files.

    A coroutine that is resumed counts once.
    """
    seen: set[int] = set()
    frames: list[FrameType] = []  # kept alive, so that no frame gets the address of another
    inner: set[CodeType] = set()

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OURS) and id(frame) not in seen:
            name = frame.f_code.co_name
            if name in ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"):
                inner.add(frame.f_code)
                return
            seen.add(id(frame))
            frames.append(frame)

    threading.setprofile(None)
    sys.setprofile(profile)
    try:
        response = await send()
    finally:
        sys.setprofile(None)
    assert response.status_code == 200, response.text
    return len(seen), len({frame.f_code.co_filename for frame in frames})


@pytest.fixture
async def agents(product: Product) -> AsyncIterator[None]:
    """Stop the session manager of MCP, which belongs to the event loop of the test."""
    yield
    await product.app.feature(Mcp).close()


@pytest.fixture
def shop_url(new_database: Callable[[], str]) -> str:
    """A database with four small tables."""
    execute(url := new_database(), SCHEMA)
    return url


async def _check(kind: str, send: Callable[[], Awaitable[Any]]) -> None:
    for _ in range(10):  # the first requests compile the plans and open the connections
        await send()
    metrics.take()
    await send()
    assert not [counter for counter in metrics.take()[1] if counter[0] == "plans"], "a plan is built again"
    most_calls, most_files = MOST[kind]
    calls, files = await _calls(send)
    for _ in range(20):  # timers run in between, more often on a busy machine
        if calls <= most_calls and files <= most_files:
            break
        calls, files = min((calls, files), await _calls(send))
    print(kind, calls, "calls in", files, "files")
    assert calls <= most_calls
    assert files <= most_files


@pytest.mark.timing
@pytest.mark.parametrize("kind", ["read one", "read with relation", "getcontact", "change through a hook", "tool call"])
@pytest.mark.usefixtures("agents")
async def test_requests_of_the_product_make_few_calls(product: Product, account: Account, kind: str) -> None:
    owner = account.owner
    person = await product.person()
    reveal = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    client = {"resource": [{"clientid": account.clientid, "companyname": "New"}]}
    query = {"name": "query", "arguments": {"table": "usersubscription", "limit": 5}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": query}
    requests: dict[str, Callable[[], Awaitable[Any]]] = {
        "read one": lambda: owner.http.get(f"{TABLE}appuser/{owner.appuserid}"),
        "read with relation": lambda: owner.http.get(
            f"{TABLE}appuser?filter=(appuserid={owner.appuserid})&related=client_by_clientid&limit=5"
        ),
        "getcontact": lambda: owner.http.post("/api/v2/getcontact", json=reveal),
        "change through a hook": lambda: owner.http.patch(f"{TABLE}client", json=client),
        "tool call": lambda: owner.http.post("/mcp", json=message, headers=MCP),
    }
    await _check(kind, requests[kind])


async def _check_engine(kind: str, method: str, path: str, body: Any, api: TableAPI) -> None:
    headers = {"X-Session-Token": "ada"}
    transport = httpx2.ASGITransport(app=api)
    async with api.lifespan(), httpx2.AsyncClient(transport=transport, base_url="http://host", headers=headers) as http:
        await _check(kind, lambda: http.request(method, f"/api/v2/shop/_table/{path}", json=body))


@pytest.mark.timing
async def test_a_batch_makes_few_calls(shop_url: str) -> None:
    two = {"resource": [{"text": "one"}, {"text": "two"}]}
    await _check_engine("create two", "POST", "note", two, TableAPI({"shop": shop_url}, open=True))


@pytest.mark.timing
async def test_a_change_under_a_policy_makes_few_calls(shop_url: str) -> None:
    settings = Settings(rate_limits=True)
    api = TableAPI({"shop": shop_url}, policy=POLICY, sessions=SESSIONS, settings=settings)
    await _check_engine("update", "PATCH", "invoice/1", {"total": 3}, api)


@pytest.mark.timing
@pytest.mark.parametrize(
    ("kind", "method", "path", "body"),
    [
        ("delete by filter", "DELETE", "note?filter=(id < 0)", None),
        ("upsert of two", "POST", "note?upsert=true", {"resource": [{"id": n, "text": "one"} for n in (1, 2)]}),
        ("nested write", "PATCH", "customer/1", {"name": "Ada", "invoice_by_customerid": [{"total": 1}]}),
        ("update with all fields", "PATCH", "customer/1?fields=*", {"name": "Ada"}),
        ("update with a computed field", "PATCH", "customer/1?fields=id,name AS title", {"name": "Ada"}),
        ("update with a relation", "PATCH", "invoice/1?related=customer_by_customerid", {"total": 2}),
        (
            "filter with a relation", "PATCH", "invoice?filter=(id=1)&related=customer_by_customerid",
            {"resource": [{"total": 2}]},
        ),
        (
            "create with a relation", "POST", "invoice?fields=*&related=customer_by_customerid",
            {"resource": [{"customerid": 1, "total": 2}]},
        ),
        ("dry run", "PATCH", "invoice/1?related=customer_by_customerid&dry_run=true", {"total": 2}),
    ],
)  # fmt: skip
async def test_other_writes_make_few_calls(shop_url: str, kind: str, method: str, path: str, body: Any) -> None:
    await _check_engine(kind, method, path, body, TableAPI({"shop": shop_url}, open=True))


@pytest.mark.timing
async def test_a_batch_of_references_makes_few_calls(shop_url: str) -> None:
    note = {"customerid": {"$ref": "new.resource.0.id"}, "total": 1}
    step = {"method": "POST", "path": "_table/invoice", "body": {"resource": [note]}}
    first = {"id": "new", "method": "POST", "path": "_table/customer", "body": {"resource": [{"name": "Ada"}]}}
    await _check_engine(
        "batch of ten", "POST", "../_batch", {"requests": [first, *[step] * 9]}, TableAPI({"shop": shop_url}, open=True)
    )


# The same shapes with other values: {n} is a number, {t} a text.
SHAPES: list[tuple[str, str, Any]] = [
    ("GET", "_table/invoice?filter=total>{n}", None),
    ("GET", "_table/invoice?filter=(total>{n}) and (customerid in (1,{n}))&order=total desc,id&limit=5", None),
    ("GET", "_table/invoice?filter=customer_by_customerid.name='{t}'&related=customer_by_customerid", None),
    ("GET", "_table/invoice?fields=id,total AS twice&filter=id>{n}&include_count=true", None),
    ("GET", "_table/invoice?fields=customerid,sum(total)&group=customerid&having=sum(total)>{n}", None),
    ("GET", "_table/invoice?distinct=customerid&order=customerid,id&filter=id>{n}", None),
    ("GET", "_table/invoice?ids={n},1", None),
    ("GET", "_table/invoice/1?related=customer_by_customerid", None),
    ("GET", "_table/invoice?count_only=true&filter=id<{n}", None),
    ("GET", "_table/customer?related=invoice_by_customerid&invoice_by_customerid.limit=2&filter=id<{n}", None),
    ("GET", "_table/customer?related=invoice_by_customerid&invoice_by_customerid.filter=total>{n}", None),
    ("GET", "_table/customer/1?related=invoice_by_customerid&invoice_by_customerid.where=total in ({n},3)", None),
    ("QUERY", "_table/invoice", {"fields": "customerid,sum(total)", "group": "customerid", "having": "sum(total)<{n}"}),
    ("PATCH", "_table/customer/1?related=invoice_by_customerid&invoice_by_customerid.filter=id={n}", {"name": "{t}"}),
    ("QUERY", "_table/invoice", {"filter": "total > {n}", "order": "id", "limit": 3}),
    ("GET", "_func/invoices_over?floor={n}", None),
    ("GET", "_func/invoices_over?floor={n}&filter=id>{n}&order=total&limit=5&include_count=true", None),
    ("POST", "_func/invoices_over", {"floor": "{n}", "fields": "id,total", "offset": 1}),
    ("POST", "_table/note", {"resource": [{"text": "{t}"}]}),
    ("POST", "_table/note?fields=*", {"resource": [{"text": "{t}"}, {"text": "{t}{t}"}]}),
    ("POST", "_table/note?upsert=true&fields=*", {"resource": [{"id": "{n}", "text": "{t}"}]}),
    ("POST", "_table/customer?fields=*", {"resource": [{"name": "{t}", "invoice_by_customerid": [{"total": "{n}"}]}]}),
    ("PATCH", "_table/invoice/1?related=customer_by_customerid", {"total": "{n}"}),
    ("PATCH", "_table/invoice/1", {"total": {"$add": "{n}"}}),
    ("PATCH", "_table/invoice?filter=id>{n}&fields=id,total", {"resource": [{"total": "{n}"}]}),
    ("PATCH", "_table/invoice?dry_run=true", {"resource": [{"id": 1, "total": "{n}"}]}),
    ("PUT", "_table/note/1", {"text": "{t}"}),
    ("DELETE", "_table/note?filter=text='{t}' and id>{n}", None),
    ("POST", "_batch", {"requests": [{"method": "GET", "path": "_table/invoice", "query": {"filter": "id>{n}"}}]}),
]


def _filled(value: Any, number: int, text: str) -> Any:
    if isinstance(value, dict):
        return {name: _filled(each, number, text) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, number, text) for each in value]
    if value == "{n}":
        return number
    return value.replace("{n}", str(number)).replace("{t}", text) if isinstance(value, str) else value


async def test_no_door_builds_the_plan_of_a_known_shape_again(shop_url: str) -> None:
    """1,000 mixed requests with other values, after each shape was sent twice."""
    dice = random.Random(57)
    settings = Settings(public_routines=("invoices_over",), rate_limits=False)
    api = TableAPI({"shop": shop_url}, open=True, settings=settings)
    transport = httpx2.ASGITransport(app=api)
    async with api.lifespan(), httpx2.AsyncClient(transport=transport, base_url="http://host/api/v2/shop/") as http:

        async def send(shape: tuple[str, str, Any]) -> None:
            number, text = dice.randrange(2, 10**6), f"t{dice.randrange(10**6)}"
            method, path, body = (_filled(part, number, text) for part in shape)
            response = await http.request(method, path, json=body)
            absent = "ids=" in path and '"reason":"batch"' in response.text
            assert absent or response.status_code == 200, (method, path, response.text)

        for shape in SHAPES * 2:
            await send(shape)
        for _ in range(1000):
            metrics.take()
            await send(shape := dice.choice(SHAPES))
            assert [counter for counter in metrics.take()[1] if counter[0] == "plans"] == [], shape
