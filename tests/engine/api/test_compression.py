"""Large responses are sent in brotli or gzip to clients that accept it."""

from __future__ import annotations

import gzip
import json

import brotli
import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import NewDatabase, Serve

SQL = """create table line (id integer primary key, text text);
insert into line select n, repeat('word ', 20) || n from generate_series(1, 1000) n;
create table big (id integer primary key, text text);
insert into big values (1, repeat('a', 40000));"""
LIST = "/api/v2/d/_table/line"
SERVED = Served(SQL, dataset="d", under="/")


def raw(http: httpx.Client, path: str, accepted: str, **headers: str) -> tuple[httpx.Response, bytes]:
    with http.stream("GET", path, headers={"Accept-Encoding": accepted, **headers}) as response:
        return response, b"".join(response.iter_raw())


@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate", "br;q=0.5, gzip;q=1", "br;q=0, gzip", "*", "GZIP"])
def test_a_large_list_is_compressed(http: httpx.Client, accepted: str) -> None:
    response, body = raw(http, LIST, accepted)
    assert (response.headers["Content-Encoding"], response.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert len(body) == int(response.headers["Content-Length"]) < 20_000
    assert len(json.loads(gzip.decompress(body))["resource"]) == 1000


@pytest.mark.parametrize("accepted", ["br", "gzip, deflate, br, zstd", "br;q=1, gzip;q=0.5", "br, *;q=0.1", "BR"])
def test_brotli_is_preferred_over_gzip_if_both_are_accepted(http: httpx.Client, accepted: str) -> None:
    response, body = raw(http, LIST, accepted)
    assert (response.headers["Content-Encoding"], response.headers["Vary"]) == ("br", "Accept-Encoding")
    assert len(body) == int(response.headers["Content-Length"]) < 20_000
    assert len(json.loads(brotli.decompress(body))["resource"]) == 1000


@pytest.mark.parametrize(
    "accepted", ["identity", "", "br;q=0", "gzip;q=0", "*;q=0", "gzip;q=0.000, *", "gzipped", "br;q=x, gzip;q="]
)
def test_a_client_accepting_neither_gets_no_compression(http: httpx.Client, accepted: str) -> None:
    response, body = raw(http, LIST, accepted)
    assert "Content-Encoding" not in response.headers
    assert response.headers["Vary"] == "Accept-Encoding"
    assert len(json.loads(body)["resource"]) == 1000


@pytest.mark.parametrize(
    ("path", "accept"), [(f"{LIST}?limit=5", "*/*"), (LIST, "application/x-ndjson"), ("/api/v2/d/_table/big/1", "*/*")]
)
def test_small_streamed_and_strongly_tagged_responses_stay_plain(http: httpx.Client, path: str, accept: str) -> None:
    response, body = raw(http, path, "gzip", Accept=accept)
    assert "Content-Encoding" not in response.headers
    assert body


def test_files_are_compressed_and_tags_still_match(http: httpx.Client) -> None:
    response, body = raw(http, LIST, "gzip", Accept="text/csv")
    assert gzip.decompress(body).startswith(b"id,text\r\n")
    response, _ = raw(http, f"{LIST}?limit=400", "gzip")
    assert response.headers["Content-Encoding"] == "gzip"
    again, body = raw(http, f"{LIST}?limit=400", "gzip", **{"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, body) == (304, b"")


def test_head_has_the_length_of_the_compressed_body(http: httpx.Client) -> None:
    _, body = raw(http, LIST, "gzip")
    head = http.head(LIST, headers={"Accept-Encoding": "gzip"})
    assert (head.headers["Content-Length"], head.content) == (str(len(body)), b"")


def test_compression_can_be_turned_off(new_database: NewDatabase, serve: Serve) -> None:
    started = serve("--dataset", f"d={new_database(SQL)}", "--open", COMPRESSION="off")
    with httpx.Client(base_url=started.url, timeout=30) as client:
        response, _ = raw(client, LIST, "gzip")
        assert "Content-Encoding" not in response.headers
        assert "Vary" not in response.headers
