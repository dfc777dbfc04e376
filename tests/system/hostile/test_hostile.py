"""No known request blocks a server for other callers, and none causes a server error."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.helpers.fixtures import open_product
from tests.helpers.product import KEY, SECRET
from tests.helpers.support import NewDatabase
from tests.system.hostile.corpus import SCHEMA, product_calls
from tests.system.hostile.measure import Caller, Measured, hostile, started

LATEST = 0.05  # seconds by which the event loop may be late
ANSWERED = 1.0  # maximum response time for another caller on a busy machine, in seconds; on an idle one it is under 0.1


@pytest.mark.slow
@pytest.mark.timing
def test_the_worst_requests_leave_the_event_loop_to_other_callers(new_database: NewDatabase, tmp_path: Path) -> None:
    with ExitStack() as stack:
        measured = hostile(started(stack, new_database(SCHEMA), tmp_path))
    print("\n".join(measured.lines()))
    _check(measured)


@pytest.mark.slow
@pytest.mark.timing
def test_the_worst_calls_of_the_product_leave_the_event_loop_to_other_accounts(
    new_database: NewDatabase, tmp_path: Path
) -> None:
    url = new_database()
    listid, key, *callers = asyncio.run(_callers(url, tmp_path))
    with ExitStack() as stack:
        environment = {"SECRET_KEYS": SECRET, "APP_KEYS": KEY, "DATASET": "leads", "RATE_LIMITS": "off"}
        address = started(stack, url, tmp_path, callers[1], DATA_DIR=str(tmp_path), **environment)
        measured = hostile(address, product_calls(listid, key), *callers)
    _check(measured)


async def _callers(url: str, folder: Path) -> tuple[int, str, Caller, Caller]:
    """Return a list and a key of an account, its owner, and the owner of another account."""
    async with open_product(url, folder) as product:
        account, other = await product.account(), await product.account()
        made = (await account.owner.table("POST", "contactlist", {"name": "Import"})).json()["resource"][0]
        record = {"purpose": "Import", "scopes": ["enrich"]}
        key = (await account.owner.table("POST", "apikeys", record)).json()["resource"][0]["apikey"]
    headers = [{"X-API-Key": KEY, "X-Session-Token": each.owner.token} for each in (account, other)]
    one, two = (Caller(each, "/api/v2/leads/_table/usercontact") for each in headers)
    return made["listid"], key, one, two


def _check(measured: Measured) -> None:
    print("\n".join(measured.lines()))
    assert {name: late for name, late in measured.delays.items() if late > LATEST} == {}
    expected = (200, 202, 400, 404, 413, 422, 429, 503)
    assert {name: status for name, status in measured.statuses.items() if status not in expected} == {}
    assert measured.p99 < ANSWERED
