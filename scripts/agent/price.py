"""Say what a reveal costs, and which kinds the account owns. Free."""

from __future__ import annotations

from pydantic import BaseModel

from product import api_keys, call_limits
from product.contacts import agents
from product.contacts.agents import Revealed, Wanted
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances
from product.roles import SESSION, VIEW
from product.sample import answers
from tableapi import script


class Output(BaseModel):
    price: int
    credits: Balances
    resource: list[Revealed]


@script(
    public=True, roles=(*SESSION, *VIEW), own_key=api_keys.own_key("enrich"), limit=call_limits.PRICE, tool="price",
    scope="read", seconds=60,
    errors=(402,),
)  # fmt: skip
@answers.served(answers.price, "enrich", call_limits.PRICE)
async def run(ctx: Context, input: Wanted) -> Output:
    caller = await agents.caller(ctx, "enrich", call_limits.PRICE, "price")
    named, _, price = await agents.quote(ctx, caller, input)
    left = await balance.balances(ctx, caller.clientid)
    items = [agents.priced(ctx, each, input.kinds, price) for each in named]
    return Output(price=price.price, credits=left, resource=items)
