"""One-time tokens for mailed links and sign-in steps, stored as a hash and bound to a purpose.

A user's token is also bound to the address that it was mailed to, and becomes invalid when the address changes. Issuing
a token deletes the unused ones of the same user and purpose. A change of the address deletes all of them (trigger in
schema.sql).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeVar

from pydantic import BaseModel

from product.context import Context
from tableapi import token_hash

Purpose = Literal[
    "verify",
    "invite",
    "reset",
    "emailchange",
    "check",
    "social",
    "oauthstate",
    "session",
    "mfa",
    "mfasetup",
    "removal",
    "oauthcode",
]
LIFETIME: dict[str, timedelta] = {
    "verify": timedelta(hours=24),
    "invite": timedelta(days=7),
    "reset": timedelta(hours=1),
    "emailchange": timedelta(minutes=30),
    "check": timedelta(minutes=30),
    "social": timedelta(minutes=5),
    "oauthstate": timedelta(minutes=10),
    "session": timedelta(seconds=60),
    "mfa": timedelta(minutes=5),
    "mfasetup": timedelta(minutes=15),
    "removal": timedelta(hours=24),
    "oauthcode": timedelta(minutes=2),
}
MAX_TRIES = 5
M = TypeVar("M", bound=BaseModel)

_DELETE_UNUSED = "delete from onetimetoken where appuserid = $1 and purpose = $2 and usedon is null"
_INSERT = """
    insert into onetimetoken (tokenhash, purpose, appuserid, datacipher, expireson, email)
    values ($1, $2, $3, $4, now() + $5, $6)
"""
_LIVE = """
    t.tokenhash = $1 and t.purpose = any($2) and t.expireson > now() and t.tries < $3
    and (t.appuserid is null
         or exists (select 1 from appuser u where u.appuserid = t.appuserid and lower(u.email) = t.email))
"""
_FIND = f"select appuserid, datacipher, usedon is not null as used from onetimetoken t where {_LIVE}"  # noqa: S608
_USE = f"""
    update onetimetoken t set usedon = now() where {_LIVE} and t.usedon is null
    returning appuserid, datacipher, purpose
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Used:
    """A token that was consumed."""

    appuserid: int | None
    datacipher: str | None
    purpose: str


@dataclass(frozen=True, slots=True)
class Found:
    """A live token; `used` if it was consumed before."""

    appuserid: int | None
    datacipher: str | None
    used: bool


class NewAddress(BaseModel):
    """The data of a token for a change of address."""

    newemail: str


async def issue(
    ctx: Context,
    purpose: Purpose,
    appuserid: int | None = None,
    data: BaseModel | None = None,
    *,
    email: str | None = None,
) -> str:
    """Create a token and delete the unused ones of the same user and purpose.

    Tokens of purposes that several browser tabs may hold at once are not deleted.

    Args:
        data: stored encrypted with the token.
        email: the address that the token is mailed to; by default the user's current address.
    """
    token = secrets.token_urlsafe(32)
    if appuserid is not None and purpose not in ("check", "session", "mfa", "social", "oauthcode"):
        await ctx.db.execute(_DELETE_UNUSED, appuserid, purpose)
    sealed = None if data is None else ctx.vault.seal(data.model_dump_json())
    await ctx.db.execute(_INSERT, token_hash(token), purpose, appuserid, sealed, LIFETIME[purpose], email)
    return token


async def find(ctx: Context, token: str, *purposes: Purpose) -> Found | None:
    """Return a live token without consuming it, or None."""
    return await ctx.db.first(Found, _FIND, token_hash(token), list(purposes), MAX_TRIES)


async def use(ctx: Context, token: str, *purposes: Purpose) -> Used | None:
    """Consume a token and return it, or None.

    Of two simultaneous calls, one gets None.
    """
    return await ctx.db.first(Used, _USE, token_hash(token), list(purposes), MAX_TRIES)


def data(ctx: Context, token: Found | Used | None, model: type[M]) -> M | None:
    """Return what was stored with the token; None without a token or without data."""
    if token is None or token.datacipher is None:
        return None
    return model.model_validate_json(ctx.vault.open(token.datacipher))


async def revoke(ctx: Context, appuserid: int, *purposes: Purpose) -> None:
    """Delete the unused tokens of a user: those with the given purposes, or all of them."""
    sql = "delete from onetimetoken where appuserid = $1 and usedon is null and (purpose = any($2) or $2 = '{}')"
    await ctx.db.execute(sql, appuserid, list(purposes))
