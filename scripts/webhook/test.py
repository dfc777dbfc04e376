"""Send a test event to a webhook now, and return the result. It is listed among the deliveries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, Field

from product import webhooks
from product.context import Context
from product.roles import OWNER
from tableapi import NotFound, script

_FIND = "select url, secret from webhook where clientid = $1 and webhookid = $2"
_ADD = """
    insert into webhookdelivery (clientid, webhookid, event, payload, attempts, status)
    values ($1, $2, $3, $4, 1, 'failed') returning deliveryid, createdon
"""
_FINISH = """
    update webhookdelivery set status = $3, lastcode = $4, reason = $5, error = $6, donon = now()
    where clientid = $1 and deliveryid = $2
"""


@dataclass(frozen=True, slots=True)
class _Target:
    url: str
    secret: str


@dataclass(frozen=True, slots=True)
class _Added:
    deliveryid: int
    createdon: datetime


class Input(BaseModel):
    webhookid: int = Field(ge=1, lt=2**63)


class Output(BaseModel):
    """`lastcode`: the status of the response. `reason`: of a failure. `problem`: the same in words."""

    success: int = 1
    delivered: bool
    lastcode: int | None
    reason: str | None
    problem: str | None
    milliseconds: int


@script(roles=OWNER, limit="20/hour per user")
async def run(ctx: Context, input: Input) -> Output:
    target = await ctx.db.first(_Target, _FIND, ctx.actor.clientid, input.webhookid)
    if target is None:
        raise NotFound("There is no such webhook.", case="no_such_webhook")
    clientid = ctx.actor.clientid
    row = await ctx.db.one(_Added, _ADD, clientid, input.webhookid, webhooks.TEST, webhooks.NOTHING)
    due = webhooks.Due(
        clientid,
        input.webhookid,
        row.deliveryid,
        webhooks.TEST,
        webhooks.NOTHING,
        1,
        row.createdon,
        target.url,
        target.secret,
    )
    attempt = await webhooks.send(ctx, due)
    status = "delivered" if attempt.delivered else "failed"
    result = (status, attempt.status, attempt.reason, attempt.message)
    await ctx.db.execute(_FINISH, clientid, row.deliveryid, *result)
    await webhooks.disable_if_gone(ctx, due, attempt)
    return Output(
        delivered=attempt.delivered,
        lastcode=attempt.status,
        reason=attempt.reason,
        problem=attempt.message,
        milliseconds=attempt.milliseconds,
    )
