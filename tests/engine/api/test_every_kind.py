"""List, describe, read and write each of the 150 kinds of tables in every_kind.sql."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import Serve, ok

SQL = (Path(__file__).parents[2] / "data" / "every_kind.sql").read_text()
LARGE = 100  # records of one read
SERVED = Served(SQL, under="")


@pytest.fixture(scope="module")
def tables(http: httpx.Client) -> list[dict[str, Any]]:
    names = get(http, "/_table")["resource"]
    return [get(http, f"/_schema/{path(table['name'])}") for table in names]


def path(text: object) -> str:
    return quote(str(text), safe="")


def get(client: httpx.Client, url: str, **query: Any) -> Any:
    response = client.get(url, params=query)
    assert response.status_code == 200, (url, query, response.text)
    return response.json()


def identifier(table: dict[str, Any], row: dict[str, Any]) -> str:
    return ",".join(str(row[name]) for name in table["primary_key"])


def readable(table: dict[str, Any]) -> bool:
    return bool(table["name"] != "unfilled")  # PostgreSQL itself refuses to read an unpopulated view


@pytest.mark.timing
def test_the_server_is_ready_within_seconds(url: str, serve: Serve) -> None:
    """Takes under 3 s from the command to readiness on an idle machine; `pytest -s` prints the time."""
    began = time.monotonic()
    server = serve("--dataset", f"x={url}", "--open", cwd=Path(__file__).parent)
    ready = httpx.get(f"{server.url}/readyz")
    took = time.monotonic() - began
    assert ready.status_code == 200, ready.text
    print(f"\n150 tables are served after {took:.2f} s")
    assert took < 10


def test_every_table_is_listed_with_its_name(tables: list[dict[str, Any]]) -> None:
    names = {table["name"] for table in tables}
    assert len(names) >= 150
    assert {"MixedCase", "order", "With Blank", "dot.ted", "sales.customer", "Odd Schema.Odd Table", "Zażółć"} <= names
    assert {"simple_view", "frozen", "measure", "measure_2024", "no_key", "no_columns", "UPPER", "upper"} <= names


def test_every_table_is_read_with_all_its_relations(http: httpx.Client, tables: list[dict[str, Any]]) -> None:
    for table in filter(readable, tables):
        url = f"/_table/{path(table['name'])}"
        page = get(http, url, related="*", include_count="true", limit=LARGE)
        fields = {field["name"] for field in table["field"]}
        for row in page["resource"]:
            assert fields <= row.keys()
        assert page["meta"]["count"] == len(page["resource"]) == get(http, url, count_only="true")


def test_every_field_can_be_selected_filtered_and_ordered(http: httpx.Client, tables: list[dict[str, Any]]) -> None:
    compared: set[str] = set()  # whether values compare depends on the type, how a field is named does not
    for table in filter(readable, tables):
        if table["name"] == "wide":
            continue
        url = f"/_table/{path(table['name'])}"
        for field in table["field"]:
            name = field["name"]
            plain = '"' not in name and "," not in name
            quoted = f"`{name}`" if '"' in name else f'"{name}"'
            get(http, url, filter=f"({quoted} IS NULL) OR ({quoted} IS NOT NULL)")
            if field["db_type"] not in compared:
                compared.add(field["db_type"])
                for condition in ("CONTAINS '1'", "= '1'", "> '1'", "IN ('1', '2')"):
                    response = http.get(url, params={"filter": f"{quoted} {condition}"})
                    assert response.status_code in (200, 400), (url, condition, name, response.text)
            response = http.get(url, params={"order": f"{quoted} desc"})
            assert response.status_code in (200, 400), (url, name, response.text)
            if plain:
                rows = get(http, url, fields=f'"{name}"', limit=2)["resource"]
                assert all(list(row) == [name] for row in rows)


def test_every_record_is_found_by_its_key(http: httpx.Client, tables: list[dict[str, Any]]) -> None:
    records_read = 0
    for table in filter(readable, tables):
        if not table["primary_key"] or table["name"] in ("composite_key", "refers_composite"):
            continue
        url = f"/_table/{path(table['name'])}"
        rows = get(http, url, limit=5)["resource"]
        for row in rows:
            ident = identifier(table, row)
            if ident == "":
                continue
            assert get(http, f"{url}/{path(ident)}") == row, (url, ident)
            records_read += 1
    assert records_read > 60


def test_a_key_with_a_comma_is_found_in_a_body(http: httpx.Client) -> None:
    body = {"resource": [{"a": 2, "b": "a,b", "c": "2024-01-02"}]}
    response = http.post("/_table/composite_key", json=body, headers={"X-HTTP-Method": "GET"})
    assert response.json()["resource"][0]["v"] == "w"


def test_every_record_round_trips(http: httpx.Client, tables: list[dict[str, Any]]) -> None:
    """Send each record back as read, and check that it does not change."""
    for table in tables:
        if "PATCH" not in table["access"] or not table["primary_key"] or table["is_view"]:
            continue
        url = f"/_table/{path(table['name'])}"
        for row in get(http, url, limit=3)["resource"]:
            # The text of an extreme value is not always valid in a request.
            sent = {k: v for k, v in row.items() if v not in ("infinity", "-infinity", "NaN", "Infinity")}
            key = {name: row[name] for name in table["primary_key"]}
            response = http.patch(url, json={"resource": [sent | key]}, params={"fields": "*"})
            assert response.status_code == 200, (url, sent, response.text)
            assert response.json()["resource"][0] == row, url


def test_every_table_accepts_a_new_record(http: httpx.Client, tables: list[dict[str, Any]]) -> None:
    """Insert a record without values, or get an error that names a missing field."""
    tables_written = 0
    for table in tables:
        url = f"/_table/{path(table['name'])}"
        name = next((f["name"] for f in table["field"] if f["allow_null"] and not f["read_only"]), None)
        response = http.post(url, json={"resource": [{name: None}]})
        assert response.status_code in (200, 400, 403), (url, response.text)
        if response.status_code == 200:
            tables_written += 1
            row = response.json()["resource"][0]
            if table["primary_key"]:
                ident = path(identifier(table, row))
                assert http.delete(f"{url}/{ident}").status_code == 200, url
    assert tables_written > 90


@pytest.mark.parametrize(
    ("table", "sent", "stored"),
    [
        (
            "numbers",
            {"s": "7", "l": 9007199254740993, "n": "1.25", "f": 0.5, "m": 12.5, "p": 3, "o": 7},
            {"s": 7, "n": 1.25, "m": 12.5},
        ),
        ("texts", {"t": "ü 'x'", "v": "v", "c": "ab", "nm": "n", "e": "a@b", "ci": "q"}, {"t": "ü 'x'", "e": "a@b"}),
        (
            "times",
            {
                "d": "2024-02-29",
                "t": "23:59",
                "ts": "2024-01-01T10:00:00",
                "tstz": "2024-01-01T10:00:00+02:00",
                "iv": "3 days",
            },
            {"d": "2024-02-29", "tstz": "2024-01-01 08:00:00+00", "iv": "3 days"},
        ),
        (
            "structures",
            {
                "j": [1, "x"],
                "jb": {"a": None},
                "mo": "sad",
                "ad": {"street": "S", "number": 1, "tags": ["a b"]},
                "ads": [{"street": "T", "number": 2, "tags": None}],
                "moods": ["sad", "so so"],
            },
            {
                "jb": {"a": None},
                "ad": {"street": "S", "number": 1, "tags": ["a b"]},
                "moods": ["sad", "so so"],
                "ads": [{"street": "T", "number": 2, "tags": None}],
            },
        ),
        (
            "arrays",
            {
                "i": [1, None, 3],
                "t": ["a,b", 'q"', None, "back\\slash", ""],
                "m": [[1, 2], [3, 4]],
                "b": [True, False],
                "by": ["AP8="],
            },
            {"i": [1, None, 3], "t": ["a,b", 'q"', None, "back\\slash", ""], "m": [[1, 2], [3, 4]], "b": [True, False]},
        ),
        (
            "ranges",
            {"i": "[1,5)", "d": "[2024-01-01,2024-02-01)", "own": "[1,2]"},
            {"i": "[1,5)", "d": "[2024-01-01,2024-02-01)"},
        ),
        (
            "network",
            {"i": "10.0.0.1", "c": "10.0.0.0/8", "m": "08:00:2b:01:02:03"},
            {"i": "10.0.0.1", "c": "10.0.0.0/8"},
        ),
        ("geometry", {"p": "(1,2)", "c": "<(0,0),1>"}, {"p": "(1,2)"}),
        ("bits", {"b": "1010", "by": "AP8=", "tv": "'fat':2"}, {"b": "1010", "by": "AP8="}),
        ("MixedCase", {"FullName": "X", "camelcase": 5}, {"FullName": "X", "camelCase": 5}),
        (
            "With Blank",
            {"first name": "1", "a.b": "2", 'quote"d': "3", "it's": "4"},
            {"a.b": "2", 'quote"d': "3", "it's": "4"},
        ),
        ("Odd Schema.Odd Table", {"Odd Column": "x"}, {"Odd Column": "x"}),
        ("UPPER", {"a": "1", "A": "2"}, {"a": "1", "A": "2"}),
        ("identity_always", {"id": 99, "v": "x"}, {"v": "x"}),
        ("generated_column", {"a": 1, "b": 2, "total": 99}, {"total": 3}),
        ("measure", {"id": 9, "at": "2024-06-01", "v": 1}, {"v": 1}),
        ("simple_view", {"name": "through the view"}, {"name": "through the view"}),
    ],
)
def test_values_of_every_type_are_written_and_read(http: httpx.Client, table: str, sent: Any, stored: Any) -> None:
    response = http.post(f"/_table/{path(table)}", json={"resource": [sent]}, params={"fields": "*"})
    row = ok(response)["resource"][0]
    assert {name: row[name] for name in stored} == stored


@pytest.mark.parametrize(
    ("table", "sent"),
    [
        ("numbers", {"s": 40000}),
        ("numbers", {"p": 0}),
        ("numbers", {"m": "much"}),
        ("numbers", {"o": "x"}),
        ("texts", {"e": "no at"}),
        ("texts", {"v": "x" * 21}),
        ("times", {"iv": "soon"}),
        ("times", {"t": "25:00"}),
        ("structures", {"mo": "glad"}),
        ("structures", {"ad": "x"}),
        ("structures", {"ad": {"number": "x"}}),
        ("arrays", {"i": "x"}),
        ("arrays", {"i": [[1], [2, 3]]}),
        ("arrays", {"i": ["x"]}),
        ("ranges", {"i": "[5,1)"}),
        ("ranges", {"i": "x"}),
        ("network", {"i": "300.1.1.1"}),
        ("network", {"c": "10.0.0.1/8"}),
        ("geometry", {"p": "x"}),
        ("bits", {"b": "12"}),
        ("bits", {"by": "%%"}),
        ("bits", {"tv": "'"}),
        ("checked", {"age": 3}),
        ("ruled", {"v": "bad"}),
        ("measure", {"id": 1, "at": "2030-01-01"}),
        ("grouped_view", {"parent": 1}),
        ("frozen", {"name": "x"}),
        ("all_fixed", {"v": 3}),
        ("swallowed", {"v": "x"}),
    ],
)
def test_a_value_of_the_wrong_type_is_rejected(http: httpx.Client, table: str, sent: Any) -> None:
    response = http.post(f"/_table/{table}", json={"resource": [sent]})
    assert response.status_code in (400, 403), response.text
    assert "error" in response.json()
