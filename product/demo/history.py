"""Generate ninety days of history for the demo account: reveals, contacts, ledger rows and API calls."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from product.contacts import contact
from product.context import Context
from product.credits.balance import CREDIT, Balances
from product.people import profile_url
from product.people.directory import KINDS, Person

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
# In the form in which a reveal and its check write them.
_CARDS = """
    update usercontact c set title = p.title, company = p.company, company_domain = p.company_domain,
        country = p.country, city = p.city,
        verification = case when c.businessemailcost = 1 then p.verification end,
        checkedon = case when c.businessemailcost = 1 then c.createdon end
    from person p where p.personid = c.personid and c.clientid = $1
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
_AUDIT = """
    insert into auditlog (clientid, appuserid, event, target, detail, createdon)
    values ($1, $2, 'reveal', 'contact ' || $3, jsonb_build_object('kind', $4::text), $5)
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
    """One contact of the history: the person, the kinds revealed, the user and the time."""

    person: Person
    kinds: tuple[str, ...]
    appuserid: int
    when: datetime


async def load(ctx: Context, clientid: int, users: tuple[int, int], keyid: int, people: list[Person]) -> None:
    """Insert the history, and move earlier ledger rows to before its start."""
    rng = random.Random(DAYS)  # noqa: S311 - reproducible on purpose
    history = _story(rng, users, people)
    row = await ctx.db.one(Balances, "select * from usercredit where clientid = $1", clientid)
    left = {column: getattr(row, column) for column in CREDIT.values()}
    for item in history:
        contactid = await _contact(ctx, clientid, item)
        for kind in item.kinds:
            left[CREDIT[kind]] -= 1
            reveal = (clientid, item.person.personid, kind, contactid, item.appuserid, item.when)
            revealid = await ctx.db.first_value(int, _REVEAL, *reveal)
            entry = (CREDIT[kind], left[CREDIT[kind]], str(revealid), item.appuserid, contactid)
            await ctx.db.execute(_LEDGER, clientid, item.when, *entry)
            await ctx.db.execute(_AUDIT, clientid, item.appuserid, str(contactid), kind, item.when)
    await ctx.db.execute(_LINKS, clientid)
    await ctx.db.execute(_CARDS, clientid)
    await ctx.db.execute(_BALANCES, clientid, *left.values())
    await ctx.db.execute(_OLDER_GRANTS, clientid, DAYS + 1)
    await _api_calls(ctx, rng, clientid, keyid)


def _story(rng: random.Random, users: tuple[int, int], people: list[Person]) -> list[Unlocked]:
    """Return the history, oldest first. The owner's contacts include the first person, named `=1+1`."""
    now, story = datetime.now(UTC), []
    for number, person in enumerate([people[0], *rng.sample(people[1:400], CONTACTS - 1)]):
        kinds = [kind for kind in KINDS if person.has(kind)]
        picked = tuple(sorted(rng.sample(kinds, rng.randint(1, len(kinds)))))
        when = now - timedelta(seconds=rng.randrange(3600, DAYS * 86400))
        story.append(Unlocked(person, picked, users[0] if number == 0 else rng.choice(users), when))
    return sorted(story, key=lambda item: item.when)


async def _contact(ctx: Context, clientid: int, item: Unlocked) -> int:
    emails = business_emails = phone_numbers = None
    for kind in item.kinds:
        _, _, business, phones, _ = contact.sealed_values(ctx.vault, item.person, kind)
        business_emails, phone_numbers = business_emails or business, phone_numbers or phones
        if kind != "directdial":
            emails = contact.merged_emails(ctx.vault, item.person, kind, emails)
    phone, work, personal = (int(kind in item.kinds) for kind in KINDS)
    return await ctx.db.value(
        int, _CONTACT,
        clientid, item.person.personid, item.person.full_name,
        profile_url.url_of(item.person.key, ctx.settings.profile_host), emails, business_emails, phone_numbers,
        item.person.validation if work else None, phone, work, personal,
        item.appuserid if work or personal else None, item.appuserid if phone else None, item.when,
    )  # fmt: skip


async def _api_calls(ctx: Context, rng: random.Random, clientid: int, keyid: int) -> None:
    """Insert calls of the demo key. They return values paid for before, so none is charged."""
    now = datetime.now(UTC)
    rows = [
        (clientid, keyid, rng.choice(LOOKUPS), 1, 0, now - timedelta(seconds=rng.randrange(60, DAYS * 86400)))
        for _ in range(CALLS)
    ]
    columns = ("clientid", "apikey", "type", "found", "charged", "createdon")
    async with ctx.db.connection() as connection:
        await connection.copy_records_to_table("apiusage", records=rows, columns=columns)
