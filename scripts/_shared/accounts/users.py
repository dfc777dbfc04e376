"""Find the user that a call is about: by id, by email, in the caller's team, or by a mailed token."""

from __future__ import annotations

from typing import Any

from scripts._shared import audit
from scripts._shared.accounts import tokens
from scripts._shared.accounts.tokens import Purpose
from scripts._shared.context import Context
from tableapi.errors import Forbidden, NotFound

COLUMNS = (
    "appuserid, clientid, name, firstname, lastname, phonenumber, avatar, email, role, isactive, isdeleted, isverified,"
    " invitestatus, language"
)
_BY_ID = f"select {COLUMNS} from appuser where appuserid = $1"  # noqa: S608
_BY_EMAIL = f"select {COLUMNS} from appuser where lower(email) = $1 order by isdeleted, appuserid desc limit 1"  # noqa: S608


async def own(ctx: Context, **values: Any) -> None:
    """Refuse values of a body that contradict the session; None is ignored.

    Raises:
        Forbidden: a value differs from the session; the attempt is written to the audit log (403).
    """
    for name, value in values.items():
        if value is not None and str(value) != str(ctx.actor.values.get(name)):
            await audit.write(ctx, "tenant_mismatch", value, field=name, call=ctx.request.path)
            raise Forbidden("This is not yours.", reason="tenant_mismatch")


async def by_email(ctx: Context, email: str) -> Any:
    """Return the user with this address (in lower case), preferring a live user to deleted ones, or None."""
    return await ctx.db.fetchrow(_BY_EMAIL, email)


async def by_id(ctx: Context, appuserid: int) -> Any:
    """Return the user with this id, of any account."""
    return await ctx.db.fetchrow(_BY_ID, appuserid)


async def of_team(ctx: Context, appuserid: int) -> Any:
    """Return a user of the caller's account that is not deleted.

    Raises:
        NotFound: there is none, or the user belongs to another account (404).
    """
    row: Any = await by_id(ctx, appuserid)
    if row is None or row["clientid"] != ctx.actor.clientid or row["isdeleted"]:
        raise NotFound("There is no such member.")
    return row


async def proved(ctx: Context, email: str, token: str, *purposes: Purpose) -> Any:
    """Return the user of a mailed token if the email is that user's, else None. The token is not consumed."""
    row: Any = await tokens.find(ctx, token, *purposes) if token else None
    if row is None or row["appuserid"] is None:
        return None
    user: Any = await by_id(ctx, row["appuserid"])
    return user if user["email"].lower() == email.strip().lower() else None
