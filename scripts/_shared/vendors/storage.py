"""Uploaded files: bytes under a name that we made. A folder of this machine; another store has the same two methods."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9_-]{8,80}(\.[a-z0-9]{1,8})?")


class Storage:
    """Files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, name: str, data: bytes) -> None:
        """Keep bytes; the name is ours, never a user's."""
        await asyncio.to_thread(self._write, self._path(name), data)

    async def get(self, name: str) -> bytes | None:
        """The bytes, or None."""
        if not _NAME.fullmatch(name):
            return None
        try:
            return await asyncio.to_thread(self._path(name).read_bytes)
        except FileNotFoundError:
            return None

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError("not a name of the storage")
        return self._folder / name

    def _write(self, path: Path, data: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = path.with_name(path.name + ".part")
        try:
            part.write_bytes(data)
            part.rename(path)
        except OSError:  # a full disk would stay so by halves of files
            part.unlink(missing_ok=True)
            raise
