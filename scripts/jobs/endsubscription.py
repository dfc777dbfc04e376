"""End a subscription at the payment provider that was replaced by another subscription or plan."""

from __future__ import annotations

from pydantic import BaseModel

from product.billing import customer
from product.context import Context
from tableapi import script


class Input(BaseModel):
    subscription: str


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    await customer.provider(ctx).end(input.subscription)
