"""Exact numbers as text, the typed description, and /llms.txt."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest

from tableapi import TableAPI
from tests.helpers.support import execute, ok

SCHEMA = """
create table account (id bigint primary key, owner integer not null, balance numeric(30, 10), price money,
    rates numeric[], small real);
create table entry (id integer primary key, account_id bigint references account, amount numeric not null);
create table pair (a integer, b text, primary key (a, b));
insert into account values (9007199254740993, 1, 12345678901234567890.0123456789, 12.5, '{1.10,2.20}', 0.5);
insert into entry values (1, 9007199254740993, 0.10), (2, 9007199254740993, 0.20);
"""
BIG = "9007199254740993"


@pytest.fixture
def url(new_database: Callable[[], str]) -> str:
    execute(address := new_database(), SCHEMA)
    return address


@pytest.fixture
async def http(url: str) -> AsyncIterator[httpx2.AsyncClient]:
    api = TableAPI({"x": url}, open=True)
    transport = httpx2.ASGITransport(app=api)
    async with api.lifespan(), httpx2.AsyncClient(transport=transport, base_url="http://host/api/v2/x") as client:
        yield client


async def rows(http: httpx2.AsyncClient, path: str) -> Any:
    response = await http.get(path)
    content = ok(response)
    return content.get("resource", content)


async def test_exact_numbers_are_text_by_request(http: httpx2.AsyncClient) -> None:
    record = {
        "id": BIG, "owner": 1, "balance": "12345678901234567890.0123456789", "price": "12.50",
        "rates": ["1.10", "2.20"], "small": 0.5,
    }  # fmt: skip
    assert await rows(http, "_table/account?numbers=text") == [record]
    assert await rows(http, f"_table/account/{BIG}?numbers=text") == record
    plain = (await rows(http, "_table/account"))[0]
    assert isinstance(plain["balance"], float | int)
    assert (await rows(http, "_table/account?numbers=json"))[0] == plain


async def test_relations_groups_and_aliases_have_numbers_as_text(http: httpx2.AsyncClient) -> None:
    [record] = await rows(http, "_table/account?numbers=text&fields=id&related=entry_by_account_id")
    assert [entry["amount"] for entry in record["entry_by_account_id"]] == ["0.10", "0.20"]
    sums = await rows(http, "_table/entry?numbers=text&group=account_id&fields=account_id,SUM(amount) AS total")
    assert sums == [{"account_id": BIG, "total": "0.30"}]
    assert await rows(http, "_table/entry?numbers=text&fields=amount AS a&limit=1&order=amount") == [{"a": "0.10"}]


async def test_numbers_as_text_are_sorted_numerically(http: httpx2.AsyncClient) -> None:
    await http.post("_table/entry", json={"resource": [{"id": 3, "amount": 10}, {"id": 4, "amount": 9}]})
    found = await rows(http, "_table/entry?numbers=text&order=amount desc&fields=amount")
    assert [row["amount"] for row in found] == ["10", "9", "0.20", "0.10"]


@pytest.mark.parametrize("path", ["_table/entry?numbers=words", "_spec?typed=true&numbers=words"])
async def test_an_unknown_value_is_rejected(http: httpx2.AsyncClient, path: str) -> None:
    response = await http.get(path)
    assert (response.status_code, response.json()["error"]["context"]["option"]) == (400, "numbers")


async def test_the_typed_description_has_exact_types(http: httpx2.AsyncClient) -> None:
    typed = await rows(http, "_spec?typed=true")
    identifiers = {
        path.split("/")[-2]: item["parameters"][0]["schema"] for path, item in typed["paths"].items() if "{id}" in path
    }
    assert identifiers == {
        "account": {"type": "integer"}, "entry": {"type": "integer"}, "pair": {"type": "string", "minLength": 1},
    }  # fmt: skip
    count = typed["components"]["parameters"]["include_count"]["schema"]
    assert count == {"anyOf": [{"type": "boolean"}, {"type": "string", "enum": ["estimated"]}]}
    assert typed["components"]["schemas"]["entry"]["properties"]["amount"]["type"] == ["number", "string"]
    exact = await rows(http, "_spec?typed=true&numbers=text")
    option = {"$ref": "#/components/parameters/numbers"}
    for path, item in exact["paths"].items():
        for verb in item.keys() - {"parameters"} if "_table" in path else ():
            assert option in item[verb]["parameters"], path
            assert option not in typed["paths"][path][verb]["parameters"], path
    texts = exact["components"]["schemas"]
    assert texts["entry"]["properties"]["amount"]["type"] == "string"
    assert texts["entry_create"]["properties"]["amount"]["type"] == "string"
    assert texts["account"]["properties"]["id"]["format"] == "int64"
    assert texts["account"]["properties"]["balance"]["type"] == ["string", "null"]
    assert texts["account"]["properties"]["owner"]["type"] == "integer"
    assert texts["account"]["properties"]["small"]["type"] == ["number", "string", "null"]


async def test_numbers_are_sent_as_text(http: httpx2.AsyncClient) -> None:
    sent = {"id": "9007199254740995", "owner": 2, "balance": "0.0000000001"}
    response = await http.post("_table/account", json={"resource": [sent]})
    assert response.status_code == 200, response.text
    assert (await rows(http, "_table/account/9007199254740995?numbers=text"))["balance"] == "0.0000000001"


async def test_the_page_for_language_models_is_served(http: httpx2.AsyncClient) -> None:
    response = await http.get("http://host/llms.txt")
    assert (response.status_code, response.headers["content-type"].partition(";")[0]) == (200, "text/markdown")
    assert response.text.startswith("# tableapi\n")
    for link in ("_spec?compact=true", "/mcp", "X-API-Key"):
        assert link in response.text


async def test_writes_return_exact_numbers_as_text_by_request(http: httpx2.AsyncClient) -> None:
    sent = {"resource": [{"id": 8, "amount": "1.50"}, {"id": 9, "amount": "2.50"}]}
    created = (await http.post("_table/entry?numbers=text&fields=*", json=sent)).json()["resource"]
    assert [entry["amount"] for entry in created] == ["1.50", "2.50"]
    changed = await http.patch("_table/entry/8?numbers=text&fields=*", json={"amount": "3.50"})
    assert changed.json()["amount"] == "3.50"
    gone = await http.delete("_table/entry?numbers=text&fields=amount&filter=id > 7")
    assert sorted(entry["amount"] for entry in gone.json()["resource"]) == ["2.50", "3.50"]
    for number, (query, amount) in enumerate((("", 1.5), ("&numbers=text", "1.5"), ("&numbers=json", 1.5)), start=10):
        one = await http.post(f"_table/entry?fields=amount{query}", json={"resource": [{"id": number, "amount": 1.5}]})
        assert one.json() == {"resource": [{"amount": amount}]}
