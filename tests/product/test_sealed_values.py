"""Two directories that differ only in sealed values give the same responses and execute the same statements.

One directory has the values under search, the other one has different values instead. If a response, a header,
a count, an order or the work of a request told them apart, a caller could search for a value.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from asyncpg import Record

from product.context import Context
from product.people import directory, search, search_terms
from product.people.search import CompanySearch, PeopleSearch
from product.people.search_pages import COMPANY_ORDERS, PEOPLE_ORDERS
from tableapi.changes import hub
from tableapi.ratelimit import counter
from tests.helpers.fixtures import open_product
from tests.helpers.product import API, TABLE, Account, Product, User
from tests.helpers.support import NewDatabase
from tests.system.statements.proxy import StatementProxy

PHONE, HOME, WORK = "+12025550111", "aaron.zed@home.example", "azed@wonder.example"
VALUES = (
    {"phones": [PHONE], "personal_emails": [HOME], "business_emails": [f"{WORK}:valid"]},
    {"phones": ["+4930901820"], "personal_emails": ["q@post.example"], "business_emails": ["x7@thing.example:valid"]},
)
PLACES = (("Acme Freight", "acme.example", "USA", "Austin"), ("Cedar Health", "cedar.example", "DEU", "Berlin"))
TITLES = ("Head of Sales", "VP Engineering", "Buyer")
KINDS = ["directdial", "businessemail", "personalemail"]
ODD: tuple[Any, ...] = (
    # The values and their parts, as typed and as stored.
    PHONE, PHONE[1:], PHONE[2:], PHONE[-7:], PHONE[-4:], "+1 202-555-0111", "(202) 555-0111", "tel:" + PHONE, "2025*",
    HOME, HOME.upper(), "aaron.zed", "aaron", "zed@", "home.example", "@home.example", WORK, f"{WORK}:valid", "azed",
    "wonder.example", "wonder", "m:", "m:*", "'m:'", "x' | 'm:a'", "phonecipher", "personalcipher is not null",
    # Values without a meaning in any filter.
    "", " ", "%", "_", "*", "\\", "'", '"', "\x00", "\u202e", "😀", "a" * 200, "a" * 201, "a b c d e f g h i j k l m n",
    None, True, 0, -1, 2025550111, 1.5, [], {}, [[]], [None], [PHONE, HOME, WORK], ["a"] * 51, {"like": PHONE},
)  # fmt: skip
# Statements of the pool and of sessions, which run at other times: a session is looked up again after half a minute.
ASIDE = re.compile(
    r"\bpg_(?:type|catalog|proc)\b|tableapi_|pgqueuer|set lastused|^(?:listen|unlisten|close all)\b"
    r"|from usersession s join appuser u",
    re.IGNORECASE,
)
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:[\d.]+(?:Z|\+00(?::00)?)")
HEADERS = {"x-request-id", "x-ratelimit-reset", "retry-after"} | {
    "content-length",
    "etag",
}  # times in headers and bodies


@dataclass
class Side:
    """One of the two directories: its account, and the statements that the last request executed."""

    product: Product
    account: Account
    user: User
    proxy: StatementProxy
    statements: list[str] = field(default_factory=list)
    key: str = ""

    async def ask(self, method: str, path: str, apikey: bool = False, **more: Any) -> tuple[int, dict[str, str], Any]:
        """Return the status, headers and body of a response, without values that are new in each request."""
        self.statements.clear()
        counter.use(counter.LocalCounter())  # limits do not matter here, and both directories share a process
        http = self.product.caller(key=self.key, ip="10.1.1.1") if apikey else self.user.http
        response = await http.request(method, path, **more)
        headers = {name: text for name, text in response.headers.items() if name not in HEADERS}
        return response.status_code, headers, _settled(response)


def _settled(response: httpx2.Response) -> Any:
    """Return a body without request ids and times, and with the length of a cursor instead of the cursor."""
    if "json" not in response.headers.get("content-type", ""):
        return response.content
    body = re.sub(r'"request_id":"[^"]+"', '"request_id":""', TIME.sub("", response.text))
    return re.sub(r'"(next|cursor)":"([^"]+)"', lambda found: f'"{found[1]}":{len(found[2])}', body)


class Two:
    """Both directories."""

    def __init__(self, one: Side, two: Side) -> None:
        self.one, self.two = one, two
        self.asked = 0

    async def alike(self, path: str, body: Any = None, method: str = "POST", **more: Any) -> Any:
        """Query both, check that they cannot be distinguished, and return the status and body."""
        if body is not None:
            more["json"] = body
        one = await self.one.ask(method, path, **more)
        two = await self.two.ask(method, path, **more)
        assert one == two, (path, body)
        assert self.one.statements == self.two.statements, (path, body)
        assert one[0] < 500, (path, body, one)
        sent = str(more)
        assert not any(value in str(one[2]) and value not in sent for value in (PHONE[1:], HOME, WORK)), body
        self.asked += 1
        return one[0], one[2]


async def _open(stack: AsyncExitStack, url: str, folder: Any, values: dict[str, list[str]]) -> Side:
    """Fill a database: nine people without particular values, and three with the values under search."""
    proxy = StatementProxy(urlsplit(url).port or 5432)
    await proxy.start()
    stack.push_async_callback(proxy.stop)
    product = await stack.enter_async_context(open_product(proxy.url(url), folder))
    for number in range(12):
        company, domain, country, city = PLACES[number % 2]
        own = values if number >= 9 else {}
        await product.person(
            f"p{number:02}", full_name=f"Person {'ABCDEFGHIJKL'[number]} Twin", title=TITLES[number % 3],
            company=company, company_domain=domain, country=country, city=city, industry="Freight",
            company_size="51-200", **own,
        )  # fmt: skip
    await product.db.execute("update person set firstseen = '2026-01-01', updatedon = '2026-02-01'")
    await product.db.execute("update subscriptionplan set searchpages = 1000000, searchpeople = 1000000")
    await product.scripts.run_job("sumcompanies", {})
    account = await product.account(email="owner@twins.example")
    made = await account.owner.table("POST", "apikeys", {"purpose": "x", "scopes": ["enrich", "search", "contacts"]})
    side = Side(product, account, account.owner, proxy, key=made.json()["resource"][0]["apikey"])
    proxy.ran = lambda text: None if ASIDE.search(text) else side.statements.append(text)
    return side


@pytest.fixture(scope="module")
def urls(module_database: NewDatabase) -> list[str]:
    return [module_database() for _ in VALUES]


@pytest.fixture(scope="module")
async def two(urls: list[str], tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Two]:
    async with AsyncExitStack() as stack:
        # The removal of old changes runs once a minute, in the middle of some request on a busy machine.
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(hub, "CLEAN_SECONDS", 86_400)
        sides = [
            await _open(stack, url, tmp_path_factory.mktemp("side"), values)
            for url, values in zip(urls, VALUES, strict=True)
        ]
        yield Two(*sides)


def _filters(model: type[PeopleSearch] | type[CompanySearch]) -> list[str]:
    return sorted(name for name in model.model_fields if name not in ("not_", "order"))


def _bodies(model: type[PeopleSearch] | type[CompanySearch]) -> Iterator[dict[str, Any]]:
    """Yield each filter with each unusual value, included and excluded, in each order."""
    orders = [f"{name} {way}".strip() for name in (PEOPLE_ORDERS if model is PeopleSearch else COMPANY_ORDERS)
              for way in ("", "DESC") if name or not way]  # fmt: skip
    number = 0
    for name in _filters(model):
        for value in ODD:
            for body in ({name: value}, {"not": {name: value}}):
                yield body | {"order": orders[number % len(orders)]}
                number += 1


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
async def test_no_filter_of_a_search_depends_on_a_value(two: Two, large: bool) -> None:
    """This includes a large directory, which has bitmaps."""
    if large:
        for side in (two.one, two.two):
            await side.product.scripts.run_job("indexpeople", {"least": "0"})
            assert await side.product.db.fetchval("select ready from personindex")
    found = 0
    for body in itertools.islice(_bodies(PeopleSearch), 0, None, 3 if large else 1):
        status, _ = await two.alike(f"{API}searchpeople", body)
        found += status == 200
    assert found > (150 if large else 500)


async def test_no_filter_of_companies_and_suggestions_depends_on_a_value(two: Two) -> None:
    for body in itertools.islice(_bodies(CompanySearch), 0, None, 3):
        await two.alike(f"{API}searchcompanies", body)
    for text in (PHONE, HOME, WORK):
        for length in range(1, len(text)):  # as typed
            await two.alike(f"{API}searchcompanies", {"name": text[:length], "limit": 10})


async def test_every_value_of_a_filter_finds_the_same(two: Two) -> None:
    """Kinds, verifications and all pairs of them, included and excluded: counts, pages and orders."""
    words = [{"has": [kind]} for kind in KINDS] + [{"verification": [word]} for word in search_terms.VERIFICATIONS]
    counts, orders = set(), itertools.cycle(("", "full_name DESC", "lastchecked"))
    for one in words:
        for other in [{}, *words]:
            for body in (one | other, one | {"not": other}):
                _, text = await two.alike(f"{API}searchpeople", body | {"order": next(orders), "limit": 3})
                counts.add(text.partition('"count":')[2].partition(",")[0])
    assert {"0", "12"} <= counts


async def test_no_column_of_the_directory_is_a_filter_or_an_order(two: Two) -> None:
    rows = await two.one.product.db.fetch(
        "select attname from pg_attribute where attrelid in ('person'::regclass, 'company'::regclass) and attnum > 0"
    )
    known = {*_filters(PeopleSearch), *_filters(CompanySearch), *PEOPLE_ORDERS, *COMPANY_ORDERS}
    names = {row["attname"] for row in rows} | {"phone", "phones", "email", "emails", "personal_emails", "m", "'m:a'"}
    for name in sorted(names - known):
        for call in ("searchpeople", "searchcompanies"):
            for body in ({name: PHONE}, {"not": {name: PHONE}}, {"order": name}, {"order": f"{name} DESC"}):
                assert (await two.alike(API + call, body))[0] == 422, body


async def test_pages_do_not_depend_on_a_value(two: Two) -> None:
    for order in PEOPLE_ORDERS:
        for side_by_side in ("", " DESC"):
            cursors = ["", ""]
            body = {"name": "twin", "order": (order + side_by_side).strip() if order else "", "limit": 5}
            for _ in range(3):
                pages = []
                for side, cursor in zip((two.one, two.two), cursors, strict=True):
                    response = await side.user.post("searchpeople", **body, cursor=cursor)
                    assert response.status_code == 200, response.text
                    pages.append(response)
                assert _settled(pages[0]) == _settled(pages[1])
                cursors = [page.json()["meta"]["next"] or "" for page in pages]


def _lookups() -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield calls, bodies and whether a key is used: everything that returns data on people not paid for."""
    urls = [f"linkedin.com/in/p{number:02}" for number in range(12)]
    twin, acme = urls[9], {"name": "Person J Twin", "company": "Cedar Health"}
    for options in (
        {"personal": True},
        {"business": True},
        {"phone": True},
        dict.fromkeys(("personal", "phone"), True),
    ):
        yield "searchurl", {"linkedinurl": twin} | options, False
    for text in (PHONE, HOME, WORK):
        for path in (f"linkedin.com/in/{text}", text, f"https://{text}", f"mailto:{text}"):
            yield "searchurl", {"linkedinurl": path, "phone": True}, False
        yield "searchname", {"searchtext": text}, False
        yield "verifyemail", {"email": text}, True
        yield "findemail", {"name": text, "domain": "wonder.example", "max_credits": 0}, True
        yield "findemail", {"name": "Person J Twin", "domain": text, "max_credits": 0}, True
        yield "findemail", {"name": "Person J Twin", "domain": text.partition("@")[2] or text, "max_credits": 0}, True
        yield "removalrequest", {"email": text}, False
        yield "enrich", {"people": [{"name": text, "company": text}], "kinds": KINDS, "dry_run": True}, True
        yield "enrich", {"people": [{"linkedinurl": text}], "kinds": KINDS, "dry_run": True}, True
        yield "enrich", {"people": [{"phone": text}], "kinds": KINDS, "dry_run": True}, True
    for kinds in (["directdial"], ["businessemail"], ["personalemail"], KINDS):
        yield "revealmany", {"linkedinurls": urls, "kinds": kinds, "dry_run": True}, False
        yield "revealmany", {"search": {"has": kinds}, "kinds": kinds, "max_credits": 0}, False
        yield "agent/price", {"linkedinurls": urls, "kinds": kinds}, False
        yield "agent/reveal", {"linkedinurls": urls, "kinds": kinds}, False
        yield "enrich", {"people": [{"linkedinurl": url} for url in urls], "kinds": kinds, "dry_run": True}, True
        yield "enrich", {"people": [acme], "kinds": kinds, "max_credits": 0}, True
        yield "enrich", {"people": [acme], "kinds": kinds, "dry_run": True}, True


async def test_no_lookup_depends_on_a_value(two: Two) -> None:
    for call, body, by_key in _lookups():
        await two.alike(API + call, body, apikey=by_key)


async def test_no_table_and_no_vote_depends_on_a_value(two: Two) -> None:
    """The values are also sealed in contacts, and a vote needs a value that was paid for."""
    for type_, value in (("phone", PHONE), ("personalemail", HOME), ("businessemail", WORK)):
        vote = {
            "linkedin_url": "linkedin.com/in/p09", "info": value, "action": "downvote", "type": type_,
            "downvotereason": "others", "reasonnote": "x",
        }  # fmt: skip
        assert (await two.alike(f"{TABLE}contactfeedback", {"resource": [vote]}))[0] == 404
    made = await two.alike(f"{TABLE}contactlist", {"resource": [{"name": "Twins"}]})
    assert made[0] == 200
    text = "\n".join(f"linkedin.com/in/p{number:02}" for number in range(12))
    await two.alike(f"{API}listimport", {"listid": 1, "text": text})
    for table, names in {
        "usercontact": ("emails", "business_emails", "phone_numbers", "emailhashes", "name"),
        "contactlistitem": ("full_name", "note", "tags", "personid", "phonecipher"),
        "creditback": ("personid", "kind"),
        "person": ("phonecipher", "searchable"),
    }.items():
        for name in names:
            for term in (
                f"{name} = '{PHONE}'",
                f"{name} like '%{PHONE[2:]}%'",
                f"{name} is not null",
                f"{name} > '{HOME}'",
            ):
                params = {"filter": term, "include_count": "true"}
                await two.alike(f"{TABLE}{table}", method="GET", params=params)
            await two.alike(f"{TABLE}{table}", method="GET", params={"order": name})
            await two.alike(f"{TABLE}{table}", method="GET", params={"group": name, "fields": f"count(*),{name}"})


async def test_new_matches_of_a_saved_search_do_not_depend_on_a_value(two: Two) -> None:
    for number, filters in enumerate(({"has": KINDS}, {"name": PHONE}, {"not": {"company": [WORK]}})):
        record = {"name": f"s{number}", "kind": "people", "filters": filters}
        await two.alike(f"{TABLE}savedsearch", {"resource": [record]})
    await two.alike(
        f"{TABLE}savedsearch", method="GET", params={"fields": "savedsearchid,kind", "order": "savedsearchid"}
    )
    await two.alike(f"{API}searchnews", method="GET")


# Permitted queries, and their limits


async def test_an_address_known_to_the_caller_finds_nobody_without_a_payment(two: Two) -> None:
    body = {"people": [{"email": HOME}], "kinds": ["directdial"], "dry_run": True}
    await two.alike(f"{API}enrich", body, apikey=True)


async def test_an_additional_statement_is_detected(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test detects a search that reads a value, even if its response does not show it."""
    kept = search.without_suppressed

    async def peek(ctx: Context, rows: Sequence[Record]) -> list[Record]:
        people = await directory.find_many(ctx, ["in/p09"])
        if people["in/p09"].phones == (PHONE,):
            await ctx.db.fetchval("select 1")
        return await kept(ctx, rows)

    body = {"name": "twin"}
    await two.alike(f"{API}searchpeople", body)
    monkeypatch.setattr(search, "without_suppressed", peek)
    with pytest.raises(AssertionError, match="searchpeople"):
        await two.alike(f"{API}searchpeople", body)
