"""Fixtures of the product's tests alone; the others are in tests/helpers/fixtures.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers.statements import PLAYED, hand_over, recorded, shared_folder
from tests.helpers.support import ROOT


@pytest.fixture(scope="module", autouse=True)
def statements(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Record the statements of a file in PLAYED for `tests/system/statements/test_citus.py`."""
    file = str(request.path.relative_to(ROOT))
    if file not in PLAYED:
        yield
        return
    with recorded() as texts:
        yield
    hand_over(shared_folder(tmp_path_factory), file, texts)
