"""Hooks of /_table/usersubscription: record a downgrade that starts at the end of the paid period.

Only the subscription and the target plan are taken from the body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from pydantic import BaseModel, Field

from product import audit
from product.accounts import sessions, users
from product.billing import change_rules, prices
from product.billing.rows import OwnSubscription
from product.context import Context
from tableapi import BadRequest, Conflict, FieldError, Forbidden, Invalid, validate

INTENT = {"subscriptionid", "clientid", "downgrade_startson", "type", "planid"}


class Input(BaseModel):
    subscriptionid: int = Field(ge=1, lt=2**63)
    planid: int = Field(ge=1, lt=2**63)
    clientid: int | None = None
    type: str


_RECORD = """
    with changed as (
        update usersubscription set downgrade_planid = $2, downgrade_startson = expirydate
        where subscriptionid = $1 and clientid = $3 returning *)
    select to_jsonb(changed) - array['stripe_itemid', 'stripe_scheduleid'] as row from changed
"""


async def get(ctx: Context, _records: list[dict[str, object]], _options: Mapping[str, object]) -> None:
    """Refuse callers without a session, which may read subscriptions only as an empty relation of plans."""
    if "clientid" not in ctx.actor.values:
        raise sessions.ended()


async def patch(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    """Record a downgrade. Takes one record; a repeat replaces the earlier one."""
    if len(records) != 1:
        raise BadRequest("Send one record.", reason="bad_records", case="one_record")
    intent = validate(Input, records[0])
    await users.own(ctx, clientid=intent.clientid)
    async with ctx.db.transaction():
        row = await change_rules.own_live(ctx, intent.subscriptionid)
        _reject_other_columns(records[0], row)
        if intent.type != "downgrade":
            raise Invalid({"type": FieldError("not_downgrade", "Must be downgrade")})
        plan = await prices.on_sale(ctx, intent.planid)
        if not prices.is_paid(row.price, row.plansku) or not row.autorenew:
            raise Conflict("You have no renewing plan to downgrade from.", reason="not_renewing")
        if plan.planid >= row.planid:
            raise Conflict("This plan is not lower than your current one.", reason="not_a_downgrade")
        await change_rules.must_fit(ctx, row.clientid, plan)
        changed = await ctx.db.value(dict, _RECORD, row.subscriptionid, plan.planid, row.clientid)
        await audit.write(ctx, "plan_downgrade_recorded", plan.planid)
    return [changed]


def _reject_other_columns(record: dict[str, object], row: OwnSubscription) -> None:
    """Raise Forbidden (403) if the record changes any other column."""
    present = asdict(row)
    for name, value in record.items():
        if name not in INTENT and (name not in present or str(present[name]) != str(value)):
            raise Forbidden(f"Field '{name[:100]}' cannot be written. Leave it out.", reason="field_not_writable")
