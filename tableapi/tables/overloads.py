"""Choose a routine among those of one name, as PostgreSQL does: by its parameters and their types.

https://www.postgresql.org/docs/current/typeconv-func.html describes the steps. A number in a query or a path counts as
a number, anything else there, and every JSON string, as a literal of unknown type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tableapi import exact_json
from tableapi.errors import BadRequest
from tableapi.schema.model import Argument, Routine
from tableapi.schema.types import BY_NAME, BadValue, PgType, stored

Sent = list[Any] | dict[str, Any]  # parameters by position, or by name
MAX_CANDIDATES = 10  # in an error
_NUMBER = re.compile(r"[+-]?(\d{1,1000}|\d{0,1000}\.\d{1,1000}|\d{1,1000}\.)([eE][+-]?\d{1,4})?\Z", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,1000}\Z", re.ASCII)
_NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")
# Types to which PostgreSQL converts without being asked to.
_IMPLICIT = {
    "integer": _NUMBERS[1:], "bigint": _NUMBERS[2:], "numeric": _NUMBERS[3:], "boolean": ("boolean",),
}  # fmt: skip
_CATEGORIES = {
    "integer": "number", "decimal": "number", "float": "number", "money": "number", "boolean": "boolean",
    "text": "text", "date": "date", "timestamp": "date", "timestamptz": "date", "network": "network",
    "array": "array", "enum": "enum", "composite": "composite",
}  # fmt: skip
_PREFERRED = frozenset(("double precision", "boolean", "text", "timestamp with time zone", "interval", "inet"))
_ARRAYS = ("anyarray", "anycompatiblearray")


class Unquoted(exact_json.Cell):
    """A parameter in a query, or without quotes in a path; it may be a number."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A routine that takes the parameters of a call.

    values: by position. pairs: each parameter that was sent, with the type of its place; those of a VARIADIC argument
    one by one. spread: whether they are.
    """

    routine: Routine
    values: dict[int, Any]
    pairs: tuple[tuple[Any, PgType], ...]
    spread: bool

    @property
    def types(self) -> tuple[str, ...]:
        """The names of the types of the parameters that were sent."""
        return tuple(type_.name for _, type_ in self.pairs)


def choose(routines: Sequence[Routine], sent: Sent, options: Collection[str]) -> Candidate:
    """Return the routine that a call means, with its values by position.

    options: names that may be options of the call instead of parameters.

    Raises:
        BadRequest: `bad_params` if no routine takes these parameters, `ambiguous_routine` if several do.
    """
    if isinstance(sent, list):
        candidates = [found for routine in routines if (found := _by_position(routine, sent)) is not None]
    else:
        candidates = _most([found for routine in routines if (found := _by_name(routine, sent)) is not None],
                           lambda candidate: len(candidate.values))  # fmt: skip
        known = {name for routine in routines for name in names(routine)}
        meant = [name for name in sent if name.lower() in known and name.lower() not in options]
        candidates = [c for c in candidates if all(_place(c.routine, name) is not None for name in meant)]
    if not candidates:
        raise _no_candidate(routines)
    if len(candidates) > 1:
        candidates = [candidate for candidate in candidates if all(_fits(*pair) for pair in candidate.pairs)]
        if not candidates:
            raise _no_candidate(routines)
        candidates = _preferred(candidates)
    if len(candidates) > 1:
        raise BadRequest(
            f"Several routines named '{routines[0].name}' take these parameters. Name the parameters, or send values "
            f"of the types of one of them: {_listed(candidate.routine for candidate in candidates)}.",
            reason="ambiguous_routine",
            context={"candidates": [signature(candidate.routine) for candidate in candidates[:MAX_CANDIDATES]]},
        )
    return replace(candidates[0], routine=_concrete(candidates[0]))


def names(routine: Routine) -> list[str]:
    """Return the names of the parameters in lower case; those without a name are called by their position."""
    return [label(argument, place).lower() for place, argument in enumerate(routine.sent)]


def label(argument: Argument, place: int) -> str:
    """Return the name of a parameter in a request."""
    return argument.name or str(place + 1)


def signature(routine: Routine) -> str:
    """Return the name of a routine and its parameters, for example `add(a integer, b integer?)`."""
    parameters = (
        ("variadic " if argument.mode == "v" else "")
        + f"{label(argument, place)} {argument.type.db_type}{'' if place < routine.required else '?'}"
        for place, argument in enumerate(routine.sent)
    )
    return f"{routine.name}({', '.join(parameters)})"


def _listed(routines: Iterable[Routine]) -> str:
    return "; ".join([signature(routine) for routine in routines][:MAX_CANDIDATES])


def _no_candidate(routines: Sequence[Routine]) -> BadRequest:
    return BadRequest(
        f"The parameters do not match those of the routine. It is called as {_listed(routines)}.",
        reason="bad_params",
        context={"candidates": [signature(routine) for routine in routines[:MAX_CANDIDATES]]},
    )


# -- by name and by position -------------------------------------------------------------------------------------------


def _place(routine: Routine, name: str) -> int | None:
    """Return the position of a parameter; an exact match takes precedence over one in another case."""
    exact = next((n for n, argument in enumerate(routine.sent) if label(argument, n) == name), None)
    if exact is not None:
        return exact
    own = names(routine)
    return own.index(name.lower()) if name.lower() in own else None


def _by_name(routine: Routine, sent: dict[str, Any]) -> Candidate | None:
    values: dict[int, Any] = {}
    for name, value in sent.items():
        if (place := _place(routine, name)) is not None:
            values[place] = value
    if not set(range(routine.required)) <= values.keys():
        return None
    arguments = routine.sent
    spread = bool(arguments) and arguments[-1].mode == "v" and _is_item(values.get(len(arguments) - 1, []))
    if spread:
        values[len(arguments) - 1] = [values[len(arguments) - 1]]
    return _candidate(routine, values, spread=spread)


def _by_position(routine: Routine, sent: list[Any]) -> Candidate | None:
    arguments = routine.sent
    variadic = bool(arguments) and arguments[-1].mode == "v"
    if len(sent) < routine.required or (len(sent) > len(arguments) and not variadic):
        return None
    values, last = dict(enumerate(sent[: len(arguments)])), len(arguments) - 1
    spread = variadic and (len(sent) > len(arguments) or (len(sent) > last and _is_item(sent[last])))
    if spread:
        values[last] = sent[last:]
    return _candidate(routine, values, spread=spread)


def _is_item(value: Any) -> bool:
    """Whether a value for a VARIADIC argument is one of its items rather than the whole array."""
    if isinstance(value, exact_json.Cell) and value.startswith("{"):
        return False
    return value is not None and not isinstance(_decoded(value), list)


def _decoded(value: Any) -> Any:
    return value.value() if isinstance(value, exact_json.Cell) and value.startswith("[") else value


def _candidate(routine: Routine, values: dict[int, Any], *, spread: bool) -> Candidate:
    arguments = routine.sent
    pairs: list[tuple[Any, PgType]] = []
    for place, value in sorted(values.items()):
        type_ = arguments[place].type
        if spread and place == len(arguments) - 1:
            pairs += [(item, type_.element or _item_of(type_)) for item in value]
        else:
            pairs.append((value, type_))
    return Candidate(routine, values, tuple(pairs), spread)


# -- by type -----------------------------------------------------------------------------------------------------------


def _most(candidates: list[Candidate], count: Callable[[Candidate], int]) -> list[Candidate]:
    """Return the candidates with the highest count."""
    most = max(map(count, candidates), default=0)
    return [candidate for candidate in candidates if count(candidate) == most]


def type_name(value: Any) -> str:
    """Return the type that PostgreSQL would give a value; "" if it is unknown."""
    if isinstance(value, bool):
        return "boolean"
    text = str(value) if isinstance(value, int | float | Unquoted) else ""
    if _WHOLE.match(text):
        number = int(text)
        return "integer" if -(2**31) <= number < 2**31 else "bigint" if -(2**63) <= number < 2**63 else "numeric"
    if _NUMBER.match(text):
        return "numeric"
    return "boolean" if isinstance(value, Unquoted) and text.lower() in ("true", "false") else ""


def _fits(value: Any, type_: PgType) -> bool:
    """Whether a value can be converted to a type. Types that are bound as text are left to PostgreSQL."""
    if value is None or type_.kind == "any":
        return True
    try:
        stored(type_, value)
    except BadValue:
        return False
    return True


def _distance(value: Any, type_: PgType) -> int:
    """Return the distance of a type from that of a value.

    0: the same. 1: the preferred type of its kind. 2: PostgreSQL converts implicitly. 3: only on request.
    """
    value = _decoded(value)
    if isinstance(value, list):
        if type_.element is None:
            return 2 if type_.kind == "any" else 3
        return max((_distance(item, type_.element) for item in value), default=2)
    own = type_name(value)
    if own:
        if own == type_.name:
            return 0
        if type_.kind == "any":
            return 2
        return (1 if type_.name in _PREFERRED else 2) if type_.name in _IMPLICIT[own] else 3
    return 2


def _category(type_: PgType) -> str:
    return _CATEGORIES.get(type_.kind, type_.name)


def _preferred(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates among which PostgreSQL could not decide."""
    distances = {id(c): [_distance(*pair) for pair in c.pairs] for c in candidates}
    candidates = _most(candidates, lambda c: -sum(distance == 3 for distance in distances[id(c)]))
    candidates = _most(candidates, lambda c: distances[id(c)].count(0))
    candidates = _most(candidates, lambda c: sum(distance < 2 for distance in distances[id(c)]))
    lengths = {len(candidate.pairs) for candidate in candidates}
    for place in range(lengths.pop() if len(lengths) == 1 else 0):
        candidates = _of_unknown(candidates, place)
    if len({candidate.types for candidate in candidates}) == 1:
        candidates = _most(candidates, lambda c: -c.spread)
    return candidates


def _of_unknown(candidates: list[Candidate], place: int) -> list[Candidate]:
    """Return the candidates that a literal of unknown type at this place selects."""
    value = _decoded(candidates[0].pairs[place][0])
    if value is None or type_name(value) or isinstance(value, list | dict):
        return candidates
    types = {id(candidate): candidate.pairs[place][1] for candidate in candidates}
    categories = {_category(type_) for type_ in types.values()}
    if "text" not in categories and len(categories) > 1:
        return candidates
    chosen = "text" if "text" in categories else categories.pop()
    candidates = [c for c in candidates if _category(types[id(c)]) == chosen]
    return [c for c in candidates if types[id(c)].name in _PREFERRED] or candidates


# -- polymorphic types -------------------------------------------------------------------------------------------------


def _item_of(type_: PgType) -> PgType:
    """Return the type of the items of a polymorphic array."""
    return replace(type_, name="anyelement", db_type="anyelement")


def _named(name: str) -> PgType:
    return PgType(BY_NAME[name], name, name)


def _concrete(candidate: Candidate) -> Routine:
    """Return a routine with the types that its polymorphic parameters have in this call."""
    routine = candidate.routine
    if not any(argument.type.kind == "any" for argument in routine.arguments):
        return routine
    items: list[Any] = []
    for value, type_ in candidate.pairs:
        if type_.kind == "any":
            value = _decoded(value)
            items += value if isinstance(value, list) and type_.name in _ARRAYS else [value]
    item = _common(items)
    array = PgType("array", f"{item.name}[]", f"{item.name}[]", element=item)

    def concrete(type_: PgType) -> PgType:
        if type_.kind != "any":
            return type_
        return array if type_.name in _ARRAYS else item

    arguments = tuple(replace(argument, type=concrete(argument.type)) for argument in routine.arguments)
    returns = None if routine.returns is None else concrete(routine.returns)
    return replace(routine, arguments=arguments, returns=returns)


def _common(values: Iterable[Any]) -> PgType:
    """Return the type that values have in common: the widest of numbers, else text."""
    found: set[str] = set()
    for value in values:
        if isinstance(value, dict | list):
            found.add("jsonb")
        elif value is not None:
            found.add(type_name(value) or "text")
    if found <= set(_NUMBERS) and found:
        return _named(max(found, key=_NUMBERS.index))
    return _named(found.pop() if len(found) == 1 else "text")
