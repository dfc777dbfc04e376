"""Values as people and programs write them have one reading at every door: tests/data/corpus/values.json.

Each has its reading, null if it has none, and its source.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import phonenumbers
import pycountry
from phonenumbers import PhoneNumber, PhoneNumberFormat

from product.people import directory, phones
from product.people.import_file import HEADER
from product.vendors.people import FoundPerson
from tests.helpers.product import API, Account, Product, User
from tests.helpers.support import ROOT, ok

HOST = "https://www.linkedin.com/"
VALUES = json.loads((ROOT / "tests/data/corpus/values.json").read_text())


def _values(kind: str) -> list[dict[str, Any]]:
    return [one for one in VALUES if one["kind"] == kind]


async def _import(product: Product, folder: Path, people: Iterable[dict[str, str]]) -> Any:
    path = folder / "values.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEADER, restval="")
        writer.writeheader()
        writer.writerows(people)
    return await product.scripts.run_job("importpeople", {"file": str(path)})


async def _stored(product: Product, key: str) -> directory.Person:
    person = await directory.find(product.ctx, key)
    assert person is not None, key
    return person


async def _list(user: User) -> int:
    response = await user.table("POST", "contactlist", {"name": "Corpus"})
    return int(response.json()["resource"][0]["listid"])


async def _enriched(product: Product, account: Account, people: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    record = {"purpose": "CRM", "scopes": ["enrich"]}
    response = await account.owner.table("POST", "apikeys", record)
    key = product.caller(key=response.json()["resource"][0]["apikey"])
    found: list[dict[str, Any]] = []
    for begin in range(0, len(people), 100):
        body = {"people": people[begin : begin + 100], "kinds": ["businessemail"]}
        response = await key.post(API + "enrich", json=body)
        found += ok(response)["resource"]
    return found


def _dialled(person: directory.Person) -> list[str]:
    return [phones.dialled(number, person.country) for number in person.phones]


def _slug(item: dict[str, Any]) -> str:
    """Return the key of a found person without `in/`, or ""."""
    person = item.get("person")
    return unquote(person["linkedinurl"].removeprefix(f"{HOST}in/")) if person else ""


def test_every_value_has_a_source() -> None:
    assert len(VALUES) >= 300
    assert all(one["source"] for one in VALUES)


async def test_every_door_reads_a_profile_address_alike(unlimited: Product, account: Account, tmp_path: Path) -> None:
    await account.set_credits(1000)
    values = _values("profile")
    texts, keys = [one["text"] for one in values], [one["reading"] for one in values]
    work = {"full_name": "Corpus", "business_emails": "corpus@acme.example"}
    done = await _import(unlimited, tmp_path, ({"linkedinurl": text} | work for text in texts))
    assert (done.imported, done.skipped) == (len(keys) - keys.count(None), keys.count(None))
    for key in set(keys) - {None}:
        assert (await _stored(unlimited, key)).full_name == "Corpus"

    found = await _enriched(unlimited, account, [{"linkedinurl": text} for text in texts])
    assert [f"in/{_slug(item)}" if _slug(item) else None for item in found] == keys
    reasons = {item["reason"] for item, key in zip(found, keys, strict=True) if key is None}
    assert reasons <= {"bad_profile", "no_identifier"}

    listid = await _list(account.owner)
    pasted = [text for text in texts if text]
    response = await account.owner.post("listimport", listid=listid, text="\n".join(["linkedinurl", *pasted]))
    rows = {row["line"]: row["status"] for row in response.json()["resource"]}
    first = {key: line for line, key in reversed([*enumerate(keys, 2)]) if key}
    assert rows == {
        line: "invalid" if key is None else "duplicate"
        for line, key in enumerate(keys, 2)
        if key is None or first[key] != line
    }

    bulk = await account.owner.post("bulklookup", urls=pasted, kinds=["businessemail"], max_credits=100)
    await unlimited.work()
    job = (await account.owner.http.get(f"{API}bulklookup/{bulk.json()['jobid']}")).json()
    assert [row["status"] == "invalid" for row in job["rows"]] == [key is None for key in keys]
    contacts = await account.owner.table("GET", "usercontact", limit=1000)
    known = {row["contactid"]: row["linkedinurl"] for row in contacts.json()["resource"]}
    assert [row["contactid"] and unquote(known[row["contactid"]]) for row in job["rows"]] == [
        key and HOST + key for key in keys
    ]

    for number, (text, key) in enumerate(zip(texts, keys, strict=True)):
        if number % 20 == 0:  # each user has a limit
            user = await account.user()
        search = await user.post("searchurl", linkedinurl=text, business=True)
        reveal = await user.post("getcontact", linkedinurl=text, type="businessemail", action="reveal")
        ask = {"email": f"corpus-{number}@acme.example", "linkedinurl": text}
        removal = await unlimited.caller().post(API + "removalrequest", json=ask)
        calls = [search.status_code, reveal.status_code, removal.status_code]
        assert calls == ([200] * 3 if key else [422] * 3), text
        if key:
            assert unquote(search.json()["data"][0]["linkedinurl"]) == HOST + key


async def test_every_door_reads_an_email_address_alike(unlimited: Product, account: Account, tmp_path: Path) -> None:
    await account.set_credits(1000)
    values = _values("email")
    readings = list(dict.fromkeys(one["reading"] for one in values if one["reading"]))
    last = {one["reading"]: one["text"] for one in values}  # one spelling is stored, and all are asked for
    slugs = {reading: f"corpus-mail-{number}" for number, reading in enumerate(readings)}
    wrong = [one["text"] for one in values if one["reading"] is None]
    people = [
        {"linkedinurl": f"{HOST}in/{slugs[one]}", "full_name": "Mail", "business_emails": last[one]} for one in readings
    ]
    people += [
        {"linkedinurl": f"{HOST}in/corpus-wrong-{number}", "full_name": "Wrong", "business_emails": text}
        for number, text in enumerate(wrong)
    ]
    done = await _import(unlimited, tmp_path, people)
    assert (done.imported, done.left_out) == (len(people), len(wrong))
    for number in range(len(wrong)):
        assert (await _stored(unlimited, f"in/corpus-wrong-{number}")).business == ()

    found = await _enriched(unlimited, account, [{"email": one["text"]} for one in values])
    assert [_slug(item) for item in found] == [slugs.get(one["reading"], "") for one in values]
    asked = Counter[str]()
    for one in values:
        asked[one["reading"]] += 1
        removal = await unlimited.caller().post(API + "removalrequest", json={"email": one["text"]})
        most = 3  # of one mailbox in a day
        assert removal.status_code == (422 if not one["reading"] else 200 if asked[one["reading"]] <= most else 429), (
            one
        )


async def test_every_door_reads_a_phone_number_alike(unlimited: Product, account: Account, tmp_path: Path) -> None:
    await account.set_credits(1000)
    values = _values("phone")
    addresses = [f"{HOST}in/corpus-phone-{number}" for number in range(len(values))]
    people = [
        {"linkedinurl": url, "full_name": "Phone", "phones": one["text"], "country": one.get("country", "")}
        for url, one in zip(addresses, values, strict=True)
    ]
    done = await _import(unlimited, tmp_path, people)
    assert (done.imported, done.left_out) == (len(values), sum(one["reading"] is None for one in values))
    for url, one in zip(addresses, values, strict=True):
        person = await _stored(unlimited, url.removeprefix(HOST))
        assert _dialled(person) == ([one["reading"]] if one["reading"] else []), one
        vendor = FoundPerson.model_validate({"full_name": "x", "phones": one["text"]})
        assert vendor.phones == [one["text"].strip()], one  # one number; it is read when it is stored

    listid = await _list(account.owner)
    await account.owner.post("listimport", listid=listid, text="\n".join(addresses))
    for number, (url, one) in enumerate(zip(addresses, values, strict=True)):
        if number % 20 == 0:  # each user has a limit
            user = await account.user()
        if one["reading"]:
            reveal = await user.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
            assert reveal.json()["charged"] == 1, reveal.text
    rows = await _exported(account, listid, columns="linkedinurl,phone")
    assert {row["linkedinurl"]: row["phone"].removeprefix("'") for row in rows} == {
        url: one["reading"] or "" for url, one in zip(addresses, values, strict=True)
    }


async def test_every_door_reads_a_name_alike(unlimited: Product, account: Account, tmp_path: Path) -> None:
    values = _values("name")
    addresses = [f"{HOST}in/corpus-name-{number}" for number in range(len(values))]
    companies = [f"Namensvetter {number:03}" for number in range(len(values))]
    people = [
        {"linkedinurl": url, "full_name": one["text"], "company": company, "business_emails": "n@acme.example"}
        for url, one, company in zip(addresses, values, companies, strict=True)
    ]
    done = await _import(unlimited, tmp_path, people)
    assert (done.imported, done.skipped) == (len(values), 0)
    listid = await _list(account.owner)
    await account.owner.post("listimport", listid=listid, text="\n".join(addresses))
    for query, heads in (
        ({"columns": "firstname,lastname,company"}, ("firstname", "lastname", "company")),
        ({"form": "hubspot"}, ("First Name", "Last Name", "Company Name")),
        ({"form": "salesforce"}, ("First Name", "Last Name", "Company")),
    ):
        rows = {row[heads[2]]: [row[heads[0]], row[heads[1]]] for row in await _exported(account, listid, **query)}
        assert rows == {company: one["reading"] for company, one in zip(companies, values, strict=True)}
    named = [
        (one, url, company)
        for one, url, company in zip(values, addresses, companies, strict=True)
        if one["text"] != "?"
    ]
    found = await _enriched(
        unlimited, account, [{"name": one["text"], "company": company} for one, _, company in named]
    )
    assert [HOST + "in/" + _slug(item) for item in found] == [url for _, url, _ in named]


async def test_every_door_reads_a_company_alike(unlimited: Product, account: Account, tmp_path: Path) -> None:
    values = _values("company")
    stored = list(dict.fromkeys(one["reading"] for one in values if one["reading"]))
    slugs = {company: f"corpus-company-{number}" for number, company in enumerate(stored)}
    sites = {"Acme, Inc.": "https://www.acme-corpus.example/en"}
    people = [
        {"linkedinurl": HOST + "in/" + slugs[one], "full_name": "Carla Corpusfrau", "company": one,
         "company_domain": sites.get(one, ""), "business_emails": "c@acme.example"}
        for one in stored
    ]  # fmt: skip
    await _import(unlimited, tmp_path, people)
    found = await _enriched(
        unlimited, account, [{"name": "Carla Corpusfrau", "company": one["text"]} for one in values]
    )
    assert [_slug(item) for item in found] == [slugs.get(one["reading"], "") for one in values]
    for one in values:
        response = await account.owner.post("searchpeople", name="Carla Corpusfrau", company=[one["text"]])
        companies = [row["company"] for row in response.json()["resource"]]
        assert companies == [one["reading"]] * (one["reading"] is not None), one
    listid = await _list(account.owner)
    lines = [["Name", "Company"], *(["Carla Corpusfrau", one["text"]] for one in values)]
    text = "\n".join(";".join(f'"{cell}"' for cell in line) for line in lines)
    response = await account.owner.post("listimport", listid=listid, text=text)
    assert (response.json()["added"], response.json()["not_found"]) == (
        len(stored), sum(one["reading"] is None for one in values),
    )  # fmt: skip


async def test_every_door_reads_a_country_alike(unlimited: Product, account: Account, tmp_path: Path) -> None:
    values = _values("country")
    slugs = [f"corpus-country-{number}" for number in range(len(values))]
    examples = [_example_number(one["reading"]) for one in values]
    people = [
        {"linkedinurl": f"{HOST}in/{slug}", "full_name": "Conny Corpusland", "country": one["text"],
         "phones": phonenumbers.format_number(example, PhoneNumberFormat.NATIONAL)}
        for slug, one, example in zip(slugs, values, examples, strict=True)
    ]  # fmt: skip
    done = await _import(unlimited, tmp_path, people)
    assert (done.imported, done.left_out) == (len(values), 0)
    for slug, one, example in zip(slugs, values, examples, strict=True):
        number = phonenumbers.format_number(example, PhoneNumberFormat.E164)
        assert _dialled(await _stored(unlimited, f"in/{slug}")) == [number], one
    for code in {one["reading"] for one in values}:
        user = (await unlimited.account()).owner  # a plan has a limit of searches
        there = {slug for slug, one in zip(slugs, values, strict=True) if one["reading"] == code}
        for one in values:
            if one["reading"] == code:
                response = await user.post("searchpeople", name="Conny Corpusland", country=[one["text"]], limit=50)
                found = {row["linkedinurl"].removeprefix(f"{HOST}in/") for row in response.json()["resource"]}
                assert found == there, one


def _example_number(code: str) -> PhoneNumber:
    country = pycountry.countries.get(alpha_3=code)
    assert country is not None
    number = phonenumbers.example_number(country.alpha_2)
    assert number is not None
    return number


async def _exported(account: Account, listid: int, **query: str) -> list[dict[str, str]]:
    response = await account.owner.http.get(API + "listexport", params={"listid": str(listid)} | query)
    assert response.status_code == 200, response.text
    return list(csv.DictReader(io.StringIO(response.text, newline="")))
