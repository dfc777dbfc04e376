"""Usage, and seats and API keys in use beyond the plan."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.helpers.product import Account, Product, User
from tests.helpers.shop import Shop
from tests.helpers.support import ok, rejection
from tests.product.test_plan_changes import change

MOMENTS = [
    datetime(2026, month, day, *clock, tzinfo=UTC)
    for month, days in ((1, (1, 28, 29, 30, 31)), (2, (1, 28)), (3, (1, 28, 29, 30, 31)))
    for day in days
    for clock in ((0, 0, 0), (23, 59, 59))
]


async def _reveals(product: Product, account: Account, user: User) -> None:
    """Insert one paid reveal at each time."""
    for moment in MOMENTS:
        person = await product.person()
        body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
        assert (await user.post("getcontact", **body)).json()["charged"] == 1
        sql = "update reveal set createdon = $2 where clientid = $1 and personid = $3"
        await product.db.execute(sql, account.clientid, moment, person.personid)


async def _rows(user: User, call: str, start: str, end: str, **more: Any) -> list[dict[str, Any]]:
    response = await user.post(call, startdate=f"{start} 00:00:00", enddate=f"{end} 23:59:59", **more)
    return list(ok(response)["resource"])


MONTHS = [("2026-01-01", "2026-01-30"), ("2026-02-01", "2026-02-28"), ("2026-03-01", "2026-03-30")]


def _by_hand(start: str) -> int:
    """Count the times in the month of a day."""
    return sum(1 for moment in MOMENTS if f"{moment:%Y-%m}" == start[:7])


async def test_months_are_counted_to_their_last_day(product: Product, account: Account) -> None:
    member = await account.user(name="Percy 100%")
    await _reveals(product, account, member)
    assert [_by_hand(start) for start, _ in MONTHS] == [10, 4, 10]
    for start, end in MONTHS:
        by_hand = _by_hand(start)
        rows = await _rows(account.owner, "getplatformusagedata", start, end)
        mine = next(row for row in rows if row["appuserid"] == member.appuserid)
        assert (mine["totalrevealedcount"], mine["busemailcount"], mine["directdialscount"]) == (by_hand, by_hand, 0)
    day = await _rows(account.owner, "getplatformusagedata", "2026-03-31", "2026-03-31")
    assert max(row["totalrevealedcount"] for row in day) == 2
    searched = await _rows(account.owner, "getplatformusagedata", "2026-01-01", "2026-01-30", search="100%")
    assert [row["appuserid"] for row in searched] == [member.appuserid]
    assert await _rows(account.owner, "getplatformusagedata", "2026-01-01", "2026-01-30", search="%x%") == []


@pytest.mark.parametrize("call", ["getplatformusagedata", "getapiusagedata"])
@pytest.mark.parametrize(("start", "end"), [
    ("0001-01-01T00:00:00+14:00", "0001-01-02"), ("9999-12-01", "9999-12-31"), ("9999-12-31", "9999-12-31T23:59:59"),
    ("9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59-12:00"),
])  # fmt: skip
async def test_dates_at_the_ends_of_the_calendar_are_rejected(
    account: Account, call: str, start: str, end: str
) -> None:
    response = await account.owner.post(call, startdate=start, enddate=end)
    assert (response.status_code, response.json()["error"]["context"]["fields"]["enddate"]) == (
        422,
        "Must be a date such as 2026-01-31",
    )


async def test_calls_of_a_key_are_counted_to_the_last_day_of_a_month(product: Product, account: Account) -> None:
    body = (await account.owner.table("POST", "apikeys", {"purpose": "Sync"})).json()["resource"][0]
    for moment in MOMENTS:
        query = {"linkedinurl": f"linkedin.com/{(await product.person()).key}", "type": "directdials"}
        response = await product.caller(key="").get("/api/v2/keylookup", params=query | {"apikey": body["apikey"]})
        assert response.json()["charged"] == 1
        await product.db.execute(
            "update apiusage set createdon = $2 where usageid = (select max(usageid) from apiusage where apikey = $1)",
            body["keyid"], moment,
        )  # fmt: skip
    for start, end in MONTHS:
        (row,) = await _rows(account.owner, "getapiusagedata", start, end)
        assert (row["callcount"], row["directdialscount"], row["businessemailcount"]) == (*[_by_hand(start)] * 2, 0)


@pytest.mark.parametrize("call", ["getplatformusagedata", "getapiusagedata"])
async def test_members_other_accounts_and_invalid_periods_are_rejected(
    product: Product, account: Account, other: Account, call: str
) -> None:
    good = {"startdate": "2026-01-01 00:00:00", "enddate": "2026-01-30 23:59:59"}
    assert (await (await account.user()).post(call, **good)).status_code == 403
    foreign = await account.owner.post(call, **good, clientid=other.clientid)
    assert rejection(foreign) == (403, "tenant_mismatch")
    row = await product.db.fetchrow(
        "select appuserid, target, detail from auditlog where clientid = $1 and event = 'tenant_mismatch'",
        account.clientid,
    )
    assert row is not None
    assert (row["appuserid"], row["target"]) == (account.owner.appuserid, str(other.clientid))
    assert row["detail"] == {"field": "clientid", "call": f"/api/v2/{call}"}
    for bad in ({"startdate": "soon"}, {"enddate": "2026-12-01"}, {"enddate": "2025-12-01"}, {"startdate": 5}):
        assert (await account.owner.post(call, **good | bad)).status_code == 422


async def test_keys_are_counted_and_deleted_ones_keep_their_history(product: Product, account: Account) -> None:
    body = (await account.owner.table("POST", "apikeys", {"purpose": "Sync"})).json()["resource"][0]
    person = await product.person()
    query = {"linkedinurl": f"linkedin.com/{person.key}", "type": "personalemails", "apikey": body["apikey"]}
    for _ in range(2):
        await product.caller(key="").get("/api/v2/keylookup", params=query)
    await account.owner.table("PATCH", "apikeys", {"keyid": body["keyid"], "isdeleted": 1})
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    (row,) = await _rows(account.owner, "getapiusagedata", today, today)
    assert (row["apikey"], row["callcount"], len(row["apiusage_by_apikey"])) == (body["apikey"], 2, 2)
    assert (row["personalemailcount"], row["businessemailcount"], row["directdialscount"]) == (1, 0, 0)
    assert await _rows(account.owner, "getapiusagedata", today, today, search="sync") == [row]
    assert await _rows(account.owner, "getapiusagedata", today, today, search="other") == []


async def _add(owner: User, name: str) -> int:
    member = {"name": name, "email": f"{name.lower()}@test-company.example", "role": "member"}
    return (await owner.table("POST", "appuser", member)).status_code


async def _members(shop: Shop, account: Account) -> list[int]:
    sql = "select appuserid from appuser where clientid = $1 and role <> 'client' and isdeleted = 0"
    return [row["appuserid"] for row in await shop.product.db.fetch(sql, account.clientid)]


async def test_members_added_before_a_downgrade_do_not_keep_their_seats(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 4)
    changed = await change(trial, 2, await shop.record_downgrade(trial, 2))
    assert changed.status_code == 200, changed.text
    for number in range(7):
        assert await _add(trial.owner, f"Early{number}") == 200
    await shop.pass_days(31)
    await shop.deliver()
    assert (await shop.plan(trial), len(await _members(shop, trial))) == (2, 7)

    for appuserid in (await _members(shop, trial))[:2]:
        assert (await trial.owner.table("DELETE", f"appuser/{appuserid}")).status_code == 200
    assert await _add(trial.owner, "Late") == 409  # five seats, five members
    assert (await trial.owner.table("DELETE", f"appuser/{(await _members(shop, trial))[0]}")).status_code == 200
    assert [await _add(trial.owner, name) for name in ("Anna", "Ben")] == [200, 409]


async def test_keys_beyond_the_plan_do_not_become_free(product: Product, account: Account) -> None:
    made = [(await account.owner.table("POST", "apikeys", {"purpose": "x"})).json()["resource"][0] for _ in range(5)]
    await product.db.execute(
        "with lower as (insert into subscriptionplan (planid, name, price, validity, details, availableseats,"
        " availableapicall, apiaccess) values (204, 'Small', 9, 30, '', 1, 4, 1) returning planid)"
        " update usersubscription s set planid = lower.planid from lower where s.clientid = $1 and s.isactive = 1",
        account.clientid,
    )
    again = []
    for key in made[:2]:
        gone = await account.owner.table("PATCH", "apikeys", {"keyid": key["keyid"], "isdeleted": 1})
        assert gone.status_code == 200
        again.append((await account.owner.table("POST", "apikeys", {"purpose": "y"})).status_code)
    assert again == [409, 200]
