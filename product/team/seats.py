"""Add, invite and remove team members. The row of usercredit is the lock on the seats."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import asyncpg
from pydantic import BaseModel

from product import audit, mail
from product import language as languages
from product.accounts import passwords, person_names, sessions, signup, tokens
from product.accounts.users import User
from product.billing import plans
from product.billing.live import LIVE
from product.context import Context
from tableapi import Conflict, NotFound

_PLAN = f"select exists (select 1 from usersubscription s where s.clientid = $1 and {LIVE})"  # noqa: S608
_TAKE = "update usercredit set seatcount = seatcount - 1 where clientid = $1 and seatcount > 0 returning seatcount"
_ADD = f"""
    with added as (
        insert into appuser (clientid, name, firstname, lastname, email, role, isactive, isverified, invitestatus,
                             password, mustchangepassword, passwordexpireson, madeby)
        select $1, $2, $3, $4, $5, $6, 0, 0, 'pending', $7, 1, now() + $8, {sessions.maker("$9")}
        returning appuserid, email, name, role, invitestatus, isactive, createdon)
    select appuserid, email, name, role, invitestatus, isactive, createdon::text from added
"""  # noqa: S608
_TEMPORARY = """
    update appuser set password = $2, mustchangepassword = 1, passwordexpireson = now() + $3 where appuserid = $1
"""
_REMOVE = """
    update appuser set isdeleted = 1, isactive = 0
    where appuserid = $1 and clientid = $2 and role <> 'client' and isdeleted = 0 returning appuserid
"""
_INVITER = """
    select coalesce(nullif(c.companyname, ''), $2) as company, u.language
    from client c left join appuser u on u.clientid = c.clientid and u.role = 'client' and u.isdeleted = 0
    where c.clientid = $1
"""


@dataclass(frozen=True, slots=True)
class _Inviter:
    company: str
    language: str | None


class Invitation(BaseModel):
    """The mailed names of inviter and company, without anything that forms a link."""

    invitedby: str
    companyname: str


@dataclass(frozen=True, slots=True)
class _Added:
    appuserid: int
    email: str
    name: str
    role: str
    invitestatus: str
    isactive: int
    createdon: str


async def add(ctx: Context, email: str, first: str, last: str, role: str) -> dict[str, object]:
    """Add a pending member and mail the invitation.

    Raises:
        Conflict: the account has no live subscription, or no seat is left (409).
        EmailExists: another user has the address (409).
    """
    clientid, password = ctx.actor.clientid, passwords.temporary()
    hashed = await passwords.hashed(password)
    async with ctx.db.transaction():
        if not await ctx.db.first_value(bool, _PLAN, clientid):
            raise Conflict("Please Add a Plan to add members", case="plan_for_members", reason="no_plan")
        if await ctx.db.first_value(int, _TAKE, clientid) is None:
            raise Conflict("Your plan has no free seats left. Remove a member, or upgrade.", reason="seat_limit")
        member = (
            clientid,
            person_names.joined(first, last),
            first,
            last,
            email,
            role,
            hashed,
            tokens.LIFETIME["invite"],
            ctx.actor.session,
        )
        try:
            row = await ctx.db.one(_Added, _ADD, *member)
        except asyncpg.UniqueViolationError:
            raise signup.EmailExists(
                "Email exist, please try again with another!", case="member_email_exists"
            ) from None
        await _mail(ctx, clientid, row, password)
        await audit.write(ctx, "member_added", row.appuserid, role=role)
    return asdict(row)


async def invite_again(ctx: Context, user: User) -> None:
    """Mail a new link and a new temporary password; the previous ones become invalid."""
    password = passwords.temporary()
    hashed = await passwords.hashed(password)
    async with ctx.db.transaction():
        await ctx.db.execute(_TEMPORARY, user.appuserid, hashed, tokens.LIFETIME["invite"])
        await _mail(ctx, user.clientid, user, password)
        await audit.write(ctx, "member_invited", user.appuserid, clientid=user.clientid)


async def _mail(ctx: Context, clientid: int, user: User | _Added, password: str) -> None:
    """Mail an invitation in the owner's language; a new member has not stored one."""
    inviter = await ctx.db.one(_Inviter, _INVITER, clientid, ctx.settings.brand_name)
    by = ctx.actor.name if ctx.actor.clientid else "Support"
    shown = Invitation(invitedby=person_names.plain(by), companyname=person_names.plain(inviter.company))
    code = await tokens.issue(ctx, "invite", user.appuserid, shown, email=user.email)
    link = mail.link(ctx, "/acceptinvite", email=user.email, code=code)
    await mail.queue(
        ctx, "invite", user.email, link, language=languages.of(ctx, inviter.language),
        name=user.name, inviter=by, company=inviter.company, password=password,
    )  # fmt: skip


async def invitation(ctx: Context, token: str) -> Invitation | None:
    """Return the names in a live invitation by its mailed token, else None."""
    return tokens.data(ctx, await tokens.find(ctx, token, "invite"), Invitation)


async def remove(ctx: Context, appuserid: int) -> None:
    """Delete a member: end its sessions and links, and release the seat.

    Its contacts stay with the account.

    Inside a transaction.

    Raises:
        NotFound: the account has no such member, or it is already deleted (404).
    """
    clientid = ctx.actor.clientid
    await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
    # first, in the same order as accepting an invitation, so that the two cannot deadlock
    await tokens.revoke(ctx, appuserid)
    if await ctx.db.first_value(int, _REMOVE, appuserid, clientid) is None:
        raise NotFound(f"There is no member with the id {appuserid}.", case="no_such_member")
    await plans.update_allowances(ctx, clientid)
    await sessions.end_all(ctx, appuserid)
    await audit.write(ctx, "member_deleted", appuserid)
