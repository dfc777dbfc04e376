"""One open stream of the changes of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tableapi.changes.stream import EventStream, Holders
from tableapi.tables.request import TableRequest

if TYPE_CHECKING:
    from tableapi.changes.group import ListenerGroup

MAX_SENT = 2000  # rows for which a stream remembers the last content


class Listener(EventStream):
    """The stream of one client.

    call: the request, with its caller as of the last check. holders: the names under which it counts. sent: a hash of
    the last content sent, by row key. id: the last resume token written. due: when the caller is checked next.
    closed: called at the end of the stream.
    """

    __slots__ = ("call", "closed", "due", "group", "holders", "id", "ip", "sent")

    def __init__(
        self, call: TableRequest, holders: Holders, ip: str, limit: int, closed: Callable[[Listener], None]
    ) -> None:
        super().__init__(limit)
        self.call, self.holders, self.ip, self.closed = call, holders, ip, closed
        self.sent: dict[Any, int] = {}
        self.group: ListenerGroup
        self.due: float
        self.id = ""

    def removed(self) -> None:
        """Forget the stream, which has ended."""
        self.closed(self)

    def remember(self, key: Any, content: bytes) -> bool:
        """Remember the content of a row, and return whether it differs from the last content sent."""
        mark = hash(content)
        if self.sent.get(key) == mark:
            return False
        self.sent.pop(key, None)
        if len(self.sent) >= MAX_SENT:
            del self.sent[next(iter(self.sent))]
        self.sent[key] = mark
        return True
