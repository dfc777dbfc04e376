"""Read pages of people and companies in any order, and count all matches.

A large directory has bitmaps of its terms, which select and count the people; a page is then sorted from its rows, or
read in the index of the order. Companies and small directories have two strategies. Up to `EXACT` matches are collected
from the index of terms, counted and sorted. With more matches, the rows of a page are close together in the index of
the order, which is read from where the previous page ended; the count is then the planner's estimate.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from itertools import islice

import orjson
from asyncpg import Record
from pydantic import BaseModel, Field

from product.context import Context
from product.people import term_index
from product.people.search_terms import Condition
from tableapi import BadRequest, Internal, Invalid

EXACT = 10_000
MAX_LIMIT = 100
SORTED = 2_000  # up to so many matches are read and sorted; a page of more is read in the index of its order
SORTED_AT_WORST = 5_000  # the same if the matches come late in the order
STEPS = 300_000  # entries of an order's index that are read before


class Page(BaseModel):
    """The part of a search that selects the page."""

    order: str = Field(default="", max_length=60)
    limit: int = Field(default=25, ge=1, le=MAX_LIMIT)
    cursor: str = Field(default="", max_length=4000)


class Meta(BaseModel):
    """The number of matches, `estimated` above 10,000.

    `next` is the cursor of the next page, null at the end.
    """

    count: int
    estimated: bool
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """One order: an indexed expression, its type, and whether it descends by default."""

    sql: str
    cast: str = "text"
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """The terms of a search as a tsquery, and a constant SQL condition for the kinds that exist.

    `included` and `excluded` are both of them as conditions for bitmaps. `seniority`: the only one to find, if any.
    """

    terms: str
    sql: str = ""
    included: tuple[Condition, ...] = ()
    excluded: tuple[Condition, ...] = ()
    seniority: str = ""


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
_UNUSED = " and $3::text is null and $4::bigint is null"  # gives a first page the same parameters
# The right plan depends on the terms, so generic plans are disabled.
_PLAN = "select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '64MB', true)"
_PLAN_BY_KEY = _PLAN + ", set_config('enable_seqscan', 'off', true)"
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


def condition(target: Target, query: Query) -> str:
    terms = "searchable @@ $1::text::tsquery" if query.terms else "$1::text = ''"
    return f"{target.exists} and {terms}{query.sql}"


async def find(ctx: Context, target: Target, query: Query, page: Page) -> tuple[Meta, list[Record]]:
    """Return the count of a query and the rows of one page."""
    order, descending = _order(target, page.order)
    text = f"{target.table}\n{query.terms}\n{query.sql}\n{page.order.strip()}"
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    cursor = _cursor(ctx, page.cursor, digest) if page.cursor else None
    rows: list[Record] = []
    found = await term_index.find(ctx, query.included, query.excluded) if target is PEOPLE else None
    if found is not None:
        cursor = cursor or _counted(digest, term_index.count(found))
        rows = await _of_bitmaps(ctx, query, order, descending, page.limit + 1, cursor, found)
    elif cursor is None:
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


def _after(target: Target, order: Order, descending: bool, ident: int | None) -> str:
    """Return the condition for rows after the cursor's, $3 and $4.

    Without a cursor it always holds.
    """
    sign = "<" if descending else ">"
    if ident is None:
        return _UNUSED
    if order.sql == target.key:
        return f" and {target.key} {sign} $4::bigint and $3::text is not null"
    return f" and ({order.sql}, {target.key}) {sign} ($3::text::{order.cast}, $4::bigint)"


async def _fetched(ctx: Context, plan: str, sql: str, *args: object) -> list[Record]:
    """Return the rows of a statement under the settings of a plan."""
    async with ctx.db.transaction():
        await ctx.db.execute(plan)
        return list(await ctx.db.fetch(sql, *args))


def _by(target: Target, order: Order, descending: bool) -> str:
    """Return what rows are sorted by."""
    way = "desc" if descending else "asc"
    return f"{target.key} {way}" if order.sql == target.key else f"{order.sql} {way}, {target.key} {way}"


def _counted(digest: str, count: int) -> Cursor:
    return Cursor(digest, _rounded(count) if count > EXACT else count, count > EXACT)


def _rounded(count: int) -> int:
    """Return an estimate with two digits."""
    unit = 10 ** (math.floor(math.log10(count)) - 1)
    return max(EXACT + 1, int(round(count / unit) * unit))


async def _of_bitmaps(
    ctx: Context, query: Query, order: Order, descending: bool, limit: int, cursor: Cursor, found: term_index.Bits
) -> list[Record]:
    """Return the page after a cursor of the people in bitmaps.

    People that have changed since the bitmaps were made are left out where they match no more.
    """
    rows: list[Record] = []
    count = term_index.count(found)
    if order.sql != PEOPLE.key and count <= SORTED:
        return await _sorted(ctx, query, order, descending, limit, cursor, term_index.ids(found))
    value, ident = cursor.value, cursor.ident
    bitmap = b"" if order.sql == PEOPLE.key else term_index.flat(found)
    while len(rows) < limit:
        if order.sql == PEOPLE.key:
            following = term_index.ids_in_order(found, descending=descending, after=ident)
            candidates = list(islice(following, limit))
        else:
            places = await _walk(ctx, query, order, descending, limit, value, ident, bitmap, STEPS)
            if len(places) < limit and count <= SORTED_AT_WORST:
                return await _sorted(ctx, query, order, descending, limit, cursor, term_index.ids(found))
            if len(places) < limit:
                places = await _walk(ctx, query, order, descending, limit, value, ident, bitmap, None)
            candidates = [place["personid"] for place in places]
            value = places[-1]["sortvalue"] if places else value
        rows += await _sorted(ctx, query, order, descending, limit, None, candidates)
        if len(candidates) < limit:
            break
        ident = candidates[-1]
    return rows[:limit]


async def _sorted(
    ctx: Context, query: Query, order: Order, descending: bool, limit: int, cursor: Cursor | None, ids: list[int]
) -> list[Record]:
    """Return the matching ones of some people, in order, after a cursor."""
    value, ident = (cursor.value, cursor.ident) if cursor is not None else (None, None)
    after, by = _after(PEOPLE, order, descending, ident), _by(PEOPLE, order, descending)
    sql = f"""
        select {PEOPLE.columns}, ({order.sql})::text as sortvalue from {PEOPLE.table}
        where {PEOPLE.key} = any($5::bigint[]) and ({condition(PEOPLE, query)}) is true{after} order by {by} limit $2
    """  # noqa: S608 - every part is a constant
    return await _fetched(ctx, _PLAN_BY_KEY, sql, query.terms, limit, value, ident, ids)


async def _walk(
    ctx: Context, query: Query, order: Order, descending: bool, limit: int, value: object, ident: int | None,
    bitmap: bytes, steps: int | None,
) -> list[Record]:  # fmt: skip
    """Return the next people of bitmaps in the index of an order, which has all that is read.

    Titles of one seniority stand together in the order of titles, so these have an index for each seniority.
    """
    after, by = _after(PEOPLE, order, descending, ident), _by(PEOPLE, order, descending)
    within = "seniority = $7" if query.seniority and order is PEOPLE_ORDERS["title"] else "$7::text is not null"
    sql = f"""
        select personid, sortkey::text as sortvalue from (
            select personid, {order.sql} as sortkey from person where {within}{after}
            order by {by} limit $5::bigint
        ) read
        where case when personid < $6::bigint then get_bit($1::bytea, personid) = 1 else false end limit $2
    """  # noqa: S608 - every part is a constant
    return await _fetched(
        ctx, _PLAN_BY_INDEX, sql, bitmap, limit, value, ident, steps, len(bitmap) * 8, query.seniority
    )


async def _few(
    ctx: Context, target: Target, query: Query, order: Order, descending: bool, limit: int, cursor: Cursor | None = None
) -> list[Record]:
    """Return the page of a query with at most `EXACT` matches, and their number in each row.

    With more matches, the rows are a sample, and `bound` is a value of the order beyond the end of the page.
    """
    way = "desc" if descending else "asc"
    key, columns = target.key, target.columns
    value, ident = (cursor.value, cursor.ident) if cursor else (None, None)
    after = _after(target, order, descending, ident).replace(order.sql, "sortkey")
    sql = f"""
        with matches as materialized (
            select {key}, {order.sql} as sortkey from {target.table} where {condition(target, query)} limit {EXACT + 1}
        ), page as (
            select {key}, sortkey from matches where true{after} order by sortkey {way}, {key} {way} limit $2
        )
        select {columns}, sortkey::text as sortvalue, (select count(*) from matches) as matches,
               (select sortkey from matches order by sortkey {way} offset $2 limit 1)::text as bound
        from page join {target.table} using ({key}) order by sortkey {way}, {key} {way}
    """  # noqa: S608 - every part is a constant
    return await _fetched(ctx, _PLAN, sql, query.terms, limit, value, ident)


async def _first(
    ctx: Context, target: Target, query: Query, order: Order, descending: bool, limit: int, bound: str | None
) -> list[Record]:
    """Return the first page of a query with many matches, up to a bound of the order.

    The bound makes a page cheap if the order and the filters fit badly: names that begin with Z, by name.
    """
    sign, by = ">=" if descending else "<=", _by(target, order, descending)
    sql = f"""
        select {target.columns}, ({order.sql})::text as sortvalue from {target.table}
        where {condition(target, query)} and {order.sql} {sign} $3::text::{order.cast} order by {by} limit $2
    """  # noqa: S608 - every part is a constant
    if bound is None:
        return []
    return await _fetched(ctx, _PLAN, sql, query.terms, limit, bound)


async def _many(
    ctx: Context, target: Target, query: Query, order: Order, descending: bool, limit: int, cursor: Cursor
) -> list[Record]:
    """Return the page of a query with many matches, in the order of an index."""
    after, by = _after(target, order, descending, cursor.ident), _by(target, order, descending)
    sql = f"""
        select {target.columns}, ({order.sql})::text as sortvalue from {target.table}
        where {condition(target, query)}{after} order by {by} limit $2
    """  # noqa: S608 - every part is a constant
    return await _fetched(ctx, _PLAN_BY_INDEX, sql, query.terms, limit, cursor.value, cursor.ident)


async def _estimate(ctx: Context, target: Target, query: Query) -> int:
    """Return the planner's estimate of the matches, rounded to two digits."""
    sql = f"explain (format json) select 1 from {target.table} where {condition(target, query)}"  # noqa: S608
    plan = await ctx.db.fetchval(sql, query.terms)
    plan = orjson.loads(plan) if isinstance(plan, str) else plan
    return _rounded(max(EXACT + 1, int(plan[0]["Plan"]["Plan Rows"])))
