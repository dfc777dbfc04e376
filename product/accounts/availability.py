"""Check whether an email address can still be used to sign up, for two calls that share one limit."""

from __future__ import annotations

from pydantic import BaseModel

from product.accounts import email_domains, signup
from product.context import Context
from product.roles import OWNER


class Input(BaseModel):
    email: str


class Result(BaseModel):
    exists: int
    available: int


class Output(BaseModel):
    result: Result


async def check(ctx: Context, input: Input) -> Output:
    """Return whether the address is taken. Both calls count against the same limits.

    Invitations by an owner are counted by account, separately from sign-ups from the same network.
    """
    if ctx.actor.role in OWNER:
        ctx.limit("checkemail owner minute", str(ctx.actor.clientid), 30, 60)
        ctx.limit("checkemail owner day", str(ctx.actor.clientid), 300, 86400)
    else:
        ctx.limit("checkemail minute", ctx.request.network, 5, 60)
        ctx.limit("checkemail day", ctx.request.network, 30, 86400)
    email = await email_domains.business(ctx, input.email)
    taken = ctx.settings.signup_discloses and await signup.exists(ctx, email)
    return Output(result=Result(exists=int(taken), available=int(not taken)))
