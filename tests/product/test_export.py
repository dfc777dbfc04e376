"""GET usercontact as CSV or xlsx: rows, cells, size and rate limits."""

from __future__ import annotations

import csv
import io
from typing import Any

import httpx2
import openpyxl
import pytest

from tableapi.tables.export import XLSX, sheet_name
from tests.helpers.product import TABLE, Account, Product, User

HEAD = ["Full_name", "Linkedin_url", "Personal_Emails", "Business_Emails", "Phone_numbers"]
KINDS = ("directdial", "businessemail", "personalemail")


async def _reveal(product: Product, user: User, kinds: tuple[str, ...] = KINDS, **values: Any) -> None:
    person = await product.person(**values)
    for kind in kinds:
        body = {"linkedinurl": f"linkedin.com/{person.key}", "type": kind, "action": "reveal"}
        assert (await user.post("getcontact", **body)).status_code == 200


async def _export(user: User, accept: str = "text/csv", **query: Any) -> httpx2.Response:
    headers = {"Accept": accept, "X-Field-Encryption": "session-v1"}
    return await user.http.get(f"{TABLE}usercontact", params={"order": "createdon ASC"} | query, headers=headers)


def _lines(response: httpx2.Response) -> list[list[str]]:
    return list(csv.reader(io.StringIO(response.content.decode(), newline="")))


@pytest.mark.parametrize("accept", ["text/csv", XLSX])
async def test_an_export_without_a_session_is_rejected(product: Product, accept: str) -> None:
    response = await product.caller().get(f"{TABLE}usercontact", headers={"Accept": accept})
    assert (response.status_code, response.headers["content-type"][:16]) == (401, "application/json")


async def test_each_user_has_twenty_exports_a_day(product: Product, account: Account) -> None:
    member = await account.user()
    responses = [await _export(account.owner, limit=1) for _ in range(21)]
    assert [response.status_code for response in responses] == [200] * 20 + [429]
    assert (await _export(member)).status_code == 200
    assert (await account.owner.table("GET", "usercontact")).status_code == 200
    events = await product.db.fetchval(
        "select count(*) from auditlog where clientid = $1 and event = 'contacts_exported'", account.clientid
    )
    assert events == 21


async def test_only_the_callers_contacts_are_exported(product: Product, account: Account, other: Account) -> None:
    await _reveal(product, account.owner)
    for caller in (await account.user(), other.owner):
        assert _lines(await _export(caller)) == [HEAD]
    foreign = await _export(await account.user(), filter=f"revealedby={account.owner.appuserid}")
    assert _lines(foreign) == [HEAD]


async def test_cells_of_a_csv_cannot_be_formulas(product: Product, account: Account) -> None:
    await _reveal(
        product, account.owner, full_name="=1+1", phones=["+12025550123"],
        personal_emails=["@a.example", "b@b.example", "c@c.example", "d@d.example"],
    )  # fmt: skip
    await _reveal(product, account.owner, ("directdial",), full_name="-2+3", phones=["+4511111111", "+4522222222"])
    response = await _export(account.owner)
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["content-disposition"] == 'attachment; filename="mycontacts.csv"'
    head, first, second = _lines(response)
    assert head == HEAD
    assert first[0] == "'=1+1"
    assert first[1].startswith("https://www.linkedin.com/in/")
    assert first[2] == "'@a.example, b@b.example, c@c.example"  # three values, none of which is a formula
    assert first[3:] == ["jane.doe@acme.example, jd@acme.example", "+12025550123"]
    assert [second[0], *second[2:]] == ["'-2+3", "", "", "+4511111111, +4522222222"]  # no unpaid values


async def test_cells_of_an_xlsx_are_text(product: Product, account: Account) -> None:
    await _reveal(product, account.owner, full_name="=1+1")
    response = await _export(account.owner, XLSX)
    assert response.headers["content-type"] == XLSX
    assert response.headers["content-disposition"] == 'attachment; filename="mycontacts.xlsx"'
    sheet = openpyxl.load_workbook(io.BytesIO(response.content)).active
    assert sheet.title == "My Contacts"
    head, row = sheet.iter_rows()
    assert [cell.value for cell in head] == HEAD
    assert [row[0].value, *(cell.value for cell in row[2:])] == [
        "=1+1", "jane@home.example", "jane.doe@acme.example, jd@acme.example", "+12025550123",
    ]  # fmt: skip
    assert {cell.data_type for cell in row} == {"s"}
    named = await account.owner.http.get(f"{TABLE}usercontact", params={"file": "friends.xlsx"})
    assert named.headers["content-disposition"] == 'attachment; filename="friends.xlsx"'


async def _many(product: Product, account: Account, count: int) -> None:
    """Insert contacts of the owner without reveals."""
    await product.db.execute(
        """with made as (insert into person (profilekey, full_name)
                select 'in/many-' || $1::bigint || '-' || n, 'Many ' || n from generate_series(1, $3) n
                returning personid, profilekey, full_name),
             listed as (insert into usercontact (clientid, personid, name, linkedinurl)
                select $1::bigint, personid, full_name, 'https://www.linkedin.com/' || profilekey from made
                returning contactid, name, createdon)
           insert into usercontactlink (appuserid, contactid, clientid, listedon, searchname)
           select $2, contactid, $1, createdon, lower(name) from listed""",
        account.clientid,
        account.owner.appuserid,
        count,
    )


async def test_an_export_has_at_most_five_thousand_rows(product: Product, account: Account) -> None:
    await _many(product, account, 5003)
    cases: list[tuple[dict[str, Any], int]]
    cases = [({}, 5000), ({"limit": 9999}, 5000), ({"limit": 4000}, 4000), ({"offset": 5000}, 3)]
    for query, count in cases:
        assert len(_lines(await _export(account.owner, **query))) == 1 + count
    page = (await account.owner.table("GET", "usercontact", limit=5000)).json()
    assert len(page["resource"]) == 1000  # a list is still one page


async def _chosen(user: User, ids: list[Any] | str, accept: str = "text/csv") -> httpx2.Response:
    """Export the rows of `ids`, tunnelled through POST because the list is long."""
    headers = {"Accept": accept, "X-HTTP-Method": "GET"}
    return await user.http.post(f"{TABLE}usercontact", json={"ids": ids}, headers=headers)


async def test_only_the_chosen_rows_in_their_order(product: Product, account: Account, other: Account) -> None:
    for name in ("Ann", "Ben", "Cid", "Dan"):
        await _reveal(product, account.owner, full_name=name)
    await _reveal(product, other.owner, full_name="Eve")
    ids = {
        row["name"]: row["contactid"] for row in (await account.owner.table("GET", "usercontact")).json()["resource"]
    }
    foreign = (await other.owner.table("GET", "usercontact")).json()["resource"][0]["contactid"]

    chosen = [ids["Dan"], str(ids["Ann"]), ids["Dan"], foreign, 2**40, ids["Cid"]]
    response = await _chosen(account.owner, chosen)
    assert response.status_code == 200, response.text
    assert [line[0] for line in _lines(response)] == ["Full_name", "Dan", "Ann", "Cid"]
    assert _lines(response)[1][3] == "jane.doe@acme.example, jd@acme.example"

    book = await _chosen(account.owner, [ids["Ben"]], XLSX)
    assert book.headers["content-disposition"] == 'attachment; filename="mycontacts.xlsx"'
    rows = list(openpyxl.load_workbook(io.BytesIO(book.content)).active.iter_rows(values_only=True))
    assert [row[0] for row in rows] == ["Full_name", "Ben"]
    in_query = await _export(account.owner, ids=f"{ids['Cid']},{ids['Ben']}")
    assert [line[0] for line in _lines(in_query)] == ["Full_name", "Cid", "Ben"]


@pytest.mark.parametrize(
    ("ids", "status"), [([], 400), ("", 400), (["x"], 400), ([{"a": 1}], 400), ([None], 400), (list(range(5001)), 413)]
)
async def test_invalid_selections_are_rejected(account: Account, ids: Any, status: int) -> None:
    response = await _chosen(account.owner, ids)
    assert response.status_code == status, response.text


async def test_a_selection_is_limited_and_audited_like_any_export(product: Product, account: Account) -> None:
    await _reveal(product, account.owner)
    contact = (await account.owner.table("GET", "usercontact")).json()["resource"][0]["contactid"]
    responses = [await _chosen(account.owner, [contact]) for _ in range(21)]
    assert [response.status_code for response in responses] == [200] * 20 + [429]
    assert int(responses[-1].headers["retry-after"]) > 80_000
    error = responses[-1].json()["error"]
    assert (error["context"]["reason"], error["message"][:43]) == (
        "rate_limit",
        "Contacts can be exported at most 20 times a",
    )
    events = await product.db.fetchval(
        "select count(*) from auditlog where clientid = $1 and event = 'contacts_exported'", account.clientid
    )
    assert events == 20


async def test_the_selection_limit_equals_the_file_limit(product: Product, account: Account) -> None:
    await _many(product, account, 230)
    ids = [row["contactid"] for row in (await account.owner.table("GET", "usercontact", limit=1000)).json()["resource"]]
    assert len(ids) == 230
    response = await _chosen(account.owner, ids)
    assert len(_lines(response)) == 231


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("My Contacts", "My Contacts"),
        ("a/b\\c:d[e]f*g?", "a_b_c_d_e_f_g_"),
        ("x" * 31, "x" * 28 + ".."),
        ("x" * 30, "x" * 30),
    ],
)
def test_names_of_sheets_are_valid_in_a_spreadsheet(name: str, kept: str) -> None:
    assert sheet_name(name) == kept
