"""Add up the people of each company into the table `company`, which a company search reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import orjson

from product.people import search_terms

BATCH = 500  # companies in one statement


class Connection(Protocol):
    """What is used of a connection."""

    async def fetch(self, sql: str, *args: Any) -> Any: ...

    async def execute(self, sql: str, *args: Any) -> Any: ...


_KEYS = """
    select distinct lower(company) collate "C" as companykey from person
    where lower(company) collate "C" > $1 and company <> '' order by 1 limit $2
"""
_SUMS = """
    select lower(company) collate "C" as companykey, count(*) as people,
           mode() within group (order by company) as company,
           coalesce(mode() within group (order by nullif(company_domain, '')), '') as company_domain,
           coalesce(mode() within group (order by nullif(industry, '')), '') as industry,
           coalesce(mode() within group (order by nullif(company_size, '')), '') as company_size,
           array_agg(distinct country order by country) filter (where country <> '') as countries,
           array_agg(distinct city) filter (where city <> '') as cities
    from person where lower(company) collate "C" = any($1::text[]) and full_name <> '' group by 1
"""
_FUNCTIONS = """
    select lower(company) collate "C" as companykey, jobfunction, count(*) as people
    from person where lower(company) collate "C" = any($1::text[]) and full_name <> '' and jobfunction <> ''
    group by 1, 2 order by 1, 3 desc
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
_GONE = "delete from company where companykey = any($1::text[]) and companykey <> all($2::text[])"


async def add_up(connection: Connection, keys: Sequence[str]) -> None:
    """Add up the people of some companies, by their names in lower case."""
    for start in range(0, len(keys), BATCH):
        batch = list(keys[start : start + BATCH])
        functions: dict[str, dict[str, int]] = {}
        for row in await connection.fetch(_FUNCTIONS, batch):
            functions.setdefault(row["companykey"], {})[row["jobfunction"]] = row["people"]
        rows = [_row(row, functions) for row in await connection.fetch(_SUMS, batch)]
        await connection.execute(_KEEP, orjson.dumps(rows).decode())
        await connection.execute(_GONE, batch, [row["companykey"] for row in rows])


def _row(row: Any, functions: dict[str, dict[str, int]]) -> dict[str, Any]:
    countries, cities = row["countries"] or [], row["cities"] or []
    terms = {
        *search_terms.of_company(row["company"], row["company_domain"], row["industry"], row["company_size"]),
        *(term for country in countries for term in search_terms.of_place(country, "")),
        *(term for city in cities[:200] for term in search_terms.of_place("", city)),
    }
    names = ("companykey", "company", "company_domain", "industry", "company_size", "people")
    return {name: row[name] for name in names} | {
        "countries": countries,
        "functions": functions.get(row["companykey"], {}),
        "searchable": search_terms.vector(sorted(terms)),
    }


async def add_up_all(connection: Connection) -> int:
    """Add up every company of the directory, and return how many there are."""
    last, count = "", 0
    while rows := await connection.fetch(_KEYS, last, BATCH):
        keys = [row["companykey"] for row in rows]
        await add_up(connection, keys)
        last, count = keys[-1], count + len(keys)
    await connection.execute(
        'delete from company c where not exists (select 1 from person where lower(company) collate "C" = c.companykey)'
    )
    return count
