"""Finding a user for a call: oneself, somebody of one's team, or whoever a mailed proof names."""

from __future__ import annotations

from typing import Any

from scripts._shared import audit
from scripts._shared.accounts import tokens
from scripts._shared.accounts.tokens import Purpose
from scripts._shared.context import Context
from tableapi.errors import Forbidden, NotFound

COLUMNS = (
    "appuserid, clientid, name, firstname, lastname, phonenumber, avatar, email, role, isactive, isdeleted, isverified,"
    " invitestatus"
)
_BY_ID = f"select {COLUMNS} from appuser where appuserid = $1"  # noqa: S608
_BY_EMAIL = f"select {COLUMNS} from appuser where lower(email) = $1 order by isdeleted, appuserid desc limit 1"  # noqa: S608


async def own(ctx: Context, **named: Any) -> None:
    """Identity comes from the session: what a body says about it may repeat it and nothing else (G4)."""
    for name, value in named.items():
        if value is not None and str(value) != str(ctx.actor.values.get(name)):
            await audit.write(ctx, "tenant_mismatch", value, field=name, call=ctx.request.path)
            raise Forbidden("This is not yours.", reason="tenant_mismatch")


async def by_email(ctx: Context, email: str) -> Any:
    """The user with an address in lower case, a live one before deleted ones; None without one."""
    return await ctx.db.fetchrow(_BY_EMAIL, email)


async def by_id(ctx: Context, appuserid: int) -> Any:
    """The user with this id, whoever's it is."""
    return await ctx.db.fetchrow(_BY_ID, appuserid)


async def of_team(ctx: Context, appuserid: int) -> Any:
    """A user of the caller's client who is not deleted; for anybody else it looks as if there were none."""
    row: Any = await by_id(ctx, appuserid)
    if row is None or row["clientid"] != ctx.actor.clientid or row["isdeleted"]:
        raise NotFound("There is no such member.")
    return row


async def proved(ctx: Context, email: str, token: str, *purposes: Purpose) -> Any:
    """The user whom a mailed token belongs to, if the address is that user's; None otherwise. Uses nothing up."""
    found: Any = await tokens.find(ctx, token, *purposes) if token else None
    if found is None or found["appuserid"] is None:
        return None
    user: Any = await by_id(ctx, found["appuserid"])
    return user if user["email"].lower() == email.strip().lower() else None
