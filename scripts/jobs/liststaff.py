"""List the staff accounts: `tableapi run liststaff`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from product.context import Context
from tableapi import script

_LIST = """
    select staffid, name, email, isactive, password is not null as has_password, lastloginon::text, createdon::text
    from staff order by isactive desc, email
"""


@dataclass(frozen=True, slots=True)
class _List:
    staffid: int
    name: str
    email: str
    isactive: int
    has_password: bool
    lastloginon: str | None
    createdon: str


@script(internal=True)
async def run(ctx: Context) -> list[dict[str, object]]:
    return [asdict(row) for row in await ctx.db.all(_List, _LIST)]
