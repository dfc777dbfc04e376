"""Count the people that newly match the saved searches of the caller, and mark one search as seen."""

from __future__ import annotations

from pydantic import BaseModel, Field

from product.context import Context
from product.people import saved
from product.roles import SESSION
from tableapi import NotFound, script


class Input(BaseModel):
    seen: int | None = Field(default=None, ge=1, lt=2**63)


class News(BaseModel):
    savedsearchid: int
    new: int
    estimated: bool


class Output(BaseModel):
    resource: list[News]


@script(roles=SESSION, limit="30/minute per user", repeatable=True)
async def run(ctx: Context, input: Input) -> Output:
    if input.seen is not None and not await saved.opened(ctx, input.seen):
        raise NotFound("You have no such saved search.", case="no_such_search")
    return Output(resource=[News.model_validate(each) for each in await saved.news(ctx)])
