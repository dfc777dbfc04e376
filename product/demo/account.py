"""Create the demo account with ninety days of history, the same every time.

Only with DEMO=1, and only with the fictional people of people.py. Existing data is left unchanged; a run that was
interrupted is completed by the next one.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from product.accounts import passwords
from product.billing import plans
from product.billing.rows import PlanRow
from product.context import Context
from product.credits.ledger import grant
from product.demo import history
from product.demo import people as demopeople

Subscribe = Callable[[Context, int, PlanRow], Awaitable[None]]

OWNER, MEMBER, PASSWORD = "owner@acme-demo.com", "member@acme-demo.com", "Demo1234"
PLAN = 4  # Business: includes API access
_TEAM = (
    ("Max", "Member", MEMBER, "member", 1, 1, "accepted"),
    ("Ada", "Admin", "admin@acme-demo.com", "admin", 1, 1, "accepted"),
    ("Dora", "Disabled", "disabled@acme-demo.com", "member", 0, 1, "accepted"),
    ("Ivan", "Invited", "invited@acme-demo.com", "member", 0, 0, "pending"),
)


_EMAILS = [OWNER, *(email for _, _, email, *_ in _TEAM)]
# Any of the users may have changed its address, or may have been deleted.
_FIND = """
    select c.clientid,
           (select min(appuserid) from appuser u where u.clientid = c.clientid and u.role = 'client') as owner,
           (select min(appuserid) from appuser u where u.clientid = c.clientid and u.role = 'member') as member,
           (select min(appuserid) from appuser u where u.clientid = c.clientid and u.role = 'admin') as admin,
           exists (select 1 from usersubscription s where s.clientid = c.clientid) as subscribed,
           exists (select 1 from usercontact k where k.clientid = c.clientid) as used
    from (select clientid from appuser where lower(email) = any($1) order by appuserid limit 1) c
"""


@dataclass(frozen=True, slots=True)
class _Found:
    clientid: int
    owner: int
    member: int
    admin: int
    subscribed: bool
    used: bool


async def load(ctx: Context, subscribe: Subscribe) -> None:
    """Create the demo account, or the missing parts of it.

    subscribe: subscribes the account at the payment stand-in, when that is the provider.
    """
    row = await ctx.db.first(_Found, _FIND, _EMAILS)
    if row is None:
        async with ctx.db.transaction():
            await _account(ctx)
        row = await ctx.db.one(_Found, _FIND, _EMAILS)
    clientid = row.clientid
    plan = await ctx.db.one(PlanRow, "select * from subscriptionplan where planid = $1", PLAN)
    if not row.subscribed and ctx.settings.payments_simulated:
        await subscribe(ctx, clientid, plan)
    elif not row.subscribed:
        async with ctx.db.transaction():
            await plans.start(ctx, clientid, plan, "demo")
            await _invoices(ctx, clientid, plan)
    if not row.used:
        async with ctx.db.transaction():
            people = await demopeople.load(ctx)
            users = (row.owner, row.member, row.admin)
            await history.load(ctx, clientid, users, await _key(ctx, clientid), people)
            await plans.update_allowances(ctx, clientid)


async def _account(ctx: Context) -> None:
    clientid = await ctx.db.value(
        int,
        "insert into client (companyname, phonenumber, country, salespeoplecount, requiredleadcount, department, taxid,"
        " billingaddress) values ('Acme Demo Inc', '12025550100', 'USA', 12, 500, 'Sales', 'US-00-0000000',"
        " '1 Demo Street, Springfield') returning clientid",
    )
    await ctx.db.execute("insert into usercredit (clientid) values ($1)", clientid)
    hashed = await passwords.hashed(PASSWORD)
    sql = """
        insert into appuser (clientid, name, firstname, lastname, email, role, isactive, isverified, invitestatus,
                             password, passwordproved, termsacceptedon, welcomedon)
        values ($1, $2 || ' ' || $3, $2, $3, $4, $5, $6, $7, $8, $9, 1, now(), now())
    """
    for first, last, email, role, active, verified, status in (
        ("Olivia", "Owner", OWNER, "client", 1, 1, "accepted"),
        *_TEAM,
    ):
        password = hashed if status == "accepted" else None
        await ctx.db.execute(sql, clientid, first, last, email, role, active, verified, status, password)


async def _invoices(ctx: Context, clientid: int, plan: PlanRow) -> None:
    """Insert invoices of three paid months, the last of which is the running period, and of one add-on."""
    sql = """
        insert into transactionhistory (clientid, planid, invoicenumber, transactiondate, expirydate, planname, price,
                                        isaddon, lines)
        values ($1, $2, $3, $4::timestamptz, $4::timestamptz + make_interval(days => $5), $6, $7, $8, $9)
        returning transactionid
    """
    last = None
    for number, days in enumerate((65, 35, 5), 1):
        when = datetime.now(UTC) - timedelta(days=days)
        lines = [{"description": f"{plan.name} plan", "quantity": 1, "amount": int(plan.price * 100)}]
        last = await ctx.db.first_value(
            int, sql, clientid, plan.planid, f"DEMO-{number:04}", when, 30, plan.name, plan.price, 0, lines
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
    return await ctx.db.value(
        int,
        "insert into apikeys (clientid, apikey, keyhash, name, purpose, lastused) values ($1, $2, $3, $4, $5, now())"
        " returning keyid",
        clientid,
        ctx.vault.seal(key),
        ctx.vault.index("apikey", key),
        "CRM",
        "CRM enrichment",
    )
