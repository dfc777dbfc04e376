"""Write what staff read and do at the desk to the audit log.

The owner of the account sees it there as Support.
"""

from __future__ import annotations

from typing import Any

from product import audit
from product.context import Context


async def write(ctx: Context, event: str, clientid: int | None, target: object = None, **detail: Any) -> None:
    """Write one event, `support_<event>`, for one account; for several, or none, `clientid` is None."""
    await audit.write(ctx, f"support_{event}", target, clientid=clientid, request=ctx.request.request_id, **detail)
