"""`If-Match`, `If-None-Match` and `max_affected` apply to every write or are rejected (docs/reference/wire.md)."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.table_api import FIXTURE

SERVED = Served(FIXTURE)


def ask(http: httpx.Client, method: str, url: str, status: int = 200, **options: Any) -> Any:
    response = http.request(method, url, **options)
    assert response.status_code == status, (method, url, options, response.text)
    return response.json()


def test_a_version_is_never_ignored(http: httpx.Client) -> None:
    old = http.get("/company/1").headers["etag"]
    new = http.patch("/company/1", json={"city": "Bath"}).headers["etag"]
    stale = {"If-Match": old}
    put = "/company/1?upsert=true"
    ask(http, "PUT", put, 412, json={"city": "York"}, headers=stale)
    ask(http, "PUT", put, json={"city": "Ely"}, headers={"If-Match": new})
    ask(http, "PUT", "/company/99?upsert=true", 404, json={"name": "New"}, headers={"If-Match": "*"})
    ask(http, "PUT", put, 412, json={"name": "Other"}, headers={"If-None-Match": "*"})
    ask(http, "PUT", "/company/99?upsert=true", json={"name": "New"}, headers={"If-None-Match": "*"})
    ask(http, "POST", "/company?upsert=true", 400, json=[{"id": 1, "city": "York"}], headers=stale)
    ask(http, "PATCH", "/company?filter=id%3D1", 400, json=[{"city": "York"}], headers=stale)
    ask(http, "DELETE", "/company?filter=id%3D99", 400, headers=stale)
    ask(http, "DELETE", "/device?force=true", 400, headers=stale)
    ask(http, "PATCH", "/company?filter=id%3D99", json=[{"city": "Hull"}], headers={"If-Match": "*"})
    assert [ask(http, "GET", f"/company/{key}")["city"] for key in (1, 99)] == ["Ely", "Hull"]


@pytest.mark.parametrize("path", ["/company/1", "/company?ids=1", "/company"])
def test_a_record_that_must_not_exist_is_neither_changed_nor_deleted(http: httpx.Client, path: str) -> None:
    only_new = {"If-None-Match": "*"}
    before = ask(http, "GET", "/company/1")
    record: dict[str, Any] = {"city": "Rome"} if path != "/company" else {"id": 1, "city": "Rome"}
    listed = path != "/company/1"
    for verb in ("PATCH", "PUT", "DELETE"):
        body: Any = {"resource": [record]} if listed else record
        if verb == "DELETE":
            body = {"ids": [1]} if path == "/company" else None
        response = http.request(verb, path, json=body, headers=only_new)
        error = response.json()["error"]
        if listed:
            assert (response.status_code, error["context"]["resource"][0]["code"]) == (400, 412), (verb, response.text)
        else:
            assert (response.status_code, error["context"]["reason"]) == (412, "stale"), (verb, response.text)
    assert ask(http, "GET", "/company/1") == before
    for verb, url, sent in (
        ("POST", "/company?upsert=true", [{"id": 1, "city": "Rome"}]),
        ("PATCH", "/company?filter=id%3D1", [{"city": "Rome"}]),
        ("DELETE", "/company?filter=id%3D1", None),
    ):
        context = ask(http, verb, url, 400, json=sent, headers=only_new)["error"]["context"]
        assert (context["reason"], context["header"]) == ("bad_option", "If-None-Match")
    ask(http, "PATCH", "/company/777", 404, json={"city": "Rome"}, headers=only_new)
    assert ask(http, "GET", "/company/1") == before
    created = ask(http, "POST", "/company", json=[{"name": f"New {path}"}], headers=only_new)["resource"][0]["id"]
    ask(http, "PATCH", f"/company/{created}", json={"city": "Rome"}, headers={"If-None-Match": '"other"'})


def test_max_affected_applies_to_one_record_by_path(http: httpx.Client) -> None:
    for verb in ("PUT", "PATCH", "DELETE"):
        body = None if verb == "DELETE" else {"city": "York"}
        error = ask(http, verb, "/company/1?max_affected=0", 400, json=body)["error"]["context"]
        assert (error["reason"], error["records"]) == ("too_many_affected", 1)
    ask(http, "PATCH", "/company/1?max_affected=1", json={"city": "York"})
