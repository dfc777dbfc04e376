"""Check whether an email address belongs to a business: neither a free nor a disposable domain."""

from __future__ import annotations

from pydantic import BaseModel

from product.accounts import email_domains
from product.context import Context
from tableapi import ANYONE, Invalid, script


class Input(BaseModel):
    email: str


class Result(BaseModel):
    valid: int


class Output(BaseModel):
    result: Result


@script(roles=(ANYONE,), limit="20/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    try:
        email = email_domains.cleaned(input.email)
    except Invalid:
        return Output(result=Result(valid=0))
    return Output(result=Result(valid=int(await email_domains.is_business(ctx, email))))
