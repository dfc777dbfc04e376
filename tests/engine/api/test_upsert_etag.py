"""Upserts, record versions and idempotency keys (docs/reference/wire.md)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import asyncpg
import httpx2 as httpx
import pytest

from tests.helpers.support import NewDatabase, Serve, execute
from tests.helpers.table_api import FIXTURE

ROLES = {
    "writer": {"access": [{"component": "_table/tag/*", "verb_mask": 2}]},
    "seller": {
        "access": [
            {
                "component": "_table/person/*",
                "verb_mask": 31,
                "filters": [{"name": "company_id", "operator": "=", "value": "1"}],
                "filter_op": "AND",
            }
        ]
    },
    "author": {"access": [{"component": "_table/tag/*", "verb_mask": 3}]},
}
VIEW = "create view plain as select slug, label from tag;"
# A partitioned table has no xmin, so its versions are hashes of the row.
PARTS = """
    drop table if exists parted;
    create table parted (id integer, k text, v integer, primary key (id, k)) partition by list (k);
    create table parted_a partition of parted for values in ('a');
    insert into parted values (1, 'a', 1);
"""


@pytest.fixture(scope="module")
def database(module_database: NewDatabase) -> str:
    return module_database(FIXTURE + VIEW + PARTS)


@pytest.fixture(scope="module")
def base(database: str, module_serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("upsert")
    keys = {
        name: {"role": role}
        for name, role in (("all", "*"), ("seller", "seller"), ("author", "author"), ("writer", "writer"))
    }
    (folder / "access.json").write_text(json.dumps({"keys": keys, "roles": ROLES}))
    server = module_serve("--dataset", f"x={database}", "--access", "access.json", cwd=folder, WORKERS="2")
    return f"{server.url}/api/v2/x/_table"


@pytest.fixture
def http(base: str, database: str) -> Iterator[httpx.Client]:
    execute(database, "drop view if exists plain;" + FIXTURE + VIEW + PARTS)
    with httpx.Client(base_url=base, headers={"X-API-Key": "all"}, timeout=30) as client:
        yield client


def ask(http: httpx.Client, method: str, url: str, status: int = 200, **options: Any) -> Any:
    response = http.request(method, url, **options)
    got = response.status_code
    if got == 400 and response.json()["error"]["code"] == 1000:  # of a record in a list
        got = response.json()["error"]["context"]["resource"][-1]["code"]
    assert got == status, (method, url, options, response.text)
    return response.json() if response.content else None


def as_role(name: str) -> dict[str, str]:
    return {"X-API-Key": name}


# -- upsert ----------------------------------------------------------------------------------------------------------


def test_upsert_creates_and_changes(http: httpx.Client) -> None:
    params = {"upsert": "true", "fields": "slug,label"}
    for label in ("one", "two"):
        body = {"resource": [{"slug": "new one", "label": label}, {"slug": "vip", "label": label}]}
        assert ask(http, "POST", "/tag", json=body, params=params)["resource"] == body["resource"]
    assert ask(http, "GET", "/tag", params={"count_only": "true"}) == 6


def test_upsert_by_another_field_keeps_unsent_fields(http: httpx.Client) -> None:
    params = {"upsert": "true", "id_field": "email", "fields": "id,first_name,age"}
    sent = {"email": "bob@example.com", "first_name": "Robert", "last_name": "Brown"}
    records = ask(http, "POST", "/person", json={"resource": [sent]}, params=params)["resource"]
    assert records == [{"id": 2, "first_name": "Robert", "age": 38, "email": "bob@example.com"}] or records == [
        {"id": 2, "first_name": "Robert", "age": 38}
    ]
    new = ask(http, "POST", "/person", json={"resource": [sent | {"email": "new@example.com"}]}, params=params)
    assert new["resource"][0]["id"] > 12
    more = params | {"id_field": "email,first_name"}
    assert ask(http, "POST", "/person", json={"resource": [sent]}, params=more)["resource"][0]["id"] == 2
    ask(http, "POST", "/person", 400, json={"resource": [sent]}, params=params | {"id_field": "first_name"})


def test_an_upsert_uses_a_composite_key(http: httpx.Client) -> None:
    body = {"resource": [{"person_id": 1, "tag_slug": "eu", "note": "n"}, {"person_id": 2, "tag_slug": "eu"}]}
    ask(http, "POST", "/person_tag", json=body, params={"upsert": "true"})
    assert ask(http, "GET", "/person_tag/1,eu")["note"] == "n"
    assert ask(http, "GET", "/person_tag", params={"count_only": "true"}) == 11


def test_upsert_of_a_record_that_the_role_cannot_see(http: httpx.Client) -> None:
    params, headers = {"upsert": "true", "id_field": "email"}, as_role("seller")
    taken = {"email": "hans@example.de", "first_name": "Mine", "last_name": "Now", "company_id": 1}
    ask(
        http, "POST", "/person", 404, json={"resource": [taken | {"id": 8}]}, params={"upsert": "true"}, headers=headers
    )
    ask(http, "POST", "/person", 404, json={"resource": [taken]}, params=params, headers=headers)
    assert ask(http, "GET", "/person/8")["first_name"] == "Hans"
    own = taken | {"email": "bob@example.com", "company_id": 2}
    ask(http, "POST", "/person", 403, json={"resource": [own]}, params=params, headers=headers)
    assert ask(http, "GET", "/person/2")["company_id"] == 1


def test_upsert_needs_the_right_to_change(http: httpx.Client) -> None:
    body = {"resource": [{"slug": "vip", "label": "x"}]}
    ask(http, "POST", "/tag", 403, json=body, params={"upsert": "true"}, headers=as_role("author"))
    ask(http, "POST", "/tag", 409, json=body, headers=as_role("author"))
    assert ask(http, "GET", "/tag/vip")["label"] == "VIP"


def test_upsert_get_needs_the_right_to_read_and_access_to_the_row(http: httpx.Client, database: str) -> None:
    body = {"resource": [{"slug": "vip", "label": "x"}]}
    ask(http, "POST", "/tag", 403, json=body, params={"upsert": "get"}, headers=as_role("writer"))
    ask(http, "POST", "/tag", 403, json={"resource": [{"slug": "fresh", "label": "x"}]}, params={"upsert": "get"},
        headers=as_role("writer"))  # fmt: skip
    ask(http, "GET", "/tag/fresh", 404)
    taken = {"email": "hans@example.de", "first_name": "Mine", "last_name": "Now", "company_id": 1}
    error = ask(http, "POST", "/person", 409, json={"resource": [taken]},
                params={"upsert": "get", "id_field": "email", "fields": "*"}, headers=as_role("seller"))  # fmt: skip
    assert "Hans" not in json.dumps(error)
    ask(http, "POST", "/plain", 400, json={"resource": [{"slug": "x", "label": "x"}]}, params={"upsert": "get"})
    ask(http, "POST", "/tag", 400, json=body, params={"upsert": "fetch"})


def test_an_existing_record_is_returned_unchanged(http: httpx.Client) -> None:
    body = {"resource": [{"slug": "vip", "label": "changed"}, {"slug": "fresh", "label": "New"}]}
    params = {"upsert": "get", "fields": "slug,label"}
    got = ask(http, "POST", "/tag", json=body, params=params)
    assert got == {"resource": [{"slug": "vip", "label": "VIP"}, {"slug": "fresh", "label": "New"}]}
    assert ask(http, "POST", "/tag", json=body, params={"upsert": "get"}) == {
        "resource": [{"slug": "vip"}, {"slug": "fresh"}]
    }
    hans = {"email": "hans@example.de", "first_name": "x", "last_name": "y", "company_id": 1}
    read = {"upsert": "get", "id_field": "email", "fields": "first_name", "related": "company_by_company_id"}
    person = ask(http, "POST", "/person", json={"resource": [hans]}, params=read)["resource"][0]
    stored = ask(http, "GET", "/person/8", params={"fields": "first_name", "related": "company_by_company_id"})
    assert person == stored


def test_concurrent_upserts_get_the_same_record(http: httpx.Client) -> None:
    body = {"resource": [{"slug": "race", "label": "once"}]}

    def one(number: int) -> Any:
        record = {"slug": "race", "label": f"by {number}"}
        return ask(http, "POST", "/tag", json={"resource": [record]}, params={"upsert": "get", "fields": "*"})

    with ThreadPoolExecutor(16) as pool:
        responses = list(pool.map(one, range(48)))
    assert len({json.dumps(response, sort_keys=True) for response in responses}) == 1
    assert ask(http, "POST", "/tag", json=body, params={"upsert": "ignore"}) == {"resource": []}


def test_a_batch_of_upserts_is_all_or_nothing(http: httpx.Client) -> None:
    body = {"resource": [{"slug": "vip", "label": "changed"}, {"slug": "bad", "label": None}]}
    ask(http, "POST", "/tag", 400, json=body, params={"upsert": "true"})
    assert ask(http, "GET", "/tag/vip")["label"] == "VIP"
    ask(http, "POST", "/tag", 400, json=body, params={"upsert": "true", "continue": "true"})
    assert ask(http, "GET", "/tag/vip")["label"] == "changed"
    ask(http, "POST", "/plain", 400, json={"resource": [{"slug": "x", "label": "x"}]}, params={"upsert": "true"})


# -- versions --------------------------------------------------------------------------------------------------------


def _tag(http: httpx.Client, url: str, **params: str) -> str:
    return str(http.get(url, params=params).headers["etag"])


def test_a_stale_version_is_rejected(http: httpx.Client) -> None:
    old = _tag(http, "/company/1")
    response = http.patch("/company/1", json={"city": "Bath"}, headers={"If-Match": old})
    assert response.status_code == 200
    assert response.headers["etag"] == _tag(http, "/company/1") != old
    ask(http, "PATCH", "/company/1", 412, json={"city": "York"}, headers={"If-Match": old})
    ask(http, "PATCH", "/company/1", 412, json={"unknown": 1}, headers={"If-Match": old})
    ask(http, "DELETE", "/company/1", 412, headers={"If-Match": old})
    ask(http, "PATCH", "/company/99", 404, json={"city": "York"}, headers={"If-Match": old})
    assert ask(http, "GET", "/company/1")["city"] == "Bath"
    both = f"{old}, {response.headers['etag']}"
    ask(http, "PATCH", "/company/1", json={"city": "Ely"}, headers={"If-Match": both})
    ask(http, "PATCH", "/company/1", json={"city": "Hull"}, headers={"If-Match": "*"})
    ask(http, "DELETE", "/device/33333333-3333-4333-8333-333333333333", 412, headers={"If-Match": '"x"'})


def test_a_known_version_is_not_sent_again(http: httpx.Client) -> None:
    condition = {"If-None-Match": _tag(http, "/company/1")}
    assert ask(http, "GET", "/company/1", 304, headers=condition) is None
    ask(http, "GET", "/company/1", 304, headers={"If-None-Match": f'"x", W/{condition["If-None-Match"]}'})
    assert len(ask(http, "GET", "/company", headers=condition)["resource"]) == 10
    ask(http, "PATCH", "/company/1", json={"city": "Bath"})
    assert ask(http, "GET", "/company/1", headers=condition)["city"] == "Bath"


def test_a_change_of_a_related_record_is_a_new_version(http: httpx.Client) -> None:
    params = {"related": "person_by_company_id"}
    condition = {"If-None-Match": _tag(http, "/company/1", **params)}
    ask(http, "GET", "/company/1", 304, params=params, headers=condition)
    ask(http, "PATCH", "/person/1", json={"age": 46})
    ask(http, "GET", "/company/1", params=params, headers=condition)
    ask(http, "PATCH", "/company/1", json={"city": "Bath"}, headers={"If-Match": condition["If-None-Match"]})


def test_a_row_of_a_view_has_a_version(http: httpx.Client) -> None:
    url, params = "/plain", {"ids": "vip", "id_field": "slug"}
    assert http.get(url, params=params).status_code == 400  # slug has no unique constraint there
    assert http.get(url, params={"filter": "slug = vip"}).status_code == 200


# -- idempotency keys ------------------------------------------------------------------------------------------------


def _many(base: str, count: int, key: str, bodies: list[Any]) -> list[httpx.Response]:
    """Send equal requests at once, each on its own connection, so that both workers get some."""

    async def one(body: Any) -> httpx.Response:
        headers = {"X-API-Key": "all", "Idempotency-Key": key}
        async with httpx.AsyncClient(headers=headers, timeout=30) as client:
            return await client.post(f"{base}/tag", json=body)

    async def run() -> list[httpx.Response]:
        return list(await asyncio.gather(*(one(bodies[n % len(bodies)]) for n in range(count))))

    return asyncio.run(run())


def test_of_eight_concurrent_requests_with_one_key_one_is_executed(http: httpx.Client, base: str) -> None:
    for turn in range(5):
        body = {"resource": [{"slug": f"once {turn}", "label": "x"}]}
        responses = _many(base, 8, f"at-once-{turn}", [body])
        assert {a.status_code for a in responses} <= {200, 409}
        assert all(a.json()["error"]["context"]["reason"] == "still_running" for a in responses if a.status_code == 409)
        assert ask(http, "GET", "/tag", params={"filter": f"slug = 'once {turn}'", "count_only": "true"}) == 1
    repeated = [_many(base, 1, "at-once-0", [{"resource": [{"slug": "once 0", "label": "x"}]}])[0] for _ in range(8)]
    assert {(a.status_code, a.text, a.headers["idempotency-replayed"]) for a in repeated} == {
        (200, '{"resource":[{"slug":"once 0"}]}', "true")
    }
    other = {"resource": [{"slug": "other", "label": "x"}]}
    assert [a.status_code for a in _many(base, 6, "at-once-0", [other])] == [422] * 6
    ask(http, "GET", "/tag/other", 404)


def test_an_error_is_replayed_too(http: httpx.Client) -> None:
    headers = {"Idempotency-Key": "refused"}
    body = {"resource": [{"slug": "a b", "label": "again"}]}
    ask(http, "POST", "/tag", 409, json=body, headers=headers)
    ask(http, "DELETE", "/tag", json={"resource": [{"slug": "a b"}]})
    again = http.post("/tag", json=body, headers=headers)
    assert (again.status_code, again.headers["idempotency-replayed"]) == (400, "true")
    ask(http, "PATCH", "/tag/vip", 422, json={"label": "x"}, headers=headers)
    ask(http, "GET", "/tag/vip", headers=headers)


async def test_a_temporary_error_is_not_stored(http: httpx.Client, base: str, database: str) -> None:
    """A locked record until the request times out, and a table that changes meanwhile."""
    url, headers = "/tag/new", {"Idempotency-Key": "busy"}
    blocker = await asyncpg.connect(database)
    try:
        transaction = blocker.transaction()
        await transaction.start()
        await blocker.execute("select * from tag where slug = 'new' for update")
        async with httpx.AsyncClient(base_url=base, headers={"X-API-Key": "all"}, timeout=60) as client:
            refused = await client.patch(url, json={"label": "x"}, headers=headers)
            assert refused.status_code == 503, refused.text
            batch = {"resource": [{"slug": "new", "label": "y"}]}
            several = await client.patch("/tag", json=batch, headers={"Idempotency-Key": "busy too"})
            assert several.status_code in (400, 503), several.text
            await transaction.rollback()
            assert (await client.patch(url, json={"label": "x"}, headers=headers)).status_code == 200
            done = await client.patch("/tag", json=batch, headers={"Idempotency-Key": "busy too"})
            assert done.status_code == 200, done.text
    finally:
        await blocker.close()


def test_a_response_from_a_changed_table_is_not_stored(http: httpx.Client, database: str) -> None:
    ask(http, "PATCH", "/tag/vip", json={"label": "a"}, headers={"Idempotency-Key": "before ddl"})
    for name in ("hue", "tone"):
        execute(database, f"alter table tag add {name} text; alter table tag alter label set default 'x'")
        body = {"label": "b", name: "red"}
        changed = ask(http, "PATCH", "/tag/vip", json=body, params={"fields": f"slug,{name}"}, headers={
            "Idempotency-Key": f"after {name}"
        })  # fmt: skip
        assert changed == {"slug": "vip", name: "red"}


def test_an_unchanged_list_is_not_sent_again(http: httpx.Client) -> None:
    asked = {"filter": "age > 0", "order": "id", "limit": "3", "include_count": "true"}
    first = http.get("/person", params=asked)
    tag = first.headers["etag"]

    again = http.get("/person", params=asked, headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)

    ask(http, "PATCH", f"/person/{first.json()['resource'][0]['id']}", json={"bio": "changed"})
    changed = http.get("/person", params=asked, headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


def test_a_list_with_another_count_has_another_etag(http: httpx.Client) -> None:
    asked = {"fields": "slug", "order": "slug", "limit": "1", "include_count": "true"}
    tag = http.get("/tag", params=asked).headers["etag"]
    ask(http, "POST", "/tag", json={"resource": [{"slug": "zz", "label": "last"}]})

    changed = http.get("/tag", params=asked, headers={"If-None-Match": tag})
    assert changed.status_code == 200


def test_an_estimated_count_of_a_role_with_filters(http: httpx.Client) -> None:
    params: dict[str, Any] = {"include_count": "estimated", "limit": 2}
    assert len(ask(http, "GET", "/person", params=params, headers=as_role("seller"))["resource"]) == 2


def test_a_stale_version_of_a_partitioned_row_is_rejected(http: httpx.Client) -> None:
    old = http.get("/parted/1,a").headers["etag"]
    for method, body in (("PATCH", {"v": 2}), ("PUT", {"v": 2}), ("DELETE", None)):
        ask(http, method, "/parted/1,a", 412, json=body, headers={"If-Match": '"x", "y"'})
    changed = http.patch("/parted/1,a", json={"v": 2}, headers={"If-Match": f'"x", {old}'})
    assert changed.status_code == 200, changed.text
    new = changed.headers["etag"]
    assert new == http.get("/parted/1,a").headers["etag"]
    ask(http, "PATCH", "/parted/1,a", 412, json={"v": 3}, headers={"If-Match": old})
    ask(http, "DELETE", "/parted/1,a", 412, headers={"If-Match": old})
    ask(http, "DELETE", "/parted/1,a", headers={"If-Match": new})


def test_a_put_that_ignores_an_existing_record_has_a_json_response(http: httpx.Client) -> None:
    asked = {"upsert": "ignore"}
    assert ask(http, "PUT", "/tag/vip", json={"label": "other"}, params=asked) == {}
    assert ask(http, "GET", "/tag/vip")["label"] != "other"
    assert ask(http, "PUT", "/tag/fresh", json={"label": "new"}, params=asked) == {"slug": "fresh"}
