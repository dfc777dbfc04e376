"""The agents' tools: callers, the price before a reveal, its ceiling, and the ledger."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

import httpx2
import pytest

from product.people.directory import Person
from tableapi.app.features.mcp.endpoint import Mcp
from tests.helpers.agents import INITIALIZE, Agent, agent
from tests.helpers.desk import staff, view
from tests.helpers.product import API, KEY, Account, Product
from tests.helpers.support import ok, rejection
from tests.helpers.tool_schemas import faults

TOOLS = {"search_people", "search_companies", "price", "reveal", "lists"}
KINDS = ["directdial", "businessemail"]


@pytest.fixture(autouse=True)
async def _no_agents_left(product: Product) -> AsyncIterator[None]:
    yield
    await product.app.feature(Mcp).close()


def _by_session(product: Product, token: str) -> AbstractAsyncContextManager[Agent]:
    transport = httpx2.ASGITransport(product.app, client=("10.9.0.2", 1))
    return agent("http://test/mcp", transport=transport, X_API_Key=KEY, X_Session_Token=token)


def _by_key(product: Product, key: str) -> AbstractAsyncContextManager[Agent]:
    transport = httpx2.ASGITransport(product.app, client=("10.9.0.3", 1))
    return agent("http://test/mcp", transport=transport, X_API_Key=key)


async def _key(account: Account, *scopes: str) -> tuple[int, str]:
    response = await account.owner.table("POST", "apikeys", {"purpose": "Agent", "scopes": list(scopes)})
    row = ok(response)["resource"][0]
    return int(row["keyid"]), str(row["apikey"])


def _url(person: Person) -> str:
    return f"https://www.linkedin.com/{person.key}"


async def _ledger(account: Account) -> list[tuple[Any, ...]]:
    rows = await account.product.db.fetch(
        "select keyid, actor, tool from creditledger where clientid = $1 and reason = 'reveal' order by ledgerid",
        account.clientid,
    )
    return [tuple(row) for row in rows]


async def test_only_permitted_callers_have_the_tools(product: Product, account: Account) -> None:
    keyid, key = await _key(account, "search")
    async with product.caller(key="wrong-key-of-nobody") as http:
        refused = await http.post("/mcp", json=INITIALIZE)
        assert rejection(refused) == (401, "no_key")
    async with _by_key(product, key) as robot, _by_session(product, account.owner.token) as own:
        tools = await robot.tools()
        assert set(tools) == {"search_people", "search_companies", "call_script"}  # those of the scope
        assert all(tool.annotations.read_only_hint for tool in tools.values())
        assert set(await own.tools()) >= TOOLS
        assert (await robot.result("search_people", name="nobody-of-this-name"))["result"]["resource"] == []
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "reveal", "arguments": {}}}
    async with product.caller(key=key) as http:
        http.headers["Accept"] = "application/json, text/event-stream"
        withheld = (await http.post("/mcp", json=call)).json()["error"]["message"]
    assert "The tool 'reveal' needs the scope 'enrich', which your key lacks." in withheld
    await account.owner.table("PATCH", f"apikeys/{keyid}", {"isactive": 0})
    async with product.caller(key=key) as http:
        assert (await http.post("/mcp", json=INITIALIZE)).status_code == 401


async def test_the_server_has_the_name_of_the_product(product: Product, account: Account) -> None:
    async with product.caller(account.owner.token) as http:
        response = await http.post("/mcp", json=INITIALIZE, headers={"Accept": "application/json, text/event-stream"})
    server = response.json()["result"]["serverInfo"]
    assert (server["name"], server["title"]) == ("Openlead", "Openlead")


async def test_the_schemas_of_tools_are_accepted_by_every_client(product: Product, account: Account) -> None:
    async with _by_session(product, account.owner.token) as own:
        tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await own.tools()).values()]
    assert len(tools) > 8
    assert faults(tools) == []


async def test_the_list_of_tools_is_short(product: Product, account: Account) -> None:
    """A client hands the list to the model in every conversation: 2,000 tokens at four characters each."""
    async with _by_session(product, account.owner.token) as own:
        tools = (await own.tools()).values()
    told = {tool.name: [tool.name, tool.description, tool.input_schema] for tool in tools}
    sizes = {name: len(json.dumps(words, separators=(",", ":"))) for name, words in told.items()}
    assert sum(sizes.values()) <= 8_000, sizes


@pytest.mark.parametrize("call", ["price", "reveal", "lists"])
async def test_each_tool_rejects_unauthorized_callers(product: Product, account: Account, call: str) -> None:
    body = {} if call == "lists" else {"linkedinurls": ["linkedin.com/in/x"], "kinds": KINDS}
    for headers, status in ((("", ""), 401), (("", KEY), 401), (("no-session", KEY), 401)):
        response = await product.caller(*headers).post(f"{API}agent/{call}", json=body)
        assert response.status_code == status, response.text
    _, key = await _key(account, "lookup")
    response = await product.caller(key=key).post(f"{API}agent/{call}", json=body)
    assert rejection(response) == (403, "scope")
    watching = await view(await staff(product), account.owner)
    seen = await watching.post(f"{API}agent/{call}", json=body)
    assert seen.status_code == (403 if call == "reveal" else 200), seen.text


@pytest.mark.parametrize(
    "body",
    [
        {}, {"kinds": KINDS}, {"linkedinurls": ["x"], "search": {}, "kinds": KINDS},
        {"linkedinurls": ["x"], "kinds": []},
        {"linkedinurls": ["x"], "kinds": ["fax"]}, {"search": {}, "first": 101, "kinds": KINDS},
        {"linkedinurls": ["x"], "kinds": KINDS, "max_credits": -1}, {"linkedinurls": ["x"], "kinds": KINDS, "all": 1},
    ],
)  # fmt: skip
async def test_invalid_input_is_rejected(account: Account, body: dict[str, Any]) -> None:
    response = await account.owner.post("agent/reveal", **body)
    assert response.status_code == 422, response.text
    assert await _ledger(account) == []


async def test_a_reveal_without_a_ceiling_returns_the_price(product: Product, account: Account) -> None:
    people = [await product.person(), await product.person()]
    urls = [_url(person) for person in people]
    before = await account.credits()
    async with _by_session(product, account.owner.token) as own:
        quoted = (await own.result("price", linkedinurls=urls, kinds=KINDS))["result"]
        asked = (await own.result("reveal", linkedinurls=urls, kinds=KINDS))["result"]
        assert (quoted["price"], asked["price"], asked["charged"]) == (4, 4, 0)
        assert "max_credits" in asked["note"]
        assert all(not row["phones"] and not row["business_emails"] for row in asked["resource"])
        assert "over_ceiling" in await own.error("reveal", linkedinurls=urls, kinds=KINDS, max_credits=3)
        told = await own.error("reveal", url=urls[0])
        assert "kinds: Missing" in told
        assert "url: is not an argument. It takes: linkedinurls, " in told
        assert await account.credits() == before
        done = (await own.result("reveal", linkedinurls=urls, kinds=KINDS, max_credits=4))["result"]
        assert done["charged"] == 4
        first = done["resource"][0]
        assert first["phones"] == list(people[0].phones)
        assert [email["address"] for email in first["business_emails"]] == [each for each, _ in people[0].business]
        again = (await own.result("reveal", linkedinurls=urls, kinds=KINDS, max_credits=0))["result"]
        assert (again["charged"], again["resource"][0]["phones"]) == (0, list(people[0].phones))
        owned = (await own.result("price", linkedinurls=urls, kinds=KINDS))["result"]
        assert (owned["price"], owned["resource"][0]["owned"]) == (0, KINDS)
    assert await _ledger(account) == [(None, account.owner.appuserid, "reveal")] * 4
    assert await account.ledger_fits()


async def test_two_concurrent_agents_pay_once(product: Product, account: Account) -> None:
    word = "w" + secrets.token_hex(4)
    for number in range(6):
        await product.person(full_name=f"{word} {number}")
    (one, first), (two, second) = await _key(account, "enrich"), await _key(account, "enrich")
    async with _by_key(product, first) as robot, _by_key(product, second) as other:
        body = {"search": {"name": word}, "first": 6, "kinds": ["businessemail"], "max_credits": 6}
        results = await asyncio.gather(robot.result("reveal", **body), other.result("reveal", **body))
    assert sum(result["result"]["charged"] for result in results) == 6
    assert all(len(row["business_emails"]) == 2 for result in results for row in result["result"]["resource"])
    ledger = await _ledger(account)
    assert len(ledger) == 6
    assert {keyid for keyid, _, _ in ledger} <= {one, two}
    assert {(actor, tool) for _, actor, tool in ledger} == {(None, "reveal")}
    assert await account.ledger_fits()
    audited = "select distinct detail->>'tool' from auditlog where clientid = $1 and event = 'reveal'"
    assert await product.db.fetchval(audited, account.clientid) == "reveal"


async def test_lists_of_a_user_and_of_a_key(product: Product, account: Account, other: Account) -> None:
    person = await product.person(full_name="Lis Ted")
    ids = []
    for shared in (0, 1):
        made = await account.owner.table("POST", "contactlist", {"name": f"List {shared}", "shared": shared})
        ids.append(made.json()["resource"][0]["listid"])
        record = {"listid": ids[-1], "linkedinurl": _url(person), "tags": ["hot"], "note": "call"}
        await account.owner.table("POST", "contactlistitem", record)
    _, key = await _key(account, "contacts")
    member = await account.user()
    async with _by_key(product, key) as robot, _by_session(product, member.token) as colleague:
        for reader in (robot, colleague):
            assert [row["listid"] for row in (await reader.result("lists"))["result"]["lists"]] == [ids[1]]
            assert "There is no such list" in await reader.error("lists", listid=ids[0])
            (row,) = (await reader.result("lists", listid=ids[1]))["result"]["resource"]
            assert (row["full_name"], row["tags"], row["note"]) == ("Lis Ted", ["hot"], "call")
    async with _by_session(product, account.owner.token) as own, _by_session(product, other.owner.token) as stranger:
        assert {row["listid"] for row in (await own.result("lists"))["result"]["lists"]} == set(ids)
        assert (await stranger.result("lists"))["result"]["lists"] == []
        assert "There is no such list" in await stranger.error("lists", listid=ids[1])
