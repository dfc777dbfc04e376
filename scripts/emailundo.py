"""Show what the link in the notice of a changed address undoes and, when confirmed, undo it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from product.accounts import former_addresses
from product.context import Context
from tableapi import ANYONE, NotFound, script

EXPIRED = "The Code for this link has expired,Please try with latest"


class Input(BaseModel):
    code: str
    confirm: bool = False


class Output(BaseModel):
    """`state` is `open` before, and `used` after.

    changed: whether the new address is that of the account by now.
    """

    success: int = 1
    state: Literal["open", "used"]
    email: str
    newemail: str
    changed: bool


@script(roles=(ANYONE,), limit="10/minute per ip", errors=(404,))
async def run(ctx: Context, input: Input) -> Output:
    code = input.code.strip()
    former = await former_addresses.find(ctx, code)
    if former is None or former.state == "expired":
        raise NotFound(EXPIRED, case="code_expired")
    state: Literal["open", "used"] = "used" if former.state == "used" else "open"
    if input.confirm and state == "open":
        async with ctx.db.transaction():
            undone = await former_addresses.undo(ctx, code)
        if undone is None:
            raise NotFound(EXPIRED, case="code_expired")
        state = "used"
    return Output(state=state, email=former.email, newemail=former.newemail, changed=former.changedon is not None)
