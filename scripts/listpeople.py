"""Return people of a list, with the kinds of data that exist and those that were revealed."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from product.contacts import lists
from product.contacts.lists import MAX_ITEMS, Listed
from product.context import Context
from product.roles import SESSION, VIEW
from tableapi import script


class Input(BaseModel):
    """`text`: part of the name, title or company. `revealed`: every kind of the person, or not every kind."""

    model_config = ConfigDict(extra="forbid")

    listid: int = Field(ge=1, lt=2**63)
    text: str = Field(default="", max_length=100)
    revealed: bool | None = None
    order: lists.Order = "newest"
    limit: int = Field(default=25, ge=1, le=100)
    offset: int = Field(default=0, ge=0, le=MAX_ITEMS)


class Meta(BaseModel):
    count: int


class Output(BaseModel):
    meta: Meta
    resource: Sequence[Listed]


@script(roles=(*SESSION, *VIEW), limit="240/minute per user", errors=(404,))
async def run(ctx: Context, input: Input) -> Output:
    part = lists.Part(input.text.strip(), input.revealed, input.order, input.limit, input.offset)
    count, people = await lists.page(ctx, input.listid, part)
    return Output(meta=Meta(count=count), resource=people)
