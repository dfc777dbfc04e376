"""The calls appcounters, getrevealcount, contactmeta_addupdate and account/credits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from product.context import Context
from tests.helpers.product import API, Account, Product, User
from tests.helpers.support import ok


async def _reveal(product: Product, user: User, *kinds: str) -> int:
    person = await product.person()
    for kind in kinds:
        body = {"linkedinurl": f"linkedin.com/{person.key}", "type": kind, "action": "reveal"}
        response = await user.post("getcontact", **body)
    return int(response.json()["contactdata"][0]["contactid"])


@pytest.mark.parametrize("path", ["getrevealcount", "datascript/appcounters", "contactmeta_addupdate"])
async def test_calls_without_a_session_are_rejected(product: Product, path: str) -> None:
    assert (await product.caller(key="").post(API + path)).status_code == 401
    assert (await product.caller().post(API + path, json={})).status_code == 401


async def test_counters_cover_the_whole_account(product: Product, account: Account, other: Account) -> None:
    member = await account.user()
    await _reveal(product, account.owner, "directdial", "businessemail")
    await _reveal(product, member, "personalemail")
    await _reveal(product, other.owner, "directdial")
    response = await member.http.post(API + "datascript/appcounters")
    counted = {"contacts": 2, "phones": 1, "workemails": 1, "personalemails": 1, "members": 1, "apikeys": 0}
    assert response.json() == {"data": counted}


async def test_reveals_are_counted_for_the_user_or_the_team(product: Product, account: Account, other: Account) -> None:
    member = await account.user()
    await _reveal(product, member, "directdial", "businessemail")
    today, tomorrow = (f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%d}" for days in (0, 1))

    async def count(who: User, date: str = today) -> int:
        response = await who.post("getrevealcount", revealedby=member.appuserid, date=date)
        return int(response.json().get("totalrevealcount", -response.status_code))

    assert [await count(member), await count(account.owner), await count(member, tomorrow)] == [2, 2, 0]
    assert [await count(other.owner), await count(await account.user())] == [-403, -403]
    bad = await member.post("getrevealcount", revealedby=member.appuserid, date="yesterday")
    assert bad.status_code == 422
    daily = await member.post("getrevealcount", revealedby=member.appuserid, date=today, daily=True)
    assert daily.json() == {"totalrevealcount": 2, "days": [{"date": today, "count": 2}]}


async def test_the_count_of_the_team_is_for_its_owner(product: Product, account: Account, other: Account) -> None:
    member = await account.user()
    await _reveal(product, member, "directdial")
    await _reveal(product, account.owner, "directdial", "businessemail")
    await _reveal(product, other.owner, "directdial")
    today = f"{datetime.now(UTC):%Y-%m-%d}"

    async def ask(who: User) -> tuple[int, dict[str, object]]:
        response = await who.post("getrevealcount", revealedby=who.appuserid, date=today, team=True, daily=True)
        return response.status_code, response.json()

    status, error = await ask(member)
    assert (status, error["error"]["context"]["reason"]) == (403, "forbidden")  # type: ignore[index]
    assert await ask(account.owner) == (200, {"totalrevealcount": 3, "days": [{"date": today, "count": 3}]})


async def test_people_are_counted_once_in_each_period(product: Product, account: Account) -> None:
    owner, sql = account.owner, "update reveal set createdon = createdon - interval '10 days' where revealid = $1"
    await _reveal(product, owner, "directdial", "businessemail", "personalemail")
    await _reveal(product, owner, "directdial")
    first = await product.db.fetchval("select min(revealid) from reveal where clientid = $1", account.clientid)
    await product.db.execute(sql, first)
    days = [f"{datetime.now(UTC) - timedelta(days=days):%Y-%m-%d}" for days in (0, 6, 10, 13)]

    async def ask(**more: object) -> dict[str, object]:
        response = await owner.post("getrevealcount", revealedby=owner.appuserid, date=days[3], daily=True, **more)
        return dict(ok(response))

    counted = [{"date": days[2], "count": 1, "people": 1}, {"date": days[0], "count": 3, "people": 2}]
    assert await ask(split=days[1]) == {"totalrevealcount": 4, "people": 2, "days": counted}
    assert await ask(split=days[1], team=True) == await ask(split=days[1])
    # Within one period, a person counts only on the day of the first reveal.
    whole = await ask(split=days[3])
    assert (whole["people"], [day["people"] for day in whole["days"]]) == (2, [1, 1])  # type: ignore[attr-defined]
    wrong = await owner.post("getrevealcount", revealedby=owner.appuserid, date=days[3], split="soon")
    assert wrong.status_code == 422


async def test_every_screen_counts_the_same_people(product: Product, account: Account) -> None:
    member = await account.user()
    await _reveal(product, account.owner, "directdial", "businessemail", "personalemail")
    shared = await product.person()
    for user, kind in ((member, "directdial"), (account.owner, "personalemail")):
        await user.post("getcontact", linkedinurl=f"linkedin.com/{shared.key}", type=kind, action="reveal")
    today, http = f"{datetime.now(UTC):%Y-%m-%d}", account.owner.http

    params = {"filter": f"(clientid={account.clientid})", "include_count": "true"}
    listed = (await http.get(API + "leads/_table/usercontact", params=params)).json()["meta"]["count"]
    found = (await http.post(API + "datascript/appcounters")).json()["data"]["contacts"]
    ask = {"revealedby": account.owner.appuserid, "date": today, "split": today, "team": True}
    revealed = (await account.owner.post("getrevealcount", **ask)).json()["people"]
    usage = (await account.owner.post("getplatformusagedata", startdate=today, enddate=f"{today} 23:59:59")).json()
    assert [listed, found, revealed, usage["meta"]["people"]] == [2, 2, 2, 2]
    assert [(row["peoplecount"], row["totalrevealedcount"]) for row in usage["resource"]] == [(2, 4), (1, 1)]
    spent = (await http.get(API + "account/credits")).json()["spent"]
    assert spent == {"contactcredit": 2, "bus_email_credits": 1, "personal_email_credits": 2}


async def test_the_owner_can_list_the_reveals_of_a_member_by_either_column(product: Product, account: Account) -> None:
    member = await account.user()
    await _reveal(product, member, "directdial")
    await _reveal(product, member, "businessemail")
    await _reveal(product, await account.user(), "directdial")

    async def listed(who: User, text: str) -> int:
        params = {"filter": text.format(member.appuserid), "include_count": "true"}
        response = await who.http.get(API + "leads/_table/usercontact", params=params)
        return int(response.json()["meta"]["count"])

    either = "(revealedby={0}) or (dialrevealedby={0})"
    counts = [await listed(account.owner, text) for text in ("revealedby={0}", "dialrevealedby={0}", either)]
    assert counts == [1, 1, 2]
    # An always true condition selects only own rows; so does the request of a colleague.
    assert await listed(account.owner, "(revealedby={0}) or (contactid > 0)") == 0
    assert await listed(await account.user(), either) == 0


async def test_notes_are_private_and_protected_by_if_match(product: Product, account: Account) -> None:
    contactid, member = await _reveal(product, account.owner, "directdial"), await account.user()
    stranger = await member.post("contactmeta_addupdate", contactid=contactid, note="x")
    assert (stranger.status_code, stranger.json()["error"]["context"]["scope"]) == (404, "resource")
    too_many = await account.owner.post("contactmeta_addupdate", contactid=contactid, tags=["t"] * 21)
    assert too_many.status_code == 422

    first = await account.owner.post("contactmeta_addupdate", contactid=contactid, tags=["hot", "hot"], note="call")
    assert first.json() == {"success": 1, "resource": [{"contactid": contactid, "tags": ["hot"], "note": "call"}]}
    http, body = account.owner.http, {"contactid": contactid, "tags": [], "note": "done"}
    stale = await http.post(API + "contactmeta_addupdate", json=body, headers={"If-Match": '"other"'})
    fresh = await http.post(API + "contactmeta_addupdate", json=body, headers={"If-Match": first.headers["etag"]})
    assert (stale.status_code, fresh.status_code) == (412, 200)


async def test_credits_are_equal_for_a_session_and_a_key(product: Product, account: Account) -> None:
    ctx: Context = product.ctx
    await product.db.execute(
        "insert into apikeys (clientid, apikey, keyhash, purpose) values ($1, $2, $3, 'test')",
        account.clientid,
        ctx.vault.seal("credits-key"),
        ctx.vault.index("apikey", "credits-key"),
    )
    by_session = await account.owner.http.get(API + "account/credits")
    by_key = await product.caller(key="").get(API + "account/credits", params={"apikey": "credits-key"})
    assert by_session.json() == by_key.json()
    assert by_session.json()["plan"] == "Business"
    nobody = await product.caller(key="").get(API + "account/credits")
    app_only = await product.caller().get(API + "account/credits")
    assert (nobody.status_code, app_only.status_code) == (401, 401)
    assert nobody.json()["error"]["context"]["scope"] == "resource"
