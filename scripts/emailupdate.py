"""Complete a change of email address with the mailed code, and return a new session token."""

from __future__ import annotations

from typing import Literal

import asyncpg
from pydantic import BaseModel

from product import audit, emails
from product.accounts import former_addresses, sessions, signup, tokens
from product.context import Context
from product.roles import SESSION
from tableapi import FieldError, Invalid, script

MISMATCH = FieldError("code_mismatch", "Verification Code Mismatched")


class Input(BaseModel):
    type: Literal["update"]
    newemail: str
    code: str
    afid: object = None  # sent by the app, and ignored: the user is the one of the session


class Output(BaseModel):
    success: int = 1
    session_token: str


class CodeMismatch(Invalid):
    """The code was not mailed for this address, or has expired (422)."""

    reason = "code_mismatch"


_COUNT_TRY = """
    update onetimetoken set tries = tries + 1
    where appuserid = $1 and purpose = 'emailchange' and usedon is null and tries < $2
"""


@script(roles=SESSION, limit="20/hour per user")
async def run(ctx: Context, input: Input) -> Output:
    appuserid, email = ctx.actor.appuserid, emails.normal(input.newemail)
    missing = {"code": FieldError("code_missing", "Verification Code Missing!")} if not input.code.strip() else {}
    missing |= {"newemail": FieldError("email_or_code_invalid", "Invalid Email or Code")} if not email else {}
    if missing:
        raise Invalid(missing)
    token = await tokens.find(ctx, input.code.strip(), "emailchange")
    change = tokens.data(ctx, token, tokens.NewAddress)
    if token is None or token.appuserid != appuserid or change is None or change.newemail != email:
        await ctx.db.execute(_COUNT_TRY, appuserid, tokens.MAX_TRIES)
        raise CodeMismatch({"code": MISMATCH})
    async with ctx.db.transaction():
        if await tokens.use(ctx, input.code.strip(), "emailchange") is None:
            raise CodeMismatch({"code": MISMATCH})
        try:
            await ctx.db.execute("update appuser set email = $2 where appuserid = $1", appuserid, email)
        except asyncpg.UniqueViolationError:
            raise signup.EmailExists("Something Went Wrong!Cannot Update Email.", case="email_not_changed") from None
        await former_addresses.keep(ctx, appuserid, emails.normal(ctx.actor.email))
        # The code was mailed to the new address: it says nothing about the user at the old one.
        session_token = await sessions.start(ctx, appuserid, continues=ctx.request.session_token)
        await sessions.end_all(ctx, appuserid, keep=session_token)
        await audit.write(ctx, "email_changed", appuserid)
    return Output(session_token=session_token)
