"""Show one client: plan, credits, ledger, payments, users, sessions, keys without values, audit log."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from product.context import Context
from product.desk import clients, log
from product.roles import STAFF
from tableapi import script


class Input(BaseModel):
    clientid: int = Field(ge=1, lt=2**63)


class Output(BaseModel):
    client: dict[str, Any]
    users: list[dict[str, Any]]
    credits: list[dict[str, Any]]
    subscriptions: list[dict[str, Any]]
    customplans: list[dict[str, Any]]
    ledger: list[dict[str, Any]]
    payments: list[dict[str, Any]]
    sessions: list[dict[str, Any]]
    audit: list[dict[str, Any]]
    keys: list[dict[str, Any]]
    reveals: list[dict[str, Any]]


@script(roles=STAFF, limit="120/minute per session")
async def run(ctx: Context, input: Input) -> Output:
    parts = await clients.overview(ctx, input.clientid)
    await log.write(ctx, "read", input.clientid, "overview")
    return Output(**parts)
