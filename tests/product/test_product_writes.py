"""Writes that target another account, ownership columns, or fields under other names."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import asyncpg
import httpx2
import pytest

from tests.helpers.product import TABLE, Account, Product, User
from tests.helpers.support import Serve


@pytest.fixture(autouse=True)
def unlimited(product: Product) -> Iterator[None]:
    """Turn off the general limits, which would refuse the requests first."""
    product.app.services.limited = False
    yield
    product.app.services.limited = True


async def _row(product: Product, table: str, key: str, ident: int) -> dict[str, Any]:
    row = await product.db.fetchrow(f"select * from {table} where {key} = $1", ident)
    assert row is not None
    return dict(row)


async def _user(product: Product, user: User) -> dict[str, Any]:
    return await _row(product, "appuser", "appuserid", user.appuserid)


def _ways(table: str, key: str, ident: int, change: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, str], Any]]:
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


async def _ask(user: User, way: tuple[str, str, dict[str, str], Any]) -> httpx2.Response:
    method, path, query, body = way
    return await user.http.request(method, TABLE + path, params=query, json=body)


def _reason(answer: httpx2.Response) -> str:
    """Return the reason of an error, or its message inside a batch."""
    error = answer.json()["error"]
    if error["code"] != 1000:
        return str(error["context"]["reason"])
    failed = error["context"]["resource"][error["context"]["error"][0]]
    return "tenant_mismatch" if "not yours to choose" in failed["message"] else str(failed["status_code"])


# -- another account ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["client_by_clientid", "Client_By_ClientId"])
@pytest.mark.parametrize("role", ["member", "admin", "client", "unverified"])
async def test_a_user_moves_into_no_other_account(
    product: Product, account: Account, other: Account, role: str, name: str
) -> None:
    user = account.owner if role in ("client", "unverified") else await account.user(role)
    if role == "unverified":
        await product.db.execute("update appuser set isverified = 0 where appuserid = $1", user.appuserid)
    before = await _user(product, user)
    clients = await product.db.fetchval("select count(*) from client")
    for parent in ({"clientid": other.clientid}, {"ClientId": other.clientid}, {"clientid": 10**15}, None,
                   {"clientid": other.clientid, "companyname": "taken"}, {"companyname": "new"}):  # fmt: skip
        for way in _ways("appuser", "appuserid", user.appuserid, {name: parent}):
            answer = await _ask(user, way)
            assert 400 <= answer.status_code < 500, (parent, way, answer.text)
            if way[0] != "POST" or "method" in way[2]:
                expected = "400" if "filter" in way[2] else "tenant_mismatch"
                assert _reason(answer) in (expected, "tenant_mismatch"), (parent, way, answer.text)
            assert await _user(product, user) == before, (parent, way)
    assert await product.db.fetchval("select count(*) from client") == clients
    assert (await _row(product, "client", "clientid", other.clientid))["companyname"] == "Test Ltd"
    kept = await product.db.fetchval(
        "select count(*) from auditlog where appuserid = $1 and event = 'tenant_mismatch' and target = $2",
        user.appuserid,
        str(other.clientid),
    )
    assert kept >= 1


async def test_naming_the_own_account_is_no_attempt(product: Product, account: Account) -> None:
    """Write a record back as read, with its parent."""
    member = await account.user()
    for user in (member, account.owner):
        parent = {"client_by_clientid": {"clientid": account.clientid}, "clientid": account.clientid}
        answer = await user.table("PATCH", f"appuser/{user.appuserid}", {"name": "New Name"} | parent)
        assert answer.status_code == 200, answer.text
        assert (await _user(product, user))["name"] == "New Name"
    renamed = {"client_by_clientid": {"clientid": account.clientid, "companyname": "Renamed"}}
    refused = await member.http.patch(f"{TABLE}appuser/{member.appuserid}", json=renamed)
    done = await account.owner.http.patch(f"{TABLE}appuser/{account.owner.appuserid}", json=renamed)
    assert (refused.status_code, done.status_code) == (403, 200)
    assert (await _row(product, "client", "clientid", account.clientid))["companyname"] == "Renamed"


async def _contact(product: Product, user: User) -> int:
    person = await product.person()
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    answer = await user.post("getcontact", **body)
    return int(answer.json()["contactdata"][0]["contactid"])


async def test_who_revealed_a_contact_is_not_rewritten(product: Product, account: Account, other: Account) -> None:
    user, colleague = account.owner, await account.user()
    ident = await _contact(product, user)
    before = await _row(product, "usercontact", "contactid", ident)
    for column, stored in (("revealedby", user.appuserid), ("dialrevealedby", None)):
        told = []
        for whom in (colleague.appuserid, other.owner.appuserid, 10**15):
            for change in ({column: whom}, {f"appuser_by_{column}": {"appuserid": whom}}):
                for way in _ways("usercontact", "contactid", ident, change):
                    answer = await _ask(user, way)
                    assert 400 <= answer.status_code < 500, (way, answer.text)
                path = f"{TABLE}usercontact/{ident}"
                answer = await user.http.patch(path, json=change)
                told.append((answer.status_code, answer.json()["error"]["context"]["reason"]))
        assert set(told) == {(403, "field_not_writable")}
        same = {f"appuser_by_{column}": {"appuserid": stored} if stored else None, column: stored}
        assert (await user.http.patch(f"{TABLE}usercontact/{ident}", json=same)).status_code == 200
    children = [{"contactid": ident, name: None} for name in ("revealedby", "dialrevealedby")]
    for child in children:
        name = next(name for name in child if name != "contactid")
        own = f"{TABLE}appuser/{user.appuserid}"
        answer = await user.http.patch(own, json={f"usercontact_by_{name}": [child]})
        assert answer.status_code == (403 if name == "revealedby" else 200), answer.text
    assert await _row(product, "usercontact", "contactid", ident) == before


async def test_other_accounts_are_refused_on_every_table_and_verb(
    product: Product, account: Account, other: Account
) -> None:
    owner, member = account.owner, await account.user()
    key = (await owner.table("POST", "apikeys", {"purpose": "mine"})).json()["resource"][0]["keyid"]
    contact = await _contact(product, owner)
    subscription = await product.db.fetchval(
        "select subscriptionid from usersubscription where clientid = $1", account.clientid
    )
    sessions = await product.db.fetchval("select usersessionid from usersession where appuserid = $1", owner.appuserid)
    whom = other.clientid
    for named in ({"clientid": whom}, {"ClientID": str(whom)}, {"client_by_clientid": {"clientid": whom}}):
        for user, method, path, record in (
            (owner, "PATCH", "apikeys", {"keyid": key, "purpose": "taken"}),
            (owner, "PUT", "apikeys", {"keyid": key, "purpose": "taken"}),
            (owner, "PATCH", f"apikeys/{key}", {"purpose": "taken"}),
            (owner, "POST", "apikeys", {"purpose": "taken"}),
            (owner, "PATCH", "usersubscription",
             {"subscriptionid": subscription, "planid": 1, "type": "downgrade"}),
            (owner, "PATCH", f"usercontact/{contact}", {"deleted": 1}),
            (owner, "POST", "usercontact", {"name": "taken"}),
            (owner, "POST", "transactionhistory", {"planname": "taken"}),
            (owner, "PATCH", "usercredit", {"contactcredit": 5}),
            (owner, "PATCH", f"appuser/{owner.appuserid}", {"name": "Taken Name"}),
            (owner, "DELETE", "usersession", {"usersessionid": sessions}),
            (owner, "DELETE", "appuser", {"appuserid": member.appuserid}),
            (member, "POST", "appuser", {"email": "taken@x.example"}),
            (member, "PATCH", "client", {"companyname": "taken"}),
            (member, "POST", "contactfeedback", {"action": "upvote", "type": "phone"}),
        ):  # fmt: skip
            body = record | named if "/" in path else {"resource": [record | named]}
            answer = await user.http.request(method, TABLE + path, json=body)
            error = answer.json()["error"]
            if path == "client":  # the key of that table: a row of another account does not exist
                assert answer.status_code in (403, 404), answer.text
            else:
                told = (answer.status_code, error["context"]["reason"], error["context"]["scope"])
                assert told == (403, "tenant_mismatch", "resource"), (method, path, named, answer.text)
    assert (await _row(product, "apikeys", "keyid", key))["purpose"] == "mine"
    assert (await _row(product, "usercontact", "contactid", contact))["deleted"] == 0
    assert (await _user(product, member))["isdeleted"] == 0
    assert (await owner.http.get("/api/v2/user/session")).status_code == 200
    kept = await product.db.fetchval(
        "select count(*) from auditlog where clientid = $1 and event = 'tenant_mismatch' and target = $2",
        account.clientid,
        str(whom),
    )
    assert kept >= 3 * 14


async def test_a_member_is_added_to_the_own_account_whatever_is_sent(
    product: Product, account: Account, other: Account
) -> None:
    """The ignored value is still recorded in the audit log."""
    email = f"m-{secrets.token_hex(4)}@team.example"
    record = {"name": "Mia Member", "email": email, "role": "member", "clientid": other.clientid}
    added = await account.owner.table("POST", "appuser", record)
    assert added.status_code == 200, added.text
    assert await product.db.fetchval("select clientid from appuser where email = $1", email) == account.clientid
    kept = "select count(*) from auditlog where clientid = $1 and event = 'tenant_mismatch'"
    assert await product.db.fetchval(kept, account.clientid) == 1


async def test_the_database_keeps_users_and_owners_where_they_are(
    product: Product, account: Account, other: Account, product_url: str, module_serve: Serve, tmp_path: Any
) -> None:
    member = await account.user()
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await product.db.execute(
            "update appuser set clientid = $2 where appuserid = $1", member.appuserid, other.clientid
        )
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await product.db.execute("update appuser set role = 'member' where appuserid = $1", account.owner.appuserid)
    server = module_serve("--dataset", f"any={product_url}", "--open", cwd=tmp_path)
    async with httpx2.AsyncClient(base_url=server.url) as http:
        for ident, change in (
            (member.appuserid, {"clientid": other.clientid}),
            (account.owner.appuserid, {"role": "member"}),
        ):
            answer = await http.patch(f"/api/v2/any/_table/appuser/{ident}", json=change)
            assert answer.status_code == 403, answer.text
    server.stop()
    async with product.db.transaction():  # an account can be transferred
        await product.db.execute("update appuser set role = 'member' where appuserid = $1", account.owner.appuserid)
        await product.db.execute("update appuser set role = 'client' where appuserid = $1", member.appuserid)
    assert ((await _user(product, account.owner))["role"], (await _user(product, member))["role"]) == (
        "member",
        "client",
    )


# -- the owner ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"role": "member"}, {"role": "admin"}, {"Role": "member"}, {"isactive": 0}, {"IsActive": False},
        {"ISACTIVE": "0", "name": "New Name"}, {"role": "member", "companyname": "New"}, {"role": ["x"]},
        {"role": None},
    ],
)  # fmt: skip
async def test_an_owner_stays_an_owner(product: Product, account: Account, change: dict[str, Any]) -> None:
    owner, member = account.owner, await account.user()
    before = await _user(product, owner)
    for way in _ways("appuser", "appuserid", owner.appuserid, change):
        answer = await _ask(owner, way)
        assert 400 <= answer.status_code < 500, (way, answer.text)
    several = [{"appuserid": member.appuserid, "isactive": 0}, {"appuserid": owner.appuserid} | change]
    both = f"{member.appuserid},{owner.appuserid}"
    for query, body in (
        ({}, several), ({"continue": "true"}, several), ({"ids": both}, [change]),
        ({"filter": "appuserid>0"}, [change]),
    ):  # fmt: skip
        answer = await owner.http.patch(TABLE + "appuser", params=query, json={"resource": body})
        assert 400 <= answer.status_code < 500, (query, body, answer.text)
    assert await _user(product, owner) == before
    assert (await _user(product, member))["isactive"] == 1  # no part of a refused list is applied
    assert (await _row(product, "client", "clientid", account.clientid))["companyname"] == "Test Ltd"
    assert (await member.http.get("/api/v2/user/session")).status_code == 200
    events = await product.db.fetchval(
        "select count(*) from auditlog where clientid = $1 and event = 'member_changed'", account.clientid
    )
    assert events == 0


async def test_what_is_stored_already_is_no_change(product: Product, account: Account) -> None:
    owner = account.owner
    same = {"role": "client", "isactive": 1, "isverified": 1, "email": owner.email, "name": "New Name"}
    for way in _ways("appuser", "appuserid", owner.appuserid, same):
        answer = await _ask(owner, way)
        assert answer.status_code == 200 or (way[0] == "POST" and "upsert" in way[2]), (way, answer.text)
    assert (await _user(product, owner))["name"] == "New Name"


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Taken Name"}, {"firstname": "Taken", "lastname": "Name"}, {"phonenumber": "12345678"},
        {"avatar": None, "lastname": "Taken"}, {"Name": "Taken Name"}, {"PhoneNumber": "12345678", "isactive": 0},
    ],
)  # fmt: skip
async def test_an_owner_does_not_write_the_profile_of_others(
    product: Product, account: Account, change: dict[str, Any]
) -> None:
    member = await account.user()
    before = await _user(product, member)
    for way in _ways("appuser", "appuserid", member.appuserid, change):
        answer = await _ask(account.owner, way)
        assert 400 <= answer.status_code < 500, (way, answer.text)
    assert await _user(product, member) == before
    assert (await member.http.get("/api/v2/user/session")).status_code == 200
    whole = {name: before[name] for name in ("name", "firstname", "lastname", "phonenumber", "avatar", "email")}
    record = {"appuserid": member.appuserid, "role": "admin", "isverified": 1, "invitestatus": "accepted"} | whole
    changed = await account.owner.table("PATCH", "appuser", record)
    assert changed.status_code == 200, changed.text
    assert await _user(product, member) == before | {"role": "admin"}


# -- names of fields ---------------------------------------------------------------------------------------------------


async def test_a_hook_knows_a_field_by_any_spelling(product: Product, account: Account) -> None:
    owner = account.owner
    email = f"m-{secrets.token_hex(4)}@team.example"
    added = await owner.table("POST", "appuser", {"Name": "Mia Member", "EMAIL": email, "Role": "member"})
    assert added.status_code == 200, added.text
    pending = added.json()["resource"][0]["appuserid"]
    for way in _ways("appuser", "appuserid", pending, {"IsActive": 1}):
        answer = await _ask(owner, way)
        assert answer.status_code >= 400, (way, answer.text)
    early = await owner.table("PATCH", "appuser", {"AppUserID": pending, "IsActive": 1})
    assert (early.status_code, early.json()["error"]["context"]["reason"]) == (409, "not_accepted")
    assert (await _row(product, "appuser", "appuserid", pending))["isactive"] == 0

    member = await account.user()
    assert (await owner.table("PATCH", "appuser", {"appuserid": member.appuserid, "Role": "admin"})).status_code == 200
    assert (await member.http.get("/api/v2/user/session")).status_code == 401
    events = await product.db.fetchval(
        "select count(*) from auditlog where clientid = $1 and event = 'member_changed'", account.clientid
    )
    assert events == 1
    for change in ({"Avatar": "https://evil.example/x"}, {"NAME": " "}, {"PhoneNumber": "1"}, {"FirstName": ""}):
        for way in _ways("appuser", "appuserid", owner.appuserid, change):
            answer = await _ask(owner, way)
            assert answer.status_code in (403, 422), (way, answer.text)


async def test_a_hook_and_the_engine_look_at_the_same_row(product: Product, account: Account) -> None:
    owner, member, user = account.owner, await account.user(), await account.user()
    before = {one.appuserid: await _user(product, one) for one in (owner, member, user)}
    two = {"appuserid": user.appuserid, "AppUserId": member.appuserid, "name": "Taken Name"}
    for method in ("PATCH", "PUT", "DELETE"):
        for query in ({}, {"continue": "true"}):
            answer = await owner.http.request(method, TABLE + "appuser", params=query, json={"resource": [two]})
            assert (answer.status_code, answer.json()["error"]["context"]["reason"]) == (400, "duplicate_field")
    afids = {one.appuserid: str(before[one.appuserid]["afid"]) for one in (owner, member, user)}
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
                answer = await caller.http.request(method, TABLE + path, params=query, json=body)
                assert 400 <= answer.status_code < 500, (path, query, answer.text)
    gone = await user.http.delete(f"{TABLE}appuser/{afids[member.appuserid]}", params={"id_field": "afid"})
    assert gone.status_code in (403, 404)
    assert {one.appuserid: await _user(product, one) for one in (owner, member, user)} == before
    own = {"id_field": "afid", "ids": afids[user.appuserid]}
    named = await user.table("PATCH", "appuser", {"name": "By Afid"}, **own)
    assert named.json() == {"resource": [{"afid": afids[user.appuserid]}]}
    path = f"appuser/{afids[user.appuserid]}"
    assert (await user.table("PATCH", path, {"name": "By Path"}, id_field="afid")).status_code == 200
    assert (await _user(product, user))["name"] == "By Path"


async def test_keys_are_switched_off_by_any_spelling(product: Product, account: Account) -> None:
    owner = account.owner
    made = (await owner.table("POST", "apikeys", {"Purpose": "mine"})).json()["resource"][0]
    live = (await account.credits())["apicallcount"]
    for change in ({"IsDeleted": 1}, {"ISDELETED": 1}):
        assert (await owner.table("PATCH", "apikeys", {"KeyId": made["keyid"]} | change)).status_code == 200
    row = await _row(product, "apikeys", "keyid", made["keyid"])
    assert (row["isdeleted"], row["isactive"], (await account.credits())["apicallcount"]) == (1, 0, live + 1)
    for change in ({"IsActive": 1}, {"isDeleted": 0}):
        revived = await owner.table("PATCH", "apikeys", {"keyid": made["keyid"]} | change)
        assert (revived.status_code, revived.json()["error"]["context"]["reason"]) == (403, "field_not_writable")


async def test_an_option_word_that_means_nothing_stops_a_hook(product: Product, account: Account) -> None:
    count = "select count(*) from apikeys where clientid = $1"
    for option in ("continue", "upsert", "rollback", "as_list"):
        answer = await account.owner.table("POST", "apikeys", {"purpose": "mine"}, **{option: "maybe"})
        assert (answer.status_code, answer.json()["error"]["context"]["reason"]) == (400, "bad_option")
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
        answer = await user.table("PATCH", "appuser", {"appuserid": user.appuserid} | change)
        assert answer.status_code == 200, answer.text
        assert (await _user(product, user))["name"] == name
    empty: list[dict[str, Any]] = [{"firstname": ""}, {"lastname": " "}, {"firstname": "Ann", "lastname": None}]
    for parts in empty:
        answer = await user.table("PATCH", "appuser", {"appuserid": user.appuserid} | parts)
        assert (answer.status_code, answer.json()["error"]["context"]["reason"]) == (422, "invalid")
    row = await _user(product, user)
    assert (row["name"], row["firstname"], row["lastname"]) == ("Eve Day", "Eve", "Day")


async def test_a_deleted_member_is_answered_by_a_list(account: Account) -> None:
    one, two, three = [await account.user() for _ in range(3)]
    by_path = await account.owner.table("DELETE", f"appuser/{one.appuserid}")
    assert (by_path.status_code, by_path.json()) == (200, {"resource": [{"appuserid": one.appuserid}]})
    by_ids = await account.owner.table("DELETE", "appuser", ids=str(two.appuserid))
    assert by_ids.json() == {"resource": [{"appuserid": two.appuserid}]}
    by_record = await account.owner.table("DELETE", "appuser", {"appuserid": three.appuserid})
    assert by_record.json() == {"resource": [{"appuserid": three.appuserid}]}


async def test_a_deleted_contact_does_not_come_back(product: Product, account: Account) -> None:
    user = await account.user()
    ident = await _contact(product, user)
    for value in (0, 1, 1):
        answer = await user.table("PATCH", "usercontact", {"contactid": ident, "deleted": value})
        assert answer.status_code == 200, answer.text
    for spelled in ("deleted", "Deleted"):
        for undone in (0, "0", False):
            for way in _ways("usercontact", "contactid", ident, {spelled: undone}):
                for _ in range(2):
                    answer = await _ask(user, way)
                    assert 400 <= answer.status_code < 500, (way, answer.text)
    refused = await user.http.patch(f"{TABLE}usercontact/{ident}", json={"deleted": 0})
    told = (
        refused.status_code,
        refused.json()["error"]["context"]["reason"],
        refused.json()["error"]["context"]["field"],
    )
    assert told == (403, "field_not_writable", "deleted")
    assert (await _row(product, "usercontact", "contactid", ident))["deleted"] == 1
    second = await _contact(product, user)
    mixed = await user.table("PATCH", "usercontact", {"deleted": 0}, filter="contactid>0")
    assert mixed.status_code == 403
    assert (await user.table("PATCH", "usercontact", {"deleted": 1}, filter="contactid>0")).status_code == 200
    assert [(await _row(product, "usercontact", "contactid", one))["deleted"] for one in (ident, second)] == [1, 1]
