"""Read pages of people and companies in any order, and count all matches.

A large directory has bitmaps of its terms, which select and count the people; a page is then sorted from its rows, or
read in the index of the order. Companies and small directories have two strategies. Up to `EXACT` matches are collected
from the index of terms, counted and sorted. With more matches, the rows of a page are close together in the index of
the order, which is read from where the previous page ended; the count is then the planner's estimate.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import orjson
from asyncpg import Record
from pydantic import BaseModel, Field

from product.context import Context
from product.people import term_index
from product.people.search_terms import Condition
from tableapi import BadRequest, Internal, Invalid

EXACT = 10_000
MAX_LIMIT = 100
SORTED = 2_000  # matches that are read and sorted; with more, a page is read from its order's index
SORTED_AT_WORST = 10_000  # the same, if the matches come late in the order
STEPS = 300_000  # entries of an order's index that are read before that


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
# People found in bitmaps are spread over the table. A bitmap scan requests many of their pages at once, an index scan
# one after the other.
_PLAN_BY_KEY = _PLAN + ", set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)"
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


class Place(NamedTuple):
    """A row of an order: its value there, and its key. Without a key, the place before every row."""

    value: object = None
    ident: int | None = None


_START = Place()


@dataclass(slots=True)
class Cursor:
    """The place after which a page starts, and the count of the first page."""

    digest: str
    count: int
    estimated: bool
    place: Place = _START

    def sealed(self, ctx: Context) -> str:
        fields = [self.digest, self.count, self.estimated, *self.place]
        return ctx.vault.seal(orjson.dumps(fields).decode())


def _cursor(ctx: Context, text: str, digest: str) -> Cursor:
    """Parse a cursor. Raises BadRequest (400) if it is invalid or belongs to another search."""
    try:
        found, count, estimated, *place = orjson.loads(ctx.vault.open(text))
        cursor = Cursor(found, count, estimated, Place(*place))
    except (Internal, ValueError, TypeError, IndexError):
        raise BadRequest(
            "This is not a cursor of this call. Send meta.next of the page before, or start again without a cursor.",
            reason="bad_cursor",
            case="cursor_of_another_call",
        ) from None
    if cursor.digest != digest:
        raise BadRequest(
            "The cursor belongs to a search with other filters or another order. Start again without a cursor.",
            reason="bad_cursor",
            case="cursor_of_another_search",
        )
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
    # One row more than the page tells whether another one follows.
    read = _Read(ctx, target, query, order, descending, page.limit + 1)
    found = await term_index.find(ctx, query.included, query.excluded) if target is PEOPLE else None
    if found is not None:
        matches = term_index.count(found)
        cursor = cursor or Cursor(digest, _rounded(matches) if matches > EXACT else matches, matches > EXACT)
        rows = await read.of_bitmaps(found, matches, cursor.place)
    elif cursor is None:
        rows = await read.few(_START)
        count = rows[0]["matches"] if rows else 0
        cursor = Cursor(digest, count, count > EXACT)
        if cursor.estimated:
            cursor.count = await read.estimate()
            rows = await read.first_of_many(rows[0]["bound"])
    else:
        rows = await (read.many(cursor.place) if cursor.estimated else read.few(cursor.place))
    meta = Meta(count=cursor.count, estimated=cursor.estimated)
    if len(rows) > page.limit:
        rows = rows[: page.limit]
        place = Place(rows[-1]["sortvalue"], rows[-1][target.key])
        meta.next = Cursor(digest, cursor.count, cursor.estimated, place).sealed(ctx)
    return meta, rows


def _rounded(count: int) -> int:
    """Return an estimate with two digits."""
    unit = 10 ** (math.floor(math.log10(count)) - 1)
    return max(EXACT + 1, int(round(count / unit) * unit))


@dataclass(frozen=True, slots=True)
class _Read:
    """The statements that read up to `limit` rows of a search in one order."""

    ctx: Context
    target: Target
    query: Query
    order: Order
    descending: bool
    limit: int

    @property
    def _by_key(self) -> bool:
        return self.order.sql == self.target.key

    @property
    def _matching(self) -> str:
        return condition(self.target, self.query)

    def _by(self, value: str) -> str:
        """Return the list of ORDER BY, for the name that the order's value has in the statement."""
        way, key = "desc" if self.descending else "asc", self.target.key
        return f"{key} {way}" if self._by_key else f"{value} {way}, {key} {way}"

    def _after(self, place: Place, value: str) -> str:
        """Return the condition for rows after a place, $3 and $4. It always holds for the start."""
        sign, key = "<" if self.descending else ">", self.target.key
        if place.ident is None:
            return _UNUSED
        if self._by_key:
            return f" and {key} {sign} $4::bigint and $3::text is not null"
        return f" and ({value}, {key}) {sign} ($3::text::{self.order.cast}, $4::bigint)"

    async def _rows(self, plan: str, sql: str, *args: object) -> list[Record]:
        async with self.ctx.db.transaction():
            await self.ctx.db.execute(plan)
            return list(await self.ctx.db.fetch(sql, *args))

    async def of_bitmaps(self, found: term_index.Bits, matches: int, place: Place) -> list[Record]:
        """Return the people in bitmaps after a place.

        People that have changed since the bitmaps were built are omitted if they no longer match.
        """
        if not self._by_key and matches <= SORTED:
            return await self._sorted(term_index.ids(found), place)
        rows: list[Record] = []
        bitmap = b"" if self._by_key else term_index.flat(found)
        while len(rows) < self.limit:
            if self._by_key:
                following = term_index.ids_in_order(found, descending=self.descending, after=place.ident)
                places = [Place(None, ident) for ident in islice(following, self.limit)]
            else:
                places = await self._walk(place, bitmap, STEPS)
                if len(places) < self.limit and matches <= SORTED_AT_WORST:
                    return await self._sorted(term_index.ids(found), place)
                if len(places) < self.limit:
                    places = await self._walk(place, bitmap, None)
            rows += await self._sorted([each.ident for each in places], _START)
            if len(places) < self.limit:
                break
            place = places[-1]
        return rows[: self.limit]

    async def _sorted(self, ids: Sequence[int | None], place: Place) -> list[Record]:
        """Return the people among these that match, in order, after a place."""
        value = self.order.sql
        sql = f"""
            select {PEOPLE.columns}, ({value})::text as sortvalue from {PEOPLE.table}
            where {PEOPLE.key} = any($5::bigint[]) and ({self._matching}) is true{self._after(place, value)}
            order by {self._by(value)} limit $2
        """  # noqa: S608 - every part is a constant
        return await self._rows(_PLAN_BY_KEY, sql, self.query.terms, self.limit, *place, ids)

    async def _walk(self, place: Place, bitmap: bytes, steps: int | None) -> list[Place]:
        """Return the next people of a bitmap from the index of the order, which contains every column read.

        Titles of one seniority are close together in the order of titles, which has an index for each seniority.
        """
        value, query = self.order.sql, self.query
        within = (
            "seniority = $7" if query.seniority and self.order is PEOPLE_ORDERS["title"] else "$7::text is not null"
        )
        sql = f"""
            select personid, sortkey::text as sortvalue from (
                select personid, {value} as sortkey from person where {within}{self._after(place, value)}
                order by {self._by(value)} limit $5::bigint
            ) read
            where case when personid < $6::bigint then get_bit($1::bytea, personid) = 1 else false end limit $2
        """  # noqa: S608 - every part is a constant
        args = (bitmap, self.limit, *place, steps, len(bitmap) * 8, query.seniority)
        return [Place(row["sortvalue"], row["personid"]) for row in await self._rows(_PLAN_BY_INDEX, sql, *args)]

    async def few(self, place: Place) -> list[Record]:
        """Return the page after a place of at most `EXACT` matches, with their number in each row.

        With more matches, the rows are a sample, and `bound` is a value of the order beyond the end of the page.
        """
        key, by = self.target.key, self._by("sortkey")
        sql = f"""
            with matches as materialized (
                select {key}, {self.order.sql} as sortkey from {self.target.table}
                where {self._matching} limit {EXACT + 1}
            ), page as (
                select {key}, sortkey from matches where true{self._after(place, "sortkey")} order by {by} limit $2
            )
            select {self.target.columns}, sortkey::text as sortvalue, (select count(*) from matches) as matches,
                   (select sortkey from matches order by {by} offset $2 limit 1)::text as bound
            from page join {self.target.table} using ({key}) order by {by}
        """  # noqa: S608 - every part is a constant
        return await self._rows(_PLAN, sql, self.query.terms, self.limit, *place)

    async def first_of_many(self, bound: str | None) -> list[Record]:
        """Return the first page of a query with many matches.

        It is read up to `bound`, which keeps it cheap if the filters select rows late in the order, such as names that
        begin with Z, ordered by name. In the order of the newest rows, no filter is unfavourable.
        """
        rows: list[Record] = []
        if bound is not None and not self._by_key:
            sign, value = ">=" if self.descending else "<=", self.order.sql
            sql = f"""
                select {self.target.columns}, ({value})::text as sortvalue from {self.target.table}
                where {self._matching} and {value} {sign} $3::text::{self.order.cast}
                order by {self._by(value)} limit $2
            """  # noqa: S608 - every part is a constant
            rows = await self._rows(_PLAN, sql, self.query.terms, self.limit, bound)
        # If the sample was not representative, the bound is too early.
        return rows if len(rows) == self.limit else await self.many(_START)

    async def many(self, place: Place) -> list[Record]:
        """Return the page after a place of a query with many matches, in the order of an index."""
        value = self.order.sql
        sql = f"""
            select {self.target.columns}, ({value})::text as sortvalue from {self.target.table}
            where {self._matching}{self._after(place, value)} order by {self._by(value)} limit $2
        """  # noqa: S608 - every part is a constant
        return await self._rows(_PLAN_BY_INDEX, sql, self.query.terms, self.limit, *place)

    async def estimate(self) -> int:
        """Return the planner's estimate of the matches, rounded to two digits."""
        sql = f"explain (format json) select 1 from {self.target.table} where {self._matching}"  # noqa: S608
        plan = await self.ctx.db.fetchval(sql, self.query.terms)
        plan = orjson.loads(plan) if isinstance(plan, str) else plan
        return _rounded(max(EXACT + 1, int(plan[0]["Plan"]["Plan Rows"])))
