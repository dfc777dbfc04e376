"""Removal of a person, low-credit mails, and the jobs that keep the house."""

from __future__ import annotations

from tests.api.product import API, Account, World


async def test_a_proved_address_removes_its_person_everywhere(world: World, account: Account) -> None:
    person = await world.person(personal_emails=["gone@home.example"])
    url = f"linkedin.com/{person.key}"
    await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    for body in ({"email": "nonsense"}, {"email": "a@b.example", "linkedinurl": "example.com"}):
        assert (await world.caller().post(API + "removalrequest", json=body)).status_code == 422
    asked = await world.caller().post(API + "removalrequest", json={"email": "Gone@home.example"})
    assert asked.json() == {"success": 1}
    path, _ = await world.link("gone@home.example")
    browser = world.caller(key="")
    assert "Remove my data" in (await browser.get(path)).text
    found = await account.owner.post("searchurl", linkedinurl=url, phone=True)
    assert len(found.json()["data"]) == 1  # opening the page does nothing
    first, second = await browser.post(path), await browser.post(path)
    assert (first.status_code, second.status_code) == (200, 404)
    await world.work()
    assert (await account.owner.post("searchurl", linkedinurl=url, phone=True)).json() == {"data": []}
    (contact,) = (await account.owner.table("GET", "usercontact")).json()["resource"]
    assert (contact["phone_numbers"], contact["name"]) == (None, "Removed")
    left = await world.db.fetchrow("select * from person where personid = $1", person.personid)
    assert left is not None
    assert (left["personalcipher"], left["phonecipher"], left["full_name"]) == (None, None, "")


async def test_one_mail_at_a_fifth_and_one_at_nothing(world: World) -> None:
    account = await world.account(planid=1)  # 5 cell numbers: a fifth is 1
    for _ in range(5):
        person = await world.person()
        body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
        assert (await account.owner.post("getcontact", **body)).json()["charged"] == 1
        await world.scripts.run_job("tellcredits", {})
    subjects = [mail["Subject"] for mail in await world.mails(account.owner.email)]
    assert subjects == ["Your cell number credits are running low", "Your cell number credits are used up"]


async def test_the_free_plan_starts_a_new_month_once(world: World) -> None:
    account = await world.account(planid=1)
    await account.set_credits(1)
    await world.db.execute(
        "update usersubscription set startdate = now() - interval '31 days', expirydate = now() - interval '1 hour'"
        " where clientid = $1",
        account.clientid,
    )
    for _ in range(2):
        await world.scripts.run_job("renewfree", {})
    assert (await account.credits())["contactcredit"] == 5
    assert await account.ledger_fits()


async def test_the_ledger_check_finds_what_does_not_fit(world: World, account: Account) -> None:
    before = await world.scripts.run_job("checkledger", {})
    await world.db.execute(
        "update usercredit set contactcredit = contactcredit + 1 where clientid = $1", account.clientid
    )
    assert await world.scripts.run_job("checkledger", {}) == before + 1
    await world.db.execute(
        "update usercredit set contactcredit = contactcredit - 1 where clientid = $1", account.clientid
    )


async def test_tidying_up_keeps_what_is_alive(world: World, account: Account) -> None:
    await world.scripts.run_job("tidyup", {})
    assert (await account.owner.http.get(API + "user/session")).status_code == 200


async def test_plans_that_cost_are_not_given_away(world: World, account: Account) -> None:
    paid = await account.owner.post("upgradeplan", planid=7)
    unknown = await account.owner.post("upgradeplan", planid=999)
    custom = await account.owner.post("upgradeplan", planid=8)
    assert [answer.status_code for answer in (paid, unknown, custom)] == [402, 404, 402]
    await world.db.execute("insert into clientplan (clientid, planid) values ($1, 8)", account.clientid)
    given = await account.owner.post("upgradeplan", planid=8)
    again = await account.owner.post("upgradeplan", planid=8)
    assert given.json()["resource"][0]["planid"] == again.json()["resource"][0]["planid"] == 8
    assert (await account.credits())["contactcredit"] == 10000
    assert await account.ledger_fits()
    free = await account.owner.post("upgradeplan", planid=1)
    assert free.status_code == 200
    assert (await account.credits())[
        "contactcredit"
    ] == 0  # the free grant is for new accounts; its next month brings more
    assert await account.ledger_fits()
