"""Create accounts: client, owner, credits and the free plan in one transaction."""

from __future__ import annotations

from dataclasses import dataclass

import asyncpg

from product.accounts import person_names
from product.billing import plans
from product.context import Context
from product.language import requested
from tableapi import Conflict, FieldError

TERMS = FieldError("terms_missing", "Please accept the terms and conditions")
EMAIL_EXISTS = "This email already exist , please try with another"

_OWNER = """
    insert into appuser (clientid, name, firstname, lastname, email, role, isverified, password, language,
                         termsacceptedon)
    values ($1, $2, $3, $4, $5, 'client', $6, $7, $8, now())
    returning appuserid, clientid, afid::text as afid, name, email, isverified
"""


_EXISTS = """
    select exists (select 1 from appuser where lower(email) = $1 and isdeleted = 0)
        or exists (select 1 from staff where lower(email) = $1 and isactive = 1)
        or exists (select 1 from formeraddress where email = $1 and appuserid is distinct from $2 and usedon is null
                   and changedon is not null and expireson > now())
"""


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of a new account."""

    appuserid: int
    clientid: int
    afid: str
    name: str
    email: str
    isverified: int


class EmailExists(Conflict):
    """The email address belongs to another user (409)."""

    reason = "email_exists"


async def exists(ctx: Context, email: str, *, but: int | None = None) -> bool:
    """Return whether a user that is not deleted, or a member of staff, has this address (in lower case).

    A user that has just changed it may take it back, so it is not free for others than the user `but`.
    """
    return await ctx.db.value(bool, _EXISTS, email, but)


async def open_account(ctx: Context, email: str, name: str, *, password: str | None, verified: bool = False) -> Owner:
    """Create a client with its owner on the free plan. Inside a transaction.

    The owner's language is taken from the request.

    Raises:
        EmailExists: another user has the address, or signs up with it at the same time (409).
    """
    clean = " ".join(name.split())[:200]
    clientid = await ctx.db.value(int, "insert into client default values returning clientid")
    await ctx.db.execute("insert into usercredit (clientid) values ($1)", clientid)
    try:
        row = await ctx.db.one(
            Owner, _OWNER, clientid, clean, *person_names.split(clean), email, int(verified), password, requested(ctx)
        )
    except asyncpg.UniqueViolationError:
        raise EmailExists(EMAIL_EXISTS) from None
    await plans.start(ctx, clientid, await plans.free_plan(ctx), "free:1")
    return row
