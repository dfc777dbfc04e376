"""Start and end sessions, and build the response that describes the signed-in user."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

import policy
from product.accounts import made, tokens
from product.billing.live import LIVE
from product.context import Context
from product.desk import accounts
from tableapi import Unauthorized, token_hash

EXPIRED = "Your account access session is expired"
_AGAIN = "Sign in again with POST /api/v2/user/session, or send an API key of the account without X-Session-Token."

_START = """
    insert into usersession (tokenhash, appuserid, clientid, ip, useragent, signedinon)
    select $1, u.appuserid, u.clientid, $3, $4, coalesce(s.signedinon, now())
    from appuser u left join usersession s on s.tokenhash = $5 where u.appuserid = $2
"""
# A subscription past its expiry date is reported as expired even before an event or the nightly job closes it.
_ACCOUNT = f"""
    select (to_jsonb(u) - $2::text[]) || jsonb_build_object('haspassword', (u.password is not null)::int,
                                                             'hasmfa', (u.mfacipher is not null)::int) as person,
           u.role = 'client' as owner, c.clientid,
           to_jsonb(c) - array['stripe_custid'] as client,
           (select jsonb_agg(to_jsonb(k) - 'usercreditid') from usercredit k where k.clientid = $5) as credits,
           (select jsonb_agg(to_jsonb(s) || jsonb_build_object('subscriptionplan_by_planid', to_jsonb(p) - $3::text[])
                             || case when s.isactive = 1 and not ({LIVE}) then $4::jsonb else '{{}}' end
                             order by s.isactive desc, s.createdon desc)
            from (select * from usersubscription where clientid = $5
                  order by isactive desc, createdon desc limit 20) s
            join subscriptionplan p using (planid)) as subscriptions
    from appuser u join client c using (clientid)
    where u.appuserid = $1 and u.clientid = $5
"""  # noqa: S608
_ID = "select usersessionid from usersession where tokenhash = $1"
_HIDDEN_OF_PLAN = ["isactive"]
_OVER = {"isactive": 0, "status": "expired"}


def ended() -> Unauthorized:
    """Build the error for an ended session, or for none."""
    return Unauthorized(EXPIRED, context={"hint": _AGAIN})


@dataclass(frozen=True, slots=True)
class _AccountRow:
    person: dict[str, object]
    owner: bool
    clientid: int
    client: dict[str, object]
    credits: list[dict[str, object]] | None
    subscriptions: list[dict[str, object]] | None


@dataclass(frozen=True, slots=True)
class Session:
    """A live session. Without a user and an account, it belongs to staff at the desk."""

    usersessionid: int | None
    appuserid: int | None
    clientid: int | None
    name: str
    email: str
    role: str
    staffid: int | None


def maker(parameter: str, proved: str = "true") -> str:
    """Return SQL for the id of the session that a new row depends on; null if it depends on none.

    A row depends on the session of an agent, and on any session without a proof of its user (product/accounts/made.py).

    Args:
        parameter: the parameter with the token hash of the session, in hex, such as `$5`.
        proved: a boolean parameter, such as `$6`.
    """
    found = f"from usersession where tokenhash = decode({parameter}, 'hex')"
    return f"(select usersessionid {found} and (agent is not null or not {proved}::boolean))"


async def start(ctx: Context, appuserid: int, *, continues: str = "") -> str:
    """Start a session and return its token. Only the hash of the token is stored.

    continues: the token of the session that it replaces; the time of its sign-in is kept.
    """
    token = secrets.token_urlsafe(32)
    agent = ctx.request.headers.get("user-agent", "")[:300]
    before = token_hash(continues) if continues else b""
    await ctx.db.execute(_START, token_hash(token), appuserid, ctx.request.ip or None, agent, before)
    return token


async def end_all(ctx: Context, appuserid: int, *, keep: str = "") -> None:
    """End the sessions of a user, except the one with the token `keep`, and unused codes of agents."""
    sql = "update usersession set revokedon = now() where appuserid = $1 and revokedon is null and tokenhash <> $2"
    await ctx.db.execute(sql, appuserid, token_hash(keep) if keep else b"")
    await made.end_of_agents(ctx, appuserid)
    await tokens.revoke(ctx, appuserid, "oauthcode")


async def end(ctx: Context, token: str) -> None:
    """End one session; a session that has already ended is left unchanged."""
    for table in ("usersession", "staffsession"):
        sql = f"update {table} set revokedon = now() where tokenhash = $1 and revokedon is null"  # noqa: S608
        await ctx.db.execute(sql, token_hash(token))


async def live(ctx: Context, tokenhash: bytes) -> Session | None:
    """Return the session that `policy.SESSIONS.lookup` finds; its user may be disabled or deleted."""
    return await ctx.db.first(Session, policy.SESSIONS.lookup, tokenhash)


async def live_user(ctx: Context, token: str) -> Session:
    """Return the session that `policy.SESSIONS.lookup` finds for a token.

    Raises:
        ApiError: there is no live session (401), or its user is disabled (403) or deleted (404).
    """
    row = await live(ctx, token_hash(token)) if token else None
    if row is None:
        raise ended()
    if row.role in policy.SESSIONS.rejected:
        raise policy.SESSIONS.error("rejected", row.role)
    return row


def reject_confined(user: Session) -> None:
    """Reject a session that may only change its password.

    For scripts that authenticate the caller themselves.
    """
    if user.role in policy.SESSIONS.confined:
        raise policy.SESSIONS.error("confined", user.role)


async def describe(ctx: Context, user: Session, token: str) -> dict[str, object]:
    """Build the response for a session of `live_user`, which may be a staff session."""
    if user.appuserid is None:
        assert user.staffid is not None  # a session has a user, a member of staff, or both
        return accounts.session_response(accounts.Staff(user.staffid, user.name, user.email), token)
    assert user.clientid is not None  # a user has an account
    result = await _response(ctx, user.clientid, user.appuserid, token, user.usersessionid)
    return result if user.staffid is None else result | {"support": 1}


async def session_response(ctx: Context, clientid: int, appuserid: int, token: str) -> dict[str, object]:
    """Return user, client, credits and subscriptions of a session that has just begun."""
    ident = await ctx.db.first_value(int, _ID, token_hash(token))
    return await _response(ctx, clientid, appuserid, token, ident)


async def _response(
    ctx: Context, clientid: int, appuserid: int, token: str, usersessionid: int | None
) -> dict[str, object]:
    """Return a session with the fields of one of DreamFactory."""
    secret = sorted(policy.USER_SECRETS)
    row = await ctx.db.one(_AccountRow, _ACCOUNT, appuserid, secret, _HIDDEN_OF_PLAN, _OVER, clientid)
    person, owner = row.person, row.owner
    client = row.client if owner else {"clientid": row.clientid, "companyname": row.client["companyname"]}
    hidden = {"stripe_itemid", "stripe_scheduleid"} if owner else policy.PROVIDER_IDS
    subscriptions = [
        {name: value for name, value in subscription.items() if name not in hidden}
        for subscription in row.subscriptions or ()
    ]
    balances = [
        {name: value for name, value in credit.items() if owner or name in policy.BALANCES}
        for credit in row.credits or ()
    ]
    client |= {"usercredit_by_clientid": balances, "usersubscription_by_clientid": subscriptions}
    session: dict[str, object] = {
        "success": 1, "session_token": token, "usersessionid": usersessionid, "client_by_clientid": client,
    }  # fmt: skip
    return session | person | _dreamfactory(ctx, person, token)


def _dreamfactory(ctx: Context, person: dict[str, object], token: str) -> dict[str, object]:
    return {
        "session_id": token,
        "id": person["appuserid"],
        "first_name": person["firstname"],
        "last_name": person["lastname"],
        "is_sys_admin": False,
        "last_login_date": person["lastloginon"],
        "host": ctx.settings.brand_name,
        "token_expiry_date": None,
        "role_id": {"client": 1, "member": 2, "admin": 3}[str(person["role"])],
        "server_time": datetime.now(UTC),
    }
