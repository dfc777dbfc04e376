"""Find clients, and collect the data that the desk shows about one.

Every statement is bounded and served by an index.
"""

from __future__ import annotations

import re
from datetime import datetime

from pydantic import BaseModel

from product.accounts.users import User
from product.context import Context
from tableapi import NotFound

MAX_FOUND = 20
_ID = re.compile(r"\d{1,18}")
_DOMAIN = re.compile(r"@?([^@\s]+\.[^@\s.]+)")
_LAST = chr(0x10FFFF)

# $1: the text in lower case, $2: an id, $3: a domain, $4 and $5: the bounds of names that begin with the text.
_FIND = """
    with found as (
        (select clientid, 1 as rank from client where stripe_custid = $6)
        union all (select clientid, 1 from client where clientid = $2)
        union all (select clientid, 2 from appuser where appuserid = $2)
        union all (select clientid, 1 from appuser where lower(email) = $1 limit 20)
        union all (select clientid, 3 from appuser where lower(split_part(email, '@', 2)) = $3 order by appuserid
                   limit 200)
        union all (select clientid, 2 from client where lower(companyname) ~>=~ $4 and lower(companyname) ~<~ $5
                   limit 40)
        union all (select clientid, 3 from appuser where lower(name) ~>=~ $4 and lower(name) ~<~ $5 limit 40)
    ), best as (
        select clientid, min(rank) as rank from found group by clientid order by 2, 1 limit $7
    )
    select c.clientid, c.companyname, c.country, c.createdon, u.name as owner, u.email, p.name as plan, s.status
    from best b join client c using (clientid)
    left join appuser u on u.clientid = c.clientid and u.role = 'client' and u.isdeleted = 0
    left join usersubscription s on s.clientid = c.clientid and s.isactive = 1
    left join subscriptionplan p on p.planid = s.planid
    order by b.rank, c.clientid
"""

_CLIENT = "select to_jsonb(c) as row from client c where clientid = $1"
_PARTS = {
    "users": """
        select appuserid, name, email, role, isactive, isdeleted, isverified, invitestatus, lastloginon, createdon,
               (mfacipher is not null)::int as hasmfa
        from appuser where clientid = $1 order by isdeleted, role = 'client' desc, createdon desc limit 200
    """,
    "credits": "select * from usercredit where clientid = $1",
    "subscriptions": """
        select s.subscriptionid, s.planid, p.name as plan, p.price, s.status, s.isactive, s.autorenew, s.startdate,
               s.expirydate, s.graceuntil, s.downgrade_planid, s.downgrade_startson, s.stripe_subid
        from usersubscription s join subscriptionplan p using (planid)
        where s.clientid = $1 order by s.isactive desc, s.createdon desc limit 20
    """,
    "customplans": """
        select p.planid, p.name, p.sku, c.clientid is not null as assigned
        from subscriptionplan p left join clientplan c on c.planid = p.planid and c.clientid = $1
        where p.isaddon = 0 and p.isactive = 1 and p.sku like 'custom\\_%' and p.sku <> 'custom_trial' order by p.planid
    """,
    "ledger": """
        (select * from creditledger where clientid = $1 and kind = 'contactcredit' order by createdon desc
         limit 50)
        union all (select * from creditledger where clientid = $1 and kind = 'bus_email_credits' order by createdon desc
                   limit 50)
        union all (select * from creditledger where clientid = $1 and kind = 'personal_email_credits'
                   order by createdon desc limit 50)
        order by createdon desc, ledgerid desc limit 50
    """,
    "payments": """
        select transactionid, invoicenumber, transactiondate, planname, isaddon, price, currency, status, refunded,
               receipts, providerid
        from transactionhistory where clientid = $1 order by transactiondate desc limit 50
    """,
    "sessions": """
        select s.usersessionid, s.appuserid, u.name, u.email, s.createdon, s.lastused, s.ip, s.useragent
        from usersession s join appuser u using (appuserid)
        where s.clientid = $1 and s.revokedon is null and s.expireson > now()
          and s.lastused > now() - interval '24 hours' order by s.lastused desc limit 200
    """,
    "audit": """
        select auditid, createdon, event, target, appuserid, keyid, staffid, ip, detail from auditlog
        where clientid = $1 order by createdon desc, auditid desc limit 50
    """,
    "keys": """
        select keyid, name, purpose, isactive, isdeleted, lastused, createdon from apikeys
        where clientid = $1 order by isdeleted, createdon desc limit 100
    """,
    "reveals": """
        select kind, count(*) as count, count(*) filter (where keyid is not null) as bykeys from reveal
        where clientid = $1 and createdon > now() - interval '30 days' group by kind order by kind
    """,
}


class Client(BaseModel):
    clientid: int
    companyname: str
    country: str | None
    createdon: datetime
    owner: str | None
    email: str | None
    plan: str | None
    status: str | None


async def find(ctx: Context, text: str) -> tuple[list[Client], bool]:
    """Return at most 20 clients for a text, best first, and whether there are more.

    The text is an e-mail address, the beginning of the name of a company or user, a domain, the id of a client or user,
    or a Stripe customer.
    """
    lower = text.lower()
    ident = int(text) if _ID.fullmatch(text) else None
    domain = _DOMAIN.fullmatch(lower)
    prefix = None if ident is not None or "@" in text else lower
    end = None if prefix is None else prefix + _LAST
    values = (lower, ident, domain[1] if domain else None, prefix, end, text)
    rows = await ctx.db.all(Client, _FIND, *values, MAX_FOUND + 1)
    return rows[:MAX_FOUND], len(rows) > MAX_FOUND


async def overview(ctx: Context, clientid: int) -> dict[str, object]:
    """Return the desk's overview of a client: lists by name, each bounded.

    Raises:
        NotFound: there is no such client (404).
    """
    client = await ctx.db.first_value(dict, _CLIENT, clientid)
    if client is None:
        raise NotFound(f"There is no client with the id {clientid}.", case="no_such_client")
    parts: dict[str, object] = {"client": client}
    for name, sql in _PARTS.items():
        parts[name] = [dict(row) for row in await ctx.db.fetch(sql, clientid)]
    return parts


async def user(ctx: Context, appuserid: int) -> User:
    """Return a user that is not deleted, from any client.

    Raises:
        NotFound: there is no such user (404).
    """
    row = await ctx.db.first(User, "select * from appuser where appuserid = $1 and isdeleted = 0", appuserid)
    if row is None:
        raise NotFound(f"There is no user with the id {appuserid}.", case="no_such_user")
    return row
