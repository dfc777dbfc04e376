"""End what agents made, and keys and webhooks that were made without a proof of the user.

`madeby` of a row is the session that it depends on (`sessions.maker`).
"""

from __future__ import annotations

from datetime import datetime

from product.context import Context

_OF_SESSIONS = (
    "update apikeys set isactive = 0, madeby = null where madeby = any($1)",
    "update webhook set isactive = 0, madeby = null where madeby = any($1)",
    """update onetimetoken set expireson = now() where purpose = 'invite' and usedon is null and appuserid in (
        select appuserid from appuser where madeby = any($1) and invitestatus = 'pending')""",
    "update appuser set passwordexpireson = now(), madeby = null where madeby = any($1) and invitestatus = 'pending'",
)
_OF_AGENTS = """
    select coalesce(array_agg(usersessionid), '{}') from usersession
    where appuserid = $1 and agent is not null and revokedon is not null
"""
_OF_OWNER = tuple(
    f"""
    update {table} set isactive = 0, madeby = null
    where clientid = $1 and isactive = 1 and (madeby is not null or createdon >= $2)
      and exists (select 1 from appuser where appuserid = $3 and role = 'client')
    """  # noqa: S608
    for table in ("apikeys", "webhook")
)


async def end_of_sessions(ctx: Context, sessions: list[int]) -> None:
    """End what depends on sessions."""
    for statement in _OF_SESSIONS if sessions else ():
        await ctx.db.execute(statement, sessions)


async def end_of_agents(ctx: Context, appuserid: int) -> None:
    """End what the disconnected agents of a user made. A trigger does, except in a distributed database."""
    if ctx.db.distributed:
        await end_of_sessions(ctx, await ctx.db.value(list, _OF_AGENTS, appuserid))


async def end_unproved(ctx: Context, clientid: int, appuserid: int, since: datetime | None = None) -> None:
    """End the keys and webhooks of an account that its owner made without a proof, or at all since a time."""
    for statement in _OF_OWNER:
        await ctx.db.execute(statement, clientid, since, appuserid)
