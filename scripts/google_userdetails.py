"""Return the Google identity behind a ticket or an ID token, and whether it signs in or signs up."""

from __future__ import annotations

from pydantic import BaseModel, model_validator
from pydantic_core import PydanticCustomError

from product.accounts import oauth
from product.accounts.oauth import Details
from product.context import Context
from tableapi import ANYONE, script


class Input(BaseModel):
    access_token: str = ""
    credential: str = ""
    nonce: str = ""

    @model_validator(mode="after")
    def _one_proof(self) -> Input:
        if not self.access_token and not (self.credential and self.nonce):
            raise PydanticCustomError("token_or_credential", "Send either access_token, or credential and nonce")
        return self


@script(roles=(ANYONE,), limit="10/minute per ip")
async def run(ctx: Context, input: Input) -> Details:
    ticket = input.access_token or await oauth.credential_ticket(ctx, input.credential, input.nonce)
    return await oauth.details(ctx, ticket)
