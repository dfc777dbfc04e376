"""Requests of DreamFactory's clients for language models, as their sources send them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.helpers.support import NewDatabase, Serve, ok, rejection

SQL = """
create table customer (id integer primary key, name text not null, boss_id integer references customer);
create table secret_plan (id integer primary key, customer_id integer references customer);
alter table customer add plan_id integer references secret_plan;
create table item (customer_id integer references customer, tag text, primary key (customer_id, tag));
insert into customer (id, name, boss_id) values (1, 'Ada', null), (2, 'Bob', 1), (3, 'Eve', 1);
create function add(a integer, b integer default 10) returns integer language sql as 'select a + b';
create procedure bump(inout v integer) language plpgsql as 'begin v := v + 1; end';
"""
ACCESS = {
    "keys": {"boss": {"role": "*"}, "clerk": {"role": "clerk"}, "none": {"role": "none"}},
    "roles": {
        "clerk": {"access": [{"service": "shop", "component": "_table/customer/*", "verb_mask": 1}]},
        "none": {"access": []},
    },
}


@pytest.fixture(scope="module")
def url(module_database: NewDatabase, module_serve: Serve) -> str:
    words = ("--dataset", f"shop={module_database(SQL)}", "--dataset", f"hr={module_database(SQL)}")
    return module_serve(*words, access=ACCESS, PUBLIC_ROUTINES="add,bump", STRICT_OPTIONS="off").url


@pytest.fixture
def client(url: str) -> Iterator[httpx2.Client]:
    headers = {"X-DreamFactory-API-Key": "boss", "X-DreamFactory-Session-Token": "any", "Accept": "application/json"}
    with httpx2.Client(base_url=f"{url}/api/v2", headers=headers, timeout=30) as client:
        yield client


@pytest.mark.parametrize("path", ["/system/service", "/shop/_spec?compact=true", "/shop/_spec?model=true"])
def test_a_request_without_a_key_is_rejected(url: str, path: str) -> None:
    response = httpx2.get(f"{url}/api/v2{path}")
    assert rejection(response) == (401, "no_key")


def test_services_are_limited_to_the_rights_of_the_caller(client: httpx2.Client) -> None:
    def names(key: str) -> list[str]:
        services = client.get("/system/service", headers={"X-DreamFactory-API-Key": key}).json()["resource"]
        return [service["name"] for service in services]

    assert (names("boss"), names("clerk"), names("none")) == (["shop", "hr"], ["shop"], [])
    for path in ("/system/service/hr", "/system/service/2"):
        assert client.get(path, headers={"X-DreamFactory-API-Key": "clerk"}).status_code == 404


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("?fields=id,name", {"resource": [{"id": 1, "name": "shop"}, {"id": 2, "name": "hr"}]}),
        ("?fields=id&filter=name%3Dhr", {"resource": [{"id": 2}]}),
        (
            "?fields=name&filter=(type = 'pgsql') and (is_active = true)",
            {"resource": [{"name": "shop"}, {"name": "hr"}]},
        ),
        ("?fields=name&filter=type in (mysql,pgsql) and not name = shop", {"resource": [{"name": "hr"}]}),
        ("?type=sql_db,nosql_db&fields=name", {"resource": [{"name": "shop"}, {"name": "hr"}]}),
        ("?type=mysql&fields=name", {"resource": []}),
        (
            "?group=Database&fields=name&limit=1&include_count=true",
            {"resource": [{"name": "shop"}], "meta": {"count": 2}},
        ),
        ("?group=File", {"resource": []}),
        ("?as_list=true", {"resource": ["shop", "hr"]}),
        ("/hr?fields=id,type", {"id": 2, "type": "pgsql"}),
        ("/1?fields=name", {"name": "shop"}),
    ],
)
def test_services_are_listed(client: httpx2.Client, query: str, body: Any) -> None:
    assert client.get(f"/system/service{query}").json() == body


@pytest.mark.parametrize(
    "query", ["?filter=name like x", "?filter=name =", "?limit=x", "?as_list=maybe", "?filter=id > 1"]
)
def test_an_invalid_option_is_rejected(client: httpx2.Client, query: str) -> None:
    assert client.get(f"/system/service{query}").status_code == 400


def test_resources_can_be_listed_by_name(client: httpx2.Client) -> None:
    assert client.get("?as_list=true").json() == {"resource": ["shop", "hr"]}
    assert client.get("/shop?as_list=true").json() == {"resource": ["_table", "_schema", "_proc", "_func"]}
    assert "_table/customer/*" in client.get("/shop?as_access_list=true").json()["resource"]


def test_a_compact_description_is_much_smaller(client: httpx2.Client) -> None:
    whole = client.get("/shop/_spec?compact=true").json()
    assert [table["name"] for table in whole["tables"]] == ["customer", "item", "secret_plan"]
    one = client.get("/shop/_spec?compact=true&resource_name=item").json()["tables"]
    assert (one[0]["fields"], one[0]["key"]) == (["customer_id integer", "tag string"], ["customer_id", "tag"])
    assert client.get("/shop/_spec?compact=true&resource_name=none").status_code == 404
    assert len(client.get("/shop/_spec?compact=true").content) < len(client.get("/shop/_spec").content) / 5


def test_a_data_model_lists_columns_keys_and_references(client: httpx2.Client) -> None:
    tables = {table["name"]: table for table in client.get("/shop/_spec?model=true&refresh=true").json()["tables"]}
    assert tables["customer"]["hierarchy"] is True
    assert tables["customer"]["columns"][0] == {"name": "id", "type": "integer", "primary_key": True}
    assert {"name": "boss_id", "type": "integer", "references": "customer.id"} in tables["customer"]["columns"]


@pytest.mark.parametrize("query", ["compact=true", "model=true", "compact=1&resource_name=customer"])
def test_a_description_hides_inaccessible_items(client: httpx2.Client, query: str) -> None:
    response = client.get(f"/shop/_spec?{query}", headers={"X-DreamFactory-API-Key": "clerk"})
    assert [table["name"] for table in response.json()["tables"]] == ["customer"]
    assert "secret_plan" not in response.text
    hidden = client.get(
        "/shop/_spec?compact=true&resource_name=secret_plan", headers={"X-DreamFactory-API-Key": "clerk"}
    )
    unknown = client.get("/shop/_spec?compact=true&resource_name=none", headers={"X-DreamFactory-API-Key": "clerk"})
    assert (hidden.status_code, unknown.status_code) == (404, 404)


@pytest.mark.parametrize(
    "path", ["/_schema/customer", "/_schema/customer/_field", "/_table/customer?include_schema=true"]
)
def test_a_reference_to_a_hidden_table_omits_its_name(client: httpx2.Client, path: str) -> None:
    assert "secret_plan" in client.get(f"/shop{path}").text
    response = client.get(f"/shop{path}", headers={"X-DreamFactory-API-Key": "clerk"})
    assert response.status_code == 200
    assert "secret_plan" not in response.text


@pytest.mark.parametrize(
    ("path", "body", "result"),
    [
        ("/shop/_func/add", {"a": 1, "b": 2}, [{"add": 3}]),
        ("/shop/_func/add", {"a": 1}, [{"add": 11}]),
        ("/shop/_func/add?returns=integer", {"A": 5}, 15),
        ("/shop/_func/add?b=4", {"a": 1}, [{"add": 5}]),
        ("/shop/_func/add", [1, 2], [{"add": 3}]),
        ("/shop/_func/add", {"params": [1, 2]}, [{"add": 3}]),
        ("/shop/_proc/bump?wrapper=result", {"v": 4}, {"result": [{"v": 5}]}),
    ],
)
def test_parameters_of_a_routine_may_be_the_body(client: httpx2.Client, path: str, body: Any, result: Any) -> None:
    response = client.post(path, json=body)
    assert (response.status_code, response.json()) == (200, result)


@pytest.mark.parametrize("body", [{}, {"c": 1}, [], [1, 2, 3], {"a": "x"}, {"a": {"b": 1}}])
def test_other_parameters_are_rejected(client: httpx2.Client, body: Any) -> None:
    assert client.post("/shop/_func/add", json=body).status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/_schema", None),
        ("GET", "/_schema/customer", None),
        ("GET", "/_schema/customer/_field?refresh=true", None),
        ("GET", "/_schema/customer/_related", None),
        ("GET", "/_table/customer?&fields=id&offset=1&limit=10&order=name DESC&related=customer_by_boss_id", None),
        ("GET", "/_table/customer?tableName=customer&count_only=false&include_count=true&ids=1,2&continue=false", None),
        ("GET", "/_proc", None),
        ("GET", "/_func", None),
        ("POST", "/_table/item?continue=false&rollback=true", {"resource": [{"customer_id": 1, "tag": "a"}]}),
        ("PATCH", "/_table/customer?fields=name", {"resource": [{"id": 1, "name": "Ada"}]}),
        ("PATCH", "/_table/customer?ids=1,2&continue=true", {"resource": [{"plan_id": None}]}),
        ("DELETE", "/_table/item?filter=tag = a&force=false", None),
        ("GET", "/", None),
    ],
)  # fmt: skip
def test_calls_of_the_dreamfactory_service_class_succeed(
    client: httpx2.Client, method: str, path: str, body: Any
) -> None:
    response = client.request(method, f"/shop{path}", json=body)
    ok(response)


HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
XML = {"Accept": "application/xml"}


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/shop/_table/customer?fields=id,boss_id&limit=2", XML),
        ("/shop/_table/customer?fields=id,boss_id&limit=2", XML | {"Prefer": "handling=strict"}),
        ("/shop/_table/customer?fields=id,boss_id&limit=2&format=xml", {}),
        ("/shop/_table/customer?fields=id,boss_id&limit=2&accept=text/xml", {}),
    ],
)
def test_lists_are_xml_on_request(client: httpx2.Client, path: str, headers: dict[str, str]) -> None:
    response = client.get(path, headers=headers)
    rows = "<resource><id>1</id><boss_id/></resource><resource><id>2</id><boss_id>1</boss_id></resource>"
    assert response.text == f"{HEAD}<dfapi>{rows}</dfapi>"
    assert response.headers["content-type"] == "application/xml; charset=utf-8"


def test_writes_and_errors_are_xml_on_request(client: httpx2.Client) -> None:
    written = client.patch(
        "/shop/_table/customer/3", json={"name": "<Eve> & co"}, params={"fields": "name"}, headers=XML
    )
    assert written.text == f"{HEAD}<dfapi><name>&lt;Eve&gt; &amp; co</name></dfapi>"
    refused = client.get("/shop/_table/nothing", headers=XML)
    assert (refused.status_code, refused.headers["content-type"]) == (404, "application/xml; charset=utf-8")
    assert "<dfapi><error><code>404</code><context><reason>unknown_table</reason>" in refused.text
    nobody = client.get("/shop/_table/customer", headers=XML | {"X-DreamFactory-API-Key": ""})
    assert "<reason>no_key</reason>" in nobody.text


def test_other_formats_are_unchanged(client: httpx2.Client) -> None:
    path = "/shop/_table/customer?fields=id&limit=1"
    for accept in ("application/json, application/xml", "text/html,application/xml;q=0.9,*/*;q=0.8"):
        assert client.get(path, headers={"Accept": accept}).json() == {"resource": [{"id": 1}]}
    assert client.get(f"{path}&format=csv", headers=XML).text == "id\r\n1\r\n"
    assert client.get("/shop/_func/add(1)?format=xml").json() == [{"add": 11}]
