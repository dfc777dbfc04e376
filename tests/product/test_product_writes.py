"""Writes to owners of accounts, and fields under other spellings."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from tests.helpers.product import TABLE, Account, Product, User
from tests.helpers.support import ok, rejection
from tests.helpers.writes import ask, read_row, read_user, ways

pytestmark = pytest.mark.usefixtures("unlimited")


async def _contact(product: Product, user: User) -> int:
    person = await product.person()
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    response = await user.post("getcontact", **body)
    return int(response.json()["contactdata"][0]["contactid"])


# -- the owner ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"role": "member"}, {"role": "admin"}, {"Role": "member"}, {"isactive": 0}, {"IsActive": False},
        {"ISACTIVE": "0", "name": "New Name"}, {"role": "member", "companyname": "New"}, {"role": ["x"]},
        {"role": None},
    ],
)  # fmt: skip
async def test_an_owner_cannot_lose_the_role(product: Product, account: Account, change: dict[str, Any]) -> None:
    owner, member = account.owner, await account.user()
    before = await read_user(product, owner)
    for way in ways("appuser", "appuserid", owner.appuserid, change):
        response = await ask(owner, way)
        assert 400 <= response.status_code < 500, (way, response.text)
    several = [{"appuserid": member.appuserid, "isactive": 0}, {"appuserid": owner.appuserid} | change]
    both = f"{member.appuserid},{owner.appuserid}"
    for query, body in (
        ({}, several), ({"continue": "true"}, several), ({"ids": both}, [change]),
        ({"filter": "appuserid>0"}, [change]),
    ):  # fmt: skip
        response = await owner.http.patch(TABLE + "appuser", params=query, json={"resource": body})
        assert 400 <= response.status_code < 500, (query, body, response.text)
    assert await read_user(product, owner) == before
    assert (await read_user(product, member))["isactive"] == 1  # no part of a rejected list is applied
    assert (await read_row(product, "client", "clientid", account.clientid))["companyname"] == "Test Ltd"
    assert (await member.http.get("/api/v2/user/session")).status_code == 200
    events = await product.db.fetchval(
        "select count(*) from auditlog where clientid = $1 and event = 'member_changed'", account.clientid
    )
    assert events == 0


async def test_writing_stored_values_back_is_accepted(product: Product, account: Account) -> None:
    owner = account.owner
    same = {"role": "client", "isactive": 1, "isverified": 1, "email": owner.email, "name": "New Name"}
    for way in ways("appuser", "appuserid", owner.appuserid, same):
        response = await ask(owner, way)
        assert response.status_code == 200 or (way[0] == "POST" and "upsert" in way[2]), (way, response.text)
    assert (await read_user(product, owner))["name"] == "New Name"


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Taken Name"}, {"firstname": "Taken", "lastname": "Name"}, {"phonenumber": "12345678"},
        {"avatar": None, "lastname": "Taken"}, {"Name": "Taken Name"}, {"PhoneNumber": "12345678", "isactive": 0},
    ],
)  # fmt: skip
async def test_an_owner_cannot_write_the_profile_of_others(
    product: Product, account: Account, change: dict[str, Any]
) -> None:
    member = await account.user()
    before = await read_user(product, member)
    for way in ways("appuser", "appuserid", member.appuserid, change):
        response = await ask(account.owner, way)
        assert 400 <= response.status_code < 500, (way, response.text)
    assert await read_user(product, member) == before
    assert (await member.http.get("/api/v2/user/session")).status_code == 200
    whole = {name: before[name] for name in ("name", "firstname", "lastname", "phonenumber", "avatar", "email")}
    record = {"appuserid": member.appuserid, "role": "admin", "isverified": 1, "invitestatus": "accepted"} | whole
    changed = await account.owner.table("PATCH", "appuser", record)
    assert changed.status_code == 200, changed.text
    assert await read_user(product, member) == before | {"role": "admin"}


# -- names of fields ---------------------------------------------------------------------------------------------------


async def test_a_hook_accepts_any_spelling_of_a_field(product: Product, account: Account) -> None:
    owner = account.owner
    email = f"m-{secrets.token_hex(4)}@team.example"
    added = await owner.table("POST", "appuser", {"Name": "Mia Member", "EMAIL": email, "Role": "member"})
    pending = ok(added)["resource"][0]["appuserid"]
    for way in ways("appuser", "appuserid", pending, {"IsActive": 1}):
        response = await ask(owner, way)
        assert response.status_code >= 400, (way, response.text)
    early = await owner.table("PATCH", "appuser", {"AppUserID": pending, "IsActive": 1})
    assert rejection(early) == (409, "not_accepted")
    assert (await read_row(product, "appuser", "appuserid", pending))["isactive"] == 0

    member = await account.user()
    assert (await owner.table("PATCH", "appuser", {"appuserid": member.appuserid, "Role": "admin"})).status_code == 200
    assert (await member.http.get("/api/v2/user/session")).status_code == 401
    events = await product.db.fetchval(
        "select count(*) from auditlog where clientid = $1 and event = 'member_changed'", account.clientid
    )
    assert events == 1
    for change in ({"Avatar": "https://evil.example/x"}, {"NAME": " "}, {"PhoneNumber": "1"}, {"FirstName": ""}):
        for way in ways("appuser", "appuserid", owner.appuserid, change):
            response = await ask(owner, way)
            assert response.status_code in (403, 422), (way, response.text)


async def test_a_hook_and_the_engine_use_the_same_row(product: Product, account: Account) -> None:
    owner, member, user = account.owner, await account.user(), await account.user()
    before = {person.appuserid: await read_user(product, person) for person in (owner, member, user)}
    two = {"appuserid": user.appuserid, "AppUserId": member.appuserid, "name": "Taken Name"}
    for method in ("PATCH", "PUT", "DELETE"):
        for query in ({}, {"continue": "true"}):
            response = await owner.http.request(method, TABLE + "appuser", params=query, json={"resource": [two]})
            assert rejection(response) == (400, "duplicate_field")
    afids = {person.appuserid: str(before[person.appuserid]["afid"]) for person in (owner, member, user)}
    for caller, target in ((user, owner), (user, member), (owner, member)):
        afid = afids[target.appuserid]
        change = {"name": "Taken Name", "phonenumber": "12345678"}
        record = {"appuserid": caller.appuserid, "afid": afid} | change
        for method in ("PATCH", "PUT"):
            for path, query, body in (
                ("appuser", {"id_field": "afid"}, {"resource": [record]}),
                ("appuser", {}, {"id_field": "afid", "resource": [record]}),
                ("appuser", {"id_field": "afid", "ids": afid}, {"resource": [record]}),
                (f"appuser/{afid}", {"id_field": "afid"}, {"appuserid": caller.appuserid} | change),
            ):  # fmt: skip
                response = await caller.http.request(method, TABLE + path, params=query, json=body)
                assert 400 <= response.status_code < 500, (path, query, response.text)
    gone = await user.http.delete(f"{TABLE}appuser/{afids[member.appuserid]}", params={"id_field": "afid"})
    assert gone.status_code in (403, 404)
    assert {person.appuserid: await read_user(product, person) for person in (owner, member, user)} == before
    own = {"id_field": "afid", "ids": afids[user.appuserid]}
    named = await user.table("PATCH", "appuser", {"name": "By Afid"}, **own)
    assert named.json() == {"resource": [{"afid": afids[user.appuserid]}]}
    path = f"appuser/{afids[user.appuserid]}"
    assert (await user.table("PATCH", path, {"name": "By Path"}, id_field="afid")).status_code == 200
    assert (await read_user(product, user))["name"] == "By Path"


async def test_keys_are_disabled_by_any_spelling_of_the_field(product: Product, account: Account) -> None:
    owner = account.owner
    body = (await owner.table("POST", "apikeys", {"Purpose": "mine"})).json()["resource"][0]
    live = (await account.credits())["apicallcount"]
    for change in ({"IsDeleted": 1}, {"ISDELETED": 1}):
        assert (await owner.table("PATCH", "apikeys", {"KeyId": body["keyid"]} | change)).status_code == 200
    row = await read_row(product, "apikeys", "keyid", body["keyid"])
    assert (row["isdeleted"], row["isactive"], (await account.credits())["apicallcount"]) == (1, 0, live + 1)
    for change in ({"IsActive": 1}, {"isDeleted": 0}):
        revived = await owner.table("PATCH", "apikeys", {"keyid": body["keyid"]} | change)
        assert rejection(revived) == (403, "field_not_writable")


async def test_an_invalid_option_word_stops_a_hook(product: Product, account: Account) -> None:
    count = "select count(*) from apikeys where clientid = $1"
    for option in ("continue", "upsert", "rollback", "as_list"):
        response = await account.owner.table("POST", "apikeys", {"purpose": "mine"}, **{option: "maybe"})
        assert rejection(response) == (400, "bad_option")
    refused = await account.owner.http.post(
        TABLE + "apikeys", json={"resource": [{"purpose": "mine"}]}, headers={"Wrap": "perhaps"}
    )
    assert refused.status_code == 400
    assert await product.db.fetchval(count, account.clientid) == 0


# -- details --------------------------------------------------------------------------------------------------


async def test_one_part_of_a_name_keeps_the_other(product: Product, account: Account) -> None:
    user = await account.user(firstname="Mia", lastname="Moe", name="Mia Moe")
    for change, name in (
        ({"firstname": "Ann"}, "Ann Moe"),
        ({"lastname": "Day"}, "Ann Day"),
        ({"FirstName": "Eve"}, "Eve Day"),
    ):
        response = await user.table("PATCH", "appuser", {"appuserid": user.appuserid} | change)
        assert response.status_code == 200, response.text
        assert (await read_user(product, user))["name"] == name
    empty: list[dict[str, Any]] = [{"firstname": ""}, {"lastname": " "}, {"firstname": "Ann", "lastname": None}]
    for parts in empty:
        response = await user.table("PATCH", "appuser", {"appuserid": user.appuserid} | parts)
        assert rejection(response) == (422, "invalid")
    row = await read_user(product, user)
    assert (row["name"], row["firstname"], row["lastname"]) == ("Eve Day", "Eve", "Day")


async def test_deleting_a_member_returns_a_list(account: Account) -> None:
    first, second, third = [await account.user() for _ in range(3)]
    by_path = await account.owner.table("DELETE", f"appuser/{first.appuserid}")
    assert (by_path.status_code, by_path.json()) == (200, {"resource": [{"appuserid": first.appuserid}]})
    by_ids = await account.owner.table("DELETE", "appuser", ids=str(second.appuserid))
    assert by_ids.json() == {"resource": [{"appuserid": second.appuserid}]}
    by_record = await account.owner.table("DELETE", "appuser", {"appuserid": third.appuserid})
    assert by_record.json() == {"resource": [{"appuserid": third.appuserid}]}


async def test_a_deleted_contact_cannot_be_restored(product: Product, account: Account) -> None:
    user = await account.user()
    ident = await _contact(product, user)
    for value in (0, 1, 1):
        response = await user.table("PATCH", "usercontact", {"contactid": ident, "deleted": value})
        assert response.status_code == 200, response.text
    for spelled in ("deleted", "Deleted"):
        for undone in (0, "0", False):
            for way in ways("usercontact", "contactid", ident, {spelled: undone}):
                for _ in range(2):
                    response = await ask(user, way)
                    assert 400 <= response.status_code < 500, (way, response.text)
    refused = await user.http.patch(f"{TABLE}usercontact/{ident}", json={"deleted": 0})
    outcome = (
        refused.status_code,
        refused.json()["error"]["context"]["reason"],
        refused.json()["error"]["context"]["field"],
    )
    assert outcome == (403, "field_not_writable", "deleted")
    assert (await read_row(product, "usercontact", "contactid", ident))["deleted"] == 1
    second = await _contact(product, user)
    mixed = await user.table("PATCH", "usercontact", {"deleted": 0}, filter="contactid>0")
    assert mixed.status_code == 403
    assert (await user.table("PATCH", "usercontact", {"deleted": 1}, filter="contactid>0")).status_code == 200
    assert [
        (await read_row(product, "usercontact", "contactid", contactid))["deleted"] for contactid in (ident, second)
    ] == [1, 1]
