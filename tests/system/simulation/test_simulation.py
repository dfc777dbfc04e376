"""Ten thousand runs of the pool under faults keep every invariant; faulty pools do not."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from tests.system.simulation.broken import FAULTS
from tests.system.simulation.world import check

SEEDS, PART = 10_000, 500
MAX_SEEDS_FOR_A_FAULT = 600


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Log nothing, and collect garbage only between runs, because objects collected late are closed late.

    What is there before stays out of these collections.
    """
    logging.disable(logging.CRITICAL)
    gc.disable()
    gc.collect()
    gc.freeze()
    yield
    gc.enable()
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("first", range(0, SEEDS, PART))
def test_each_seed_keeps_the_invariants(first: int) -> None:
    for seed in range(first, first + PART):
        violation = check(seed)
        assert violation is None, f"{violation}; python -m tests.system.simulation --seed {seed}"
        if seed % 50 == 0:
            gc.collect()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_found_and_reproduced_by_its_seed(fault: Callable[[], AbstractContextManager[Any]]) -> None:
    with fault():
        seed = next((seed for seed in range(MAX_SEEDS_FOR_A_FAULT) if check(seed) is not None), None)
        assert seed is not None
        assert check(seed) == check(seed)
    assert check(seed) is None


def test_a_run_is_determined_by_its_seed() -> None:
    events: list[list[str]] = [[], []]
    for seed in range(20):
        for lines in events:
            check(seed, lines.append)
    assert events[0] == events[1]
