"""Hook of /_table/usercontact: a list that is asked for as a file is an export, which is counted and kept (call 40)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from scripts._shared import audit
from tableapi.context import Context
from tableapi.sheets import Export

PER_DAY, MOST_ROWS = 20, 5000
VALUES_PER_CELL = 3


async def get(ctx: Context, _records: list[dict[str, Any]], options: Mapping[str, Any]) -> Export | None:
    """Lists of JSON are the engine's. A file has the columns and the rules of the sheet that the app writes."""
    if "form" not in options:
        return None
    ctx.limit("export of contacts", str(ctx.actor.appuserid), PER_DAY, 86400)
    await audit.write(ctx, "contacts_exported", form=options["form"])
    return Export(line, MOST_ROWS, file="mycontacts", title="My Contacts")


def line(row: dict[str, Any]) -> dict[str, str]:
    """The cells of one contact; a column that the caller left out of `fields` is empty."""
    return {
        "Full_name": row.get("name") or "",
        "Linkedin_url": row.get("linkedinurl") or "",
        "Personal_Emails": _cell(_personal(row.get("emails"))),
        "Business_Emails": _cell((row.get("business_emails") or "").split(",")),
        "Phone_numbers": _cell((row.get("phone_numbers") or "").split(",")),
    }


def _personal(emails: str | None) -> list[str]:
    items = orjson.loads(emails) if emails else []
    return [item["address"] for item in items if item["type"] == "personal"]


def _cell(values: list[str]) -> str:
    return ", ".join([value.strip() for value in values if value.strip()][:VALUES_PER_CELL])
