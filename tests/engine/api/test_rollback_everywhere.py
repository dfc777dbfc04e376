"""A rollback, a maximum or an explanation holds for every kind of write, or the request is rejected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import NewDatabase, Serve, SqlClient, rejection

SCHEMA = """
create table item (id integer primary key, value integer not null);
insert into item select n, n from generate_series(1, 5) n;
create function drop_all() returns setof item language sql as 'delete from item returning *';
create procedure clear() language sql as 'delete from item';
"""
STEP = {"method": "DELETE", "path": "_table/item", "query": {"filter": "id > 1"}}
CSV = "id,value\n8,8\n9,9\n"
# Method, path, query and body of writes that change several rows of `item`.
WRITES: dict[str, tuple[str, str, dict[str, str], Any]] = {
    "filter": ("DELETE", "_table/item", {"filter": "id > 1"}, None),
    "list": ("PATCH", "_table/item", {}, {"resource": [{"id": 1, "value": 7}, {"id": 2, "value": 7}]}),
    "body": ("DELETE", "_table/item", {}, {"ids": [1, 2]}),
    "import": ("POST", "_table/item", {"import": "true"}, CSV),
    "batch": ("POST", "_batch", {}, {"requests": [STEP]}),
    "function": ("POST", "_func/drop_all", {}, {}),
}
SERVED = Served(SCHEMA, under="", PUBLIC_ROUTINES="drop_all,clear")


@pytest.fixture(autouse=True)
def unchanged(db: SqlClient) -> Iterator[None]:
    before = db.fetch("select * from item order by id")
    yield
    assert db.fetch("select * from item order by id") == before


def send(
    http: httpx.Client, write: str, query: dict[str, str] | None = None, body: Any = None, prefer: str = ""
) -> httpx.Response:
    method, path, options, sent = WRITES[write]
    headers = {"Prefer": prefer} if prefer else {}
    content = {"content": sent} if isinstance(sent, str) else {"json": sent if body is None else {**sent, **body}}
    headers |= {"Content-Type": "text/csv"} if isinstance(sent, str) else {}
    return http.request(method, path, params=options | (query or {}), headers=headers, **content)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    "prefer", ["max-affected=1", "max-affected=1, handling=strict", "handling=lenient, max-affected=1;x"]
)
def test_too_many_records_are_rejected(http: httpx.Client, write: str, prefer: str) -> None:
    expected = "bad_option" if write == "batch" else "too_many_affected"
    assert rejection(send(http, write, prefer=prefer)) == (400, expected)
    assert rejection(send(http, write, {"max_affected": "1"})) == (400, expected)


@pytest.mark.parametrize("write", WRITES)
def test_a_strict_request_rejects_an_unknown_preference_or_option(http: httpx.Client, write: str) -> None:
    assert rejection(send(http, write, prefer="handling=strict, tx=rollbak")) == (400, "unknown_preference")
    expected = "bad_option" if write == "import" else "unknown_option"
    assert rejection(send(http, write, {"dryrun": "true"})) == (400, expected)


@pytest.mark.parametrize("write", WRITES)
def test_explain_is_rejected_for_a_write(http: httpx.Client, write: str) -> None:
    for handling in ("handling=strict", "handling=lenient"):
        status, said = rejection(send(http, write, {"explain": "true"}, prefer=handling))
        assert (status, said) in ((400, "bad_option"), (400, "unknown_option")), said
    if write not in ("import", "filter"):
        assert send(http, write, body={"explain": True}, prefer="handling=lenient").status_code in (400, 422)


def test_a_record_may_have_a_column_named_like_an_option(new_database: NewDatabase, serve: Serve) -> None:
    url = new_database("create table plan (id integer primary key, explain boolean, dry_run text)")
    server = serve("--dataset", f"x={url}", "--open")
    record = {"id": 1, "explain": True, "dry_run": "no"}
    table = f"{server.url}/api/v2/x/_table/plan"
    assert httpx.post(table, json={"resource": [record]}).status_code == 200
    assert httpx.patch(f"{table}/1", json={"explain": True, "dry_run": "no"}).status_code == 200
    response = httpx.get(f"{table}/1")
    assert response.json() == record


@pytest.mark.parametrize("write", ["batch", "function"])
def test_an_explanation_of_rights_runs_no_batch_and_no_function(http: httpx.Client, write: str) -> None:
    assert rejection(send(http, write, prefer="explain=rights")) == (400, "bad_option")


def test_explain_is_rejected_for_a_procedure(http: httpx.Client) -> None:
    for headers, query in (({"Prefer": "explain=rights"}, {}), ({"Prefer": "handling=lenient"}, {"explain": "1"})):
        for method in ("POST", "GET"):
            response = http.request(method, "_proc/clear", params=query, headers=headers)
            assert rejection(response) == (400, "bad_option"), (method, query)


@pytest.mark.parametrize(
    ("write", "body", "status", "said"),
    [
        ("list", {"dryrun": True}, 400, "unknown_option"),
        ("body", {"dryrun": True}, 400, "unknown_option"),
        ("list", {"upsert": True}, 400, "bad_option"),
        ("list", {"limit": 1, "order": "id"}, 400, "bad_option"),
        ("body", {"limit": 1}, 400, "bad_option"),
        ("body", {"force": True}, 400, "bad_option"),
        ("batch", {"dryrun": True}, 422, "invalid"),
        ("batch", {"max_affected": 1}, 422, "invalid"),
    ],
)
def test_a_misspelt_or_misplaced_option_in_a_body_is_rejected(
    http: httpx.Client, write: str, body: dict[str, Any], status: int, said: str
) -> None:
    assert rejection(send(http, write, body=body)) == (status, said)


def test_steps_of_a_strict_batch_are_strict(http: httpx.Client) -> None:
    step = STEP | {"query": {"filter": "id > 1", "dryrun": True}}
    response = http.post("_batch", json={"requests": [step]}, headers={"Prefer": "handling=strict"})
    assert response.json()["error"]["context"]["error"]["context"]["reason"] == "unknown_option"


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("prefer", ["tx=rollback", 'TX="rollback"', "tx=rollback; x=1", "return=minimal, tx=rollback"])
def test_a_write_with_tx_rollback_is_a_dry_run(http: httpx.Client, write: str, prefer: str) -> None:
    response = send(http, write, prefer=prefer)
    assert (response.status_code, response.headers.get("Dry-Run")) == (200, "true"), response.text
    assert "tx=rollback" in response.headers["Preference-Applied"]


def test_options_next_to_the_records_take_effect(http: httpx.Client) -> None:
    response = send(http, "list", body={"dry_run": True, "fields": ["id", "value"]})
    assert response.json() == {"resource": [{"id": 1, "value": 7}, {"id": 2, "value": 7}]}
    lenient = send(http, "list", body={"note": "x", "dry_run": True}, prefer="handling=lenient")
    assert lenient.status_code == 200
