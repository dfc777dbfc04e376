"""MCP over HTTP: arguments and headers that must not change what a tool does."""

from __future__ import annotations

import pytest

from tests.helpers.agents import agent
from tests.helpers.rental import ACCESS, HIDDEN, SQL
from tests.helpers.support import NewDatabase, Serve


@pytest.fixture(scope="module")
def url(module_database: NewDatabase, module_serve: Serve) -> str:
    return f"{module_serve('--dataset', f'x={module_database(SQL + HIDDEN)}', access=ACCESS).url}/mcp"


async def test_a_boolean_identifier_is_rejected(url: str) -> None:
    async with agent(url, X_API_Key="boss") as boss:
        assert "ids" in await boss.error("delete_records", table="category", ids=[True], dry_run=True)
        assert "id" in await boss.error("get_record", table="film_category", id=[True, 2])
        assert (await boss.result("get_record", table="film", id="1"))["record"]["film_id"] == 1


async def test_a_number_out_of_range_is_reported_as_an_invalid_value(url: str) -> None:
    large = 2**80
    async with agent(url, X_API_Key="boss") as boss:
        condition = [{"field": "length", "value": large}]
        assert "bad_value" in await boss.error("query", table="film", filter=condition)
        assert "whole number" in await boss.error("delete_records", table="film", ids=[large])
        change = [{"film_id": 1, "length": large}]
        assert "whole number" in await boss.error("update_records", table="film", records=change)


@pytest.mark.parametrize("prefer", ["return=minimal", "tx=rollback"])
async def test_message_headers_are_not_write_options(url: str, prefer: str) -> None:
    async with agent(url, X_API_Key="boss", Prefer=prefer, Range="items=5-6") as boss:
        new = [{"category_id": 70, "name": "Kept"}]
        assert (await boss.result("create_records", table="category", records=new))["rows"] == new
        assert (await boss.result("delete_records", table="category", ids=[70]))["rows"] == new


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ({"field": "length", "operator": "x", "value": 1}, "filter: at 0.operator: must be '=', '!='"),
        ({"column": "length", "value": 1}, "filter: at 0.field: Field required"),
        ("length = 1", "filter: at 0: "),
    ],
)
async def test_an_invalid_condition_in_a_list_is_reported_by_index(url: str, condition: object, message: str) -> None:
    async with agent(url, X_API_Key="boss") as boss:
        for tool, more in (("query", {}), ("delete_records", {"dry_run": True})):
            told = await boss.error(tool, table="film", filter=[condition], **more)
            assert message in told, told
            assert "valid string" not in told
