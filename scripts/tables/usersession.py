"""Hook of /_table/usersession: end one of the caller's sessions, or all others when no id is given."""

from __future__ import annotations

from collections.abc import Mapping

from product import audit
from product.accounts import made, sessions
from product.context import Context
from tableapi import BadRequest, NotFound

_END = """
    update usersession set revokedon = now() where usersessionid = $1 and appuserid = $2 and revokedon is null
    returning usersessionid
"""


async def delete(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    """End sessions. Their rows are kept, with the end time."""
    try:
        idents = [int(str(record["usersessionid"])) for record in records]
    except (KeyError, ValueError):
        raise BadRequest(
            "Send usersessionid, the id of the session.", reason="bad_identifier", case="which_session"
        ) from None
    async with ctx.db.transaction():
        if not idents:
            await sessions.end_all(ctx, ctx.actor.appuserid, keep=ctx.request.session_token)
        for ident in idents:
            if await ctx.db.first_value(int, _END, ident, ctx.actor.appuserid) is None:
                raise NotFound(f"There is no session with the id {ident}.", case="no_such_session")
        if idents:
            await made.end_of_agents(ctx, ctx.actor.appuserid)
        await audit.write(ctx, "sessions_ended", ", ".join(map(str, idents)) or "others")
    return [{"usersessionid": ident} for ident in idents]
