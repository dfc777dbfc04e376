"""Keys of unusual types: every way to name a record, and every write that uses its key again."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from tests.helpers.agents import agent
from tests.helpers.served import Served
from tests.helpers.support import Server, SqlClient, ok, rejection

TYPES = """
create domain closing as time;
create domain address as inet;
create type slot as (opens time, closes interval);
create domain slot_of as slot;
create type mood as enum ('a,b', 'it''s');
create domain season as daterange;
create domain pairs as int[];
create domain score as numeric;
create domain document as jsonb;
"""
SLOT, OPEN = {"opens": "24:00:00", "closes": "1 mon"}, '{"opens": "24:00", "closes": "1 mon"}'
ZERO = "00000000-0000-0000-0000-000000000000"


def key(text: str, shown: Any = None, path: str | None = None) -> tuple[str, Any, str]:
    """Return a key as a text in SQL, as JSON in responses, and as a text in a path."""
    shown = text if shown is None else shown
    return text, shown, path if path is not None else shown if isinstance(shown, str) else json.dumps(shown)


INFINITE = [key("infinity"), key("-infinity")]
# Type of the key, and two keys.
KEYS: dict[str, tuple[str, list[tuple[str, Any, str]]]] = {
    "time": ("time", [key("24:00", "24:00:00", "24:00"), key("12:30:01.5")]),
    "timetz": ("timetz", [key("24:00+00", "24:00:00+00"), key("12:00+05:30", "12:00:00+05:30")]),
    "interval": ("interval", [key("1 mon"), key("12000000 years")]),
    "infinite": ("interval", INFINITE),
    "date": ("date", [key("infinity"), key("4713-01-01 BC")]),
    "timestamp": ("timestamp", [key("infinity"), key("2024-01-02 03:04", "2024-01-02 03:04:00", "2024-01-02T03:04")]),
    "timestamptz": ("timestamptz", [key("-infinity"), key("2024-01-02 03:04+02", "2024-01-02 01:04:00+00")]),
    "inet": ("inet", [key("10.0.0.1"), key("10.0.0.0/8")]),
    "cidr": ("cidr", [key("10.0.0.0/8"), key("::1/128", path="::1")]),
    "jsonb": ("jsonb", [key('"a"', "a"), key('{"k": [1, 2.5]}', {"k": [1, 2.5]}, '{"k":[1,2.50]}')]),
    "json values": ("jsonb", [key("[1, 2]", [1, 2]), key('"1,2"', "1,2", '"1,2"')]),
    "composite": ("slot", [key("(24:00,1 mon)", SLOT, OPEN), key("(,)", {"opens": None, "closes": None}, "{}")]),
    "domain of composite": (
        "slot_of", [key("(24:00,1 mon)", SLOT), key("(01:00,)", {"opens": "01:00:00", "closes": None})],
    ),
    "composites": ("slot[]", [key('{"(24:00,1 mon)"}', [SLOT], f"[{OPEN}]"), key("{}", [])]),
    "domain of time": ("closing", [key("24:00", "24:00:00"), key("12:30", "12:30:00", "12:30")]),
    "domain of inet": ("address", [key("10.0.0.1"), key("10.0.0.2", path="10.0.0.2/32")]),
    "enum": ("mood", [key("a,b"), key("it's")]),
    "integers": ("int[]", [key("{1,2}", [1, 2], "{1,2}"), key("{}", [])]),
    "texts": ("text[]", [key('{"a,b","c\\"d"}', ["a,b", 'c"d']), key("{NULL,x}", [None, "x"], "{NULL,x}")]),
    "intervals": ("interval[]", [key("{1 mon,infinity}", ["1 mon", "infinity"]), key("{}", [], "{}")]),
    "range": ("int4range", [key("[1,6)", path="[1,5]"), key("empty")]),
    "dates": ("daterange", [key("[2024-01-01,2025-01-01)"), key("(,)")]),
    "multirange": ("int4multirange", [key("{[1,3),[5,8)}"), key("{}")]),
    "numeric": ("numeric", [key("NaN"), key("Infinity")]),
    "float": ("float8", [key("NaN"), key("-Infinity")]),
    "real": ("real", [key("NaN"), key("1.1", 1.1)]),
    "money": ("money", [key("1234.5", 1234.5), key("-1.5", -1.5)]),
    "bytea": ("bytea", [key("\\x00ff", "AP8="), key("\\x61", "YQ==")]),
    "uuid": ("uuid", [key("0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e", path="0B7E6B0C5F0E4C1B9C3A2F8F6F0F5D1E"), key(ZERO)]),
    "boolean": ("boolean", [key("t", True), key("f", False, "0")]),
    "char": ("char(3)", [key("a", "a  ", "a"), key("b'", "b' ", "b'")]),
    "bits": ("varbit", [key("101"), key("1")]),
    "macaddr": ("macaddr", [key("08:00:2b:01:02:03"), key("08:00:2b:01:02:04", path="08002b010204")]),
    "lsn": ("pg_lsn", [key("0/1"), key("16/B374D848")]),
    "text": ("text", [key("a/b,c"), key("\"(x)\" [y] 'z' ?#%2F\\ä\n")]),
    "blanks": ("text", [key(" a "), key("..a"), key("null")]),
    "quoted": ("text", [key("'a'"), key('"a"'), key("(a,b)"), key("''")]),
    "varchar": ("varchar(9)", [key(" "), key("a,b")]),
    "words of numbers": ("text", [key("NaN"), key("01"), key("1e3"), key("true")]),
    "name": ("name", [key("pg,class"), key("b")]),
    "byte": ('"char"', [key("a"), key(",")]),
    "smallint": ("smallint", [key("-1", -1), key("7", 7, "+7")]),
    "bigint": ("bigint", [key("9223372036854775807", 9223372036854775807), key("-1", -1)]),
    "oid": ("oid", [key("4294967295"), key("1")]),
    "xid8": ("xid8", [key("18446744073709551615"), key("1")]),
    "tid": ("tid", [key("(0,1)"), key("(1,2)")]),
    "decimal": ("numeric(9, 2)", [key("1.50", 1.5, "1.5"), key("-0.25", -0.25, "-.25")]),
    "domain of range": ("season", [key("[2024-01-01,2025-01-01)"), key("empty")]),
    "domain of array": ("pairs", [key("{1,2}", [1, 2], "{1,2}"), key("{}", [])]),
    "domain of numeric": ("score", [key("NaN"), key("1.5", 1.5)]),
    "domain of jsonb": ("document", [key("{}", {}), key('""', "", '""'), key("[]", [])]),
    "moments": ("tstzrange", [key('["2024-01-10 07:00:00+00",infinity)'), key("(,)")]),
    "numbers": ("numrange", [key("[1.5,2.5)"), key("[NaN,NaN]")]),
    "multirange of dates": ("datemultirange", [key("{[2024-01-01,2024-02-01)}"), key("{}")]),
    "numerics": ("numeric[]", [key("{1.5,NaN}", [1.5, "NaN"]), key("{}", [])]),
    "nested": ("int[]", [key("{{1,2},{3,4}}", [[1, 2], [3, 4]]), key("{{5}}", [[5]])]),
    "inets": ("inet[]", [key("{10.0.0.1}", ["10.0.0.1"]), key("{}", [])]),
    "times": ("timestamptz[]", [key("{2024-01-02 03:04+02}", ["2024-01-02 01:04:00+00"]), key("{}", [])]),
    "bytes": ("bytea", [key("\\x2c", "LA==")]),
    "byte arrays": ("bytea[]", [key('{"\\\\x00ff"}', ["AP8="]), key("{}", [])]),
    "json texts": ("jsonb", [key("5", 5), key('"5"', "5", '"5"'), key('"null"', "null", '"null"')]),
    "json words": ("jsonb", [key('"[1]"', "[1]", '"[1]"'), key("[1]", [1]), key('"true"', "true", '"true"')]),
    "vector": ("tsvector", [key("'fat':2"), key("'a' 'b'")]),
    "hardware": ("macaddr8", [key("08:00:2b:01:02:03:04:05"), key("08:00:2b:01:02:03:04:06")]),
}  # fmt: skip


def table(name: str) -> str:
    return "k_" + name.replace(" ", "_")


TABLES = "".join(
    f"create table {table(name)} (key {type_} primary key, note text);"
    f"create table c_{table(name)} (id int generated by default as identity primary key,"
    f" key {type_} references {table(name)}, note text);"
    f"create table m_{table(name)} (part int, key {type_}, note text, primary key (part, key));"
    for name, (type_, _) in KEYS.items()
)
EMPTY: dict[str, Any] = {"text": "", "varchar(9)": "", "bytea": "", "char(2)": "  ", "text[]": []}


def empty(type_: str) -> str:
    return "e_" + re.sub(r"\W", "_", type_)


EMPTY_TABLES = "".join(
    f"create table {empty(type_)} (key {type_} primary key, note text); insert into {empty(type_)} values "
    + ("('{}', 'old'), ('{1}', 'b');" if value == [] else "('', 'old'), ('bb', 'b');")
    for type_, value in EMPTY.items()
)
SERVED = Served(TYPES + TABLES + EMPTY_TABLES, under="", MCP_READ_ONLY="off")


@pytest.fixture(params=list(KEYS))
def keys(request: pytest.FixtureRequest, db: SqlClient) -> Iterator[tuple[str, list[tuple[Any, str]]]]:
    """A table with two records, and the keys of these in JSON and in a path."""
    name = request.param
    _, values = KEYS[name]
    for text, _, _ in values:
        quoted = text.replace("'", "''")
        db.execute(f"insert into {table(name)} values ('{quoted}', 'old')")
        db.execute(f"insert into m_{table(name)} values (1, '{quoted}', 'old')")
    yield table(name), [(shown, path) for _, shown, path in values]
    db.execute(f"truncate {table(name)}, c_{table(name)}, m_{table(name)}")


def by_path(name: str, *parts: str) -> str:
    return f"_table/{name}/" + quote(",".join(parts), safe="")


def as_part(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def is_json_text(name: str, shown: Any) -> bool:
    """Whether a JSON key is a string that reads as other JSON in an identifier."""
    return "json" in name and shown in ("", "5", "null", "[1]", "true")


@pytest.mark.parametrize(("type_", "key"), EMPTY.items())
async def test_an_empty_key_names_its_record(http: httpx2.Client, server: Server, type_: str, key: Any) -> None:
    path = f"_table/{empty(type_)}"
    literal, quoted = ("{}", "'{}'") if key == [] else ("", "''")
    record = {"key": key, "note": "old"}
    assert ok(http.get(path, params={"ids": quoted}))["resource"] == [record]
    assert ok(http.get(path, params={"filter": f"key = {quoted}"}))["resource"] == [record]
    for ident in (key, {"key": key}) if key != [] else ({"key": key},):
        assert ok(http.request("QUERY", path, json={"ids": [ident]}))["resource"] == [record]
        changed = ok(http.patch(path, json={"ids": [ident], "resource": [{"note": "old"}]}))
        assert changed["resource"] == [{"key": key}]
    assert ok(http.patch(path, json=[record]))["resource"] == [{"key": key}]
    assert ok(http.post(path, params={"upsert": "true"}, json=[record]))["resource"] == [{"key": key}]
    assert ok(http.get(path, params={"limit": 1, "cursor": "", "order": "key"}))["resource"] == [record]
    assert key in ok(http.get(path, params={"as_list": "true"}))["resource"]
    async with agent(f"{server.url}/mcp") as client:
        assert (await client.result("get_record", table=empty(type_), id=literal))["record"] == record
        deleted = await client.result("delete_records", table=empty(type_), ids=[literal], dry_run=True)
        assert deleted["count"] == 1
    assert ok(http.delete(path, params={"ids": quoted}))["resource"] == [{"key": key}]


def test_a_record_is_named_by_its_key(http: httpx2.Client, keys: tuple[str, list[tuple[Any, str]]]) -> None:
    name, values = keys
    records = [{"key": shown, "note": "old"} for shown, _ in values]
    rows = ok(http.get(f"_table/{name}"))["resource"]
    assert sorted(rows, key=str) == sorted(records, key=str)
    for (shown, path), record in zip(values, records, strict=True):
        response = http.get(by_path(name, path))
        assert ok(response) == record
        assert ok(http.get(f"_table/{name}", params={"ids": as_part(path)}))["resource"] == [record]
        assert ok(http.request("QUERY", f"_table/{name}", json={"ids": [path]}))["resource"] == [record]
        assert ok(http.request("QUERY", f"_table/{name}", json={"ids": [{"key": shown}]}))["resource"] == [record]
        part = f"1,{as_part(path)}"
        assert ok(http.get(by_path(f"m_{name}", part)))["key"] == shown
        assert ok(http.get(f"_table/m_{name}", params={"ids": f"({part})"}))["resource"][0]["key"] == shown
        stale = http.patch(by_path(name, path), json={"note": "new"}, headers={"If-Match": '"x"'})
        assert stale.status_code == 412, stale.text
        tag = {"If-Match": response.headers["ETag"]}
        assert ok(http.patch(by_path(name, path), json={"note": "new"}, headers=tag)) == {"key": shown}
    listed = ok(http.get(f"_table/m_{name}", params={"as_list": "true"}))["resource"]
    for ident in listed:  # as it can be sent back
        assert ok(http.get(by_path(f"m_{name}", ident)))["key"] in [shown for shown, _ in values]
    together = ",".join(f"({ident})" for ident in listed)
    assert len(ok(http.get(f"_table/m_{name}", params={"ids": together}))["resource"]) == len(values)
    both = ",".join(as_part(path) for _, path in reversed(values))
    assert [row["key"] for row in ok(http.get(f"_table/{name}", params={"ids": both}))["resource"]] == [
        shown for shown, _ in reversed(values)
    ]
    found, cursor = [], ""
    for _ in values:
        page = ok(http.get(f"_table/{name}", params={"limit": 1, "cursor": cursor, "fields": "key"}))
        found += [row["key"] for row in page["resource"]]
        cursor = page.get("meta", {}).get("next_cursor", "")
    assert sorted(map(str, found)) == sorted(str(shown) for shown, _ in values)


@pytest.mark.parametrize("sign", ["',", "('", "(", "'''a,''b,"])
def test_a_long_text_of_identifiers_is_rejected(http: httpx2.Client, sign: str) -> None:
    response = http.request("QUERY", "_table/k_range", json={"ids": sign * 60_000})
    assert rejection(response) == (400, "bad_option")


def test_a_filter_compares_a_key(http: httpx2.Client, keys: tuple[str, list[tuple[Any, str]]]) -> None:
    name, values = keys
    for shown, path in values:
        text = path if not name.startswith("k_json") else json.dumps(shown)
        rows = ok(http.get(f"_table/{name}", params={"filter": f"key = {as_part(text)}"}))["resource"]
        assert rows == [{"key": shown, "note": "old"}]
        if not isinstance(shown, dict | list) and "json" not in name:
            params = {"filter": "key in (:a, :a)", "params": json.dumps({"a": shown})}
            assert ok(http.get(f"_table/{name}", params=params))["resource"] == [{"key": shown, "note": "old"}]


def test_every_write_answers_with_its_key(
    http: httpx2.Client, db: SqlClient, keys: tuple[str, list[tuple[Any, str]]]
) -> None:
    name, values = keys
    child, relation, parent = f"c_{name}", f"c_{name}_by_key", f"{name}_by_key"
    for shown, path in values:
        record = {"key": shown, "note": "new"}
        full = {"fields": "*"}
        assert ok(http.patch(by_path(name, path), json={"note": "new"}, params=full)) == record
        assert ok(http.put(by_path(name, path), json={"note": "new"}, params={"upsert": "true"})) == {"key": shown}
        assert ok(http.post(f"_table/{name}", json=[record], params={"upsert": "true"}))["resource"] == [{"key": shown}]
        assert ok(http.patch(f"_table/{name}", json=[record], params=full))["resource"] == [record]
        changed = ok(http.patch(f"_table/{name}", json=[{"note": "x"}], params={"ids": as_part(path)}))
        assert changed["resource"] == [{"key": shown}]
        empty = {**record, relation: []}
        related = {"fields": "*", "related": relation}
        assert ok(http.patch(by_path(name, path), json={"note": "new"}, params=related)) == empty
        added = ok(http.patch(by_path(name, path), json={relation: [{"note": "n"}]}, params=related))[relation]
        assert [(row["key"], row["note"]) for row in added] == [(shown, "n")]
        sent = {"note": "c", parent: {"key": shown, "note": "y"}}
        created = ok(http.post(f"_table/{child}", json=[sent], params={"fields": "*"}))["resource"][0]
        assert (created["key"], created["note"]) == (shown, "c")
        linked = ok(http.post(f"_table/{child}", json=[{parent: {"key": shown}}], params={"fields": "key"}))
        assert linked["resource"] == [{"key": shown}]
        steps: list[dict[str, Any]] = [
            {"id": "a", "method": "PATCH", "path": f"_table/{name}", "body": [record]},
            {"id": "b", "method": "POST", "path": f"_table/{child}", "query": {"fields": "key"},
             "body": [{"key": {"$ref": "a.resource.0.key"}}]},
            {"method": "PATCH", "path": f"_table/{name}",
             "body": {"ids": [{"key": {"$ref": "b.resource.0.key"}}], "resource": [{"note": "new"}]}},
            {"path": f"_table/{name}", "query": {"ids": [{"$ref": "b.resource.0.key"}], "fields": "key"}},
        ]  # fmt: skip
        if is_json_text(name, shown):
            del steps[3]
        bodies = ok(http.post("_batch", json={"requests": steps}))["responses"]
        assert [body["body"]["resource"] for body in bodies] == [[{"key": shown}]] * len(steps)
        if not isinstance(shown, list) and not is_json_text(name, shown):  # a list names several records
            del steps[2]
            steps[2]["query"] = {"ids": {"$ref": "b.resource.0.key"}, "fields": "key"}
            bodies = ok(http.post("_batch", json={"requests": steps, "dry_run": True}))["responses"]
            assert bodies[2]["body"]["resource"] == [{"key": shown}]
        db.execute(f"truncate {child}")
        assert ok(http.delete(by_path(name, path), params=related)) == {**record, relation: []}
        again = ok(http.post(f"_table/{name}", json=[{**record, relation: [{"note": "a"}]}], params=related))
        assert [row["key"] for row in again["resource"][0][relation]] == [shown]
        released = {**again["resource"][0][relation][0], "key": None}
        assert ok(http.patch(by_path(name, path), json={relation: [released]}, params=related))[relation] == []
        assert ok(http.delete(f"_table/{name}", params={"ids": as_part(path)}))["resource"] == [{"key": shown}]
        assert ok(http.put(by_path(name, path), json={"note": "z"}, params={"upsert": "true"})) == {"key": shown}
    every = {"filter": "note = z", "related": relation, "fields": "*"}
    changed = ok(http.patch(f"_table/{name}", json=[{"note": "w"}], params=every))["resource"]
    rest = ok(http.delete(f"_table/{name}", params=every | {"filter": "note = w"}))["resource"]
    assert sorted(map(str, rest)) == sorted(map(str, changed))
    assert len(rest) == len(values)
    for _, path in values:
        part = f"1,{as_part(path)}"
        assert ok(http.patch(by_path(f"m_{name}", part), json={"note": "p"}))["part"] == 1
        assert ok(http.delete(by_path(f"m_{name}", part)))["part"] == 1
        again = http.put(by_path(f"m_{name}", part), json={"note": "q"}, params={"upsert": "true", "fields": "note"})
        assert ok(again) == {"note": "q"}


def test_tools_name_records_by_their_keys(server: Server, keys: tuple[str, list[tuple[Any, str]]]) -> None:
    name, values = keys

    async def call_tools() -> None:
        async with agent(f"{server.url}/mcp") as client:
            for shown, path in values:
                found = await client.result("get_record", table=name, id=path)
                assert found["record"]["key"] == shown
                found = await client.result("get_record", table=f"m_{name}", id=[1, path])
                assert found["record"]["key"] == shown
                changed = await client.result("update_records", table=name, records=[{"key": shown, "note": "t"}])
                assert changed["count"] == 1
                for tool, ident in ((name, path), (f"m_{name}", [1, path])):
                    assert (await client.result("delete_records", table=tool, ids=[ident]))["count"] == 1

    asyncio.run(call_tools())
