"""Read CPU time and memory of a process and its descendants from /proc."""

from __future__ import annotations

import os
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def children(pid: int) -> list[int]:
    """Return the process and its descendants."""
    items = [pid]
    for item in items:
        for task in Path(f"/proc/{item}/task").glob("*/children"):
            try:
                items += map(int, task.read_text().split())
            except OSError:
                continue
    return items


def cpu(pid: int) -> float:
    """Return CPU seconds of the process and its descendants, ended ones included."""
    return sum(_seconds(child) for child in children(pid))


def _seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICK


def memory(pid: int) -> float:
    """Return the proportional set size (Pss) of the process in MB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(pid)


def machine() -> tuple[int, int]:
    """Return CPU ticks of this machine since its start.

    Out: those that its host gave to other machines, and all.
    """
    ticks = list(map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9]))
    return ticks[7], sum(ticks)
