"""Assign a custom plan to a client, which its owner may then choose; or take the offer back."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field

from product.billing.plans import FREE_SKU
from product.context import Context
from product.desk import log
from product.desk.reason import Reason
from product.roles import STAFF
from tableapi import FieldError, Invalid, NotFound, script

_PLAN = "select sku from subscriptionplan where planid = $1 and isactive = 1 and isaddon = 0"
_CLIENT = "select true from client where clientid = $1"
_ASSIGN = "insert into clientplan (clientid, planid) values ($1, $2) on conflict do nothing"
_UNASSIGN = "delete from clientplan where clientid = $1 and planid = $2"


@dataclass(frozen=True, slots=True)
class _Plan:
    sku: str | None


class Input(BaseModel):
    clientid: int = Field(ge=1, lt=2**63)
    planid: int = Field(ge=1, lt=2**63)
    assigned: bool = True
    reason: Reason


class Output(BaseModel):
    success: int = 1
    assigned: bool


@script(roles=STAFF, limit="60/hour per user", repeatable=True)
async def run(ctx: Context, input: Input) -> Output:
    async with ctx.db.transaction():
        plan = await ctx.db.first(_Plan, _PLAN, input.planid)
        if plan is None or not await ctx.db.first_value(bool, _CLIENT, input.clientid):
            message = f"There is no client with the id {input.clientid}, or no plan with the id {input.planid} on sale."
            raise NotFound(message, case="no_such_client_or_plan")
        if not str(plan.sku).startswith("custom_") or plan.sku == FREE_SKU:
            raise Invalid(
                {"planid": FieldError("plan_not_custom", "Only a custom plan is assigned; the others are bought")}
            )
        done = await ctx.db.execute(_ASSIGN if input.assigned else _UNASSIGN, input.clientid, input.planid)
        if not done.endswith(" 0"):
            event = "plan_assigned" if input.assigned else "plan_withdrawn"
            await log.write(ctx, event, input.clientid, input.planid, reason=input.reason)
    return Output(assigned=input.assigned)
