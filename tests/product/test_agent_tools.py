"""MCP on the product: sessions and keys, accounts apart from each other, hooks, scripts, and the tools with a price."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from policy import CONTACT_INTERNALS
from product.people.directory import Person
from tableapi.app.features.changes import Changes
from tests.helpers.agents import ACCEPTED, INITIALIZE, Agent, call
from tests.helpers.desk import staff, view
from tests.helpers.product import API, KEY, TABLE, Account, Product
from tests.helpers.support import ok, rejection
from tests.helpers.tool_schemas import faults

TOOLS = {"search_people", "search_companies", "price", "reveal", "lists"}
KINDS = ["directdial", "businessemail"]
Agents = Callable[..., AbstractAsyncContextManager[Agent]]
pytestmark = pytest.mark.usefixtures("agents")


async def test_credentials_are_those_of_a_request(product: Product, account: Account) -> None:
    for key, token, status, reason in (
        ("", "", 401, "no_key"),
        ("wrong", "", 401, "no_key"),
        (KEY, "x", 401, "no_session"),
    ):
        async with product.caller(token, key) as http:
            response = await http.post("/mcp", json=INITIALIZE)
        assert rejection(response) == (status, reason)


async def test_an_agent_sees_the_account_of_its_session(
    agents: Agents, product: Product, account: Account, other: Account
) -> None:
    async with agents(account.owner.token) as own:
        tables = {table["name"] for table in (await own.result("list_tables"))["tables"]}
        async with product.caller(account.owner.token) as http:
            served = (await http.get("/api/v2/leads/_table")).json()["resource"]
        assert tables == {table["name"] for table in served}
        clients = await own.result("query", table="client", fields=["clientid"])
        assert clients["rows"] == [{"clientid": account.clientid}]
        assert "not_found" in await own.error("get_record", table="client", id=other.clientid)
        told = (await own.result("describe_tables", tables=["client"]))["tables"][0]
        readable = {column["name"] for column in told["columns"]}
        contacts = (await own.result("describe_tables", tables=["usercontact"]))["tables"][0]
        assert "emails" in contacts["not_filterable"]
        assert CONTACT_INTERNALS.isdisjoint(column["name"] for column in contacts["columns"])
        async with product.caller(account.owner.token) as http:
            assert readable == set((await http.get(f"{TABLE}client")).json()["resource"][0])


async def test_a_write_runs_its_hook(agents: Agents, product: Product, account: Account, other: Account) -> None:
    async with agents(account.owner.token) as own:
        change = [{"clientid": account.clientid, "companyname": "Changed Ltd"}]
        assert "no_dry_run" in await own.error("update_records", table="client", records=change, dry_run=True)
        assert (await own.result("update_records", table="client", records=change))["count"] == 1
        record = (await own.result("get_record", table="client", id=account.clientid))["record"]
        assert record["companyname"] == "Changed Ltd"
        foreign = [{"clientid": other.clientid, "companyname": "Mine"}]
        await own.error("update_records", table="client", records=foreign)
        name = await product.db.fetchval("select companyname from client where clientid = $1", other.clientid)
        assert name == "Test Ltd"


async def test_offered_scripts_can_be_called(agents: Agents, account: Account) -> None:
    async with agents(account.owner.token) as own:
        tool = (await own.tools())["call_script"]
        offered = {line.removeprefix("- ").partition("(")[0] for line in tool.description.splitlines()[1:]}
        assert offered == {"account/credits", "searchname", "searchurl"}
        assert (await own.result("call_script", name="account/credits"))["result"]["plan"]
        found = await own.result("call_script", name="searchname", input={"searchtext": "a", "limit": 5})
        assert found["result"]["resource"] == []
        assert "reason: invalid" in await own.error("call_script", name="searchname", input={"limit": "many"})
        assert "unknown_service" in await own.error("call_script", name="getcontact")


async def test_a_key_without_a_session_is_treated_like_a_request(agents: Agents, product: Product) -> None:
    async with agents("") as anyone, product.caller() as http:
        tables = {table["name"] for table in (await anyone.result("list_tables"))["tables"]}
        assert tables == {table["name"] for table in (await http.get("/api/v2/leads/_table")).json()["resource"]}
        for table in ("usercontact", "usersubscription", "auditlog"):
            refused = (await http.get(f"{TABLE}{table}")).json()["error"]["context"]["reason"]
            assert f"reason: {refused}," in await anyone.error("query", table=table)


async def test_messages_count_against_the_limits(product: Product, account: Account) -> None:
    async with product.caller(account.owner.token) as http:
        before = int((await http.get(f"{TABLE}client")).headers["x-ratelimit-remaining"])
        response = await http.post("/mcp", json=INITIALIZE)
    assert int(response.headers["x-ratelimit-remaining"]) == before - 1


async def test_tools_cannot_open_streams(agents: Agents, product: Product, account: Account) -> None:
    streams = product.app.feature(Changes).streams
    for token in (account.owner.token, ""):
        async with agents(token) as agent:
            for table in ("appuser", "usercontact", "client"):
                assert "reason: internal" not in await agent.error("get_record", table=table, id="_changes")
            if token:
                assert "bad_identifier" in await agent.error("get_record", table="appuser", id="_changes")
    assert len(streams) == 0


async def test_the_app_key_without_a_session_cannot_open_streams(product: Product) -> None:
    async with product.caller() as http:
        for table in ("appuser", "usercontact", "client"):
            response = await http.get(f"{TABLE}{table}/_changes")
            assert response.status_code in (401, 403, 409), (table, response.text)
        assert (await http.get(f"{TABLE}appuser/_changes")).status_code == 401
    assert len(product.app.feature(Changes).streams) == 0


# -- tools with a price ------------------------------------------------------------------------------------------------


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


async def test_only_permitted_callers_have_the_tools(agents: Agents, product: Product, account: Account) -> None:
    keyid, key = await _key(account, "search")
    async with product.caller(key="wrong-key-of-nobody") as http:
        refused = await http.post("/mcp", json=INITIALIZE)
        assert rejection(refused) == (401, "no_key")
    async with agents(key=key) as robot, agents(account.owner.token) as own:
        tools = await robot.tools()
        assert set(tools) == {"search_people", "search_companies", "call_script"}  # those of the scope
        assert all(tool.annotations.read_only_hint for tool in tools.values())
        assert set(await own.tools()) >= TOOLS
        assert (await robot.result("search_people", name="nobody-of-this-name"))["result"]["resource"] == []
    async with product.caller(key=key) as http:
        withheld = (await http.post("/mcp", json=call("reveal"), headers=ACCEPTED)).json()["error"]["message"]
    assert "The tool 'reveal' needs the scope 'enrich', which your key lacks." in withheld
    await account.owner.table("PATCH", f"apikeys/{keyid}", {"isactive": 0})
    async with product.caller(key=key) as http:
        assert (await http.post("/mcp", json=INITIALIZE)).status_code == 401


async def test_the_server_has_the_name_of_the_product(product: Product, account: Account) -> None:
    async with product.caller(account.owner.token) as http:
        response = await http.post("/mcp", json=INITIALIZE, headers=ACCEPTED)
    server = response.json()["result"]["serverInfo"]
    assert (server["name"], server["title"]) == ("Openlead", "Openlead")


async def test_the_schemas_of_tools_are_accepted_by_every_client(agents: Agents, account: Account) -> None:
    async with agents(account.owner.token) as own:
        tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await own.tools()).values()]
    assert len(tools) > 8
    assert faults(tools) == []


async def test_the_list_of_tools_is_short(agents: Agents, account: Account) -> None:
    """A client hands the list to the model in every conversation: 2,000 tokens at four characters each."""
    async with agents(account.owner.token) as own:
        tools = (await own.tools()).values()
    told = {tool.name: [tool.name, tool.description, tool.input_schema] for tool in tools}
    sizes = {name: len(json.dumps(words, separators=(",", ":"))) for name, words in told.items()}
    assert sum(sizes.values()) <= 8_000, sizes


@pytest.mark.parametrize("script", ["price", "reveal", "lists"])
async def test_each_tool_rejects_unauthorized_callers(product: Product, account: Account, script: str) -> None:
    body = {} if script == "lists" else {"linkedinurls": ["linkedin.com/in/x"], "kinds": KINDS}
    for headers, status in ((("", ""), 401), (("", KEY), 401), (("no-session", KEY), 401)):
        response = await product.caller(*headers).post(f"{API}agent/{script}", json=body)
        assert response.status_code == status, response.text
    _, key = await _key(account, "lookup")
    response = await product.caller(key=key).post(f"{API}agent/{script}", json=body)
    assert rejection(response) == (403, "scope")
    watching = await view(await staff(product), account.owner)
    seen = await watching.post(f"{API}agent/{script}", json=body)
    assert seen.status_code == (403 if script == "reveal" else 200), seen.text


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


async def test_a_reveal_without_a_ceiling_returns_the_price(agents: Agents, product: Product, account: Account) -> None:
    people = [await product.person(), await product.person()]
    urls = [_url(person) for person in people]
    before = await account.credits()
    async with agents(account.owner.token) as own:
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


async def test_two_concurrent_agents_pay_once(agents: Agents, product: Product, account: Account) -> None:
    word = "w" + secrets.token_hex(4)
    for number in range(6):
        await product.person(full_name=f"{word} {number}")
    (one, first), (two, second) = await _key(account, "enrich"), await _key(account, "enrich")
    async with agents(key=first) as robot, agents(key=second) as other:
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


async def test_lists_of_a_user_and_of_a_key(agents: Agents, product: Product, account: Account, other: Account) -> None:
    person = await product.person(full_name="Lis Ted")
    ids = []
    for shared in (0, 1):
        made = await account.owner.table("POST", "contactlist", {"name": f"List {shared}", "shared": shared})
        ids.append(made.json()["resource"][0]["listid"])
        record = {"listid": ids[-1], "linkedinurl": _url(person), "tags": ["hot"], "note": "call"}
        await account.owner.table("POST", "contactlistitem", record)
    _, key = await _key(account, "contacts")
    member = await account.user()
    async with agents(key=key) as robot, agents(member.token) as colleague:
        for reader in (robot, colleague):
            assert [row["listid"] for row in (await reader.result("lists"))["result"]["lists"]] == [ids[1]]
            assert f"There is no list with the id {ids[0]}." in await reader.error("lists", listid=ids[0])
            (row,) = (await reader.result("lists", listid=ids[1]))["result"]["resource"]
            assert (row["full_name"], row["tags"], row["note"]) == ("Lis Ted", ["hot"], "call")
    async with agents(account.owner.token) as own, agents(other.owner.token) as stranger:
        assert {row["listid"] for row in (await own.result("lists"))["result"]["lists"]} == set(ids)
        assert (await stranger.result("lists"))["result"]["lists"] == []
        assert f"no list with the id {ids[1]}. You have no lists" in await stranger.error("lists", listid=ids[1])
