"""The conformance cases of the table API: their keys, requests and expected responses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx2 as httpx

HERE = Path(__file__).parents[1] / "data"
FULL_KEY = "full-access-key"
FIXTURE = (HERE / "fixture.sql").read_text()


def cases_of(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file of tests/data."""
    return list(json.loads((HERE / name).read_text())["cases"])


CASES = [case for name in ("table_cases.json", "table_cases_more.json") for case in cases_of(name)]


def key_of(context: Any) -> str:
    if not context:
        return FULL_KEY
    return "ctx-" + hashlib.sha256(json.dumps(context, sort_keys=True).encode()).hexdigest()[:16]


def access_file() -> dict[str, Any]:
    """Return keys and roles of all cases in the format of `tableapi serve --access`."""
    keys: dict[str, Any] = {FULL_KEY: {"role": "*"}}
    roles = {}
    for context in (case["context"] for case in CASES if "context" in case):
        key = key_of(context)
        keys[key] = {"role": key, "user": context["user"]}
        roles[key] = {"access": context["role_access"]}
    return {"keys": keys, "roles": roles}


def send(client: httpx.Client, request: Mapping[str, Any], key: str) -> httpx.Response:
    url = request["path"]
    if request.get("query"):
        url += "?" + urlencode(request["query"], quote_via=quote)
    headers = {"X-DreamFactory-API-Key": key, "Accept": "application/json", **(request.get("headers") or {})}
    body = request.get("body")
    if body is not None and not isinstance(body, str):
        body = json.dumps(body)
        headers.setdefault("Content-Type", "application/json")
    return client.request(request["method"], url, content=body.encode() if body is not None else None, headers=headers)


def _same(want: Any, got: Any, *, whole: bool) -> bool:
    """Compare by value; unless `whole`, an object of `want` may be a subset of the one in `got`."""
    if isinstance(want, dict):
        if not isinstance(got, dict) or (whole and set(want) != set(got)):
            return False
        return all(k in got and _same(v, got[k], whole=whole) for k, v in want.items())
    if isinstance(want, list):
        if not isinstance(got, list) or len(want) != len(got):
            return False
        return all(_same(w, g, whole=whole) for w, g in zip(want, got, strict=True))
    if want is None or isinstance(want, bool) or isinstance(got, bool):
        return type(want) is type(got) and want == got
    if isinstance(want, int | float):
        return isinstance(got, int | float) and abs(want - got) < 1e-9
    return bool(want == got)


def _at(node: Any, path: str) -> Any:
    for part in filter(None, path.replace("[0]", ".0").split(".")):
        node = node[int(part)] if part.isdigit() else node[part]
    return node


def _spread(node: Any, path: str) -> list[Any]:
    nodes = [node]
    for part in path.split("."):
        key, many = part.removesuffix("[]"), part.endswith("[]")
        nodes = [n[key] if key else n for n in nodes]
        if many:
            nodes = [x for n in nodes for x in n]
    return nodes


def check(expect: Mapping[str, Any], response: httpx.Response) -> None:
    """Check a response against a case. Raises AssertionError."""
    text = response.text
    assert response.status_code == expect["status"], text[:500]
    for name, prefix in expect.get("headers", {}).items():
        assert response.headers.get(name, "").startswith(prefix), (name, response.headers)
    for part in expect.get("text", []):
        assert part in text or json.dumps(part)[1:-1] in text, text[:500]
    for part in expect.get("lacks_text", []):
        assert part not in text
    if "json" not in response.headers.get("content-type", ""):
        return
    body = response.json()
    if "error_code" in expect:
        assert body["error"]["code"] == expect["error_code"]
    rows: Any = body.get("resource") if isinstance(body, dict) else body
    name = expect.get("id_field", "id")
    if "ids" in expect:
        assert [row[name] for row in rows] == expect["ids"]
    if "ids_set" in expect:
        assert sorted(str(row[name]) for row in rows) == sorted(map(str, expect["ids_set"]))
    if "count" in expect:
        assert len(rows) == expect["count"]
    assert _same(expect.get("json", {}), body, whole=False) or "json" not in expect, text[:500]
    if "exact" in expect:
        assert _same(expect["exact"], body, whole=True), text[:500]
    for path, keys in expect.get("has_keys", {}).items():
        assert set(keys) <= _at(body, path).keys()
    for path, keys in expect.get("lacks_keys", {}).items():
        try:
            node = _at(body, path)
        except (KeyError, IndexError, TypeError):
            continue
        assert not set(keys) & set(node)
    for path, values in expect.get("has", {}).items():
        assert all(value in _spread(body, path) for value in values)
    for path, size in expect.get("len", {}).items():
        assert len(_at(body, path)) == size
