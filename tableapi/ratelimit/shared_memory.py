"""Rate limits shared by the workers of one server, in a mapped file with a lock per bucket.

The lock is held for about a microsecond, and the kernel releases it when a process dies. A bucket has four slots. If
all of them are in use, the window that ends first is replaced, which is rare with 262,144 slots.
"""

from __future__ import annotations

import mmap
import os
import time
from fcntl import LOCK_EX, LOCK_UN, lockf
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from struct import Struct

from tableapi.config.secret_file import private_folder
from tableapi.ratelimit.counter import Hit, outcome

BUCKETS = 65_536
_SLOT = Struct("<QdQ")  # mark of the key, end of its window, number of uses
_BUCKET = Struct("<" + "QdQ" * 4)
_SIZE = _BUCKET.size


@lru_cache(maxsize=20_000)
def _place(name: str, key: str) -> tuple[int, int]:
    """Return the offset of a key's bucket and the mark of its slot, which are the same in every process."""
    digest = int.from_bytes(blake2b(f"{name}\0{key}".encode(), digest_size=10).digest(), "little")
    return (digest & (BUCKETS - 1)) * _SIZE, (digest >> 16) or 1


class SharedMemoryCounter:
    """Keep the counts in a mapped file, which is created if it does not exist. Raises OSError."""

    def __init__(self, path: Path) -> None:
        private_folder(path.parent)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        # Allocate every block now, because on a full disk, writing to a page without one would kill the process
        # (SIGBUS).
        os.posix_fallocate(self._file, 0, BUCKETS * _SIZE)
        self._map = mmap.mmap(self._file, BUCKETS * _SIZE)

    def hit(self, name: str, key: str, amount: int, seconds: float) -> Hit:
        bucket, mark = _place(name, key)
        now = time.time()
        lockf(self._file, LOCK_EX, _SIZE, bucket)
        try:
            at = bucket
            slot_mark, reset, count = _SLOT.unpack_from(self._map, at)
            if slot_mark != mark:
                at = self._find_slot(bucket, mark)
                slot_mark, reset, count = _SLOT.unpack_from(self._map, at)
            if slot_mark != mark or not now < reset <= now + seconds:  # another key, expired, or the clock was set back
                reset, count = now + seconds, 0
            count += 1
            _SLOT.pack_into(self._map, at, mark, reset, count)
        finally:
            lockf(self._file, LOCK_UN, _SIZE, bucket)
        return outcome(count, amount, reset)

    def give_back(self, name: str, key: str, hit: Hit) -> None:
        bucket, mark = _place(name, key)
        lockf(self._file, LOCK_EX, _SIZE, bucket)
        try:
            for at in range(bucket, bucket + _SIZE, _SLOT.size):
                slot_mark, reset, count = _SLOT.unpack_from(self._map, at)
                if slot_mark == mark and reset == hit.reset_epoch and count:
                    _SLOT.pack_into(self._map, at, mark, reset, count - 1)
        finally:
            lockf(self._file, LOCK_UN, _SIZE, bucket)

    def _find_slot(self, bucket: int, mark: int) -> int:
        """Return the offset of the slot with `mark` in a bucket, or else of the slot that ends first."""
        slots = _BUCKET.unpack_from(self._map, bucket)
        marks, ends = slots[0::3], slots[1::3]
        return bucket + _SLOT.size * (marks.index(mark) if mark in marks else ends.index(min(ends)))

    async def close(self) -> None:
        self._map.close()
        os.close(self._file)
