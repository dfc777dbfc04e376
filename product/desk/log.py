"""Write reads and actions of staff at the desk to the audit log.

The owner of the account sees them there as Support.
"""

from __future__ import annotations

from product import audit
from product.context import Context


async def write(ctx: Context, event: str, clientid: int | None, target: object = None, **detail: object) -> None:
    """Write the event `support_<event>` for one account; `clientid` is None for several or none."""
    detail = {"request": ctx.request.request_id, **detail}
    await audit.record(ctx, f"support_{event}", target, detail, clientid=clientid)
