"""Create accounts and sessions of staff.

Only the job `addstaff` creates accounts; no call creates or promotes one.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

import asyncpg

from product import audit, mail
from product.context import Context
from tableapi import Conflict, token_hash

LINK_LIFETIME, SESSION_LIFETIME, VIEW_LIFETIME = timedelta(days=7), timedelta(hours=12), timedelta(minutes=30)

_BY_EMAIL = "select staffid, name, email, password from staff where lower(email) = $1 and isactive = 1"
_ADD = """
    insert into staff (name, email) select $1, $2
    where not exists (select 1 from appuser where lower(email) = $2 and isdeleted = 0)
    on conflict (lower(email)) where isactive = 1 do update set name = excluded.name
    returning staffid, name, email
"""
_LINK = "insert into stafftoken (tokenhash, staffid, expireson) values ($1, $2, now() + $3)"
_USE = """
    delete from stafftoken t using staff s
    where t.tokenhash = $1 and t.expireson > now() and s.staffid = t.staffid and s.isactive = 1 and lower(s.email) = $2
    returning t.staffid, s.name, s.email
"""
_START = """
    insert into staffsession (tokenhash, staffid, viewing, expireson, ip, useragent)
    values ($1, $2, $3, now() + $4, $5, $6) returning expireson
"""
_END_ALL = "update staffsession set revokedon = now() where staffid = $1 and revokedon is null"
_DROP_LINKS = "delete from stafftoken where staffid = $1"


@dataclass(frozen=True, slots=True)
class Staff:
    """A member of staff."""

    staffid: int
    name: str
    email: str


@dataclass(frozen=True, slots=True)
class StaffPassword(Staff):
    """A member of staff with its password, None until the mailed link was used."""

    password: str | None


async def by_email(ctx: Context, email: str) -> StaffPassword | None:
    """Return the member of staff with this address (in lower case), or None."""
    return await ctx.db.first(StaffPassword, _BY_EMAIL, email)


async def add(ctx: Context, email: str, name: str) -> tuple[Staff, str]:
    """Create a staff account, or renew its link.

    Inside a transaction. Returns the row and the link that sets the password. An older link stops working.

    Raises:
        Conflict: a user of a client has the address (409).
    """
    try:
        row = await ctx.db.first(Staff, _ADD, name, email)
    except asyncpg.UniqueViolationError:
        row = None
    if row is None:
        raise Conflict(
            "A user of a client has this address. Use a separate address for staff.",
            reason="email_exists",
            case="staff_email_exists",
        )
    await ctx.db.execute(_DROP_LINKS, row.staffid)
    code = secrets.token_urlsafe(32)
    await ctx.db.execute(_LINK, token_hash(code), row.staffid, LINK_LIFETIME)
    await audit.write(ctx, "staff_invited", row.staffid)
    return row, mail.link(ctx, "/resetpassword", email=row.email, code=code)


async def remove(ctx: Context, staffid: int) -> None:
    """Disable an account, and end its sessions and links.

    Inside a transaction. The row is kept, because entries in the audit log refer to it.
    """
    await ctx.db.execute("update staff set isactive = 0, password = null where staffid = $1", staffid)
    await ctx.db.execute(_END_ALL, staffid)
    await ctx.db.execute(_DROP_LINKS, staffid)
    await audit.write(ctx, "staff_removed", staffid)


async def set_password(ctx: Context, email: str, code: str, hashed: str) -> bool:
    """Set the password with a mailed code, once. Return False if the code is invalid.

    Inside a transaction. Every session ends.
    """
    row = await ctx.db.first(Staff, _USE, token_hash(code), email)
    if row is None:
        return False
    await ctx.db.execute("update staff set password = $2 where staffid = $1", row.staffid, hashed)
    await ctx.db.execute(_END_ALL, row.staffid)
    await audit.write(ctx, "staff_password_set", row.staffid, staffid=row.staffid)
    return True


async def start(ctx: Context, staffid: int, viewing: int | None = None) -> tuple[str, datetime]:
    """Start a session of staff, or with `viewing` a read-only one that shows the app as this user sees it.

    Return its token, of which only the hash is stored, and its end.
    """
    token = secrets.token_urlsafe(32)
    agent = ctx.request.headers.get("user-agent", "")[:300]
    lifetime = SESSION_LIFETIME if viewing is None else VIEW_LIFETIME
    ends = await ctx.db.value(
        datetime, _START, token_hash(token), staffid, viewing, lifetime, ctx.request.ip or None, agent
    )
    return token, ends


async def sign_in(ctx: Context, row: Staff) -> str:
    """Start a session after the password was checked, and return its token."""
    async with ctx.db.transaction():
        await ctx.db.execute("update staff set lastloginon = now() where staffid = $1", row.staffid)
        token, _ = await start(ctx, row.staffid)
        await audit.write(ctx, "staff_signin", staffid=row.staffid)
    return token


def session_response(row: Staff, token: str) -> dict[str, object]:
    """Return the response that describes a session of staff."""
    session = {"success": 1, "session_token": token, "session_id": token, "role": "staff"}
    return session | {"staffid": row.staffid, "name": row.name, "email": row.email}
