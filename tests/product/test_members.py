"""The team: adding, inviting, accepting, disabling, enabling and deleting members, and immutable fields."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import pytest

from tests.helpers.product import API, Account, Product, User
from tests.helpers.support import ok, rejection

SESSION = API + "user/session"


def _member(**fields: Any) -> dict[str, Any]:
    return {"firstname": "Mia", "lastname": "Member", "email": f"m-{secrets.token_hex(4)}@team.example"} | fields


async def _added(account: Account, **fields: Any) -> dict[str, Any]:
    response = await account.owner.table("POST", "appuser", _member(**fields))
    return dict(ok(response)["resource"][0])


async def test_only_an_owner_can_add_members(product: Product, account: Account) -> None:
    member = await account.user()
    assert (await member.table("POST", "appuser", _member())).status_code == 403
    nobody = await product.caller().post("/api/v2/leads/_table/appuser", json={"resource": [_member()]})
    assert nobody.status_code == 401


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"email": "x@gmail.com"}, "email"),
        ({"email": "x"}, "email"),
        ({"firstname": "", "lastname": ""}, "body"),
        ({"role": "client"}, "role"),
        ({"role": "owner"}, "role"),
    ],
)
async def test_invalid_members_are_rejected(account: Account, fields: dict[str, Any], field: str) -> None:
    response = await account.owner.table("POST", "appuser", _member(**fields))
    assert (response.status_code, list(response.json()["error"]["context"]["fields"])) == (422, [field])


async def test_a_member_without_a_plan_or_a_free_seat_is_rejected(product: Product, account: Account) -> None:
    await product.db.execute("update usercredit set seatcount = 0 where clientid = $1", account.clientid)
    full = await account.owner.table("POST", "appuser", _member())
    await product.db.execute("update usersubscription set isactive = 0 where clientid = $1", account.clientid)
    none = await account.owner.table("POST", "appuser", _member())
    reasons = [response.json()["error"]["context"]["reason"] for response in (full, none)]
    assert [full.status_code, none.status_code, *reasons] == [409, 409, "seat_limit", "no_plan"]


async def test_an_existing_address_takes_no_seat(account: Account, other: Account) -> None:
    before = (await account.credits())["seatcount"]
    response = await account.owner.table("POST", "appuser", _member(email=other.owner.email))
    assert (response.status_code, (await account.credits())["seatcount"]) == (409, before)


async def test_of_two_concurrent_adds_one_gets_the_last_seat(product: Product, account: Account) -> None:
    await product.db.execute("update usercredit set seatcount = 1 where clientid = $1", account.clientid)
    responses = await asyncio.gather(*(account.owner.table("POST", "appuser", _member()) for _ in range(2)))
    assert sorted(response.status_code for response in responses) == [200, 409]
    assert (await account.credits())["seatcount"] == 0


async def test_a_member_can_be_invited_disabled_and_deleted(product: Product, account: Account) -> None:
    seats = (await account.credits())["seatcount"]
    added = await _added(account, role="admin", password="Chosen123", isactive=1, isverified=1, clientid=1)
    assert (added["invitestatus"], added["isactive"], added["role"]) == ("pending", 0, "admin")
    assert (await account.credits())["seatcount"] == seats - 1
    # An open invitation cannot be enabled or sign in, and can be sent again.
    early = await account.owner.table("PATCH", "appuser", {"appuserid": added["appuserid"], "isactive": 1})
    assert rejection(early) == (409, "not_accepted")
    _, old = await product.link(added["email"])
    assert (await account.owner.post("sendappuserinviteemail", appuserid=added["appuserid"])).json() == {"success": 1}
    path, query = await product.link(added["email"])
    assert path == "/acceptinvite"
    stale = await product.caller().post(
        API + "updatinvitedappuser", json={"email": added["email"], "verifytoken": old["code"]}
    )
    accept = {"email": added["email"], "verifytoken": query["code"]}
    accepted = await product.caller().post(API + "updatinvitedappuser", json=accept)
    assert (stale.status_code, accepted.json()["invitestatus"]) == (404, "accepted")
    body = (await product.mails(added["email"]))[-1].get_body(("plain",))
    assert body is not None
    password = body.get_content().partition("temporary password:")[2].split()[0]
    signed = await product.caller().post(SESSION, json={"email": added["email"], "password": password})
    assert (signed.status_code, signed.json()["mustchangepassword"]) == (200, 1)
    again = await account.owner.post("sendappuserinviteemail", appuserid=added["appuserid"])
    assert again.status_code == 409

    http = product.caller(signed.json()["session_token"])
    change = {"appuserid": added["appuserid"], "isactive": 0}
    assert (await account.owner.table("PATCH", "appuser", change)).status_code == 200
    out = await http.get(SESSION)
    assert (out.status_code, out.json()["error"]["context"]["scope"]) == (403, "account")
    assert (await account.owner.table("PATCH", "appuser", change | {"isactive": 1})).status_code == 200
    assert (await http.get(SESSION)).status_code == 401  # the old session stays revoked
    http = product.caller(
        (await product.caller().post(SESSION, json={"email": added["email"], "password": password})).json()[
            "session_token"
        ]
    )

    deleted = await account.owner.table("DELETE", f"appuser/{added['appuserid']}")
    twice = await account.owner.table("DELETE", f"appuser/{added['appuserid']}")
    assert (deleted.status_code, twice.status_code) == (200, 404)
    assert (await account.credits())["seatcount"] == seats
    gone = await http.post(API + "searchname", json={})
    assert (gone.status_code, gone.json()["error"]["message"]) == (404, "You have been deleted by the admin")
    # The address is free again.
    assert (await _added(account, email=added["email"]))["appuserid"] != added["appuserid"]


async def test_an_open_invitation_shows_the_inviter(product: Product, account: Account) -> None:
    """Only the holder of the mailed code gets the names, as mailed, and only until the invitation is accepted."""
    company = "Acme www.evil.example \u202e& Sons"
    await product.db.execute("update client set companyname = $2 where clientid = $1", account.clientid, company)
    added = await _added(account, role="admin")
    email, (_, query) = added["email"], await product.link(added["email"])

    async def looked(email: str, code: str) -> list[dict[str, Any]]:
        table = "/api/v2/leads/_table/appuser"
        params = {"filter": f"(email={email}) and (verifytoken={code})"}
        return list((await product.caller().get(table, params=params)).json()["resource"])

    assert await looked(email, "guessed") == await looked(account.owner.email, query["code"]) == []
    await product.db.execute("update onetimetoken set expireson = now() - interval '1 s' where email = $1", email)
    assert await looked(email, query["code"]) == []
    await product.db.execute("update onetimetoken set expireson = now() + interval '1 h' where email = $1", email)
    (row,) = await looked(email, query["code"])
    assert (row["invitedby"], row["companyname"], row["role"]) == ("Test User", "Acme & Sons", "admin")
    await product.caller().post(API + "updatinvitedappuser", json={"email": email, "verifytoken": query["code"]})
    (row,) = await looked(email, query["code"])
    assert row.keys() == {"appuserid", "name", "email", "isverified", "invitestatus"}


async def test_an_invitation_can_be_accepted_concurrently_by_several_browsers(
    product: Product, account: Account
) -> None:
    """All get the same answer and no session, and the seat is taken once."""
    seats = (await account.credits())["seatcount"]
    added = await _added(account)
    _, query = await product.link(added["email"])
    accept = {"email": added["email"], "verifytoken": query["code"]}
    responses = await asyncio.gather(
        *(product.caller().post(API + "updatinvitedappuser", json=accept) for _ in range(8))
    )
    assert [response.status_code for response in responses] == [200] * 8
    assert {response.json()["invitestatus"] for response in responses} == {"accepted"}
    assert [response.json().get("already") for response in responses].count(1) == 7
    assert not [response for response in responses if "token" in response.text]
    events = "select count(*) from auditlog where appuserid = $1 and event = 'invitation_accepted'"
    assert await product.db.fetchval(events, added["appuserid"]) == 1
    assert (await account.credits())["seatcount"] == seats - 1


async def test_an_invitation_accepted_while_it_is_withdrawn(product: Product, account: Account) -> None:
    for _ in range(5):
        added = await _added(account)
        _, query = await product.link(added["email"])
        accept = {"email": added["email"], "verifytoken": query["code"]}
        accepted, removed = await asyncio.gather(
            product.caller().post(API + "updatinvitedappuser", json=accept),
            account.owner.table("DELETE", f"appuser/{added['appuserid']}"),
        )
        assert (accepted.status_code in (200, 404), removed.status_code) == (True, 200), accepted.text
        sql = "select (isdeleted, isactive) = (1, 0) from appuser where appuserid = $1"
        assert await product.db.fetchval(sql, added["appuserid"])


@pytest.mark.parametrize(
    "change",
    [
        {"role": "client"}, {"isverified": 0}, {"email": "x@y.example"}, {"invitestatus": "pending"},
        {"clientid": 1}, {"isdeleted": 1}, {"password": "Chosen123"},
    ],
)  # fmt: skip
async def test_fields_users_cannot_change_on_themselves(
    product: Product, account: Account, change: dict[str, Any]
) -> None:
    member = await account.user()
    for user in (member, account.owner) if "role" not in change else (member,):
        before = await product.db.fetchrow("select * from appuser where appuserid = $1", user.appuserid)
        response = await user.table("PATCH", f"appuser/{user.appuserid}", change)
        body = await user.http.patch(f"/api/v2/leads/_table/appuser/{user.appuserid}", json=change)
        after = await product.db.fetchrow("select * from appuser where appuserid = $1", user.appuserid)
        assert before == after
        # A hidden column does not exist for the caller and is ignored like any unknown field.
        if "password" not in change:
            assert 400 <= body.status_code < 500, (change, response.text, body.text)


async def test_rows_of_other_accounts_do_not_exist(account: Account, other: Account) -> None:
    member, target = await account.user(), await other.user()
    for caller in (account.owner, member):
        for record in ({"isactive": 0}, {"firstname": "X", "lastname": "Y"}):
            response = await caller.table("PATCH", "appuser", {"appuserid": target.appuserid} | record)
            assert response.status_code == 404, response.text
    assert (await account.owner.table("DELETE", f"appuser/{target.appuserid}")).status_code == 404
    assert (await member.table("DELETE", f"appuser/{target.appuserid}")).status_code == 403
    seen = await account.owner.table("GET", "appuser", filter=f"(appuserid={target.appuserid})")
    assert seen.json()["resource"] == []


async def test_owner_cannot_be_deleted_or_switched_off(account: Account) -> None:
    owner = account.owner
    assert (await owner.table("DELETE", f"appuser/{owner.appuserid}")).status_code == 404


async def test_profile_values_are_normalised(product: Product, account: Account) -> None:
    member: User = await account.user()
    good = {
        "appuserid": member.appuserid,
        "firstname": " Mia ",
        "lastname": " Moe ",
        "phonenumber": "+45 (12) 34-56 78",
    }
    assert (await member.table("PATCH", "appuser", good)).status_code == 200
    row = await product.db.fetchrow("select * from appuser where appuserid = $1", member.appuserid)
    assert row is not None
    assert (row["name"], row["firstname"], row["phonenumber"]) == ("Mia Moe", "Mia", "4512345678")
    for fields in (
        {"phonenumber": "123"},
        {"firstname": "", "lastname": "x"},
        {"name": " "},
        {"avatar": "http://evil.example/x"},
    ):
        refused = await member.table("PATCH", "appuser", {"appuserid": member.appuserid} | fields)
        assert refused.status_code == 422, refused.text
    company = await member.table("PATCH", "appuser", {"appuserid": member.appuserid, "companyname": "Mine"})
    assert company.status_code == 403
    wrong: tuple[dict[str, Any], ...] = ({"country": "XXX"}, {"salespeoplecount": -1}, {"billingaddress": "x" * 201})
    for company_fields in wrong:
        refused = await account.owner.table("PATCH", "appuser", {"appuserid": account.owner.appuserid} | company_fields)
        assert refused.status_code == 422, refused.text


async def test_sessions_are_listed_and_ended(product: Product, account: Account, other: Account) -> None:
    user = await account.user()
    second, third = [product.caller(await account.session(user.appuserid)) for _ in range(2)]
    listed = (await user.table("GET", "usersession", order="usersessionid")).json()["resource"]
    assert len(listed) == 3
    assert "tokenhash" not in listed[0]
    strange = await other.owner.table("DELETE", f"usersession/{listed[1]['usersessionid']}")
    ended = await user.table("DELETE", f"usersession/{listed[1]['usersessionid']}")
    assert (strange.status_code, ended.status_code) == (404, 200)
    assert [(await http.get(SESSION)).status_code for http in (second, third)] == [401, 200]
    assert (await user.table("DELETE", "usersession")).status_code == 200
    assert [(await http.get(SESSION)).status_code for http in (third, user.http)] == [401, 200]


async def test_only_the_owner_reads_the_audit_log(account: Account, other: Account) -> None:
    added = await _added(account)
    events = (await account.owner.table("GET", "auditlog", order="auditid")).json()["resource"]
    assert [event["event"] for event in events] == ["member_added"]
    assert events[0]["target"] == str(added["appuserid"])
    assert (await other.owner.table("GET", "auditlog")).json()["resource"] == []
    member = await account.user()
    assert (await member.table("GET", "auditlog")).status_code in (403, 404)


@pytest.mark.parametrize(
    "phone",
    ["12ab5678", "+45 12 34 56 78 x9", "12.34.56.78", "12/345678", "tel:12345678", "12345678;1",
     "\u0661\u0662\u0663\u0664\u0665",
     "1234", "1234567890123456", -12345678, 12345.5, True, ["12345678"], {"a": 1}, "12345\n678", "+"],
)  # fmt: skip
async def test_a_phone_number_with_anything_else_in_it_is_rejected(
    product: Product, account: Account, phone: Any
) -> None:
    member, owner = await account.user(), account.owner
    fresh = await account.user(role="admin")
    for caller, path, record in (
        (member, "appuser", {"appuserid": member.appuserid}),
        (fresh, f"appuser/{fresh.appuserid}", {}),
        (owner, "appuser", {"appuserid": owner.appuserid, "companyname": "Mine"}),
        (owner, f"client/{account.clientid}", {}),
        (owner, "client", {"clientid": account.clientid}),
    ):
        for method in ("PATCH", "PUT"):
            body = record | {"phonenumber": phone}
            sent = body if "/" in path else {"resource": [body]}
            response = await caller.http.request(method, f"/api/v2/leads/_table/{path}", json=sent)
            assert response.status_code == 422, response.text
            assert list(response.json()["error"]["context"]["fields"]) == ["phonenumber"]
    assert await product.db.fetchval("select phonenumber from client where clientid = $1", account.clientid) == ""


async def test_spaces_dashes_brackets_and_plus_are_removed_from_phone_numbers(
    product: Product, account: Account
) -> None:
    typed, kept = " +45 (12) [34]-56\u00a078 ", "4512345678"
    owner = account.owner
    assert (
        await owner.table("PATCH", f"client/{account.clientid}", phone := {"phonenumber": typed})
    ).status_code == 200
    sql = "select c.phonenumber as company, u.phonenumber as own from client c join appuser u using (clientid)"
    row = await product.db.fetchrow(f"{sql} where u.appuserid = $1", owner.appuserid)
    assert row is not None
    assert row["company"] == kept
    assert (await owner.table("PATCH", "appuser", {"appuserid": owner.appuserid} | phone)).status_code == 200
    row = await product.db.fetchrow(f"{sql} where u.appuserid = $1", owner.appuserid)
    assert row is not None
    assert dict(row) == {"company": kept, "own": kept}


@pytest.mark.parametrize("change", [{"role": "admin"}, {"isactive": 0}, {"name": "X Y"}, {}])
async def test_a_record_outside_resource_is_rejected(product: Product, account: Account, change: Any) -> None:
    """With ids or filter, the members of the body are options: nothing would be written, and 200 would deny it."""
    member = await account.user()
    read = "select role, isactive, name from appuser where appuserid = $1"
    before = await product.db.fetchrow(read, member.appuserid)
    path = "/api/v2/leads/_table/appuser"
    for method in ("PATCH", "PUT"):
        for query in (
            {"ids": str(member.appuserid)},
            {"ids": f"{account.owner.appuserid},{member.appuserid}"},
            {"filter": f"(appuserid={member.appuserid})"},
            {"ids": member.email, "id_field": "email"},
        ):
            response = await account.owner.http.request(method, path, params=query, json=change)
            error = response.json().get("error", {})
            assert (response.status_code, error.get("context", {}).get("reason")) == (400, "no_records"), (
                method,
                query,
            )
    assert await product.db.fetchrow(read, member.appuserid) == before
    changed = await account.owner.http.patch(
        path, params={"ids": str(member.appuserid)}, json={"resource": [{"role": "admin"}]}
    )
    assert changed.status_code == 200, changed.text
    assert await product.db.fetchval("select role from appuser where appuserid = $1", member.appuserid) == "admin"
