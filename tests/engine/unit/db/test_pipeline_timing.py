"""A slow statement, in absolute terms and compared with the others, gets a connection of its own."""

from __future__ import annotations

import pytest

from tableapi.db.pipeline.timing import MAX_STATEMENTS, Timings

MS = 0.001


@pytest.mark.parametrize(
    ("others", "runs", "direct"),
    [
        ([1 * MS] * 200, [5 * MS] * 20, False),
        ([1 * MS] * 200, [20 * MS] * 20, True),
        ([1 * MS] * 200, [1 * MS, 2 * MS, 200 * MS], True),
        ([1 * MS] * 200, [20 * MS] * 20 + [1 * MS] * 5, True),
        ([1 * MS] * 200, [20 * MS] * 20 + [1 * MS] * 30, False),
        ([10 * MS] * 400, [20 * MS] * 20, False),
        ([10 * MS] * 400, [200 * MS] * 20, True),
        ([10 * MS] * 400, [200 * MS] * 20 + [20 * MS] * 30, False),
        ([], [20 * MS] * 200, False),
    ],
    ids=[
        "short",
        "long",
        "once very long",
        "not yet short",
        "short again",
        "busy",
        "longer than busy",
        "back",
        "alone",
    ],
)
def test_slow_statements_are_classified(others: list[float], runs: list[float], direct: bool) -> None:
    timings = Timings()
    for seconds in others:
        timings["other"].add(seconds)
    for seconds in runs:
        timings["one"].add(seconds)
    assert timings["one"].direct is direct
    assert not timings["other"].direct


def test_a_statement_that_is_most_of_the_load_stays_in_the_pipeline_on_a_busy_machine() -> None:
    """Alone on its connection it would cost more, exactly when there is the least CPU time."""
    timings = Timings()
    for number in range(2000):
        timings["frequent"].add(MS / 2)
        if number % 10 == 0:
            timings["rare"].add(MS)
    for number in range(200):
        timings["frequent"].add(20 * MS)
        assert not timings["frequent"].direct, number


def test_an_unsupported_statement_stays_direct() -> None:
    timing = Timings()["one"]
    timing.unsupported = True
    for _ in range(50):
        timing.add(0.0)
    assert timing.direct


def test_statements_are_dropped_when_there_are_too_many() -> None:
    timings = Timings()
    for number in range(MAX_STATEMENTS + 10):
        timings[str(number)].add(1.0)
    assert len(timings) == 10
