"""A session that a response says has ended is refused at once, even if the database announces it late."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.helpers.changes import EventStream
from tests.helpers.fixtures import open_product
from tests.helpers.oauth import OAuthClient, signed_in
from tests.helpers.product import KEY, TABLE, Account, Product, User
from tests.helpers.support import NewDatabase, until
from tests.system.statements.proxy import StatementProxy

LATE = 0.2  # seconds between a notification and its arrival
CLOSED, OPEN = 401, 200


@pytest.fixture(scope="module")
def url(module_database: NewDatabase) -> str:
    return module_database()


@pytest.fixture(scope="module")
async def late(url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Product]:
    """Open a product that hears late of ended sessions."""
    relay = StatementProxy(urlsplit(url).port or 5432)
    await relay.start()
    try:
        async with open_product(url, tmp_path_factory.mktemp("late"), database_direct_url=relay.url(url)) as product:
            await until(product.db.has_heard)
            relay.late = LATE
            yield product
    finally:
        await relay.stop()


@pytest.fixture
async def account(late: Product) -> Account:
    return await late.account()


async def state(user: User) -> int:
    """Return the status of a read, which also lets the worker keep the session."""
    return (await user.table("GET", "client")).status_code


async def again(user: User, account: Account) -> User:
    """Sign a user in on another device."""
    token = await account.session(user.appuserid)
    return User(user.appuserid, user.email, token, account.product.caller(token))


async def test_a_signed_out_session_gets_401_at_once(account: Account) -> None:
    owner = account.owner
    assert await state(owner) == OPEN
    started = time.monotonic()
    assert (await owner.http.delete("/api/v2/user/session")).status_code == 200
    assert await state(owner) == CLOSED
    assert time.monotonic() - started >= LATE, "the notification is not late, so this file shows nothing"


async def test_sessions_ended_from_another_device_get_401_at_once(account: Account) -> None:
    owner, phone, tablet = account.owner, await again(account.owner, account), await again(account.owner, account)
    assert [await state(one) for one in (owner, phone, tablet)] == [OPEN] * 3
    found = await phone.table("GET", "usersession", order="usersessionid")
    sessionid = found.json()["resource"][1]["usersessionid"]
    assert (await owner.table("DELETE", f"usersession/{sessionid}")).status_code == 200
    assert [await state(one) for one in (owner, phone, tablet)] == [OPEN, CLOSED, OPEN]
    assert (await owner.table("DELETE", "usersession", {"all": 1})).status_code == 400
    assert (await owner.table("DELETE", "usersession")).status_code == 200
    assert [await state(one) for one in (owner, tablet)] == [OPEN, CLOSED]


async def test_a_disabled_or_deleted_member_gets_the_reason_at_once(account: Account) -> None:
    for change in ("PATCH", "DELETE"):
        member = await account.user()
        assert await state(member) == OPEN
        body = {"isactive": 0} if change == "PATCH" else None
        response = await account.owner.http.request(
            change, f"/api/v2/leads/_table/appuser/{member.appuserid}", json=body
        )
        assert response.status_code == 200, response.text
        assert await state(member) in (403, 404)


async def test_a_client_gets_401_at_once_after_its_token_is_revoked(late: Product, account: Account) -> None:
    async with late.caller(key="") as http:
        client = OAuthClient(http)
        await client.discover()
        assert (await client.register()).status_code == 201
        await signed_in(client, account.owner)
        assert (await client.call("query", {"table": "client"})).status_code == OPEN
        assert (await client.revoke(client.tokens["access_token"])).status_code == 200
        assert (await client.call("query", {"table": "client"})).status_code == CLOSED


async def test_reusing_a_refresh_token_is_invalid_grant_and_ends_the_session_at_once(
    late: Product, account: Account
) -> None:
    async with late.caller(key="") as http:
        client = OAuthClient(http)
        await client.discover()
        assert (await client.register()).status_code == 201
        await signed_in(client, account.owner)
        first = client.tokens["refresh_token"]
        assert (await client.refresh(first)).status_code == 200
        assert (await client.call("query", {"table": "client"})).status_code == OPEN
        assert (await client.refresh(first)).json()["error"] == "invalid_grant"
        assert (await client.call("query", {"table": "client"})).status_code == CLOSED


async def test_a_stream_sends_nothing_after_its_session_ends_or_its_user_is_disabled(
    late: Product, account: Account
) -> None:
    owner, member, phone = account.owner, await account.user(), await again(account.owner, account)
    change = "update usercredit set seatcount = seatcount + 1 where clientid = $1"
    async with _stream(late, owner) as kept, _stream(late, member) as disabled, _stream(late, phone) as ended:
        for stream in (kept, disabled, ended):
            assert await stream.next() == ("reset", {})
        await late.db.execute(change, account.clientid)
        for stream in (kept, disabled, ended):
            assert (await stream.next())[0] == "row"
        path = f"{TABLE}appuser/{member.appuserid}"
        response = await owner.http.patch(path, json={"isactive": 0})
        assert response.status_code == 200, response.text
        assert (await phone.http.delete("/api/v2/user/session")).status_code == 200
        await late.db.execute(change, account.clientid)
        assert (await kept.next())[0] == "row"
        for stream in (disabled, ended):
            assert await stream.ended()
            assert stream.body.count(b"event: row") == 1


async def test_the_streams_of_many_ended_sessions_end_within_a_few_seconds(late: Product, account: Account) -> None:
    """Nothing is sent on them meanwhile, so only the regular check of each caller finds them."""
    devices = [await again(account.owner, account) for _ in range(60)]
    async with AsyncExitStack() as opened:
        streams = [await opened.enter_async_context(_stream(late, device)) for device in devices]
        for stream in streams:
            assert await stream.next() == ("reset", {})
        await late.db.execute("delete from usersession where appuserid = $1", account.owner.appuserid)
        async with asyncio.timeout(10):  # twice what wire.md states
            assert all(await asyncio.gather(*(stream.ended() for stream in streams)))


async def test_the_streams_of_a_user_and_of_an_account_are_limited_whatever_the_session(
    url: str, tmp_path: Path
) -> None:
    async with open_product(url, tmp_path, changes_streams_per_user=3, changes_streams_per_account=4) as limited:
        account = await limited.account()
        owner, member = account.owner, await account.user(role="admin")
        devices, other = [await again(owner, account) for _ in range(3)], (await limited.account()).owner
        sessions = [owner, *devices, member, member, other]
        async with AsyncExitStack() as opened:
            streams = [await opened.enter_async_context(_stream(limited, each)) for each in sessions]
            assert [stream.status for stream in streams] == [200, 200, 200, 429, 200, 429, 200]
            assert b"You have 3 streams open" in streams[3].body
            assert b"Your account has 4 streams open" in streams[5].body
        async with _stream(limited, sessions[3]) as later:
            assert later.status == 200


def _stream(product: Product, user: User) -> EventStream:
    """Open a stream of the balances of a user's account."""
    headers = {"X-API-Key": KEY, "X-Session-Token": user.token}
    return EventStream(product.app, f"{TABLE}usercredit/_changes", headers, {})


@pytest.fixture
def silent(new_database: NewDatabase) -> str:
    return new_database()


async def test_other_nodes_hear_of_a_sign_out_although_no_trigger_tells_them(silent: str, tmp_path: Path) -> None:
    """As in a database distributed by Citus, where deploy/citus.sql drops the triggers that notify."""
    async with open_product(silent, tmp_path / "one") as one, open_product(silent, tmp_path / "two") as two:
        await one.db.execute("drop trigger usersession_gone on usersession")
        await one.db.execute("drop trigger usersession_revoked on usersession")
        one.app.state.session_db.distributed = True
        account = await one.account()
        there = User(account.owner.appuserid, account.owner.email, account.owner.token, two.caller(account.owner.token))
        assert [await state(account.owner), await state(there)] == [OPEN, OPEN]
        assert (await account.owner.http.delete("/api/v2/user/session")).status_code == 200

        async def closed() -> bool:
            return await state(there) == CLOSED

        await until(closed, 1.0)
