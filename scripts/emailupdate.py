"""Second step of a change of e-mail: the mailed code is checked here, the session is replaced."""

from __future__ import annotations

from typing import Any, Literal

import asyncpg
from pydantic import BaseModel

from scripts._shared import audit
from scripts._shared.accounts import sessions, signup, tokens
from scripts._shared.context import Context
from scripts._shared.roles import SESSION
from tableapi.endpoints.registry import script
from tableapi.errors import Invalid

MISMATCH = "Verification Code Mismatched"


class Input(BaseModel):
    type: Literal["update"]
    newemail: str
    code: str


class Output(BaseModel):
    success: int = 1
    session_token: str


class CodeMismatch(Invalid):
    """The code is not the one that was mailed, or it is over."""

    reason = "code_mismatch"


_WRONG = """
    update onetimetoken set tries = tries + 1
    where appuserid = $1 and purpose = 'emailchange' and usedon is null and tries < $2
"""


@script(roles=SESSION, limit="20/hour per user")
async def run(ctx: Context, input: Input) -> Output:
    who, email = ctx.actor.appuserid, input.newemail.strip().lower()
    missing = {"code": "Verification Code Missing!"} if not input.code.strip() else {}
    missing |= {"newemail": "Invalid Email or Code"} if not email else {}
    if missing:
        raise Invalid(missing)
    found: Any = await tokens.find(ctx, input.code.strip(), "emailchange")
    fits = found is not None and found["appuserid"] == who and tokens.data(ctx, found)["newemail"] == email
    if not fits:
        await ctx.db.execute(_WRONG, who, tokens.MAX_TRIES)
        raise CodeMismatch({"code": MISMATCH})
    async with ctx.db.transaction():
        if await tokens.use(ctx, input.code.strip(), "emailchange") is None:
            raise CodeMismatch({"code": MISMATCH})
        try:
            await ctx.db.execute("update appuser set email = $2 where appuserid = $1", who, email)
        except asyncpg.UniqueViolationError:
            raise signup.EmailExists("Something Went Wrong!Cannot Update Email.") from None
        await sessions.end_all(ctx, who)
        token = await sessions.start(ctx, who)
        await audit.write(ctx, "email_changed", who)
    return Output(session_token=token)
