"""Find a work e-mail address by name and domain, with an API key. A new one costs one credit."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError
from starlette.responses import Response

from product import api_keys, call_limits, callers, idempotent
from product.callers import Caller
from product.contacts import enrichment, purchase
from product.context import Context
from product.credits import balance
from product.people import search_terms
from product.sample import answers
from tableapi import script

KINDS = ["businessemail"]


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    domain: str = Field(min_length=3, max_length=253)
    max_credits: int | None = Field(default=None, ge=0)

    @field_validator("domain")
    @classmethod
    def _domain(cls, value: str) -> str:
        if not search_terms.is_domain(search_terms.domain_of(value)):
            raise PydanticCustomError("domain_invalid", "Must be the domain of a company, such as acme.com")
        return value


class Output(BaseModel):
    email: str | None = None
    verification: str = "unknown"
    checkedon: datetime | None = None
    reasons: list[str] = []
    charged: int = 0
    credits_left: int


@script(
    public=True,
    own_key=api_keys.own_key("enrich"),
    limit=f"{call_limits.FINDEMAIL}, 120/minute per ip",
    tag="Enrichment",
    errors=(402, 409),
)
@answers.served(answers.findemail, "enrich", call_limits.FINDEMAIL)
async def run(ctx: Context, input: Input) -> Output | Response:
    caller = await callers.by_key(ctx, "enrich", call_limits.FINDEMAIL)
    return await idempotent.once(ctx, caller.keyid or 0, input, lambda: _find(ctx, caller, input))


async def _find(ctx: Context, caller: Caller, input: Input) -> Output:
    address = callers.Addresses(ctx, caller, 1)
    match = await enrichment.by_name(ctx, input.name, input.domain)
    people = [match.person] if match.person is not None else []
    price = await purchase.quote(ctx, caller.clientid, people, KINDS)
    if not any(KINDS[0] in owned for owned in price.owned.values()):
        # Whether there is an address is sold, so these errors come with or without one.
        purchase.check_ceiling(1, input.max_credits)
        left = await balance.balances(ctx, caller.clientid)
        if not left.bus_email_credits:
            raise balance.spending_error(KINDS[0], left, live=True)
    ctx.headers["X-Credits-Price"] = str(price.price)
    bought, left = await purchase.buy(ctx, caller, people, KINDS, price)
    await enrichment.count_use(ctx, caller, [match], KINDS, bought)
    output = Output(credits_left=left.bus_email_credits, reasons=[match.why or "no_data"])
    for item in bought.values():
        if item.unpaid:
            raise balance.spending_error(KINDS[0], left, live=True)
        if not item.revealed:
            continue
        address.paid(1)
        first = item.checks["businessemail"][0]
        output = output.model_copy(
            update={
                "email": first.address, "verification": first.verification, "checkedon": first.checkedon,
                "reasons": list(first.reasons), "charged": item.charged,
            }
        )  # fmt: skip
    ctx.headers |= {"X-Credits-Charged": str(output.charged), "X-Credits-Remaining": str(output.credits_left)}
    return output
