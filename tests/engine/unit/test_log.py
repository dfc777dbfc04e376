"""Outside `tableapi serve` the engine writes to the loggers of the host program."""

from __future__ import annotations

import logging

import pytest

from tableapi.log import emit_with, get_logger


def test_lines_go_to_the_standard_library(caplog: pytest.LogCaptureFixture) -> None:
    emit_with(None)
    caplog.set_level(logging.INFO, "tableapi.x")
    log = get_logger("tableapi.x")
    log.debug("not this")
    log.info("opened", rows=3, name="a")
    try:
        raise ValueError("broken")
    except ValueError:
        log.error("failed", exc_info=True)

    assert caplog.record_tuples == [
        ("tableapi.x", logging.INFO, "opened rows=3 name=a"),
        ("tableapi.x", logging.ERROR, "failed"),
    ]
    assert "ValueError: broken" in caplog.text


def test_lines_can_be_sent_elsewhere() -> None:
    lines: list[tuple[str, str, str, dict[str, object]]] = []
    emit_with(lambda *line: lines.append(line))
    try:
        get_logger("tableapi.x").warning("late", seconds=2)
    finally:
        emit_with(None)

    assert lines == [("warning", "tableapi.x", "late", {"seconds": 2})]
