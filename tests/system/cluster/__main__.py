"""Run `python -m tests.system.cluster`: fail nodes, the replica and the primary, and print the results as a table.

Needs nginx and redis-server (tools/peers). Prints the table of docs/guides/scaling.md; exits with 1 when a check fails.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.helpers.customer import prepare
from tests.system.cluster import checks
from tests.system.cluster.nodes import Cluster, Missing, bring_up

PEOPLE = 200_000


async def _all(cluster: Cluster) -> list[checks.Row]:
    await prepare(cluster.settings["DATABASE_URL"], PEOPLE)
    rows = []
    for check in checks.ALL:
        row = await check(cluster)
        print(f"{'ok ' if row.ok else 'BAD'} {row.what}: {row.seen}", file=sys.stderr, flush=True)
        rows.append(row)
    return rows


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="cluster.") as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)  # the servers may run as another user
        try:
            cluster = bring_up(folder, stack)
        except Missing as error:
            print(error, file=sys.stderr)
            return 2
        rows = asyncio.run(_all(cluster))
    print("| What | Must | Seen | |\n| --- | --- | --- | --- |")
    for row in rows:
        print(f"| {row.what} | {row.must} | {row.seen} | {'ok' if row.ok else 'NOT MET'} |")
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
