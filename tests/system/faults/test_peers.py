"""Mail server, payment provider, people vendor and Redis: unreachable, slow, or sending rubbish."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from shutil import which
from typing import Any

import fakeredis
import httpx2
import pytest
from redis.asyncio import Redis

from tests.helpers.support import NewDatabase, Serve, free_port
from tests.system.faults.conftest import HEADERS, KEY, Product
from tests.system.faults.peer import Mode, Peer
from tests.system.faults.traffic import HEALS, until

Seen = Callable[[str, str, str], None]
pytestmark = pytest.mark.slow


BROKEN: tuple[Mode, ...] = ("down", "slow", "rubbish")


@pytest.mark.parametrize("mode", BROKEN)
async def test_mails_survive_a_failing_server(product: Product, seen: Seen, mode: Mode) -> None:
    already = product.mails.doubled
    product.doubled = already + 2  # one may be in flight when the connection is cut: see docs/explanation/faults.md
    async with product.traffic() as traffic:
        await product.smtp.be(mode)
        before = len(traffic.mailed)
        await traffic.flow(many=10)
        await asyncio.sleep(4)
        await product.smtp.be("works")
        due = set(traffic.mailed[before:])
        late = await until(lambda: due <= set(product.mails.names))
    product.doubled = product.mails.doubled
    assert not traffic.errors(), traffic.told()
    assert late < HEALS + (0 if mode == "down" else 10)  # requests in flight wait until their time-out
    twice = product.doubled - already
    seen(f"Mail server {mode}", "nobody notices; the mails go out once, 5 s after its return",
         f"{traffic.told()}; {len(due)} mails waited, all sent {late:.1f} s after, {twice} twice")  # fmt: skip


# -- the people vendor -------------------------------------------------------------------------------------------------


async def _vendor(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    body = b'{"full_name": "Vera Vendor", "phones": "+4512345678"}'
    while (await reader.readline()).strip():
        pass
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
    writer.write(head % len(body) + body)
    await writer.drain()
    writer.close()


async def test_look_ups_survive_a_failing_vendor(product: Product, seen: Seen) -> None:
    real = await asyncio.start_server(_vendor, "127.0.0.1", 0)
    peer = Peer(free_port(), real.sockets[0].getsockname()[1])
    await peer.start()
    node = await asyncio.to_thread(
        product.serve, WORKERS="1", WORKER="off", PEOPLE_URL=f"http://127.0.0.1:{peer.port}/find"
    )
    numbers = iter(range(1000))
    async with httpx2.AsyncClient(base_url=f"{node.url}/api/v2/", headers=HEADERS, timeout=20) as http:

        async def reveal(number: int) -> httpx2.Response:
            url = f"linkedin.com/in/vendor-{number}"
            return await http.post("getcontact", json={"linkedinurl": url, "type": "directdial", "action": "reveal"})

        async def credits_() -> int:
            balance = await http.get("account/credits")
            return int(balance.json()["credits"]["contactcredit"])

        for mode in BROKEN:
            await peer.be(mode)
            before = await credits_()
            number = next(numbers)
            began = time.monotonic()
            responses = [await reveal(number) for _ in range(6)]  # after the fifth failure no request is sent
            slowest = time.monotonic() - began
            assert {response.status_code for response in responses} == {503}
            assert all("retry-after" in response.headers for response in responses)
            assert await credits_() == before
            await peer.be("works")
            back = time.monotonic()
            while (done := await reveal(number)).status_code == 503:
                assert time.monotonic() - back < 12, done.text
                await asyncio.sleep(0.2)
            heal = time.monotonic() - back
            assert (done.status_code, done.json()["charged"]) == (200, 1)
            assert await credits_() == before - 1
            seen(f"People vendor {mode}", "503 with Retry-After, nothing charged; it is asked again in 5 s",
                 f"6 × 503 in {slowest:.1f} s; the repeat worked {heal:.1f} s after, for one credit")  # fmt: skip
            assert heal < HEALS
    await peer.stop()
    real.close()
    await asyncio.to_thread(node.stop)
    product.servers.remove(node)
    product.others += 3


# -- the payment provider ----------------------------------------------------------------------------------------------


async def test_payments_survive_a_failing_provider(serve: Serve, new_database: NewDatabase, seen: Seen) -> None:
    url, port = await asyncio.to_thread(new_database), free_port()
    peer = Peer(free_port(), port)
    await peer.start()
    settings = {
        "DEMO": "1", "DATABASE_URL": url, "APP_KEYS": KEY, "PORT": str(port), "RATE_LIMITS": "off",
        "STRIPE_API_BASE": f"http://127.0.0.1:{peer.port}/sandbox/stripe",
    }  # fmt: skip
    server = await asyncio.to_thread(lambda: serve(**settings))
    async with httpx2.AsyncClient(base_url=f"{server.url}/api/v2/", headers={"X-API-Key": KEY}, timeout=40) as http:
        who = {"email": "owner@acme-demo.com", "password": "Demo1234"}
        http.headers["X-Session-Token"] = (await http.post("user/session", json=who)).json()["session_token"]

        async def credits_() -> int:
            return int((await http.get("account/credits")).json()["credits"]["contactcredit"])

        for mode, token in zip(BROKEN, ("tok_visa", "tok_mastercard", "pm_card_visa"), strict=True):
            await peer.be(mode)
            before = await credits_()
            buy = {"planid": 101, "tokenid": token}
            began = time.monotonic()
            response = await http.post("addonpayment", json=buy)
            seconds = time.monotonic() - began
            assert response.status_code == 503, response.text
            assert "retry-after" in response.headers
            assert await credits_() == before
            await peer.be("works")
            back = time.monotonic()
            while (done := await http.post("addonpayment", json=buy)).status_code == 503:
                assert time.monotonic() - back < HEALS
                await asyncio.sleep(0.2)
            assert "transactionid" in done.json()["result"], done.text
            while await credits_() != before + 100:
                assert time.monotonic() - back < 15
                await asyncio.sleep(0.2)
            heal = time.monotonic() - back
            again = await http.post("addonpayment", json=buy)
            assert again.json()["result"] == done.json()["result"]
            await asyncio.sleep(1)
            assert await credits_() == before + 100
            seen(f"Payment provider {mode}", "503 with Retry-After, nothing charged; the repeat pays once",
                 f"503 after {seconds:.1f} s; paid and credited once {heal:.1f} s after its return")  # fmt: skip
    await peer.stop()


# -- Redis -------------------------------------------------------------------------------------------------------------


@pytest.fixture
async def redis(tmp_path: Path) -> AsyncIterator[int]:
    """Return the port of a Redis: redis-server if installed, else an implementation in Python."""
    port = free_port()
    if program := which("redis-server"):
        process = await asyncio.create_subprocess_exec(
            program, "--port", str(port), "--save", "", "--dir", str(tmp_path), stdout=asyncio.subprocess.DEVNULL
        )
        yield port
        process.terminate()
        await process.wait()
        return
    server = fakeredis.TcpFakeServer(("127.0.0.1", port), server_type="redis")
    running = asyncio.get_running_loop().run_in_executor(None, server.serve_forever)
    yield port
    await asyncio.to_thread(server.shutdown)
    server.server_close()
    await running


async def test_requests_survive_a_failing_redis(product: Product, seen: Seen, redis: int, tmp_path: Path) -> None:
    peer = Peer(free_port(), redis)
    await peer.start()
    async with asyncio.timeout(10):
        client = Redis(port=redis)
        while True:
            try:
                await client.ping()
                break
            except OSError:
                await asyncio.sleep(0.1)
        await client.aclose()
    common: dict[str, Any] = {
        "WORKERS": "1", "WORKER": "off", "RATE_LIMITS": "on", "SESSION_PER_MINUTE": "100000",
        "REDIS_URL": f"redis://127.0.0.1:{peer.port}/0",
    }  # fmt: skip
    folders = [str(tmp_path / f"data{number}") for number in range(2)]
    nodes = [await asyncio.to_thread(product.serve, **common, DATA_DIR=folder) for folder in folders]
    path = "/api/v2/leads/_table/usercontact?limit=1"
    async with httpx2.AsyncClient(headers=HEADERS) as http:

        async def used(node: int) -> int:
            response = await http.get(nodes[node].url + path)
            assert response.status_code == 200, response.text
            return 100_000 - int(response.headers["x-ratelimit-remaining"])

        async def shared() -> float:
            """Return the seconds until the other node sees a count."""
            began = time.monotonic()
            for _ in range(20):
                await used(0)
            low = await used(0)
            while await used(1) < low:
                assert time.monotonic() - began < HEALS, "limits are not shared"
                await asyncio.sleep(0.05)
            return time.monotonic() - began

        await shared()
        for mode in BROKEN:
            await peer.be(mode)
            times = []
            for _ in range(100):
                began = time.monotonic()
                await used(0)
                times.append(time.monotonic() - began)
            await peer.be("works")
            heal = await shared()
            assert max(times) < 1
            seen(f"Redis {mode}", "nobody waits; each worker counts alone, together again in 5 s",
                 f"100 × 200, slowest {max(times) * 1000:.0f} ms; shared again {heal:.1f} s after")  # fmt: skip
    for node in nodes:
        await asyncio.to_thread(node.stop)
        product.servers.remove(node)
    await peer.stop()
