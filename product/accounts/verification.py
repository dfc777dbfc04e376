"""Apply a proof of an email address, and remove credentials that were set without one."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Literal

from product import audit, mail
from product import language as languages
from product.accounts import sessions, tokens
from product.accounts.users import Recipient, User
from product.context import Context
from tableapi import network, token_hash

_WELCOME = """
    update appuser set welcomedon = now() where appuserid = $1 and welcomedon is null returning email, name, language
"""
_SESSIONS = "select tokenhash, ip from usersession where appuserid = $1 and revokedon is null limit 20"
_EVICT = """
    update appuser set password = null, mustchangepassword = 0, passwordexpireson = null, passwordproved = 0,
        mfacipher = null, isverified = 1
    where appuserid = $1
"""
_UNLINK = "delete from socialaccount where appuserid = $1"


@dataclass(frozen=True, slots=True)
class _Session:
    tokenhash: bytes
    ip: str | None


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user with its password, and what is known about its address."""

    appuserid: int
    clientid: int
    name: str
    email: str
    isverified: int
    password: str | None
    passwordproved: int
    language: str | None


async def mail_link(ctx: Context, user: User, purpose: Literal["verify", "reset"], language: str | None = None) -> None:
    """Mail a link to verify the address or to set a password. Inside a transaction.

    language: of a user that has stored none.
    """
    code = await tokens.issue(ctx, purpose, user.appuserid, email=user.email)
    path = "/emailverification" if purpose == "verify" else "/resetpassword"
    link = mail.link(ctx, path, email=user.email, code=code)
    known = languages.of(ctx, languages.known(user.language) or language)
    await mail.queue(ctx, purpose, user.email, link, language=known, name=user.name)


async def welcome(ctx: Context, appuserid: int) -> None:
    """Send the welcome mail, once per account."""
    user = await ctx.db.first(Recipient, _WELCOME, appuserid)
    if user is not None:
        link = mail.link(ctx, "/dashboard/main/dashboardmain")
        language = languages.of(ctx, user.language)
        await mail.queue(ctx, "welcome", user.email, link, language=language, name=user.name)


async def signed_up_here(ctx: Context, appuserid: int) -> bool:
    """Return whether the request comes from the browser or the network that signed up.

    A mailed link may be opened by another person than the one that chose the password.
    """
    token, current = token_hash(ctx.request.session_token), network(ctx.request.ip)
    rows = await ctx.db.all(_Session, _SESSIONS, appuserid)
    return any(
        secrets.compare_digest(row.tokenhash, token) or (current and network(row.ip or "") == current) for row in rows
    )


def is_unproved(user: Credentials) -> bool:
    """Return whether the credentials may have been set by a person other than the owner of the address."""
    return not user.isverified or (user.password is not None and not user.passwordproved)


async def unlink(ctx: Context, appuserid: int) -> None:
    """Remove the linked identities of a user; a sign-in with the proved address links one again."""
    await ctx.db.execute(_UNLINK, appuserid)


async def evict(ctx: Context, user: Credentials, vendor: str) -> None:
    """Remove password, sessions, tokens and linked identities set before a provider proved the address."""
    appuserid = user.appuserid
    actor = {"clientid": user.clientid, "appuserid": appuserid}
    await ctx.db.execute(_EVICT, appuserid)
    if not user.isverified:
        await unlink(ctx, appuserid)
    await sessions.end_all(ctx, appuserid)
    await tokens.revoke(ctx, appuserid)
    if user.password is not None:
        link = mail.link(ctx, "/forgotpassword")
        language, values = languages.of(ctx, user.language), {"name": user.name, "vendor": vendor.capitalize()}
        await mail.queue(ctx, "passwordremoved", user.email, link, language=language, **values)
    event = "password_removed" if user.isverified else "account_claimed"
    await audit.write(ctx, event, appuserid, provider=vendor, **actor)
