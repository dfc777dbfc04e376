"""Every night, recount the people of each company, including those added or removed without an import."""

from __future__ import annotations

from product.context import Context
from product.people import companies
from tableapi import script


@script(every="1d")
async def run(ctx: Context) -> int:
    async with ctx.db.transaction(), ctx.db.connection() as connection:
        return await companies.add_up(connection)
