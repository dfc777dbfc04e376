"""Run `python -m tests.system.overload [--loads 0.7:120 1.5:600]`: offer more load than the server can serve.

Measures the capacity for the mix, then offers each load, a fraction of the capacity, open loop for the given seconds.
--keep writes the table to the documentation. An hour at a third of the capacity: --loads 0.3:3600. Exits with 1 after a
status other than 200, 429 and 503, a failing /healthz, a p99 of accepted requests under the last load of more than
twice that under the first, a growth of memory, or a ledger that differs from the balance.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

import uvloop

from tests.helpers.support import ROOT
from tests.system.overload.generator import Generator, Seen, mixed
from tests.system.overload.stage import Stage

DOC = ROOT / "docs" / "explanation" / "overload.md"


class Watch:
    """Sample health and memory in the background."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.green, self.red, self.slowest = 0, 0, 0.0
        self.memory: list[int] = []

    async def over(self, running: Awaitable[Seen]) -> Seen:
        looking = asyncio.create_task(self._look())
        try:
            return await running
        finally:
            looking.cancel()

    async def _look(self) -> None:
        while True:
            began = time.monotonic()
            good = await self._healthy()
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.green, self.red = self.green + good, self.red + (not good)
            self.memory.append(self._stage.memory())
            await asyncio.sleep(0.5)

    async def _healthy(self) -> bool:
        try:
            async with asyncio.timeout(5):
                reader, writer = await asyncio.open_connection("127.0.0.1", self._stage.server.port)
                writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                response = await reader.read(-1)
                writer.close()
                return response.startswith(b"HTTP/1.1 200")
        except (OSError, TimeoutError):
            return False

    def grown(self) -> float:
        """Return the growth in MB of the lowest memory from the second to the last tenth.

        The first tenth is skipped, because connections are opened then. Peaks do not count: hashing a password briefly
        takes 19 MB.
        """
        part = max(1, len(self.memory) // 10)
        return (min(self.memory[-part:]) - min(self.memory[part : 2 * part], default=0)) / 1e6

    def tenths(self) -> str:
        """Return the lowest memory in each tenth, in MB."""
        part = max(1, len(self.memory) // 10)
        return " ".join(f"{min(self.memory[n : n + part], default=0) / 1e6:.0f}" for n in range(0, part * 10, part))


def _be_punctual() -> None:
    """Raise the priority of the generator if permitted, since a late one sends bursts and measures itself."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -15)


async def run(loads: list[tuple[float, float]], folder: Path) -> tuple[list[str], list[str]]:
    """Return the lines of the table, and the problems."""
    async with Stage(folder) as stage:
        _be_punctual()
        generator = Generator("127.0.0.1", stage.server.port, mixed(stage.parts()))
        await generator.closed_loop(16, 2)  # warm
        most = (await generator.closed_loop(32, min(10.0, loads[0][1]))).rate
        lines = ["| Offered | for | requests/s | accepted/s | 503 | other | p50 | p99 | worst kind's p99 | /healthz |",
                 "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
        wrong = []
        seen: dict[float, Seen] = {}
        for part, seconds in loads:
            watch = Watch(stage)
            load = seen[part] = await watch.over(generator.open_loop(most * part, seconds))
            other = {status: n for status, n in load.statuses.items() if n and status not in (200, 503)}
            kinds = {kind: load.percentile(0.99, kind) for kind in load.times}
            worst = max(kinds, key=lambda kind: kinds[kind])
            lines.append(
                f"| {part} × | {seconds:.0f} s | {most * part:,.0f} | {load.rate:,.0f} | {load.statuses[503]:,}"
                f" | {other or 'none'}"
                f" | {load.percentile(0.5) * 1000:.1f} ms | {load.percentile(0.99) * 1000:.1f} ms"
                f" | {worst} {kinds[worst] * 1000:.0f} ms | {watch.green} of {watch.green + watch.red},"
                f" slowest {watch.slowest * 1000:.0f} ms; memory by tenths {watch.tenths()} MB |"
            )
            if set(other) - {429}:
                wrong.append(f"{part} ×: answers that are neither 200 nor 429 nor 503: {other}")
            if watch.red:
                wrong.append(f"{part} ×: /healthz was not green {watch.red} times")
            if watch.grown() > (5 if seconds >= 60 else 60):  # a worker grows at first: threads, statements, buffers
                wrong.append(f"{part} ×: memory grew by {watch.grown():.0f} MB")
        if (last := seen[loads[-1][0]].percentile(0.99)) > 2 * (first := seen[loads[0][0]].percentile(0.99)):
            wrong.append(f"p99 of accepted requests is {last * 1000:.0f} ms, more than twice {first * 1000:.0f} ms")
        right, spent, reveals = await stage.books()
        lines.append(f"\nCapacity {most:,.0f} requests/s. {reveals:,} reveals, {spent:,} credits spent.")
        if not right or spent != reveals:
            wrong.append("the books are wrong")
        return lines, wrong


def _load(text: str) -> tuple[float, float]:
    part, _, seconds = text.partition(":")
    return float(part), float(seconds or 60)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.overload", description=__doc__)
    parser.add_argument(
        "--loads", type=_load, nargs="+", default=[(0.7, 60.0), (1.5, 60.0)], metavar="PART[:SECONDS]",
        help="in parts of what can be served",
    )  # fmt: skip
    parser.add_argument("--keep", action="store_true", help="write docs/explanation/overload.md")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        lines, wrong = uvloop.run(run(args.loads, Path(folder)))
    table = "\n".join(lines)
    print(table)
    for line in wrong:
        print(f"WRONG: {line}", file=sys.stderr)
    if args.keep and not wrong:
        head = DOC.read_text().split("<!-- table -->")[0]
        date = f"{time.strftime('%Y-%m-%d', time.gmtime())}."
        DOC.write_text(f"{head}<!-- table -->\n\n{date}\n\n{table}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
