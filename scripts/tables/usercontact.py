"""Hook of /_table/usercontact: lists requested as a file are exports, which are limited and audited."""

from __future__ import annotations

from collections.abc import Mapping

from product.contacts import export
from product.context import Context
from tableapi import Export


async def get(ctx: Context, _records: list[dict[str, object]], options: Mapping[str, object]) -> Export | None:
    """Count an export and describe its file; JSON lists are left to the engine."""
    if "form" not in options:
        return None
    await export.count(ctx, str(options["form"]))
    return Export(line, export.MAX_ROWS, file="mycontacts", title="My Contacts")


def line(row: Mapping[str, str | None]) -> dict[str, str]:
    """Return the cells of one contact; a column left out of `fields` is empty."""
    return {"Full_name": row.get("name") or "", "Linkedin_url": row.get("linkedinurl") or "", **export.cells(row)}
