"""The list of My Contacts, by the table and by searchname: every page, every order, equal times, new names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest

from tests.helpers.product import Account, Product, User

SIZE, PAGE = 130, 25


async def _fill(product: Product, account: Account, user: User, name: str, moments: int) -> None:
    """Insert contacts of one user, many of them with the same time."""
    await product.db.execute(
        """with made as (insert into person (profilekey, full_name)
                select 'in/list-' || $2::bigint || '-' || $3::text || n, $3 || ' ' || n
                from generate_series(1, $4::int) n
                returning personid, profilekey, full_name),
             kept as (insert into usercontact (clientid, personid, name, linkedinurl, revealedby, createdon)
                select $1::bigint, personid, full_name, 'https://www.linkedin.com/' || profilekey, $2,
                       '2026-01-01'::timestamptz + personid % $5::int * interval '1 day'
                from made returning contactid, name, createdon)
           insert into usercontactlink (appuserid, contactid, clientid, listedon, searchname)
           select $2, contactid, $1, createdon, lower(name) from kept""",
        account.clientid, user.appuserid, name, SIZE, moments,
    )  # fmt: skip


async def _searched(user: User, text: str) -> list[dict[str, Any]]:
    """Return every page of a search; check each count and the empty page after the last."""
    records: list[dict[str, Any]] = []
    counts = set()
    while True:
        body = (await user.post("searchname", limit=PAGE, offset=len(records), searchtext=text)).json()
        counts.add(body["meta"]["count"])
        records += body["resource"]
        if not body["resource"]:
            assert counts == {len(records)}
            return records


async def _listed(user: User, **query: Any) -> list[dict[str, Any]]:
    """Return every page of the table's list."""
    records: list[dict[str, Any]] = []
    while True:
        more = {"include_count": "true", "limit": PAGE, "offset": len(records)}
        body = (await user.table("GET", "usercontact", **query, **more)).json()
        records += body["resource"]
        if not body["resource"]:
            assert body["meta"]["count"] == len(records)
            return records


async def _walked(user: User, **query: Any) -> list[dict[str, Any]]:
    """Return every page of the table's list by cursor."""
    records: list[dict[str, Any]] = []
    cursor = ""
    while True:
        body = (await user.table("GET", "usercontact", **query, limit=PAGE, cursor=cursor)).json()
        records += body["resource"]
        if not (cursor := body.get("meta", {}).get("next_cursor", "")):
            return records


@pytest.mark.parametrize("moments", [1, 7, 1000])
async def test_pages_contain_each_contact_once_and_in_one_order(
    product: Product, account: Account, moments: int
) -> None:
    member = await account.user()
    for name in ("Ann", "Bob"):
        await _fill(product, account, member, name, moments)
    whole = await _listed(member, order="createdon DESC")
    assert [row["contactid"] for row in await _searched(member, "")] == [row["contactid"] for row in whole]
    assert whole == sorted(sorted(whole, key=lambda r: r["contactid"]), key=lambda r: r["createdon"], reverse=True)
    # The same from the end, as the app reads the last pages of a long list.
    assert await _listed(member, order="createdon ASC,contactid DESC") == whole[::-1]
    assert Counter(row["name"][:3] for row in whole) == {"Ann": SIZE, "Bob": SIZE}
    assert await _walked(member, order="createdon DESC") == whole
    ann = [row for row in whole if row["name"].startswith("Ann")]
    assert [row["contactid"] for row in await _searched(member, "ANN ")] == [row["contactid"] for row in ann]
    filtered = {"order": "createdon DESC", "filter": "name LIKE 'Ann%'"}
    assert await _listed(member, **filtered) == ann
    assert await _walked(member, **filtered) == ann
    # Ordered by a field outside the list.
    by_name = await _listed(member, order="name DESC")
    assert [row["name"] for row in by_name] == sorted((row["name"] for row in whole), reverse=True)


async def test_an_owner_pages_through_a_members_reveals(product: Product, account: Account, other: Account) -> None:
    member = await account.user()
    await _fill(product, account, member, "Ann", 3)
    assert await _listed(account.owner, order="createdon DESC") == []
    query = {"order": "createdon DESC", "filter": f"revealedby={member.appuserid}"}
    assert len(await _listed(account.owner, **query)) == SIZE
    for stranger in (other.owner, await account.user()):
        assert await _listed(stranger, **query) == []


async def test_a_contact_is_found_by_its_newest_name(product: Product, account: Account) -> None:
    await _fill(product, account, account.owner, "Ann", 3)
    await product.db.execute(
        "update usercontact set name = 'Ångström Ünal' where clientid = $1 and name = 'Ann 5'", account.clientid
    )
    assert [row["name"] for row in await _searched(account.owner, "åNGSTRÖM ü")] == ["Ångström Ünal"]
    assert await _searched(account.owner, "Ann 5") == [
        row for row in await _searched(account.owner, "ann") if row["name"].startswith("Ann 5")
    ]
    assert len(await _searched(account.owner, "ann")) == SIZE - 1


async def test_a_link_belongs_to_the_client_of_its_contact(product: Product, account: Account, other: Account) -> None:
    await _fill(product, account, account.owner, "Ann", 3)
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await product.db.execute(
            "insert into usercontactlink (appuserid, contactid, clientid, listedon, searchname)"
            " select $1, contactid, $2, createdon, '' from usercontact where clientid = $3 limit 1",
            other.owner.appuserid, other.clientid, account.clientid,
        )  # fmt: skip


CROWD = """
with c as (insert into client (companyname) select 'Crowd' from generate_series(1, 20) returning clientid),
     u as (insert into appuser (clientid, name, email, isverified)
           select clientid, 'U', 'u' || clientid || '@crowd.example', 1 from c returning appuserid, clientid),
     k as (insert into usercontact (clientid, personid, name, linkedinurl, revealedby, createdon)
           select u.clientid, x.personid, x.name, x.linkedinurl, u.appuserid, x.createdon
           from u, usercontact x where x.clientid = $1
           returning contactid, clientid, revealedby, name, createdon)
insert into usercontactlink (appuserid, contactid, clientid, listedon, searchname)
select revealedby, contactid, clientid, createdon, lower(name) from k
"""


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


async def test_a_filtered_page_reads_no_contact_after_its_last(product: Product, account: Account) -> None:
    """PostgreSQL knows how many contacts there are, also in one account of many, and stops at the end of the page."""
    owner = account.owner
    await _fill(product, account, owner, "Ann", 1000)
    await product.db.execute(CROWD, account.clientid)
    await product.db.execute("analyze usercontact, usercontactlink")
    plans = product.app.state.datasets["leads"].plan_cache
    plans.clear()
    query = {"filter": "(deleted=0)", "order": "createdon DESC", "limit": PAGE}
    assert len((await owner.table("GET", "usercontact", **query)).json()["resource"]) == PAGE
    [plan] = plans.values()
    [explained] = await product.db.fetchval(
        f"explain (analyze, format json) {plan.sql}", account.clientid, owner.appuserid
    )
    read = [
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        for node in _nodes(explained["Plan"])
        if node.get("Relation Name") == "usercontact"
    ]
    assert 0 < sum(read) <= PAGE


async def test_only_the_owner_sees_the_contacts_of_the_account(
    product: Product, account: Account, other: Account
) -> None:
    member = await account.user()
    for home, user in ((account, account.owner), (account, member), (other, other.owner)):
        await _fill(product, home, user, f"Team {user.appuserid}", 3)
    both = {"filter": f"(clientid={account.clientid})", "order": "createdon DESC"}
    assert len(await _listed(account.owner, **both)) == 2 * SIZE
    assert len(await _listed(account.owner)) == SIZE
    assert len(await _listed(member, **both)) == SIZE
    assert await _listed(account.owner, filter=f"(clientid={other.clientid})") == []
    assert await _listed(other.owner, **both) == []
    # Not joined by AND to the rest of the filter, the field chooses no other rule.
    assert len(await _listed(account.owner, filter=f"(clientid={account.clientid}) or (contactid>0)")) == SIZE
    counters = (await account.owner.post("datascript/appcounters")).json()["data"]
    assert counters["contacts"] == 2 * SIZE
