"""Rows of another account in exports, tools of MCP, descriptions and change streams: every caller, every table."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import AsyncExitStack
from typing import Any

import httpx2
import pytest

import policy
from tableapi.tables.export import XLSX
from tests.helpers.agents import ACCEPTED, call
from tests.helpers.changes import EventStream
from tests.helpers.product import KEY, TABLE, Account, Product
from tests.helpers.rights import KEYS, MARK, NO_KEY, caller, rows_of, selections

FORMATS = ("text/csv", XLSX, "application/x-ndjson", "application/xml", "application/geo+json")
pytestmark = pytest.mark.usefixtures("agents")
LIVE = sorted(table for table, access in policy.POLICY.items() if access.changes)
CHANGES = {
    "appuser": "firstname = firstname || 'x'", "bulkjob": "total = total + 1",
    "usercontact": "createdon = createdon + interval '1 second'", "usercredit": "contactcredit = contactcredit + 1",
}  # fmt: skip


def _text(response: httpx2.Response) -> str:
    """Return the text of a response, or of a workbook's parts."""
    if response.headers["content-type"].startswith(XLSX):
        with zipfile.ZipFile(io.BytesIO(response.content)) as book:
            return "".join(book.read(name).decode() for name in book.namelist())
    return response.text


@pytest.mark.parametrize("accept", FORMATS)
@pytest.mark.parametrize("table", sorted(KEYS))
async def test_exports_contain_no_rows_of_another_account(
    product: Product, victim: Account, callers: dict[str, str], table: str, accept: str
) -> None:
    ident = (await rows_of(product, table, victim))[0][KEYS[table]]
    for name, token in callers.items():
        async with caller(product, name, token) as http:
            for query in selections(table, ident):
                response = await http.get(TABLE + table, params=query, headers={"Accept": accept})
                assert response.status_code < 500, (name, query, response.text)
                assert MARK not in _text(response), (name, query)
                names_one = "order" not in query and "count_only" not in query
                if accept == "text/csv" and response.status_code == 200 and names_one:
                    assert response.text.count("\n") <= 1, (name, query, response.text)


def _calls(table: str, row: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return tool calls that name a row."""
    key = KEYS[table]
    ident = row[key]
    change: dict[str, Any] = {name: "taken" for name in ("name", "companyname", "purpose", "note") if name in row} or {
        "isactive": 0
    }
    selected = {"table": table, "filter": f"{key} = {ident}"}
    listed = [{"field": key, "op": "=", "value": ident}]
    return [
        ("query", selected | {"count": True}),
        ("query", {"table": table, "filter": f"{key} = {ident} or 1 = 1", "limit": 200}),
        ("query", {"table": table, "filter": listed}),
        ("query", {"table": table, "order": [f"{key} desc"], "limit": 200}),
        ("get_record", {"table": table, "id": ident}),
        ("get_record", {"table": table, "id": "_changes"}),
        ("aggregate", selected | {"measures": [{"function": "max", "field": key}], "group": [key]}),
        ("describe_tables", {"tables": [table], "samples": True}),
        ("update_records", selected | {"change": change}),
        ("update_records", {"table": table, "records": [{key: ident} | change]}),
        ("create_records", {"table": table, "records": [{key: ident} | change]}),
        ("delete_records", selected),
        ("delete_records", {"table": table, "ids": [ident]}),
    ]


@pytest.mark.parametrize("table", sorted(KEYS))
async def test_no_tool_reads_or_writes_a_row_of_another_account(
    product: Product, victim: Account, callers: dict[str, str], table: str
) -> None:
    before = await rows_of(product, table, victim)
    for name, token in callers.items():
        async with caller(product, name, token) as http:
            for tool, arguments in _calls(table, before[0]):
                response = await http.post("/mcp", json=call(tool, **arguments), headers=ACCEPTED)
                case = (name, tool, arguments, response.text)
                assert response.status_code < 500, case
                assert "status: 500" not in response.text, case
                assert MARK not in response.text, case
                if tool == "aggregate" and response.status_code == 200:
                    assert f'"{KEYS[table]}":{before[0][KEYS[table]]}' not in response.text.replace("\\", ""), case
    assert await rows_of(product, table, victim) == before


async def test_no_description_contains_values_of_another_account(
    product: Product, victim: Account, callers: dict[str, str]
) -> None:
    assert MARK in json.dumps(await rows_of(product, "client", victim), default=str)
    for name, token in callers.items():
        async with caller(product, name, token) as http:
            for path in ("_spec", "_spec?typed=true", "leads/_spec", "leads/_spec?typed=true", "leads/_schema",
                         *(f"leads/_schema/{table}" for table in KEYS),
                         *(f"leads/_table/{table}?include_schema=true" for table in KEYS)):  # fmt: skip
                response = await http.get(f"/api/v2/{path}")
                assert response.status_code < 500, (name, path, response.text)
                assert MARK not in response.text, (name, path)


def _stream(product: Product, table: str, token: str, query: dict[str, str], name: str = "") -> EventStream:
    headers = ({} if name == NO_KEY else {"X-API-Key": KEY}) | ({"X-Session-Token": token} if token else {})
    return EventStream(product.app, f"{TABLE}{table}/_changes", headers, query)


@pytest.mark.parametrize("table", LIVE)
async def test_no_stream_reports_a_change_in_another_account(
    product: Product, victim: Account, callers: dict[str, str], table: str
) -> None:
    """The row's owner waits for two changes: after the second, every stream has received the first."""
    row, key = (await rows_of(product, table, victim))[0], KEYS[table]
    change = f"update {table} set {CHANGES[table]} where {key} = $1"
    queries = [{}, {"filter": f"{key}={row[key]}"}, {"filter": f"{key}={row[key]} or 1=1", "related": "*"}]
    async with AsyncExitStack() as stack:
        streams = {
            (name, number): await stack.enter_async_context(_stream(product, table, token, query, name))
            for name, token in callers.items()
            for number, query in enumerate(queries)
        }
        own = await stack.enter_async_context(_stream(product, table, victim.owner.token, {}))
        assert await own.next() == ("reset", {})
        for _ in range(2):
            await product.db.execute(change, row[key])
            event, record = await own.next()
            assert (event, record[key]) == ("row", row[key])
        for case, stream in streams.items():
            assert stream.status < 500, (case, stream.body)
            assert MARK not in stream.body.decode(), case
            assert f'"{key}":{row[key]}' not in stream.body.decode(), case
        assert any(stream.status == 200 for stream in streams.values())
