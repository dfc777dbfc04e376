"""End a subscription at the provider that a newer one, or another plan, has taken the place of."""

from __future__ import annotations

from pydantic import BaseModel

from scripts._shared.billing import customer
from scripts._shared.context import Context
from tableapi.endpoints.registry import script


class Input(BaseModel):
    subscription: str


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    await customer.provider(ctx).end(input.subscription)
