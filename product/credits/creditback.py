"""Return the credit for a wrong value, as proved by a check, several accounts, or staff.

Once for each kind of a person and account. The value stays revealed. Automatic returns are limited per account, so that
votes cannot refill a balance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from product import audit, mail
from product import language as languages
from product.accounts import users
from product.context import Context
from product.credits import ledger
from product.credits.balance import CREDIT
from product.people import email_checks, phones

Cause = Literal["proof", "agreement", "decision"]
ACCOUNTS = 3  # accounts that must agree about a value
FREE_PER_MONTH = 10  # credits returned without staff, whatever was revealed; above it a share of the reveals
SHARE = 10  # percent

# The ledger has the reveal, so it was charged.
_CHARGED = """
    select exists (select 1 from reveal r join creditledger l
                   on l.clientid = r.clientid and l.source = 'reveal' and l.source_id = r.revealid::text
                   where r.clientid = $1 and r.personid = $2 and r.kind = $3)
"""
_BOUND = f"""
    select (select count(*) from creditback where clientid = $1 and cause <> 'decision'
            and createdon > now() - interval '30 days')
           < greatest({FREE_PER_MONTH}, (select count(*) * {SHARE} / 100 from reveal where clientid = $1
                                         and createdon > now() - interval '30 days'))
"""  # noqa: S608 - constants
_KEEP = """
    insert into creditback (clientid, personid, kind, cause) values ($1, $2, $3, $4) on conflict do nothing
    returning true
"""
_AGREED = """
    select clientid from contactfeedback
    where personid = $1 and type = $2 and infohash = any($3) and action = 'downvote' group by clientid order by clientid
"""


@dataclass(frozen=True, slots=True)
class _Agreed:
    clientid: int


async def give(ctx: Context, clientid: int, personid: int, kind: str, cause: Cause) -> bool:
    """Return the credit of a reveal, with ledger, audit and mail; return whether it was returned now.

    Inside a transaction; locks the row of usercredit.
    """
    await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
    if not await ctx.db.first_value(bool, _CHARGED, clientid, personid, kind):
        return False
    if cause != "decision" and not await ctx.db.first_value(bool, _BOUND, clientid):
        return False
    if not await ctx.db.first_value(bool, _KEEP, clientid, personid, kind, cause):
        return False
    column = CREDIT[kind]
    await ledger.grant(
        ctx, clientid, {column: 1}, reason="creditback", source="creditback", source_id=str(personid), bought=True
    )
    await audit.write(ctx, "credit_returned", clientid=clientid, kind=kind, cause=cause)
    owner = await users.owner(ctx, clientid)
    if owner is not None:
        language = languages.of(ctx, owner.language)
        values = {"name": owner.name, "kind": mail.kind(language, column), "cause": cause}
        link = mail.link(ctx, "/dashboard/settings/usage")
        await mail.queue(ctx, "creditback", owner.email, link, language=language, **values)
    return True


async def proves_wrong(ctx: Context, type_: str, value: str, country: str) -> bool:
    """Return whether a check proves a value wrong: no mail server, or a number that cannot exist.

    country: of the person, for numbers without a country code. A number that cannot be read is not proved wrong.
    May query the DNS, so never call it inside a transaction.
    """
    if type_ != "phone":
        return email_checks.invalid_proof((await email_checks.check(ctx, value)).reasons)
    return phones.cannot_exist(value, country)


async def agreed(ctx: Context, personid: int, type_: str, hashes: list[bytes], kind: str) -> set[int]:
    """Return the credit to every account that downvoted a value, once enough did.

    Returns those accounts. Inside a transaction.
    """
    clients = [row.clientid for row in await ctx.db.all(_Agreed, _AGREED, personid, type_, hashes)]
    if len(clients) < ACCOUNTS:
        return set()
    return {clientid for clientid in clients if await give(ctx, clientid, personid, kind, "agreement")}
