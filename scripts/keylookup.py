"""Look up one kind of contact data of a person by API key. A new value costs one credit."""

from __future__ import annotations

import orjson
from pydantic import BaseModel, Field

from product import api_keys, call_limits, callers
from product.callers import Caller
from product.contacts import reveal
from product.context import Context
from product.credits import balance
from product.people import directory, profile_url, search_use
from product.people.directory import Person
from product.people.kinds import KeyKind
from product.sample import answers
from tableapi import script

KIND = {"personalemails": "personalemail", "businessemails": "businessemail", "directdials": "directdial"}


class Input(BaseModel):
    linkedinurl: str = Field(description="The address of a public profile.")
    type: KeyKind = Field(description="The kind of contact data.")
    apikey: str = Field(default="", description="The API key, for programs that cannot send the header `X-API-Key`.")


class Lookup(BaseModel):
    full_name: str
    linkedinurl: str
    personalemails: list[str] = []
    businessemails: list[str] = []
    directdials: list[str] = []


class Output(BaseModel):
    data: Lookup
    charged: int
    credits_left: int


_COUNT = """
    insert into apiusage (clientid, apikey, type, found, charged, personalemailcount, businessemailcount,
                          directdialscount)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
"""


@script(
    method="GET",
    public=True,
    own_key=api_keys.own_key("lookup"),
    limit=f"{call_limits.KEYLOOKUP}, 120/minute per ip",
    tag="Key lookup",
    errors=(402,),
)
@answers.served(answers.keylookup, "lookup", call_limits.KEYLOOKUP)
async def run(ctx: Context, input: Input) -> Output:
    key = await api_keys.live(ctx, api_keys.sent(ctx), "lookup")
    callers.count(ctx, Caller(key.clientid, keyid=key.keyid), call_limits.KEYLOOKUP)
    profilekey = profile_url.typed_key(input.linkedinurl, ctx.settings.profile_host)
    kind = KIND[input.type]
    person = await directory.find(ctx, profilekey)
    match = person if person is not None and person.has(kind) else None
    if match is None:
        await search_use.shown(ctx, key.clientid, [person.personid] if person is not None else [])
    async with reveal.unpaid_is_shown(ctx, key.clientid, match), ctx.db.transaction():
        charged, left, values = await _reveal(ctx, key, match, kind)
        counts = [int(bool(charged) and name == input.type) for name in KIND]
        await ctx.db.execute(_COUNT, key.clientid, key.keyid, input.type, int(match is not None), charged, *counts)
        await api_keys.used(ctx, key.clientid, key.keyid)
    ctx.headers["X-Credits-Remaining"] = str(left)
    url = profile_url.url_of(profilekey, ctx.settings.profile_host)
    data = Lookup.model_validate(
        {"full_name": match.full_name if match else "", "linkedinurl": url, input.type: values}
    )
    return Output(data=data, charged=charged, credits_left=left)


async def _reveal(ctx: Context, key: api_keys.LiveKey, person: Person | None, kind: str) -> tuple[int, int, list[str]]:
    """Return the credits charged, the balance of this kind, and the values."""
    if person is None:
        left = await balance.balances(ctx, key.clientid)
        return 0, getattr(left, balance.CREDIT[kind]), []
    revealed = await reveal.reveal(ctx, person, kind, clientid=key.clientid, keyid=key.keyid)
    if kind == "directdial":
        values = (revealed.contact.phone_numbers or "").split(",")
    else:
        type_ = kind.removesuffix("email")
        values = [item["address"] for item in orjson.loads(revealed.contact.emails or "[]") if item["type"] == type_]
    return revealed.charged, getattr(revealed.credits, balance.CREDIT[kind]), values
