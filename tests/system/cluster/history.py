"""Check a history of concurrent calls against a model of one account: is there an order that explains every response?

An operation has a start, an end and what was answered. Operations that overlap may have taken effect in either order;
one that ended before another began came first. `problems` searches for an order in which the model gives exactly the
answers that were seen (linearizability). An operation without an answer may have taken effect at any time after its
start, or never.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["reveal", "change", "purchase", "plan", "balance", "listed"]


@dataclass(frozen=True, slots=True)
class State:
    """One account: its credits, how many of them were bought and outlast the plan, and the people it has paid for."""

    credits: int
    revealed: frozenset[int] = frozenset()
    bought: int = 0

    def moved(self, amount: int, revealed: frozenset[int] = frozenset()) -> State:
        """Return the state with bought credits more, or with some less: those of the plan are spent first."""
        after = self.credits + amount
        bought = self.bought + amount if amount > 0 else min(self.bought, after)
        return State(after, self.revealed | revealed, bought)

    def renewed(self, amount: int) -> State:
        """Return the state after a new plan: its credits, in place of those that the old one has left."""
        return State(self.bought + amount, self.revealed, self.bought)


@dataclass(frozen=True, slots=True)
class Operation:
    """One call. `answer` is None without one; `done` says that it took effect although its answer was lost.

    reveal: `argument` is the person, the answer (whether a credit was charged, the credits after it); ("none", credits)
        when there was no credit.
    change: `argument` is the number of credits granted, or taken when negative; the answer (True, the credits after
        it), or (False, None) when there were too few.
    purchase: `argument` is the number of credits of an add-on, the answer (True,).
    plan: `argument` is the number of credits of a plan. The provider reports the payment, so no answer tells when it
        takes effect: `done`, and the end is the first answer that shows the plan.
    balance: the answer is (the credits,).
    listed: the answer is (the number of people with data,).
    """

    client: int
    kind: Kind
    argument: int
    start: float
    end: float
    answer: tuple[int | str | bool | None, ...] | None
    done: bool = False

    def after(self, state: State) -> State | None:
        """Return the state after the operation; None if the model would have responded differently."""
        after, answer = self._model(state)
        return after if self.answer is None or self.answer == answer else None

    def _model(self, state: State) -> tuple[State, tuple[int | str | bool | None, ...]]:
        match self.kind:
            case "reveal" if self.argument in state.revealed:
                return state, (0, state.credits)
            case "reveal" if state.credits == 0:
                return state, ("none", 0)
            case "reveal":
                after = state.moved(-1, frozenset({self.argument}))
                return after, (1, after.credits)
            case "change" if state.credits + self.argument < 0:
                return state, (False, None)
            case "change":
                after = state.moved(self.argument)
                return after, (True, after.credits)
            case "purchase":
                return state.moved(self.argument), (True,)
            case "plan":
                return state.renewed(self.argument), (True,)
            case "balance":
                return state, (state.credits,)
            case "listed":
                return state, (len(state.revealed),)


# A possibility at one moment: the state, and the open operations that have taken effect.
_Possible = tuple[State, frozenset[int]]


def problems(operations: Iterable[Operation], first: State, last: State | None = None) -> list[str]:
    """Return a line for a history that no order explains; [] for a valid one.

    `first` is the state before, `last` the one found in the database at the end. All operations are of one account.
    """
    known = sorted(operations, key=lambda one: one.start)
    moments = [(one.start, 0, number) for number, one in enumerate(known)]
    moments += [(one.end, 1, number) for number, one in enumerate(known) if one.answer is not None or one.done]
    possible: set[_Possible] = {(first, frozenset())}
    opened: set[int] = set()
    for _, ended, number in sorted(moments):
        if not ended:
            opened.add(number)
            continue
        # Before its end the operation has taken effect, after any of the others that are open.
        possible = {
            (state, applied - {number}) for state, applied in _reached(possible, opened, known) if number in applied
        }
        opened.discard(number)
        if not possible:
            return [_explain(known[number], [known[other] for other in opened])]
    if last is not None and last not in {state for state, _ in _reached(possible, opened, known)}:
        balance = sorted({state.credits for state, _ in possible})
        people = sorted({len(state.revealed) for state, _ in possible})
        return [
            f"the database ends with {last.credits} credits ({last.bought} bought) and {len(last.revealed)} people;"
            f" the answers allow {balance[:3]} and {people[:3]}"
        ]
    return []


def _reached(possible: set[_Possible], opened: set[int], known: list[Operation]) -> set[_Possible]:
    """Return every state that open operations can lead to, in any order."""
    found, new = set(possible), list(possible)
    while new:
        state, applied = new.pop()
        for number in opened - applied:
            after = known[number].after(state)
            if after is state and known[number].answer is None and not known[number].done:
                continue  # nothing would show whether it took effect, and the number of possibilities would double
            if after is not None and (after, applied | {number}) not in found:
                found.add((after, applied | {number}))
                new.append((after, applied | {number}))
    return found


def _explain(broken: Operation, beside: list[Operation]) -> str:
    others = ", ".join(f"{one.kind} {one.argument} -> {one.answer}" for one in beside)
    return (
        f"account {broken.client}: no order explains {broken.kind} {broken.argument} -> {broken.answer}"
        f" from {broken.start:.3f} to {broken.end:.3f}" + (f", beside {others}" if others else "")
    )
