"""PostgreSQL fails under traffic in several ways: 503 with Retry-After, then recovery without a restart."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from tests.system.faults.conftest import EXPECTED, Postgres, Product
from tests.system.faults.traffic import Traffic

Seen = Callable[[str, str, str], None]
pytestmark = pytest.mark.slow


@asynccontextmanager
async def _fault(
    product: Product, seen: Seen, fault: str, expected: str = EXPECTED, more: Callable[[Traffic], str] = lambda _: ""
) -> AsyncIterator[Traffic]:
    """Run traffic while the block causes a fault and ends it; wait until requests succeed again, and report."""
    async with product.traffic() as traffic:
        yield traffic
        back = time.monotonic()
        await traffic.calm()
    seen(fault, expected, f"{traffic.told()}{more(traffic)}; healed in {traffic.healed(back):.1f} s")


async def test_a_restarted_server_recovers(product: Product, postgres: Postgres, seen: Seen) -> None:
    async with _fault(product, seen, "PostgreSQL restarted") as traffic:
        await asyncio.to_thread(postgres.halt)
        await traffic.trouble()
        await asyncio.to_thread(postgres.go_on)


async def test_a_killed_server_recovers(product: Product, postgres: Postgres, seen: Seen) -> None:
    async with _fault(product, seen, "PostgreSQL killed (-9)") as traffic:
        postgres.signal(signal.SIGKILL)
        await traffic.trouble()
        await asyncio.to_thread(postgres.go_on)


async def test_a_killed_backend_is_survived(product: Product, postgres: Postgres, seen: Seen) -> None:
    """PostgreSQL restarts after the kill of a backend: every connection is lost, twice."""
    async with _fault(product, seen, "One connection's process killed (-9)") as traffic:
        await _kill_backend(postgres)
        await traffic.calm()
        await _kill_backend(postgres)


async def test_a_frozen_server_recovers(product: Product, postgres: Postgres, seen: Seen) -> None:
    """A paused PostgreSQL accepts connections and never responds, like a broken network."""

    def slowest(traffic: Traffic) -> str:
        return f"; slowest answer {traffic.slowest():.1f} s"

    async with _fault(product, seen, "PostgreSQL answers nothing for some seconds", more=slowest) as traffic:
        postgres.signal(signal.SIGSTOP)
        await traffic.trouble()
        await asyncio.sleep(3)
        postgres.signal(signal.SIGCONT)
    assert traffic.slowest() < 20  # REQUEST_SECONDS, and time in the queue


async def test_a_server_without_connections_recovers(product: Product, postgres: Postgres, seen: Seen) -> None:
    async with _fault(product, seen, "PostgreSQL out of connections") as traffic:
        await postgres.sql("alter role app connection limit 0")
        await postgres.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'")
        await traffic.trouble()
        await asyncio.sleep(1)
        await postgres.sql("alter role app connection limit -1")


async def test_a_read_only_server_serves_reads(product: Product, postgres: Postgres, seen: Seen) -> None:
    async with _fault(product, seen, "PostgreSQL read-only", f"reads go on, writes {EXPECTED}") as traffic:
        await _set(postgres, "alter system set default_transaction_read_only = on")
        await traffic.trouble()
        await traffic.flow(("read",))
        await _set(postgres, "alter system reset default_transaction_read_only")
    assert all(response.kind != "read" for response in traffic.answers if response.status != 200)


async def _kill_backend(postgres: Postgres) -> None:
    [row] = await postgres.sql(
        "select pid from pg_stat_activity where usename = 'app' and application_name = 'tableapi' limit 1"
    )
    os.kill(row["pid"], signal.SIGKILL)


async def _set(postgres: Postgres, statement: str) -> None:
    await postgres.sql(statement)
    await postgres.sql("select pg_reload_conf()")
