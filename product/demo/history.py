"""Generate ninety days of history for the demo account: reveals, contacts, ledger rows and API calls."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from product.contacts import contact
from product.context import Context
from product.credits.balance import CREDIT, Balances
from product.people import profile_url
from product.people.directory import KINDS, Person

DAYS = 90
CONTACTS, CALLS, PEOPLE = 900, 120, 1000  # of the first PEOPLE people; the others are left to reveal
LOOKUPS = ("personalemails", "businessemails", "directdials")

_CONTACT = (
    "contactid", "clientid", "personid", "name", "linkedinurl", "emails", "business_emails", "phone_numbers",
    "bus_email_validation", "phonecost", "businessemailcost", "personalemailcost", "revealedby", "dialrevealedby",
    "createdon",
)  # fmt: skip
_REVEAL = ("revealid", "clientid", "personid", "kind", "contactid", "appuserid", "createdon")
_LEDGER = (
    "clientid", "createdon", "kind", "delta", "balance_after", "reason", "source", "source_id", "actor", "contactid",
)  # fmt: skip
_IDS = "select nextval(pg_get_serial_sequence($1, $2)) as id from generate_series(1, $3)"
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
_AUDIT = """
    insert into auditlog (clientid, appuserid, event, target, detail, createdon)
    select clientid, appuserid, 'reveal', 'contact ' || contactid, jsonb_build_object('kind', kind), createdon
    from reveal where clientid = $1
"""
_LIST = """
    with made as (
        insert into contactlist (clientid, appuserid, name, shared) values ($1, $2, 'Heads of sales, Europe', 1)
        returning listid
    )
    insert into contactlistitem (listid, clientid, personid, linkedinurl, full_name, title, company, country, tags,
                                 note, addedby, createdon)
    select listid, $1, personid, $4 || profilekey, full_name, title, company, country,
           case n % 3 when 0 then array['Q1'] when 1 then array['Q1', 'Champion'] else '{}' end,
           case when n = 1 then 'Met at the fair in Hamburg, asked for an offer' else '' end, $3,
           now() - make_interval(hours => n * 5)
    from made, (
        select p.*, row_number() over (order by personid desc)::integer as n from person p
        where title = 'Head of Sales' and country in ('DEU', 'FRA', 'GBR', 'NLD')
    ) chosen where n <= 16
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


async def load(ctx: Context, clientid: int, users: Sequence[int], keyid: int, people: list[Person]) -> None:
    """Insert the history, and move earlier ledger rows to before its start. users: the owner, then others."""
    rng = random.Random(DAYS)  # noqa: S311 - reproducible on purpose
    story = _story(rng, users, people)
    row = await ctx.db.one(Balances, "select * from usercredit where clientid = $1", clientid)
    left = {column: getattr(row, column) for column in CREDIT.values()}
    async with ctx.db.connection() as connection:

        async def ids(table: str, column: str, count: int) -> list[int]:
            return [found["id"] for found in await connection.fetch(_IDS, table, column, count)]

        numbered = list(zip(await ids("usercontact", "contactid", len(story)), story, strict=True))
        bought = [(contactid, item, kind) for contactid, item in numbered for kind in item.kinds]
        revealids = await ids("reveal", "revealid", len(bought))
        reveals = [
            (revealid, clientid, item.person.personid, kind, contactid, item.appuserid, item.when)
            for revealid, (contactid, item, kind) in zip(revealids, bought, strict=True)
        ]
        spent = []
        for revealid, _, _, kind, contactid, appuserid, when in reveals:
            left[CREDIT[kind]] -= 1
            balance = (CREDIT[kind], -1, left[CREDIT[kind]])
            spent.append((clientid, when, *balance, "reveal", "reveal", str(revealid), appuserid, contactid))
        contacts = [_contact(ctx, clientid, *one) for one in numbered]
        await connection.copy_records_to_table("usercontact", records=contacts, columns=_CONTACT)
        await connection.copy_records_to_table("reveal", records=reveals, columns=_REVEAL)
        await connection.copy_records_to_table("creditledger", records=spent, columns=_LEDGER)
    for sql in (_AUDIT, _LINKS, _CARDS):
        await ctx.db.execute(sql, clientid)
    await ctx.db.execute(_BALANCES, clientid, *left.values())
    await ctx.db.execute(_OLDER_GRANTS, clientid, DAYS + 1)
    await ctx.db.execute(_LIST, clientid, users[0], users[1], profile_url.url_of("", ctx.settings.profile_host))
    await _api_calls(ctx, rng, clientid, keyid)


def _story(rng: random.Random, users: Sequence[int], people: list[Person]) -> list[Unlocked]:
    """Return the history, oldest first: more and more reveals.

    The same on every day, apart from the times. The owner's contacts include the first person, named `=1+1`.
    """
    now, story = datetime.now(UTC), []
    for number, person in enumerate([people[0], *rng.sample(people[1:PEOPLE], CONTACTS - 1)]):
        kinds = [kind for kind in KINDS if person.has(kind)]
        picked = tuple(sorted(rng.sample(kinds, rng.randint(max(1, len(kinds) - 1), len(kinds)))))
        when = now - timedelta(seconds=3600 + rng.random() ** 2 * (DAYS * 86400 - 7200))
        [appuserid] = rng.choices(users, (2, 3, 2))
        story.append(Unlocked(person, picked, users[0] if number == 0 else appuserid, when))
    return sorted(story, key=lambda item: item.when)


def _contact(ctx: Context, clientid: int, contactid: int, item: Unlocked) -> tuple[object, ...]:
    emails = business_emails = phone_numbers = None
    for kind in item.kinds:
        _, _, business, phones, _ = contact.sealed_values(ctx.vault, item.person, kind)
        business_emails, phone_numbers = business_emails or business, phone_numbers or phones
        if kind != "directdial":
            emails = contact.merged_emails(ctx.vault, item.person, kind, emails)
    phone, work, personal = (int(kind in item.kinds) for kind in KINDS)
    return (
        contactid, clientid, item.person.personid, item.person.full_name,
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
