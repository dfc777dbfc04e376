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
    "an add-on": [op("purchase", 100, 0, 1, True), op("balance", 0, 2, 3, 110)],
    "an add-on, not answered": [op("purchase", 100, 0, 1), op("balance", 0, 2, 3, 10), op("balance", 0, 4, 5, 110)],
    "a plan in place of what is left of the old one": [
        op("change", 7, 0, 1, True, 17),
        op("reveal", 7, 2, 3, 1, 16),
        op("plan", 50, 4, 9, done=True),
        op("balance", 0, 5, 6, 16),
        op("balance", 0, 7, 8, 57),
    ],
    "bought credits are spent last": [
        op("purchase", 5, 0, 1, True),
        op("change", -11, 2, 3, True, 4),
        op("plan", 50, 4, 5, done=True),
        op("balance", 0, 6, 7, 54),
    ],
    "too few to take": [op("change", -11, 0, 1, False, None), op("balance", 0, 2, 3, 10)],
}
WRONG = {
    "paid twice": [op("reveal", 7, 0, 1, 1, 9), op("reveal", 7, 2, 3, 1, 8)],
    "paid twice at once": [op("reveal", 7, 0, 9, 1, 9), op("reveal", 7, 0, 9, 1, 8)],
    "one credit spent twice": [op("reveal", 7, 0, 9, 1, 9), op("reveal", 8, 0, 9, 1, 9)],
    "an acknowledged reveal is gone": [op("reveal", 7, 0, 1, 1, 9), op("listed", 0, 2, 3, 0)],
    "an old balance is read": [op("change", 5, 0, 1, True, 15), op("balance", 0, 2, 3, 10)],
    "a change without effect": [op("change", 5, 0, 1, done=True), op("balance", 0, 2, 3, 10)],
    "an add-on without credits": [op("purchase", 100, 0, 1, True), op("balance", 0, 2, 3, 10)],
    "an add-on paid twice": [op("purchase", 100, 0, 1, True), op("balance", 0, 2, 3, 210)],
    "an add-on lost again": [op("purchase", 100, 0, 1), op("balance", 0, 2, 3, 110), op("balance", 0, 4, 5, 10)],
    "a plan that keeps the old credits": [op("plan", 50, 0, 1, done=True), op("balance", 0, 2, 3, 60)],
    "a plan that takes what was bought": [
        op("purchase", 100, 0, 1, True),
        op("plan", 50, 2, 3, done=True),
        op("balance", 0, 4, 5, 50),
    ],
    "below zero": [op("change", -11, 0, 1, True, -1)],
    "back in time": [op("reveal", 7, 0, 9), op("balance", 0, 1, 2, 9), op("balance", 0, 3, 4, 10)],
}


@pytest.mark.parametrize("operations", RIGHT.values(), ids=RIGHT.keys())
def test_a_linearizable_history_is_accepted(operations: list[Operation]) -> None:
    assert problems(operations, State(10)) == []


@pytest.mark.parametrize("operations", WRONG.values(), ids=WRONG.keys())
def test_a_history_that_is_not_linearizable_is_detected(operations: list[Operation]) -> None:
    assert problems(operations, State(10))


def test_the_final_state_is_part_of_the_history() -> None:
    operations = [op("reveal", 7, 0, 1, 1, 9), op("reveal", 8, 2, 3)]
    assert problems(operations, State(10), State(9, frozenset({7}))) == []
    assert problems(operations, State(10), State(8, frozenset({7, 8}))) == []
    assert problems(operations, State(10), State(10)), "an acknowledged write is lost"
    assert problems(operations, State(10), State(8, frozenset({7}))), "one value paid twice"
