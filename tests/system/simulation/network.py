"""Two ends of a connection, between which bytes are split, joined and delayed, and which may be cut."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from tests.system.simulation.loop import VirtualLoop

PIECES = (1, 1, 1, 2, 3)
TICK = 1e-7  # seconds between two events of one end


class End(asyncio.Transport):
    """One end. Data written arrives at the other end in order, later and in different pieces."""

    def __init__(self, loop: VirtualLoop, chance: random.Random, delay: float) -> None:
        super().__init__()
        self.loop, self.chance, self.delay = loop, chance, delay
        self.protocol: Any = None
        self.other: End
        self._arriving = b""
        self._arrives_at = 0.0
        self._lost = False
        self._closing = False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def get_protocol(self) -> Any:
        return self.protocol

    def is_closing(self) -> bool:
        return self._closing

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def write(self, data: Any) -> None:
        if not self._closing:
            self.other.arrive(bytes(data))

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(bytes(data) for data in list_of_data))

    def arrive(self, data: bytes) -> None:
        """Receive bytes of the other end: in one to three pieces, or joined with earlier ones that are on their way."""
        pieces = self.chance.choice(PIECES) if len(data) > 1 else 1
        if pieces == 1:
            if data:
                self._later(self._deliver, self.chance.random() * self.delay, data)
            return
        places = sorted(self.chance.randrange(len(data)) for _ in range(pieces - 1))
        for begin, end in zip([0, *places], [*places, len(data)], strict=True):
            if end > begin:
                self._later(self._deliver, self.chance.random() * self.delay, data[begin:end])

    def _later(self, callback: Any, seconds: float, *args: Any) -> None:
        """Call after `seconds`, but after all data in transit, because simultaneous timers have no order."""
        self._arrives_at = max(self._arrives_at + TICK, self.loop.time() + seconds)
        self.loop.call_at(self._arrives_at, callback, *args)

    def _deliver(self, data: bytes) -> None:
        if self._lost:
            return
        self._arriving = data = self._arriving + data
        if self.chance.random() < 0.1 and len(data) < 64_000:
            self._later(self._flush, self.delay / 4)
        else:
            self._flush()

    def _flush(self) -> None:
        if self._arriving and not self._lost:
            data, self._arriving = self._arriving, b""
            self.protocol.data_received(data)
            self.loop.delivered()

    def close(self) -> None:
        """Close this end now, and the other after written data has arrived."""
        if not self._closing:
            self._closing = True
            self.loop.call_soon(self.lose, None)
            self.other._later(self.other.end, self.delay)

    def abort(self) -> None:
        self.close()

    def end(self) -> None:
        """Close because the other end did, after everything that it wrote has arrived."""
        self._flush()
        if not self._lost:
            self._closing = True
            self.lose(None)

    def cut(self, error: Exception | None) -> None:
        """Lose the connection at both ends at once, including data in transit."""
        for side in (self, self.other):
            side._closing = True
            self.loop.call_soon(side.lose, error)

    def lose(self, error: Exception | None) -> None:
        if not self._lost:
            self._lost = True
            self.protocol.connection_lost(error)


def connect(loop: VirtualLoop, chance: random.Random, delay: float) -> tuple[End, End]:
    """Return both ends of a new connection."""
    one, two = End(loop, chance, delay), End(loop, chance, delay)
    one.other, two.other = two, one
    return one, two
