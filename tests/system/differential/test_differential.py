"""Compare random reads and filtered writes with SQL (more: `python -m tests.system.differential`)."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from tests.helpers.support import NewDatabase
from tests.system.differential.__main__ import differential


def test_random_reads_have_the_rows_of_their_sql(new_database: NewDatabase, tmp_path: Path) -> None:
    with ExitStack() as stack:
        outcome = differential(stack, tmp_path, new_database(), 600, 0, seed=3)
    assert outcome.wrong == []
    assert outcome.count == 600 + 60 * 4  # and calls of functions, of which PostgreSQL rejects some
    assert outcome.statuses[200] >= 600
    assert set(outcome.statuses) == {200, 400}
    assert outcome.rows > 1000


def test_random_filters_through_relations_write_the_rows_of_their_sql(
    new_database: NewDatabase, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        outcome = differential(stack, tmp_path, new_database(), 0, 240, seed=3)
    assert outcome.wrong == []
    assert outcome.count > 1200
    assert set(outcome.statuses) == {200, 400}  # options of reads are rejected
    assert outcome.rows > 1000
