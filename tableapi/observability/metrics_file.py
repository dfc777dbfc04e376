"""The mapped file of a process's numbers, with a place on the disk for every page of it.

prometheus_client maps a file with holes. On a full disk the kernel then ends a process that writes into one (SIGBUS),
and each that is started in its place. So the place is taken beforehand; where there is none, numbers stay in memory:
they miss in /metrics, and requests are answered.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import prometheus_client.values
from prometheus_client.mmap_dict import MmapedDict

FIRST = 1 << 20  # bytes, as prometheus_client's own


class Reserved(MmapedDict):
    """A dict of numbers over a file that has room for them."""

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        self._memory = -1
        if not read_mode and not _reserved(Path(filename)):
            self._memory = os.memfd_create("metrics")
            filename = f"/proc/self/fd/{self._memory}"
        super().__init__(filename, read_mode)  # type: ignore[no-untyped-call]

    def _init_value(self, key: str) -> None:
        """Raises OSError where the file would have to grow and cannot."""
        if self._used + len(key.encode()) + 64 > self._capacity:
            os.posix_fallocate(self._f.fileno(), 0, self._capacity * 2)
        super()._init_value(key)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        super().close()  # type: ignore[no-untyped-call]
        if self._memory >= 0:
            os.close(self._memory)
            self._memory = -1


def _reserved(path: Path) -> bool:
    try:
        with path.open("ab") as file:
            os.posix_fallocate(file.fileno(), 0, FIRST)
    except OSError:
        path.unlink(missing_ok=True)  # an empty file would be read as a broken one
        return False
    return True


def reserve(folder: Path) -> None:
    """Take the places of the files that come with the first request: the disk may be full by then."""
    for kind in ("counter", "histogram"):
        _reserved(folder / f"{kind}_{os.getpid()}.db")


def use() -> None:
    """Keep numbers so from now on; before the first of them is made."""
    module: Any = prometheus_client.values
    module.MmapedDict = Reserved
