"""Find the user of a call: by id, by email, in the caller's team, or by a mailed token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from product import audit, emails
from product.accounts import tokens
from product.accounts.tokens import Purpose
from product.context import Context
from tableapi import Forbidden, NotFound

COLUMNS = (
    "appuserid, clientid, name, firstname, lastname, phonenumber, avatar, email, role, isactive, isdeleted, isverified,"
    " invitestatus, language"
)
_BY_ID = f"select {COLUMNS} from appuser where appuserid = $1"  # noqa: S608
_BY_EMAIL = f"select {COLUMNS} from appuser where lower(email) = $1 order by isdeleted, appuserid desc limit 1"  # noqa: S608
_OWNER = "select email, name, language from appuser where clientid = $1 and role = 'client' and isdeleted = 0"


@dataclass(frozen=True, slots=True)
class User:
    """A user, without credentials."""

    appuserid: int
    clientid: int
    name: str
    firstname: str
    lastname: str
    phonenumber: str
    avatar: str | None
    email: str
    role: str
    isactive: int
    isdeleted: int
    isverified: int
    invitestatus: str
    language: str | None


@dataclass(frozen=True, slots=True)
class Recipient:
    """A user as mails name it."""

    email: str
    name: str
    language: str | None


async def owner(ctx: Context, clientid: int) -> Recipient | None:
    """Return the owner of an account; None after its deletion."""
    return await ctx.db.first(Recipient, _OWNER, clientid)


async def own(ctx: Context, **values: object) -> None:
    """Reject values in a body that contradict the session; None is ignored.

    Raises:
        Forbidden: a value differs from the session; the attempt is written to the audit log (403).
    """
    for name, value in values.items():
        if value is not None and str(value) != str(ctx.actor.values.get(name)):
            await _reject(ctx, name, value)


async def _reject(ctx: Context, field: str, value: object) -> None:
    await audit.write(ctx, "tenant_mismatch", str(value)[:200], field=field, call=ctx.request.path)
    raise Forbidden("This belongs to another account.", reason="tenant_mismatch")


# Body or query fields that name the caller or its account, with the session value that each must equal.
_IDENTITY = {
    "clientid": "clientid",
    "afid": "afid",
    "appuserid": "appuserid",
    "revealedby": "appuserid",
    "dialrevealedby": "appuserid",
    "role": "seatrole",
}


async def own_fields(ctx: Context, fields: Mapping[str, object]) -> None:
    """Check fields that name the caller in a call that does not use them otherwise.

    Raises:
        Forbidden: a field differs from the session; the attempt is written to the audit log (403).
    """
    for field, value in fields.items():
        name = _IDENTITY.get(field.lower())
        if name is None or value is None or ctx.actor.values.get("clientid") is None:
            continue
        if str(value) != str(ctx.actor.values.get(name)):
            await _reject(ctx, field, value)


async def by_email(ctx: Context, email: str) -> User | None:
    """Return the user with this address (in lower case), preferring a live user to deleted ones, or None."""
    return await ctx.db.first(User, _BY_EMAIL, email)


async def by_id(ctx: Context, appuserid: int) -> User | None:
    """Return the user with this id, from any account."""
    return await ctx.db.first(User, _BY_ID, appuserid)


async def caller(ctx: Context) -> User:
    return await ctx.db.one(User, _BY_ID, ctx.actor.appuserid)


async def of_team(ctx: Context, appuserid: int) -> User:
    """Return a user of the caller's account that is not deleted.

    Raises:
        NotFound: there is no such user, or it belongs to another account (404).
    """
    row = await by_id(ctx, appuserid)
    if row is None or row.clientid != ctx.actor.clientid or row.isdeleted:
        raise NotFound(f"There is no member with the id {appuserid}.", case="no_such_member")
    return row


async def proved(ctx: Context, email: str, token: str, *purposes: Purpose) -> User | None:
    """Return the user of a mailed token if the email matches, else None. The token is not consumed."""
    row = await tokens.find(ctx, token, *purposes) if token else None
    if row is None or row.appuserid is None:
        return None
    user = await by_id(ctx, row.appuserid)
    return user if user is not None and emails.normal(user.email) == emails.normal(email) else None
