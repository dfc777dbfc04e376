"""References to rows that the caller may not read, set through fields and relations, and fields named twice.

The caller of `http` may read the houses, tags, staff and parts of one town. A reference to another row gets the same
response as one to a missing row, whatever names it.
"""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import execute, rejection
from tests.helpers.towns import ACCESS, ROWS, TABLES

SERVED = Served(TABLES, ACCESS, key="local", each=ROWS)


class As:
    """The same client with another key."""

    def __init__(self, http: httpx.Client, key: str) -> None:
        self._http, self._headers = http, {"X-API-Key": key}

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self._http.request(method, path, **options | {"headers": self._headers | options.get("headers", {})})


def _table(url: str, table: str) -> list[tuple[Any, ...]]:
    async def read() -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(url)
        rows = await connection.fetch(f"select * from {table} order by 1, 2")
        await connection.close()
        return [tuple(row) for row in rows]

    return asyncio.run(read())


def _told(response: httpx.Response) -> Any:
    """Return status and body without the request id."""
    body = response.json()
    body.get("error", {}).get("context", {}).pop("request_id", None)
    return response.status_code, body


def _status(response: httpx.Response) -> int:
    """Return the status of an error, including one inside a batch."""
    if response.status_code == 400 and response.json()["error"]["code"] == 1000:
        context = response.json()["error"]["context"]
        return int(context["resource"][context["error"][0]]["status_code"])
    return response.status_code


WAYS = {
    "create": ("POST", "/room", {}, False),
    "upsert of a new row": ("POST", "/room", {"upsert": "true", "id_field": "code"}, False),
    "upsert": ("POST", "/room", {"upsert": "true", "id_field": "code"}, True),
    "by path": ("PATCH", "/room/1", {}, None),
    "put by path": ("PUT", "/room/1", {}, None),
    "records": ("PATCH", "/room", {}, 1),
    "continue": ("PATCH", "/room", {"continue": "true"}, 1),
    "ids": ("PATCH", "/room", {"ids": "1"}, 0),
    "filter": ("PATCH", "/room", {"filter": "id=1"}, 0),
}


def _write(http: httpx.Client, way: str, record: dict[str, Any]) -> httpx.Response:
    method, path, query, kind = WAYS[way]
    if path.endswith("1") and kind is None:
        return http.request(method, path, params=query, json=record)
    named = {"code": "a"} if kind is True else {"code": "new"} if kind is False else {"id": 1} if kind else {}
    return http.request(method, path, params=query, json={"resource": [named | record]})


@pytest.mark.parametrize(
    ("way", "through"),
    [(way, how) for way in sorted(WAYS) for how in ("field", "relation") if (way, how) != ("filter", "relation")],
)
def test_a_reference_to_a_hidden_row_fails_like_one_to_a_missing_row(
    http: httpx.Client, url: str, way: str, through: str
) -> None:
    before = _table(url, "room")

    def record(ident: int) -> dict[str, Any]:
        return {"house_id": ident} if through == "field" else {"house_by_house_id": {"id": ident}}

    for _ in range(3):  # from the second time on, a cached plan is used
        hidden, missing = [_write(http, way, record(ident)) for ident in (9, 77)]
        assert _told(hidden) == _told(missing)
        assert _status(hidden) == 409
    assert _table(url, "room") == before
    for _ in range(2):
        assert _write(http, way, record(2)).status_code == 200
        execute(url, "delete from room where code = 'new'")


@pytest.mark.parametrize("way", [way for way in sorted(WAYS) if "create" not in way and "new" not in way])
def test_an_existing_reference_to_a_hidden_row_is_kept(http: httpx.Client, url: str, way: str) -> None:
    """Write a record back as read, with a reference that an administrator set."""
    execute(url, "update room set other_id = 9 where id = 1")
    for _ in range(3):
        kept = _write(http, way, {"other_id": 9, "name": "new"})
        assert kept.status_code == 200, kept.text
    assert (_table(url, "room"))[0] == (1, "a", "new", 1, 9)
    assert _write(http, way, {"other_id": None}).status_code == 200
    assert _status(_write(http, way, {"other_id": 9})) == 409
    assert (_table(url, "room"))[0] == (1, "a", "new", 1, None)


def test_one_rejected_record_rolls_back_the_list(http: httpx.Client, url: str) -> None:
    execute(url, "update room set other_id = 9 where id = 1")
    before = _table(url, "room")
    refused = http.patch("/room", params={"filter": "id>0"}, json={"resource": [{"house_id": 9}]})
    assert _status(refused) == 409
    assert _table(url, "room") == before


def test_an_unreadable_parent_cannot_be_referenced(http: httpx.Client, url: str) -> None:
    before = _table(url, "room")
    rooms = As(http, "rooms")
    responses = [
        rooms.request("PATCH", "/room/1", json={"house_by_house_id": {"id": ident}}) for ident in (1, 2, 9, 77)
    ]
    assert [response.status_code for response in responses] == [403] * 4
    assert _table(url, "room") == before


def test_children_links_and_composite_keys(http: httpx.Client, url: str) -> None:
    before = [_table(url, name) for name in ("house_tag", "uses", "staff", "room", "house")]
    pairs = [
        ("/house/1", {"tag_by_house_tag": [{"slug": "blue"}]}, {"tag_by_house_tag": [{"slug": "none"}]}),
        ("/uses/1", {"b": 9}, {"b": 77}),
        ("/uses/1", {"part_by_a_b": {"a": 9, "b": 1}}, {"part_by_a_b": {"a": 77, "b": 1}}),
        ("/staff/1", {"boss_id": 9}, {"boss_id": 77}),
        ("/staff/1", {"staff_by_boss_id_parent": {"id": 9}}, {"staff_by_boss_id_parent": {"id": 77}}),
        ("/staff/1", {"staff_by_boss_id": [{"id": 9}]}, {"staff_by_boss_id": [{"id": 77}]}),
    ]
    for path, hidden, missing in pairs:
        hidden_reply, missing_reply = http.patch(path, json=hidden), http.patch(path, json=missing)
        assert rejection(hidden_reply) == (
            missing_reply.status_code,
            missing_reply.json()["error"]["context"]["reason"],
        ), (hidden, hidden_reply.text, missing_reply.text)
        assert hidden_reply.status_code in (404, 409), hidden_reply.text
    created = [_status(http.post("/uses", json={"resource": [{"a": a}]})) for a in (9, 77)]
    assert created == [409, 409]  # the other part of the key has a default
    assert [_table(url, name) for name in ("house_tag", "uses", "staff", "room", "house")] == before
    assert http.post("/uses", json={"resource": [{"a": 1}]}).status_code == 200
    assert http.patch("/house/1", json={"tag_by_house_tag": [{"slug": "red"}]}).status_code == 200


def test_a_row_may_refer_to_itself(http: httpx.Client, url: str) -> None:
    for record in ({"id": 2, "town": "ours", "boss_id": 2}, {"id": 3, "town": "ours", "boss_id": 1}):
        created = http.post("/staff", json={"resource": [record]})
        assert created.status_code == 200, created.text
    assert http.patch("/staff/3", json={"boss_id": 3}).status_code == 200
    assert [row[2] for row in _table(url, "staff")] == [None, 2, 3, None]


def test_a_released_row_still_obeys_the_row_rule(http: httpx.Client, url: str) -> None:
    before = [_table(url, name) for name in ("desk", "lock")]
    desks = As(http, "desks")
    for path, record in (
        ("/house/1", {"lock_by_house_id": None}),
        ("/house/1", {"desk_by_house_id": [{"id": 1, "house_id": None}]}),
        ("/desk/1", {"house_by_house_id": None}),
        ("/desk/1", {"house_id": None}),
        ("/desk/1", {"house_by_house_id": {"id": 50, "name": "new"}}),
        ("/house/2", {"desk_by_house_id": [{"id": 1}]}),
    ):
        refused = desks.request("PATCH", path, json=record)
        assert rejection(refused) == (403, "row_rule"), record
    refused = desks.request("PATCH", "/desk", params={"filter": "id=1"}, json={"resource": [{"house_id": None}]})
    assert refused.status_code == 403, refused.text
    assert [_table(url, name) for name in ("desk", "lock")] == before
    assert (9, "Nine", "theirs") in _table(url, "house")
    assert len(_table(url, "house")) == 3  # a parent created for a rejected record is rolled back


TWICE: list[tuple[str, str, dict[str, str], Any]] = [
    ("POST", "/room", {}, {"resource": [{"name": "x", "NAME": "y"}]}),
    ("POST", "/room", {"upsert": "true", "id_field": "code"}, {"resource": [{"code": "a", "Code": "b"}]}),
    ("PATCH", "/room/1", {}, {"name": "x", "Name": "y"}),
    ("PUT", "/room/1", {}, {"name": "x", "Name": "x"}),
    ("PATCH", "/room", {}, {"resource": [{"id": 1, "Id": 2, "name": "x"}]}),
    ("PATCH", "/room", {"ids": "1"}, {"resource": [{"name": "x", "nAme": "y"}]}),
    ("PATCH", "/room", {"filter": "id=1"}, {"resource": [{"name": "x", "nAme": "y"}]}),
    ("PATCH", "/room", {"id_field": "code"}, {"resource": [{"code": "a", "CODE": "b", "name": "x"}]}),
    ("PATCH", "/room", {"id_field": "code,Code", "ids": "(a,a)"}, {"resource": [{"name": "x"}]}),
    ("PATCH", "/room/1", {}, {"house_by_house_id": {"id": 1}, "House_By_House_Id": {"id": 2}}),
    ("PATCH", "/room/1", {}, {"house_by_house_id": {"id": 1, "ID": 2}}),
    ("PATCH", "/house/1", {}, {"room_by_house_id": [{"id": 1, "iD": 2}]}),
    ("DELETE", "/room", {}, {"resource": [{"id": 1, "Id": 2}]}),
]


@pytest.mark.parametrize("case", TWICE, ids=lambda case: f"{case[0]} {case[1]} {case[3]}")
def test_a_duplicate_field_is_rejected(http: httpx.Client, url: str, case: Any) -> None:
    before = _table(url, "room")
    method, path, query, body = case
    response = As(http, "all").request(method, path, params=query, json=body)
    error = response.json()["error"]
    if error["code"] == 1000:
        assert (response.status_code, error["context"]["resource"][0]["status_code"]) == (400, 400)
        assert "twice" in error["context"]["resource"][0]["message"]
    else:
        assert (response.status_code, error["context"]["reason"]) == (400, "duplicate_field"), response.text
    assert _table(url, "room") == before


def test_a_csv_with_duplicate_columns_is_rejected(http: httpx.Client, url: str) -> None:
    before = _table(url, "room")
    for head in ("code,name,name", "code,name,Name", "code,name, NAME "):
        response = As(http, "all").request(
            "POST", "/room", content=f"{head}\nz,1,2\n", headers={"Content-Type": "text/csv"}
        )
        assert response.status_code == 400, response.text
        assert "twice" in response.text
    assert _table(url, "room") == before


WORDS = ["sometimes", "maybe", "2", "-1", "tru", "yess", "null", "none"]
FLAGS = ["upsert", "continue", "rollback", "allow_related_delete", "force", "as_list", "wrap", "count_only",
         "include_count", "include_schema", "refresh"]  # fmt: skip


@pytest.mark.parametrize("option", FLAGS)
def test_an_invalid_option_word_is_rejected(http: httpx.Client, url: str, option: str) -> None:
    before = _table(url, "room")
    record = {"resource": [{"id": 1, "name": "new"}]}
    for word in WORDS:
        for method, path, body in (
            ("GET", "/room", None), ("GET", "/room/1", None), ("POST", "/room", {"resource": [{"name": "new"}]}),
            ("PATCH", "/room", record), ("PUT", "/room", record), ("PATCH", "/room/1", {"name": "new"}),
            ("DELETE", "/room", None), ("DELETE", "/room/1", None),
        ):  # fmt: skip
            response = http.request(method, path, params={option: word}, json=body)
            assert response.status_code == 400, (option, word, method, path, response.text)
            assert response.json()["error"]["context"] | {"request_id": ""} == {
                "reason": "bad_option", "scope": "resource", "option": option, "request_id": "",
                "doc": "/docs/reference/errors/#bad_option",
            }  # fmt: skip
    assert _table(url, "room") == before
    for word in ("true", "TRUE", "1", "yes", "y", "t", "on", "false", "0", "no", "N", "f", "off", ""):
        assert http.get("/room", params={option: word}).status_code == 200, (option, word)


def test_an_option_word_in_a_body_or_header_is_checked_too(http: httpx.Client, url: str) -> None:
    before = _table(url, "room")
    words: list[Any] = ["maybe", 2, [], {"a": 1}]
    for word in words:
        response = http.post("/room", json={"resource": [{"name": "new"}], "continue": word})
        assert response.status_code == 400, response.text
    assert http.get("/room", headers={"Wrap": "perhaps"}).status_code == 400
    assert http.post("/room", json={"resource": [{"name": "x"}]}, headers={"Wrap": "perhaps"}).status_code == 400
    assert _table(url, "room") == before
    assert http.get("/room", params={"include_count": "estimated"}).status_code == 200
    assert isinstance(http.get("/room", headers={"Wrap": "off"}).json(), list)
    for path, option in (("", "as_list"), ("/../", "as_access_list")):
        assert http.get(path or "/", params={option: "maybe"}).status_code == 400, option
