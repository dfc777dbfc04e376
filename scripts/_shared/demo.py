"""The demo account: owner, member, plan, ninety days of reveals, API usage and invoices. The same every time.

Only made-up people (demopeople.py) and only with DEMO=1. What is loaded once is not touched again.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

from scripts._shared import demohistory, demopeople, passwords, plans
from scripts._shared.grants import grant
from tableapi.context import Context

OWNER, MEMBER, PASSWORD = "owner@acme-demo.com", "member@acme-demo.com", "Demo1234"
PLAN = 4  # Business: with API access
_TEAM = (
    ("Max", "Member", MEMBER, "member", 1, 1, "accepted"),
    ("Ada", "Admin", "admin@acme-demo.com", "admin", 1, 1, "accepted"),
    ("Dora", "Disabled", "disabled@acme-demo.com", "member", 0, 1, "accepted"),
    ("Ivan", "Invited", "invited@acme-demo.com", "member", 0, 0, "pending"),
)


async def load(ctx: Context) -> None:
    """Make the demo account, unless one of its users is there: each of them may have changed the address."""
    emails = [OWNER, *(email for _, _, email, *_ in _TEAM)]
    if await ctx.db.fetchval("select exists (select 1 from appuser where lower(email) = any($1))", emails):
        return
    people = await demopeople.load(ctx)
    clientid, owner, member = await _account(ctx)
    plan: Any = await ctx.db.fetchrow("select * from subscriptionplan where planid = $1", PLAN)
    await plans.start(ctx, clientid, plan, "demo")
    await _invoices(ctx, clientid, plan)
    keyid = await _key(ctx, clientid)
    await demohistory.load(ctx, clientid, (owner, member), keyid, people)
    await plans.make_room(ctx, clientid, PLAN)


async def _account(ctx: Context) -> tuple[int, int, int]:
    clientid: int = await ctx.db.fetchval(
        "insert into client (companyname, phonenumber, country, salespeoplecount, requiredleadcount, department, taxid,"
        " billingaddress) values ('Acme Demo Inc', '12025550100', 'USA', 12, 500, 'Sales', 'US-00-0000000',"
        " '1 Demo Street, Springfield') returning clientid"
    )
    await ctx.db.execute("insert into usercredit (clientid) values ($1)", clientid)
    hashed = await passwords.hashed(PASSWORD)
    sql = """
        insert into appuser (clientid, name, firstname, lastname, email, role, isactive, isverified, invitestatus,
                             password, termsacceptedon, welcomedon)
        values ($1, $2 || ' ' || $3, $2, $3, $4, $5, $6, $7, $8, $9, now(), now()) returning appuserid
    """
    ids = []
    for first, last, email, role, active, verified, status in (
        ("Olivia", "Owner", OWNER, "client", 1, 1, "accepted"),
        *_TEAM,
    ):
        password = hashed if status == "accepted" else None
        ids.append(await ctx.db.fetchval(sql, clientid, first, last, email, role, active, verified, status, password))
    return clientid, ids[0], ids[1]


async def _invoices(ctx: Context, clientid: int, plan: Any) -> None:
    """Three paid months, the last of which is the running period."""
    sql = """
        insert into transactionhistory (clientid, planid, invoicenumber, transactiondate, expirydate, planname, price,
                                        isaddon, lines)
        values ($1, $2, $3, $4::timestamptz, $4::timestamptz + make_interval(days => $5), $6, $7, $8, $9)
        returning transactionid
    """
    last = None
    for number, days in enumerate((65, 35, 5), 1):
        when = datetime.now(UTC) - timedelta(days=days)
        lines = [{"description": f"{plan['name']} plan", "quantity": 1, "amount": int(plan["price"] * 100)}]
        last = await ctx.db.fetchval(
            sql, clientid, plan["planid"], f"DEMO-{number:04}", when, 30, plan["name"], plan["price"], 0, lines
        )
    lines = [{"description": "100 Cell Numbers", "quantity": 1, "amount": 2500}]
    addon_on = datetime.now(UTC) - timedelta(days=20)
    await ctx.db.execute(sql, clientid, 101, "DEMO-0004", addon_on, 365, "100 Cell Numbers", 25, 1, lines)
    await grant(ctx, clientid, {"contactcredit": 100}, reason="addon", source="payment", source_id="demo", bought=True)
    await ctx.db.execute(
        "update usersubscription set transactionid = $2, startdate = now() - interval '5 days',"
        " expirydate = now() + interval '25 days' where clientid = $1",
        clientid,
        last,
    )


async def _key(ctx: Context, clientid: int) -> int:
    key = "demo" + f"{random.Random(7).getrandbits(72):012x}"[:12]  # noqa: S311 - the demo key is public
    keyid: int = await ctx.db.fetchval(
        "insert into apikeys (clientid, apikey, keyhash, name, purpose, lastused) values ($1, $2, $3, $4, $5, now())"
        " returning keyid",
        clientid,
        ctx.vault.seal(key),
        ctx.vault.index("apikey", key),
        "CRM",
        "CRM enrichment",
    )
    return keyid
