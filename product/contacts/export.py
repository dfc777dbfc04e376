"""Limit and audit exports of contacts, and format the cells of a contact."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from product import audit
from product.context import Context
from product.roles import VIEW
from tableapi import Forbidden, TooMany

PER_DAY, MAX_ROWS = 20, 5000
VALUES_PER_CELL = 3
LIMIT_REACHED = f"Contacts can be exported at most {PER_DAY} times a day. Try again later."


async def count(ctx: Context, form: str, **detail: object) -> None:
    """Count one export of the caller and write it to the audit log.

    Raises:
        Forbidden: the caller is staff viewing the app as a member (403).
        TooMany: the caller has used up the exports of the day (429).
    """
    if ctx.actor.role in VIEW:
        raise Forbidden(
            "You are viewing this account as support, so you cannot export contacts.",
            reason="view_only",
            case="view_exports_nothing",
        )
    try:
        ctx.limit("export of contacts", str(ctx.actor.appuserid), PER_DAY, 86400)
    except TooMany as error:
        raise TooMany(LIMIT_REACHED, headers=error.headers, case="exports_used", context={"limit": PER_DAY}) from None
    await audit.record(ctx, "contacts_exported", None, {"form": form, **detail})


def cells(row: Mapping[str, str | None]) -> dict[str, str]:
    """Return the cells of one contact with decrypted values; a column missing from the row is empty."""
    return {
        "Personal_Emails": _cell(_personal(row.get("emails"))),
        "Business_Emails": _cell((row.get("business_emails") or "").split(",")),
        "Phone_numbers": _cell((row.get("phone_numbers") or "").split(",")),
    }


def _personal(emails: str | None) -> list[str]:
    items = orjson.loads(emails) if emails else []
    return [item["address"] for item in items if item["type"] == "personal"]


def _cell(values: list[str]) -> str:
    return ", ".join([value.strip() for value in values if value.strip()][:VALUES_PER_CELL])
