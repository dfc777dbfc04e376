"""A small separate disk (tmpfs) that can be full. Only root can mount one."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Disk:
    """A mounted folder; `fill` uses its free space with one file, `free` deletes that file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        with self._filler.open("ab", buffering=0) as out:
            for size in (1 << 20, 4096):
                with suppress(OSError):
                    while True:
                        out.write(bytes(size))
        assert self.is_full

    def free(self) -> None:
        self._filler.unlink()

    @property
    def is_full(self) -> bool:
        try:
            with (self.folder / "probe").open("wb", buffering=0) as out:
                out.write(bytes(4096))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            return True
        finally:
            (self.folder / "probe").unlink(missing_ok=True)
        return False


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Disk | None]:
    """Mount a disk of `size` on a new `folder`; yield None if mounting is not permitted."""
    folder.mkdir()
    owner = folder.stat()
    options = f"size={size},mode=0700,uid={owner.st_uid},gid={owner.st_gid}"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=False, capture_output=True)
    if done.returncode or not os.path.ismount(folder):
        yield None
        return
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=False)
