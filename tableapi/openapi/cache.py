"""The documents of openapi.py: made once per role and schema, kept as compressed files that the workers share.

A document of thousands of tables is tens of megabytes. It is made beside the event loop, a piece at a time, and what is
kept of it is a file under DATA_DIR/run.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tableapi.auth.policy import ANYONE, Actor
from tableapi.datasets.dataset import Dataset
from tableapi.endpoints.guard import Endpoint
from tableapi.http import response
from tableapi.openapi.components import Json
from tableapi.openapi.document import Document

MAX_CACHED_DOCUMENTS = 50  # documents


class Descriptions:
    def __init__(
        self, scripts: Iterable[Endpoint] | None, code: Path | None, title: str, folder: Path, *, keyed: bool
    ) -> None:
        """`folder`: where documents are kept. `keyed`: callers without a session need a key."""
        self._scripts, self._title, self._folder, self._keyed = scripts, title, folder, keyed
        self._code = _code(code)
        self._making: dict[str, asyncio.Task[bytes]] = {}

    async def of(self, actor: Actor, datasets: Iterable[Dataset], *, scripts: bool) -> bytes:
        """The document for one caller, as JSON compressed by gzip. Requests for the same one share its making."""
        served = tuple(datasets)
        mark = [self._code, actor.role, scripts, *([d.name, d.schema.fingerprint] for d in served)]
        name = hashlib.blake2b(response.dumps(mark), digest_size=20).hexdigest()
        path = self._folder / f"{name}.json.gz"
        with suppress(OSError):
            return await asyncio.to_thread(path.read_bytes)
        task = self._making.get(name)
        if task is None:
            pieces = self._document(actor).pieces(served, self._endpoints(actor) if scripts else ())
            task = self._making[name] = asyncio.create_task(asyncio.to_thread(_kept, path, pieces))
            task.add_done_callback(lambda _: self._making.pop(name, None))
        return await asyncio.shield(task)

    def _document(self, actor: Actor) -> Document:
        security: list[Json] = [{"key": []}] if self._keyed else []
        if self._scripts is not None:
            security = [{"key": [], "session": []}, {"key": [], "bearer": []}]
        return Document(self._title, security, actor.role)

    def _endpoints(self, actor: Actor) -> list[Endpoint]:
        """The scripts that the caller may call."""
        return [
            one for one in self._scripts or ()
            if one.public or one.roles == () or {ANYONE, actor.role} & set(one.roles)
        ]  # fmt: skip


def _code(project: Path | None) -> str:
    """What changes with the code of a project, so that a document of older code is not served."""
    if project is None:
        return ""
    files = [project / "policy.py", *sorted((project / "scripts").rglob("*.py"))]
    seen = [f"{path} {found.st_mtime_ns} {found.st_size}" for path in files if (found := path.stat())]
    return hashlib.blake2b("\n".join(seen).encode(), digest_size=20).hexdigest()


def _kept(path: Path, pieces: Iterator[bytes]) -> bytes:
    """The compressed document, kept at `path` where the disk allows it."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    packed = b"".join([*map(packer.compress, pieces), packer.flush()])
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        older = sorted(path.parent.glob("*.json.gz"), key=lambda one: one.stat().st_mtime_ns)
        for one in older[: max(0, len(older) - MAX_CACHED_DOCUMENTS + 1)]:
            one.unlink(missing_ok=True)
        new = path.with_suffix(f".{os.getpid()}")
        new.write_bytes(packed)
        new.replace(path)
    return packed


def unpacked(packed: bytes) -> bytes:
    return gzip.decompress(packed)
