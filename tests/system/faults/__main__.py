"""Run `python -m tests.system.faults [--keep]`: cause every fault on real servers and print a table of the results.

Takes about five minutes. --keep writes the table to the documentation when every result was as expected.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.helpers.support import ROOT

DOC = ROOT / "docs" / "explanation" / "faults.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.faults", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write docs/explanation/faults.md")
    parser.add_argument("-k", metavar="WORDS", default="", help="only these, as pytest's -k")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "faults.jsonl"
        words = ["-k", args.k] if args.k else []
        command = [sys.executable, "-m", "pytest", "-q", str(ROOT / "tests" / "system" / "faults"), *words]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | {"FAULTS_TABLE": str(table)}, check=False)
        rows = [json.loads(line) for line in table.read_text().splitlines()] if table.exists() else []
    lines = ["| Fault | Expected | Seen |", "| --- | --- | --- |", *(f"| {' | '.join(row)} |" for row in rows)]
    print("\n".join(lines))
    if args.keep and done.returncode == 0:
        head, _, rest = DOC.read_text().partition("<!-- table -->")
        cluster = "".join(rest.partition("\n## A cluster under Patroni")[1:])
        section = "\n".join(["<!-- table -->", "", time.strftime("%Y-%m-%d", time.gmtime()), "", *lines, ""])
        DOC.write_text(head + section + cluster)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
