"""The loggers of the engine.

They write to loggers of the standard library named `tableapi.*`, which a host program can configure. `tableapi serve`
calls `observability.logging.configure`, which sends every line to standard error as JSON instead.
"""

from __future__ import annotations

import logging
from typing import Any, Protocol


class Emit(Protocol):
    """Write one line."""

    def __call__(self, level: str, name: str, event: str, fields: dict[str, Any]) -> None: ...


def _to_standard_library(level: str, name: str, event: str, fields: dict[str, Any]) -> None:
    logger, number = logging.getLogger(name), logging.getLevelNamesMapping()[level.upper()]
    if logger.isEnabledFor(number):
        error = fields.pop("exc_info", None)
        message = " ".join([event, *(f"{key}={value}" for key, value in fields.items())])
        logger.log(number, "%s", message, exc_info=error)


_emit: Emit = _to_standard_library


def emit_with(emit: Emit | None) -> None:
    """Send the log lines of the engine to `emit`; None restores the standard library."""
    global _emit
    _emit = emit or _to_standard_library


class Logger:
    """Write events with named fields. The field `exc_info` adds the traceback of an exception."""

    def __init__(self, name: str) -> None:
        self._name = name

    def debug(self, event: str, **fields: Any) -> None:
        _emit("debug", self._name, event, fields)

    def info(self, event: str, **fields: Any) -> None:
        _emit("info", self._name, event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        _emit("warning", self._name, event, fields)

    def error(self, event: str, **fields: Any) -> None:
        _emit("error", self._name, event, fields)


def get_logger(name: str) -> Logger:
    """Return the logger of a module; `name` is its `__name__`."""
    return Logger(name)
