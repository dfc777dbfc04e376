"""Send a test event to a webhook now, and return the result. It is listed among the deliveries."""

from __future__ import annotations

from pydantic import BaseModel, Field

from product import webhooks
from product.context import Context
from product.roles import OWNER
from tableapi import NotFound, script, send_event

_ADD = """
    insert into webhookdelivery (clientid, webhookid, event, payload, status)
    select clientid, webhookid, 'test', '{"key": {}, "record": {}}', 'failed'
    from webhook where clientid = $1 and webhookid = $2
    returning deliveryid
"""


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
    deliveryid = await ctx.db.first_value(int, _ADD, ctx.actor.clientid, input.webhookid)
    if deliveryid is None:
        raise NotFound(f"There is no webhook with the id {input.webhookid}.", case="no_such_webhook")
    queued = await webhooks.EVENTS.one(ctx, ctx.actor.clientid, deliveryid)
    attempt = await send_event(queued.url, queued.secret(), queued.event, ctx.settings)
    await webhooks.EVENTS.finish(ctx, queued, attempt, None)
    return Output(
        delivered=attempt.delivered,
        lastcode=attempt.status,
        reason=attempt.reason,
        problem=attempt.message,
        milliseconds=attempt.milliseconds,
    )
