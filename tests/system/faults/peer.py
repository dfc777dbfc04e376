"""A TCP relay that fails on demand, in front of a real server."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Literal

Mode = Literal["works", "down", "slow", "rubbish"]
RUBBISH = b"\x16\x03\x01<html>\r\n\xff\xfe 42 }{\r\n\r\n" * 3


class Peer:
    """Relay `port` to `target`.

    `down` refuses connections, `slow` accepts them but never responds, `rubbish` sends invalid bytes.
    """

    def __init__(self, port: int, target: int) -> None:
        self.port, self.target = port, target
        self.mode: Mode = "works"
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def be(self, mode: Mode) -> None:
        """Change the behaviour, also of open connections."""
        await self.stop()
        self.mode = mode
        if mode != "down":
            await self.start()

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._open):
            writer.transport.abort()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._open.add(writer)
        try:
            with contextlib.suppress(OSError):
                await self._respond(reader, writer)
        except asyncio.CancelledError:
            pass  # asyncio's server would log it
        finally:
            self._open.discard(writer)
            self._tasks.discard(task)
            writer.transport.abort()

    async def _respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.mode == "slow":
            await reader.read(-1)
        elif self.mode == "rubbish":
            writer.write(RUBBISH)
            await writer.drain()
            await asyncio.wait_for(reader.read(100), 5)
        else:
            behind, target_writer = await asyncio.open_connection("127.0.0.1", self.target)
            self._open.add(target_writer)
            try:
                await asyncio.gather(_copy(reader, target_writer), _copy(behind, writer))
            finally:
                self._open.discard(target_writer)
                target_writer.transport.abort()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    with contextlib.suppress(OSError, RuntimeError):
        sink.write_eof()
