"""The schemas of tools are in the subset that every client accepts, and calls in other forms are still understood."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from enum import Enum
from typing import Any, Literal

import httpx2
import pytest
from pydantic import BaseModel, Field

from tableapi import Context, Settings, TableAPI, script
from tests.helpers.agents import agent
from tests.helpers.served import Served
from tests.helpers.support import DATA, NewDatabase, Serve, Server
from tests.helpers.tool_schemas import faults

PAIRS = """
create table pair (a integer, b text, note text, primary key (a, b));
create table single (id integer primary key, note text);
insert into pair values (1, 'x', 'one'), (2, 'y,''z', 'two'), (3, 'w', 'three');
insert into single values (1, 'one'), (2, 'two');
create function add(a integer, b integer default 1) returns integer language sql as 'select a + b';
"""


class Level(Enum):
    """An enum of numbers."""

    LOW = 1
    HIGH = 2


class Part(BaseModel):
    """A nested model."""

    name: str
    size: int | str = 0


class Shapes(BaseModel):
    """Inputs of every shape."""

    kind: Literal["a"] = "a"
    words: Literal["a", "b", ""] | None = None
    number: Literal[1, 2] = 1
    level: Level = Level.LOW
    mixed: int | str | list[str] = Field(default=0, description="A number or a text.")
    either: list[int] | dict[str, int] = []
    anything: Any = None
    items: list[Any] = []
    parts: list[Part] = []
    part: Part | None = None
    matrix: list[list[int]] = []
    pairs: dict[str, Part] = {}
    point: tuple[int, str] = (1, "a")
    size: int = Field(default=1, gt=0, lt=9)
    maybe: list[Literal["x", "y"]] | None = None


@script(public=True, tool="shapes")
async def shapes(ctx: Context[Any, Any], input: Shapes) -> dict[str, Any]:
    """Take inputs of every shape."""
    return {"mixed": input.mixed}


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def listed(server: Server, **headers: str) -> list[dict[str, Any]]:
    own = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25", **headers}
    found: list[dict[str, Any]] = httpx2.post(f"{server.url}/mcp", json=LIST, headers=own).json()["result"]["tools"]
    return found


@pytest.mark.parametrize("name", ["x" * 65, "a b", "a.b", "ä"])
def test_a_tool_needs_a_name_that_every_client_accepts(name: str) -> None:
    decorate: Callable[..., Any] = script(public=True, tool=name)
    with pytest.raises(TypeError, match="must have 1 to 64 letters"):
        decorate(lambda ctx: None)


SERVED = Served(PAIRS, PUBLIC_ROUTINES="add", MCP_READ_ONLY="off")


@pytest.mark.parametrize("file", ["rental.sql", "every_kind.sql"])
def test_schemas_of_databases(file: str, new_database: NewDatabase, serve: Serve) -> None:
    one, two = new_database((DATA / file).read_text()), new_database(PAIRS)
    servers = [
        serve("--dataset", f"x={one}", "--open", MCP_READ_ONLY="off", PUBLIC_ROUTINES="add"),
        serve("--dataset", f"x={one}", "--dataset", f"y={two}", "--open", MCP_READ_ONLY="off", PUBLIC_ROUTINES="add"),
    ]
    for server in servers:
        tools = listed(server)
        assert len(tools) >= 9
        assert faults(tools) == []


async def test_schemas_of_scripts(new_database: NewDatabase) -> None:
    url = await asyncio.to_thread(new_database, PAIRS)
    api = TableAPI({"x": url}, open=True, scripts={"shapes": shapes}, settings=Settings(mcp_read_only=False))
    async with api.lifespan(), agent("http://test/mcp", transport=httpx2.ASGITransport(api)) as client:
        tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await client.tools()).values()]
        assert (await client.result("shapes", mixed="5"))["result"] == {"mixed": "5"}
    assert faults(tools) == []
    fields = next(tool for tool in tools if tool["name"] == "shapes")["inputSchema"]["properties"]
    assert fields["kind"] == {"type": "string", "enum": ["a"]}
    assert fields["words"] == {"type": "string", "enum": ["a", "b"]}
    assert fields["number"] == {"type": "integer"}
    assert fields["mixed"] == {"type": "string", "description": "A number or a text."}
    assert fields["matrix"] == {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}
    assert fields["parts"] == {"type": "array", "items": {"type": "object"}}
    assert fields["maybe"] == {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}}


async def test_identifiers_and_filters_are_taken_in_several_forms(server: Server) -> None:
    async with agent(f"{server.url}/mcp") as client:
        for ident in (1, "1"):
            assert (await client.result("get_record", table="single", id=ident))["record"]["note"] == "one"
        for pair in ("2,'y,''z'", [2, "y,'z"], ["2", "y,'z"], "(2,'y,''z')"):
            assert (await client.result("get_record", table="pair", id=pair))["record"]["note"] == "two"
            deleted = await client.result("delete_records", table="pair", ids=[pair], dry_run=True)
            assert [row["a"] for row in deleted["rows"]] == [2]
        assert "bad_identifier" in await client.error("delete_records", table="pair", ids=["1"], dry_run=True)
        assert "bad_identifier" in await client.error("delete_records", table="pair", ids=["1,2,3"], dry_run=True)
        conditions = [{"field": "a", "operator": ">", "value": 1}, {"field": "note", "value": "three"}]
        for sent in (conditions, json.dumps(conditions), "a > 1 and note = 'three'", "[a] > 1 and note = 'three'"):
            rows = (await client.result("query", table="pair", filter=sent))["rows"]
            assert [row["a"] for row in rows] == [3], sent
        assert re.search("filter", await client.error("query", table="pair", filter='[{"fild": "a"}]'))
        assert "bad_filter" in await client.error("query", table="pair", filter='[{"field": "a", ')
