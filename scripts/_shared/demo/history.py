"""Ninety days of the demo account: reveals with their contacts, links and ledger rows, and calls of its API key."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from scripts._shared.contacts import contact
from scripts._shared.context import Context
from scripts._shared.credits.balance import CREDIT
from scripts._shared.people import profile_url
from scripts._shared.people.directory import KINDS, Person

DAYS = 90
CONTACTS, CALLS = 131, 120
LOOKUPS = ("personalemails", "businessemails", "directdials")

_CONTACT = """
    insert into usercontact (clientid, personid, name, linkedinurl, emails, business_emails, phone_numbers,
        bus_email_validation, phonecost, businessemailcost, personalemailcost, revealedby, dialrevealedby, createdon)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning contactid
"""
_LINKS = """
    insert into usercontactlink (appuserid, contactid, clientid, createdon, listedon, searchname)
    select coalesce(revealedby, dialrevealedby), contactid, clientid, createdon, createdon, lower(name)
    from usercontact where clientid = $1
"""
_REVEAL = """
    insert into reveal (clientid, personid, kind, contactid, appuserid, createdon) values ($1, $2, $3, $4, $5, $6)
    returning revealid
"""
_LEDGER = """
    insert into creditledger (clientid, createdon, kind, delta, balance_after, reason, source, source_id, actor,
                              contactid)
    values ($1, $2, $3, -1, $4, 'reveal', 'reveal', $5, $6, $7)
"""
_BALANCES = """
    update usercredit set contactcredit = $2, bus_email_credits = $3, personal_email_credits = $4 where clientid = $1
"""
_OLDER_GRANTS = """
    update creditledger set createdon = now() - make_interval(days => $2)
    where clientid = $1 and source <> 'reveal'
"""


@dataclass(frozen=True, slots=True)
class Unlocked:
    """One contact of the history: who unlocked which kinds of whom, and when."""

    person: Person
    kinds: tuple[str, ...]
    who: int
    when: datetime


async def load(ctx: Context, clientid: int, users: tuple[int, int], keyid: int, people: list[Person]) -> None:
    """Write the history; what was granted before is dated back to before it."""
    dice = random.Random(DAYS)  # noqa: S311 - the same every time is the point
    history = _story(dice, users, people)
    row: Any = await ctx.db.fetchrow("select * from usercredit where clientid = $1", clientid)
    left = {column: row[column] for column in CREDIT.values()}
    for one in history:
        contactid = await _contact(ctx, clientid, one)
        for kind in one.kinds:
            left[CREDIT[kind]] -= 1
            what = (clientid, one.person.personid, kind, contactid, one.who, one.when)
            revealid = await ctx.db.fetchval(_REVEAL, *what)
            booked = (CREDIT[kind], left[CREDIT[kind]], str(revealid), one.who, contactid)
            await ctx.db.execute(_LEDGER, clientid, one.when, *booked)
    await ctx.db.execute(_LINKS, clientid)
    await ctx.db.execute(_BALANCES, clientid, *left.values())
    await ctx.db.execute(_OLDER_GRANTS, clientid, DAYS + 1)
    await _api_calls(ctx, dice, clientid, keyid)


def _story(dice: random.Random, users: tuple[int, int], people: list[Person]) -> list[Unlocked]:
    """Oldest first. The first person, the one called =1+1, is among the owner's."""
    now, story = datetime.now(UTC), []
    for number, person in enumerate([people[0], *dice.sample(people[1:400], CONTACTS - 1)]):
        kinds = [kind for kind in KINDS if person.has(kind)]
        picked = tuple(sorted(dice.sample(kinds, dice.randint(1, len(kinds)))))
        when = now - timedelta(seconds=dice.randrange(3600, DAYS * 86400))
        story.append(Unlocked(person, picked, users[0] if number == 0 else dice.choice(users), when))
    return sorted(story, key=lambda one: one.when)


async def _contact(ctx: Context, clientid: int, one: Unlocked) -> int:
    emails = business_emails = phone_numbers = None
    for kind in one.kinds:
        _, _, business, phones, _ = contact.sealed_values(ctx.vault, one.person, kind)
        business_emails, phone_numbers = business_emails or business, phone_numbers or phones
        if kind != "directdial":
            emails = contact.merged_emails(ctx.vault, one.person, kind, emails)
    phone, work, personal = (int(kind in one.kinds) for kind in KINDS)
    contactid: int = await ctx.db.fetchval(
        _CONTACT,
        clientid, one.person.personid, one.person.full_name,
        profile_url.url_of(one.person.key, ctx.settings.profile_host), emails, business_emails, phone_numbers,
        one.person.validation if work else None, phone, work, personal,
        one.who if work or personal else None, one.who if phone else None, one.when,
    )  # fmt: skip
    return contactid


async def _api_calls(ctx: Context, dice: random.Random, clientid: int, keyid: int) -> None:
    """Calls of the demo key. They found what was paid for before, so none of them was charged."""
    now = datetime.now(UTC)
    rows = [
        (clientid, keyid, dice.choice(LOOKUPS), 1, 0, now - timedelta(seconds=dice.randrange(60, DAYS * 86400)))
        for _ in range(CALLS)
    ]
    columns = ("clientid", "apikey", "type", "found", "charged", "createdon")
    async with ctx.db.connection() as connection:
        await connection.copy_records_to_table("apiusage", records=rows, columns=columns)
