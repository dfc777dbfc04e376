"""Customers' API keys: generate one, and find the live key that a request sent."""

from __future__ import annotations

import secrets
import string
from typing import Any

from product.context import Context
from tableapi import ApiError, OwnKey, Unauthorized


class PlanWithoutApi(ApiError):
    """The plan has no API access."""

    status, reason = 402, "plan_without_api"


OWN_KEY = OwnKey(
    "accountkey", "X-API-Key", "An API key of the account, from Settings > API. It serves key lookup and balances."
)
LENGTH = 16
_ALPHABET = string.ascii_letters + string.digits
_FIND = """
    select k.keyid, k.clientid,
           exists (select 1 from usersubscription s join subscriptionplan p using (planid)
                   where s.clientid = k.clientid and s.isactive = 1 and p.apiaccess = 1) as mayuse
    from apikeys k join appuser u on u.clientid = k.clientid and u.role = 'client'
    where k.keyhash = any($1) and k.isactive = 1 and k.isdeleted = 0 and u.isactive = 1 and u.isdeleted = 0
"""


def generate() -> str:
    """Generate a key of 16 letters and digits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(LENGTH))


async def live(ctx: Context, key: str) -> Any:
    """Return keyid and clientid of a live key of an account with API access.

    Invalid keys count against the limit on guesses of the caller's network.

    Raises:
        Unauthorized: the key is unknown, disabled or deleted (401, scope `resource`).
        PlanWithoutApi: the plan has no API access (402).
    """
    async with ctx.guess():
        row: Any = await ctx.db.fetchrow(_FIND, ctx.vault.indexes("apikey", key)) if key else None
        if row is None:
            raise Unauthorized("The API key is not valid.", reason="bad_key", scope="resource")
    if not row["mayuse"]:
        raise PlanWithoutApi("The plan of this account has no API access.")
    return row
