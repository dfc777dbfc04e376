"""Responses do not reveal which addresses have accounts: equal bodies, and times within noise."""

from __future__ import annotations

import secrets
import statistics
import time
from typing import Any

import pytest

from product.accounts import passwords
from tests.helpers.product import API, Account, Product

TRIES = 200
CALLS: dict[str, dict[str, Any]] = {
    "user/session": {"password": "Wrong1234"},
    "user/password?reset=true": {},
    "sendverificationemail": {"checktoken": "guessed"},
    "getappuserbyemail": {"checktoken": "guessed"},
}


async def _addresses(product: Product, account: Account, hashed: str) -> list[str]:
    """Create as many users as tries, so that no limit per address applies."""
    names = [f"known-{secrets.token_hex(6)}@test-company.example" for _ in range(TRIES)]
    await product.db.execute(
        "insert into appuser (clientid, name, firstname, lastname, email, role, isverified, invitestatus, password)"
        " select $1, 'Known User', 'Known', 'User', email, 'member', 1, 'accepted', $3 from unnest($2::text[]) email",
        account.clientid, names, hashed,
    )  # fmt: skip
    return names


@pytest.mark.parametrize("path", CALLS)
async def test_known_and_unknown_addresses_are_indistinguishable(product: Product, account: Account, path: str) -> None:
    spent: dict[str, list[float]] = {"known": [], "unknown": []}
    bodies = set()
    for known in await _addresses(product, account, await passwords.hashed("Sesame123")):
        # Alternating, so that other load of the machine affects both alike.
        for kind, email in (("known", known), ("unknown", "un" + known)):
            async with product.caller() as http:
                began = time.perf_counter()
                response = await http.post(API + path, json=CALLS[path] | {"email": email})
                spent[kind].append(time.perf_counter() - began)
            body = response.json()
            body.get("error", {}).get("context", {}).pop("request_id", None)
            bodies.add((response.status_code, str(body)))
    assert len(bodies) == 1, bodies
    medians = {kind: statistics.median(times) for kind, times in spent.items()}
    quartiles = [statistics.quantiles(times, n=4) for times in spent.values()]
    noise = max(high - low for low, _, high in quartiles)
    assert abs(medians["known"] - medians["unknown"]) < max(noise, 0.1 * medians["unknown"]), medians
