"""PostgreSQL fails under traffic in several ways: 503 with Retry-After, then recovery without a restart."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable

import pytest

from tests.system.faults.conftest import EXPECTED, Postgres, Product

Seen = Callable[[str, str, str], None]
pytestmark = pytest.mark.slow


async def test_restarted(product: Product, postgres: Postgres, seen: Seen) -> None:
    async with product.traffic() as traffic:
        await asyncio.to_thread(postgres.halt)
        await traffic.trouble()
        await asyncio.to_thread(postgres.go_on)
        back = time.monotonic()
        await traffic.calm()
    heal = traffic.healed(back)
    seen("PostgreSQL restarted", EXPECTED, f"{traffic.told()}; healed in {heal:.1f} s")


async def test_killed(product: Product, postgres: Postgres, seen: Seen) -> None:
    async with product.traffic() as traffic:
        postgres.signal(signal.SIGKILL)
        await traffic.trouble()
        await asyncio.to_thread(postgres.go_on)
        back = time.monotonic()
        await traffic.calm()
    heal = traffic.healed(back)
    seen("PostgreSQL killed (-9)", EXPECTED, f"{traffic.told()}; healed in {heal:.1f} s")


async def test_one_of_its_processes_killed(product: Product, postgres: Postgres, seen: Seen) -> None:
    """PostgreSQL restarts after the kill of a backend: every connection is lost, twice."""
    async with product.traffic() as traffic:
        for _ in range(2):
            [row] = await postgres.sql(
                "select pid from pg_stat_activity where usename = 'app' and application_name = 'tableapi' limit 1"
            )
            os.kill(row["pid"], signal.SIGKILL)
            back = time.monotonic()
            await traffic.calm()
    heal = traffic.healed(back)
    seen("One connection's process killed (-9)", EXPECTED, f"{traffic.told()}; healed in {heal:.1f} s")


async def test_frozen(product: Product, postgres: Postgres, seen: Seen) -> None:
    """A paused PostgreSQL accepts connections and never responds, like a broken network."""
    async with product.traffic() as traffic:
        postgres.signal(signal.SIGSTOP)
        await traffic.trouble()
        await asyncio.sleep(3)
        postgres.signal(signal.SIGCONT)
        back = time.monotonic()
        await traffic.calm()
    heal = traffic.healed(back)
    assert traffic.slowest() < 20  # REQUEST_SECONDS, and time in the queue
    seen("PostgreSQL answers nothing for some seconds", EXPECTED,
         f"{traffic.told()}; slowest answer {traffic.slowest():.1f} s; healed in {heal:.1f} s")  # fmt: skip


async def test_out_of_connections(product: Product, postgres: Postgres, seen: Seen) -> None:
    async with product.traffic() as traffic:
        await postgres.sql("alter role app connection limit 0")
        await postgres.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'")
        await traffic.trouble()
        await asyncio.sleep(1)
        await postgres.sql("alter role app connection limit -1")
        back = time.monotonic()
        await traffic.calm()
    heal = traffic.healed(back)
    seen("PostgreSQL out of connections", EXPECTED, f"{traffic.told()}; healed in {heal:.1f} s")


async def test_read_only(product: Product, postgres: Postgres, seen: Seen) -> None:
    async with product.traffic() as traffic:
        await _set(postgres, "alter system set default_transaction_read_only = on")
        await traffic.trouble()
        await traffic.flow(("read",))
        await _set(postgres, "alter system reset default_transaction_read_only")
        back = time.monotonic()
        await traffic.calm()
    heal = traffic.healed(back)
    assert all(answer.kind != "read" for answer in traffic.answers if answer.status != 200)
    seen("PostgreSQL read-only", f"reads go on, writes {EXPECTED}", f"{traffic.told()}; healed in {heal:.1f} s")


async def _set(postgres: Postgres, statement: str) -> None:
    await postgres.sql(statement)
    await postgres.sql("select pg_reload_conf()")
