"""Ten thousand odd people keep every value on their way (more: `python -m tests.system.roundtrip`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.fixtures import open_product
from tests.helpers.support import NewDatabase
from tests.system.roundtrip.people import make
from tests.system.roundtrip.trip import travel

PEOPLE, SEED = 10_000, 1


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    return new_database()


@pytest.mark.slow
async def test_an_exported_person_is_the_person_that_was_imported(url: str, tmp_path: Path) -> None:
    async with open_product(url, tmp_path / "data", rate_limits=False) as product:
        assert await travel(product, tmp_path, make(SEED, PEOPLE)) == []
