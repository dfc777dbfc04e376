"""Write the audit log: actor, event, target, details and IP address. Never a secret or contact value."""

from __future__ import annotations

from collections.abc import Mapping

from product.context import Context

_WRITE = """
    insert into auditlog (clientid, appuserid, keyid, event, target, detail, ip, staffid)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
"""


async def write(
    ctx: Context,
    event: str,
    target: object = None,
    *,
    clientid: int | None = None,
    appuserid: int | None = None,
    keyid: int | None = None,
    staffid: int | None = None,
    **detail: object,
) -> None:
    """Write one event with `detail`.

    The actor is the caller's session; `clientid`, `appuserid` and `staffid` replace it if there is no session yet.
    While staff view the app as a member, their actions are attributed to staff.
    """
    await record(ctx, event, target, detail, clientid=clientid, appuserid=appuserid, keyid=keyid, staffid=staffid)


async def record(
    ctx: Context,
    event: str,
    target: object,
    detail: Mapping[str, object],
    *,
    clientid: int | None = None,
    appuserid: int | None = None,
    keyid: int | None = None,
    staffid: int | None = None,
) -> None:
    """Write one event, with its details as a mapping. The other arguments are those of `write`."""
    actor = ctx.actor.values
    staffid = staffid if staffid is not None else actor.get("staffid")
    own = actor.get("appuserid") if staffid is None else None
    await ctx.db.execute(
        _WRITE,
        clientid if clientid is not None else actor.get("clientid"),
        appuserid if appuserid is not None else own,
        keyid,
        event,
        None if target is None else str(target)[:200],
        detail,
        ctx.request.ip or None,
        staffid,
    )
