"""List, read and write back each table of a database not designed for tableapi, and compare with SQL."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import httpx2 as httpx
import pytest

from tests.foreign import database, values
from tests.foreign.reading import Text, described, get, path, rows
from tests.helpers.support import NewDatabase, Serve, rejection

# Tables that PostgreSQL itself refuses to read, and the error for a read of each, if it is to be read at all.
UNREADABLE = {
    "unfilled": (409, "not_populated"), "failing": (400, "rule"), "divided": (409, "definition_fails"),
}  # fmt: skip
# Tables with rules or triggers that reject, drop or redirect a change.
UNCHANGING = {
    "refuses", "refuse_oddlys", "swallows", "divides", "late", "rule_nothing", "rule_told", "rule_view", "trigger_view",
    "read_only", "rule_moved",
}  # fmt: skip
TABLES = """
select case when n.nspname = 'public' then c.relname else n.nspname || '.' || c.relname end as name,
       format('%I.%I', n.nspname, c.relname) as sql, c.relkind::text as kind
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('public', 'other', 'extensions', 'Odd.Schema') and c.relkind in ('r', 'p', 'v', 'm')
order by 1
"""


@pytest.fixture(scope="module")
def urls(module_database: NewDatabase) -> tuple[str, str]:
    """Return the URLs of the database for its owner and for the role of the server."""
    owner = module_database()
    parts = urlsplit(owner)
    return owner, urlunsplit(parts._replace(netloc=f"{database.READER}:reads@{parts.hostname}:{parts.port}"))


@pytest.fixture(scope="module")
async def sql(urls: tuple[str, str]) -> AsyncIterator[asyncpg.Connection]:
    """Connect with the role and the session settings of the server."""
    owner = await asyncpg.connect(urls[0])
    await database.build(owner)
    await owner.close()
    connection = await asyncpg.connect(urls[1], server_settings={"timezone": "UTC", "datestyle": "ISO, MDY"})
    yield connection
    await connection.close()


@pytest.fixture(scope="module")
def http(urls: tuple[str, str], sql: object, module_serve: Serve, tmp_path_factory: Any) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("foreign")
    server = module_serve("--dataset", f"x={urls[1]}", "--open", cwd=folder)
    refused: list[str] = []

    def look(response: httpx.Response) -> None:
        if response.status_code >= 500:
            response.read()
            refused.append(
                f"{response.status_code} {response.request.method} {response.request.url} {response.text[:300]}"
            )

    with httpx.Client(base_url=f"{server.url}/api/v2/x", timeout=60, event_hooks={"response": [look]}) as client:
        yield client
    assert not refused, "\n".join(refused)


@pytest.fixture(scope="module")
async def tables(sql: asyncpg.Connection) -> list[asyncpg.Record]:
    return list(await sql.fetch(TABLES))


def readable(tables: list[asyncpg.Record]) -> list[asyncpg.Record]:
    return [table for table in tables if table["name"] not in UNREADABLE]


async def content(sql: asyncpg.Connection, table: asyncpg.Record) -> str:
    """Return every row of a table as text."""
    value = await sql.fetchval(f"select string_agg(t::text, E'\\n' order by t::text) from {table['sql']} t")
    return str(value)


def test_every_table_is_listed(http: httpx.Client, tables: list[asyncpg.Record]) -> None:
    assert len(tables) > 190
    listed = [table["name"] for table in get(http, "/_table")["resource"]]
    assert sorted(listed) == sorted(table["name"] for table in tables)
    assert sorted(table["name"] for table in get(http, "/_schema")["resource"]) == sorted(listed)


async def test_every_field_is_described(
    http: httpx.Client, tables: list[asyncpg.Record], sql: asyncpg.Connection
) -> None:
    for table in tables:
        columns = await sql.fetch(
            "select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute"
            " where attrelid = $1::text::regclass and attnum > 0 and not attisdropped order by attnum",
            table["sql"],
        )
        fields = described(http, table["name"])["field"]
        assert [(column["name"], column["db_type"]) for column in fields] == [
            (column["name"], column["type"]) for column in columns
        ]


async def test_every_record_matches_sql(
    http: httpx.Client, tables: list[asyncpg.Record], sql: asyncpg.Connection
) -> None:
    compared = 0
    for table in readable(tables):
        records = rows(http, table["name"], limit=1000)
        fields = [field["name"] for field in described(http, table["name"])["field"]]
        assert all(list(row) == fields for row in records), table["name"]
        types = {field["name"]: field for field in described(http, table["name"])["field"]}
        chosen = ", ".join(as_text(field, types[field]) for field in fields)
        stored = await sql.fetch(f"select {chosen} from {table['sql']}")
        assert len(records) == len(stored) == int(get(http, f"/_table/{path(table['name'])}", count_only="true"))
        for field, place in zip(fields, range(len(fields)), strict=True):
            texts = sorted(shown(row[field]) for row in records if row[field] is not None)
            expected = sorted(plain(row[place], types[field]) for row in stored if row[place] is not None)
            if types[field]["type"] in COMPARED:
                assert texts == expected, (table["name"], field)
                compared += 1
    assert compared > 300


# Types that are JSON strings: all without a JSON representation.
COMPARED = ("id", "reference", "integer", "decimal", "double", "boolean", "string", "date", "timestamp",
            "timestamp_tz", "time", "uuid")  # fmt: skip


def as_text(name: str, field: dict[str, Any]) -> str:
    """Return the SQL of the value; JSON omits the mask of a single address."""
    column = values.name(name)
    return f"to_json({column}) #>> '{{}}'" if field["db_type"] == "inet" else f"{column}::text"


def shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def plain(value: str, field: dict[str, Any]) -> str:
    if field["db_type"] == "money":
        return value.replace("$", "").replace(",", "")
    return value


async def test_every_relation_returns_the_related_records(http: httpx.Client, tables: list[asyncpg.Record]) -> None:
    seen = 0
    for table in readable(tables):
        relations = described(http, table["name"])["related"]
        names = [relation["name"] for relation in relations]
        assert len(names) == len(set(names)), table["name"]
        views = [table["name"] for table in tables if table["kind"] in "vm"]
        # `*` does not include relations found through views.
        relations = [r for r in relations if r["ref_table"] not in views and r.get("junction_table") not in views]
        names = [relation["name"] for relation in relations]
        records = rows(http, table["name"], related="*", limit=1000)
        for row in records:
            assert set(names) <= row.keys(), (table["name"], set(names) - row.keys())
            for relation in relations:
                if "," in relation["field"] or relation["type"] == "many_many":
                    continue
                value, related = row[relation["field"]], row[relation["name"]]
                held = related if isinstance(related, list) else [related] if related else []
                assert all(other[relation["ref_field"]] == value for other in held), (table["name"], relation["name"])
                assert held or relation["type"] != "belongs_to" or value is None
                seen += len(held)
    assert seen > database.KEYS
    long = described(http, values.LONG + "two")
    assert len([relation for relation in long["related"] if relation["type"] == "belongs_to"]) >= database.KEYS


def test_each_of_many_relations_can_be_requested_with_options(http: httpx.Client) -> None:
    relations = described(http, values.LONG + "two")["related"]
    for relation in relations:
        name = relation["name"]
        records = rows(http, values.LONG + "two", related=name, fields="id", **{f"{name}.limit": 1})
        assert all(name in row for row in records), name


def keyed(row: dict[str, Any], key: list[str]) -> bool:
    return bool(key) and all(row[name] is not None for name in key)


def dumped(value: Any) -> str:
    """Serialize with numbers as they were read."""
    if isinstance(value, Text):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{dumped(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumped, value)) + "]"
    return json.dumps(value)


@pytest.mark.parametrize("way", ["PATCH", "PUT", "path", "upsert"])
async def test_every_record_round_trips(
    http: httpx.Client, tables: list[asyncpg.Record], sql: asyncpg.Connection, way: str
) -> None:
    written = 0
    headers = {"Content-Type": "application/json"}
    for table in readable(tables):
        about = described(http, table["name"])
        key, url = about["primary_key"], f"/_table/{path(table['name'])}"
        items = [row for row in rows(http, table["name"], limit=1000) if keyed(row, key)]
        before = await content(sql, table)
        for row in items:
            if way == "path":
                if len(key) > 1 or row[key[0]] in ("", ".", ".."):
                    continue
                response = http.request("PATCH", f"{url}/{path(row[key[0]])}", content=dumped(row), headers=headers)
            elif way == "upsert":
                response = http.post(f"{url}?upsert=true", content=f'{{"resource":[{dumped(row)}]}}', headers=headers)
            else:
                response = http.request(way, url, content=f'{{"resource":[{dumped(row)}]}}', headers=headers)
            if table["name"] in UNCHANGING:
                assert response.status_code in (200, 400, 403, 404, 409), (table["name"], response.text[:500])
                if response.status_code != 200:
                    assert response.json()["error"]["context"]["reason"]
            elif way == "upsert" and any(field["read_only"] for field in about["field"] if field["name"] in key):
                assert response.status_code in (200, 400, 403, 409), (table["name"], response.text[:500])
                continue
            else:
                assert response.status_code == 200, (table["name"], way, dumped(row)[:500], response.text[:500])
                written += 1
        # An upsert does not see rows of inheriting tables: no key spans both.
        if not (way == "upsert" and table["name"] in UNCHANGING | {"identity_always", "animal"}):
            assert await content(sql, table) == before, (table["name"], way)
    assert written > 200


@pytest.mark.parametrize("verb", ["POST", "PATCH", "DELETE"])
def test_rejected_writes_explain_why(http: httpx.Client, verb: str) -> None:
    for name in (*UNCHANGING, *UNREADABLE, "counted", "typed_view", "closed"):
        url = f"/_table/{path(name)}"
        if verb == "POST":
            response = http.post(url, json={"resource": [{"v": "x"}]})
        elif verb == "PATCH":
            response = http.patch(url, json={"resource": [{"v": "x"}]}, params={"filter": "v IS NOT NULL"})
        else:
            response = http.delete(url, params={"filter": "v = 'not there'"})
        assert response.status_code < 500, (name, response.text)
        if response.status_code != 200:
            assert response.json()["error"]["message"], name
            assert "select" not in response.text.lower(), name


def test_every_field_can_be_filtered_ordered_and_grouped_or_is_rejected(
    http: httpx.Client, tables: list[asyncpg.Record]
) -> None:
    for table in readable(tables):
        if table["name"] in (*values.ODD_NAMES[10:], "odd_columns", values.LONG + "two"):
            continue
        url = f"/_table/{path(table['name'])}"
        for field in described(http, table["name"])["field"]:
            if field["name"] in ("id", "b", "n") and table["name"].startswith("type_"):
                continue
            name = f"`{field['name']}`" if '"' in field["name"] else f'"{field["name"]}"'
            for condition in ("IS NULL", "= '1'", "IN ('1', '2')"):
                response = http.get(url, params={"filter": f"{name} {condition}"})
                assert response.status_code in ((200,) if condition == "IS NULL" else (200, 400)), (
                    table["name"], field["name"], condition, response.text[:300],
                )  # fmt: skip
            for option in ("order", "group"):
                more = {"fields": "COUNT(*)"} if option == "group" else {}
                response = http.get(url, params={option: name} | more)
                assert response.status_code in (200, 400), (table["name"], field["name"], option, response.text[:300])


def test_row_security_is_enforced(http: httpx.Client) -> None:
    assert [row["v"] for row in rows(http, "secured")] == ["mine"]
    assert rows(http, "closed") == []
    assert http.patch("/_table/secured/2", json={"v": "x"}).status_code == 404
    assert http.post("/_table/secured", json={"resource": [{"owner": "another", "v": "x"}]}).status_code in (400, 403)
    assert http.get("/_table/secured/2").status_code == 404


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_unreadable_values_are_not_server_errors(http: httpx.Client, name: str) -> None:
    for query in ({}, {"related": "*"}, {"count_only": "true"}, {"filter": "v IS NOT NULL"}):
        response = http.get(f"/_table/{name}", params=query)
        if response.status_code != 200:
            assert rejection(response) == UNREADABLE[name], response.text
