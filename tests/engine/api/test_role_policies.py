"""A policy for one role: its own tables, masks, columns that are always returned, recorded reads, rejected writes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import asyncpg
import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import ok

SCHEMA = """
create table account (accountid integer primary key, name text);
create table card (cardid integer primary key, accountid integer references account, number text, label text);
create table payout (payoutid integer primary key, accountid integer references account, amount integer);
create table seen (seenid serial primary key, actor jsonb, accountid integer, what text, detail jsonb, ip text);
insert into account values (1, 'One'), (2, 'Two');
insert into card values (1, 1, 's1.AAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'a'), (2, 2, null, 'b');
insert into payout values (1, 1, 5), (2, 2, 7);
"""
POLICY = '''"""Accounts, and an auditor of all of them."""
from tableapi import Forbidden
from tableapi.auth.policy import Access, Rule, Sessions


def own(table, actor):
    return table.c.accountid == actor.accountid


class OnlyReads(Forbidden):
    reason = "only_reads"

    def __init__(self):
        super().__init__("An auditor reads.")


EVERY = Rule(roles=("auditor",), always_returned={"accountid"})
POLICY = {
    "account": Access(read=Rule(roles=("user",), rows=own), update=Rule(roles=("user",), rows=own, fields={"name"})),
    "card": Access(read=Rule(roles=("user",), rows=own), sealed={"number"}),
}
POLICIES = {
    "auditor": {
        "account": Access(read=EVERY),
        "card": Access(read=EVERY, sealed={"number"}, masked=("auditor",)),
        "payout": Access(read=EVERY),
    },
}
SESSIONS = Sessions(
    lookup="""
        select 'user' as role, 1 as accountid, 7 as userid, null as auditor where $1 = sha256('user')
        union all select 'auditor', null, null, 'auditor-3' where $1 = sha256('auditor')
    """,
    user=("auditor", "userid"),
    account="accountid",
    read_only={"auditor": OnlyReads()},
    recorded={"auditor": """
        insert into seen (actor, accountid, what, detail, ip) values ($1::jsonb, $2, $3, $4::jsonb, $5)
    """},
)
'''
HOOK = '''"""A hook that changes what users read."""


async def get(ctx, records, options):
    return [{"accountid": 0, "name": "by the hook"}]
'''
SCRIPT = '''"""A call for everybody, and one for auditors."""
from tableapi import script


@script(roles=("*",))
async def run(ctx):
    return {"role": ctx.actor.role}


@script(method="GET", roles=("auditor",))
async def opened(ctx):
    return {"opened": ctx.vault.open(ctx.vault.seal("secret"))}
'''
SERVED = Served(SCHEMA, policy=POLICY, files={"scripts/tables/account.py": HOOK, "scripts/hello.py": SCRIPT}, under="/")


def caller(base: str, token: str) -> httpx.Client:
    return httpx.Client(base_url=f"{base}/api/v2/", headers={"X-API-Key": "k", "X-Session-Token": token}, timeout=30)


@pytest.fixture
def auditor(base: str) -> Iterator[httpx.Client]:
    with caller(base, "auditor") as client:
        yield client


@pytest.fixture
def user(base: str) -> Iterator[httpx.Client]:
    with caller(base, "user") as client:
        yield client


def seen(url: str) -> list[dict[str, Any]]:
    async def read() -> list[dict[str, Any]]:
        connection = await asyncpg.connect(url)
        rows = await connection.fetch("delete from seen returning accountid, what, detail, actor->>'auditor' as who")
        await connection.close()
        return [dict(row) for row in rows]

    return asyncio.run(read())


def reason(response: httpx.Response) -> str:
    return str(response.json()["error"]["context"]["reason"])


def test_a_table_of_one_role_does_not_exist_for_others(user: httpx.Client) -> None:
    response, unknown = user.get("data/_table/payout"), user.get("data/_table/nothing")
    assert (response.status_code, reason(response)) == (unknown.status_code, reason(unknown)) == (404, "unknown_table")
    related = user.get("data/_table/card", params={"related": "payout_by_accountid"})
    assert reason(related) == "unknown_relation"
    assert "payout" not in user.get("_spec").text
    assert "payout" not in user.get("data/_table").text


def test_the_role_reads_its_tables_without_hooks(auditor: httpx.Client, user: httpx.Client) -> None:
    assert [row["accountid"] for row in user.get("data/_table/account").json()["resource"]] == [0]
    response = auditor.get("data/_table/account", params={"related": "payout_by_accountid"})
    rows = ok(response)["resource"]
    assert [(row["accountid"], row["payout_by_accountid"][0]["amount"]) for row in rows] == [(1, 5), (2, 7)]
    assert "payout" in auditor.get("_spec").text


def test_a_sealed_value_is_returned_as_a_mask(auditor: httpx.Client) -> None:
    rows = auditor.get("data/_table/card").json()["resource"]
    assert [row["number"] for row in rows] == ["*****", None]
    assert auditor.get("data/_table/card/1", params={"raw": "number"}).text == "*****"
    parent = {"related": "card_by_accountid", "card_by_accountid.fields": "number"}
    account = auditor.get("data/_table/account/1", params=parent).json()
    assert account["card_by_accountid"] == [{"number": "*****", "accountid": 1}]
    for query in ({"filter": "number is null"}, {"order": "number"}, {"group": "number"}, {"fields": "number::text"},
                  {"fields": "LAG(number) OVER (ORDER BY cardid) AS v"},
                  {"fields": "ROW_NUMBER() OVER (ORDER BY number) AS v"}):  # fmt: skip
        response = auditor.get("data/_table/card", params=query)
        assert (response.status_code, "s1." in response.text) == (400, False), query
    assert auditor.get("hello").json() == {"opened": "*****"}


def test_a_column_marked_as_always_returned_is_returned(auditor: httpx.Client, user: httpx.Client) -> None:
    rows = auditor.get("data/_table/card", params={"fields": "label"}).json()["resource"]
    assert rows == [{"label": "a", "accountid": 1}, {"label": "b", "accountid": 2}]
    assert user.get("data/_table/card", params={"fields": "label"}).json()["resource"] == [{"label": "a"}]
    for fields in ("cardid AS accountid", "label AS accountid, cardid"):
        assert reason(auditor.get("data/_table/card", params={"fields": fields})) == "duplicate_field"


@pytest.mark.parametrize(
    ("path", "query", "accounts"),
    [
        ("card/1", {"fields": "label"}, [1]),
        ("card", {"filter": "cardid = 2"}, [2]),
        ("card", {"filter": "cardid > 0"}, [None, 1, 2]),
        ("card", {"filter": "cardid = 1", "count_only": "true"}, [1]),
        ("card", {"filter": "cardid = :one", "params": '{"one": 1}', "group": "label", "fields": "label"}, [1]),
        ("card", {"group": "label", "fields": "label"}, [None, 1, 2]),
        ("card", {"ids": "2", "fields": "label", "file": "x.csv"}, [2]),
        ("card", {"filter": "cardid = 1", "accept": "application/x-ndjson"}, [1]),
        ("card", {"filter": "cardid = 99"}, [None]),
    ],
)
def test_a_read_is_recorded_for_each_account_shown(
    auditor: httpx.Client, url: str, path: str, query: dict[str, str], accounts: list[int | None]
) -> None:
    seen(url)
    assert auditor.get(f"data/_table/{path}", params=query).status_code == 200
    rows = seen(url)
    assert [row["accountid"] for row in rows] == accounts
    assert {(row["what"], row["who"]) for row in rows} == {("card", "auditor-3")}


def test_a_tunnelled_and_a_conditional_read_are_recorded(auditor: httpx.Client, url: str) -> None:
    seen(url)
    body = {"filter": "cardid = 1", "fields": "label"}
    response = auditor.post("data/_table/card", json=body, headers={"X-HTTP-Method": "GET"})
    tag = {"If-None-Match": response.headers["ETag"]}
    again = auditor.post("data/_table/card", json=body, headers={"X-HTTP-Method": "GET"} | tag)
    assert (response.status_code, again.status_code) == (200, 304)
    assert [row["accountid"] for row in seen(url)] == [1, 1]


def test_reads_of_other_roles_and_of_unknown_tables_are_not_recorded(
    auditor: httpx.Client, user: httpx.Client, url: str
) -> None:
    seen(url)
    user.get("data/_table/card")
    auditor.get("data/_table/nothing")
    assert seen(url) == []


def test_a_rejected_read_is_recorded_with_its_error(auditor: httpx.Client, url: str) -> None:
    seen(url)
    auditor.get("data/_table/card", params={"filter": "nothing = 1"})
    recorded = [(row["accountid"], row["what"], json.loads(row["detail"])["error"]) for row in seen(url)]
    assert recorded == [(None, "card", "unknown_field")]


def test_a_read_only_role_cannot_write_or_call_public_scripts(auditor: httpx.Client, user: httpx.Client) -> None:
    writes = [("POST", "account"), ("PATCH", "account/1"), ("PUT", "card/1"), ("DELETE", "payout?force=true")]
    for method, path in [*writes, ("POST", "account?method=PATCH"), ("POST", "account?dry_run=true")]:
        response = auditor.request(method, f"data/_table/{path}", json={"name": "x"})
        assert (response.status_code, reason(response)) == (403, "only_reads"), path
    assert reason(auditor.post("hello", json={})) == "only_reads"
    assert user.post("hello", json={}).json() == {"role": "user"}
