"""STRICT_OPTIONS: unknown options are errors for --dataset, and ignored by a project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import Serve, rejection

TABLES = """
create table customer (id int primary key, name text, age int);
create table purchase (id int primary key, customer_id int references customer);
insert into customer values (1, 'Ada', 30)
"""
ADA = {"resource": [{"id": 1, "name": "Ada", "age": 30}]}
SERVED = Served(TABLES, dataset="shop", under="_table/customer")


@pytest.mark.parametrize(
    ("query", "instead"),
    [
        ("feilds=id", "Did you mean 'fields'?"),
        ("name=eq.Ada", "filter=name = Ada"),
        ("age=gte.18", "filter=age >= 18"),
        ("name=Ada", "filter=name = Ada"),
        ("or=(age.gt.3,age.lt.9)", "filter=(a = 1) or (b > 2)"),
        ("page=2", "limit and offset"),
        ("embed=purchase", "related"),
        ("api_key=secret", "X-API-Key"),
        ("fields=id&nope=1", "filter=nope = 1"),
        ("purchase_by_customer.fields=id", "handling=lenient"),
        ("%00=1", "handling=lenient"),
    ],
)
def test_an_unknown_option_is_rejected_with_a_suggestion(base: str, query: str, instead: str) -> None:
    response = httpx2.get(f"{base}?{query}")
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (400, "unknown_option")
    assert instead in error["message"]


@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH", "DELETE"])
def test_writes_are_checked_as_well(base: str, verb: str) -> None:
    response = httpx2.request(verb, f"{base}?fitler=id=1", json={"resource": [{"id": 1, "name": "Eve"}]})
    assert rejection(response) == (400, "unknown_option")
    assert httpx2.get(base).json() == ADA


def test_the_body_of_a_read_is_checked(base: str) -> None:
    read = {"X-HTTP-Method": "GET"}
    assert httpx2.post(base, json={"fields": "id", "filtre": "id=9"}, headers=read).status_code == 400
    assert httpx2.post(base, json={"filter": "name=Ada", "limit": 5}, headers=read).json() == ADA
    assert httpx2.post(base, json={"resource": [{"id": 1}]}, headers=read).json() == ADA


@pytest.mark.parametrize(
    "query",
    ["select=id,name,age&where=id=1&sort=id&top=5&skip=0",
     "related=purchase_by_customer_id&purchase_by_customer_id.fields=id&purchase_by_customer_id.limit=1",
     "method=GET", "refresh=true", "wrap=true", "format=json"],
)  # fmt: skip
def test_known_options_and_their_aliases_are_accepted(base: str, query: str) -> None:
    assert httpx2.get(f"{base}?{query}").status_code == 200


def test_lenient_handling_ignores_unknown_options(base: str) -> None:
    response = httpx2.get(f"{base}?nope=1", headers={"Prefer": "handling=lenient"})
    assert (response.status_code, response.json()) == (200, ADA)


def test_strict_options_can_be_turned_off_by_a_setting(url: str, serve: Serve) -> None:
    base = serve("--dataset", f"shop={url}", "--open", STRICT_OPTIONS="off").url + "/api/v2/shop/_table/customer"
    assert httpx2.get(f"{base}?nope=1").json() == ADA
    assert httpx2.get(f"{base}?nope=1", headers={"Prefer": "handling=strict"}).status_code == 400


def test_access_files_are_strict_and_hide_inaccessible_tables(url: str, serve: Serve) -> None:
    entry = {"component": "_table/customer/*", "verb_mask": 1}
    access = {"keys": {"k" * 32: {"role": "reader"}}, "roles": {"reader": {"access": [entry]}}}
    url = serve("--dataset", f"shop={url}", access=access).url + "/api/v2/shop/_table"
    key = {"X-API-Key": "k" * 32}
    assert httpx2.get(f"{url}/customer?nope=1", headers=key).status_code == 400
    for hidden in ("purchase", "nothing"):
        plain, strict = (httpx2.get(f"{url}/{hidden}{query}", headers=key) for query in ("", "?nope=1"))
        assert plain.status_code >= 403
        assert strict.json()["error"]["message"] == plain.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        ("?as_lst=true", "Did you mean 'as_list'?"),
        ("shop?as_access=true", "Did you mean 'as_access_list'?"),
        ("shop/_table?as-list=true", "Did you mean 'as_list'?"),
        ("shop/_schema?feilds=*", "Did you mean 'fields'?"),
        ("shop/_schema/customer?nope=1", "has no option 'nope'"),
        ("shop/_schema/customer/_field/name?nope=1", "has no option 'nope'"),
        ("shop/_spec?compcat=true", "Did you mean 'compact'?"),
        ("_spec?clinet=python", "Did you mean 'client'?"),
    ],
)
def test_an_unknown_option_of_a_list_or_description_is_rejected(base: str, path: str, instead: str) -> None:
    url = base.partition("shop/")[0] + path
    response = httpx2.get(url)
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (400, "unknown_option")
    assert instead in error["message"]
    assert httpx2.get(url, headers={"Prefer": "handling=lenient"}).status_code == 200
    known = url.partition("?")[0] + "?refresh=true&as_list=false"
    assert httpx2.get(known if "_spec" not in path else url.partition("?")[0] + "?refresh=true").status_code == 200


def test_a_project_ignores_unknown_options_by_default(
    project: Path, serve: Serve, new_database: Callable[[], str]
) -> None:
    url, key = new_database(), {"X-API-Key": "key"}
    for setting, status in (({}, 200), ({"STRICT_OPTIONS": "on"}, 400)):
        server = serve(cwd=project, DATABASE_URL=url, APP_KEYS="key", WORKER="off", **setting)
        for path in ("data/_table/note", "data/_table", "data", "data/_spec", "_spec", ""):
            response = httpx2.get(f"{server.url}/api/v2/{path}?nope=1", headers=key)
            assert response.status_code == status, response.text
        server.stop()


@pytest.mark.parametrize(
    "text",
    [
        "name == Ada",
        "name==Ada",
        "age => 3",
        "age =< 3",
        "name =~ Ad",
        "name === x",
        "name !== x",
        "(age > 1) and (name == Ada)",
    ],
)
def test_an_operator_of_another_language_is_rejected(base: str, text: str) -> None:
    response = httpx2.get(base, params={"filter": text})
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (400, "bad_filter")
    assert "quote a value" in error["message"]


@pytest.mark.parametrize(
    "text",
    [
        "name = '= x'",
        "name='=x'",
        "name = =x",
        "name =<b>",
        "name = < x",
        "name != '=='",
        'name = "<b>"',
        "name = a=b",
        "name ~ =x",
        "name like =%",
    ],
)
def test_a_value_may_begin_with_a_sign(base: str, text: str) -> None:
    assert httpx2.get(base, params={"filter": text}).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"Prefer": "handling=lenient"}])
@pytest.mark.parametrize(
    ("verb", "query", "advice"),
    [
        ("GET", "fields=id&fields=name", "fields=id,name"),
        ("GET", "limit=1&limit=2", "Send it once"),
        ("GET", "unknown=1&unknown=2", "Send it once"),
        ("DELETE", "filter=id=1&filter=name='x'", "filter=(id=1) and (name='x')"),
        ("DELETE", "filter=id=1&where=name='x'", "filter=(id=1) and (name='x')"),
        ("GET", "order=id&sort=name", "order=id,name"),
    ],
)
def test_an_option_with_two_values_is_rejected(
    base: str, verb: str, query: str, advice: str, headers: dict[str, str]
) -> None:
    response = httpx2.request(verb, f"{base}?{query}", headers=headers)
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert (error["context"]["reason"], error["context"]["option"]) == ("bad_option", query.partition("=")[0])
    assert advice in error["message"]
