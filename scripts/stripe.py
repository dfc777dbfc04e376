"""Subscriptions by card: subscribe, preview a change, change, cancel.

These calls grant nothing themselves: plan and credits follow the provider's events (webhooks/payment). Price, amount,
customer and dates come from the database and the provider, never from the request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from product import emails
from product.accounts import users
from product.billing import change as changes
from product.billing import change_rules, prices
from product.billing import checkout as checkouts
from product.billing.live import LIVE
from product.context import Context
from product.roles import OWNER
from tableapi import Conflict, FieldError, Invalid, NotFound, script


@dataclass(frozen=True, slots=True)
class _Live:
    planid: int
    autorenew: int
    stripe_subid: str | None


def _blank(value: object) -> object:
    """Treat the placeholders that the front end sends for a missing value as None."""
    return None if value in ("", "null", "undefined") else value


Id = Annotated[int, Field(ge=1, lt=2**63)]
MaybeId = Annotated[Id | None, BeforeValidator(_blank)]
Moment = Annotated[Annotated[int, Field(ge=0, lt=2**40)] | None, BeforeValidator(_blank)]


class Checkout(BaseModel):
    plan: Id
    email: str | None = None
    custId: Annotated[str | None, BeforeValidator(_blank)] = None  # noqa: N815 - the name on the wire


class Preview(BaseModel):
    res: Literal["invoice", "checkout"]
    plan: Annotated[Id | None, BeforeValidator(_blank)] = None
    subId: MaybeId = None  # noqa: N815
    stdate: str | None = None
    session_id: Annotated[str, Field(max_length=255)] = ""


class Change(BaseModel):
    res: Literal["sub"]
    plan: Id
    subId: Id  # noqa: N815
    proration_date: Moment = None


class Cancel(BaseModel):
    subId: Id  # noqa: N815


_LIVE = f"select s.planid, s.autorenew, s.stripe_subid from usersubscription s where s.clientid = $1 and {LIVE}"  # noqa: S608


@script(roles=OWNER, limit="10/hour per account", seconds=30, repeatable=True)
async def checkout(ctx: Context, input: Checkout) -> dict[str, object]:
    """Create a hosted payment page; a repeat within ten minutes returns the same page."""
    clientid = ctx.actor.clientid
    await users.own(ctx, email=emails.normal(input.email or "") or None)
    custid = await ctx.db.first_value(str, "select stripe_custid from client where clientid = $1", clientid)
    if input.custId is not None and input.custId != custid:
        await users.own(ctx, custId=input.custId)
    plan = await prices.on_sale(ctx, input.plan)
    live = await ctx.db.first(_Live, _LIVE, clientid)
    if live is not None and live.autorenew:
        if live.planid == plan.planid:
            raise Conflict("You are already on this plan.", reason="already_subscribed")
        if live.stripe_subid:
            raise Conflict("You already have a subscription. Change it instead.", reason="change_instead")
    await change_rules.must_fit(ctx, clientid, plan)
    page = await checkouts.page(ctx, clientid, plan)
    return {"resource": {"status": 1, "code": 200, "data": page.id, "url": page.url}}


@script(method="GET", roles=OWNER, limit="30/minute per session", seconds=30)
async def preview(ctx: Context, input: Preview) -> dict[str, object]:
    """Preview the cost of a plan change, or with `res=checkout` return the state of a hosted payment page."""
    if input.res == "checkout":
        return await _outcome(ctx, input.session_id)
    if input.plan is None:
        raise Invalid({"plan": FieldError("missing", "Missing")}, named=True)
    row = await change_rules.own(ctx, input.subId) if input.subId else None
    cost = await changes.preview(ctx, row, input.plan) if row is not None else None
    if cost is None:
        return {"success": 2, "message": "No such subscription"}
    return {"success": 1, "resource": {"status": 1, "code": 200, "data": cost}}


async def _outcome(ctx: Context, sessionid: str) -> dict[str, object]:
    page = await checkouts.outcome(ctx, sessionid)
    if page is None:
        return {"success": 2, "message": "No such checkout"}
    return {"success": 1, "resource": {"status": 1, "code": 200, "data": page}}


@script(method="PATCH", roles=OWNER, limit="20/hour per account", seconds=30, repeatable=True, errors=(402,))
async def change(ctx: Context, input: Change) -> dict[str, object]:
    """Change the plan: upgrade at once, or downgrade at the end of the period. A repeat changes nothing."""
    row = await change_rules.own_live(ctx, input.subId)
    result = await changes.change(ctx, row, input.plan, input.proration_date)
    return {"success": 1, "resource": {"status": 1, "code": 200, "data": result}}


@script(method="DELETE", roles=OWNER, limit="20/hour per account", seconds=30, repeatable=True)
async def cancel(ctx: Context, input: Cancel) -> dict[str, object]:
    """Cancel the subscription at the end of its period. Repeating it is safe."""
    row = await change_rules.own(ctx, input.subId)
    if row is None:
        raise NotFound(f"There is no subscription with the id {input.subId}.", case="no_such_subscription")
    result = await changes.cancel(ctx, row)
    return {"success": 1, "resource": {"status": 1, "code": 200, "data": result}}
