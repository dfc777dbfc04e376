"""Run `python -m tests.system.roundtrip [--people 100000] [--seed 1]`: odd people are imported, exported and compared.

Exits with 1 if a value changed on its way.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tableapi.server.postgres.server import Embedded
from tests.helpers.fixtures import open_product
from tests.system.roundtrip.people import make
from tests.system.roundtrip.trip import travel


async def _run(url: str, folder: Path, people: int, seed: int) -> list[str]:
    async with open_product(url, folder / "data", rate_limits=False) as product:
        return await travel(product, folder, make(seed, people))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.roundtrip", description=__doc__)
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        with Embedded(folder / "postgres", durable=False) as url:
            began = time.monotonic()
            lines = asyncio.run(_run(url, folder, args.people, args.seed))
            seconds = time.monotonic() - began
    print(f"{args.people:,} people in {seconds:,.0f} s, {len(lines)} differences")
    print("\n".join(lines), file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
