"""Forgotten, reset and changed passwords (calls 9, 10 and 11). What the body holds decides, not the query."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from scripts._shared import audit, mails, passwords, sessions, tokens, users
from scripts._shared.roles import SESSION
from tableapi.access import ANYONE
from tableapi.context import Context
from tableapi.errors import BadRequest, Invalid, NotFound, Unauthorized
from tableapi.scripts import script


class Input(BaseModel):
    email: str = ""
    code: str = ""
    old_password: str = ""
    new_password: str = ""
    confirm_password: str | None = None


_SET = """
    update appuser set password = $2, mustchangepassword = 0, passwordexpireson = null where appuserid = $1
"""
EXPIRED = "The Code for this link has expired,Please try with latest"
DIFFERENT = "Both password doesn't match"


@script(roles=(ANYONE,))
async def run(ctx: Context, input: Input) -> dict[str, Any]:
    if input.old_password:
        return await _change(ctx, input)
    if input.code or input.new_password:
        return await _reset(ctx, input)
    if not input.email.strip():
        raise BadRequest("Please enter your email address")
    return await _forgot(ctx, input.email.strip().lower())


async def _forgot(ctx: Context, email: str) -> dict[str, Any]:
    """Call 9: the same answer for every address. What is done for a known one is done by a job."""
    ctx.limit("password forgot", ctx.request.ip, 10, 3600)
    ctx.limit("password forgot address", email, 3, 3600)
    await ctx.later("forgotpassword", email=email)
    return {"success": True}


async def _reset(ctx: Context, input: Input) -> dict[str, Any]:
    """Call 10: by the mailed code."""
    ctx.limit("password reset", ctx.request.ip, 20, 3600)
    email = input.email.strip().lower()
    missing = {name: "Please fill all required fields" for name in ("email", "code") if not getattr(input, name)}
    if missing:
        raise Invalid(missing)
    hashed = await _new(input)
    async with ctx.db.transaction():
        user = await users.proved(ctx, email, input.code, "reset")
        if user is None or user["isdeleted"] or await tokens.use(ctx, input.code, "reset") is None:
            raise NotFound(EXPIRED)
        await _set(ctx, user, hashed, "password_reset")
    return {"success": True}


async def _change(ctx: Context, input: Input) -> dict[str, Any]:
    """Call 11: by the old password, in a session; the others end and this one gets a new token."""
    if ctx.actor.role not in SESSION:
        raise Unauthorized(sessions.EXPIRED)
    ctx.limit("password change", str(ctx.actor.appuserid), 5, 900)
    user: Any = await ctx.db.fetchrow("select * from appuser where appuserid = $1", ctx.actor.appuserid)
    if not await passwords.matches(user["password"], input.old_password):
        raise Invalid({"old_password": "Your old password is not correct"})
    if input.old_password == input.new_password:
        raise Invalid({"new_password": "Choose a password that differs from the old one"})
    hashed = await _new(input)
    async with ctx.db.transaction():
        await _set(ctx, user, hashed, "password_changed")
        token = await sessions.start(ctx, user["appuserid"])
    return {"success": True, "session_token": token}


async def _new(input: Input) -> str:
    if problem := passwords.problem(input.new_password):
        raise Invalid({"new_password": problem})
    if input.confirm_password is not None and input.confirm_password != input.new_password:
        raise Invalid({"confirm_password": DIFFERENT})
    return await passwords.hashed(input.new_password)


async def _set(ctx: Context, user: Any, hashed: str, event: str) -> None:
    """Keep the new password; every session and every open reset link of the user ends."""
    whose = {"clientid": user["clientid"], "appuserid": user["appuserid"]}
    await ctx.db.execute(_SET, user["appuserid"], hashed)
    await sessions.end_all(ctx, user["appuserid"])
    await tokens.kill(ctx, user["appuserid"], "reset")
    link = mails.link(ctx, "/forgotpassword")
    await mails.queue(ctx, "passwordchanged", user["email"], link, name=user["name"])
    await audit.write(ctx, event, user["appuserid"], **whose)
