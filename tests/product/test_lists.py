"""Lists of people with tags and notes, and saved searches: private, shared with the team, never of another account."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from scripts.tables import contactlist, contactlistitem
from tests.helpers.product import Account, Product, User
from tests.helpers.support import ok, rejection


async def _list(user: User, **fields: Any) -> int:
    response = await user.table("POST", "contactlist", {"name": "Leads"} | fields)
    return int(ok(response)["resource"][0]["listid"])


async def _add(user: User, listid: int, person: Any, **fields: Any) -> Any:
    record = {"listid": listid, "linkedinurl": f"https://linkedin.com/{person.key}"} | fields
    return await user.table("POST", "contactlistitem", record)


async def _ids(user: User, table: str, key: str) -> list[int]:
    response = await user.table("GET", table)
    return [row[key] for row in ok(response)["resource"]]


@pytest.mark.parametrize(
    "record",
    [{}, {"name": ""}, {"name": "x" * 101}, {"name": "x", "shared": 2}, {"name": ["x"]}, {"name": "x", "shared": "no"}],
)
async def test_a_list_without_a_valid_name_is_rejected(account: Account, record: dict[str, Any]) -> None:
    response = await account.owner.table("POST", "contactlist", record)
    assert response.status_code in (400, 422), response.text


async def test_private_and_shared_lists(product: Product, account: Account, other: Account) -> None:
    person = await product.person(full_name="Lis Ted", title="CFO", company="Acme")
    owner, member = account.owner, await account.user()
    listid = await _list(owner)
    added = await _add(owner, listid, person, tags=["hot", "hot"], note="call")
    item = added.json()["resource"][0]
    assert (item["full_name"], item["title"], item["tags"], item["note"], item["added"]) == (
        "Lis Ted", "CFO", ["hot"], "call", True,
    )  # fmt: skip
    assert "personid" not in item
    assert (await _add(owner, listid, person)).json()["resource"][0]["added"] is False

    async def refused(user: User) -> None:
        assert listid not in await _ids(user, "contactlist", "listid")
        assert item["itemid"] not in await _ids(user, "contactlistitem", "itemid")
        for method, path, record in (
            ("GET", f"contactlist/{listid}", None), ("PATCH", f"contactlist/{listid}", {"name": "taken"}),
            ("DELETE", f"contactlist/{listid}", None), ("GET", f"contactlistitem/{item['itemid']}", None),
            ("PATCH", f"contactlistitem/{item['itemid']}", {"note": "taken"}),
            ("DELETE", f"contactlistitem/{item['itemid']}", None),
        ):  # fmt: skip
            response = await user.table(method, path, *([record] if record else []))
            assert response.status_code in (400, 404), (method, path, response.text)
        assert (await _add(user, listid, person)).status_code == 404

    await refused(member)
    await refused(other.owner)
    shared = await owner.table("PATCH", "contactlist", {"listid": listid, "shared": 1})
    assert shared.status_code == 200, shared.text
    await refused(other.owner)
    assert listid in await _ids(member, "contactlist", "listid")
    note = await member.table("PATCH", "contactlistitem", {"itemid": item["itemid"], "note": "called", "tags": ["x"]})
    assert note.status_code == 200, note.text
    again = (await owner.table("GET", f"contactlistitem/{item['itemid']}")).json()
    assert (again["note"], again["tags"]) == ("called", ["x"])
    renamed = await member.table("PATCH", "contactlist", {"listid": listid, "name": "Mine"})
    assert renamed.status_code in (400, 404), renamed.text
    assert (await member.table("DELETE", f"contactlist/{listid}")).status_code == 404
    second = await product.person()
    assert (await _add(member, listid, second)).status_code == 200
    assert (await member.table("DELETE", f"contactlistitem/{item['itemid']}")).status_code == 200
    assert (await owner.table("DELETE", f"contactlist/{listid}")).status_code == 200
    assert await _ids(member, "contactlistitem", "itemid") == []


async def test_a_list_contains_people_from_the_directory(product: Product, account: Account) -> None:
    listid = await _list(account.owner)
    for record, status in (
        ({"listid": listid, "linkedinurl": "linkedin.com/in/nobody-at-all"}, 404),
        ({"listid": listid, "linkedinurl": "example.com/x"}, 422),
        ({"listid": listid}, 422),
        ({"linkedinurl": "linkedin.com/in/x"}, 422),
        ({"listid": 10**12, "linkedinurl": f"linkedin.com/{(await product.person()).key}"}, 404),
        ({"listid": listid, "linkedinurl": "linkedin.com/in/x", "tags": ["y" * 41]}, 422),
    ):
        response = await account.owner.table("POST", "contactlistitem", record)
        assert response.status_code in (status, 400), (record, response.text)
    assert await _ids(account.owner, "contactlistitem", "itemid") == []


async def test_lists_and_people_are_limited_in_number(
    product: Product, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contactlist, "MAX_LISTS", 1)
    monkeypatch.setattr(contactlistitem, "MAX_ITEMS", 1)
    listid = await _list(account.owner)
    second = await account.owner.table("POST", "contactlist", {"name": "Two"})
    assert rejection(second) == (409, "too_many_lists")
    people = [await product.person() for _ in range(2)]
    assert (await _add(account.owner, listid, people[0])).status_code == 200
    full = await _add(account.owner, listid, people[1])
    assert rejection(full) == (409, "list_full")


async def test_a_removed_person_leaves_the_lists(product: Product, account: Account) -> None:
    address = f"gone-{secrets.token_hex(4)}@home.example"
    person = await product.person(personal_emails=[address])
    listid = await _list(account.owner)
    await _add(account.owner, listid, person)
    await product.scripts.run_job("erasepeople", {"email": address, "key": ""})
    assert await _ids(account.owner, "contactlistitem", "itemid") == []


# Saved searches


async def _news(user: User, **body: Any) -> dict[int, int]:
    response = await user.post("searchnews", **body)
    return {row["savedsearchid"]: row["new"] for row in ok(response)["resource"]}


@pytest.mark.parametrize(
    "record",
    [
        {"name": "x"},
        {"name": "x", "filters": []},
        {"name": "x", "filters": {"phones": "1"}},
        {"name": "x", "filters": {"not": {"emails": ["a"]}}},
        {"name": "x", "filters": {"order": 1}},
        {"name": "x", "kind": "cars", "filters": {}},
        {"name": "x", "kind": "companies", "filters": {"title": "CFO"}},
        {"name": "", "filters": {}},
    ],
)
async def test_a_saved_search_must_be_a_valid_search(account: Account, record: dict[str, Any]) -> None:
    response = await account.owner.table("POST", "savedsearch", record)
    assert response.status_code in (400, 422), response.text


async def test_new_matches_are_counted_until_the_search_is_opened(
    product: Product, account: Account, other: Account
) -> None:
    mark = "s" + secrets.token_hex(4)
    await product.person(full_name=f"Old {mark}", title="CFO")
    filters = {"name": mark, "title": "cfo", "not": {"country": ["USA"]}}
    member = await account.user()
    made = await account.owner.table("POST", "savedsearch", {"name": "CFOs", "filters": filters})
    ident = made.json()["resource"][0]["savedsearchid"]
    stored = (await account.owner.table("GET", f"savedsearch/{ident}")).json()
    assert (stored["filters"]["name"], stored["filters"]["not"]) == (mark, {"country": ["USA"]})
    assert await _news(account.owner) == {ident: 0}
    for name, title, country in (("New", "CFO", "DEU"), ("Not", "CFO", "USA"), ("Other", "CTO", "DEU")):
        await product.person(full_name=f"{name} {mark}", title=title, country=country)
    assert await _news(account.owner) == {ident: 1}
    assert await _news(member) == {}
    for user in (member, other.owner):
        assert (await user.post("searchnews", seen=ident)).status_code == 404
        assert (await user.table("PATCH", f"savedsearch/{ident}", {"name": "taken"})).status_code in (400, 404)
    shared = await account.owner.table("PATCH", "savedsearch", {"savedsearchid": ident, "shared": 1})
    assert shared.status_code == 200, shared.text
    assert await _news(member) == {ident: 1}
    assert await _news(other.owner) == {}
    assert await _news(account.owner, seen=ident) == {ident: 0}
    bad = {"savedsearchid": ident, "filters": {"phones": "1"}}
    assert (await account.owner.table("PATCH", "savedsearch", bad)).status_code == 422
    good = {"savedsearchid": ident, "filters": {"name": mark}}
    assert (await account.owner.table("PATCH", "savedsearch", good)).status_code == 200
    assert (await account.owner.table("DELETE", f"savedsearch/{ident}")).status_code == 200


async def _page(user: User, listid: int, **body: Any) -> dict[str, Any]:
    response = await user.post("listpeople", listid=listid, **body)
    return dict(ok(response))


async def test_the_people_of_a_list_are_only_for_its_readers(
    product: Product, account: Account, other: Account
) -> None:
    owner, member = account.owner, await account.user()
    listid = await _list(owner)
    assert (await product.caller().post("/api/v2/listpeople", json={"listid": listid})).status_code == 401
    for user in (member, other.owner):
        response = await user.post("listpeople", listid=listid)
        assert (response.status_code, response.json()["error"]["context"]["case"]) == (404, "no_such_list")
    for wrong in ({"listid": 0}, {"listid": listid, "order": "phone"}, {"listid": listid, "limit": 101}):
        assert (await owner.post("listpeople", **wrong)).status_code == 422
    await owner.table("PATCH", "contactlist", {"listid": listid, "shared": 1})
    assert await _page(member, listid) == {"meta": {"count": 0}, "resource": []}
    assert (await other.owner.post("listpeople", listid=listid)).status_code == 404


async def test_the_people_of_a_list_show_what_was_revealed_and_what_is_left(product: Product, account: Account) -> None:
    listid = await _list(account.owner)
    full = await product.person(full_name="Full Ann", title="CFO", company="Zebra", city="Bonn")
    bare = await product.person(full_name="Bare Bob", company="Acme", phones=[], personal_emails=[])
    for person in (full, bare):
        assert (await _add(account.owner, listid, person, note="call", tags=["hot"])).status_code == 200
    body = {"linkedinurls": [f"https://linkedin.com/{bare.key}"], "kinds": ["businessemail"]}
    bought = (await account.owner.post("revealmany", **body)).json()["resource"][0]
    page = await _page(account.owner, listid, order="name")
    first, second = page["resource"]
    assert page["meta"]["count"] == 2
    assert (first["full_name"], first["has"], first["owned"]) == ("Bare Bob", ["businessemail"], ["businessemail"])
    (owner,) = first["owned_by"]
    assert (owner["contactid"], owner["kind"]) == (bought["contactid"], "businessemail")
    assert (second["city"], second["owned"], second["owned_by"], second["tags"]) == ("Bonn", [], [], ["hot"])
    assert not {"personid", "phonecipher", "clientid"} & first.keys()

    async def names(**part: Any) -> list[str]:
        return [row["full_name"] for row in (await _page(account.owner, listid, **part))["resource"]]

    assert await names(revealed=False) == ["Full Ann"]
    assert await names(revealed=True) == ["Bare Bob"]
    assert await names(text="ZEB") == await names(text="cfo") == ["Full Ann"]
    assert await names(text="%") == []
    assert await names(order="-name", limit=1, offset=1) == ["Bare Bob"]
    beyond = await _page(account.owner, listid, offset=50)
    assert beyond == {"meta": {"count": 2}, "resource": []}
    assert await names(order="-company") == ["Full Ann", "Bare Bob"]
