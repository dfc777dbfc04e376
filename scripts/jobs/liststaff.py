"""List the staff accounts: `tableapi run liststaff`."""

from __future__ import annotations

from typing import Any

from product.context import Context
from tableapi import script

_LIST = """
    select staffid, name, email, isactive, password is not null as has_password, lastloginon::text, createdon::text
    from staff order by isactive desc, email
"""


@script(internal=True)
async def run(ctx: Context) -> list[dict[str, Any]]:
    return [dict(row) for row in await ctx.db.fetch(_LIST)]
