"""Run `make bench` and print its tables, explained in docs/explanation/performance.md.

Data stays under .data/bench.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench import (
    contenders,
    data,
    deletions,
    directory,
    load,
    mycontacts,
    others,
    peers,
    people_search,
    programs,
    questions,
    report,
    reveal,
    webhooks,
)
from bench.contenders import Contender, NotThere, Stage
from bench.scenarios import NAMES, Places
from tableapi.server.postgres.server import Embedded
from tests.helpers.support import ROOT

OTHERS = ("growth", "pages", "rest", "reveal", "import", "mycontacts", "directory", "search", "deletions",
          "programs", "questions", "webhooks")  # fmt: skip
# The first builds 9 GB of data, which stay; the second takes six minutes; the third installs a peer.
IF_NAMED = ("search", "webhooks", "questions")
ON_ITS_DATA = ("pages", "rest")
FOLDER = ROOT / ".data" / "bench"


def words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="under three minutes")
    parser.add_argument("--scale", type=float, default=1.0, help="1 is 1,000,000 contacts")
    parser.add_argument("--peers", action="store_true", help="also the best peers of the npm registry")
    parser.add_argument("--beside", default="", help="also tableapi as it was at these commits, a comma list")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--stolen", type=float, default=1.0, help="repeat runs in which the host took more, as 0.05")
    parser.add_argument("--only", default="", help="comma list of: " + ", ".join([*NAMES, *OTHERS]))
    parser.add_argument("--out", type=Path, default=ROOT / "bench.json")
    return parser.parse_args()


def scenarios(stage: Stage, args: argparse.Namespace, postgres: int, names: list[str]) -> dict[str, Any]:
    """Measure S1 to S10, one contender after the other in each round."""
    places = Places.of(args.scale)
    commits = [commit for commit in args.beside.split(",") if commit]
    starters: list[Callable[[Stage], Contender]] = [
        *contenders.OURS, *map(contenders.earlier, commits), *(peers.PEERS if args.peers else ()),
    ]  # fmt: skip
    racers: list[Contender] = []
    for starter in starters:
        try:
            racers.append(starter(stage))
        except NotThere as error:
            print(f"left out: {error}")
    seconds = args.seconds or (2 if args.quick else 6)
    runs: dict[str, dict[str, list[load.Result]]] = {}
    for scenario in names:
        running = [racer for racer in racers if scenario in racer.asks and _answers(racer, scenario, places)]
        for racer in running:
            load.run(racer, racer.asks[scenario], places, 1, postgres)  # warm
        runs[scenario] = {racer.name: [] for racer in running}
        for _ in range(args.rounds):
            for racer in running:
                ask = racer.asks[scenario]
                result = load.undisturbed(racer, ask, places, seconds, postgres, args.stolen)
                runs[scenario][racer.name].append(result)
        asyncio.run(data.restore(stage.database, args.scale))
        print(*report.lines(report.summary({scenario: runs[scenario]}), commits)[2:], sep="\n", flush=True)
    summary = report.summary(runs)
    for line in report.missed(summary, commits):
        print(f"missed: {line}")
    return summary


def _answers(racer: Contender, scenario: str, places: Places) -> bool:
    """Return whether the contender answers correctly, after retries. Peers may fail, tableapi may not."""
    for last in (False, False, True):
        try:
            load.check(racer, scenario, racer.asks[scenario], places)
        except load.WrongAnswers as error:
            if racer.name in ("tableapi", "baseline"):
                raise
            if last:
                print(f"left out: {error}")
        else:
            return True
        time.sleep(2)  # PostgREST answers 503 until it has read the schema
    return False


def others_(stage: Stage, args: argparse.Namespace, server: str, postgres: int, names: list[str]) -> dict[str, Any]:
    """Return the measurements without contenders, by name."""
    seconds = args.seconds or 6
    scales = sorted({0.1, 1.0, args.scale})
    doing: dict[str, Callable[[], Any]] = {
        "growth": lambda: others.growth(stage, server, scales, postgres, seconds),
        "pages": lambda: others.pages(stage),
        "rest": lambda: others.rest(stage, Places.of(args.scale), postgres, seconds),
        "reveal": lambda: reveal.measure(stage, server, rounds=args.rounds, seconds=seconds),
        "import": lambda: reveal.imported(stage, server, 1_000_000),
        "directory": lambda: directory.measure(stage, server, rounds=args.rounds, seconds=seconds),
        "search": lambda: people_search.measure(stage, server, size=int(people_search.PEOPLE * args.scale)),
        "mycontacts": lambda: mycontacts.measure(stage, server),
        "deletions": lambda: deletions.measure(stage, server),
        "programs": lambda: programs.measure(stage, server),
        "questions": lambda: questions.measure(stage, server),
        "webhooks": lambda: webhooks.measure(stage, server, seconds=args.seconds or 60),
    }
    return {name: doing[name]() for name in names}


def machine() -> dict[str, Any]:
    """Describe the machine of the measurement."""
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": model[0].partition(":")[2].strip() if model else platform.machine(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "python": platform.python_version(),
        "load_before": os.getloadavg(),
    }


def main() -> int:
    args = words()
    if shutil.which("wrk") is None:
        print("The benchmarks need wrk, which sends the requests: apt install wrk", file=sys.stderr)
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"machine": machine(), "scale": args.scale, "workers": args.workers}
    with ExitStack() as stack:
        server = Embedded(FOLDER / "postgres")
        url = stack.enter_context(server)
        postgres = int((server.data / "postmaster.pid").read_text().split("\n")[0])
        named = [name for name in args.only.split(",") if name]
        items = [name for name in NAMES if not named or name in named]
        needed = not named or items or any(name in named for name in ON_ITS_DATA)
        stage = Stage(stack, data.main(url, args.scale) if needed else "", FOLDER, args.workers)
        if items:
            results["scenarios"] = scenarios(stage, args, postgres, items)
        if not args.quick:
            results |= others_(
                stage,
                args,
                url,
                postgres,
                [name for name in OTHERS if name in named or (not named and name not in IF_NAMED)],
            )
    args.out.write_text(json.dumps(results, indent=1) + "\n")
    print(f"Written: {args.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
