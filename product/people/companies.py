"""Aggregate the people of each company into the table `company`, which company searches read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import orjson
from asyncpg import Record

from product.context import Context
from product.people import search_terms


class Connection(Protocol):
    """The methods of a database connection that are used here."""

    async def fetch(self, sql: str, *args: object) -> list[Record]: ...

    async def execute(self, sql: str, *args: object) -> str: ...


_COUNTED = """
    create temporary table counted on commit drop as
    select lower(company) collate "C" as companykey, jobfunction, country, city, count(*) as people,
           max(company) as company, max(company_domain) as company_domain, max(industry) as industry,
           max(company_size) as company_size
    from person {} where company <> '' and full_name <> '' group by 1, 2, 3, 4
"""
_NAMED = """select ''::text collate "C" as companykey where false"""
_TOUCHED = """ join touched on lower(company) collate "C" = touched.companykey"""
_SUMMED = """
    create temporary table summed on commit drop as
    select companykey, sum(people)::integer as people, max(company) as company,
           max(company_domain) as company_domain, max(industry) as industry, max(company_size) as company_size,
           array_agg(distinct country order by country) filter (where country <> '') as countries,
           (array_agg(distinct city) filter (where city <> ''))[:200] as cities
    from counted group by companykey
"""
_FUNCTIONS = """
    create temporary table functioned on commit drop as
    select companykey, jsonb_object_agg(jobfunction, people order by people desc) as functions
    from (select companykey, jobfunction, sum(people)::integer as people from counted where jobfunction <> ''
          group by 1, 2) f
    group by companykey
"""
_ROWS = """
    select * from summed left join functioned using (companykey) where companykey > $1 order by companykey limit $2
"""
_KEEP = """
    insert into company (companykey, company, company_domain, industry, company_size, countries, functions, people,
                         searchable)
    select companykey, company, company_domain, industry, company_size,
           array(select jsonb_array_elements_text(countries)), functions, people, searchable::tsvector
    from jsonb_to_recordset($1::text::jsonb) as x (companykey text, company text, company_domain text, industry text,
        company_size text, countries jsonb, functions jsonb, people integer, searchable text)
    on conflict (companykey) do update set company = excluded.company, company_domain = excluded.company_domain,
        industry = excluded.industry, company_size = excluded.company_size, countries = excluded.countries,
        functions = excluded.functions, people = excluded.people, searchable = excluded.searchable, updatedon = now()
"""
_GONE = "delete from company c where not exists (select 1 from summed s where s.companykey = c.companykey)"
_GONE_TOUCHED = _GONE + " and c.companykey in (select companykey from touched)"  # noqa: S608 - constants
BATCH = 200  # rows per batch, so that other tasks of the worker can run in between


async def recount(ctx: Context, keys: Iterable[str]) -> None:
    """Add up the companies of people that were removed, without the key "". Outside any transaction."""
    if named := sorted(set(keys) - {""}):
        async with ctx.db.transaction(), ctx.db.connection() as connection:
            await add_up(connection, named)


async def add_up(connection: Connection, touched: str | Sequence[str] = "") -> int:
    """Aggregate the people of each company, and return the number of companies. Inside a transaction.

    touched: the keys of the companies to add up, their names in lower case, or a query for them; "" for all.
    """
    await connection.execute("set local statement_timeout = 0")
    if touched:
        query = touched if isinstance(touched, str) else _NAMED
        await connection.execute(f"create temporary table touched on commit drop as {query}")
        if not isinstance(touched, str):
            await connection.execute("insert into touched select distinct unnest($1::text[])", list(touched))
        await connection.execute("analyze touched")
    for statement in (_COUNTED.format(_TOUCHED if touched else ""), _SUMMED, _FUNCTIONS):
        await connection.execute(statement)
    await connection.execute("create index on summed (companykey)")
    await connection.execute("create index on functioned (companykey)")
    last, count = "", 0
    while rows := await connection.fetch(_ROWS, last, BATCH):
        await connection.execute(_KEEP, orjson.dumps([_row(row) for row in rows]).decode())
        last, count = rows[-1]["companykey"], count + len(rows)
    await connection.execute(_GONE_TOUCHED if touched else _GONE)
    return count


def _row(row: Record) -> dict[str, object]:
    countries, cities = row["countries"] or [], row["cities"] or []
    functions = row["functions"] or {}
    terms = (
        search_terms.of_company(row["company"], row["company_domain"], row["industry"], row["company_size"]),
        *(search_terms.of_place(country, "") for country in countries),
        *(search_terms.of_place("", city) for city in cities),
    )
    names = ("companykey", "company", "company_domain", "industry", "company_size", "people")
    return {name: row[name] for name in names} | {
        "countries": countries,
        "functions": orjson.loads(functions) if isinstance(functions, str) else functions,
        "searchable": " ".join(terms),
    }
