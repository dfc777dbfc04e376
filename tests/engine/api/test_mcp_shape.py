"""MCP: agents that only read, the form of rows, the search for tables, row rules in words, the size of the tools."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from tests.helpers.agents import agent
from tests.helpers.served import Served
from tests.helpers.support import DATA, Serve, Server

RENTAL = (DATA / "rental.sql").read_text()
FUNCTIONS = """
create function titles() returns setof text language sql stable as 'select title from film order by film_id limit 2';
create function grow() returns integer language sql volatile as
    'update film set length = length + 1 where film_id = 1 returning length';
comment on table payment is 'Money that came in at the counter';
comment on column customer.active is 'Whether a membership was renewed';
"""
ACCESS = {
    "keys": {
        "clerk": {"role": "clerk", "user": {"store": 1}},
        "blind": {"role": "blind", "user": {"store": 1}},
        "boss": {"role": "*"},
    },
    "roles": {
        "clerk": {
            "access": [
                {"component": "_table/customer/*", "verb_mask": 1,
                 "filters": [{"name": "store_id", "operator": "=", "value": "{user.store}"},
                             {"name": "last_name", "operator": "STARTS WITH", "value": "L"}]},
                {"component": "_table/customer/*", "verb_mask": 16,
                 "filters": [{"name": "customer_id", "operator": "IN", "value": "(1, 2, {user.store})"}]},
                {"component": "_table/film/*", "verb_mask": 1},
                {"component": "_table/rental/*", "verb_mask": 1,
                 "filters": [{"name": "return_date", "operator": "IS NULL", "value": ""},
                             {"name": "customer_id", "operator": ">", "value": 3}], "filter_op": "OR"},
            ]
        },
        "blind": {"access": []},
    },
}  # fmt: skip
SERVED = Served(RENTAL + FUNCTIONS, dataset="rental", under="/mcp", PUBLIC_ROUTINES="titles,grow")


@pytest.fixture(scope="module")
def limited(url: str, module_serve: Serve) -> Server:
    return module_serve("--dataset", f"rental={url}", access=ACCESS)


def sent(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_records", {"table": "language", "records": [{"language_id": 9, "name": "Latin"}]}),
        ("update_records", {"table": "language", "records": [{"language_id": 1, "name": "Latin"}]}),
        ("delete_records", {"table": "language", "ids": [1]}),
        ("delete_records", {"table": "language", "ids": [1], "dry_run": True}),
    ],
)
async def test_agents_are_read_only_under_open(base: str, tool: str, arguments: dict[str, Any]) -> None:
    async with agent(base) as client:
        assert tool not in await client.tools()
        assert "reason: mcp_read_only, status: 403" in await client.error(tool, **arguments)
        assert (await client.result("query", table="language", count=True))["count"] == 2
        listed = (await client.result("list_tables"))["tables"]
        described = (await client.result("describe_tables", tables=["language"]))["tables"]
        assert {action for table in (*listed, *described) for action in table["may"]} == {"read"}


async def test_functions_called_by_a_read_only_agent_cannot_write(base: str) -> None:
    async with agent(base) as client:
        assert (await client.result("call_function", name="titles"))["rows"] == [
            {"titles": "Film 1"},
            {"titles": "Film 2"},
        ]
        assert "reason: " in await client.error("call_function", name="grow")
        tool = (await client.tools())["call_function"]
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, False)


async def test_an_access_file_can_let_agents_write(limited: Server) -> None:
    async with agent(f"{limited.url}/mcp", X_API_Key="boss") as boss:
        tools = await boss.tools()
        hints = {name: tool.annotations.idempotent_hint for name, tool in tools.items()}
        assert hints == {
            "list_tables": True, "describe_tables": True, "query": True, "aggregate": True, "get_record": True,
            "create_records": False, "update_records": False, "delete_records": True, "batch": False,
        }  # fmt: skip
        assert not any(tool.annotations.read_only_hint for name, tool in tools.items() if name.endswith("_records"))


async def test_rows_are_returned_as_columns_and_values(base: str) -> None:
    async with agent(base) as client:
        page = await client.raw("query", table="language")
        assert page == {"columns": ["language_id", "name"], "rows": [[1, "English"], [2, "Italian"]]}
        related = await client.raw(
            "query", table="language", fields=["name"], related=["film_by_language_id"], related_limit=2, limit=1
        )
        assert related["columns"] == ["name", "language_id", "film_by_language_id"]
        name, _, films = related["rows"][0]
        assert (name, films["columns"][:2], len(films["rows"])) == ("English", ["film_id", "title"], 2)
        assert (await client.raw("query", table="language", filter="name = 'Latin'")) == {"rows": []}
        wide = await client.raw("query", table="customer", limit=50)
        objects = [dict(zip(wide["columns"], row, strict=True)) for row in wide["rows"]]
        assert len(json.dumps(wide)) < 0.6 * len(json.dumps({"rows": objects}))


async def test_tables_are_found_by_names_columns_and_comments(base: str) -> None:
    async def found(search: str) -> dict[str, Any]:
        return {t["name"]: t.get("found") for t in (await client.result("list_tables", search=search))["tables"]}

    async with agent(base) as client:
        assert await found("money counter") == {"payment": None}
        assert await found("MEMBERSHIP") == {"customer": ["active"]}
        assert next(iter(await found("film"))) == "film"
        assert "inventory" in await found("film_id")
        assert await found("customer renewed") == {"customer": ["customer_id", "active"]}
        assert await found("nothing such") == {}


async def test_the_table_search_finds_only_tables_visible_to_the_caller(limited: Server) -> None:
    async with agent(f"{limited.url}/mcp", X_API_Key="clerk") as clerk:
        assert (await clerk.result("list_tables", search="money"))["count"] == 0


async def test_row_rules_are_described_as_text(limited: Server) -> None:
    async with agent(f"{limited.url}/mcp", X_API_Key="clerk") as clerk:
        tables = (await clerk.result("describe_tables", tables=["customer", "film", "rental"], samples=False))["tables"]
        said = {t["name"]: {name: text for name, text in t.items() if name.startswith("rows")} for t in tables}
    assert said == {
        "customer": {
            "rows": "store_id = your user.store AND last_name STARTS WITH 'L'",
            "rows_to_delete": "customer_id IN (1, 2, your user.store)",
        },
        "film": {},
        "rental": {"rows": "(return_date IS NULL OR customer_id > 3)"},
    }


def test_the_list_of_tools_is_short(base: str, limited: Server) -> None:
    """2,000 tokens are about 8,000 characters of such JSON, with the schemas of results."""
    headers = {"Accept": "application/json, text/event-stream", "X-API-Key": "boss"}
    headers["MCP-Protocol-Version"] = "2025-11-25"
    for address in (base, f"{limited.url}/mcp"):
        listed = httpx2.post(address, json=sent("tools/list"), headers=headers).json()["result"]["tools"]
        assert len(json.dumps(listed, separators=(",", ":"))) <= 8_000


def test_filters_are_described_once(limited: Server) -> None:
    headers = {"Accept": "application/json, text/event-stream", "X-API-Key": "boss"}
    listed = httpx2.post(f"{limited.url}/mcp", json=sent("tools/list"), headers=headers).json()["result"]["tools"]
    texts = {t["name"]: t["inputSchema"]["properties"].get("filter", {}).get("description") for t in listed}
    assert "STARTS WITH" in texts["query"]
    assert {texts[name] for name in ("aggregate", "update_records", "delete_records")} == {"As in query."}


def test_tool_lists_may_be_cached_for_a_minute(base: str) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Accept": "application/json"}
    response = httpx2.post(base, json=sent("tools/list", _meta=meta), headers=headers).json()["result"]
    assert (response["ttlMs"], response["cacheScope"]) == (60_000, "private")


def test_a_page_may_send_the_headers_of_the_protocol(url: str, serve: Serve) -> None:
    server = serve("--dataset", f"rental={url}", "--open", CORS_ORIGINS="https://app.example.com")
    names = "mcp-protocol-version, mcp-method, mcp-name, content-type, x-api-key"
    asked = {"Origin": "https://app.example.com", "Access-Control-Request-Method": "POST",
             "Access-Control-Request-Headers": names}  # fmt: skip
    allowed = httpx2.options(f"{server.url}/mcp", headers=asked)
    assert allowed.headers["access-control-allow-origin"] == "https://app.example.com"
    assert allowed.headers["access-control-allow-headers"] == names
    response = httpx2.post(
        f"{server.url}/mcp",
        json=sent("tools/list"),
        headers={"Origin": "https://app.example.com", "Accept": "application/json"},
    )
    assert "WWW-Authenticate" in response.headers["access-control-expose-headers"]
    assert response.status_code == 200
