"""Full disks of the tables, of PostgreSQL's write-ahead log and of a node: reads continue, writes are rejected."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator

import asyncpg
import httpx2
import pytest

from tableapi.server.postgres.server import NoPostgres
from tests.helpers.support import Server
from tests.system.faults.conftest import EXPECTED, HEADERS, Postgres, Product
from tests.system.faults.disk import Disk, small_disk
from tests.system.faults.test_processes import serving
from tests.system.faults.traffic import until

Seen = Callable[[str, str, str], None]
pytestmark = pytest.mark.slow
TRIGGERED = ("reveal", "creditledger", "pgqueuer", "idempotency", "usersession")


@pytest.fixture(scope="module")
def disks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Disk | None]]:
    base = tmp_path_factory.mktemp("disks")
    with (
        small_disk(base / "tables", "96m") as tables,
        small_disk(base / "log", "160m") as log,
        small_disk(base / "node", "64m") as node,
    ):
        yield {"tables": tables, "log": log, "node": node}


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory, disks: dict[str, Disk | None]) -> Iterator[Postgres]:
    """Start PostgreSQL with its write-ahead log on a separate small disk, if one can be mounted."""
    server = Postgres(tmp_path_factory.mktemp("faults") / "postgres")
    server.settings = server.settings | {"shared_buffers": "64MB", "fsync": "off", "min_wal_size": "32MB"}
    server.start()
    if (log := disks["log"]) is not None:
        server.halt()
        here, there = server.data / "pg_wal", log.folder / "pg_wal"
        shutil.copytree(here, there)
        _give(log, server)
        shutil.rmtree(here)
        here.symlink_to(there)
        server.go_on()
    yield server
    server.stop()


def _give(disk: Disk, postgres: Postgres) -> None:
    """Give ownership of the files on the disk to the owner of the PostgreSQL process."""
    owner = postgres.data.stat()
    for path in (disk.folder, *disk.folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)


async def test_a_full_table_disk_rejects_writes(
    product: Product, postgres: Postgres, disks: dict[str, Disk | None], seen: Seen
) -> None:
    disk = disks["tables"]
    way = "the disk is full" if disk else "may not mount here: by triggers that raise PostgreSQL's error"
    if disk:
        (disk.folder / "space").mkdir(mode=0o700)
        _give(disk, postgres)
        await postgres.sql(f"create tablespace small owner app location '{disk.folder}/space'")
        await _move(product, "pg_default", "small")
    async with product.traffic() as traffic:
        await _break(product, disk)
        await traffic.trouble()
        await traffic.flow(("read",))
        said = await _said(product.servers[0])
        await _mend(product, disk)
        back = time.monotonic()
        await traffic.calm()
    heal = traffic.healed(back)
    assert all(response.kind != "read" for response in traffic.answers if response.status != 200)
    if disk:
        await _move(product, "small", "pg_default")
    seen("Disk of the tables full", f"reads go on, health says it, writes {EXPECTED}",
         f"{way}; {traffic.told()}; {said}; healed in {heal:.1f} s")  # fmt: skip


async def test_a_full_log_disk_loses_nothing(
    product: Product, postgres: Postgres, disks: dict[str, Disk | None], seen: Seen
) -> None:
    """PostgreSQL stops when its write-ahead log is full, and is restarted, as by a supervisor."""
    disk = disks["log"]
    way = "the disk is full, PostgreSQL ends itself" if disk else "may not mount here: it is made to end itself"
    async with product.traffic() as traffic:
        if disk:
            disk.fill()
            filled = asyncio.create_task(_use_up(postgres))
        else:
            postgres.signal(signal.SIGABRT)
        await traffic.trouble()
        said = "health was not asked"
        if disk:
            await filled
            await until(lambda: not postgres.lives)
            with pytest.raises(NoPostgres, match=r"disk .* is full"):
                await asyncio.to_thread(postgres.try_to_start)
            said = await _unready(product.servers[0])
            disk.free()
        back = time.monotonic()
        await asyncio.to_thread(postgres.go_on)
        await traffic.calm()
    heal = traffic.healed(back)
    seen("Disk of PostgreSQL's log full", f"health says it; when there is room and it is started: {EXPECTED}",
         f"{way}; {traffic.told()}; {said}; healed in {heal:.1f} s")  # fmt: skip


async def test_a_full_node_goes_on(product: Product, disks: dict[str, Disk | None], seen: Seen) -> None:
    """A full DATA_DIR stops no process: rate limit counters are allocated at start, metrics are kept in memory."""
    disk = disks["node"]
    way = "the disk is full" if disk else "may not mount here: only used, never full"
    folder = disk.folder / "data" if disk else product.folder / "node"
    limits = {"RATE_LIMITS": "on", "SESSION_PER_MINUTE": "1000000", "ADDRESS_PER_MINUTE": "1000000",
              "METRICS_TOKEN": "watch"}  # fmt: skip
    node = await asyncio.to_thread(product.serve, DATA_DIR=str(folder), **limits)
    workers = serving(node.process.pid)
    if disk:
        disk.fill()
    async with product.traffic(node.url, writes=False) as traffic, httpx2.AsyncClient(headers=HEADERS) as http:
        await traffic.flow(many=20)
        uploads = f"{node.url}/api/v2/files"
        text = {"files": ("list.txt", b"x" * 100_000, "text/plain")}
        refused = await http.post(uploads, files=text)
        if disk:
            assert (refused.status_code, "retry-after" in refused.headers) == (503, True), refused.text
            assert refused.json()["error"]["context"]["reason"] == "read_only"
            os.kill(workers[0], signal.SIGKILL)  # the next one starts on the full disk
            await until(lambda: len(serving(node.process.pid)) == 2 and workers[0] not in serving(node.process.pid))
            await traffic.calm()
        numbers = await http.get(f"{node.url}/metrics", headers={"Authorization": "Bearer watch"})
        assert (numbers.status_code, "tableapi_requests_total{" in numbers.text) == (200, True), numbers.text
        if disk:
            disk.free()
        response = await http.post(uploads, files=text)
    assert response.status_code == 200, response.text
    assert workers[1] in serving(node.process.pid), "a worker died"
    seen("Disk of a node (DATA_DIR) full", "only uploads fail (503); a new process starts all the same",
         f"{way}; {traffic.told()}; upload {refused.status_code}, /metrics {numbers.status_code}")  # fmt: skip


async def _said(node: Server) -> str:
    """Return the health report of a worker that rejected a write while the disk is full."""
    async with httpx2.AsyncClient() as http, asyncio.timeout(20):
        while True:
            response = await http.get(f"{node.url}/readyz")
            if response.json().get("writes") == "refused":
                return f"/readyz {response.status_code} {response.text}"
            await asyncio.sleep(0.05)


async def _unready(node: Server) -> str:
    async with httpx2.AsyncClient() as http:
        alive, ready = await http.get(f"{node.url}/healthz"), await http.get(f"{node.url}/readyz")
    assert (alive.status_code, ready.status_code) == (200, 503)
    return "/healthz 200, /readyz 503"


async def _use_up(postgres: Postgres) -> None:
    """Switch write-ahead log files until no space is left, including recycled files."""
    try:
        while True:
            await postgres.sql("select pg_logical_emit_message(false, 'fill', repeat('x', 1000000)), pg_switch_wal()")
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return


async def _break(product: Product, disk: Disk | None) -> None:
    if disk:
        disk.fill()
        return
    await _as_owner(product, "create or replace function full_disk() returns trigger language plpgsql as"
                    " $$ begin raise disk_full using message = 'could not extend file'; end $$")  # fmt: skip
    for table in TRIGGERED:
        await _as_owner(product, f"create trigger full_disk before insert on {table} execute function full_disk()")


async def _mend(product: Product, disk: Disk | None) -> None:
    if disk:
        disk.free()
        return
    for table in TRIGGERED:
        await _as_owner(product, f"drop trigger full_disk on {table}")


async def _move(product: Product, source: str, target: str) -> None:
    for kind in ("table", "index"):
        await _as_owner(product, f"alter {kind} all in tablespace {source} owned by app set tablespace {target}")


async def _as_owner(product: Product, statement: str) -> None:
    connection = await asyncpg.connect(product.url)
    await connection.execute("set lock_timeout = '10s'")
    await connection.execute(statement)
    await connection.close()
