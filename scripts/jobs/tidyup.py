"""Every night, delete expired sessions, tokens, clients, counters, keys, quotes and stored responses."""

from __future__ import annotations

from product.accounts import made
from product.context import Context
from tableapi import script

# What agents made ends with their sessions: expired ones and, on a cluster without the trigger, revoked ones.
_ENDED = """
    select coalesce(array_agg(usersessionid), '{}') from usersession
    where agent is not null and (expireson < now() or revokedon < now())
"""
_OLD = (
    "delete from usersession where expireson < now() - interval '7 days' or revokedon < now() - interval '30 days'",
    "delete from staffsession where expireson < now() - interval '90 days'",
    "delete from stafftoken where expireson < now() - interval '7 days'",
    "delete from oauthclient where expireson < now()",
    "delete from oauthtoken where expireson < now() - interval '1 day'",
    "delete from formeraddress where expireson < now() - interval '7 days'",
    "delete from onetimetoken where expireson < now() - interval '7 days'",
    "delete from signinfailure where since < now() - interval '1 day'",
    "delete from reservedkey where createdon < now() - interval '1 day'",
    "update apikeys set oldkeyhash = null, oldkeyuntil = null where oldkeyuntil < now()",
    "delete from idempotency where createdon < now() - interval '24 hours'",
    "delete from searchseen where day < current_date - 1",
    "delete from searchuse where day < current_date - 90",
    "delete from webhookdelivery where createdon < now() - interval '30 days'",
    "delete from prorationquote where createdon < now() - interval '1 day'",
)


@script(every="1d")
async def run(ctx: Context) -> None:
    await made.end_of_sessions(ctx, await ctx.db.value(list, _ENDED))
    for statement in _OLD:
        await ctx.db.execute(statement)
