"""List the caller's identities at sign-in providers, and remove one of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from product import audit
from product.accounts import proof
from product.context import Context
from product.roles import SESSION
from product.success import Output
from tableapi import Conflict, NotFound, script

_LIST = """
    select identityid, provider, email, createdon from socialaccount where appuserid = $1
    order by createdon, identityid
"""
_REMOVE = "delete from socialaccount where identityid = $1 and appuserid = $2 returning provider"


class Removal(proof.Proof):
    identityid: int = Field(ge=1, lt=2**63)


# A dataclass, because rows are read into it; its docstring would appear in the API description.
@dataclass(frozen=True, slots=True)
class Identity:
    identityid: int
    provider: Literal["google", "linkedin"]
    email: str | None
    createdon: datetime


class Identities(BaseModel):
    """`email` is the address at the provider when it was linked; null for identities of earlier releases."""

    resource: list[Identity]


@script(method="GET", roles=SESSION)
async def read(ctx: Context) -> Identities:
    """List the identities, oldest first."""
    return Identities(resource=await ctx.db.all(Identity, _LIST, ctx.actor.appuserid))


@script(method="DELETE", roles=SESSION)
async def remove(ctx: Context, input: Removal) -> Output:
    """Remove an identity. A later sign-in with the address of the account links it again."""
    user = await proof.proved_caller(ctx, input)
    async with ctx.db.transaction():
        linked = [row.identityid for row in await ctx.db.all(Identity, _LIST + " for update", user.appuserid)]
        if input.identityid not in linked:
            raise NotFound(f"There is no identity with the id {input.identityid}.", case="no_such_identity")
        if user.password is None and len(linked) == 1:
            raise Conflict(
                "You sign in with this identity only. Set a password first, with Forgot password.",
                reason="last_identity",
            )
        provider = await ctx.db.value(str, _REMOVE, input.identityid, user.appuserid)
        await audit.write(ctx, "identity_removed", provider)
    return Output()
