"""Run `python -m tests.system.cluster`: observe the clients of a cluster on this machine while parts of it fail.

    nodes     two nodes and a replica that a person promotes: the table of docs/guides/scaling.md
    history   a build without the lock of a reveal, which the checks of books and histories must find
    faults    PostgreSQL under Patroni behind HAProxy and pgbouncer: the table of docs/explanation/faults.md
    chaos     the same cluster, ten minutes with a random fault every half minute; `--seed` gives the same ones again
    replicas  the same cluster: what reads cost the primary with two replicas, with one and with none
    restore   one PostgreSQL with pgBackRest, restored to a point in time: the figures of docs/guides/backup.md
    citus     the product on the Citus at `--url` beside the PostgreSQL at `--plain`, two empty databases:
              the tables of docs/guides/scaling.md; `--only lists,session` runs some of the tests' files

`--only etcd,switchover` runs some of the faults, `--hold` starts the cluster and leaves it running until Ctrl-C. The
programs are installed by tools/peers. Exits with 1 when a check fails.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.helpers.customer import prepare
from tests.system.cluster import chaos, checks, citus, faults, missing_lock, reading, restore, stack
from tests.system.cluster.nodes import Cluster, bring_up
from tests.system.cluster.programs import Missing

PEOPLE = 200_000
PARTS = ["nodes", "history", "faults", "chaos", "replicas", "restore", "citus"]


async def _checks(cluster: Cluster) -> list[checks.Row]:
    await prepare(cluster.settings["DATABASE_URL"], PEOPLE)
    rows = []
    for check in checks.ALL:
        row = await check(cluster)
        print(f"{'ok ' if row.ok else 'BAD'} {row.what}: {row.seen}", file=sys.stderr, flush=True)
        rows.append(row)
    return rows


def _nodes(folder: Path, exits: ExitStack) -> bool:
    """Print the table of two nodes and a replica, and return whether every check passed."""
    rows = asyncio.run(_checks(bring_up(folder, exits)))
    print("| What | Must | Seen | |\n| --- | --- | --- | --- |")
    for row in rows:
        print(f"| {row.what} | {row.must} | {row.seen} | {'ok' if row.ok else 'NOT MET'} |")
    return all(row.ok for row in rows)


def _history(folder: Path, exits: ExitStack) -> bool:
    """Return whether the books and histories of a build without its lock reveal the fault."""
    asyncio.run(missing_lock.finds_a_missing_lock(bring_up(folder, exits, whole=False)))
    print("The books and the histories show the missing lock.")
    return True


def _show(row: faults.Row) -> None:
    print(f"{'BAD' if row.problems else 'ok '} {row.fault}: {row.seen}", file=sys.stderr, flush=True)
    for problem in row.problems[:5]:
        print(f"    {problem}", file=sys.stderr, flush=True)


def _faults(folder: Path, exits: ExitStack, only: set[str]) -> bool:
    """Run the faults one by one, and return whether the cluster survived all of them."""
    return _survived(asyncio.run(faults.run_all(stack.bring_up(folder, exits), only, _show)))


def _chaos(folder: Path, exits: ExitStack, seed: int) -> bool:
    """Run random faults, and return whether the cluster survived all of them."""
    return _survived(asyncio.run(chaos.run(stack.bring_up(folder, exits), seed, _show)))


def _replicas(folder: Path, exits: ExitStack) -> bool:
    """Measure reads, and return whether none failed."""
    return _survived(asyncio.run(reading.run(stack.bring_up(folder, exits))), "Cluster")


def _survived(rows: list[faults.Row], what: str = "Fault") -> bool:
    """Print the rows as a table, and return whether none left a problem."""
    print(f"| {what} | Expected | Seen |\n| --- | --- | --- |")
    for row in rows:
        print(f"| {row.fault} | {row.expected} | {row.seen}{' **NOT MET**' if row.problems else ''} |")
    return not any(row.problems for row in rows)


def _hold(folder: Path, exits: ExitStack) -> bool:
    """Start the cluster, print its addresses and wait for Ctrl-C."""
    running = stack.bring_up(folder, exits)
    print(f"Product   {running.url}/\nPrimary   {running.direct}\nLogs      {folder}")
    print("\n".join(f"{name:9} {one.address}:{one.port}" for name, one in running.programs.items()))
    print("Running. Stop with Ctrl-C.", flush=True)
    signal.sigwait({signal.SIGINT, signal.SIGTERM})
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.cluster")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="the first three unless given")
    parser.add_argument("--only", default="", help=f"faults: {', '.join(faults.FAULTS)}")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="chaos: which faults, in which order")
    parser.add_argument("--url", default="", help="citus: an empty database of its coordinator")
    parser.add_argument("--plain", default="", help="citus: an empty database of PostgreSQL")
    parser.add_argument("--hold", action="store_true", help="start the cluster of `faults` and keep it running")
    args = parser.parse_args()
    only = {name for name in args.only.split(",") if name}
    if "citus" in args.parts and not (args.url and args.plain):
        parser.error("citus needs --url and --plain")
    if "citus" not in args.parts and (unknown := only - {*faults.FAULTS, "sign-out"}):
        parser.error(f"there is no fault {', '.join(sorted(unknown))}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stops in order, and leaves nothing behind
    good = True
    for part in ["hold"] if args.hold else args.parts or PARTS[:3]:
        with tempfile.TemporaryDirectory(prefix="cluster.") as name:
            folder = Path(name)
            folder.chmod(0o755)  # the servers may run as another user
            try:
                with ExitStack() as exits:
                    if part == "nodes":
                        good &= _nodes(folder, exits)
                    elif part == "history":
                        good &= _history(folder, exits)
                    elif part == "faults":
                        good &= _faults(folder, exits, only)
                    elif part == "chaos":
                        good &= _chaos(folder, exits, args.seed)
                    elif part == "replicas":
                        good &= _replicas(folder, exits)
                    elif part == "citus":
                        good &= citus.run(folder, exits, args.url, args.plain, only)
                    elif part == "restore":
                        good &= _survived(restore.run(folder, exits), "Step")
                    else:
                        good &= _hold(folder, exits)
            except Missing as error:
                print(error, file=sys.stderr)
                return 2
            if left := stack.left_behind(folder):
                print("left behind:", *left, sep="\n", file=sys.stderr)
                good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
