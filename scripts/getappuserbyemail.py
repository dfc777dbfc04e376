"""Return the state of a user to the holder of a mailed token, the user itself or the account's owner."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import BaseModel

from product import emails
from product.accounts import users
from product.context import Context
from tableapi import ANYONE, script


class Input(BaseModel):
    email: str
    checktoken: str = ""


class State(BaseModel):
    appuserid: int
    name: str
    email: str
    isverified: int
    isactive: int
    invitestatus: str
    isdeleted: int


class Output(BaseModel):
    resource: list[State]


@script(roles=(ANYONE,), limit="30/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    email = emails.normal(input.email)
    user = await users.proved(ctx, email, input.checktoken, "check", "invite", "verify")
    if user is None and "appuserid" in ctx.actor.values:
        candidate = await users.by_email(ctx, email)
        user = candidate if candidate is not None and _may_see(ctx, candidate) else None
    return Output(resource=[] if user is None else [State.model_validate(asdict(user))])


def _may_see(ctx: Context, user: users.User) -> bool:
    own_team = ctx.actor.role == "client" and user.clientid == ctx.actor.clientid
    return bool(own_team or user.appuserid == ctx.actor.appuserid)
