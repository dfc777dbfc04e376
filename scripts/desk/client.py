"""Show one client: plan, credits, ledger, payments, users, sessions, keys without values, audit log."""

from __future__ import annotations

from pydantic import BaseModel, Field

from product.context import Context
from product.desk import clients, log
from product.roles import STAFF
from tableapi import script


class Input(BaseModel):
    clientid: int = Field(ge=1, lt=2**63)


class Output(BaseModel):
    client: dict[str, object]
    users: list[dict[str, object]]
    credits: list[dict[str, object]]
    subscriptions: list[dict[str, object]]
    customplans: list[dict[str, object]]
    ledger: list[dict[str, object]]
    payments: list[dict[str, object]]
    sessions: list[dict[str, object]]
    audit: list[dict[str, object]]
    keys: list[dict[str, object]]
    reveals: list[dict[str, object]]


@script(roles=STAFF, limit="120/minute per session")
async def run(ctx: Context, input: Input) -> Output:
    parts = await clients.overview(ctx, input.clientid)
    await log.write(ctx, "read", input.clientid, "overview")
    return Output(**parts)
