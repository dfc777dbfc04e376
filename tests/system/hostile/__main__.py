"""Print the effect of each request in the corpus: `python -m tests.system.hostile postgresql://.../an_empty_database`."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

from tests.helpers.support import execute
from tests.system.hostile.corpus import SCHEMA
from tests.system.hostile.measure import Measured, hostile, started


def main(url: str) -> None:
    execute(url, SCHEMA)
    with ExitStack() as stack:
        measured: Measured = hostile(started(stack, url, Path.cwd()))
    for line in measured.lines():
        print(line)


if __name__ == "__main__":
    main(sys.argv[1])
