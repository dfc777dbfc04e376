"""A million rows in and out: the CPU time of an import, and the worker's memory in both directions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx

from tests.helpers.served import Served
from tests.helpers.support import Server, SqlClient, descendants, ok

ROWS, PER_PART = 1_000_000, 10_000
GROWTH_KB = 20_000
CPU_SECONDS = 10.0  # CPU time of worker and backend together: 100,000 rows a second, even without a second core
SCHEMA = "create table person (id bigint primary key, name text, email text, price numeric(8, 2), on_time timestamptz)"
TICKS = os.sysconf("SC_CLK_TCK")
SERVED = Served(SCHEMA, dataset="db", timeout=600, IMPORT_BYTES="200000000", IMPORT_SECONDS="600")


def lines(first: int, count: int) -> bytes:
    return b"".join(
        b'%d,"Person, %d",p%d@example.com,%d.50,2024-01-%02d 10:00:00+00\n' % (n, n, n, n % 1000, n % 28 + 1)
        for n in range(first, first + count)
    )


def imported(http: httpx.Client, first: int, count: int) -> int:
    def parts() -> Iterator[bytes]:
        yield b"id,name,email,price,on_time\n"
        for start in range(first, first + count, PER_PART):
            yield lines(start, min(PER_PART, first + count - start))

    response = http.post("/person?import=true", content=parts(), headers={"Content-Type": "text/csv"})
    return int(ok(response)["created"])


def streamed(http: httpx.Client) -> tuple[int, bytes]:
    count, last = 0, b""
    with http.stream("GET", "/person", headers={"Accept": "application/x-ndjson"}) as response:
        assert response.status_code == 200
        for part in response.iter_raw():
            count, last = count + part.count(b"\n"), part
    return count, last


def status(pid: int, name: str) -> int:
    """Return a size from the status of a process in kB."""
    text = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(name))


def is_postgres(pid: int) -> bool:
    """Return whether a process is a PostgreSQL backend; only those on this machine are counted."""
    name = Path(f"/proc/{pid}/comm")
    return name.exists() and name.read_text().strip() == "postgres"


def seconds(pid: int) -> float:
    """Return the CPU time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Growth:
    """The maximum growth of a server's processes during a block, in kB."""

    def __init__(self, server: Server) -> None:
        self.pids = [server.process.pid, *descendants(server.process.pid)]

    def __enter__(self) -> Growth:
        for pid in self.pids:
            Path(f"/proc/{pid}/clear_refs").write_text("5")  # reset the peak
        self._before = sum(status(pid, "VmRSS") for pid in self.pids)
        return self

    def __exit__(self, *_: object) -> None:
        self.kilobytes = sum(status(pid, "VmHWM") for pid in self.pids) - self._before


def test_a_million_rows_are_imported_and_streamed(server: Server, http: httpx.Client, url: str) -> None:
    assert imported(http, 0, 20_000) == 20_000
    assert streamed(http)[0] == 20_000
    assert http.delete("/person?force=true").status_code == 200
    with SqlClient(url) as db:

        def spent() -> float:
            backends = db.fetch(
                "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
            )
            return sum(seconds(pid) for pid in (*growth.pids, *(row[0] for row in backends if is_postgres(row[0]))))

        with Growth(server) as growth:
            before = spent()
            assert imported(http, 0, ROWS) == ROWS
            cpu = spent() - before
        print(f"\nimport: {cpu:.1f} s of processor time, {growth.kilobytes} kB")
        assert cpu < CPU_SECONDS
        assert growth.kilobytes < GROWTH_KB
        with Growth(server) as growth:
            count, last = streamed(http)
        print(f"stream: {growth.kilobytes} kB")
        assert count == ROWS
        assert last.splitlines()[-1].startswith(b'{"id":999999,"name":"Person, 999999",')
        assert growth.kilobytes < GROWTH_KB
