"""Let the holder of a former address take the account back, for 72 hours after the change.

The notice of the change has a link; the hash of its token is stored. Meanwhile no other user can have the address.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from product import audit
from product.accounts import made, sessions, signup, tokens, users, verification
from product.context import Context
from tableapi import token_hash

_ISSUE = """
    insert into formeraddress (tokenhash, appuserid, email, newemail, mfacipher)
    select $1, appuserid, lower(email), $3, mfacipher from appuser where appuserid = $2
"""
_KEEP = """
    update formeraddress set changedon = now(), expireson = now() + interval '72 hours'
    where appuserid = $1 and email = $2 and usedon is null and expireson > now()
"""
_FIND = """
    select f.appuserid, u.clientid, f.email, f.newemail, f.mfacipher, f.createdon, f.changedon,
           case when f.usedon is not null then 'used' when f.expireson > now() and u.isdeleted = 0 then 'open'
                else 'expired' end as state
    from formeraddress f join appuser u using (appuserid) where f.tokenhash = $1
"""
# The links of later changes go to addresses that the user did not choose.
_USE = """
    update formeraddress set usedon = now()
    where appuserid = $1 and usedon is null and (email = $2 or createdon >= $3)
"""
_LOCK = "select true from appuser where appuserid = $1 for update"
# The password may be known to the person that changed the address, and the factor may be that person's.
_RESTORE = """
    update appuser set email = $2, mfacipher = $3, password = null, passwordproved = 0, mustchangepassword = 0,
        passwordexpireson = null
    where appuserid = $1
"""


@dataclass(frozen=True, slots=True)
class Former:
    """A change of an address: the former one, and the one that it became.

    mfacipher: the second factor before the change. changedon: None until the change is confirmed.
    """

    appuserid: int
    clientid: int
    email: str
    newemail: str
    mfacipher: str | None
    createdon: datetime
    changedon: datetime | None
    state: str


async def issue(ctx: Context, appuserid: int, newemail: str) -> str:
    """Return a token for the notice of a change that has been asked for."""
    token = secrets.token_urlsafe(32)
    await ctx.db.execute(_ISSUE, token_hash(token), appuserid, newemail)
    return token


async def keep(ctx: Context, appuserid: int, email: str) -> None:
    """Reserve the former address; its 72 hours begin."""
    await ctx.db.execute(_KEEP, appuserid, email)


async def find(ctx: Context, token: str) -> Former | None:
    return await ctx.db.first(Former, _FIND, token_hash(token)) if token else None


async def undo(ctx: Context, token: str) -> Former | None:
    """Put the former address back, end everything that was opened since, and mail a reset.

    Returns None if it is too late. Runs in a transaction.

    Raises:
        EmailExists: the address belongs to a member of staff by now (409).
    """
    former = await find(ctx, token)
    if former is None:
        return None
    await ctx.db.execute(_LOCK, former.appuserid)
    former = await find(ctx, token)
    if former is None or former.state != "open":
        return None
    appuserid, clientid = former.appuserid, former.clientid
    await ctx.db.execute(_USE, appuserid, former.email, former.createdon)
    try:
        await ctx.db.execute(_RESTORE, appuserid, former.email, former.mfacipher)
    except asyncpg.UniqueViolationError:
        raise signup.EmailExists("Something Went Wrong!Cannot Update Email.", case="email_not_changed") from None
    await verification.unlink(ctx, appuserid)
    await sessions.end_all(ctx, appuserid)
    await tokens.revoke(ctx, appuserid)
    await made.end_unproved(ctx, clientid, appuserid, former.createdon)
    await audit.write(ctx, "email_change_undone", appuserid, clientid=clientid, appuserid=appuserid)
    user = await users.by_id(ctx, appuserid)
    await ctx.later("forgotpassword", email=former.email, language=user and user.language)
    return former
