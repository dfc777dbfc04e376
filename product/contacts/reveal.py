"""Reveal one kind of contact data of a person for one credit, charged once per account.

Serves the app (getcontact), API keys (keylookup) and bulk jobs. The SQL function reveal_contact of schema.sql does the
work in one statement; this module supplies the encrypted values, because only the server process has the keys.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pydantic import BaseModel

from product.contacts.contact import Contact, merged_emails, opened, sealed_values
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances, NoCredit, SubscriptionExpired
from product.people import profile_url, search_use
from product.people.directory import Person
from tableapi import count_event

_REVEAL = f"select reveal_contact({', '.join(f'${number}' for number in range(1, 19))})"
# The setting lasts as long as the statement, and the function writes it into the ledger.
_REVEAL_BY_TOOL = f"""
    with named as materialized (select set_config('product.tool', $19, true) as tool)
    {_REVEAL} from named where tool is not null
"""  # noqa: S608 - a constant
_PRESENT = "select emails from usercontact where clientid = $1 and contactid = $2 for update"
_MERGED = "update usercontact set emails = $3 where clientid = $1 and contactid = $2"


@asynccontextmanager
async def unpaid_is_shown(ctx: Context, clientid: int, person: Person | None) -> AsyncIterator[None]:
    """Count a person as shown if the enclosed reveal has no credits.

    The error tells that the kind exists. A paid reveal is not counted: credits limit it. Raises TooMany (429)
    instead of the reveal's error.
    """
    try:
        yield
    except (NoCredit, SubscriptionExpired):
        await search_use.shown(ctx, clientid, [person.personid] if person is not None else [])
        raise


class _Outcome(BaseModel):
    """The result of reveal_contact. Without a contact, the reveal could not be paid for."""

    outcome: str
    credits: Balances | None
    contact: Contact | None = None
    unmerged: bool = False


@dataclass(frozen=True, slots=True)
class Revealed:
    """The contact after the reveal, the credits charged (0 or 1) and the balances left."""

    contact: Contact
    charged: int
    credits: Balances


async def reveal(
    ctx: Context,
    person: Person,
    kind: str,
    *,
    clientid: int,
    appuserid: int | None = None,
    keyid: int | None = None,
    tool: str = "",
) -> Revealed:
    """Reveal one kind of data for an account, on behalf of one of its users or API keys.

    Raises:
        NoCredit: the balance of the kind is 0 (402).
        SubscriptionExpired: the account has no live subscription (402).
    """
    url = profile_url.url_of(person.key, ctx.settings.profile_host)
    sealed = sealed_values(ctx.vault, person, kind)
    target = (clientid, person.personid, kind, appuserid, keyid, ctx.request.ip or None)
    described = (person.title, person.company, person.company_domain, person.country, person.city)
    values = (*target, person.full_name, url, *sealed, *described)
    sql, arguments = (_REVEAL_BY_TOOL, (*values, tool)) if tool else (_REVEAL, values)
    result = _Outcome.model_validate(await ctx.db.value(dict, sql, *arguments))
    balances = result.credits or balance.of_row(None)
    if result.contact is None:
        raise balance.spending_error(kind, balances, live=result.outcome == "no_credit")
    contact = result.contact
    if result.unmerged:
        merged = await _merge(ctx, clientid, contact.contactid, person, kind)
        contact = contact.model_copy(update={"emails": merged})
    charged = int(result.outcome == "charged")
    if charged:
        count_event("credits_spent", kind)
    if charged and getattr(balances, balance.CREDIT[kind]) == 0:
        await ctx.later("tellcredits")  # at once, instead of at the next scheduled run
    return Revealed(opened(ctx, contact), charged, balances)


async def _merge(ctx: Context, clientid: int, contactid: int, person: Person, kind: str) -> str:
    """Merge addresses of one kind into a contact that has addresses no longer in the directory."""
    async with ctx.db.transaction():
        present = await ctx.db.first_value(str, _PRESENT, clientid, contactid)
        merged = merged_emails(ctx.vault, person, kind, present)
        await ctx.db.execute(_MERGED, clientid, contactid, merged)
    return merged
