"""Reveal contact data. Without max_credits it returns the price. Owned kinds are free."""

from __future__ import annotations

from pydantic import BaseModel, Field

from product import api_keys, call_limits
from product.contacts import agents, purchase
from product.contacts.agents import Revealed, Wanted
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances
from product.roles import SESSION
from product.sample import answers
from tableapi import script


class Input(Wanted):
    max_credits: int | None = Field(default=None, ge=0, description="The most to spend; needed to reveal.")


class Output(BaseModel):
    price: int
    charged: int
    credits: Balances
    resource: list[Revealed]
    note: str = ""


@script(
    public=True, roles=SESSION, own_key=api_keys.own_key("enrich"), limit=call_limits.REVEAL, tool="reveal",
    scope="reveal", seconds=60,
    errors=(402,),
)  # fmt: skip
@answers.served(answers.reveal, "enrich", call_limits.REVEAL)
async def run(ctx: Context, input: Input) -> Output:
    caller = await agents.caller(ctx, "enrich", call_limits.REVEAL, "reveal", spends=True)
    kinds = input.kinds
    named, people, price = await agents.quote(ctx, caller, input)
    items = [agents.priced(ctx, each, kinds, price) for each in named]
    if input.max_credits is None:
        left = await balance.balances(ctx, caller.clientid)
        return Output(price=price.price, charged=0, credits=left, resource=items, note=agents.ASK)
    purchase.check_ceiling(price.price, input.max_credits)
    bought, left = await purchase.buy(ctx, caller, people, kinds, price)
    charged = sum(item.charged for item in bought.values())
    shown = [
        item if person is None else agents.revealed(item, person, bought[person.personid])
        for item, (_, person, _) in zip(items, named, strict=True)
    ]
    return Output(price=price.price, charged=charged, credits=left, resource=shown)
