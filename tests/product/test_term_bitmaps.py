"""Searches of a large directory: its bitmaps find, count and order the same people as its rows."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import AsyncIterator
from typing import Any

import pytest

from product.people import facets, job_titles, search_terms
from tests.helpers.product import Account, Product
from tests.helpers.support import ok

PEOPLE = 7_000  # more than are sorted, so that pages are read in the index of an order, too
TITLES = (
    "Head of Sales",
    "VP Engineering",
    "VP Sales",
    "VP Data",
    "Sales Director",
    "Junior Data Analyst",
    "CFO",
    "Buyer",
)
PLACES = (("DEU", "Berlin"), ("DEU", "Munich"), ("USA", "Austin"), ("FRA", "Lyon"))
INDUSTRIES = ("Logistics", "Health Care", "Energy")
SIZES = ("1-10", "51-200")
ORDERS = ("", "full_name", "full_name DESC", "title", "title DESC", "company", "lastchecked", "lastchecked DESC")
_FILL = """
    insert into person (profilekey, full_name, title, company, company_domain, country, city, industry, company_size,
                        seniority, jobfunction, verification, phonecipher, businesscipher, searchable, updatedon)
    select $1 || row_number() over (), a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], nullif(a[11], ''),
           case when a[12] = '1' then 'x'::bytea end, case when a[11] <> '' then 'x'::bytea end, a[13]::tsvector,
           '2026-01-01'::timestamptz + a[14]::integer * interval '1 minute'
    from (select array(select jsonb_array_elements_text(line)) as a from jsonb_array_elements($2::text::jsonb) line) x
"""


def _line(draw: random.Random, mark: str) -> list[str]:
    name, title = f"{draw.choice('ABCDEFG')}na {draw.randrange(900)} {mark}", draw.choice(TITLES)
    number = draw.randrange(40)
    company, domain = f"Firm{number} {mark}", f"firm{number}.example"
    (country, city), industry, size = draw.choice(PLACES), draw.choice(INDUSTRIES), draw.choice(SIZES)
    seniority, function = job_titles.derived(title)
    terms = " ".join((
        search_terms.of_name(name), search_terms.of_job(title, seniority, function),
        search_terms.of_company(company, domain, industry, size), search_terms.of_place(country, city),
    ))  # fmt: skip
    verification = draw.choice(("", "valid", "risky"))
    return [name, title, company, domain, country, city, industry, size, seniority, function, verification,
            draw.choice("01"), terms, str(draw.randrange(100_000))]  # fmt: skip


def _question(draw: random.Random, mark: str) -> dict[str, Any]:
    values: dict[str, Any] = {
        "title": draw.choice(("sal", "head of", "director", "data")),
        "seniority": [draw.choice(("head", "vp", "intern"))],
        "function": ["sales"],
        "company": draw.choice(([f"firm7 {mark}"], ["firm8.example", f"Firm9 {mark}"])),
        "company_size": ["51-200"],
        "industry": draw.sample(INDUSTRIES, 2),
        "country": ["Germany", "USA"],
        "city": ["berlin"],
        "has": draw.choice((["directdial"], ["directdial", "businessemail"])),
        "verification": draw.choice((["valid"], ["valid", "risky"])),
    }
    chosen = {name: values[name] for name in draw.sample(sorted(values), draw.randrange(3))}
    excluded = {name: values[name] for name in draw.sample(sorted(values), draw.choice((0, 0, 1)))}
    return {"name": mark} | chosen | {"not": excluded, "order": draw.choice(ORDERS), "limit": draw.choice((7, 100))}


@pytest.fixture
async def mark(product: Product, unlimited: Product) -> AsyncIterator[str]:
    """Fill the directory with people that have a word in common."""
    mark, draw = "b" + secrets.token_hex(4), random.Random(5)
    lines = [_line(draw, mark) for _ in range(PEOPLE)]
    await product.db.execute(_FILL, f"in/{mark}-", json.dumps(lines))
    yield mark
    for table in ("personindex", "personterm", "personchange"):
        await product.db.execute(f"delete from {table}")
    await product.db.execute("delete from person where profilekey like $1", f"in/{mark}-%")


async def _asked(account: Account, question: dict[str, Any], pages: int = 3) -> list[Any]:
    """Return the counts and people of some pages."""
    told: list[Any] = []
    cursor = ""
    for number in range(pages):
        if number % 20 == 0:
            caller = await account.user()  # the limit per minute applies to each user
            await account.product.db.execute("delete from searchuse")  # daily limits
        response = await caller.post("searchpeople", **question, cursor=cursor)
        page = ok(response)
        told.append(
            (page["meta"]["count"], page["meta"]["estimated"], [row["linkedinurl"] for row in page["resource"]])
        )
        if not (cursor := page["meta"]["next"]):
            break
    return told


async def _index(product: Product) -> None:
    await product.scripts.run_job("indexpeople", {"least": "0"})
    assert await product.db.fetchval("select ready from personindex")


async def test_pages_and_counts_match_the_rows(product: Product, account: Account, mark: str) -> None:
    draw = random.Random(7)
    questions = [_question(draw, mark) for _ in range(60)]
    expected = [await _asked(account, question) for question in questions]
    assert sum(pages[0][0] > 0 for pages in expected) > 30
    assert any(pages[0][0] > 2_000 for pages in expected)
    await _index(product)
    for question, pages in zip(questions, expected, strict=True):
        assert await _asked(account, question) == pages, question


async def test_every_page_of_a_long_list_follows_the_one_before(product: Product, account: Account, mark: str) -> None:
    await _index(product)
    vps = await _asked(account, {"name": mark, "seniority": ["VP"], "order": "title DESC", "limit": 100}, pages=100)
    rows = await product.db.fetch(
        "select profilekey from person where profilekey like $1 and seniority = 'vp'"
        ' order by lower(title) collate "C" desc, personid desc',
        f"in/{mark}-%",
    )
    found = [url.partition("linkedin.com/")[2] for _, _, urls in vps for url in urls]
    assert len(found) > 2_000
    assert found == [row["profilekey"] for row in rows]
    for order, column in (("title", 'lower(title) collate "C"'), ("lastchecked DESC", "updatedon"), ("", "personid")):
        pages = await _asked(account, {"name": mark, "order": order, "limit": 100}, pages=100)
        way = "" if order == "title" else "desc"
        rows = await product.db.fetch(
            f"select profilekey from person where profilekey like $1 order by {column} {way}, personid {way}",
            f"in/{mark}-%",
        )
        found = [url.partition("linkedin.com/")[2] for _, _, urls in pages for url in urls]
        assert found == [row["profilekey"] for row in rows]


async def test_new_matches_of_a_saved_search_are_counted(product: Product, account: Account, mark: str) -> None:
    member = await account.user()
    record = {"name": "Sales", "filters": {"name": mark, "title": "sales"}}
    saved = (await member.table("POST", "savedsearch", record)).json()["resource"][0]["savedsearchid"]
    ids = [row["personid"] for row in await product.db.fetch(
        "select personid from person where profilekey like $1 and title ~ 'Sales' order by personid", f"in/{mark}-%"
    )]  # fmt: skip
    await _index(product)
    for seen in (0, ids[0] - 1, ids[0], ids[1000], ids[-1] - 1, ids[-1], ids[-1] + 10**6):
        await product.db.execute("update savedsearch set seenupto = $2 where savedsearchid = $1", saved, seen)
        news = (await member.post("searchnews")).json()["resource"]
        assert [each["new"] for each in news] == [sum(ident > seen for ident in ids)]


async def test_changed_people_are_left_out_until_the_index_job_runs(
    product: Product, account: Account, mark: str
) -> None:
    await _index(product)
    everyone = {"name": mark, "order": "", "limit": 100}
    [(count, _, urls), *_] = await _asked(account, everyone)
    newest = [url.partition("linkedin.com/")[2] for url in urls]
    await product.db.execute("delete from person where profilekey = $1", newest[0])
    await product.db.execute("update person set searchable = '' where profilekey = any($1)", newest[1:60])
    await product.person(f"new-{mark}", full_name=f"New {mark}", title="Chief Astronaut", company="Orbit")
    [(_, _, urls), *_] = await _asked(account, everyone)
    left = [url.partition("linkedin.com/")[2] for url in urls]
    assert left[:40] == newest[60:]
    assert len(left) == 100
    assert (await _asked(account, {"name": mark, "title": "astronaut"}))[0][0] == 0
    await product.scripts.run_job("indexpeople", {})
    assert (await _asked(account, {"name": mark, "title": "astronaut"}))[0][0] == 1
    assert (await _asked(account, everyone))[0][0] == count - 59
    await product.db.execute("delete from person where profilekey = $1", f"in/new-{mark}")


async def test_a_small_directory_gets_no_bitmaps(product: Product, mark: str) -> None:
    assert await product.db.fetchval("select count(*) from personchange") > 0
    await product.scripts.run_job("indexpeople", {})
    assert await product.db.fetchval("select count(*) from personindex") == 0
    assert await product.db.fetchval("select count(*) from personchange") == 0


async def test_facets_count_in_bitmaps_and_scale_a_sample(
    product: Product, account: Account, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def counts() -> tuple[bool, dict[str, int]]:
        body = {"field": "country", "people": {"company": [f"firm{number} {mark}" for number in range(40)]}}
        facet = (await account.owner.post("searchfacets", **body)).json()
        return facet["estimated"], {each["value"]: each["count"] for each in facet["resource"]}

    rows = await product.db.fetch(
        "select country, count(*) as people from person where company like $1 group by country", f"%{mark}"
    )
    exact = {row["country"]: row["people"] for row in rows}
    await _index(product)
    assert await counts() == (False, exact)
    monkeypatch.setattr(facets, "SAMPLE", 2_000)
    estimated, found = await counts()
    assert estimated
    assert found.keys() == exact.keys()
    assert all(abs(found[name] - exact[name]) < PEOPLE / 5 for name in exact)
