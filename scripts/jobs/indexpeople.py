"""Every ten minutes, fill the search columns of people stored without them.

By hand: `tableapi run indexpeople`.

These are rows of an older version, or of a program that writes the table itself. With rebuild=1 every row is filled
again, after SECRET_KEYS have lost a key or the rules for titles have changed.
"""

from __future__ import annotations

import orjson
from pydantic import BaseModel

from product.context import Context
from product.people import companies, directory
from tableapi import script

BATCH = 500

_ROWS = """
    select personid, full_name, title, company, company_domain, country, city, industry, company_size, seniority,
           personalcipher, businesscipher, phonecipher
    from person where personid > $1 and (searchable is null or $2) order by personid limit $3
"""
_FILL = """
    update person p set seniority = x.seniority, jobfunction = x.jobfunction, verification = x.verification,
        searchable = x.searchable::tsvector
    from jsonb_to_recordset($1::text::jsonb) as x (personid bigint, seniority text, jobfunction text,
        verification text, searchable text)
    where p.personid = x.personid and p.full_name <> ''
"""
_ERASED = "update person set searchable = '' where personid = any($1) and full_name = ''"


class Input(BaseModel):
    rebuild: bool = False


@script(every="10m")
async def run(ctx: Context, input: Input) -> int:
    last, count = 0, 0
    while rows := await ctx.db.fetch(_ROWS, last, input.rebuild, BATCH):
        filled = [{"personid": row["personid"]} | directory.search_columns(ctx.vault, row) for row in rows]
        await ctx.db.execute(_FILL, orjson.dumps(filled).decode())
        await ctx.db.execute(_ERASED, [row["personid"] for row in rows])
        last, count = rows[-1]["personid"], count + len(rows)
    if count:
        async with ctx.db.transaction(), ctx.db.connection() as connection:
            await companies.add_up(connection)
    return count
