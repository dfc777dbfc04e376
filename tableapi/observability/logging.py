"""Logs: JSON lines on standard error, with one access line per request.

Lines are queued, and a thread writes them a few times a second, so a slow log reader never delays a request. Beyond
`MAX_QUEUED_LINES` queued lines, new ones are dropped and counted.

Credentials and contact data are not logged: query strings are reduced to names and harmless values, and fields with
names that suggest such data are masked.
"""

from __future__ import annotations

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
# The values of these options select amounts and order but do not identify a person's records.
_HARMLESS = {
    "limit=", "offset=", "order=", "fields=", "related=", "group=", "include_count=", "include_schema=",
    "count_only=", "continue=", "rollback=", "reset=", "login=",
}  # fmt: skip
_TOKEN_CHARS = 40  # tokens have 43 characters, identifiers of rows at most 36
_SENSITIVE = re.compile(r"password|token|secret|api_?key|authorization|cookie|email|phone|url$", re.IGNORECASE)


def redacted(query: str) -> str:
    """Mask the values of a query string: `limit=5&api_key=x` becomes `limit=5&api_key=***`."""
    if not query:
        return ""
    # The name includes the "="; it is "" in a part without one.
    return "&".join(
        [part if (name := part[: part.find("=") + 1]) in _HARMLESS else _name(name) + MASK for part in query.split("&")]
    )


def shown_path(path: str, secret: tuple[str, ...] = ()) -> str:
    """Mask addresses, tokens, and anything after one of the prefixes `secret`, in a path."""
    for prefix in secret:
        if (at := path.find(prefix)) >= 0:
            return path[: at + len(prefix)] + MASK
    if len(path) < _TOKEN_CHARS and "@" not in path:
        return path
    return "/".join([MASK if "@" in part or len(part) >= _TOKEN_CHARS else part for part in path.split("/")])


def _name(name: str) -> str:
    """Return `name` if it is an identifier; otherwise "", because it could be a value."""
    return name if len(name) <= 30 and name[:-1].isidentifier() else ""


class Sink:
    """Queue log lines and write them to a file descriptor, by default standard error."""

    def __init__(self, file: int = 2) -> None:
        self._file, self._lines, self._dropped = file, list[bytes](), 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start a thread that writes. Before `start` and after `close`, each line is written at once."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name="log", daemon=True)
            self._thread.start()

    def put(self, line: bytes) -> None:
        """Queue a line, or count it as dropped when the queue is full."""
        if len(self._lines) < MAX_QUEUED_LINES:
            self._lines.append(line)
        else:
            self._dropped += 1
        if self._thread is None:
            self.flush()

    def flush(self) -> None:
        """Write the queued lines."""
        lines, self._lines = self._lines, []
        if self._dropped:
            lines.append(orjson.dumps({"level": "warning", "event": "log_lines_dropped", "count": self._dropped}))
            self._dropped = 0
        if lines:
            remaining = memoryview(b"\n".join(lines) + b"\n")
            try:
                while remaining:
                    remaining = remaining[os.write(self._file, remaining) :]
            except OSError:  # the reader has closed the pipe
                self._file = os.open(os.devnull, os.O_WRONLY)

    def close(self) -> None:
        """Write the remaining lines, giving up on a blocked reader after a second."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join(1.0)
            self._thread = None

    def _run(self) -> None:
        while not self._stop.wait(FLUSH_SECONDS):
            self.flush()
        self.flush()


sink = Sink()


class AccessLog:
    """Write one line per request."""

    def __init__(self, enabled: bool = True) -> None:
        self.enabled = enabled
        self._second, self._text = 0, ""

    def line(
        self, method: str, path: str, query: str, status: int, seconds: float, size: int,
        request_id: str = "", ip: str = "", user: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Queue the line of a completed request; `user` identifies the user, as in `{"userid": 7}`."""
        if not self.enabled:
            return
        now = time.time()
        if (second := int(now)) != self._second:
            self._second, self._text = second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        entry = {
            "time": f"{self._text}.{int((now - second) * 1000):03d}Z", "level": "info", "event": "request",
            "method": method, "path": path, "query": redacted(query), "status": status,
            "ms": int(seconds * 100_000) / 100, "bytes": size, "ip": ip, "request_id": request_id,
        }  # fmt: skip
        if user:
            entry.update(user)
        sink.put(orjson.dumps(entry))


def configure(level: str = "info") -> None:
    """Send lines from structlog and the standard library to the sink, from `level` upwards."""
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
    """Pass lines rendered by structlog to the sink."""

    def __init__(self, *names: object) -> None:
        pass

    def msg(self, line: bytes) -> None:
        sink.put(line)

    debug = info = warning = error = critical = fatal = exception = log = msg


class _FromLogging(logging.Handler):
    """Render standard library log records as JSON lines."""

    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger().log(record.levelno, record.getMessage(), source=record.name, exc_info=record.exc_info)


def _dumps(value: Any, **_: Any) -> bytes:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS)


def _masked(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in event:
        if _SENSITIVE.search(name):
            event[name] = MASK
    return event
