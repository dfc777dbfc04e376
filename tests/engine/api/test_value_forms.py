"""A value of any type looks the same in every response: tables, functions, files, streams, webhooks and tools."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import httpx2
import jsonschema_rs
import pytest

from tableapi import Settings, TableAPI
from tableapi.changes import triggers
from tests.helpers.agents import agent
from tests.helpers.changes import EventStream
from tests.helpers.support import NewDatabase, rejection
from tests.helpers.webhooks import SECRET, receiver

TYPES = """
create type mood as enum ('sad', 'so so');
create type spell as (at timestamptz, size numeric, data bytea);
create domain day as date check (value > '2000-01-01');
create domain days as date[];
"""
# The type of a column, a literal of it in SQL, and its value in JSON (numbers as text, to compare their digits).
VALUES: list[tuple[str, str | None, str | None]] = [
    ("smallint", "-1", "-1"), ("integer", "7", "7"), ("bigint", "9223372036854775807", "9223372036854775807"),
    ("numeric", "1.50", "1.50"), ("numeric", "NaN", '"NaN"'), ("numeric", "-Infinity", '"-Infinity"'),
    ("numeric(30, 5)", "12345678901234567890.12345", "12345678901234567890.12345"),
    ("real", "1.1", "1.1"), ("float8", "1e-7", "1e-07"), ("float8", "NaN", '"NaN"'), ("money", "1234.50", "1234.50"),
    ("oid", "4294967295", None), ("boolean", "t", "true"), ("text", 'a"\t\\ü😀', None), ("varchar(9)", "", None),
    ("char(3)", "a", '"a  "'), ("name", "n", None), ('"char"', "c", None), ("uuid",
     "0B7E6B0C-5F0E-4C1B-9C3A-2F8F6F0F5D1E", '"0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e"'),
    ("uuid", "11111111-1111-1111-1111-111111111111", None),
    ("date", "2024-01-10", None), ("date", "infinity", None), ("date", "4713-01-01 BC", None),
    ("date", "10000-01-01", None), ("timestamp", "2024-01-10 09:00:00.5", None), ("timestamp", "-infinity", None),
    ("timestamptz", "2024-01-10 09:00:00+02", '"2024-01-10 07:00:00+00"'), ("timestamptz", "infinity", None),
    ("timestamptz", "0044-03-15 12:00:00+00 BC", None), ("time", "24:00:00", None), ("time", "09:00:00.25", None),
    ("timetz", "24:00:00-05:30", None), ("timetz", "09:00:00+02", None), ("interval", "1 mon", None),
    ("interval", "1 day 02:03:04", None), ("interval", "12000000 years", None), ("interval", "-00:00:01.5", None),
    ("bytea", "\\x00ff10", '"AP8Q"'), ("bytea", "", '""'), ("json", '{"a": 1.50, "b": null}', '{"a": 1.50, "b": null}'),
    ("jsonb", '{"a": 1.50}', '{"a": 1.50}'), ("jsonb", "null", "null"), ("jsonb", '"2024-01-10"', '"2024-01-10"'),
    ("mood", "so so", None), ("day", "2024-01-10", None), ("inet", "10.0.0.1", None), ("inet", "10.0.0.0/8", None),
    ("cidr", "::1/128", None), ("macaddr", "08:00:2b:01:02:03", None), ("bit(3)", "101", None),
    ("varbit", "1", None), ("point", "(1,2)", None), ("tsvector", "'fat':2", None),
    ("int4range", "[1,6)", None), ("tstzrange", '["2024-01-10 07:00:00+00",infinity)', None),
    ("int4multirange", "{[1,3),[5,8)}", None), ("pg_lsn", "0/1", None), ("jsonpath", '$."a"', None),
    ("integer[]", "{1,NULL,3}", "[1, null, 3]"), ("integer[]", "{{1,2},{3,4}}", "[[1, 2], [3, 4]]"),
    ("text[]", '{"a,b",NULL,"q\\""}', '["a,b", null, "q\\""]'), ("numeric[]", "{1.50,NaN}", '[1.50, "NaN"]'),
    ("money[]", "{1.50}", "[1.50]"), ("timestamptz[]", "{2024-01-10 09:00:00+02}", '["2024-01-10 07:00:00+00"]'),
    ("timestamp[]", "{2024-01-10 09:00:00}", '["2024-01-10 09:00:00"]'), ("interval[]", "{1 mon}", '["1 mon"]'),
    ("time[]", "{24:00}", '["24:00:00"]'), ("date[]", "{2024-01-10,infinity}", '["2024-01-10", "infinity"]'),
    ("bytea[]", '{"\\\\x00ff",NULL}', '["AP8=", null]'), ("inet[]", "{10.0.0.1}", '["10.0.0.1"]'),
    ("uuid[]", "{0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e}", '["0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e"]'),
    ("jsonb[]", '{"{\\"a\\": 1.50}"}', '[{"a": 1.50}]'), ("boolean[]", "{t,f}", "[true, false]"),
    ("mood[]", '{sad,"so so"}', '["sad", "so so"]'), ("days", "{2024-01-10}", '["2024-01-10"]'),
    ("int4range[]", '{"[1,2)"}', '["[1,2)"]'), ("spell", "(,1.50,)", '{"at": null, "size": 1.50, "data": null}'),
    ("spell[]", '{"(,2,)"}', '[{"at": null, "size": 2, "data": null}]'),
    ("spell", '("2024-01-10 07:00:00+00",,"\\\\x00ff")',
     '{"at": "2024-01-10T07:00:00+00:00", "size": null, "data": "\\\\x00ff"}'),
    ("text", None, "null"), ("bytea", None, "null"), ("integer[]", None, "null"), ("spell", None, "null"),
]  # fmt: skip


def exact(text: str) -> Any:
    """Decode JSON; numbers keep their digits."""
    return json.loads(text, parse_int=lambda n: f"#{n}", parse_float=lambda n: f"#{n}")


def literal(value: str | None) -> str:
    return "null" if value is None else "E'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def output_type(type_: str) -> str:
    """Return the type of an output of a procedure: text for types that these do not support."""
    return "text" if type_ in ("spell", "spell[]", "tstzrange") else type_


COLUMNS = [f"c{number}" for number in range(len(VALUES))]
EXPECTED = {
    name: exact(shown if shown is not None else json.dumps(text))
    for name, (_, text, shown) in zip(COLUMNS, VALUES, strict=True)
}
_NAMED = list(zip(COLUMNS, VALUES, strict=True))
INSERT = "insert into every values (1, 1, " + ", ".join(literal(text) for _, text, _ in VALUES) + ");"
SQL = (
    TYPES
    + "create table every (id integer primary key, parent integer references every, "
    + ", ".join(f"{name} {type_}" for name, (type_, _, _) in _NAMED)
    + ");"
    + "create function every_rows() returns setof every language sql stable as 'select * from every';"
    + "create function every_column() returns table ("
    + ", ".join(f"{name} {type_}" for name, (type_, _, _) in _NAMED)
    + f") language sql stable as 'select {', '.join(COLUMNS)} from every';"
    + "create procedure every_output("
    + ", ".join(f"inout {name} {output_type(type_)} default null" for name, (type_, _, _) in _NAMED)
    + ") language plpgsql as $$ begin "
    + "".join(f"{name} := (select t.{name} from every t); " for name in COLUMNS)
    + "end $$; create procedure composite_output(inout v spell) language plpgsql as 'begin v.size := 1; end';"
    + "".join(
        f"create function value_{name}() returns {type_} language sql stable as 'select {name} from every';"
        f"create function values_{name}() returns setof {type_} language sql stable as 'select {name} from every';"
        for name, (type_, _, _) in _NAMED
    )
)
KEY = {"X-API-Key": "ADMIN"}
ROUTINES = ["every_rows", "every_column", "every_output", "composite_output"] + [
    f"{kind}_{name}" for kind in ("value", "values") for name in COLUMNS
]


class Doors:
    """A served database with one record, and the events of its creation."""

    def __init__(self, api: TableAPI, http: httpx2.AsyncClient, streamed: Any, hooked: Any) -> None:
        self.api, self.http, self.streamed, self.hooked = api, http, streamed, hooked

    async def text(self, path: str, method: str = "GET", **more: Any) -> str:
        response = await self.http.request(method, path, **more)
        assert response.status_code == 200, (path, response.text)
        return response.text

    async def json(self, path: str, method: str = "GET", **more: Any) -> Any:
        return exact(await self.text(path, method, **more))


@pytest.fixture(scope="module")
async def doors(module_database: NewDatabase, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Doors]:
    url = await asyncio.to_thread(module_database, SQL)
    writer = await asyncpg.connect(url, server_settings={"timezone": "Asia/Tokyo", "intervalstyle": "iso_8601"})
    await triggers.install(writer, {"every": ()}, lambda line: None)
    settings = Settings(
        public_routines=tuple(ROUTINES), changes_poll_seconds=0.01, mcp_read_only=False, webhooks_private=True,
        webhooks_backoff_seconds=0.05,
    )  # fmt: skip
    async with receiver() as hooks:
        hook = {"name": "a", "dataset": "x", "table": "every", "url": hooks.url, "secret": SECRET, "on": ["created"]}
        file = tmp_path_factory.mktemp("access") / "access.json"
        file.write_text(json.dumps({"keys": {"ADMIN": {"role": "*"}}, "webhooks": [hook]}))
        api = TableAPI({"x": url}, access=file, settings=settings)
        http = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(api), base_url="http://test/api/v2/x/", headers=KEY, timeout=60
        )
        async with api.lifespan(), http:
            async with EventStream(api, "/api/v2/x/_table/every/_changes", KEY, {}) as stream:
                assert await stream.next() == ("reset", {})
                await writer.execute(INSERT)
                await stream.next()
                streamed = stream.body.decode().rpartition("data: ")[2].splitlines()[0]
            await hooks.gets(1)
            yield Doors(api, http, exact(streamed), exact(hooks.received[0].body.decode()))
    await writer.close()


def differences(row: dict[str, Any]) -> dict[str, Any]:
    """Return the values that differ from those of a table, with their types."""
    return {
        f"{name} {type_}": (row.get(name), EXPECTED[name])
        for name, (type_, _, _) in _NAMED
        if row.get(name, "missing") != EXPECTED[name]
    }


async def test_rows_of_tables_and_relations(doors: Doors) -> None:
    assert differences(await doors.json("_table/every/1")) == {}
    for path in ("_table/every", "_table/every?ids=1", "_table/every?filter=id = 1&order=id", "_table/every?cursor="):
        assert differences((await doors.json(path))["resource"][0]) == {}, path
    assert differences((await doors.json("_table/every", "QUERY", json={"filter": "id = 1"}))["resource"][0]) == {}
    record = await doors.json("_table/every/1?related=every_by_parent_parent,every_by_parent&fields=id")
    assert differences(record["every_by_parent_parent"]) == {}
    assert differences(record["every_by_parent"][0]) == {}


@pytest.mark.parametrize(
    ("query", "numbers"), [("", "json"), ("?typed=true", "json"), ("?typed=true&numbers=text", "text")]
)
async def test_rows_match_the_description(doors: Doors, query: str, numbers: str) -> None:
    """Also the formats, which generated clients check."""
    document = json.loads(await doors.text(f"_spec{query}"))
    row = json.loads(await doors.text(f"_table/every/1?numbers={numbers}"))
    for name in ("every", "every_update"):
        schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
        validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        assert [(list(error.instance_path), error.message) for error in validator.iter_errors(row)] == []
    fields = document["components"]["schemas"]["every"]["properties"].values()
    # The types that clients check more strictly than JSON Schema does, such as UUIDs without a version.
    assert {field.get("format") for field in fields} <= {None, "int64", "decimal"}


async def test_rows_of_writes(doors: Doors) -> None:
    for path, method, body in (
        ("_table/every/1?fields=*", "PATCH", {"parent": 1}),
        ("_table/every?fields=*", "PATCH", [{"id": 1, "parent": 1}]),
        ("_table/every?fields=*&filter=id = 1", "PATCH", [{"parent": 1}]),
        ("_table/every?fields=*&upsert=true", "POST", [{"id": 1}]),
    ):
        answer = await doors.json(path, method, json=body)
        assert differences(answer["resource"][0] if "resource" in answer else answer) == {}, (path, method)
    steps = [{"method": "GET", "path": "_table/every/1"}]
    batch = await doors.json("_batch", "POST", json={"requests": steps})
    assert differences(batch["responses"][0]["body"]) == {}


async def test_rows_and_values_of_functions(doors: Doors) -> None:
    for path in ("every_rows", "every_rows?limit=1", "every_column", "every_column?limit=1", "every_rows?filter=id=1"):
        assert differences((await doors.json(f"_func/{path}"))[0]) == {}, path
    for kind in ("value", "values"):
        for options in ("", "?limit=1"):
            row = dict(EXPECTED)
            for name, (type_, _, _) in _NAMED:
                if type_ != "spell":  # a composite value is a row with the columns of its type
                    row[name] = (await doors.json(f"_func/{kind}_{name}{options}"))[0][f"{kind}_{name}"]
            assert differences(row) == {}, (kind, options)


async def test_a_procedure_with_an_output_of_an_unsupported_type_does_not_run(doors: Doors) -> None:
    response = await doors.http.post("_proc/composite_output", json={"v": {"size": 2}})
    assert rejection(response) == (409, "definition_fails")


async def test_outputs_of_a_procedure(doors: Doors) -> None:
    composites = {name: EXPECTED[name] for name, (type_, _, _) in _NAMED if output_type(type_) != type_}
    for options in ("", "?dry_run=true"):
        assert differences((await doors.json(f"_proc/every_output{options}", "POST", json={}))[0] | composites) == {}


async def test_lines_and_cells_of_files(doors: Doors) -> None:
    lines = await doors.text("_table/every", headers={"Accept": "application/x-ndjson"})
    assert differences(exact(lines)) == {}
    cells = next(csv.DictReader(io.StringIO(await doors.text("_table/every", headers={"Accept": "text/csv"}))))
    for name, (type_, _, _) in _NAMED:
        value = EXPECTED[name]
        if isinstance(value, str):
            assert cells[name] == value.removeprefix("#"), (name, type_)
        else:
            assert value is None or exact(cells[name]) == value, (name, type_)


async def test_a_single_value(doors: Doors) -> None:
    for name, (type_, text, _) in _NAMED:
        response = await doors.http.get("_table/every/1", params={"raw": name})
        value = EXPECTED[name]
        if value is None:
            assert response.status_code == 404
        elif type_ == "bytea":
            assert response.content == bytes.fromhex(str(text)[2:])
        elif isinstance(value, str) and type_ != "jsonb":
            assert response.text == value.removeprefix("#"), (name, type_)
        else:
            assert exact(response.text) == value, (name, type_)


async def test_events_of_a_stream_and_of_a_webhook(doors: Doors) -> None:
    assert differences(doors.streamed) == {}
    assert differences(doors.hooked["data"]["record"]) == {}


async def test_results_of_tools(doors: Doors) -> None:
    transport = httpx2.ASGITransport(doors.api)
    async with agent("http://test/mcp", transport=transport, X_API_Key="ADMIN") as client:
        for tool, arguments in (
            ("get_record", {"table": "every", "id": 1}),
            ("query", {"table": "every"}),
            ("call_function", {"name": "every_rows"}),
            ("call_function", {"name": "every_column"}),
        ):
            _, texts = await client.texts(tool, **arguments)
            result = exact(texts[-1])
            row = result.get("record") or dict(zip(result["columns"], result["rows"][0], strict=True))
            assert differences(row) == {}, tool
