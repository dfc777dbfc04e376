"""Run the simulation of the connection pool: `python -m tests.system.simulation --seed 7` or `--count 10000`."""

from __future__ import annotations

import argparse
import logging
import sys
import time

from tests.system.simulation.world import check


def main() -> int:
    """Run one seed with its events, or many until one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="run this seed and print what happens")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10_000)
    words = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if words.seed is not None:
        violation = check(words.seed, print)
        print(violation or "all invariants hold")
        return int(violation is not None)
    began = time.perf_counter()
    for seed in range(words.first, words.first + words.count):
        if violation := check(seed):
            print(f"seed {seed}: {violation}\npython -m tests.system.simulation --seed {seed}")
            return 1
    print(f"{words.count} seeds in {time.perf_counter() - began:.0f} s: all invariants hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
