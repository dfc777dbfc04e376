"""Rows of another account: every caller, table, verb, and way to name a row (docs/reference/rules.md).

The rows belong to one client, the callers do not. No row may be read, counted, changed, deleted or distinguished from
a missing one. tests/data/access.txt lists the rights of every role, so that a change of rights is visible in a diff.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import policy
from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.rights import KEYS, MARK, caller, check_hidden, rows_of, selections, steps

HIDDEN_FROM_ALL = {
    "person",
    "personalias",
    "company",
    "searchuse",
    "searchseen",
    "reveal",
    "onetimetoken",
    "stripeevent",
    "paymentcatchup",
    "suppression",
    "dropbatch",
    "dropitem",
    "listmapping",
    "pgqueuer",
    "upload",
}


@pytest.mark.parametrize("table", sorted(KEYS))
async def test_rows_of_another_account_cannot_be_read(
    product: Product, victim: Account, callers: dict[str, str], table: str
) -> None:
    """By GET, and by QUERY, for which a header with another method changes nothing."""
    before, key = await rows_of(product, table, victim), KEYS[table]
    for ident in [row[key] for row in before[:2]]:
        asked: list[tuple[str, str, dict[str, Any], dict[str, str]]] = [("GET", f"{table}/{ident}", {}, {})]
        asked += [(method, table, one, {}) for method in ("GET", "QUERY") for one in selections(table, ident)]
        asked += [
            ("QUERY", table, query, headers)
            for query in (
                {"filter": f"{key} = :id", "params": {"id": ident}},
                {"ids": [ident]},
                {"filter": f"{key} = {ident}", "related": "*", "include_count": True},
                {"order": f"{key} desc", "limit": 1000},
                {"method": "PATCH", "filter": f"{key} = {ident}", "resource": [{"name": "taken"}]},
            )
            for headers in ({}, {"X-HTTP-Method": "PATCH"}, {"X-HTTP-Method-Override": "DELETE"})
        ]
        for name, token in callers.items():
            async with caller(product, name, token) as http:
                for method, path, query, headers in asked:
                    sent: dict[str, Any] = {"params": query} if method == "GET" else {"json": query}
                    response = await http.request(method, TABLE + path, headers=headers, **sent)
                    case = (name, method, path, query, headers, response.text)
                    assert response.status_code < 500, case
                    assert MARK not in response.text, case
                    if response.status_code == 200:
                        check_hidden(response.json(), query, table, ident, case)
    assert await rows_of(product, table, victim) == before


@pytest.mark.parametrize("table", sorted(KEYS))
async def test_rows_of_another_account_cannot_be_changed_or_deleted(
    product: Product, victim: Account, callers: dict[str, str], table: str
) -> None:
    before = await rows_of(product, table, victim)
    for name, token in callers.items():
        async with caller(product, name, token) as http:
            for step in steps(table, before[0]):
                path, query, body = f"{API}leads/{step['path']}", step.get("query"), step.get("body")
                response = await http.request(step["method"], path, params=query, json=body)
                assert response.status_code < 500, (name, step, response.text)
                assert MARK not in response.text, (name, step)
    assert await rows_of(product, table, victim) == before


async def test_related_rows_of_other_accounts_are_not_included(
    product: Product, victim: Account, callers: dict[str, str]
) -> None:
    """Plans are public, subscriptions to them are not."""
    for name, token in callers.items():
        async with caller(product, name, token) as http:
            response = await http.get(TABLE + "subscriptionplan", params={"related": "usersubscription_by_planid"})
        if response.status_code != 200:
            continue
        for plan in response.json()["resource"]:
            clients = {record["clientid"] for record in plan["usersubscription_by_planid"]}
            assert victim.clientid not in clients, name


@pytest.mark.parametrize("table", sorted(HIDDEN_FROM_ALL))
async def test_tables_without_a_policy_do_not_exist(product: Product, callers: dict[str, str], table: str) -> None:
    for name, token in callers.items():
        async with caller(product, name, token) as http:
            response = await http.get(TABLE + table)
        assert response.status_code in ((403,) if name == "disabled" else (401, 404)), (name, response.text)


def test_the_table_of_rights_equals_the_reviewed_one() -> None:
    """Compare with tests/data/access.txt; update it by: python -m tests.product.test_policy_matrix"""
    assert rights() == (Path(__file__).parents[1] / "data" / "access.txt").read_text()


def rights() -> str:
    """Return one line per table, verb and role, with rows and fields."""
    lines = []
    tables = [*sorted(policy.POLICY.items()), *sorted(policy.POLICIES["staff"].items())]
    for table, access in tables:
        for action in ("read", "create", "update", "delete"):
            for role in ("key", "unverified", "member", "client", "viewmember", "viewclient", "staff"):
                rule = access.rule(action, role)
                if rule is None:
                    continue
                rows = rule.rows.__name__ if rule.rows else "all"
                fields = "*" if rule.fields is None else ",".join(sorted(rule.fields)) or "none"
                but = f" but {','.join(sorted(rule.hidden))}" if rule.hidden else ""
                wider = (
                    f" or {','.join(sorted(rule.rows_when_filtered_by))} own_client"
                    if rule.rows_when_filtered_by
                    else ""
                )
                only = "".join(
                    f" {name} in {rows_rule.__name__}" for name, rows_rule in sorted(rule.editable_in.items())
                )
                dropped = f" ignored {','.join(sorted(rule.ignored))}" if rule.ignored else ""
                masked = f" masked {','.join(sorted(access.sealed))}" if role in access.masked else ""
                lines.append(f"{table:20}{action:8}{role:11}{rows}{wider}: {fields}{but}{only}{dropped}{masked}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(__file__).parents[1] / "data" / "access.txt").write_text(rights())
