"""Start and end sessions, and build the response that describes the signed-in user."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any

import policy
from product.billing.live import LIVE
from product.context import Context
from product.desk import accounts
from tableapi import ApiError, Unauthorized, token_hash

EXPIRED = "Your account access session is expired"

_START = """
    insert into usersession (tokenhash, appuserid, clientid, ip, useragent)
    select $1, appuserid, clientid, $3, $4 from appuser where appuserid = $2
    returning expireson
"""
# A subscription past its expiry date is reported as expired even before an event or the nightly job closes it.
_ANSWER = f"""
    select (to_jsonb(u) - $2::text[]) || jsonb_build_object('haspassword', (u.password is not null)::int) as person,
           u.role = 'client' as owner, c.clientid,
           (select usersessionid from usersession where tokenhash = $5) as usersessionid,
           to_jsonb(c) - array['stripe_custid'] as client,
           (select jsonb_agg(to_jsonb(k) - 'usercreditid') from usercredit k where k.clientid = u.clientid) as credits,
           (select jsonb_agg(to_jsonb(s) || jsonb_build_object('subscriptionplan_by_planid', to_jsonb(p) - $3::text[])
                             || case when s.isactive = 1 and not ({LIVE}) then $4::jsonb else '{{}}' end
                             order by s.isactive desc, s.createdon desc)
            from (select * from usersubscription where clientid = u.clientid
                  order by isactive desc, createdon desc limit 20) s
            join subscriptionplan p using (planid)) as subscriptions
    from appuser u join client c using (clientid)
    where u.appuserid = $1
"""  # noqa: S608
_HIDDEN_OF_PLAN = ["isactive"]
_OVER = {"isactive": 0, "status": "expired"}


async def start(ctx: Context, appuserid: int) -> str:
    """Start a session and return its token. Only the hash of the token is stored."""
    token = secrets.token_urlsafe(32)
    agent = ctx.request.headers.get("user-agent", "")[:300]
    await ctx.db.execute(_START, token_hash(token), appuserid, ctx.request.ip or None, agent)
    return token


async def end_all(ctx: Context, appuserid: int, *, keep: str = "") -> None:
    """End the sessions of a user, except the one with the token `keep`."""
    sql = "update usersession set revokedon = now() where appuserid = $1 and revokedon is null and tokenhash <> $2"
    await ctx.db.execute(sql, appuserid, token_hash(keep) if keep else b"")


async def end(ctx: Context, token: str) -> None:
    """End one session; a session that has already ended is left unchanged."""
    for table in ("usersession", "staffsession"):
        sql = f"update {table} set revokedon = now() where tokenhash = $1 and revokedon is null"  # noqa: S608
        await ctx.db.execute(sql, token_hash(token))


async def live_user(ctx: Context, token: str) -> Any:
    """Return the row that `policy.SESSIONS.lookup` finds for a token.

    Raises:
        Unauthorized: there is no live session (401), or its user is disabled (403) or deleted (404).
    """
    row = await ctx.db.fetchrow(policy.SESSIONS.lookup, token_hash(token)) if token else None
    if row is None:
        raise Unauthorized(EXPIRED)
    if refusal := policy.SESSIONS.refusals.get(row["role"]):
        status, reason, message = refusal
        raise Unauthorized(message, status=status, reason=reason)
    return row


def refuse_confined(user: Any) -> None:
    """Reject a session that may only change its password.

    For scripts that authenticate the caller themselves.
    """
    if refusal := policy.SESSIONS.confined.get(user["role"]):
        status, reason, message = refusal
        raise ApiError(message, status=status, reason=reason, scope="resource")


async def describe(ctx: Context, user: Any, token: str) -> dict[str, Any]:
    """Build the response for the session in a row of `live_user`, which may be a staff session."""
    if user["role"] == "staff":
        return accounts.answer(user, token)
    result = await answer(ctx, user["appuserid"], token)
    return result if user["staffid"] is None else result | {"support": 1}


async def answer(ctx: Context, appuserid: int, token: str) -> dict[str, Any]:
    """Return user, client, credits and subscriptions, with the fields of a DreamFactory session."""
    hashed, secret = token_hash(token), sorted(policy.USER_SECRETS)
    row: Any = await ctx.db.fetchrow(_ANSWER, appuserid, secret, _HIDDEN_OF_PLAN, _OVER, hashed)
    person: dict[str, Any] = row["person"]
    owner: bool = row["owner"]
    client = row["client"] if owner else {"clientid": row["clientid"], "companyname": row["client"]["companyname"]}
    hidden = {"stripe_itemid", "stripe_scheduleid"} if owner else policy.PROVIDER_IDS
    subscriptions = [
        {name: value for name, value in subscription.items() if name not in hidden}
        for subscription in row["subscriptions"] or ()
    ]
    balances = [
        {name: value for name, value in credit.items() if owner or name in policy.BALANCES}
        for credit in row["credits"] or ()
    ]
    client |= {"usercredit_by_clientid": balances, "usersubscription_by_clientid": subscriptions}
    session: dict[str, Any] = {
        "success": 1, "session_token": token, "usersessionid": row["usersessionid"], "client_by_clientid": client,
    }  # fmt: skip
    return session | person | _dreamfactory(ctx, person, token)


def _dreamfactory(ctx: Context, person: dict[str, Any], token: str) -> dict[str, Any]:
    return {
        "session_id": token,
        "id": person["appuserid"],
        "first_name": person["firstname"],
        "last_name": person["lastname"],
        "is_sys_admin": False,
        "last_login_date": person["lastloginon"],
        "host": ctx.settings.brand_name,
        "token_expiry_date": None,
        "role_id": {"client": 1, "member": 2, "admin": 3}[person["role"]],
        "server_time": datetime.now(UTC).isoformat(),
    }
