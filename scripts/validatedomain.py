"""Is an address a business's own: neither a free nor a disposable domain?"""

from __future__ import annotations

from pydantic import BaseModel

from scripts._shared import domains
from tableapi.access import ANYONE
from tableapi.context import Context
from tableapi.errors import Invalid
from tableapi.scripts import script


class Input(BaseModel):
    email: str


class Result(BaseModel):
    valid: int


class Output(BaseModel):
    result: Result


@script(roles=(ANYONE,), limit="20/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    try:
        email = domains.cleaned(input.email)
    except Invalid:
        return Output(result=Result(valid=0))
    return Output(result=Result(valid=int(await domains.is_business(ctx, email))))
