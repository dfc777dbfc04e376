"""Studio: its files, and the outline of tables that it reads, under the rights of the caller."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tableapi import Access, Rule, TableAPI
from tests.helpers.served import Served
from tests.helpers.support import rejection

SQL = """
create table customer (
    id integer generated always as identity primary key, name text not null default 'x', secret text, owner text
);
create table secret_plan (id integer primary key, customer_id integer references customer);
alter table customer add plan_id integer references secret_plan;
create table item (id integer primary key, customer_id integer references customer, tag varchar(5));
create view tags as select tag from item;
insert into customer (name) select 'n' from generate_series(1, 40);
insert into item select n, 1, 'a' from generate_series(1, 30) n;
comment on table item is 'Things.';
analyze;
"""
ACCESS = {
    "keys": {"boss": {"role": "*"}, "clerk": {"role": "clerk", "user": {"name": "a"}}, "none": {"role": "none"}},
    "roles": {
        "clerk": {
            "access": [
                {"component": "_table/customer/*", "verb_mask": 1,
                 "filters": [{"name": "owner", "operator": "=", "value": "{user.name}"}]},
                {"component": "_table/item/*", "verb_mask": 1},
            ]
        },
        "none": {"access": []},
    },
}  # fmt: skip
SERVED = Served(SQL)


@pytest.fixture(scope="module")
async def http(url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx2.AsyncClient]:
    (access := tmp_path_factory.mktemp("access") / "access.json").write_text(json.dumps(ACCESS))
    api = TableAPI({"shop": url}, access=access)
    async with api.lifespan(), _client(api) as client:
        yield client


def _client(app: Any) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://host")


async def _outline(http: httpx2.AsyncClient, key: str, table: str = "") -> httpx2.Response:
    query = f"outline=true&resource_name={table}" if table else "outline=true"
    return await http.get(f"/api/v2/shop/_spec?{query}", headers={"X-API-Key": key})


# -- the outline -----------------------------------------------------------------------------------------------------


async def test_an_outline_shows_nothing_without_rights(http: httpx2.AsyncClient) -> None:
    refused = await http.get("/api/v2/shop/_spec?outline=true")
    assert rejection(refused) == (401, "no_key")
    assert (await _outline(http, "none")).json() == {"service": "shop", "resource": []}
    assert (await _outline(http, "none", "item")).status_code == 404


@pytest.mark.parametrize("table", ["secret_plan", "tags", "nothing", "item; drop table item", "%00"])
async def test_an_inaccessible_table_does_not_exist(http: httpx2.AsyncClient, table: str) -> None:
    response = await _outline(http, "clerk", table)
    assert rejection(response) == (404, "unknown_table")


@pytest.mark.parametrize("table", ["", "customer", "item"])
async def test_an_outline_does_not_mention_hidden_tables(http: httpx2.AsyncClient, table: str) -> None:
    response = await _outline(http, "clerk", table)
    assert response.status_code == 200
    assert "secret_plan" not in response.text


async def test_estimates_require_access_to_every_row(http: httpx2.AsyncClient) -> None:
    boss = {table["name"]: table["rows"] for table in (await _outline(http, "boss")).json()["resource"]}
    clerk = {table["name"]: table["rows"] for table in (await _outline(http, "clerk")).json()["resource"]}
    assert boss == {"customer": 40, "item": 30, "secret_plan": 0, "tags": None}
    assert clerk == {"customer": None, "item": 30}


async def test_a_table_outline_lists_settable_columns(http: httpx2.AsyncClient) -> None:
    table = (await _outline(http, "boss", "customer")).json()
    fields = {field["name"]: field for field in table["field"]}
    assert (fields["id"]["create"], fields["id"]["has_default"]) == (False, True)
    assert (fields["name"]["create"], fields["name"]["update"], fields["name"]["has_default"]) == (True, True, True)
    assert "default" not in fields["name"]
    assert fields["plan_id"]["ref_table"] == "secret_plan"
    read_only = (await _outline(http, "clerk", "item")).json()
    assert not any(field["create"] or field["update"] for field in read_only["field"])
    assert (read_only["access"], read_only["description"]) == (["GET"], "Things.")


async def test_columns_of_a_policy_that_are_hidden_set_on_create_or_sealed(url: str) -> None:
    policy = {
        "customer": Access(
            read=Rule(hidden={"secret"}),
            create=Rule(fields={"name", "owner"}, set_on_create={"owner": lambda actor: "a"}),
            update=Rule(fields={"name"}), sealed={"name"},
        )
    }  # fmt: skip
    api = TableAPI({"shop": url}, policy=policy)
    async with api.lifespan(), _client(api) as http:
        table = (await http.get("/api/v2/shop/_spec?outline=true&resource_name=customer")).json()
        fields = {field["name"]: field for field in table["field"]}
        assert set(fields) == {"id", "name", "owner", "plan_id"}
        assert {name for name, field in fields.items() if field["create"]} == {"name"}
        assert {name for name, field in fields.items() if field["update"]} == {"name"}
        assert {name for name, field in fields.items() if field["sealed"]} == {"name"}
        assert (await http.get("/api/v2/shop/_spec?outline=true&resource_name=item")).status_code == 404


# -- the document for generators of clients -------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/api/v2/_spec", "/api/v2/shop/_spec"])
async def test_a_document_omits_inaccessible_tables(http: httpx2.AsyncClient, path: str) -> None:
    assert "secret_plan" not in (await http.get(path, headers={"X-API-Key": "clerk"})).text
    boss = (await http.get(path, headers={"X-API-Key": "boss"})).json()["components"]["schemas"]["customer"]
    assert "refers to secret_plan.id" in boss["properties"]["plan_id"]["description"]


@pytest.mark.parametrize("path", ["/api/v2/_spec", "/api/v2/shop/_spec"])
async def test_a_typed_document_has_the_rights_of_its_reader(http: httpx2.AsyncClient, path: str) -> None:
    refused = await http.get(f"{path}?typed=true")
    assert rejection(refused) == (401, "no_key")
    unclear = await http.get(f"{path}?typed=perhaps", headers={"X-API-Key": "boss"})
    assert rejection(unclear) == (400, "bad_option")
    clerk = await http.get(f"{path}?typed=true", headers={"X-API-Key": "clerk"})
    assert "secret_plan" not in clerk.text
    assert clerk.json()["paths"]["/api/v2/shop/_table/item"].keys() == {"get"}


async def test_an_operation_of_a_typed_document_has_one_shape(http: httpx2.AsyncClient) -> None:
    boss = {"X-API-Key": "boss"}
    whole = (await http.get("/api/v2/shop/_spec", headers=boss)).json()
    typed = (await http.get("/api/v2/shop/_spec?typed=true", headers=boss)).json()
    assert typed["paths"].keys() == whole["paths"].keys()
    for path, item in typed["paths"].items():
        for operation in [item[verb] for verb in item.keys() - {"parameters"}]:
            names = {
                option.get("name", option.get("$ref", "").rpartition("/")[2])
                for option in operation.get("parameters", ())
            }
            assert names or path.endswith("/_batch")
            assert names.isdisjoint({"params", "as_list", "wrap", "count_only", "group"})
            content = operation["responses"]["200"]["content"]
            assert (content.keys(), "anyOf" in content["application/json"]["schema"]) == ({"application/json"}, False)
            sent = operation.get("requestBody", {}).get("content", {"application/json": {"schema": {}}})
            assert (sent.keys(), "anyOf" in sent["application/json"]["schema"]) == ({"application/json"}, False)


# -- the files -------------------------------------------------------------------------------------------------------


async def test_the_page_needs_no_rights_and_contains_no_data(http: httpx2.AsyncClient) -> None:
    page = await http.get("/studio/")
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-cache")
    policy = page.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    # Images of other hosts, which its user switches on; nothing else of them.
    assert "img-src 'self' data: blob: https: http:;" in policy
    assert policy.count("http:") == 1
    assert "connect-src 'self';" in policy
    assert not re.search(r"<script(?![^>]*\bsrc=)", page.text)
    assert "customer" not in page.text


@pytest.mark.parametrize("path", ["none", "assets/none.js", "../pages.py", "%2e%2e/version.py", "assets"])
async def test_no_other_file_is_served(http: httpx2.AsyncClient, path: str) -> None:
    assert (await http.get(f"/studio/{path}")).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_the_page_rejects_write_methods(http: httpx2.AsyncClient, method: str) -> None:
    assert (await http.request(method, "/studio/")).status_code == 405


async def test_its_files_are_served_below_any_mount(url: str) -> None:
    api = TableAPI({"shop": url}, open=True)
    app = Starlette(routes=[Mount("/data", app=api)], lifespan=api.lifespan)
    async with api.lifespan(), _client(app) as http:
        assert (await http.get("/data/studio")).headers["location"] == "/data/studio/"
        page = (await http.get("/data/studio/")).text
        files = re.findall(r'(?:src|href)="\./([^"]+)"', page)
        assert any(name.endswith(".js") for name in files)
        assert '="/' not in page
        for name in files:
            response = await http.get(f"/data/studio/{name}")
            cached = response.headers["cache-control"]
            assert (response.status_code, "immutable" in cached) == (200, name.startswith("assets/")), name
