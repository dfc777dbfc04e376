"""The checker accepts a history that some order of its operations explains, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.system.cluster.history import Kind, Operation, State, problems


def op(kind: Kind, argument: int, start: float, end: float, *answer: Any, done: bool = False) -> Operation:
    return Operation(1, kind, argument, start, end, answer or None, done)


RIGHT = {
    "one after the other": [op("reveal", 7, 0, 1, 1, 9), op("reveal", 7, 2, 3, 0, 9), op("balance", 0, 4, 5, 9)],
    "overlapping, either order": [op("reveal", 7, 0, 9, 1, 8), op("reveal", 8, 0, 9, 1, 9), op("listed", 0, 1, 8, 1)],
    "no answer, took effect": [op("reveal", 7, 0, 1), op("balance", 0, 2, 3, 10), op("balance", 0, 4, 5, 9)],
    "no answer, took none": [op("reveal", 7, 0, 1), op("balance", 0, 2, 3, 10)],
    "answer lost, took effect": [op("change", 5, 0, 1, done=True), op("balance", 0, 2, 3, 15)],
    "too few to take": [op("change", -11, 0, 1, False, None), op("balance", 0, 2, 3, 10)],
}
WRONG = {
    "paid twice": [op("reveal", 7, 0, 1, 1, 9), op("reveal", 7, 2, 3, 1, 8)],
    "paid twice at once": [op("reveal", 7, 0, 9, 1, 9), op("reveal", 7, 0, 9, 1, 8)],
    "one credit spent twice": [op("reveal", 7, 0, 9, 1, 9), op("reveal", 8, 0, 9, 1, 9)],
    "an acknowledged reveal is gone": [op("reveal", 7, 0, 1, 1, 9), op("listed", 0, 2, 3, 0)],
    "an old balance is read": [op("change", 5, 0, 1, True, 15), op("balance", 0, 2, 3, 10)],
    "a change without effect": [op("change", 5, 0, 1, done=True), op("balance", 0, 2, 3, 10)],
    "below zero": [op("change", -11, 0, 1, True, -1)],
    "back in time": [op("reveal", 7, 0, 9), op("balance", 0, 1, 2, 9), op("balance", 0, 3, 4, 10)],
}


@pytest.mark.parametrize("operations", RIGHT.values(), ids=RIGHT.keys())
def test_a_history_that_one_order_explains_is_right(operations: list[Operation]) -> None:
    assert problems(operations, State(10)) == []


@pytest.mark.parametrize("operations", WRONG.values(), ids=WRONG.keys())
def test_a_history_that_no_order_explains_is_found(operations: list[Operation]) -> None:
    assert problems(operations, State(10))


def test_the_end_belongs_to_the_history() -> None:
    operations = [op("reveal", 7, 0, 1, 1, 9), op("reveal", 8, 2, 3)]
    assert problems(operations, State(10), State(9, frozenset({7}))) == []
    assert problems(operations, State(10), State(8, frozenset({7, 8}))) == []
    assert problems(operations, State(10), State(10)), "an acknowledged write is lost"
    assert problems(operations, State(10), State(8, frozenset({7}))), "one value paid twice"
