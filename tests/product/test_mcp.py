"""MCP on the product: sessions, accounts apart from each other, hooks, sealed columns and scripts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from policy import CONTACT_INTERNALS
from tableapi.app.features.changes import Changes
from tableapi.app.features.mcp.endpoint import Mcp
from tests.helpers.agents import INITIALIZE, Agent, agent
from tests.helpers.product import KEY, TABLE, Account, Product
from tests.helpers.support import rejection


@asynccontextmanager
async def asked(product: Product, token: str) -> AsyncIterator[Agent]:
    """Connect an agent with the app key and a session."""
    transport = httpx2.ASGITransport(product.app, client=("10.9.0.1", 1))
    async with agent("http://test/mcp", transport=transport, X_API_Key=KEY, X_Session_Token=token) as connected:
        yield connected


@pytest.fixture(autouse=True)
async def _no_agents_left(product: Product) -> AsyncIterator[None]:
    """Stop the session manager, which belongs to the event loop of the test."""
    yield
    await product.app.feature(Mcp).close()


async def test_credentials_are_those_of_a_request(product: Product, account: Account) -> None:
    for key, token, status, reason in (
        ("", "", 401, "no_key"),
        ("wrong", "", 401, "no_key"),
        (KEY, "x", 401, "no_session"),
    ):
        async with product.caller(token, key) as http:
            response = await http.post("/mcp", json=INITIALIZE)
        assert rejection(response) == (status, reason)


async def test_an_agent_sees_the_account_of_its_session(product: Product, account: Account, other: Account) -> None:
    async with asked(product, account.owner.token) as own:
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


async def test_a_write_runs_its_hook(product: Product, account: Account, other: Account) -> None:
    async with asked(product, account.owner.token) as own:
        change = [{"clientid": account.clientid, "companyname": "Changed Ltd"}]
        assert "no_dry_run" in await own.error("update_records", table="client", records=change, dry_run=True)
        assert (await own.result("update_records", table="client", records=change))["count"] == 1
        record = (await own.result("get_record", table="client", id=account.clientid))["record"]
        assert record["companyname"] == "Changed Ltd"
        foreign = [{"clientid": other.clientid, "companyname": "Mine"}]
        await own.error("update_records", table="client", records=foreign)
        name = await product.db.fetchval("select companyname from client where clientid = $1", other.clientid)
        assert name == "Test Ltd"


async def test_offered_scripts_can_be_called(product: Product, account: Account) -> None:
    async with asked(product, account.owner.token) as own:
        tool = (await own.tools())["call_script"]
        offered = {line.removeprefix("- ").partition("(")[0] for line in tool.description.splitlines()[1:]}
        assert offered == {"account/credits", "searchname", "searchurl"}
        assert (await own.result("call_script", name="account/credits"))["result"]["plan"]
        found = await own.result("call_script", name="searchname", input={"searchtext": "a", "limit": 5})
        assert found["result"]["resource"] == []
        assert "reason: invalid" in await own.error("call_script", name="searchname", input={"limit": "many"})
        assert "unknown_service" in await own.error("call_script", name="getcontact")


async def test_a_key_without_a_session_is_treated_like_a_request(product: Product) -> None:
    async with asked(product, "") as anyone, product.caller() as http:
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


async def test_tools_cannot_open_streams(product: Product, account: Account) -> None:
    streams = product.app.feature(Changes).streams
    for token in (account.owner.token, ""):
        async with asked(product, token) as agent:
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
