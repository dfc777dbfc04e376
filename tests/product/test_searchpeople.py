"""POST /searchpeople and /searchcompanies: filters, exclusions, pages, limits, and no way to a contact value."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from product.people import search_pages
from tests.helpers.product import API, Account, Product
from tests.helpers.support import ok, rejection
from tests.product.unit.test_profile_url import REJECTED, SPELLINGS

PEOPLE = (
    ("Jane Doe", "Head of Sales", "Acme Freight", "acme.example", "USA", "Austin", "Logistics", "51-200"),
    ("Björn Ångström", "VP Engineering", "Acme Freight", "acme.example", "DEU", "Berlin", "Logistics", "51-200"),
    ("Ana Lopez", "Sales Director", "Cedar Health", "cedar.example", "DEU", "Berlin", "Healthcare", "1001-5000"),
    ("Omar Haddad", "Head of Sales", "Cedar Labs", "labs.example", "FRA", "Lyon", "Healthcare", "11-50"),
)


@pytest.fixture
async def mark(product: Product) -> str:
    """Insert four people with a common word in their names and companies, and return the word."""
    mark = "w" + secrets.token_hex(4)
    for name, title, company, domain, country, city, industry, size in PEOPLE:
        values: dict[str, Any] = {
            "full_name": f"{name} {mark}", "title": title, "company": f"{company} {mark}", "company_domain": domain,
            "country": country, "city": city, "industry": industry, "company_size": size,
        }  # fmt: skip
        if name == "Ana Lopez":
            values |= {"phones": [], "business_emails": ["ana@cedar.example"]}
        if name == "Omar Haddad":
            values |= {"personal_emails": [], "business_emails": ["omar@labs.example:accept_all"]}
        await product.person(f"{name.split()[0].lower()}-{mark}".replace("ö", "oe"), **values)
    return mark


async def _search(caller: Any, call: str = "searchpeople", **body: Any) -> dict[str, Any]:
    response = await caller.post(call, **body)
    return dict(ok(response))


async def _names(caller: Any, mark: str, **body: Any) -> list[str]:
    found = await _search(caller, name=mark, **{"order": "full_name"} | body)
    assert found["meta"]["count"] == len(found["resource"])
    return [row["full_name"].split()[0] for row in found["resource"]]


async def _key(account: Account, *scopes: str) -> str:
    record: dict[str, Any] = {"purpose": "CRM"} | ({"scopes": list(scopes)} if scopes else {})
    response = await account.owner.table("POST", "apikeys", record)
    return str(ok(response)["resource"][0]["apikey"])


@pytest.mark.parametrize("call", ["searchpeople", "searchcompanies"])
async def test_only_sessions_and_keys_with_the_scope_can_search(product: Product, account: Account, call: str) -> None:
    assert (await product.caller(key="").post(API + call, json={})).status_code == 401
    assert (await product.caller().post(API + call, json={})).status_code == 401
    assert (await product.caller(token="no-such-session").post(API + call, json={})).status_code == 401
    lookup, search_key = await _key(account), await _key(account, "search", "enrich")
    refused = await product.caller(key=lookup).post(API + call, json={})
    context = refused.json()["error"]["context"]
    assert (refused.status_code, context["reason"], context["needed"]) == (403, "scope", "search")
    assert (await product.caller(key=search_key).post(API + call, json={})).status_code == 200
    assert (await (await account.user()).post(call)).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"limit": 0},
        {"limit": 101},
        {"limit": "x"},
        {"has": ["fax"]},
        {"verification": ["good"]},
        {"seniority": ["executive assistant to nothing known"], "function": ["plumbing"]},
        {"seniority": "xyz"},
        {"not": {"function": ["xyz"]}},
        {"country": [1]},
        {"country": {"a": 1}},
        {"company": ["x"] * 51},
        {"name": "x" * 201},
        {"order": "phone"},
        {"order": "full_name sideways"},
        {"order": "personalcipher"},
        {"phones": "+1"},
        {"not": {"phones": "+1"}},
        {"not": []},
        {"emails": ["a@b.example"]},
    ],
)
async def test_unknown_filters_and_orders_are_rejected(account: Account, body: dict[str, Any]) -> None:
    assert (await account.owner.post("searchpeople", **body)).status_code == 422


async def test_an_unknown_seniority_is_named_with_those_that_exist(account: Account) -> None:
    error = (await account.owner.post("searchpeople", seniority="xyz")).json()["error"]
    assert error["message"].startswith("seniority: Must be one of intern, owner, vp, c_suite")
    assert error["message"].endswith("not 'xyz'")


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Deutschland", "Germany"), ("Germany", "DE"), ("UK", "United Kingdom"), ("The Netherlands", "Niederlande"),
        ("U.S.A.", "US"), ("Türkei", "Turkey"), ("Côte d'Ivoire", "Ivory Coast"), ("Espagne", "ES"),
        ("Kosovo", "kosovo"), ("Atlantis", "atlantis"),
    ],
)  # fmt: skip
async def test_a_country_is_found_by_any_of_its_names(
    product: Product, account: Account, mark: str, stored: str, asked: str
) -> None:
    await product.person(
        f"country-{mark.lower().replace(' ', '-')}-{asked.lower().replace(' ', '-')}", country=stored, city=mark
    )
    found = (await account.owner.post("searchpeople", country=asked, city=mark)).json()["resource"]
    assert [person["country"] for person in found] == [stored]


@pytest.mark.parametrize("cursor", ["x", "s1.AAAA", "é", "s1." + "A" * 200])
async def test_an_invalid_cursor_is_rejected(account: Account, cursor: str) -> None:
    response = await account.owner.post("searchpeople", cursor=cursor)
    assert rejection(response) == (400, "bad_cursor")


@pytest.mark.parametrize(
    "text", ["' | !x", "a:*", "\\", "''", "\x00", "&&&", "😀", "a' & !'b", "%", "\u202e", "n:x' || '1", "x" * 200]
)
async def test_a_text_is_never_a_query(account: Account, mark: str, text: str) -> None:
    for body in ({"name": text}, {"title": text}, {"company": [text]}, {"industry": [text]}, {"seniority": [text]}):
        for part in (body, {"not": body}):
            response = await account.owner.post("searchpeople", **{"city": ["Nowhere " + mark]} | part)
            assert response.status_code in (200, 400, 422), response.text
            if response.status_code == 200:
                assert response.json()["resource"] == []


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["Ana", "Björn", "Jane", "Omar"]),
        ({"title": "head of sales"}, ["Jane", "Omar"]),
        ({"title": "sale"}, ["Ana", "Jane", "Omar"]),
        ({"seniority": ["head", "vp"]}, ["Björn", "Jane", "Omar"]),
        ({"function": ["sales"], "country": ["DEU", "USA"]}, ["Ana", "Jane"]),
        ({"country": ["germany"]}, ["Ana", "Björn"]),
        ({"country": "DE", "city": ["BERLIN"]}, ["Ana", "Björn"]),
        ({"company": ["acme.example"]}, ["Björn", "Jane"]),
        ({"company": ["cedar"]}, ["Ana", "Omar"]),
        ({"company": ["Cedar Health"]}, ["Ana"]),
        ({"company_size": ["51-200"]}, ["Björn", "Jane"]),
        ({"industry": ["healthcare"]}, ["Ana", "Omar"]),
        ({"has": ["directdial"]}, ["Björn", "Jane", "Omar"]),
        ({"has": ["directdial", "personalemail"]}, ["Björn", "Jane"]),
        ({"verification": ["valid"]}, ["Björn", "Jane"]),
        ({"verification": ["accept_all", "unknown"]}, ["Ana", "Omar"]),
        ({"seniority": ["c-level"]}, []),
        ({"not": {"company": ["Acme Freight"]}}, ["Ana", "Omar"]),
        ({"not": {"title": "head"}}, ["Ana", "Björn"]),
        ({"not": {"title": ["head", "director"]}}, ["Björn"]),
        ({"not": {"name": "bjorn"}}, ["Ana", "Jane", "Omar"]),
        ({"not": {"seniority": ["head"], "country": ["DEU"]}}, []),
        ({"not": {"function": ["engineering"], "company_size": ["11-50"]}}, ["Ana", "Jane"]),
        ({"not": {"industry": ["Logistics"], "city": ["Lyon"]}}, ["Ana"]),
        ({"not": {"has": ["personalemail"]}}, ["Omar"]),
        ({"not": {"verification": ["valid", "unknown"]}}, ["Omar"]),
        ({"order": "company DESC", "has": ["personalemail"], "country": ["USA"]}, ["Jane"]),
        ({"order": "full_name DESC"}, ["Omar", "Jane", "Björn", "Ana"]),
    ],
)
async def test_filters_select_matching_people(
    account: Account, mark: str, filters: dict[str, Any], names: list[str]
) -> None:
    assert await _names(account.owner, mark, **filters) == names


async def test_a_name_is_found_without_accents_and_by_prefix(account: Account, mark: str) -> None:
    for text in ("Björn Ångström", "bjorn angstrom", "Bjö ång", f"ÅNGSTRÖM {mark}"):
        found = await _search(account.owner, name=f"{text} {mark}")
        assert [row["full_name"] for row in found["resource"]] == [f"Björn Ångström {mark}"], text


async def test_a_result_has_the_person_and_the_existing_kinds(account: Account, mark: str) -> None:
    row = (await _search(account.owner, name=f"Omar {mark}"))["resource"][0]
    dates = {name: datetime.fromisoformat(row.pop(name)) for name in ("firstseen", "lastchecked")}
    assert all((datetime.now(UTC) - date).total_seconds() < 600 for date in dates.values())
    assert row == {
        "linkedinurl": f"https://www.linkedin.com/in/omar-{mark}", "full_name": f"Omar Haddad {mark}",
        "title": "Head of Sales", "company": f"Cedar Labs {mark}", "company_domain": "labs.example", "country": "FRA",
        "city": "Lyon", "industry": "Healthcare", "company_size": "11-50", "seniority": "head", "function": "sales",
        "has": ["directdial", "businessemail"], "verification": "accept_all", "owned": [], "owned_by": [],
    }  # fmt: skip


async def test_owned_kinds_name_the_revealing_user(account: Account, other: Account, mark: str) -> None:
    max_ = await account.user(name="Max Member")
    body = {"linkedinurl": f"linkedin.com/in/jane-{mark}", "type": "directdial", "action": "reveal"}
    assert (await max_.post("getcontact", **body)).json()["charged"] == 1
    row = (await _search(account.owner, name=f"Jane {mark}"))["resource"][0]
    assert row["owned"] == ["directdial"]
    assert [(each["kind"], each["name"]) for each in row["owned_by"]] == [("directdial", "Max Member")]
    strange = (await _search(other.owner, name=f"Jane {mark}"))["resource"][0]
    assert (strange["owned"], strange["owned_by"]) == ([], [])


@pytest.mark.parametrize("order", ["", "full_name", "title DESC", "company", "lastchecked", "lastchecked ASC"])
@pytest.mark.parametrize("exact", [search_pages.EXACT, 2])
async def test_pages_follow_each_other(
    account: Account, mark: str, order: str, exact: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every person comes once, in the order of one page, whether the matches are sorted or read from an index."""
    whole = await _search(account.owner, name=mark, order=order)
    monkeypatch.setattr(search_pages, "EXACT", exact)
    urls, cursor = [], ""
    for _ in range(5):
        page = await _search(account.owner, name=mark, order=order, limit=1, cursor=cursor)
        urls += [row["linkedinurl"] for row in page["resource"]]
        assert page["meta"]["estimated"] is (exact == 2)
        if not (cursor := page["meta"]["next"] or ""):
            break
    assert urls == [row["linkedinurl"] for row in whole["resource"]]
    first = await _search(account.owner, name=mark, order=order, limit=1)
    changed = await account.owner.post("searchpeople", name="other", order=order, cursor=first["meta"]["next"])
    assert rejection(changed) == (400, "bad_cursor")


async def test_the_plan_limits_pages_and_people_of_a_day(product: Product, account: Account, mark: str) -> None:
    await product.db.execute("update subscriptionplan set searchpages = 3, searchpeople = 4 where planid = 2")
    small = await product.account(planid=2)
    for _ in range(3):
        await _search(small.owner, name=mark, limit=1)  # the same person counts once
    refused = await small.owner.post("searchpeople", name=mark)
    assert rejection(refused) == (429, "search_limit")
    assert 0 < int(refused.headers["Retry-After"]) <= 86_401
    assert (await small.owner.post("searchcompanies")).status_code == 429
    await product.db.execute("update searchuse set pages = 0 where clientid = $1", small.clientid)
    await _search(small.owner, name=mark)
    assert (await small.owner.post("searchpeople", name="x")).status_code == 429
    await product.db.execute("update searchuse set pages = 0, people = 0 where clientid = $1", small.clientid)
    responses = await asyncio.gather(*(small.owner.post("searchpeople", name="nobody-here") for _ in range(8)))
    assert sorted(response.status_code for response in responses) == [200] * 3 + [429] * 5
    await product.db.execute("update subscriptionplan set searchpages = 200, searchpeople = 5000 where planid = 2")


@dataclass
class Asker:
    """An account that has not paid for anything, with a key of all scopes and a list."""

    account: Account
    program: httpx2.AsyncClient
    listid: int

    async def post(self, path: str, **body: Any) -> httpx2.Response:
        return await self.account.owner.post(path, **body)

    async def call(self, path: str, **body: Any) -> httpx2.Response:
        return await self.program.post(API + path, json=body)


NAMES = ("Ana", "Bob", "Cem")


async def _people(product: Product, mark: str) -> None:
    for name in NAMES:
        await product.person(
            f"{name.lower()}-{mark}", full_name=f"{name} {mark}", company=mark, company_domain=f"{mark}.example"
        )


async def _asker(account: Account) -> Asker:
    record = {"purpose": "CRM", "scopes": ["lookup", "enrich", "search"]}
    key = (await account.owner.table("POST", "apikeys", record)).json()["resource"][0]["apikey"]
    made = await account.owner.table("POST", "contactlist", {"name": "Leads"})
    return Asker(account, account.product.caller(key=key), made.json()["resource"][0]["listid"])


Door = Callable[[Asker, str, list[str]], Awaitable[httpx2.Response]]
WORK = {"kinds": ["businessemail"]}
# Each asks for all people of a search word or of some addresses, and pays for none.
DOORS: dict[str, Door] = {
    "searchpeople": lambda asker, mark, _: asker.post("searchpeople", name=mark),
    "searchpeople by key": lambda asker, mark, _: asker.call("searchpeople", name=mark),
    "contactlistitem": lambda asker, _, urls: asker.account.owner.table(
        "POST", "contactlistitem", *({"listid": asker.listid, "linkedinurl": url} for url in urls)
    ),
    "listimport": lambda asker, _, urls: asker.post("listimport", listid=asker.listid, text="\n".join(urls)),
    "listimport by name": lambda asker, mark, _: asker.post(
        "listimport", listid=asker.listid, dry_run=True, text="name,company\n" + "".join(
            f"{name} {mark},{mark}\n" for name in NAMES
        ),
    ),
    "revealmany dry": lambda asker, _, urls: asker.post("revealmany", linkedinurls=urls, dry_run=True, **WORK),
    "revealmany over": lambda asker, _, urls: asker.post("revealmany", linkedinurls=urls, max_credits=0, **WORK),
    "revealmany poor": lambda asker, _, urls: asker.post("revealmany", linkedinurls=urls, **WORK),
    "revealmany search": lambda asker, mark, _: asker.post("revealmany", search={"name": mark}, dry_run=True, **WORK),
    "price": lambda asker, _, urls: asker.call("agent/price", linkedinurls=urls, **WORK),
    "price of a search": lambda asker, mark, _: asker.call("agent/price", search={"name": mark}, **WORK),
    "reveal": lambda asker, _, urls: asker.call("agent/reveal", linkedinurls=urls, **WORK),
    "enrich dry": lambda asker, _, urls: asker.call(
        "enrich", people=[{"linkedinurl": url} for url in urls], dry_run=True, **WORK
    ),
    "enrich over": lambda asker, _, urls: asker.call(
        "enrich", people=[{"linkedinurl": url} for url in urls], max_credits=0, **WORK
    ),
    "enrich by name": lambda asker, mark, _: asker.call(
        "enrich", people=[{"name": f"{name} {mark}", "company": mark} for name in NAMES], **WORK
    ),
    "bulklookup": lambda asker, _, urls: asker.post("bulklookup", urls=urls, max_credits=0, **WORK),
    "bulk estimate": lambda asker, _, urls: asker.post(
        "bulklookup", urls=urls, max_credits=0, estimateonly=True, **WORK
    ),
}  # fmt: skip
# Each asks for one person.
SINGLE: dict[str, Callable[[Asker, str, str], Awaitable[httpx2.Response]]] = {
    "searchurl": lambda asker, url, _: asker.post("searchurl", linkedinurl=url, phone=True),
    "getcontact": lambda asker, url, _: asker.post(
        "getcontact", linkedinurl=url, type="businessemail", action="reveal"
    ),
    "keylookup": lambda asker, url, _: asker.program.get(
        API + "keylookup", params={"linkedinurl": url, "type": "businessemails"}
    ),
    "findemail": lambda asker, _, name: asker.call("findemail", name=name, domain=f"{name.split()[-1]}.example"),
}


async def _one_by_one(door: str, asker: Asker, mark: str, urls: list[str]) -> httpx2.Response:
    responses = [
        await SINGLE[door](asker, url, f"{name} {mark}") for url, name in zip(urls, NAMES, strict=True)
    ]  # fmt: skip
    return responses[-1]


@pytest.mark.parametrize("door", [*DOORS, *SINGLE])
async def test_people_count_alike_whichever_call_shows_them(product: Product, door: str) -> None:
    """No call copies the directory past the limits of the search."""
    plan = "update subscriptionplan set searchpeople = $1 where planid = 4"
    before = await product.db.fetchval("select searchpeople from subscriptionplan where planid = 4")
    await product.db.execute(plan, 5)
    asker = await _asker(await product.account(planid=4))
    await asker.account.set_credits(0)
    mark = "d" + secrets.token_hex(4)
    await _people(product, mark)
    urls = [f"linkedin.com/in/{name.lower()}-{mark}" for name in NAMES]
    call = DOORS.get(door) or partial(_one_by_one, door)
    try:
        for number in range(2):  # people seen before do not count again
            response = await call(asker, mark, urls)
            assert response.status_code in (200, 202, 402), response.text
            used = await product.db.fetchval("select people from searchuse where clientid = $1", asker.account.clientid)
            assert (used, number) == (len(NAMES), number)
        await product.db.execute("update searchuse set people = 5 where clientid = $1", asker.account.clientid)
        for texts in (urls, [f"{url}-nobody" for url in urls]):  # at the limit, unknown people get the same error
            refused = await call(asker, mark, texts)
            assert rejection(refused) == (429, "search_limit")
    finally:
        await product.db.execute(plan, before)


async def test_people_that_are_bought_count_in_a_call_for_many(product: Product, account: Account) -> None:
    mark = "b" + secrets.token_hex(4)
    await _people(product, mark)
    urls = [f"linkedin.com/in/{name.lower()}-{mark}" for name in NAMES]
    assert (await account.owner.post("revealmany", linkedinurls=urls, **WORK)).json()["charged"] == len(NAMES)
    sql = "select people from searchuse where clientid = $1"
    assert await product.db.fetchval(sql, account.clientid) == len(NAMES)
    await _search(account.owner, name=mark)
    assert await product.db.fetchval(sql, account.clientid) == len(NAMES)


async def test_removed_people_are_excluded_at_once(product: Product, account: Account, mark: str) -> None:
    await product.person(f"gone-{mark}", full_name=f"Gone {mark}", personal_emails=[f"Gone-{mark}@home.example"])
    assert (await _search(account.owner, name=f"gone {mark}"))["meta"]["count"] == 1
    address = f"gone-{mark}@home.example"
    await product.caller().post(API + "removalrequest", json={"email": address})
    path, _ = await product.link(address)
    assert (await product.caller(key="").post(path)).status_code == 200
    found = await _search(account.owner, name=f"gone {mark}")
    assert (found["meta"]["count"], found["resource"]) == (0, [])
    url = f"linkedin.com/in/gone-{mark}"
    assert (await account.owner.post("searchurl", linkedinurl=url, phone=True)).json() == {"data": []}
    await product.work()
    assert (await _search(account.owner, name=f"gone {mark}"))["resource"] == []


async def test_a_suppressed_but_indexed_profile_is_excluded(product: Product, account: Account, mark: str) -> None:
    hashed = product.scripts.vault.index("profile", f"in/jane-{mark}")
    await product.db.execute("insert into suppression (hash, kind) values ($1, 'profile')", hashed)
    found = await _search(account.owner, name=mark)
    assert sorted(row["full_name"].split()[0] for row in found["resource"]) == ["Ana", "Björn", "Omar"]


async def test_companies_are_summarised_and_filtered(product: Product, account: Account, mark: str) -> None:
    await product.scripts.run_job("sumcompanies", {})
    every = await _search(account.owner, "searchcompanies", name=mark)
    assert every["meta"] == {"count": 3, "estimated": False, "next": None}
    acme = every["resource"][0]
    assert acme == {
        "company": f"Acme Freight {mark}", "company_domain": "acme.example", "people": 2, "countries": ["DEU", "USA"],
        "industry": "Logistics", "company_size": "51-200", "functions": {"sales": 1, "engineering": 1},
    }  # fmt: skip
    for filters, names in (
        ({"country": ["DEU"]}, ["Acme Freight", "Cedar Health"]),
        ({"country": ["DEU"], "not": {"industry": ["Logistics"]}}, ["Cedar Health"]),
        ({"company_size": ["11-50"]}, ["Cedar Labs"]),
        ({"company": ["cedar.example"]}, ["Cedar Health"]),
        ({"city": ["Lyon"]}, ["Cedar Labs"]),
        ({"name": f"ced {mark}", "order": "company DESC"}, ["Cedar Labs", "Cedar Health"]),
    ):
        found = await _search(account.owner, "searchcompanies", **{"name": mark, "order": "company"} | filters)
        assert [row["company"].removesuffix(f" {mark}") for row in found["resource"]] == names, filters


# No way to a value


async def test_a_phone_number_cannot_be_searched(unlimited: Product, account: Account, mark: str) -> None:
    """Two people that differ only in their values get the same response for every filter."""
    values = {
        slug: {"phones": [phone], "personal_emails": [home], "business_emails": [work]}
        for slug, phone, home, work in (
            ("a", "+12025550111", "aa@home.example", "x1@acme.example"),
            ("b", "+4930901820", "zz@home.example", "y2@acme.example"),
        )
    }  # fmt: skip
    for slug, own in values.items():
        await unlimited.person(f"{slug}-twin-{mark}", full_name=f"Twin Zed{mark}", **own)
    probes: list[dict[str, Any]] = [
        {name: text if name in ("name", "title") else [text]}
        for name in ("name", "title", "company", "city", "industry", "company_size", "country")
        for text in ("2025550111", "+12025550111", "aa", "aa@home.example", "home.example", "x1@acme.example", "x1")
    ]
    probes += [{"has": [kind]} for kind in ("directdial", "businessemail", "personalemail")]
    probes += [{"verification": [word]} for word in ("valid", "unknown", "invalid")]
    caller = account.owner
    for number, probe in enumerate(probes):
        if number % 8 == 0:
            caller = await account.user()  # the limit per minute applies to each user
        for body in (probe, {"not": probe}):
            merged = {"name": f"zed{mark}"} | body
            if "name" in body:
                merged["name"] = f"{merged['name']} zed{mark}"
            for order in ("full_name", "lastchecked", "company DESC"):
                response = await caller.post("searchpeople", **merged, order=order)
                if body is probe and response.status_code == 422:  # no person has this word, whatever their values
                    fields = response.json()["error"]["context"]["fields"]
                    assert [*fields] == [*probe]
                    assert {*fields} <= {"company_size", "country"}
                    continue
                found = ok(response)
                assert found["meta"]["count"] in (0, 2), body
                text = str(found)
                for value in ("2025550111", "4930901820", "home.example", "x1@", "y2@", "cipher", "'m:"):
                    assert value not in text, body
                shown = [{k: v for k, v in row.items() if k not in ("linkedinurl", "firstseen", "lastchecked")}
                         for row in found["resource"]]  # fmt: skip
                assert shown in ([], [shown[0]] * 2 if shown else [])


async def test_index_terms_contain_no_values(product: Product, mark: str) -> None:
    rows: list[Any] = await product.db.fetch(
        "select searchable::text as terms from person where searchable @@ $1::text::tsquery", f"'n:{mark}'"
    )
    assert len(rows) == len(PEOPLE)
    for row in rows:
        for value in ("2025550123", "@", "home.example", "jd", "jane.doe"):
            assert value not in row["terms"]


# The people file

OLD = "linkedinurl,full_name,title,company,company_domain,country,personal_emails,business_emails,phones"


async def test_files_with_and_without_the_new_columns_are_imported(
    product: Product, account: Account, tmp_path: Path
) -> None:
    mark = "f" + secrets.token_hex(4)
    line = (
        f"linkedin.com/in/{{}}-{mark},{{}} {mark},Chief Sales Officer,Filed {mark},filed.example,USA,,a@filed.example,"
    )
    old, new, moved = tmp_path / "old.csv", tmp_path / "new.csv", tmp_path / "moved.csv"
    old.write_text(f"{OLD}\n{line.format('old', 'Old')}\n")
    new.write_text(
        f"{OLD},city,industry,company_size,seniority\n{line.format('new', 'New')},Boston,Toys,51-200,Director\n"
    )
    moved.write_text(
        f"city,{OLD},seniority\nLima,{line.format('moved', 'Moved')},\nLima,{line.format('two', 'Two')},C-Level\n"
    )
    for path, count in ((old, 1), (new, 1), (moved, 2)):
        assert (await product.scripts.run_job("importpeople", {"file": str(path)})).imported == count
    found = await _search(account.owner, name=mark, order="full_name")
    names = ("full_name", "city", "industry", "company_size", "seniority", "function")
    assert [tuple(row[name].removesuffix(f" {mark}") for name in names) for row in found["resource"]] == [
        ("Moved", "Lima", "", "", "c_suite", "sales"),
        ("New", "Boston", "Toys", "51-200", "director", "sales"),
        ("Old", "", "", "", "c_suite", "sales"),
        ("Two", "Lima", "", "", "c_suite", "sales"),
    ]
    company = (await _search(account.owner, "searchcompanies", name=mark))["resource"]
    assert [(row["people"], row["industry"], row["functions"]) for row in company] == [(4, "Toys", {"sales": 4})]
    for header in (f"{OLD},fax", f"{OLD},city,city", OLD.replace(",phones", "")):
        old.write_text(header + "\n")
        with pytest.raises(Exception, match="first line"):
            await product.scripts.run_job("importpeople", {"file": str(old)})


async def test_people_stored_without_terms_are_indexed_by_the_job(product: Product, account: Account) -> None:
    mark = "j" + secrets.token_hex(4)
    await product.db.execute(
        "insert into person (profilekey, full_name, title, company) values ($1, $2, 'CFO', $3)",
        f"in/{mark}", f"Stored {mark}", f"Stored {mark}",
    )  # fmt: skip
    assert (await _search(account.owner, name=mark))["resource"] == []
    for rebuild in ({}, {"rebuild": "1"}):
        await product.scripts.run_job("indexpeople", rebuild)
        row = (await _search(account.owner, name=mark))["resource"][0]
        assert (row["seniority"], row["function"], row["has"]) == ("c_suite", "finance", [])


async def test_a_key_has_its_own_limit(product: Product, account: Account) -> None:
    caller = product.caller(key=await _key(account, "search"))
    responses: list[httpx2.Response] = [await caller.post(API + "searchpeople", json={"name": "x"}) for _ in range(61)]
    assert [response.status_code for response in responses].count(200) <= 60
    assert responses[-1].status_code == 429
    assert responses[0].headers["X-RateLimit-Limit"] == "60"


@pytest.mark.parametrize(
    "body",
    [
        {"field": "country"},
        {"field": "phones", "people": {}},
        {"field": "country", "people": {}, "companies": {}},
        {"field": "title", "companies": {}},
        {"field": "country", "people": {"phones": "1"}},
        {"people": {}},
    ],
)
async def test_a_facet_of_no_filter_is_rejected(account: Account, body: dict[str, Any]) -> None:
    assert (await account.owner.post("searchfacets", **body)).status_code == 422


async def test_facets_count_the_people_that_the_other_filters_match(
    product: Product, account: Account, mark: str
) -> None:
    assert (await product.caller().post(API + "searchfacets", json={"field": "city", "people": {}})).status_code == 401
    at = [f"Acme Freight {mark}", f"Cedar Health {mark}", f"Cedar Labs {mark}"]

    async def values(field: str, text: str = "", **people: Any) -> dict[str, int]:
        facet = await _search(account.owner, "searchfacets", field=field, text=text, people={"company": at} | people)
        assert facet["estimated"] is False
        return {each["value"]: each["count"] for each in facet["resource"]}

    assert await values("country") == {"DEU": 2, "FRA": 1, "USA": 1}
    assert await values("country", function="sales") == {"DEU": 1, "FRA": 1, "USA": 1}
    assert await values("country", country="FRA") == {"DEU": 2, "FRA": 1, "USA": 1}  # the filter itself is left out
    excluded: dict[str, Any] = {"not": {"country": "DEU", "city": "Lyon"}}
    assert await values("country", **excluded) == {"DEU": 2, "USA": 1}
    assert await values("city", "LYO") == {"Lyon": 1}
    assert await values("has", title="sales director") == {"businessemail": 1, "personalemail": 1}
    assert (await values("company", country="DEU", company=[])).items() >= {at[0]: 1, at[1]: 1}.items()
    # A name would tell about one person what only a page of people shows.
    assert await values("city", name=f"Ana {mark}") == await values("city")


async def test_facets_of_companies_count_companies(product: Product, account: Account, mark: str) -> None:
    await product.scripts.run_job("sumcompanies", {})
    companies = {"company": [f"Acme Freight {mark}", f"Cedar Health {mark}"]}
    facet = await _search(account.owner, "searchfacets", field="country", companies=companies)
    assert facet["resource"] == [{"value": "DEU", "count": 2}, {"value": "USA", "count": 1}]
    facet = await _search(account.owner, "searchfacets", field="city", companies=companies)
    assert facet["resource"] == [{"value": "Berlin", "count": 2}, {"value": "Austin", "count": 1}]


BOXES = {"personal": True, "business": True, "phone": True}


async def test_unauthenticated_and_invalid_requests_are_rejected(product: Product, account: Account) -> None:
    body = {"linkedinurl": "linkedin.com/in/x", **BOXES}
    assert (await product.caller(key="").post(API + "searchurl", json=body)).status_code == 401
    assert (await product.caller().post(API + "searchurl", json=body)).status_code == 401
    no_box = await account.owner.post("searchurl", linkedinurl="linkedin.com/in/x")
    assert (no_box.status_code, no_box.json()["error"]["message"]) == (422, "Please choose options")
    wrong = await account.owner.post("searchurl", linkedinurl="https://example.com/in/x", phone=True)
    assert wrong.json()["error"]["context"]["fields"] == {"linkedinurl": "Please input correct url"}
    assert (await account.owner.http.get(API + "searchurl")).status_code == 405


async def test_every_spelling_of_a_url_finds_one_person_and_others_are_rejected(
    product: Product, account: Account
) -> None:
    await product.person("jane-doe")
    for spellings, right in ((SPELLINGS, 200), (REJECTED, 422)):
        seat = await account.user()  # the limit is 60 a minute for one session
        for text in spellings:
            response = await seat.http.post(API + "searchurl", json={"linkedinurl": text, **BOXES})
            outcome = (response.status_code, text, response.text)
            if "\x00" in text:
                assert response.status_code == 400, outcome
            elif right == 422:
                assert response.status_code == 422, outcome
                assert response.json()["error"]["context"]["fields"] == {"linkedinurl": "Please input correct url"}, (
                    outcome
                )
            else:
                assert [person["linkedinurl"] for person in response.json()["data"]] == [
                    "https://www.linkedin.com/in/jane-doe"
                ], outcome


async def test_an_unknown_person_returns_an_empty_list(account: Account) -> None:
    response = await account.owner.post("searchurl", linkedinurl="linkedin.com/in/nobody-here", **BOXES)
    assert response.json() == {"data": []}


async def test_unpaid_values_are_never_returned(product: Product, account: Account) -> None:
    person = await product.person()
    response = await account.owner.post("searchurl", linkedinurl=f"linkedin.com/{person.key}", **BOXES)
    body = response.json()["data"][0]
    assert "example" not in response.text
    assert "5550123" not in response.text
    assert body["full_name"] == "Jane Doe"
    assert {email["address"] for email in body["emails"]} == {"*****@****.***"}
    assert body["phone_numbers"] == ["+**********"]
    assert (body["phone_encrypted"], body["business_email_encrypted"], body["personal_email_encrypted"]) == (
        True,
        True,
        True,
    )
    assert body["bus_email_validation"] == "valid"


async def test_identity_is_free_and_contact_data_is_not(product: Product, account: Account) -> None:
    person = await product.person(title="Head of Sales", company="Acme", country="USA")
    response = await account.owner.post("searchurl", linkedinurl=f"linkedin.com/{person.key}", phone=True)
    body = response.json()["data"][0]
    assert (body["title"], body["company"], body["country"]) == ("Head of Sales", "Acme", "USA")
    assert "5550123" not in response.text


async def test_unticked_kinds_are_not_returned(product: Product, account: Account) -> None:
    person = await product.person()
    body = (await account.owner.post("searchurl", linkedinurl=f"linkedin.com/{person.key}", phone=True)).json()
    assert body["data"][0]["emails"] == []
    assert body["data"][0]["business_email_encrypted"] is False


async def test_values_paid_by_a_colleague_are_plain_and_the_rest_masked(product: Product, account: Account) -> None:
    person, member = await product.person(), await account.user()
    url = f"linkedin.com/{person.key}"
    await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    body = (await member.post("searchurl", linkedinurl=url, **BOXES)).json()["data"][0]
    assert (body["phone_numbers"], body["phone_encrypted"]) == (["+12025550123"], False)
    assert body["business_email_encrypted"] is True


@pytest.mark.parametrize("header", ["session-v1"])
async def test_paid_values_are_encrypted_for_the_wire(product: Product, account: Account, header: str) -> None:
    person = await product.person()
    url = f"linkedin.com/{person.key}"
    await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    response = await account.owner.http.post(
        API + "searchurl", json={"linkedinurl": url, **BOXES}, headers={"X-Field-Encryption": header}
    )
    assert response.json()["data"][0]["phone_numbers"][0].startswith("v1.")
    assert "5550123" not in response.text


async def _unlock(product: Product, account: Account, name: str) -> None:
    person = await product.person(full_name=name)
    url = f"linkedin.com/{person.key}"
    response = await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    assert response.status_code == 200


async def test_a_search_by_name_needs_a_session_and_valid_options(product: Product, account: Account) -> None:
    assert (await product.caller().post(API + "searchname", json={})).status_code == 401
    for body in ({"limit": 0}, {"limit": "x"}, {"offset": -1}, {"searchtext": "x" * 101}):
        assert (await account.owner.post("searchname", **body)).status_code == 422


async def test_part_of_the_name_matches_and_wildcards_are_literal(product: Product, account: Account) -> None:
    for name in ("Anna Percent%", "Bob Under_score", "Carl Back\\slash", "Anna Other"):
        await _unlock(product, account, name)

    async def names(text: str) -> list[str]:
        body = (await account.owner.post("searchname", searchtext=text, limit=25, offset=0)).json()
        assert body["meta"]["count"] == len(body["resource"])
        return sorted(row["name"] for row in body["resource"])

    assert await names("anna") == ["Anna Other", "Anna Percent%"]
    assert await names("%") == ["Anna Percent%"]
    assert await names("_") == ["Bob Under_score"]
    assert await names("\\") == ["Carl Back\\slash"]
    assert len(await names("")) == 4


async def test_pages_have_counts(product: Product, account: Account) -> None:
    for number in range(3):
        await _unlock(product, account, f"Page {number}")
    body = (await account.owner.post("searchname", limit=2, offset=2, searchtext="Page")).json()
    assert (len(body["resource"]), body["meta"]["count"]) == (1, 3)
    assert body["resource"][0]["phone_numbers"] == "+12025550123"


async def test_contacts_of_colleagues_and_other_accounts_are_not_found(
    product: Product, account: Account, other: Account
) -> None:
    await _unlock(product, account, "Hidden One")
    member = await account.user()
    for caller in (member, other.owner):
        assert (await caller.post("searchname", searchtext="Hidden")).json()["meta"]["count"] == 0
