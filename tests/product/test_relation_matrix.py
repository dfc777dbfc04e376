"""Rows of another account named through relations: every table, relation, way to write, and caller.

The victim's rows are compared before and after. No response may contain any of their values, and naming one of them
gets the same response as naming a missing row. Owner and author columns also stay unchanged in the callers' rows.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

import policy
from tableapi.schema.model import Relation, Table
from tests.helpers.product import TABLE, Account, Product
from tests.helpers.rights import KEYS, MARK, furnish

ALL_KEYS = KEYS | {"subscriptionplan": "planid"}
WHO = ("clientid", "appuserid", "revealedby", "dialrevealedby", "actor", "keyid", "apikey")
MISSING = 987_654_321


@dataclass
class Caller:
    """A caller, and one of its rows in each table that has any."""

    http: httpx2.AsyncClient
    clientid: int
    rows: dict[str, int]


def _tables(product: Product) -> dict[str, Table]:
    return product.app.state.datasets["leads"].schema.tables


async def _account_rows(product: Product, table: str, clientid: int) -> list[dict[str, Any]]:
    if table == "subscriptionplan":
        return [dict(row) for row in await product.db.fetch("select * from subscriptionplan order by planid")]
    rows = await product.db.fetch(f"select * from {table} where clientid = $1 order by {ALL_KEYS[table]}", clientid)
    return [dict(row) for row in rows]


async def _snapshot(product: Product, clientid: int) -> dict[str, list[dict[str, Any]]]:
    """Return every row of an account, in every table with a clientid."""
    columns = await product.db.fetch(
        "select table_name from information_schema.columns c join information_schema.tables t using (table_schema,"
        " table_name) where column_name = 'clientid' and table_type = 'BASE TABLE' and table_schema = 'public'"
    )
    names = sorted(row["table_name"] for row in columns)
    rows_of = {}
    for name in names:
        rows = await product.db.fetch(f"select t::text as row from {name} t where clientid = $1 order by 1", clientid)
        rows_of[name] = [dict(row) for row in rows]
    return rows_of


@pytest.fixture(scope="module")
async def callers(product: Product) -> AsyncIterator[dict[str, Caller]]:
    product.app.state.limited = False
    callers_by_role: dict[str, Caller] = {"key": Caller(product.caller(), 0, {})}
    home, third, fresh = [await product.account() for _ in range(3)]
    for account in (home, third):
        await furnish(product, account, "own-mark")
    await product.db.execute("update appuser set isverified = 0 where appuserid = $1", fresh.owner.appuserid)
    people = {
        "unverified": (fresh, fresh.owner), "member": (home, await home.user()), "owner": (home, home.owner),
        "admin": (home, await home.user("admin")), "owner of another account": (third, third.owner),
    }  # fmt: skip
    person = await product.person()
    for name, (account, user) in people.items():
        if name in ("member", "admin"):
            body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
            assert (await user.post("getcontact", **body)).status_code == 200
        rows = {table: account_rows[0][key] for table, key in ALL_KEYS.items()
                if (account_rows := await _account_rows(product, table, account.clientid))}  # fmt: skip
        for table in ("appuser", "usersession", "contactfeedback", "usercontact"):
            seen = await user.http.get(TABLE + table, params={"limit": "1", "order": ALL_KEYS[table]})
            listed = seen.json().get("resource") if seen.status_code == 200 else None
            rows |= {table: listed[0][ALL_KEYS[table]]} if listed else {}
        callers_by_role[name] = Caller(
            user.http, account.clientid, rows | {"client": account.clientid, "appuser": user.appuserid}
        )
    yield callers_by_role
    product.app.state.limited = True


def _shapes(relation: Relation, ident: int) -> Iterator[tuple[str, Any]]:
    """Yield the values of a relation in a record: link, change, release and create."""
    key = ALL_KEYS[relation.target.name]
    more = {
        "name": "taken",
        "companyname": "taken",
        "purpose": "taken",
        "deleted": 1,
        "isactive": 0,
        "planname": "taken",
    }
    fields = {name: value for name, value in more.items() if name in relation.target.columns}
    many = relation.kind in ("has_many", "many_many")

    def told(record: dict[str, Any]) -> Any:
        return [record] if many else record

    yield "link", told({key: ident})
    yield "change", told({key: ident} | fields)
    yield "create", told(fields or {"name": "new"})
    if relation.kind == "has_many":
        yield "release", [{key: ident} | dict.fromkeys(relation.theirs)]
    elif relation.kind == "many_many":
        yield "release", [{key: ident, f"{relation.target.name}.{key}": None}]
    else:
        yield "release", None


def _ways(table: str, own: int | None, record: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, str], Any]]:
    key = ALL_KEYS[table]
    yield "POST", table, {}, {"resource": [record]}
    if own is None:
        return
    yield "POST", table, {"upsert": "true"}, {"resource": [{key: own} | record]}
    yield "PATCH", f"{table}/{own}", {"allow_related_delete": "true"}, record
    yield "PUT", f"{table}/{own}", {}, record
    yield "PATCH", table, {}, {"resource": [{key: own} | record]}
    yield "PATCH", table, {"ids": str(own), "continue": "true"}, {"resource": [record]}
    yield "PUT", table, {"filter": f"{key}={own}"}, {"resource": [record]}


def _reason(response: httpx2.Response, *idents: int) -> tuple[int, str]:
    """Return status and body without the sent identifier, which may be 403, too, and the request id."""
    text = re.sub(r'"request_id":"[^"]*"|"(status_)?code":\d+', "", response.text)
    for ident in idents:
        text = re.sub(rf"\b{ident}\b", "ID", text)
    return response.status_code, re.sub(r'"row":.*', "", text)


@pytest.mark.parametrize("table", sorted(policy.POLICY))
async def test_relations_return_no_rows_of_another_account(
    product: Product, victim: Account, callers: dict[str, Caller], table: str
) -> None:
    before = await _snapshot(product, victim.clientid)
    plans = await _account_rows(product, "subscriptionplan", 0)
    own = {name: await _who(product, caller.clientid) for name, caller in callers.items()}
    asked = 0
    for relation in _tables(product)[table].relations.values():
        rows = await _account_rows(product, relation.target.name, victim.clientid)
        ident = rows[0][ALL_KEYS[relation.target.name]]
        for name, caller in callers.items():
            told_apart = relation.target.name != "subscriptionplan"  # plans are public
            for (shape, value), (_, other) in zip(_shapes(relation, ident), _shapes(relation, MISSING), strict=True):
                asked += await _one(product, (name, relation.name, shape), caller, table, {relation.name: value})
                if shape in ("link", "change") and told_apart and table in caller.rows:
                    path = f"{TABLE}{table}/{caller.rows[table]}"
                    refused, missing = [await caller.http.patch(path, json={relation.name: v}) for v in (value, other)]
                    assert _reason(refused, ident) == _reason(missing, MISSING), (name, relation.name, shape)
    assert await _snapshot(product, victim.clientid) == before
    assert await _account_rows(product, "subscriptionplan", 0) == plans
    for name, caller in callers.items():
        after = await _who(product, caller.clientid)
        assert {key: after.get(key) for key in own[name]} == own[name], name
    assert asked or not _tables(product)[table].relations


async def _one(product: Product, case: Any, caller: Caller, table: str, record: dict[str, Any]) -> int:
    asked = 0
    for method, path, query, body in _ways(table, caller.rows.get(table), record):
        response = await caller.http.request(method, TABLE + path, params=query, json=body)
        assert response.status_code < 500, (case, method, path, query, response.text)
        assert MARK not in response.text, (case, method, path, query)
        asked += 1
    return asked


async def _who(product: Product, clientid: int) -> dict[tuple[str, int], dict[str, Any]]:
    """Return owner and author of each row of an account. Rows may be added, none may change."""
    owners = {}
    for table, key in ALL_KEYS.items():
        if table != "subscriptionplan":
            for row in await _account_rows(product, table, clientid):
                owners[table, row[key]] = {name: row[name] for name in WHO if name in row}
    return owners


@pytest.mark.parametrize("table", sorted(policy.POLICY))
async def test_rows_of_another_account_cannot_be_linked(
    product: Product, victim: Account, callers: dict[str, Caller], table: str
) -> None:
    """Write a row of the victim with relations to the caller's rows."""
    before = await _snapshot(product, victim.clientid)
    rows = await _account_rows(product, table, victim.clientid)
    ident = rows[0][ALL_KEYS[table]]
    for relation in _tables(product)[table].relations.values():
        for name, caller in callers.items():
            for shape, value in _shapes(relation, caller.rows.get(relation.target.name, MISSING)):
                for method, path, query, body in _ways(table, ident, {relation.name: value}):
                    response = await caller.http.request(method, TABLE + path, params=query, json=body)
                    assert response.status_code < 500, (name, relation.name, shape, method, path, response.text)
                    assert MARK not in response.text, (name, relation.name, shape, method, path)
    assert await _snapshot(product, victim.clientid) == before
