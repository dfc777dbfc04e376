"""A mark that the workers of one server share. Each write that may have ended a session changes it.

PostgreSQL announces such a write to every worker, but a worker that did not run the write may hear of it after its
response was sent. A worker that finds the mark changed waits for the announcement before it uses a cached caller.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path

from tableapi.log import get_logger

log = get_logger(__name__)
_BYTES = 8


class SharedMark:
    """Keep the mark in a mapped file, which is created if it does not exist.

    `value[:]` is the mark, which each request compares.
    """

    def __init__(self, path: Path | None) -> None:
        """Without a path, or on a full disk, the mark is that of this process alone."""
        self.value: mmap.mmap | bytearray = bytearray(_BYTES)
        if path is None:
            return
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                # Allocate the block now, because on a full disk, writing to a page without one would kill the process.
                os.posix_fallocate(file, 0, _BYTES)
                self.value = mmap.mmap(file, _BYTES)
            finally:
                os.close(file)
        except OSError as error:
            log.error("mark_alone", error=str(error.strerror))

    def change(self) -> None:
        """Replace the mark. It is random, so no lock is needed: two writes at once leave a new mark, too."""
        self.value[:] = os.urandom(_BYTES)

    def read(self) -> bytes:
        return bytes(self.value[:])
