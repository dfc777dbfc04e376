"""Follow NOTIFY channels on a separate connection while there are streams."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable, Mapping

import asyncpg

from tableapi.auth.policy import Actor
from tableapi.changes.fanout import Changes, Check, Fanout
from tableapi.changes.stream import EventStream, Holders, StreamCounts
from tableapi.datasets.dataset import ServedDataset
from tableapi.errors import RETRY, Busy
from tableapi.log import get_logger
from tableapi.observability import background

log = get_logger(__name__)
MAX_ARRIVED = 10_000  # notifications waiting for the check of callers; beyond that, the streams end
WAIT_SECONDS, RETRY_SECONDS = 5.0, 0.5
_LINE_END = re.compile("\r\n|\r|\n")  # of server-sent events; any that is left would begin a field or an event
RESET = b"event: reset\ndata: {}\n\n"


class ChannelStream(EventStream):
    """The stream of one client. actor: the caller when the stream was opened."""

    __slots__ = ("actor", "begun", "channel")

    def __init__(
        self, channel: str, actor: Actor, holders: Holders, headers: Mapping[str, str], ip: str, limit: int,
        closed: Callable[[ChannelStream], None],
    ) -> None:  # fmt: skip
        super().__init__(holders, headers, ip, limit, closed)
        self.begun = False  # whether the first event has been sent
        self.channel, self.actor = channel, actor


class ChannelHub(Fanout[ChannelStream]):
    """Follow the channels of a dataset while it has streams."""

    def __init__(
        self, dataset: ServedDataset, heartbeat: float, counts: StreamCounts, check: Check, changes: Changes
    ) -> None:
        super().__init__(dataset, heartbeat, counts, check, changes)
        self._arrived: deque[tuple[str, bytes]] = deque()
        self._sending: asyncio.Task[None] | None = None
        self._of: dict[str, dict[ChannelStream, None]] = {}  # streams by channel
        self._heard: dict[str, asyncio.Event] = {}  # channels that are listened to, or will be
        self._changed = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None

    async def open(self, stream: ChannelStream) -> None:
        """Add a stream once its channel is being listened to.

        Raises:
            Busy: that takes too long, or the server is full.
            TooMany: the caller or its account has too many streams.
        """
        self.add(stream)
        self._of.setdefault(stream.channel, {})[stream] = None
        heard = self._heard.setdefault(stream.channel, asyncio.Event())
        self._changed.set()
        if self._listening is None:
            self._listening = background.start(self._listen(), "channels")
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

    def _removed(self, stream: ChannelStream) -> None:
        streams = self._of.get(stream.channel, {})
        streams.pop(stream, None)
        if not streams:
            self._of.pop(stream.channel, None)
            self._changed.set()
        if not self._of and self._listening is not None:
            self._listening.cancel()
            self._listening = None
            self._heard.clear()

    async def _keeps(self, stream: ChannelStream, actor: Actor) -> bool:
        return actor == stream.actor

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
                for channel in listened - self._of.keys():
                    if channel not in self._of:  # a stream may have been added while the last one was removed
                        self._heard.pop(channel, None)
                        listened.discard(channel)
                        await connection.remove_listener(channel, self._notify)
                for channel in self._of.keys() - listened:
                    await connection.add_listener(channel, self._notify)
                    listened.add(channel)
                    for stream in self._of.get(channel, ()):
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
            self.end_all()  # clients reconnect, and read what they may have missed
            return
        self._arrived.append((channel, f"event: notification\n{lines}\n".encode()))
        if self._sending is None or self._sending.done():
            self._sending = background.start(self._send(), "channel_send")

    async def _send(self) -> None:
        """Send the notifications that have arrived to the streams of callers that still have their rights."""
        while self._arrived:
            channel, chunk = first = self._arrived[0]
            await self.check_callers(self._of.get(channel, ()))
            if not self._arrived or self._arrived[0] is not first:  # cleared meanwhile
                continue
            self._arrived.popleft()
            for stream in list(self._of.get(channel, ())):
                stream.push(chunk)
