"""Logs: JSON lines on standard error, an access line per request, and nothing in them that must not be there.

Lines go to a list; a thread writes them a few times a second. So a request never waits for who reads the log, not even
when nobody does: past `MOST` waiting lines further ones are counted and dropped.

No credential and no contact value gets into a line: of a query string only the names and the harmless values remain,
and fields with a telling name are masked (G3, G19).
"""

from __future__ import annotations

import itertools
import logging
import os
import re
import threading
import time
from collections.abc import Mapping, MutableMapping
from typing import Any

import orjson
import structlog

from tableapi.log import emit_with

MAX_QUEUED_LINES = 20_000
FLUSH_SECONDS = 0.25
MASK = "***"
# Values of these options say how much and in which order, never whose.
_PLAIN = {
    "limit=", "offset=", "order=", "fields=", "related=", "group=", "include_count=", "include_schema=",
    "count_only=", "continue=", "rollback=", "reset=", "login=",
}  # fmt: skip
_TOKEN = 40  # characters; tokens have 43, identifiers of rows 36 at most
_TELLING = re.compile(r"password|token|secret|api_?key|authorization|cookie|email|phone|url$", re.IGNORECASE)


def redacted(query: str) -> str:
    """A query string fit for a log: `limit=5&filter=(email=a@b.c)&api_key=x` -> `limit=5&filter=***&api_key=***`."""
    if not query:
        return ""
    # The name with its "=", or nothing for a part without one.
    named = [(part[: part.find("=") + 1], part) for part in query.split("&")]
    return "&".join([part if name in _PLAIN else _shown(name) + MASK for name, part in named])


def shown_path(path: str, secret: tuple[str, ...] = ()) -> str:
    """Return a path fit for a log, with addresses, tokens and what follows a secret beginning masked."""
    for beginning in secret:
        if (at := path.find(beginning)) >= 0:
            return path[: at + len(beginning)] + MASK
    if len(path) < _TOKEN and "@" not in path:
        return path
    return "/".join([MASK if "@" in part or len(part) >= _TOKEN else part for part in path.split("/")])


def _shown(name: str) -> str:
    """The name if it looks like one: without a name, or before padding of base64, stands a value."""
    return name if len(name) <= 30 and name[:-1].isidentifier() else ""


class Sink:
    """Lines on their way to standard error."""

    def __init__(self, file: int = 2) -> None:
        self._file, self._lines, self._dropped = file, list[bytes](), 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Write from a thread of this process. Before, and after `close`, each line is written at once."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name="log", daemon=True)
            self._thread.start()

    def put(self, line: bytes) -> None:
        if len(self._lines) < MAX_QUEUED_LINES:
            self._lines.append(line)
        else:
            self._dropped += 1
        if self._thread is None:
            self.flush()

    def flush(self) -> None:
        lines, self._lines = self._lines, []
        if self._dropped:
            lines.append(orjson.dumps({"level": "warning", "event": "log_lines_dropped", "count": self._dropped}))
            self._dropped = 0
        if lines:
            rest = memoryview(b"\n".join(lines) + b"\n")
            while rest:
                rest = rest[os.write(self._file, rest) :]

    def close(self) -> None:
        """Write what is left; a reader that does not read is not waited for."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join(1.0)
            self._thread = None

    def _run(self) -> None:
        try:
            while not self._stop.wait(FLUSH_SECONDS):
                self.flush()
            self.flush()
        except OSError:
            self._lines = []  # nobody reads any more


sink = Sink()


class AccessLog:
    """One line per request, cheap enough for every request."""

    def __init__(self, enabled: bool = True) -> None:
        self.enabled = enabled
        self._second, self._text = 0, ""

    def line(
        self, method: str, path: str, query: str, status: int, seconds: float, size: int,
        request_id: str = "", ip: str = "", user: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Keep the line of an answered request; `user` names the user, as `{"userid": 7}`."""
        if not self.enabled:
            return
        now = time.time()
        if (second := int(now)) != self._second:
            self._second, self._text = second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        said = {
            "time": f"{self._text}.{int((now - second) * 1000):03d}Z", "level": "info", "event": "request",
            "method": method, "path": path, "query": redacted(query), "status": status,
            "ms": int(seconds * 100_000) / 100, "bytes": size, "ip": ip, "request_id": request_id,
        }  # fmt: skip
        sink.put(orjson.dumps(said | dict(user) if user else said))


_prefix = os.urandom(5).hex()
_numbers = itertools.count(1)


def new_request_id() -> str:
    """Unique over nodes and restarts; says nothing."""
    return f"{_prefix}{next(_numbers):x}"


def configure(level: str = "info") -> None:
    """Send structlog's and the standard library's lines to the sink, from `level` up."""
    global _prefix
    _prefix = os.urandom(5).hex()  # after a fork each worker needs one of its own
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", key="time"),
            _masked,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_dumps),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=_ToSink,
        cache_logger_on_first_use=False,
    )
    emit_with(_emit)
    logging.basicConfig(handlers=[_FromLogging()], level=max(number, logging.WARNING), force=True)


def _emit(level: str, name: str, event: str, fields: dict[str, Any]) -> None:
    getattr(structlog.get_logger(), level)(event, **fields)


class _ToSink:
    """What structlog calls with a finished line."""

    def __init__(self, *names: object) -> None:
        pass

    def msg(self, line: bytes) -> None:
        sink.put(line)

    debug = info = warning = error = critical = fatal = exception = log = msg


class _FromLogging(logging.Handler):
    """Lines of other packages, in our form."""

    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger().log(record.levelno, record.getMessage(), source=record.name, exc_info=record.exc_info)


def _dumps(value: Any, **_: Any) -> bytes:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS)


def _masked(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in event:
        if _TELLING.search(name):
            event[name] = MASK
    return event
