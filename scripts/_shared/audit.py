"""Write the audit log: actor, event, target, details and IP address. Never a secret or contact value."""

from __future__ import annotations

from typing import Any

from scripts._shared.context import Context

_WRITE = """
    insert into auditlog (clientid, appuserid, keyid, event, target, detail, ip) values ($1, $2, $3, $4, $5, $6, $7)
"""


async def write(
    ctx: Context,
    event: str,
    target: object = None,
    *,
    clientid: int | None = None,
    appuserid: int | None = None,
    keyid: int | None = None,
    **detail: Any,
) -> None:
    """Write one event.

    The actor is the caller's session; `clientid` and `appuserid` replace it where there is no session yet.
    """
    actor = ctx.actor.values
    await ctx.db.execute(
        _WRITE,
        clientid if clientid is not None else actor.get("clientid"),
        appuserid if appuserid is not None else actor.get("appuserid"),
        keyid,
        event,
        None if target is None else str(target)[:200],
        detail,
        ctx.request.ip or None,
    )
