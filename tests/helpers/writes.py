"""Ways to change one row through the table API, with the stored result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2

from tests.helpers.product import TABLE, Product, User


async def read_row(product: Product, table: str, key: str, ident: int) -> dict[str, Any]:
    row = await product.db.fetchrow(f"select * from {table} where {key} = $1", ident)
    assert row is not None
    return dict(row)


async def read_user(product: Product, user: User) -> dict[str, Any]:
    return await read_row(product, "appuser", "appuserid", user.appuserid)


def ways(table: str, key: str, ident: int, change: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, str], Any]]:
    """Yield every way to change one row."""
    for method in ("PATCH", "PUT"):
        yield method, f"{table}/{ident}", {}, change
        yield method, f"{table}/{ident}", {}, {"resource": [change]}
        yield method, table, {}, {"resource": [{key: ident} | change]}
        yield method, table, {}, [{key.upper(): str(ident)} | change]
        yield method, table, {"continue": "true"}, {"resource": [{key: ident} | change]}
        yield method, table, {"ids": str(ident)}, {"resource": [change]}
        yield method, table, {}, {"ids": [ident], "resource": [change]}
        yield method, table, {"filter": f"{key}={ident}"}, {"resource": [change]}
        yield method, table, {}, {"filter": f"({key}={ident})", "resource": change}
    yield "POST", table, {"upsert": "true"}, {"resource": [{key: ident} | change]}
    yield "POST", table, {"method": "PATCH"}, {"resource": [{key: ident} | change]}
    yield "POST", table, {"method": "MERGE", "ids": str(ident)}, {"resource": [change]}


async def ask(user: User, way: tuple[str, str, dict[str, str], Any]) -> httpx2.Response:
    method, path, query, body = way
    return await user.http.request(method, TABLE + path, params=query, json=body)


def reason(response: httpx2.Response) -> str:
    """Return the reason of an error, or its message inside a batch."""
    error = response.json()["error"]
    if error["code"] != 1000:
        return str(error["context"]["reason"])
    failed = error["context"]["resource"][error["context"]["error"][0]]
    return "tenant_mismatch" if "Your role may not set" in failed["message"] else str(failed["status_code"])
