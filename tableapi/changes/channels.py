"""Follow NOTIFY channels on a separate connection while there are streams."""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping

import asyncpg

from tableapi.auth.policy import Actor
from tableapi.changes.stream import EventStream, Holders, StreamCounts
from tableapi.datasets.dataset import ServedDataset
from tableapi.errors import RETRY, ApiError, Busy
from tableapi.log import get_logger
from tableapi.observability import background, metrics

log = get_logger(__name__)
Check = Callable[[Mapping[str, str], str], Awaitable[Actor]]
Changes = Callable[[], Awaitable[int]]  # the number of changes of callers so far
MAX_ARRIVED = 10_000  # notifications waiting for the check of callers; beyond that, the streams end
WAIT_SECONDS, RETRY_SECONDS, CHECK_SECONDS, UNREAD_SECONDS = 5.0, 0.5, 4.0, 10.0
_LINE_END = re.compile("\r\n|\r|\n")  # of server-sent events; any that is left would begin a field or an event
RESET = b"event: reset\ndata: {}\n\n"


class ChannelStream(EventStream):
    """The stream of one client.

    holders: the names under which it counts. actor: the caller when the stream was opened.
    """

    __slots__ = ("actor", "begun", "channel", "headers", "holders", "hub", "ip")

    def __init__(
        self, hub: ChannelHub, channel: str, actor: Actor, holders: Holders, headers: Mapping[str, str],
        ip: str, limit: int,
    ) -> None:  # fmt: skip
        super().__init__(limit)
        self.begun = False  # whether the first event has been sent
        self.hub, self.channel, self.actor, self.holders = hub, channel, actor, holders
        self.headers, self.ip = headers, ip

    def removed(self) -> None:
        """Forget the stream, which has ended."""
        self.hub.closed(self)


class ChannelHub:
    """The streams of one dataset."""

    def __init__(
        self, dataset: ServedDataset, heartbeat: float, counts: StreamCounts, check: Check, changes: Changes
    ) -> None:
        self.dataset, self._heartbeat, self._counts, self._check, self._changes = (
            dataset, heartbeat, counts, check, changes
        )  # fmt: skip
        self._arrived: deque[tuple[str, bytes]] = deque()
        self._sending: asyncio.Task[None] | None = None
        self.streams: dict[str, dict[ChannelStream, None]] = {}
        self._heard: dict[str, asyncio.Event] = {}  # channels that are listened to, or will be
        self._changed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def __iter__(self) -> Iterator[ChannelStream]:
        return (stream for streams in list(self.streams.values()) for stream in list(streams))

    async def open(self, stream: ChannelStream) -> None:
        """Add a stream once its channel is being listened to.

        Raises:
            Busy: that takes too long, or the server is full.
            TooMany: the caller or its account has too many streams.
        """
        self._counts.add(stream.holders)
        self.streams.setdefault(stream.channel, {})[stream] = None
        heard = self._heard.setdefault(stream.channel, asyncio.Event())
        self._changed.set()
        if not self._tasks:
            self._tasks = [
                background.start(self._listen(), "channels"),
                background.start(self._sweep(), "channel_sweep"),
            ]
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await heard.wait()
        except TimeoutError:
            self.closed(stream)
            raise Busy(
                "Notifications of the database are not available. Try again in a moment.", headers=RETRY
            ) from None
        except BaseException:
            self.closed(stream)
            raise
        stream.begun = True
        stream.push(RESET)

    def closed(self, stream: ChannelStream) -> None:
        """Remove a stream that has ended."""
        streams = self.streams.get(stream.channel, {})
        if streams.pop(stream, True) is None:
            self._counts.remove(stream.holders)
        if not streams:
            self.streams.pop(stream.channel, None)
            self._changed.set()
        if not self.streams:
            for task in self._tasks:
                task.cancel()
            self._tasks = []
            self._heard.clear()

    def stop(self) -> None:
        """End all streams; their clients reconnect."""
        for stream in self:
            stream.end()

    # -- the connection ------------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        while True:
            try:
                await self._listen_once()
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                log.warning("channels_lost", dataset=self.dataset.name, error=type(error).__name__)
            for heard in self._heard.values():
                heard.clear()
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen_once(self) -> None:
        """Listen to the channels of all streams until the connection is lost."""
        connection = await self.dataset.db.listening_connection(self._changed.set)
        try:
            listened: set[str] = set()
            while not connection.is_closed():
                self._changed.clear()
                for channel in listened - self.streams.keys():
                    if channel not in self.streams:  # a stream may have been added while the last one was removed
                        self._heard.pop(channel, None)
                        listened.discard(channel)
                        await connection.remove_listener(channel, self._notify)
                for channel in self.streams.keys() - listened:
                    await connection.add_listener(channel, self._notify)
                    listened.add(channel)
                    for stream in self.streams.get(channel, ()):
                        if stream.begun:  # notifications may have been missed
                            stream.push(RESET)
                    self._heard.setdefault(channel, asyncio.Event()).set()
                await self._changed.wait()
        finally:
            connection.terminate()

    def _notify(self, _connection: object, _pid: int, channel: str, payload: object) -> None:
        lines = "".join(f"data: {line}\n" for line in _LINE_END.split(str(payload)))
        if len(self._arrived) >= MAX_ARRIVED:
            self._arrived.clear()
            self.stop()  # clients reconnect, and read what they may have missed
            return
        self._arrived.append((channel, f"event: notification\n{lines}\n".encode()))
        if self._sending is None or self._sending.done():
            self._sending = background.start(self._send(), "channel_send")

    async def _send(self) -> None:
        """Send the notifications that have arrived to the streams of callers that still have their rights."""
        while self._arrived:
            channel, chunk = first = self._arrived[0]
            changes = await self._changes()
            for stream in list(self.streams.get(channel, ())):
                if stream.checked != changes:
                    if await self._ended(stream):
                        stream.end()
                    stream.checked = changes
            if not self._arrived or self._arrived[0] is not first:  # cleared meanwhile
                continue
            self._arrived.popleft()
            for stream in list(self.streams.get(channel, ())):
                if not stream.push(chunk):
                    metrics.count("live", "dropped")

    # -- checks --------------------------------------------------------------------------------------------------------

    async def _sweep(self) -> None:
        """Check the callers, and send heartbeats."""
        while True:
            await asyncio.sleep(min(CHECK_SECONDS, self._heartbeat / 2))
            for stream in list(self):
                if stream.unread and time.monotonic() - stream.opened > UNREAD_SECONDS:
                    await stream.aclose()  # its response was never sent
                elif await self._ended(stream):
                    stream.end()
                elif time.monotonic() - stream.beaten >= self._heartbeat:
                    stream.beaten = time.monotonic()
                    stream.push(b": heartbeat\n\n")

    async def _ended(self, stream: ChannelStream) -> bool:
        """Return whether the caller of a stream has signed out or its rights have changed."""
        try:
            return await self._check(stream.headers, stream.ip) != stream.actor
        except ApiError as error:
            return error.status < 500 and error.status != 429
        except Exception as error:  # the database is unreachable; the next round checks again
            log.warning("channel_check_failed", error=type(error).__name__)
            return False
