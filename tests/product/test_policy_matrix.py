"""Rows of another account: every caller, table, way to name a row, and door (docs/reference/rules.md).

The rows belong to one client, the callers do not. No row may be read, counted, changed, deleted or distinguished from
a missing one. The doors are reads, QUERY, writes, exports, tools of MCP, batches, descriptions and change streams.
tests/data/access.txt lists the rights of every role, so that a change of rights is visible in a diff.
"""

from __future__ import annotations

import io
import json
import secrets
import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

import policy
from tableapi.crypto.vault import token_hash
from tableapi.tables.export import XLSX
from tests.helpers.agents import ACCEPTED, call
from tests.helpers.changes import EventStream
from tests.helpers.product import API, KEY, TABLE, Account, Product
from tests.helpers.rights import INSIDERS, KEYS, MARK, NO_KEY, caller, check_hidden, rows_of, selections, steps

HIDDEN_FROM_ALL = {
    "person", "personalias", "company", "searchuse", "searchseen", "reveal", "onetimetoken", "stripeevent",
    "paymentcatchup", "suppression", "dropbatch", "dropitem", "listmapping", "pgqueuer", "upload",
}  # fmt: skip
FORMATS = ("text/csv", XLSX, "application/x-ndjson", "application/xml", "application/geo+json")
LIVE = sorted(table for table, access in policy.POLICY.items() if access.changes)
CHANGES = {
    "appuser": "firstname = firstname || 'x'", "bulkjob": "total = total + 1",
    "usercontact": "createdon = createdon + interval '1 second'", "usercredit": "contactcredit = contactcredit + 1",
}  # fmt: skip
BATCH = f"{API}leads/_batch"
_SEARCH = "insert into savedsearch (clientid, appuserid, name, kind, filters) values ($1, $2, $3, 'people', '{}')"
pytestmark = pytest.mark.usefixtures("agents")


# -- one function a door: it sends what names the rows, and yields each request with its response ----------------------

Rows = list[dict[str, Any]]
Door = Callable[[httpx2.AsyncClient, str, Rows], AsyncIterator[tuple[Any, httpx2.Response]]]


async def reads(http: httpx2.AsyncClient, table: str, rows: Rows) -> AsyncIterator[tuple[Any, httpx2.Response]]:
    """By GET, and by QUERY, for which a header with another method changes nothing."""
    key = KEYS[table]
    for ident in [row[key] for row in rows[:2]]:
        asked: list[tuple[str, str, dict[str, Any], dict[str, str]]] = [("GET", f"{table}/{ident}", {}, {})]
        asked += [(method, table, one, {}) for method in ("GET", "QUERY") for one in selections(table, ident)]
        asked += [
            ("QUERY", table, query, headers)
            for query in (
                {"filter": f"{key} = :id", "params": {"id": ident}},
                {"ids": [ident]},
                {"filter": f"{key} = {ident}", "related": "*", "include_count": True},
                {"order": f"{key} desc", "limit": 1000},
                {"method": "PATCH", "filter": f"{key} = {ident}", "resource": [{"name": "taken"}]},
            )
            for headers in ({}, {"X-HTTP-Method": "PATCH"}, {"X-HTTP-Method-Override": "DELETE"})
        ]
        for method, path, query, headers in asked:
            sent: dict[str, Any] = {"params": query} if method == "GET" else {"json": query}
            response = await http.request(method, TABLE + path, headers=headers, **sent)
            yield (method, path, query, headers), response
            if response.status_code == 200:
                check_hidden(response.json(), query, table, ident, (method, path, query, headers, response.text))


async def writes(http: httpx2.AsyncClient, table: str, rows: Rows) -> AsyncIterator[tuple[Any, httpx2.Response]]:
    for step in steps(table, rows[0]):
        path, query, body = f"{API}leads/{step['path']}", step.get("query"), step.get("body")
        yield step, await http.request(step["method"], path, params=query, json=body)


async def exports(http: httpx2.AsyncClient, table: str, rows: Rows) -> AsyncIterator[tuple[Any, httpx2.Response]]:
    for accept in FORMATS:
        for query in selections(table, rows[0][KEYS[table]]):
            response = await http.get(TABLE + table, params=query, headers={"Accept": accept})
            yield (accept, query), response
            names_one = "order" not in query and "count_only" not in query
            if accept == "text/csv" and response.status_code == 200 and names_one:
                assert response.text.count("\n") <= 1, (query, response.text)


async def tools(http: httpx2.AsyncClient, table: str, rows: Rows) -> AsyncIterator[tuple[Any, httpx2.Response]]:
    key, row = KEYS[table], rows[0]
    ident = row[key]
    change: dict[str, Any] = {name: "taken" for name in ("name", "companyname", "purpose", "note") if name in row}
    change = change or {"isactive": 0}
    selected = {"table": table, "filter": f"{key} = {ident}"}
    for tool, arguments in (
        ("query", selected | {"count": True}),
        ("query", {"table": table, "filter": f"{key} = {ident} or 1 = 1", "limit": 200}),
        ("query", {"table": table, "filter": [{"field": key, "op": "=", "value": ident}]}),
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
    ):
        response = await http.post("/mcp", json=call(tool, **arguments), headers=ACCEPTED)
        yield (tool, arguments), response
        assert "status: 500" not in response.text, (tool, arguments, response.text)
        if tool == "aggregate" and response.status_code == 200:
            assert f'"{key}":{ident}' not in response.text.replace("\\", ""), (arguments, response.text)


def _text(response: httpx2.Response) -> str:
    """Return the text of a response, or of a workbook's parts."""
    if response.headers["content-type"].startswith(XLSX):
        with zipfile.ZipFile(io.BytesIO(response.content)) as book:
            return "".join(book.read(name).decode() for name in book.namelist())
    return response.text


@pytest.mark.parametrize("door", [reads, writes, exports, tools])
@pytest.mark.parametrize("table", sorted(KEYS))
async def test_no_door_gives_or_changes_a_row_of_another_account(
    product: Product, victim: Account, callers: dict[str, str], table: str, door: Door
) -> None:
    before = await rows_of(product, table, victim)
    for name, token in callers.items():
        async with caller(product, name, token) as http:
            async for case, response in door(http, table, before):
                assert response.status_code < 500, (name, case, response.text)
                assert MARK not in _text(response), (name, case)
    assert await rows_of(product, table, victim) == before


async def _user(product: Product, token: str) -> int:
    """Return the user of a session."""
    sql = "select appuserid from usersession where tokenhash = $1"
    return int(await product.db.fetchval(sql, token_hash(token)))


@pytest.mark.parametrize("table", sorted(KEYS))
async def test_a_batch_with_a_row_of_another_account_writes_nothing(
    product: Product, victim: Account, neighbor: Account, callers: dict[str, str], table: str
) -> None:
    """An own search is read and, by a reference to it, deleted; the third request names the row of another account."""
    before = await rows_of(product, table, victim)
    for name, token in callers.items():
        whose = name.split()[-1]  # the user's own name, or that of the user in a view
        userid = await _user(product, callers[whose if whose in INSIDERS else "owner"])
        reading = [{"path": f"_table/{table}", "query": q} for q in selections(table, before[0][KEYS[table]])]
        for step in [*steps(table, before[0]), *reading]:
            mark = secrets.token_hex(6)
            await product.db.execute(_SEARCH, neighbor.clientid, userid, mark)
            own = [
                {"id": "own", "path": "_table/savedsearch", "query": {"filter": f"name = {mark}", "fields": "*"}},
                {"method": "DELETE", "path": "_table/savedsearch",
                 "query": {"ids": {"$ref": "own.resource.0.savedsearchid"}}},
            ]  # fmt: skip
            async with caller(product, name, token) as http:
                response = await http.post(BATCH, json={"requests": [*own, step]})
            case = (name, step, response.text)
            assert response.status_code < 500, case
            assert MARK not in response.text, case
            if name not in INSIDERS:
                assert response.status_code in (401, 403, 404), case
            elif response.status_code != 200:
                assert response.json()["error"]["context"]["index"] == 2, case
            else:
                query = step.get("query", {})
                check_hidden(response.json()["responses"][2]["body"], query, table, before[0][KEYS[table]], case)
            deleted = not await product.db.fetchval("select count(*) from savedsearch where name = $1", mark)
            assert deleted == (response.status_code == 200), case
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


async def test_related_rows_of_other_accounts_are_not_included(
    product: Product, victim: Account, callers: dict[str, str]
) -> None:
    """Plans are public, subscriptions to them are not."""
    for name, token in callers.items():
        async with caller(product, name, token) as http:
            response = await http.get(TABLE + "subscriptionplan", params={"related": "usersubscription_by_planid"})
        if response.status_code != 200:
            continue
        for plan in response.json()["resource"]:
            clients = {record["clientid"] for record in plan["usersubscription_by_planid"]}
            assert victim.clientid not in clients, name


@pytest.mark.parametrize("table", sorted(HIDDEN_FROM_ALL))
async def test_tables_without_a_policy_do_not_exist(product: Product, callers: dict[str, str], table: str) -> None:
    for name, token in callers.items():
        async with caller(product, name, token) as http:
            response = await http.get(TABLE + table)
        assert response.status_code in ((403,) if name == "disabled" else (401, 404)), (name, response.text)


def test_the_table_of_rights_equals_the_reviewed_one() -> None:
    """Compare with tests/data/access.txt; update it by: python -m tests.product.test_policy_matrix"""
    assert rights() == (Path(__file__).parents[1] / "data" / "access.txt").read_text()


def rights() -> str:
    """Return one line per table, verb and role, with rows and fields."""
    lines = []
    tables = [*sorted(policy.POLICY.items()), *sorted(policy.POLICIES["staff"].items())]
    for table, access in tables:
        for action in ("read", "create", "update", "delete"):
            for role in ("key", "unverified", "member", "client", "viewmember", "viewclient", "staff"):
                rule = access.rule(action, role)
                if rule is None:
                    continue
                rows = rule.rows.__name__ if rule.rows else "all"
                fields = "*" if rule.fields is None else ",".join(sorted(rule.fields)) or "none"
                but = f" but {','.join(sorted(rule.hidden))}" if rule.hidden else ""
                wider = (
                    f" or {','.join(sorted(rule.rows_when_filtered_by))} own_client"
                    if rule.rows_when_filtered_by
                    else ""
                )
                only = "".join(
                    f" {name} in {rows_rule.__name__}" for name, rows_rule in sorted(rule.editable_in.items())
                )
                dropped = f" ignored {','.join(sorted(rule.ignored))}" if rule.ignored else ""
                masked = f" masked {','.join(sorted(access.sealed))}" if role in access.masked else ""
                lines.append(f"{table:20}{action:8}{role:11}{rows}{wider}: {fields}{but}{only}{dropped}{masked}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(__file__).parents[1] / "data" / "access.txt").write_text(rights())
