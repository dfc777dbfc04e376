"""Reads by staff are recorded before the response, and viewing the app as a member changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import httpx2
import pytest

from tests.helpers.agents import ACCEPTED, call
from tests.helpers.changes import EventStream
from tests.helpers.desk import Staff, staff, unlimited_staff, view
from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.rights import furnish
from tests.helpers.support import rejection, until


@pytest.fixture(scope="module")
async def member(product: Product) -> AsyncIterator[Staff]:
    async with unlimited_staff(product) as one:
        yield one


@pytest.fixture(scope="module")
async def two(product: Product) -> tuple[Account, Account]:
    accounts = await product.account(), await product.account()
    for account in accounts:
        await furnish(product, account, f"audited-{account.clientid}")
    return accounts


async def recorded(product: Product, since: int) -> list[dict[str, Any]]:
    sql = "select * from auditlog where auditid > $1 and event like 'support%' order by auditid"
    return [dict(row) for row in await product.db.fetch(sql, since)]


async def newest(product: Product) -> int:
    return int(await product.db.fetchval("select coalesce(max(auditid), 0) from auditlog"))


def _reads(first: int, contactid: int) -> list[tuple[str, dict[str, str], dict[str, str]]]:
    mine = {"filter": f"clientid = {first}"}
    return [
        ("usercontact", mine, {}),
        ("usercontact", mine | {"fields": "name"}, {}),
        (f"usercontact/{contactid}", {}, {}),
        (f"usercontact/{contactid}", {"fields": "name"}, {}),
        (f"usercontact/{contactid}", {"raw": "name"}, {}),
        ("usercontact", {"ids": str(contactid), "fields": "name"}, {}),
        ("usercontact", mine | {"count_only": "true"}, {}),
        ("usercontact", mine | {"as_list": "true"}, {}),
        ("usercontact", mine | {"group": "name", "fields": "name,COUNT(*)"}, {}),
        ("usercontact", mine | {"file": "contacts.csv"}, {}),
        ("usercontact", mine, {"Accept": "application/x-ndjson"}),
        ("client", mine | {"related": "appuser_by_clientid", "appuser_by_clientid.fields": "name"}, {}),
        ("subscriptionplan", {"filter": "planid = 4", "related": "usersubscription_by_planid",
                              "usersubscription_by_planid.filter": f"clientid = {first}",
                              "usersubscription_by_planid.fields": "status"}, {}),
    ]  # fmt: skip


async def test_every_read_of_one_client_is_logged_for_it(
    product: Product, member: Staff, two: tuple[Account, Account]
) -> None:
    first = two[0].clientid
    contactid = await product.db.fetchval("select contactid from usercontact where clientid = $1 limit 1", first)
    for path, query, headers in _reads(first, contactid):
        since = await newest(product)
        response = await member.http.get(TABLE + path, params=query, headers=headers)
        assert response.status_code == 200, (path, query, response.text)
        (entry,) = await recorded(product, since)
        assert (entry["event"], entry["clientid"], entry["staffid"]) == ("support_read", first, member.staffid), query
        assert entry["target"] == path.partition("/")[0]
        assert entry["detail"]["request"] == response.headers["X-Request-Id"]
        assert "filter" not in entry["detail"]
        assert entry["detail"].get("query", {}) == query


async def test_a_read_of_several_clients_is_logged_for_each(
    product: Product, member: Staff, two: tuple[Account, Account]
) -> None:
    ids = sorted(account.clientid for account in two)
    where = f"clientid in ({ids[0]}, {ids[1]})"
    for query in ({}, {"count_only": "true"}, {"group": "kind", "fields": "kind,SUM(delta)"}, {"file": "x.csv"}):
        since = await newest(product)
        assert (await member.table("creditledger", filter=where, **query)).status_code == 200
        entry, *each = await recorded(product, since)
        assert (entry["clientid"], entry["detail"]["accounts"], entry["detail"]["filter"]) == (None, ids, where), query
        assert entry["detail"]["query"] == {"filter": where, **query}
        assert [other["clientid"] for other in each] == ids
        assert all(other["detail"].keys() == {"request"} for other in each)  # nothing about other clients


@pytest.mark.parametrize(
    ("table", "query"),
    [
        ("subscriptionplan", {"fields": "planid,usersubscription_by_planid.client_by_clientid.MAX(companyname) AS x"}),
        ("subscriptionplan", {"fields": "planid,usersubscription_by_planid.COUNT(*)"}),
        ("subscriptionplan", {"filter": "usersubscription_by_planid.client_by_clientid.companyname starts with a"}),
        ("subscriptionplan", {"order": "usersubscription_by_planid.COUNT(*)"}),
        ("subscriptionplan", {"group": "planid", "fields": "planid,COUNT(*)",
                              "filter": "NOT (usersubscription_by_planid.clientid = 1)"}),
        ("usersubscription", {"fields": "status,subscriptionplan_by_planid.usersubscription_by_planid.MAX(status)"}),
        ("usersubscription", {"filter": "subscriptionplan_by_planid.usersubscription_by_planid.clientid = 1"}),
        ("client", {"related": "usersubscription_by_clientid", "usersubscription_by_clientid.fields":
                    "status,subscriptionplan_by_planid.usersubscription_by_planid.MAX(status)"}),
        ("subscriptionplan", {"related": "usersubscription_by_planid", "usersubscription_by_planid.offset": "1",
                              "usersubscription_by_planid.filter": "clientid = 1 or status = 'active'"}),
    ],
)  # fmt: skip
async def test_reads_that_cannot_be_attributed_to_a_client_are_rejected(
    product: Product, member: Staff, table: str, query: dict[str, str]
) -> None:
    since = await newest(product)
    response = await member.table(table, **query)
    assert rejection(response) == (403, "not_recorded")
    (entry,) = await recorded(product, since)
    assert entry["detail"]["error"] == "not_recorded"


async def test_a_count_or_an_offset_of_other_accounts_is_logged_for_each(
    product: Product, member: Staff, two: tuple[Account, Account]
) -> None:
    ids = sorted(account.clientid for account in two)
    page = {"filter": f"clientid in ({ids[0]}, {ids[1]})", "order": "clientid", "limit": "1"}
    asked: list[tuple[dict[str, str], dict[str, str]]] = [
        ({"include_count": "true"}, {}),
        ({"include_count": "estimated"}, {}),
        ({"offset": "1"}, {}),
        ({"cursor": ""}, {}),
        ({}, {"Prefer": "count=exact"}),
    ]
    for more, headers in asked:
        since = await newest(product)
        response = await member.http.get(f"{TABLE}client", params=page | more, headers=headers)
        assert len({row["clientid"] for row in response.json()["resource"]}) == 1, response.text
        assert [entry["clientid"] for entry in await recorded(product, since)] == [None, *ids], (more, headers)
    since = await newest(product)
    ranged = {"filter": page["filter"], "order": "clientid"}
    response = await member.http.get(f"{TABLE}client", params=ranged, headers={"Range": "items=1-1"})
    assert response.status_code in (200, 206), response.text
    assert [entry["clientid"] for entry in await recorded(product, since)] == [None, *ids]
    since = await newest(product)
    assert (await member.table("client", **page)).status_code == 200
    assert [entry["clientid"] for entry in await recorded(product, since)] == ids[:1]


async def test_paths_inside_an_account_are_read(member: Staff, two: tuple[Account, Account]) -> None:
    fields = "status,client_by_clientid.companyname,subscriptionplan_by_planid.planname"
    response = await member.table("usersubscription", filter=f"clientid = {two[0].clientid}", fields=fields)
    assert response.status_code in (200, 400), response.text
    assert response.status_code == 200 or response.json()["error"]["context"]["reason"] == "unknown_field"


async def test_a_client_cannot_be_hidden_behind_an_alias(member: Staff, two: tuple[Account, Account]) -> None:
    response = await member.table("appuser", fields="appuserid AS clientid, name")
    assert rejection(response) == (400, "duplicate_field")


async def test_a_read_that_fails_is_logged_with_its_options(product: Product, member: Staff) -> None:
    """The error of a cast tells about the rows, letter by letter."""
    since = await newest(product)
    guess = {"filter": "CAST(name AS integer) = 1"}
    for table, query, error in (
        ("appuser", guess, "bad_value"),
        ("appuser", {"filter": "password is null"}, "unknown_field"),
        ("client/999999999", {}, "not_found"),
    ):
        assert (await member.http.get(TABLE + table, params=query)).status_code in (400, 404)
        (entry,) = await recorded(product, since)
        assert (entry["target"], entry["detail"]["error"]) == (table.partition("/")[0], error)
        assert entry["detail"].get("query", {}) == query
        since = await newest(product)
    assert (await member.http.get(TABLE + "onetimetoken")).status_code == 404  # there is nothing to read
    assert await recorded(product, since) == []


def _batches(clientid: int) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return ways to read the users of a client in a batch that is not kept."""
    one = {"id": "a", "path": "_table/appuser", "query": {"filter": f"clientid = {clientid}"}}
    reference = {"path": "_table/appuser", "query": {"fields": {"$ref": "a.resource.0.email"}}}
    missing = {"path": "_table/client/999999999"}
    batch, plain = "/api/v2/leads/_batch", {"requests": [one]}
    return {
        "dry run": (batch, plain | {"dry_run": True}),
        "dry run in the query": (f"{batch}?dry_run=true", plain),
        "kept": (batch, plain),
        "later step fails": (batch, {"requests": [one, missing]}),
        "value as an option": (batch, {"requests": [one, reference]}),
    }


@pytest.mark.parametrize("way", list(_batches(0)))
async def test_no_batch_reads_a_client_without_an_entry(
    product: Product, member: Staff, two: tuple[Account, Account], way: str
) -> None:
    clientid, since = two[0].clientid, await newest(product)
    path, body = _batches(clientid)[way]
    response = await member.http.post(path, json=body)
    assert response.status_code in (200, 400, 404), response.text
    assert clientid in [entry["clientid"] for entry in await recorded(product, since)]
    if response.status_code != 200:
        assert two[0].owner.email not in response.text


def _doors(clientid: int) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Return ways to read the users of a client: method, path, and the arguments of the request."""
    mine = {"filter": f"clientid = {clientid}"}

    def tool(name: str, **arguments: Any) -> tuple[str, str, dict[str, Any]]:
        return "POST", "/mcp", {"json": call(name, **arguments), "headers": ACCEPTED}

    where = [{"field": "clientid", "operator": "=", "value": clientid}]
    step = {"path": "_table/appuser", "query": mine}
    return {
        "QUERY": ("QUERY", TABLE + "appuser", {"json": mine}),
        "tunnel": ("POST", TABLE + "appuser", {"json": mine, "headers": {"X-HTTP-Method": "GET"}}),
        "method": ("POST", TABLE + "appuser?method=GET", {"json": mine}),
        "xlsx": ("GET", TABLE + "appuser", {"params": mine | {"file": "users.xlsx"}}),
        "xml": ("GET", TABLE + "appuser", {"params": mine | {"format": "xml"}}),
        "explain": ("GET", TABLE + "appuser", {"params": mine | {"explain": "true"}}),
        "tool query": tool("query", table="appuser", filter=where),
        "tool batch": tool("batch", requests=[step], dry_run=True),
        "tool describe_tables": tool("describe_tables", tables=["appuser"]),
        "function": ("GET", "/api/v2/leads/_func/search_companies", {}),
        "procedure": ("POST", "/api/v2/leads/_proc/anything", {}),
        "schema": ("GET", "/api/v2/leads/_schema/appuser", {}),
    }


@pytest.mark.usefixtures("agents")
@pytest.mark.parametrize("door", list(_doors(0)))
async def test_no_door_shows_a_client_without_an_entry(
    product: Product, member: Staff, two: tuple[Account, Account], door: str
) -> None:
    clientid, since = two[0].clientid, await newest(product)
    method, path, request = _doors(clientid)[door]
    response = await member.http.request(method, path, **request)
    assert response.status_code < 500, response.text
    logged = [entry["clientid"] for entry in await recorded(product, since)]
    assert clientid in logged or two[0].owner.email.encode() not in response.content
    if door in ("QUERY", "tunnel", "method", "xlsx", "xml"):
        assert (response.status_code, logged) == (200, [clientid]), response.text


@pytest.mark.parametrize("door", ["QUERY", "tunnel"])
async def test_no_door_shows_a_look_without_an_entry(
    product: Product, looking: httpx2.AsyncClient, two: tuple[Account, Account], door: str
) -> None:
    since = await newest(product)
    method, path, request = _doors(two[0].clientid)[door]
    response = await looking.request(method, path, **request)
    assert (response.status_code, [entry["clientid"] for entry in await recorded(product, since)]) == (
        200, [two[0].clientid]
    ), response.text  # fmt: skip


async def test_a_stream_in_a_look_is_logged_when_it_opens(
    product: Product, looking: httpx2.AsyncClient, two: tuple[Account, Account]
) -> None:
    since = await newest(product)
    async with EventStream(product.app, f"{TABLE}usercredit/_changes", looking.headers, {}) as stream:
        assert stream.status == 200, stream.body
        (entry,) = await recorded(product, since)
    assert (entry["event"], entry["clientid"], entry["target"]) == ("support_viewed", two[0].clientid, "usercredit")


async def test_a_batch_in_a_look_is_logged(
    product: Product, looking: httpx2.AsyncClient, two: tuple[Account, Account]
) -> None:
    since = await newest(product)
    body = {"dry_run": True, "requests": [{"path": "_table/usercontact"}, {"path": "_table/appuser"}]}
    assert (await looking.post("/api/v2/leads/_batch", json=body)).status_code == 200
    entries = [(entry["event"], entry["clientid"], entry["target"]) for entry in await recorded(product, since)]
    assert entries == [("support_viewed", two[0].clientid, table) for table in ("usercontact", "appuser")]


async def test_an_explanation_tells_of_no_row_and_is_logged(
    product: Product, member: Staff, two: tuple[Account, Account]
) -> None:
    since = await newest(product)
    told = []
    for letter in ("o", "q"):
        query = {"filter": f"clientid = {two[0].clientid} and email like '{letter}%' and CAST(name AS integer) = 1"}
        response = await member.http.get(TABLE + "appuser", params=query, headers={"Prefer": "explain=rights"})
        told.append(response.json())
        (entry,) = await recorded(product, since)
        assert (entry["target"], entry["detail"]["query"]) == ("appuser", query)
        since = await newest(product)
    assert told[0] == told[1]
    assert told[0]["allowed"] is None


LOOKS = {
    "searchname": {"searchtext": ""}, "searchpeople": {"name": "Jane"}, "searchcompanies": {"company": "Acme"},
    "agent/lists": {}, "agent/price": {"linkedinurls": ["linkedin.com/in/x"], "kinds": ["directdial"]},
    "datascript/appcounters": {},
}  # fmt: skip


@pytest.mark.parametrize("call", [*LOOKS, "account/credits"])
async def test_a_call_in_a_look_is_logged_before_its_response(
    product: Product, looking: httpx2.AsyncClient, two: tuple[Account, Account], call: str
) -> None:
    since = await newest(product)
    response = await (looking.get(API + call) if call not in LOOKS else looking.post(API + call, json=LOOKS[call]))
    assert response.status_code == 200, response.text
    (entry,) = await recorded(product, since)
    assert (entry["event"], entry["clientid"], entry["target"]) == ("support_viewed", two[0].clientid, call)


async def test_a_look_does_not_use_up_the_searches_of_the_day(
    product: Product, looking: httpx2.AsyncClient, two: tuple[Account, Account]
) -> None:
    sql = "select coalesce(sum(pages), 0) from searchuse where clientid = $1"
    before = await product.db.fetchval(sql, two[0].clientid)
    for script in ("searchpeople", "searchcompanies"):
        assert (await looking.post(API + script, json={"company": "Acme"})).status_code == 200
    assert await product.db.fetchval(sql, two[0].clientid) == before


async def test_notes_are_hidden_in_a_look_as_at_the_desk(
    looking: httpx2.AsyncClient, two: tuple[Account, Account]
) -> None:
    for table in ("contactmeta", "contactlistitem"):
        mine = (await two[0].owner.table("GET", table)).json()["resource"]
        assert any(row["note"] for row in mine), table
        rows = (await looking.get(TABLE + table)).json()["resource"]
        assert rows == [{name: value for name, value in row.items() if name != "note"} for row in mine]
        assert (await looking.get(TABLE + table, params={"filter": "note like 'a%'"})).status_code == 400
    listid = (await looking.get(TABLE + "contactlistitem")).json()["resource"][0]["listid"]
    listed = (await looking.post(API + "agent/lists", json={"listid": listid})).json()["resource"]
    assert {row["note"] for row in listed} == {""}


async def test_a_read_that_cannot_be_recorded_fails(product: Product, member: Staff) -> None:
    await product.db.execute("alter table auditlog add constraint closed check (event <> 'support_read') not valid")
    try:
        response = await member.table("client", limit="1")
        assert response.status_code >= 400
        assert "resource" not in response.json()
    finally:
        await product.db.execute("alter table auditlog drop constraint closed")


async def test_the_owner_sees_the_entries_without_the_staff_member(
    product: Product, member: Staff, two: tuple[Account, Account]
) -> None:
    await member.table("usercredit", filter=f"clientid = {two[0].clientid}")
    options = {"filter": "event = 'support_read'", "order": "createdon desc", "limit": "1"}
    (entry,) = (await two[0].owner.table("GET", "auditlog", **options)).json()["resource"]
    assert (entry["target"], entry["appuserid"]) == ("usercredit", None)
    assert "staffid" not in entry
    assert member.email not in str(entry)
    named = await two[0].owner.table("GET", "auditlog", filter=f"staffid = {member.staffid}")
    assert named.json()["error"]["context"]["reason"] == "unknown_field"
    other = (await two[1].owner.table("GET", "auditlog", **options)).json()["resource"]
    assert all(row["target"] != "usercredit" for row in other)


async def test_reads_of_others_write_no_entry(product: Product, two: tuple[Account, Account]) -> None:
    since = await newest(product)
    await two[0].owner.table("GET", "usercontact")
    assert await recorded(product, since) == []


# -- as a member sees the app ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
async def looking(member: Staff, two: tuple[Account, Account]) -> httpx2.AsyncClient:
    return await view(member, two[0].owner)


async def test_a_user_that_cannot_sign_in_cannot_be_viewed(member: Staff, two: tuple[Account, Account]) -> None:
    for state in ({"isactive": 0}, {"isverified": 0}, {"isactive": 0, "isverified": 0, "invitestatus": "pending"}):
        user = await two[0].user(**state)
        response = await member.post("view", appuserid=user.appuserid, reason="To see it")
        assert rejection(response) == (409, "not_accepted")


async def test_the_view_is_announced_and_recorded(
    product: Product, member: Staff, two: tuple[Account, Account]
) -> None:
    user, since = await two[1].user(name="Vera Viewed"), await newest(product)
    http = await view(member, user)
    mail = (await product.mails(two[1].owner.email))[-1]
    assert "Support is looking at your" in mail["Subject"]
    body = mail.get_body(("plain",))
    assert body is not None
    assert "Vera Viewed" in body.get_content()
    assert (await http.get(TABLE + "usercontact")).status_code == 200
    assert (await http.delete(API + "user/session")).status_code == 200

    async def is_over() -> bool:
        return (await http.get(TABLE + "usercontact")).status_code == 401

    await until(is_over)
    events = [
        (row["event"], row["clientid"], row["staffid"], row["appuserid"]) for row in await recorded(product, since)
    ]
    who = (two[1].clientid, member.staffid, None)
    assert events == [("support_view", *who), ("support_viewed", *who), ("support_view_ended", *who)]


async def test_the_view_shows_what_the_user_sees_with_masks(
    looking: httpx2.AsyncClient, member: Staff, two: tuple[Account, Account]
) -> None:
    session = (await looking.put(API + "user/session")).json()
    assert (session["support"], session["appuserid"]) == (1, two[0].owner.appuserid)
    for table in ("appuser", "client", "usercredit", "creditledger", "usersubscription", "apiusage",
                  "bulkjob", "transactionhistory", "usersession", "subscriptionplan"):  # fmt: skip
        mine = (await two[0].owner.table("GET", table)).json()["resource"]
        assert (await looking.get(TABLE + table)).json()["resource"] == mine, table
    for table, columns in {"usercontact": ("emails", "business_emails", "phone_numbers"), "apikeys": ("apikey",),
                           "contactfeedback": ("info",)}.items():  # fmt: skip
        response = await looking.get(TABLE + table, headers={"X-Field-Encryption": "session-v1"})
        rows = response.json()["resource"]
        assert rows, table
        for row in rows:
            assert {row[column] for column in columns} <= {"*****", None}, table
    found = (await looking.post(API + "searchname", json={"searchtext": ""})).json()["resource"]
    assert {row["emails"] for row in found} == {"*****"}
    span = {"startdate": "2026-11-01", "enddate": "2026-11-30"}
    usage = (await looking.post(API + "getapiusagedata", json=span)).json()["resource"]
    assert {row["apikey"] for row in usage} == {"*****"}


async def test_nothing_of_another_client_is_seen(looking: httpx2.AsyncClient, two: tuple[Account, Account]) -> None:
    for table in ("appuser", "usercontact", "creditledger", "auditlog"):
        response = await looking.get(TABLE + table, params={"filter": f"clientid = {two[1].clientid}"})
        assert response.json()["resource"] == [], table
    for table in ("stripeevent", "person", "staff", "reveal"):
        assert (await looking.get(TABLE + table)).status_code == 404
    assert (await looking.post(API + "desk/find", json={"text": "a"})).status_code == 403


async def test_every_write_in_a_view_is_rejected(
    product: Product, looking: httpx2.AsyncClient, two: tuple[Account, Account]
) -> None:
    allowed = {"user/session", "datascript/appcounters", "getrevealcount", "searchname", "getapiusagedata",
               "getplatformusagedata", "bulklookup/{jobid}", "listpeople",
               "searchfacets"}  # fmt: skip
    for script in product.scripts:
        if script.public or script.name in allowed:
            continue
        path = script.name.partition("{")[0] + ("1" if script.tail else "")
        response = await looking.request(script.method, API + path, json={})
        assert response.status_code == 403, (script.name, response.text)
        assert response.json()["error"]["context"]["reason"] == "view_only", script.name
    own = two[0].owner.appuserid
    for method, path, body in (
        ("PATCH", f"appuser/{own}", {"name": "Changed"}),
        ("PUT", f"appuser/{own}", {"name": "Changed"}),
        ("POST", "apikeys", {"resource": [{"purpose": "mine"}]}),
        ("POST", "appuser?method=PATCH", {"resource": [{"appuserid": own, "name": "Changed"}]}),
        ("DELETE", "usersession", None),
        ("PATCH", "usercontact?filter=contactid>0", {"resource": [{"deleted": 1}]}),
    ):
        response = await looking.request(method, TABLE + path, json=body)
        assert response.status_code == 403, (path, response.text)
        assert response.json()["error"]["context"]["reason"] == "view_only"
    for file in ({"file": "x.csv"}, {"file": "x.xlsx"}):
        assert (await looking.get(TABLE + "usercontact", params=file)).status_code == 403
    assert (await two[0].owner.table("GET", "appuser", filter=f"appuserid = {own}")).json()["resource"][0][
        "name"
    ] != "Changed"


async def test_a_view_ends_at_its_time_limit_and_with_the_staff_account(
    product: Product, two: tuple[Account, Account]
) -> None:
    other = await staff(product)
    http = await view(other, two[0].owner)
    sql = "select expireson - createdon <= interval '30 minutes' from staffsession where staffid = $1 and viewing = $2"
    assert await product.db.fetchval(sql, other.staffid, two[0].owner.appuserid)
    assert (await http.get(TABLE + "client")).status_code == 200
    await product.scripts.run_job("removestaff", {"email": other.email})

    async def is_over() -> bool:
        return (await http.get(TABLE + "client")).status_code == 401

    await until(is_over)


async def test_the_audit_of_staff_cannot_be_changed(product: Product) -> None:
    with pytest.raises(asyncpg.RaiseError):
        await product.db.execute("delete from auditlog where event = 'support_read'")
