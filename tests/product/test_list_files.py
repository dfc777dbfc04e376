"""Lists from files and as files: stored column mappings, duplicates, CRM formats, and only paid values."""

from __future__ import annotations

import csv
import io
import json
import secrets
from typing import Any

import httpx2
import openpyxl
import pytest

from product.contacts import list_file
from product.people.directory import Person
from scripts import listimport
from tests.helpers.desk import staff, view
from tests.helpers.product import API, Account, Product, User
from tests.helpers.support import ok, rejection


async def _list(user: User, **fields: Any) -> int:
    response = await user.table("POST", "contactlist", {"name": "Leads"} | fields)
    return int(response.json()["resource"][0]["listid"])


async def _import(user: User, listid: int, text: str, **more: Any) -> dict[str, Any]:
    response = await user.post("listimport", listid=listid, text=text, **more)
    return dict(ok(response))


async def _export(user: User, listid: int, **query: Any) -> httpx2.Response:
    return await user.http.get(API + "listexport", params={"listid": listid} | query)


def _rows(response: httpx2.Response) -> list[dict[str, str]]:
    assert response.status_code == 200, response.text
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))


def _url(person: Person) -> str:
    return f"https://www.linkedin.com/{person.key}"


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        ("", 422, "invalid"), ("\n \n", 422, "invalid"), ("a,b\n1,2", 422, "mapping_needed"),
        ("a,a\n1,2", 422, "mapping_needed"), ("Name,Company\nJ\ufffdrg,Acme", 422, "invalid"),
        ("a\n" * 999_999, 422, "invalid"), ("\n" * 1_999_999 + "x", 422, "invalid"), ("," * 1_999_999, 422, "invalid"),
        ('"' + "x\n" * 900_000, 422, "invalid"), ("Name,Company\n" + "x" * 1_500_000, 422, "invalid"),
        ("name\nJane", 422, "mapping_needed"), ("Name,Company\n\"Jane,Acme", 422, "invalid"),
        ("x\0y", 400, "bad_value"),
        ("url\n" + "x/in/a\n" * 1001, 422, "invalid"),
    ],
)  # fmt: skip
async def test_invalid_texts_are_rejected(account: Account, text: str, status: int, reason: str) -> None:
    listid = await _list(account.owner)
    response = await account.owner.post("listimport", listid=listid, text=text)
    assert rejection(response) == (status, reason), response.text


@pytest.mark.parametrize("mapping", [{"c": "name"}, {"a": "linkedinurl", "b": "linkedinurl"}, {"a": "fax"}, {"a": ""}])
async def test_invalid_mappings_are_rejected(account: Account, mapping: dict[str, str]) -> None:
    listid = await _list(account.owner)
    response = await account.owner.post("listimport", listid=listid, text="a,b\n1,2", mapping=mapping)
    assert response.status_code == 422, response.text


async def test_import_and_export_need_access_to_the_list(product: Product, account: Account, other: Account) -> None:
    private, shared, member = await _list(account.owner), await _list(account.owner, shared=1), await account.user()
    watching = await view(await staff(product), account.owner)
    body = {"text": _url(await product.person())}
    for user, listid in ((other.owner, private), (other.owner, shared), (member, private)):
        assert (await user.post("listimport", listid=listid, **body)).status_code == 404
        assert (await _export(user, listid)).status_code == 404
    assert (await watching.post(API + "listimport", json={"listid": shared} | body)).status_code == 403
    assert (await watching.get(API + "listexport", params={"listid": shared})).status_code == 403
    assert (await _import(member, shared, body["text"]))["added"] == 1
    for query in ({"format": "pdf"}, {"form": "zoho"}, {"columns": "full_name,keyhash"}):
        assert (await _export(account.owner, shared, **query)).status_code == 422


async def test_pasted_addresses_are_imported_with_a_status_per_line(product: Product, account: Account) -> None:
    people = [await product.person() for _ in range(3)]
    listid = await _list(account.owner)
    text = "\n".join([*(_url(person) for person in people), "linkedin.com/in/nobody-here", "https://example.com/x", ""])
    text += f"\n{_url(people[0]).upper().replace('HTTPS', 'https')}/"
    tried = await _import(account.owner, listid, text, dry_run=True)
    done = await _import(account.owner, listid, text)
    assert tried == done
    assert (done["total"], done["added"], done["duplicates"], done["not_found"], done["columns"]) == (6, 3, 1, 2, [])
    assert [(row["line"], row["status"]) for row in done["resource"]] == [
        (4, "not_found"), (5, "invalid"), (7, "duplicate"),
    ]  # fmt: skip
    again = await _import(account.owner, listid, text)
    assert (again["added"], again["present"]) == (0, 3)
    items = (await account.owner.table("GET", "contactlistitem")).json()["resource"]
    assert len(items) == 3


async def test_columns_are_mapped_once_and_kept(product: Product, account: Account, other: Account) -> None:
    mark = secrets.token_hex(4)
    await product.person(full_name=f"Ann {mark}", company="Acme Freight")
    head = f"Rufname {mark};Zuname;Betrieb;Art;Egal"
    text = f"{head}\nAnn;{mark};Acme Freight;hot,new;=1+1\nBob;{mark};Nowhere;;"
    mapping = {f"Rufname {mark}": "firstname", "Zuname": "lastname", "Betrieb": "company", "Art": "tags", "Egal": ""}
    member = await account.user()
    assert (await member.post("listimport", listid=await _list(member), text=text)).status_code == 422
    first = await _list(account.owner)
    done = await _import(account.owner, first, text, mapping=mapping)
    assert (done["added"], done["not_found"], len(done["columns"])) == (1, 1, 5)
    (item,) = (await account.owner.table("GET", "contactlistitem", filter=f"(listid={first})")).json()["resource"]
    assert (item["full_name"], item["tags"]) == (f"Ann {mark}", ["hot", "new"])
    kept = await _import(member, await _list(member), text)  # the team shares the mapping
    assert (kept["added"], kept["mapping"]) == (1, {name: field for name, field in mapping.items() if field})
    assert (await other.owner.post("listimport", listid=await _list(other.owner), text=text)).status_code == 422
    known = f"Full Name,Company Name,Notes\nAnn {mark},Acme Freight,met\n"
    assert (await _import(other.owner, await _list(other.owner), known))["added"] == 1


async def test_a_full_list_rejects_more_people(
    product: Product, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listimport, "MAX_ITEMS", 1)
    listid = await _list(account.owner)
    text = "\n".join([_url(await product.person()), _url(await product.person())])
    response = await account.owner.post("listimport", listid=listid, text=text)
    assert rejection(response) == (409, "list_full")
    assert (await account.owner.table("GET", "contactlistitem")).json()["resource"] == []


async def test_an_export_contains_only_paid_values(product: Product, account: Account) -> None:
    paid = await product.person(full_name="Jane van Doe", title="=CEO()", company="Acme")
    free = await product.person(full_name="Free Rider")
    listid, member = await _list(account.owner, shared=1), await account.user()
    await _import(account.owner, listid, f"{_url(paid)}\n{_url(free)}")
    for kind in ("businessemail", "directdial"):
        body = {"linkedinurl": _url(paid), "type": kind, "action": "reveal"}
        assert (await account.owner.post("getcontact", **body)).json()["charged"] == 1
    rows = {row["full_name"]: row for row in _rows(await _export(account.owner, listid))}
    assert list(rows["Jane van Doe"]) == ["full_name", "title", "company", "country", "email", "phone"]
    jane = rows["Jane van Doe"]
    assert (jane["title"], jane["email"], jane["phone"]) == ("'=CEO()", paid.business[0][0], paid.phones[0])
    assert (rows["Free Rider"]["email"], rows["Free Rider"]["phone"]) == ("", "")
    of_member = {row["full_name"]: row for row in _rows(await _export(member, listid))}
    assert of_member["Jane van Doe"]["email"] == ""  # not in the member's own contacts
    sheet = await _export(account.owner, listid, format="xlsx", columns="lastname,firstname,personal_emails")
    lines = list(openpyxl.load_workbook(io.BytesIO(sheet.content)).active.values)
    assert lines[0] == ("lastname", "firstname", "personal_emails")
    assert ("van Doe", "Jane") in {line[:2] for line in lines[1:]}
    assert all(not line[2] for line in lines[1:])  # not paid for
    audited = "select count(*) from auditlog where clientid = $1 and event = 'contacts_exported'"
    assert await product.db.fetchval(audited, account.clientid) == 3


@pytest.mark.parametrize(
    ("form", "head"),
    [
        ("hubspot", ("First Name", "Last Name", "Email", "Phone Number", "Company Name")),
        ("salesforce", ("First Name", "Last Name", "Email", "Phone", "Company")),
        (
            "pipedrive",
            ("Person - Name", "Person - Email", "Person - Phone", "Person - Job title", "Organization - Name"),
        ),
    ],
)
async def test_exports_have_the_column_names_of_crms(
    product: Product, account: Account, form: str, head: tuple[str, ...]
) -> None:
    person = await product.person(full_name="Jane Doe", company="Acme", country="DEU")
    listid = await _list(account.owner)
    await _import(account.owner, listid, _url(person))
    response = await _export(account.owner, listid, form=form)
    assert 'filename="Leads.csv"' in response.headers["content-disposition"]
    (row,) = _rows(response)
    assert tuple(row)[:5] == head
    assert "Acme" in row.values()
    assert {name for name in row if "Country" in name} <= {name for name, cell in row.items() if cell == "Germany"}


NAMES = {
    "Jane Doe": ("Jane", "Doe"), "Jane Doe, PhD": ("Jane", "Doe"), "John Smith Jr.": ("John", "Smith"),
    "Dr. Jane Doe MBA": ("Jane", "Doe"), "Madonna": ("", "Madonna"), "Müller, Jörg": ("Jörg", "Müller"),
    "Ludwig van Beethoven": ("Ludwig", "van Beethoven"), "Jane Doe (she/her)": ("Jane", "Doe"),
    "Jane Doe she/her": ("Jane", "Doe"), "Jane Doe | Sales, Acme": ("Jane", "Doe"),
    "Jane Doe CFA\u00ae": ("Jane", "Doe"), "\u674e\u5c0f\u9f99": ("", "\u674e\u5c0f\u9f99"),
    "Dr. Smith": ("", "Smith"), "Prince Harry": ("", "Harry"),
    "PhD": ("", "PhD"), "?": ("", "?"), "J. R. R. Tolkien": ("J. R. R.", "Tolkien"),
}  # fmt: skip


@pytest.mark.parametrize("form", ["hubspot", "salesforce"])
async def test_a_crm_gets_a_last_name_a_company_and_a_number_that_it_can_dial(
    product: Product, account: Account, form: str
) -> None:
    """Salesforce rejects a lead without Last Name or Company; a title or a suffix is not a last name."""
    listid = await _list(account.owner)
    people = [
        await product.person(full_name=name, company="", country="DEU", phones=["0151 / 12345678"]) for name in NAMES
    ]
    await _import(account.owner, listid, "\n".join(map(_url, people)))
    reveal = {"linkedinurl": _url(people[0]), "type": "directdial", "action": "reveal"}
    assert (await account.owner.post("getcontact", **reveal)).status_code == 200
    rows = _rows(await _export(account.owner, listid, form=form))
    assert sorted((row["First Name"], row["Last Name"]) for row in rows) == sorted(NAMES.values())
    phone = "Phone" if form == "salesforce" else "Phone Number"
    assert sorted({row[phone] for row in rows}) == ["", "+4915112345678"]
    if form == "salesforce":
        assert {row["Company"] for row in rows} == {"[not provided]"}
    (international,) = {
        row[phone] for row in _rows(await _export(account.owner, listid, form=form, phone_format="international"))
    } - {""}
    assert international == "+49 1511 2345678"


async def test_names_that_cannot_be_split_are_shown_for_a_decision(
    product: Product, account: Account, other: Account
) -> None:
    listid = await _list(account.owner)
    people = [await product.person(full_name=name, company="Acme") for name in ("Cher", "PhD", "Jane Doe", "王小明")]
    await _import(account.owner, listid, "\n".join(map(_url, people)))
    assert (await _export(other.owner, listid, preview="true")).status_code == 404
    for names in ("x", '{"Cher":["a"]}', '{"Cher":"a"}', f'{{"Cher":["{"a" * 101}","b"]}}', "[]"):
        assert (await _export(account.owner, listid, names=names)).status_code == 422
    preview = (await _export(account.owner, listid, preview="true")).json()["resource"]
    assert preview == [
        {"full_name": name, "firstname": "", "lastname": name} for name in ("Cher", "PhD", "王小明")
    ]  # fmt: skip
    decided = {"王小明": ["小明", "王"], "Cher": ["Cher", ""], "nobody": ["No", "Body"]}
    for form, columns in (("salesforce", ("First Name", "Last Name")), ("hubspot", ("First Name", "Last Name"))):
        rows = _rows(await _export(account.owner, listid, form=form, names=json.dumps(decided)))
        assert sorted(tuple(row[name] for name in columns) for row in rows) == [
            ("", "Cher"), ("", "PhD"), ("Jane", "Doe"), ("小明", "王"),
        ]  # fmt: skip
    counted = "select count(*) from auditlog where clientid = $1 and event = 'contacts_exported'"
    assert await product.db.fetchval(counted, account.clientid) == 2  # without the preview


async def test_csv_for_excel_begins_with_a_byte_order_mark(product: Product, account: Account) -> None:
    listid = await _list(account.owner)
    files = [(await _export(account.owner, listid, bom=bom)).content for bom in ("true", "false")]
    assert [file.startswith(b"\xef\xbb\xbf") for file in files] == [True, False]


def test_line_numbers_count_quoted_line_breaks_and_blank_lines() -> None:
    sheet = list_file.read('\ufeffName\tCompany\n\n"Jane\nDoe"\tAcme\n')
    (line,) = list_file.people(sheet, sheet.suggested())
    assert (line.number, line.name, line.company) == (3, "Jane\nDoe", "Acme")  # the record begins on line 3
