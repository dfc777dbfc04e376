"""The reveal transaction (safe-contract §5): one credit for one kind of data of one person, once per client for ever.

The same core serves the app (getcontact), customers' keys (keylookup) and bulk jobs. What happens inside the database
is the function reveal_contact of schema.sql; here are the values that only this side can seal and open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scripts._shared.contacts.contact import Contact, merged_emails, opened, sealed_values
from scripts._shared.context import Context
from scripts._shared.credits import balance
from scripts._shared.credits.balance import Balances
from scripts._shared.people import profile_url
from scripts._shared.people.directory import Person
from tableapi.observability import metrics

_REVEAL = "select reveal_contact($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
_PRESENT = "select emails from usercontact where contactid = $1 for update"
_MERGED = "update usercontact set emails = $2 where contactid = $1"


@dataclass(frozen=True, slots=True)
class Revealed:
    """The contact after the reveal, whether it cost a credit, and what is left."""

    contact: Contact
    charged: int
    credits: Balances


async def reveal(
    ctx: Context, person: Person, kind: str, *, clientid: int, appuserid: int | None = None, keyid: int | None = None
) -> Revealed:
    """Reveal one kind for a client, by one of its users or keys. Raises NoCredit or SubscriptionExpired (402)."""
    url = profile_url.url_of(person.key, ctx.settings.profile_host)
    sealed = sealed_values(ctx.vault, person, kind)
    who = (clientid, person.personid, kind, appuserid, keyid, ctx.request.ip or None)
    made: Any = await ctx.db.fetchval(_REVEAL, *who, person.full_name, url, *sealed)
    left = balance.of_row(made["credits"])
    if made["outcome"] in ("no_credit", "expired"):
        raise balance.refusal(kind, left, live=made["outcome"] == "no_credit")
    if made["unmerged"]:
        made["contact"]["emails"] = await _merge(ctx, made["contact"]["contactid"], person, kind)
    charged = int(made["outcome"] == "charged")
    if charged:
        metrics.event("credits_spent", kind)
    if charged and getattr(left, balance.CREDIT[kind]) == 0:
        await ctx.later("tellcredits")  # the clock would find it too, five minutes later
    return Revealed(opened(ctx, made["contact"]), charged, left)


async def _merge(ctx: Context, contactid: int, person: Person, kind: str) -> str:
    """Put the addresses of one kind beside those of the other that the contact holds and the directory has lost."""
    async with ctx.db.transaction():
        present = await ctx.db.fetchval(_PRESENT, contactid)
        merged = merged_emails(ctx.vault, person, kind, present)
        await ctx.db.execute(_MERGED, contactid, merged)
    return merged
