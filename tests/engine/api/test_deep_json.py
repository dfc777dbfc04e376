"""JSON that is nested deeply is stored, read and repeated, up to the depth that a body may have."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import rejection

DEPTHS = [200, 253, 300, 600]  # orjson encodes 254 levels
SERVED = Served(
    "create table doc (id integer primary key, j jsonb, t json not null);"
    "create table deepest (id integer primary key, j jsonb);"
    "insert into deepest values (1, (repeat('[', 3000) || repeat(']', 3000))::jsonb);"
)


def nested(depth: int) -> tuple[str, Any]:
    text = '{"a": [' * (depth // 2) + "1" + "]}" * (depth // 2)
    return text, json.loads(text)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k"}])
def test_deep_json_is_written_and_read_in_every_format(http: httpx.Client, depth: int, headers: dict[str, str]) -> None:
    text, value = nested(depth)
    if headers:
        headers = {"Idempotency-Key": f"deep {depth}"}
    body = f'{{"resource": [{{"id": {depth}, "j": {text}, "t": {text}}}]}}'.encode()
    headers = {**headers, "Content-Type": "application/json"}
    for _ in range(2):
        written = http.post("/doc", params={"fields": "j", "upsert": "true"}, content=body, headers=headers)
        assert (written.status_code, written.json()) == (200, {"resource": [{"j": value}]})

    only = {"filter": f"id = {depth}", "fields": "j"}
    assert http.get(f"/doc/{depth}").json() == {"id": depth, "j": value, "t": value}
    assert json.loads(http.get(f"/doc/{depth}", params={"raw": "j"}).text) == value
    lines = http.get("/doc", params=only, headers={"Accept": "application/x-ndjson"})
    assert json.loads(lines.text) == {"j": value}
    assert http.get("/doc", params={**only, "accept": "csv"}).text.count("a") == depth // 2
    for name in ("xml", "xlsx"):
        assert http.get("/doc", params={**only, "accept": name}).status_code == 200


@pytest.mark.parametrize("depth", DEPTHS)
def test_deep_json_is_rejected_in_other_fields(http: httpx.Client, depth: int) -> None:
    text, _ = nested(depth)
    content = f'{{"filter": "j contains json :a", "params": {{"a": {text}}}}}'.encode()
    assert http.post("/doc", params={"method": "GET"}, content=content).status_code in (200, 400)
    too_deep = f'[{{"id": 1, "t": {"[" * 3000}{"]" * 3000}}}]'.encode()
    refused = http.post("/doc", content=too_deep)
    assert rejection(refused) == (400, "bad_json")


@pytest.mark.parametrize(
    ("path", "params"),
    [
        *(("/deepest", {"accept": name}) for name in ("csv", "xlsx", "application/x-ndjson")),
        *(("/deepest/1", params) for params in ({"accept": "csv"}, {"accept": "xlsx"}, {"raw": "j"})),
    ],
)
def test_json_stored_deeper_than_the_body_limit_is_readable(
    http: httpx.Client, path: str, params: dict[str, str]
) -> None:
    refused = http.get(path, params=params)
    assert rejection(refused) == (400, "too_deep")
    assert "[" * 3000 in http.get(path).text


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "deepest"}, {"Prefer": "return=minimal"}])
@pytest.mark.parametrize("params", [{}, {"fields": "*"}, {"continue": "true"}])
@pytest.mark.parametrize("records", [1, 2])
def test_a_row_with_overly_deep_json_can_be_updated(
    http: httpx.Client, headers: dict[str, str], params: dict[str, str], records: int
) -> None:
    if "Idempotency-Key" in headers:
        headers = {"Idempotency-Key": f"deepest {params} {records}"}
    for _ in range(2):
        changed = http.patch("/deepest", json={"resource": [{"id": 1}] * records}, params=params, headers=headers)
        assert changed.status_code in (200, 204), changed.text
