"""List the downvotes on contact data, and decide on them.

A later vote on the same value is open again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from product.context import Context
from product.credits import creditback
from product.desk import log
from product.desk.reason import Reason
from product.roles import STAFF
from tableapi import NotFound, script

MOST = 100

# The value and the note of a vote are sealed; staff decide by kind, reason and profile.
_OPEN = f"""
    select f.feedbackid, f.clientid, c.companyname, u.name, f.type, f.downvotereason, f.linkedin_url, f.createdon
    from contactfeedback f join client c using (clientid) join appuser u using (appuserid)
    left join feedbackdecision d on d.clientid = f.clientid and d.feedbackid = f.feedbackid
    where f.action = 'downvote' and (d.decidedon is null or d.decidedon < f.createdon)
    order by f.createdon, f.feedbackid limit {MOST}
"""  # noqa: S608
_VOTE = "select clientid, personid, type from contactfeedback where feedbackid = $1 and action = 'downvote'"
_KIND = {"personalemail": "personalemail", "businessemail": "businessemail", "phone": "directdial"}
_DECIDE = """
    insert into feedbackdecision as d (feedbackid, clientid, staffid, decision, reason) values ($1, $2, $3, $4, $5)
    on conflict on constraint feedbackdecision_pkey do update set
        decision = excluded.decision, reason = excluded.reason,
        staffid = excluded.staffid, decidedon = excluded.decidedon
"""


@dataclass(frozen=True, slots=True)
class _Vote:
    clientid: int
    personid: int
    type: str


class Vote(BaseModel):
    feedbackid: int
    clientid: int
    companyname: str
    name: str
    type: str
    downvotereason: str
    linkedin_url: str
    createdon: datetime


class Votes(BaseModel):
    resource: list[Vote]


class Input(BaseModel):
    feedbackid: int = Field(ge=1, lt=2**63)
    decision: Literal["accepted", "rejected"]
    reason: Reason


class Output(BaseModel):
    success: int = 1
    decision: str
    creditback: int = 0


@script(method="GET", roles=STAFF, limit="60/minute per session")
async def listed(ctx: Context) -> Votes:
    """List the downvotes without a decision, oldest first."""
    votes = await ctx.db.all(Vote, _OPEN)
    clients = sorted({vote.clientid for vote in votes})
    await log.write(ctx, "read", clients[0] if len(clients) == 1 else None, "feedback", clients=clients)
    return Votes(resource=votes)


@script(roles=STAFF, limit="120/minute per session", repeatable=True)
async def decide(ctx: Context, input: Input) -> Output:
    """Accept or reject a downvote. Accepting it returns the credit of the reveal, once."""
    async with ctx.db.transaction():
        vote = await ctx.db.first(_Vote, _VOTE, input.feedbackid)
        if vote is None:
            raise NotFound(f"There is no vote with the id {input.feedbackid}.", case="no_such_vote")
        clientid, returned = vote.clientid, False
        decision = (input.feedbackid, clientid, ctx.actor.staffid, input.decision, input.reason)
        await ctx.db.execute(_DECIDE, *decision)
        await log.write(ctx, f"feedback_{input.decision}", clientid, input.feedbackid, reason=input.reason)
        if input.decision == "accepted":
            returned = await creditback.give(ctx, clientid, vote.personid, _KIND[vote.type], "decision")
    return Output(decision=input.decision, creditback=int(returned))
