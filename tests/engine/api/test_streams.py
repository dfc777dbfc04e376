"""Reads as newline-delimited JSON, and single columns as the body of a response."""

from __future__ import annotations

import json

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import rejection

SCHEMA = """
create table item (id integer primary key, name text, n numeric, kind integer);
insert into item select n, 'name ' || n, n * 1.5, n % 3 from generate_series(1, 2500) n;
create table loose (name text);
create view item_names as select name from item;
insert into loose values ('a');
create table file (id integer primary key, photo bytea, "odd name" text, data jsonb, size numeric);
insert into file values (1, '\\x00ff10', 'hé <b>', '{"a": 1}', 1.50), (2, null, null, null, null);
"""
NDJSON = {"Accept": "application/x-ndjson"}
SERVED = Served(SCHEMA, dataset="db")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"filter": "nope = 1"}, "unknown_field"),
        ({"offset": "5"}, "bad_option"),
        ({"cursor": ""}, "bad_option"),
        ({"timezone": "UTC"}, "bad_option"),
        ({"count_only": "true"}, "bad_option"),
    ],
)
def test_an_invalid_read_is_rejected_before_the_stream(http: httpx.Client, query: dict[str, str], reason: str) -> None:
    response = http.get("/item", params=query, headers=NDJSON)
    assert rejection(response) == (400, reason)


def test_a_view_without_a_key_has_no_stream(http: httpx.Client) -> None:
    for query in ({}, {"limit": "1001"}):
        response = http.get("/item_names", params=query, headers=NDJSON)
        assert rejection(response) == (400, "no_primary_key")


def test_a_view_without_a_key_is_streamed_up_to_a_page(http: httpx.Client) -> None:
    for query, number in (({"limit": "20"}, 20), ({"limit": "1000"}, 1000), ({"limit": "5", "order": "name desc"}, 5)):
        lines = http.get("/item_names", params=query, headers=NDJSON).text.splitlines()
        assert len(lines) == number
        assert all(json.loads(line)["name"].startswith("name ") for line in lines)


def test_every_record_is_one_line(http: httpx.Client) -> None:
    response = http.get("/item", params={"fields": "id,n"}, headers=NDJSON)
    assert response.headers["content-type"] == "application/x-ndjson"
    assert "content-length" not in response.headers
    lines = response.text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(range(1, 2501))
    assert lines[0] == '{"id":1,"n":1.5}'


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ({"limit": "3"}, [1, 2, 3]),
        ({"limit": "1500", "order": "id desc"}, list(range(2500, 1000, -1))),
        ({"filter": "id > 2498"}, [2499, 2500]),
        ({"filter": "id < 0"}, []),
        ({"order": "kind,id desc", "limit": "2"}, [2499, 2496]),
        ({"accept": "application/x-ndjson", "filter": "id = 7"}, [7]),
    ],
)
def test_a_stream_applies_filter_order_and_limit(http: httpx.Client, query: dict[str, str], ids: list[int]) -> None:
    response = http.get("/item", params=query, headers={} if "accept" in query else NDJSON)
    assert [json.loads(line)["id"] for line in response.text.splitlines()] == ids


def test_an_order_without_an_index_streams_every_record_once(http: httpx.Client) -> None:
    """Every page sorts the table again, as wire.md says: slow, but complete and in order."""
    response = http.get("/item", params={"order": "kind,n desc"}, headers=NDJSON)
    lines = [json.loads(line) for line in response.iter_lines()]
    assert sorted(line["id"] for line in lines) == list(range(1, 2501))
    assert lines == sorted(lines, key=lambda line: (line["kind"], -line["n"]))


def test_groups_and_tables_without_a_key_can_be_streamed(http: httpx.Client) -> None:
    groups = http.get("/item", params={"group": "kind", "fields": "kind,COUNT(*) AS n"}, headers=NDJSON).text
    assert groups == '{"kind":0,"n":833}\n{"kind":1,"n":834}\n{"kind":2,"n":833}\n'
    assert http.get("/loose", headers=NDJSON).text == '{"name":"a"}\n'


def test_a_raw_column_is_the_response_body(http: httpx.Client) -> None:
    photo = http.get("/file/1", params={"raw": "photo"})
    assert (photo.content, photo.headers["content-type"]) == (b"\x00\xff\x10", "application/octet-stream")
    assert photo.headers["content-disposition"] == 'attachment; filename="file-1"'
    assert photo.headers["etag"]
    text = http.get("/file/1", params={"raw": "ODD name"})
    assert (text.text, text.headers["content-type"]) == ("hé <b>", "text/plain; charset=utf-8")
    assert http.get("/file/1", params={"raw": "data"}).json() == {"a": 1}
    assert http.get("/file/1", params={"raw": "size"}).text == "1.50"


@pytest.mark.parametrize(
    ("path", "column", "status"), [("/file/1", "nope", 400), ("/file/2", "photo", 404), ("/file/9", "photo", 404)]
)
def test_a_missing_raw_column_is_rejected(http: httpx.Client, path: str, column: str, status: int) -> None:
    assert http.get(path, params={"raw": column}).status_code == status
