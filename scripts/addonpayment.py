"""Pay for an add-on with a card token, a payment method, or a payment intent confirmed in the browser.

A repeat with the same token returns the result of the first payment. Requests with a card number are rejected, and the
number is neither logged nor stored.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, model_validator

from product import audit, mail
from product.accounts import users
from product.billing import addons, card_guard, customer, prices
from product.billing.rows import PlanRow
from product.context import Context
from product.roles import OWNER
from product.vendors.money import CardRefused, Intent, Missing
from tableapi import Conflict, NotFound, script

BACK = "/dashboard/creditaddons"
CARD = ("card[token]", "payment_method")  # Stripe parameters that contain what the client sent

_FIND = "select * from addonpayment where clientid = $1 and (tokenid = $2 or providerid = $2)"
_KEEP = """
    insert into addonpayment (providerid, clientid, planid, tokenid, amount, currency, status)
    values ($1, $2, $3, $4, $5, $6, 'created') on conflict do nothing
"""
_REQUIRES_ACTION = """
    update addonpayment set status = 'requires_action' where clientid = $1 and providerid = $2 and status = 'created'
"""
_FAILED = "update addonpayment set status = 'failed' where clientid = $1 and providerid = $2 and status <> 'paid'"


@dataclass(frozen=True, slots=True)
class _Found:
    providerid: str
    planid: int
    tokenid: str | None
    status: str
    transactionid: int | None


class Input(BaseModel):
    model_config = ConfigDict(extra="allow")  # the whole body is checked for card numbers

    tokenid: str = Field(min_length=1, max_length=255, pattern=r"^[A-Za-z0-9_]+$")
    planid: int = Field(ge=1, lt=2**63)
    clientid: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _no_card_number(cls, data: object) -> object:
        card_guard.reject(data)
        return data


@script(roles=OWNER, limit="10/hour per account", seconds=30, repeatable=True)
async def run(ctx: Context, input: Input) -> dict[str, object]:
    await users.own(ctx, clientid=input.clientid)
    token, clientid = input.tokenid, ctx.actor.clientid
    row = await ctx.db.first(_Found, _FIND, clientid, token)
    if row is None:
        if token.startswith("pi_"):
            raise NotFound("There is no such payment.", case="no_such_payment")
        intent = await _begin(ctx, await addons.on_sale(ctx, input.planid), token)
        row = await ctx.db.one(_Found, _FIND, clientid, token)
        if row.providerid == intent.id:
            return await _response(ctx, row, await _charge(ctx, intent, token))
        # A simultaneous request stored another payment for this token first; only that one is charged.
    if row.tokenid == token and row.planid != input.planid:
        raise Conflict("This card was just used for another add-on. Enter it again.", reason="token_used")
    return await _response(ctx, row, await _state(ctx, row, token))


async def _begin(ctx: Context, plan: PlanRow, token: str) -> Intent:
    """Create the payment for a token. The idempotency key makes a repeat return the same payment."""
    clientid, amount = ctx.actor.clientid, prices.cents(plan)
    metadata = {"clientid": str(clientid), "planid": str(plan.planid)}

    async def create(custid: str) -> Intent:
        key = f"addon:{clientid}:{plan.planid}:{_digest(token)}:{custid}"
        return await customer.provider(ctx).intent(custid, amount, customer.CURRENCY, metadata, key)

    intent = await customer.known(ctx, clientid, create)
    await ctx.db.execute(_KEEP, intent.id, clientid, plan.planid, token, amount, customer.CURRENCY)
    return intent


async def _state(ctx: Context, row: _Found, token: str) -> Intent | None:
    """Return the current state of an earlier payment, or None if its row is final (paid or failed)."""
    if row.status in ("paid", "failed"):
        return None
    intent = await customer.provider(ctx).intent_state(row.providerid)
    if intent.status in ("requires_payment_method", "requires_confirmation") and row.status == "created":
        return await _charge(ctx, intent, token)  # the first request ended before the card was charged
    return intent


async def _charge(ctx: Context, intent: Intent, token: str) -> Intent | None:
    back = mail.link(ctx, BACK)
    try:
        return await customer.provider(ctx).charge(intent, token, back, f"charge:{intent.id}:{_digest(token)}")
    except CardRefused:
        await _fail(ctx, intent)
        raise
    except Missing as missing:
        if missing.what not in CARD:
            raise
        await _fail(ctx, intent)
        raise CardRefused("Payment Failed") from None


async def _fail(ctx: Context, intent: Intent) -> None:
    await ctx.db.execute(_FAILED, ctx.actor.clientid, intent.id)
    await audit.write(ctx, "addon_refused")


async def _response(ctx: Context, row: _Found, intent: Intent | None) -> dict[str, object]:
    """Build the response: the transaction, or the action that the bank requires. Raises CardRefused (402).

    `intent` is None when the row is final.
    """
    if row.status == "paid":
        return {"result": {"transactionid": row.transactionid}}
    if intent is None:
        raise CardRefused("Payment Failed")
    if intent.status == "requires_action":
        await ctx.db.execute(_REQUIRES_ACTION, ctx.actor.clientid, intent.id)
        facts = {"requires_action": 1, "clientsecret": intent.secret, "url": intent.url, "paymentintentid": intent.id}
        return {"result": facts}
    if intent.status == "processing":
        raise Conflict(
            "The payment is being processed. Its credits will be available in a moment.", reason="processing"
        )
    transactionid = await addons.settle(ctx, intent)
    if transactionid is None:
        raise CardRefused("Payment Failed")
    return {"result": {"transactionid": transactionid}}


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()[:32]
