"""Send two thousand invalid requests (more: `python -m tests.system.fuzz`)."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.helpers.support import NewDatabase
from tests.system.fuzz.__main__ import fuzz, serve


@pytest.mark.slow
async def test_no_request_causes_a_fault_or_reaches_another_account(new_database: NewDatabase, tmp_path: Path) -> None:
    with ExitStack() as stack:
        url = await asyncio.to_thread(new_database)
        server = await asyncio.to_thread(serve, stack, tmp_path, url)
        outcome = await fuzz(server, url, 2000, seed=7, with_schema=False)
        assert outcome.wrong == []
        assert outcome.count == 2000
        assert outcome.statuses[200] > 100
