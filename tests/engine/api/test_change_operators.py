"""Values that name a change: `{"stock": {"$add": -1}}`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tableapi.query.dml import operators
from tests.helpers.agents import ACCEPTED, call
from tests.helpers.served import Served
from tests.helpers.support import Serve, rejection

SCHEMA = """
create table item (
    id int primary key, name text, small smallint, stock int, price numeric(12, 2), weight float8, cost money,
    tags text[], sizes int[], info jsonb, list jsonb, plain json, at timestamptz, grade int not null default 0
);
create table part (id serial primary key, item_id int not null references item, count int);
insert into item (id, name, stock) select n, 'item', 100 from generate_series(1, 9) n;
"""
SERVED = Served(SCHEMA, dataset="shop", under="", MCP_READ_ONLY="off")


def _patch(base: str, path: str, record: dict[str, Any], **query: str) -> httpx2.Response:
    return httpx2.patch(f"{base}_table/{path}", params=query, json=record)


@pytest.mark.parametrize(
    ("field", "stored", "change", "expected"),
    [
        ("stock", 5, {"$add": -7}, -2),
        ("stock", None, {"$add": 3}, 3),
        ("small", 5, {"$add": "2"}, 7),
        ("price", 1.25, {"$add": 0.5}, 1.75),
        ("weight", 1.5, {"$add": 1}, 2.5),
        ("cost", 1.5, {"$add": 1}, 2.5),
        ("tags", ["a"], {"$append": "b"}, ["a", "b"]),
        ("tags", None, {"$append": ["b", "c"]}, ["b", "c"]),
        ("tags", ["a", "b", "a", None], {"$remove": "a"}, ["b", None]),
        ("tags", ["a", "b", "c"], {"$remove": ["a", "c"]}, ["b"]),
        ("tags", None, {"$remove": "a"}, []),
        ("sizes", [1, 2], {"$append": [3]}, [1, 2, 3]),
        ("sizes", [3, 1, 2, 1], {"$remove": 1}, [3, 2]),
        ("info", {"a": 1, "b": 2}, {"$merge": {"b": 3, "c": [1]}}, {"a": 1, "b": 3, "c": [1]}),
        ("info", None, {"$merge": {"a": 1}}, {"a": 1}),
        ("info", [1], {"$merge": {"a": 1}}, {"a": 1}),
        ("info", {"a": 1, "b": 2}, {"$remove": ["a", "z"]}, {"b": 2}),
        ("list", [1], {"$append": {"a": 1}}, [1, {"a": 1}]),
        ("list", None, {"$append": [1, [2]]}, [1, [2]]),
        ("list", ["a", "b"], {"$remove": "a"}, ["b"]),
        ("info", {"a": 1}, {"$set": {"$add": 1}}, {"$add": 1}),
        ("info", {"a": 1}, {"$add": 1}, {"$add": 1}),
        ("plain", {"a": 1}, {"$merge": {"b": 1}}, {"$merge": {"b": 1}}),
        ("stock", 5, {"$set": 7}, 7),
    ],
)
def test_a_change_is_computed_from_the_stored_value(
    base: str, field: str, stored: Any, change: dict[str, Any], expected: Any
) -> None:
    fields = {"fields": f"id,{field}"}
    assert _patch(base, "item/1", {field: {"$set": stored} if isinstance(stored, dict) else stored}).status_code == 200
    response = _patch(base, "item/1", {field: change}, **fields)
    assert (response.status_code, response.json().get(field)) == (200, expected), response.text
    # by a list: its records are written together
    both = {"resource": [{"id": n, field: {"$set": stored} if stored is not None else None} for n in (1, 2)]}
    assert _patch(base, "item", both).status_code == 200
    response = _patch(base, "item", {"resource": [{"id": n, field: change} for n in (1, 2)]}, **fields)
    assert [row[field] for row in response.json()["resource"]] == [expected] * 2, response.text
    # by a filter
    assert _patch(base, "item", both).status_code == 200
    response = _patch(base, "item", {"resource": [{field: change}]}, filter="id in (1, 2)", **fields)
    assert [row[field] for row in response.json()["resource"]] == [expected] * 2, response.text
    # by an upsert of a record that exists
    assert _patch(base, "item", both).status_code == 200
    body = {"resource": [{"id": 1, field: change}]}
    response = httpx2.post(f"{base}_table/item", params={"upsert": "true", **fields}, json=body)
    assert [row[field] for row in response.json()["resource"]] == [expected], response.text


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"stock": {"$inc": 1}}, "'$inc' is unknown. A field of this type takes $add"),
        ({"stock": {"$ad": 1}}, "Did you mean '$add'?"),
        ({"stock": {"$append": 1}}, "$append is for arrays and jsonb"),
        ({"name": {"$add": 1}}, "$add is for numbers"),
        ({"tags": {"$add": 1}}, "$add is for numbers"),
        ({"tags": {"$merge": {}}}, "$merge is for jsonb"),
        ({"stock": {"$add": None}}, "$add needs a value"),
        ({"info": {"$merge": [1]}}, "$merge needs an object"),
        ({"info": {"$remove": [1]}}, "$remove needs a text or a list of texts"),
        ({"stock": {"$add": 1.5}}, "whole number"),
        ({"stock": {"$add": "x"}}, "whole number"),
        ({"sizes": {"$append": "x"}}, "sizes"),
        ({"stock": {"$add": 1, "$set": 2}}, "stock"),
    ],
)
def test_a_change_that_does_not_fit_its_field_is_rejected(base: str, record: dict[str, Any], message: str) -> None:
    response = _patch(base, "item/3", record)
    assert response.status_code == 400, response.text
    assert message in response.json()["error"]["message"], response.text


def test_a_result_out_of_range_is_rejected(base: str) -> None:
    _patch(base, "item/3", {"small": 32_000})
    response = _patch(base, "item/3", {"small": {"$add": 32_000}})
    assert response.status_code == 400, response.text


def test_a_new_record_begins_with_nothing(base: str) -> None:
    record = {"id": 50, "stock": {"$add": 5}, "tags": {"$append": "a"}, "info": {"$merge": {"a": 1}}}
    for query in ({}, {"upsert": "true"}):
        response = httpx2.post(f"{base}_table/item", params={"fields": "*", **query}, json={"resource": [record]})
        [row] = response.json()["resource"]
        assert (row["stock"], row["tags"], row["info"]) == (5, ["a"], {"a": 1})
        assert httpx2.delete(f"{base}_table/item/50").status_code == 200


def test_changes_work_in_batches_nested_records_and_with_if_match(base: str) -> None:
    assert _patch(base, "item/4", {"stock": 10}).status_code == 200
    step = {"method": "PATCH", "path": "_table/item/4", "body": {"stock": {"$add": 1}}}
    assert httpx2.post(f"{base}_batch", json={"requests": [step] * 3}).status_code == 200
    nested = {"stock": {"$add": 1}, "part_by_item_id": [{"count": {"$add": 2}}]}
    response = _patch(base, "item/4", nested, related="part_by_item_id", fields="stock")
    assert (response.json()["stock"], response.json()["part_by_item_id"][0]["count"]) == (14, 2)
    part = response.json()["part_by_item_id"][0]["id"]
    parent = {"count": {"$add": 1}, "item_by_item_id": {"id": 4, "stock": {"$add": -4}}}
    response = _patch(base, f"part/{part}", parent, related="item_by_item_id", fields="count")
    assert (response.json()["count"], response.json()["item_by_item_id"]["stock"]) == (3, 10)
    tag = httpx2.get(f"{base}_table/item/4").headers["etag"]
    change, headers = {"stock": {"$add": 1}}, {"If-Match": tag}
    statuses = [httpx2.patch(f"{base}_table/item/4", json=change, headers=headers).status_code for _ in range(2)]
    assert statuses == [200, 412]


def test_sixty_four_changes_at_once_all_count(base: str, url: str) -> None:
    _patch(base, "item/5", {"stock": 100})

    def take(number: int) -> int:
        if number % 2:
            return _patch(base, "item/5", {"stock": {"$add": -1}}).status_code
        return _patch(base, "item", {"resource": [{"stock": {"$add": -1}}]}, filter="id = 5").status_code

    with ThreadPoolExecutor(64) as pool:
        assert set(pool.map(take, range(64))) == {200}
    assert httpx2.get(f"{base}_table/item/5").json()["stock"] == 36


def test_a_tool_can_change_instead_of_replace(base: str) -> None:
    _patch(base, "item/6", {"stock": 10})
    change = call("update_records", table="item", records=[{"id": 6, "stock": {"$add": -3}}])
    response = httpx2.post(base.partition("/api/")[0] + "/mcp", json=change, headers=ACCEPTED)
    assert response.status_code == 200, response.text
    assert "error" not in response.json(), response.text
    assert httpx2.get(f"{base}_table/item/6").json()["stock"] == 7, response.text


def test_rights_and_row_rules_apply_to_a_change(url: str, module_serve: Serve) -> None:
    rule = {"component": "_table/item/*", "verb_mask": 31, "filters": [{"name": "stock", "operator": ">=", "value": 0}]}
    access = {"keys": {"clerk": {"role": "clerk"}}, "roles": {"clerk": {"access": [rule]}}}
    server = module_serve("--dataset", f"shop={url}", access=access)
    with httpx2.Client(base_url=f"{server.url}/api/v2/shop/", headers={"X-API-Key": "clerk"}) as http:
        assert http.patch("_table/item/7", json={"stock": 1}).status_code == 200
        assert http.patch("_table/item/7", json={"stock": {"$add": -1}}).status_code == 200
        response = http.patch("_table/item/7", json={"stock": {"$add": -1}})
        assert rejection(response) == (403, "row_rule")
        assert http.get("_table/item/7", params={"fields": "stock"}).json() == {"stock": 0}


def test_the_tool_of_agents_names_the_changes(base: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
    listed = httpx2.post(base.replace("api/v2/shop/", "mcp"), json=message, headers=headers).json()["result"]["tools"]
    [tool] = [tool for tool in listed if tool["name"] == "update_records"]
    assert [name for name in operators.OPERATORS if f'"{name}"' not in tool["description"]] == []
    assert tool["annotations"]["idempotentHint"] is False  # adding twice is not adding once
