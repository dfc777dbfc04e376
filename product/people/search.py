"""Search people and companies of the directory, page by page. Results never depend on contact values.

Counting and paging have two strategies. Up to `EXACT` matches are collected from the index of terms, counted and
sorted. With more matches, the rows of a page are close together in the index of the order, which is read from where the
previous page ended; the count is then the planner's estimate.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

import orjson
from asyncpg import Record
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from product.callers import Caller
from product.context import Context
from product.people import directory, profile_url, search_terms, search_use
from product.people.search_terms import KINDS
from tableapi import BadRequest, Internal, Invalid

EXACT = 10_000
MAX_LIMIT = 100
MAX_VALUES = 50  # per filter
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Texts = Annotated[list[Text], BeforeValidator(_listed), Field(max_length=MAX_VALUES)]
Kind = Literal["directdial", "businessemail", "personalemail"]
Verification = Literal["valid", "accept_all", "risky", "unknown", "invalid"]


class CompanyFilters(BaseModel):
    """Filters for companies. A list matches any of its values."""

    model_config = ConfigDict(extra="forbid")

    company: Texts = []
    company_size: Texts = []
    industry: Texts = []
    country: Texts = []
    city: Texts = []


class PeopleFilters(CompanyFilters):
    """Filters for people.

    Words in `name` and `title` match prefixes; `has` requires every kind it lists.
    """

    name: Text = ""
    title: Text = ""
    seniority: Texts = []
    function: Texts = []
    has: Annotated[list[Kind], BeforeValidator(_listed), Field(max_length=3)] = []
    verification: Annotated[list[Verification], BeforeValidator(_listed), Field(max_length=5)] = []


class Excluded(PeopleFilters):
    """The same filters, for matches to exclude. `name` and `title` may be lists."""

    name: Texts = []  # type: ignore[assignment]
    title: Texts = []  # type: ignore[assignment]


class Page(BaseModel):
    """The part of a search that selects the page."""

    order: str = Field(default="", max_length=60)
    limit: int = Field(default=25, ge=1, le=MAX_LIMIT)
    cursor: str = Field(default="", max_length=4000)


class PeopleSearch(PeopleFilters):
    """A search for people, without its page."""

    not_: Excluded = Field(default_factory=Excluded, alias="not")
    order: str = Field(default="", max_length=60)

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class CompanySearch(CompanyFilters):
    """A search for companies, without its page. Words in `name` match prefixes of the company's words."""

    name: Text = ""
    not_: CompanyFilters = Field(default_factory=CompanyFilters, alias="not")
    order: str = Field(default="", max_length=60)

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Meta(BaseModel):
    """The number of matches, `estimated` above 10,000.

    `next` is the cursor of the next page, null at the end.
    """

    count: int
    estimated: bool
    next: str | None = None


class Owner(BaseModel):
    """The user of the account that revealed a kind, and when. `name` is null for an API key."""

    kind: str
    name: str | None
    on: datetime


class Match(BaseModel):
    """A person in search results, without any contact value."""

    linkedinurl: str
    full_name: str
    title: str
    company: str
    company_domain: str
    country: str
    city: str
    industry: str
    company_size: str
    seniority: str
    function: str
    has: list[str]
    verification: str | None
    owned: list[str]
    owned_by: list[Owner]
    firstseen: datetime
    lastchecked: datetime


class CompanyMatch(BaseModel):
    """A company in search results. `functions`: the number of people by function."""

    company: str
    company_domain: str
    people: int
    countries: list[str]
    industry: str
    company_size: str
    functions: dict[str, int]


@dataclass(frozen=True, slots=True)
class Order:
    """One order: an indexed expression, its type, and whether it descends by default."""

    sql: str
    cast: str = "text"
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """The terms of a search as a tsquery, and a constant SQL condition for the kinds that exist."""

    terms: str
    sql: str = ""


# Kinds that most people have and words that most addresses contain would make long lists in the index.
_HAS = {
    "directdial": "phonecipher is not null",
    "businessemail": "businesscipher is not null",
    "personalemail": "personalcipher is not null",
}
_VERIFIED = {word: f"verification = '{word}'" for word in search_terms.VERIFICATIONS}
_NAME = {"full_name": "full_name", "name": "full_name"}
PEOPLE_ORDERS = {
    "": Order("personid", "bigint", True),
    "full_name": Order('lower(full_name) collate "C"'),
    "title": Order('lower(title) collate "C"'),
    "company": Order('lower(company) collate "C"'),
    "lastchecked": Order("updatedon", "timestamptz", True),
}
COMPANY_ORDERS = {"": Order("people", "integer", True), "company": Order("companykey"),
                  "people": Order("people", "integer", True)}  # fmt: skip
_OWNED = """
    select r.personid, r.kind, r.createdon, u.name from reveal r left join appuser u using (appuserid)
    where r.clientid = $1 and r.personid = any($2)
"""
_UNUSED = " and $3::text is null and $4::bigint is null"  # gives a first page the same parameters
# The right plan depends on the terms, so generic plans are disabled.
_PLAN = "select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '64MB', true)"
_PLAN_BY_INDEX = _PLAN + ", set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)"


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a search: the table, its key, its columns and its orders."""

    table: str
    key: str
    columns: str
    exists: str
    orders: dict[str, Order]


PEOPLE = Target(
    "person", "personid",
    "personid, profilekey, full_name, title, company, company_domain, country, city, industry, company_size, seniority,"
    " jobfunction, verification, firstseen, updatedon, phonecipher is not null as directdial,"
    " businesscipher is not null as businessemail, personalcipher is not null as personalemail",
    "full_name <> ''", PEOPLE_ORDERS,
)  # fmt: skip
COMPANIES = Target(
    "company", "companyid",
    "companyid, companykey, company, company_domain, people, countries, industry, company_size, functions",
    "people > 0", COMPANY_ORDERS,
)  # fmt: skip


@dataclass(slots=True)
class Cursor:
    """The start of a page: after a row of an order. The count is that of the first page."""

    digest: str
    count: int
    estimated: bool
    value: object = None
    ident: int | None = None

    def sealed(self, ctx: Context) -> str:
        fields = [self.digest, self.count, self.estimated, self.value, self.ident]
        return ctx.vault.seal(orjson.dumps(fields).decode())


def _cursor(ctx: Context, text: str, digest: str) -> Cursor:
    """Parse a cursor. Raises BadRequest (400) if it is invalid or belongs to another search."""
    try:
        cursor = Cursor(*orjson.loads(ctx.vault.open(text)))
    except (Internal, ValueError, TypeError, IndexError):
        raise BadRequest("The cursor is not one of this call.", reason="bad_cursor") from None
    if cursor.digest != digest:
        raise BadRequest("The cursor belongs to a search with other filters or another order.", reason="bad_cursor")
    return cursor


def _order(target: Target, text: str) -> tuple[Order, bool]:
    """Return an order, and whether it descends. Raises Invalid (422)."""
    name, _, direction = text.strip().partition(" ")
    order, way = target.orders.get(_NAME.get(name, name)), direction.strip().lower()
    if order is None or way not in ("", "asc", "desc"):
        names = ", ".join(name for name in target.orders if name)
        raise Invalid({"order": f"Choose one of {names}, with ASC or DESC"})
    return order, way == "desc" if way else order.descending


def _where(target: Target, query: Query) -> str:
    terms = "searchable @@ $1::text::tsquery" if query.terms else "$1::text = ''"
    return f"{target.exists} and {terms}{query.sql}"


def _filters(model: BaseModel) -> dict[str, str | list[str]]:
    filters: dict[str, str | list[str]] = model.model_dump(
        exclude={"order", "not_", "limit", "cursor"}, exclude_defaults=True
    )
    return filters


def people_query(search: PeopleSearch) -> Query:
    """Build the query for a search for people."""
    filters, excluded = _filters(search), _filters(search.not_)
    sql = [_HAS[kind] for kind in filters.pop("has", ())]  # every kind listed
    if words := filters.pop("verification", ()):
        sql.append("(" + " or ".join(_VERIFIED[word] for word in words) + ")")
    sql += [f"not {_HAS[kind]}" for kind in excluded.pop("has", ())]
    sql += [f"({_VERIFIED[word]}) is not true" for word in excluded.pop("verification", ())]
    return Query(search_terms.query(filters, excluded), "".join(f" and {condition}" for condition in sorted(sql)))


def company_query(search: CompanySearch) -> Query:
    """Build the query for a search for companies."""
    filters = _filters(search)
    name = str(filters.pop("name", ""))
    query = search_terms.query(filters, _filters(search.not_))
    typed = search_terms.company_prefixes(name) if name else ""
    return Query(" & ".join(part for part in (typed, query) if part))


async def people(ctx: Context, caller: Caller, search: PeopleSearch, page: Page) -> tuple[Meta, list[Match]]:
    """Return one page of people, counted against the plan's daily limits.

    Raises:
        Invalid: the order is unknown (422).
        BadRequest: the cursor does not belong to this search (400).
        SearchLimit: the plan allows no more pages or people today (429).
    """
    await search_use.page(ctx, caller.clientid)
    meta, rows = await find(ctx, PEOPLE, people_query(search), page)
    rows = await without_suppressed(ctx, rows)
    await search_use.people(ctx, caller.clientid, [row["personid"] for row in rows])
    owned = await owners(ctx, caller.clientid, [row["personid"] for row in rows])
    return meta, [_match(ctx, row, owned.get(row["personid"], [])) for row in rows]


async def companies(ctx: Context, caller: Caller, search: CompanySearch, page: Page) -> tuple[Meta, list[CompanyMatch]]:
    """Return one page of companies. Raises the same errors as `people`."""
    await search_use.page(ctx, caller.clientid)
    meta, rows = await find(ctx, COMPANIES, company_query(search), page)
    return meta, [CompanyMatch.model_validate({name: row[name] for name in CompanyMatch.model_fields}) for row in rows]


async def without_suppressed(ctx: Context, rows: Sequence[Record]) -> list[Record]:
    """Remove people on the removal list that are still in the index."""
    gone = await directory.suppressed_keys(ctx, [row["profilekey"] for row in rows])
    return [row for row in rows if row["profilekey"] not in gone]


async def owners(ctx: Context, clientid: int, ids: Sequence[int]) -> dict[int, list[Owner]]:
    """Return the kinds that the account has revealed of each person, with user and time."""
    owned: dict[int, list[Owner]] = {}
    for row in await ctx.db.fetch(_OWNED, clientid, list(ids)) if ids else ():
        owned.setdefault(row["personid"], []).append(Owner(kind=row["kind"], name=row["name"], on=row["createdon"]))
    return owned


def _match(ctx: Context, row: Record, owned: list[Owner]) -> Match:
    names = Match.model_fields.keys() - {"linkedinurl", "has", "owned", "owned_by", "function", "lastchecked"}
    return Match.model_validate(
        {name: row[name] for name in names}
        | {
            "linkedinurl": profile_url.url_of(row["profilekey"], ctx.settings.profile_host),
            "function": row["jobfunction"],
            "lastchecked": row["updatedon"],
            "has": [kind for kind in KINDS if row[kind]],
            "owned": [kind for kind in KINDS if any(owner.kind == kind for owner in owned)],
            "owned_by": owned,
        }
    )


async def find(ctx: Context, target: Target, query: Query, page: Page) -> tuple[Meta, list[Record]]:
    """Return the count of a query and the rows of one page."""
    order, descending = _order(target, page.order)
    text = f"{target.table}\n{query.terms}\n{query.sql}\n{page.order.strip()}"
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    cursor = _cursor(ctx, page.cursor, digest) if page.cursor else None
    rows: list[Record] = []
    if cursor is None:
        rows = await _few(ctx, target, query, order, descending, page.limit + 1)
        count = rows[0]["matches"] if rows else 0
        cursor = Cursor(digest, count, count > EXACT)
        if cursor.estimated:
            cursor.count = await _estimate(ctx, target, query)
            bound = None if order.sql == target.key else rows[0]["bound"]  # the newest rows agree with every filter
            rows = await _first(ctx, target, query, order, descending, page.limit + 1, bound)
            if len(rows) <= page.limit:  # the sample was not representative
                rows = await _many(ctx, target, query, order, descending, page.limit + 1, cursor)
    elif cursor.estimated:
        rows = await _many(ctx, target, query, order, descending, page.limit + 1, cursor)
    else:
        rows = await _few(ctx, target, query, order, descending, page.limit + 1, cursor)
    meta = Meta(count=cursor.count, estimated=cursor.estimated)
    if len(rows) > page.limit:
        rows = rows[: page.limit]
        last = rows[-1]
        meta.next = Cursor(digest, cursor.count, cursor.estimated, last["sortvalue"], last[target.key]).sealed(ctx)
    return meta, rows


def _after(target: Target, order: Order, descending: bool) -> str:
    """Return the condition for rows after the cursor's, $3 and $4."""
    sign = "<" if descending else ">"
    if order.sql == target.key:
        return f" and {target.key} {sign} $4::bigint and $3::text is not null"
    return f" and ({order.sql}, {target.key}) {sign} ($3::text::{order.cast}, $4::bigint)"


async def _few(
    ctx: Context, target: Target, query: Query, order: Order, descending: bool, limit: int, cursor: Cursor | None = None
) -> list[Record]:
    """Return the page of a query with at most `EXACT` matches, and their number in each row.

    With more matches, the rows are a sample, and `bound` is a value of the order beyond the end of the page.
    """
    way = "desc" if descending else "asc"
    key, columns = target.key, target.columns
    after = _after(target, order, descending).replace(order.sql, "sortkey") if cursor else _UNUSED
    sql = f"""
        with matches as materialized (
            select {key}, {order.sql} as sortkey from {target.table} where {_where(target, query)} limit {EXACT + 1}
        ), page as (
            select {key}, sortkey from matches where true{after} order by sortkey {way}, {key} {way} limit $2
        )
        select {columns}, sortkey::text as sortvalue, (select count(*) from matches) as matches,
               (select sortkey from matches order by sortkey {way} offset $2 limit 1)::text as bound
        from page join {target.table} using ({key}) order by sortkey {way}, {key} {way}
    """  # noqa: S608 - every part is a constant
    value, ident = (cursor.value, cursor.ident) if cursor else (None, None)
    async with ctx.db.transaction():
        await ctx.db.execute(_PLAN)
        return list(await ctx.db.fetch(sql, query.terms, limit, value, ident))


async def _first(
    ctx: Context, target: Target, query: Query, order: Order, descending: bool, limit: int, bound: str | None
) -> list[Record]:
    """Return the first page of a query with many matches, up to a bound of the order.

    The bound makes a page cheap if the order and the filters fit badly: names that begin with Z, by name.
    """
    way, sign = ("desc", ">=") if descending else ("asc", "<=")
    by = f"{target.key} {way}" if order.sql == target.key else f"{order.sql} {way}, {target.key} {way}"
    sql = f"""
        select {target.columns}, ({order.sql})::text as sortvalue from {target.table}
        where {_where(target, query)} and {order.sql} {sign} $3::text::{order.cast} order by {by} limit $2
    """  # noqa: S608 - every part is a constant
    if bound is None:
        return []
    async with ctx.db.transaction():
        await ctx.db.execute(_PLAN)
        return list(await ctx.db.fetch(sql, query.terms, limit, bound))


async def _many(
    ctx: Context, target: Target, query: Query, order: Order, descending: bool, limit: int, cursor: Cursor
) -> list[Record]:
    """Return the page of a query with many matches, in the order of an index."""
    way = "desc" if descending else "asc"
    after = "" if cursor.ident is None else _after(target, order, descending)
    unused = "" if after else _UNUSED
    by = f"{target.key} {way}" if order.sql == target.key else f"{order.sql} {way}, {target.key} {way}"
    sql = f"""
        select {target.columns}, ({order.sql})::text as sortvalue from {target.table}
        where {_where(target, query)}{after}{unused} order by {by} limit $2
    """  # noqa: S608 - every part is a constant
    async with ctx.db.transaction():
        await ctx.db.execute(_PLAN_BY_INDEX)
        return list(await ctx.db.fetch(sql, query.terms, limit, cursor.value, cursor.ident))


async def _estimate(ctx: Context, target: Target, query: Query) -> int:
    """Return the planner's estimate of the matches, rounded to two digits."""
    sql = f"explain (format json) select 1 from {target.table} where {_where(target, query)}"  # noqa: S608
    plan = await ctx.db.fetchval(sql, query.terms)
    plan = orjson.loads(plan) if isinstance(plan, str) else plan
    rows = max(EXACT + 1, int(plan[0]["Plan"]["Plan Rows"]))
    unit = 10 ** (math.floor(math.log10(rows)) - 1)
    return max(EXACT + 1, int(round(rows / unit) * unit))


async def count_new(ctx: Context, query: Query, after: int) -> int:
    """Return the number of people matching a query that were added after an id, `EXACT` + 1 at most."""
    sql = f"""
        select count(*) from (select 1 from person where {_where(PEOPLE, query)} and personid > $2
                              limit {EXACT + 1}) matches
    """  # noqa: S608 - every part is a constant
    count: int = await ctx.db.fetchval(sql, query.terms, after)
    return count
