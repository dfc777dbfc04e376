"""The initial plan catalogue, and subscribing an account to a plan: credits, seats, API keys.

The job `init` loads the catalogue into an empty table; afterwards only the table counts. Within monthly and within
yearly plans, a higher planid is an upgrade.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from product.billing.rows import PlanRow
from product.context import Context
from product.credits.ledger import end_plan_credits, grant

FREE_SKU = "custom_trial"


@dataclass(frozen=True, slots=True)
class _Renewed(PlanRow):
    subscriptionid: int
    period: int


@dataclass(frozen=True, slots=True)
class Plan:
    """One row of subscriptionplan."""

    planid: int
    name: str
    sku: str | None
    price: int
    validity: int
    details: str
    seats: int
    keys: int
    credits: tuple[int, int, int]  # cell numbers, work emails, secondary emails
    isaddon: int = 0
    search: tuple[int, int] = (200, 5_000)  # pages and distinct people of searches in a day

    @property
    def apiaccess(self) -> int:
        """Whether the plan has API access: a plan with keys is sold with it."""
        return int(self.keys > 0)

    def row(self) -> tuple[object, ...]:
        """Return the parameters of `_INSERT`."""
        return (
            self.planid, self.name, self.sku, self.price, self.validity, self.details, self.seats, self.keys,
            self.isaddon, features(self), self.apiaccess, *self.credits, *self.search,
        )  # fmt: skip


def features(plan: Plan) -> list[dict[str, str]]:
    """Return the features that a plan card lists, with their tooltips."""
    phone, work, second = plan.credits
    features = [
        ("Cell number credits", f"{phone:,}", "Each revealed cell number takes one credit."),
        ("Work email credits", f"{work:,}", "Each revealed work email takes one credit."),
        ("Secondary email credits", f"{second:,}", "Each revealed secondary email takes one credit."),
    ]
    features = (
        [item for item, amount in zip(features, plan.credits, strict=True) if amount] if plan.isaddon else features
    )
    if not plan.isaddon:
        features.append(("Team members", f"Up to {plan.seats:,}" if plan.seats else "-", "Seats that you can invite."))
        api = "By agreement" if plan.price < 0 else f"{plan.keys:,} keys" if plan.apiaccess else "Not included"
        features.append(("API access", api, "Look contacts up from your own programs."))
    tip = "The API spends the same credits."
    return [
        {"name": name, "value": value, "tooltip": text, "tooltipapi": tip if name == "API access" else ""}
        for name, value, text in features
    ]


_MONTH, _YEAR = 30, 365
_TWO_FREE = "Everything of the monthly plan; two months free."
_STAY = "They stay until you use them."
_BUSINESS = (500, 20_000)
CATALOGUE = (
    Plan(1, "Free Trial", FREE_SKU, 0, _MONTH, "Try it with a handful of credits.", 1, 0, (5, 10, 10),
         search=(50, 1_000)),
    Plan(2, "Starter", "starter_monthly", 49, _MONTH, "Up to 5 users, 500 contact credits and 100 credits.", 5, 0,
         (500, 100, 100)),
    Plan(3, "Pro", "pro_monthly", 99, _MONTH, "For a growing sales team.", 10, 0, (1200, 600, 600)),
    Plan(4, "Business", "business_monthly", 199, _MONTH, "Everything, with API access.", 25, 5, (3000, 2000, 2000),
         search=_BUSINESS),
    Plan(5, "Starter Yearly", "starter_yearly", 490, _YEAR, _TWO_FREE, 5, 0, (6000, 1200, 1200)),
    Plan(6, "Pro Yearly", "pro_yearly", 990, _YEAR, _TWO_FREE, 10, 0, (14400, 7200, 7200)),
    Plan(7, "Business Yearly", "business_yearly", 1990, _YEAR, _TWO_FREE, 25, 5, (36000, 24000, 24000),
         search=_BUSINESS),
    Plan(8, "Enterprise", "custom_monthly", -1, _MONTH, "Made to measure, by the month.", 100, 20, (10000,) * 3,
         search=_BUSINESS),
    Plan(9, "Enterprise Yearly", "custom_yearly", -1, _YEAR, "Made to measure, by the year.", 100, 20, (120000,) * 3,
         search=_BUSINESS),
    Plan(101, "100 Cell Numbers", "addon_100", 25, _YEAR, _STAY, 0, 0, (100, 0, 0), isaddon=1),
    Plan(102, "500 Cell Numbers", "addon_500", 99, _YEAR, _STAY, 0, 0, (500, 0, 0), isaddon=1),
    Plan(103, "2000 Cell Numbers", "addon_2000", 299, _YEAR, _STAY, 0, 0, (2000, 0, 0), isaddon=1),
)  # fmt: skip

_INSERT = """
    insert into subscriptionplan (planid, name, sku, price, validity, details, availableseats, availableapicall,
        isaddon, new_features_json, apiaccess, contactcredit, bus_email_credits, personal_email_credits, searchpages,
        searchpeople)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
"""
_SUBSCRIBE = """
    insert into usersubscription (clientid, planid, sku, expirydate)
    select $1, planid, sku, now() + make_interval(days => validity) from subscriptionplan where planid = $2
    returning subscriptionid
"""
_ROOM = """
    update usercredit c set
        seatcount = greatest(0, p.availableseats - (select count(*) from appuser u where u.clientid = c.clientid
                                                    and u.isdeleted = 0 and u.role <> 'client')),
        apicallcount = greatest(0, p.availableapicall - (select count(*) from apikeys k where k.clientid = c.clientid
                                                         and k.isdeleted = 0))
    from usersubscription s join subscriptionplan p using (planid)
    where c.clientid = $1 and s.clientid = $1 and s.isactive = 1
"""


async def load_catalogue(ctx: Context) -> bool:
    """Fill an empty subscriptionplan table, and return whether it was empty."""
    if await ctx.db.first_value(bool, "select exists (select 1 from subscriptionplan)"):
        return False
    async with ctx.db.connection() as connection:
        await connection.executemany(_INSERT, [plan.row() for plan in CATALOGUE])
    return True


async def free_plan(ctx: Context) -> PlanRow:
    """Return the plan of new accounts."""
    sql = "select * from subscriptionplan where sku = $1 and isactive = 1 order by planid limit 1"
    return await ctx.db.one(PlanRow, sql, FREE_SKU)


async def start(ctx: Context, clientid: int, plan: PlanRow, source_id: str) -> int:
    """Subscribe an account without a live subscription and grant the first period. Inside a transaction."""
    subscriptionid = await subscribe(ctx, clientid, plan.planid)
    await grant(ctx, clientid, plan.credits, reason="plan", source="plan", source_id=source_id)
    return subscriptionid


async def subscribe(ctx: Context, clientid: int, planid: int) -> int:
    """Create a live subscription with its seats and keys, without credits. Inside a transaction."""
    subscriptionid = await ctx.db.value(int, _SUBSCRIBE, clientid, planid)
    await update_allowances(ctx, clientid)
    return subscriptionid


async def update_allowances(ctx: Context, clientid: int) -> None:
    """Set the remaining seats and API keys to what the plan allows minus what is in use.

    After a downgrade an account may use more than its plan allows; what it then gives up does not become available.
    """
    await ctx.db.execute(_ROOM, clientid)


_DUE = """
    select s.subscriptionid, extract(epoch from now())::bigint as period, p.*
    from usersubscription s join subscriptionplan p using (planid)
    where s.clientid = $1 and s.isactive = 1 and s.autorenew = 1 and p.sku = $2 and s.expirydate <= now()
"""
# Repeats the conditions, because a paid plan may have begun since the row was read.
_RENEW = """
    update usersubscription set expirydate = now() + $3, startdate = now()
    where clientid = $1 and subscriptionid = $2 and isactive = 1 and autorenew = 1 and expirydate <= now()
    returning subscriptionid
"""


async def renew_free(ctx: Context, clientid: int) -> None:
    """Renew a free plan after its month: expire its remaining credits and grant the next month.

    An account without any subscription gets the free plan, once. Inside a transaction.
    """
    await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
    plan = await ctx.db.first(_Renewed, _DUE, clientid, FREE_SKU)
    if plan is not None:
        validity = timedelta(days=plan.validity)
        if await ctx.db.fetchval(_RENEW, clientid, plan.subscriptionid, validity) is not None:
            period = f"free:{plan.subscriptionid}:{plan.period}"
            await end_plan_credits(ctx, clientid, period)
            await grant(ctx, clientid, plan.credits, reason="plan", source="plan", source_id=period)
    elif not await ctx.db.first_value(
        bool, "select exists (select 1 from usersubscription where clientid = $1)", clientid
    ):
        await start(ctx, clientid, await free_plan(ctx), "free:1")
