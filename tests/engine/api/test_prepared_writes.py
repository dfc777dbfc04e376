"""A repeated write runs from its prepared statement and responds like the first: same records, same errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import execute

TABLES = """
create table house (id serial primary key, name text unique, rooms integer check (rooms > 0), more jsonb,
                    built timestamptz, owner integer);
create table road (name text primary key);
create function refuse() returns trigger language plpgsql as $$
begin if new.name = 'no' then return null; end if; return new; end $$;
create trigger refuse before insert on house for each row execute function refuse();
"""
ROLES = {
    "owner": {
        "access": [
            {
                "component": "_table/house/*",
                "verb_mask": 31,
                "filters": [{"name": "owner", "operator": "=", "value": "{user.id}"}],
                "filter_op": "AND",
            }
        ]
    }
}


KEYS = {"all": {"role": "*"}, **{f"owner-{n}": {"role": "owner", "user": {"id": n}} for n in (1, 2)}}
SERVED = Served(TABLES, {"keys": KEYS, "roles": ROLES}, key="all")


@pytest.fixture
def http(base: str, url: str) -> Iterator[httpx.Client]:
    """Return a client of a server that has prepared creates and updates of a house by name and rooms."""
    execute(url, "truncate house restart identity; truncate road")
    with httpx.Client(base_url=base, headers={"X-API-Key": "all"}, timeout=30) as client:
        for n in (1, 2):
            create(client, {"name": f"known {n}", "rooms": n})
            assert client.patch(f"/house/{n}", json={"name": f"kept {n}", "rooms": n}).status_code == 200
        yield client


def create(http: httpx.Client, record: dict[str, Any], status: int = 200, **options: Any) -> Any:
    response = http.post("/house", json={"resource": [record]}, **options)
    assert response.status_code == status, response.text
    return response.json()


def test_a_repeated_write_behaves_like_the_first(http: httpx.Client) -> None:
    assert create(http, {"name": "third", "rooms": 3}) == {"resource": [{"id": 3}]}
    changed = http.patch("/house/3", json={"name": "changed", "rooms": 4})
    assert changed.json() == {"id": 3}
    assert changed.headers["etag"] == http.get("/house/3").headers["etag"]
    assert http.get("/house/3", params={"fields": "name,rooms"}).json() == {"name": "changed", "rooms": 4}
    assert http.put("/house/3", json={"name": "put", "rooms": 5}).json() == {"id": 3}


@pytest.mark.parametrize(
    ("record", "status"),
    [
        ({"name": "known 9", "rooms": "many"}, 400),
        ({"name": "kept 1", "rooms": 1}, 409),
        ({"name": "empty", "rooms": 0}, 400),
        ({"name": "no", "rooms": 1}, 403),
    ],
)
def test_an_impossible_create_gives_the_same_batch_error(
    http: httpx.Client, record: dict[str, Any], status: int
) -> None:
    prepared = create(http, record, 400)["error"]
    long = create(http, record, 400, params={"continue": "false"})["error"]

    assert prepared["context"]["resource"][0]["status_code"] == status
    for error in (prepared, long):
        error["context"].pop("request_id")
    assert prepared == long


def test_an_impossible_change_is_rejected(http: httpx.Client) -> None:
    same = {"name": "other", "rooms": 2}
    assert http.patch("/house/99", json=same).status_code == 404
    assert http.patch("/house/one", json=same).status_code == 400
    assert http.patch("/house/1", json={"name": "kept 2", "rooms": 1}).status_code == 409
    assert http.patch("/house/1", json={"name": "x", "rooms": -1}).status_code == 400
    assert http.get("/house/1", params={"fields": "name,rooms"}).json() == {"name": "kept 1", "rooms": 1}


def test_non_trivial_writes_are_planned_in_full(http: httpx.Client) -> None:
    plain = {"name": "kept 1", "rooms": 7}
    assert http.patch("/house/1", json=plain, headers={"If-Match": '"1"'}).status_code == 412
    assert http.get("/house/1", params={"fields": "rooms"}).json() == {"rooms": 1}
    asked = http.patch("/house/1", json=plain, params={"fields": "rooms"})
    assert asked.json() == {"rooms": 7}
    bare = http.post("/house", json={"resource": [{"name": "bare", "rooms": 1}]}, headers={"Wrap": "false"})
    assert isinstance(bare.json(), list)
    csv = http.post("/house", json={"resource": [{"name": "csv", "rooms": 1}]}, headers={"Accept": "text/csv"})
    assert csv.text.splitlines()[0] == "id"

    for n in range(3):
        assert http.patch("/house/1", json={"built": "2020-01-01T00:00:00Z"}).status_code == 200
        assert http.patch("/house/1", json={"built": {"expression": "NOW()"}}).status_code == 200
        assert not http.get("/house/1", params={"fields": "built"}).json()["built"].startswith("2020")
        assert http.patch("/house/1", json={"more": {"expression": n}}).status_code == 200
        assert http.get("/house/1", params={"fields": "more"}).json() == {"more": {"expression": n}}


def test_row_rules_apply(http: httpx.Client, url: str) -> None:
    execute(url, "update house set owner = id")
    first, second = ({"X-API-Key": f"owner-{n}"} for n in (1, 2))
    for n in range(3):
        assert http.patch("/house/1", json={"rooms": n + 1}, headers=first).status_code == 200
        assert http.patch("/house/1", json={"rooms": 50}, headers=second).status_code == 404
        assert http.patch("/house/1", json={"owner": 2}, headers=first).status_code == 403
        assert create(http, {"name": f"mine {n}", "owner": 1}, headers=first)
        refused = http.post("/house", json={"resource": [{"name": f"yours {n}", "owner": 2}]}, headers=first)
        assert refused.status_code in (400, 403)
    assert http.get("/house", params={"filter": "name like 'yours%'"}).json() == {"resource": []}
    assert http.get("/house/1", params={"fields": "rooms,owner"}).json() == {"rooms": 3, "owner": 1}


def test_ddl_is_noticed(http: httpx.Client, url: str) -> None:
    execute(url, "alter table house rename rooms to chambers")
    try:
        assert create(http, {"name": "no rooms now", "rooms": 3}) == {"resource": [{"id": 3}]}
        assert http.get("/house/3", params={"fields": "chambers"}).json() == {"chambers": None}
        assert create(http, {"name": "chambers", "chambers": 3}) == {"resource": [{"id": 4}]}
        assert http.patch("/house/4", json={"name": "y", "chambers": 4}).status_code == 200
    finally:
        execute(url, "alter table house rename chambers to rooms")
