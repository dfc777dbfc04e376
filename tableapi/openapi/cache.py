"""Cache OpenAPI documents by role and schema, as compressed files that worker processes share.

A document for thousands of tables has tens of megabytes. It is built in a thread, piece by piece, and cached in a file
under DATA_DIR/run.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tableapi.auth.policy import ANYONE, Actor
from tableapi.config.secret_file import private_folder
from tableapi.datasets.dataset import Dataset
from tableapi.http.response import dumps
from tableapi.openapi.components import Json
from tableapi.openapi.document import Document
from tableapi.openapi.tables import TableDescription
from tableapi.project.guard import Script
from tableapi.version import VERSION

ENGINE = Path(__file__).parents[1]
MAX_CACHED_DOCUMENTS = 50


class Descriptions:
    """The OpenAPI documents of one server."""

    def __init__(
        self,
        scripts: Iterable[Script] | None,
        code: Path | None,
        title: str,
        folder: Path,
        *,
        keyed: bool,
        rights: Callable[[], str] = lambda: "",
    ) -> None:
        """`folder`: for the cached documents. `keyed`: whether callers without a session need a key.

        rights: returns a text that changes when the rights of the roles do.
        """
        self._rights = rights
        self._scripts, self._title, self._folder, self._keyed = scripts, title, folder, keyed
        self._code = _code(code)
        self._builds: dict[str, asyncio.Task[bytes]] = {}

    async def of(
        self, actor: Actor, datasets: Iterable[Dataset], root: str,
        *, scripts: bool, kind: type[TableDescription] = TableDescription,
    ) -> bytes:  # fmt: skip
        """Return the document for one caller, as JSON compressed by gzip.

        Concurrent requests for the same document share one build. `root` is the URL path that the application is
        mounted under, "/" for none. `kind` describes the tables, for people or for generators of clients.
        """
        served = tuple(datasets)
        mark = [
            VERSION,
            self._code,
            self._rights(),
            root,
            actor.role,
            None if actor.key_scopes is None else sorted(actor.key_scopes),
            scripts,
            kind.__name__,
            *([d.name, d.schema.fingerprint] for d in served),
        ]
        name = hashlib.blake2b(dumps(mark), digest_size=20).hexdigest()
        path = self._folder / f"{name}.json.gz"
        with suppress(OSError):
            return await asyncio.to_thread(path.read_bytes)
        task = self._builds.get(name)
        if task is None:
            pieces = self._document(actor, root, kind).pieces(served, self._offered(actor) if scripts else ())
            task = self._builds[name] = asyncio.create_task(asyncio.to_thread(_build, path, pieces))
            task.add_done_callback(lambda _: self._builds.pop(name, None))
        return await asyncio.shield(task)

    def _document(self, actor: Actor, root: str, kind: type[TableDescription]) -> Document:
        security: list[Json] = [{"key": []}] if self._keyed else []
        if actor.key_scopes is not None:
            security = []  # each script names the key
        elif self._scripts is not None:
            security = [{"key": [], "session": []}, {"key": [], "bearer": []}]
        return Document(self._title, security, actor.role, root, kind=kind)

    def _offered(self, actor: Actor) -> list[Script]:
        if actor.key_scopes is not None:
            return [script for script in self._scripts or () if script.serves_key(actor.key_scopes)]
        return [
            script for script in self._scripts or ()
            if script.public or script.roles == () or {ANYONE, actor.role} & set(script.roles)
        ]  # fmt: skip


def _code(project: Path | None) -> str:
    """Return a fingerprint of the engine and a project, so that no document from older code is served."""
    files = sorted(ENGINE.rglob("*.py"))
    if project is not None:
        files += [project / "policy.py", *sorted((project / "scripts").rglob("*.py"))]
    versions = [f"{path} {status.st_mtime_ns} {status.st_size}" for path in files if (status := path.stat())]
    return hashlib.blake2b("\n".join(versions).encode(), digest_size=20).hexdigest()


def _build(path: Path, pieces: Iterator[bytes]) -> bytes:
    """Build and compress a document, and write it to `path` if the disk allows it."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    packed = b"".join([*map(packer.compress, pieces), packer.flush()])
    with suppress(OSError):
        private_folder(path.parent)
        older = sorted(path.parent.glob("*.json.gz"), key=lambda file: file.stat().st_mtime_ns)
        for file in older[: max(0, len(older) - MAX_CACHED_DOCUMENTS + 1)]:
            file.unlink(missing_ok=True)
        new = path.with_suffix(f".{os.getpid()}")
        new.write_bytes(packed)
        new.replace(path)
    return packed


def unpacked(packed: bytes) -> bytes:
    """Return the JSON text of a compressed document."""
    return gzip.decompress(packed)
