"""End every session of a user."""

from __future__ import annotations

from pydantic import BaseModel, Field

from scripts._shared.accounts import sessions
from scripts._shared.context import Context
from scripts._shared.desk import clients, log
from scripts._shared.desk.reason import Reason
from scripts._shared.roles import STAFF
from tableapi.endpoints.registry import script


class Input(BaseModel):
    appuserid: int = Field(ge=1, lt=2**63)
    reason: Reason


class Output(BaseModel):
    success: int = 1


@script(roles=STAFF, limit="60/hour per user", repeatable=True)
async def run(ctx: Context, input: Input) -> Output:
    user = await clients.user(ctx, input.appuserid)
    async with ctx.db.transaction():
        await sessions.end_all(ctx, input.appuserid)
        await log.write(ctx, "sessions_ended", user["clientid"], input.appuserid, reason=input.reason)
    return Output()
