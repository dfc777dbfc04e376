"""One statement: its parameters, its compiled form and the values of a request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from tableapi import exact_json
from tableapi.auth.policy import Actor
from tableapi.errors import BadRequest
from tableapi.query.limits import DEFAULT_FILTER_LIMITS, FilterLimits
from tableapi.query.spelling import suggestion
from tableapi.schema.model import Column, Table
from tableapi.schema.pgtypes import BadMoment
from tableapi.schema.sqltypes import DIALECT, Supplied, bind, bind_array
from tableapi.schema.types import BY_NAME, BadValue, PgType, checker, storer

CONSTANTS = 1_000_000  # literals from this position onwards are constants of the statement


@dataclass(frozen=True, slots=True)
class ParamSource:
    """The source of one bound parameter's value at each request, and its conversion.

    source: ("lit", position in the filter), ("param", name), ("id", part of the key), ("ids", part of the key of all
    records), ("cursor", position), ("value", field), ("offset",), ("actor", name), ("const", value), or ("caller",
    function of the actor's values). convert: raises BadValue. label: the field to name in the message if a value does
    not fit.
    """

    source: tuple[Any, ...]
    convert: Callable[[Any], Any] | None = None
    label: str = ""


def _no_condition(scope: Any, text: str) -> Any:
    raise BadRequest("FILTER is allowed only in 'fields' of a read.", reason="bad_aggregate")


class Binder:
    """Collects the parameters, aliases and tables of one statement while it is built."""

    def __init__(self, params: Mapping[str, Any] | None = None, limits: FilterLimits = DEFAULT_FILTER_LIMITS) -> None:
        self.sources: dict[str, ParamSource] = {}
        self.params = params or {}
        self.aliases = 0
        self.tables: dict[str, Table] = {}  # tables in the statement, except those that only a row rule reads
        self.searches: dict[str, tuple[str, Any]] = {}  # language and query of MATCHES, by field name
        self.patterns = False  # whether the statement has a regular expression from the request
        self.may_fail = False  # whether a condition may fail for some values, for example in a cast
        self.account = ""  # the account field under which the read is recorded
        self.narrow: Callable[[Any], list[Any]] = lambda scope: []  # conditions from the options of a relation
        self.condition: Callable[[Any, str], Any] = _no_condition  # builds the condition of an aggregate with FILTER
        self.binds = (
            False  # whether the literals of the request's other conditions are bound, as those of its filter are
        )
        self._constants: list[str | list[str]] = []
        self._places: list[tuple[str, int] | None] = []  # of each constant: the condition that has it, and where
        self._limits = limits
        self._left: dict[str, int] | None = None  # remaining limits of the request, once something has been counted

    def count(self, what: str, number: int = 1) -> None:
        """Count conditions, values, fields or terms of the request.

        Raises:
            BadRequest: `too_complex`; the request has too many of them in total.
        """
        if self._left is None:
            self._left = self._limits.of_request()
        self._left[what] -= number
        if self._left[what] < 0:
            raise too_complex(what, self._limits)

    def count_again(self) -> None:
        """Restart the count, for another statement of the same request."""
        self._left = None

    def constants(self, literals: list[str | list[str]], condition: str = "") -> int:
        """Add literals that are part of the statement, and return how far to shift their positions.

        condition: the option that they are the literals of. If the binder binds them, each request passes its own.
        """
        start = CONSTANTS + len(self._constants)
        self._constants += literals
        bound = condition and self.binds
        self._places += [(condition, place) if bound else None for place in range(len(literals))]
        return start

    def argument(self, text: str) -> tuple[Any, ...]:
        """Return the source of a function's argument: a named value, `:name`, or a literal after one quote.

        Raises:
            BadRequest: `params` does not have the name.
        """
        if text.startswith("'"):
            return ("lit", self.constants([text[1:]]))
        if (name := text[1:]) not in self.params:
            raise BadRequest(
                f"The named value '{text}' is missing in params." + suggestion(name, self.params),
                reason="missing_param",
            )
        return ("param", name)

    def name(self, word: str) -> str:
        """Return a name, unique in the statement, for a part of FROM.

        The `$` distinguishes it from table names, which row rules may use without an alias.
        """
        self.aliases += 1
        return f"{word}${self.aliases}"

    def alias(self, table: Table) -> sa.FromClause:
        """Return the table under a new alias."""
        self.tables[table.name] = table
        return table.clause.alias(self.name("t"))

    def value(
        self, type_: PgType, source: tuple[Any, ...], label: str, wrap: Any = None, *, texts: bool = False
    ) -> sa.ColumnElement[Any]:
        """Return a bound parameter of this type. `wrap` is applied to the converted value.

        texts: whether a number may be a text such as 'NaN', as in a record. A bare word of a filter may not.

        Raises:
            BadRequest: a constant does not fit its type.
        """
        texts = texts and type_.kind in ("decimal", "float")
        convert = storer(type_) if texts or source[0] in ("value", "id") else checker(type_)
        if wrap is None:
            return self.converted(type_, source, label, convert)
        return self.converted(type_, source, label, lambda value: wrap(convert(value)))

    def values(self, type_: PgType, source: tuple[Any, ...], label: str) -> sa.ColumnElement[Any]:
        """Return ANY of a bound list of values, without NULLs. One statement serves lists of any length.

        Raises:
            BadRequest: a constant does not fit its type.
        """
        convert = storer(type_) if type_.kind in ("decimal", "float") else checker(type_)
        name = self._bound(source, label, lambda items: [convert(item) for item in items if item is not None])
        return sa.any_(bind_array(type_, name))

    def part_of_keys(self, column: Column, part: int) -> str:
        """Add a parameter for one part of the keys of several records, and return its name."""
        convert = storer(column.type)
        return self._bound(("ids", part), column.name, lambda items: [convert(item) for item in items])

    def converted(
        self, type_: PgType, source: tuple[Any, ...], label: str, convert: Callable[[Any], Any]
    ) -> sa.ColumnElement[Any]:
        """Return a bound parameter of this type.

        `convert` turns the sent value into the bound one, or raises BadValue.

        Raises:
            BadRequest: a constant does not fit.
        """
        return bind(type_, self._bound(source, label, convert))

    def _bound(self, source: tuple[Any, ...], label: str, convert: Callable[[Any], Any]) -> str:
        """Add a parameter, and return its name."""
        name = f"v{len(self.sources)}"
        if source[0] == "lit" and source[1] >= CONSTANTS:
            sent = self._constants[source[1] - CONSTANTS]
            self.count("values", len(sent) if isinstance(sent, list) else 1)
            if (place := self._places[source[1] - CONSTANTS]) is not None:
                self.sources[name] = ParamSource(("condition", *place), convert, label)
                return name
            try:
                value = convert(sent)
            except BadValue as error:
                raise UnfitValue(label, error, sent, convert) from None
            self.sources[name] = ParamSource(("const", value))
        else:
            self.sources[name] = ParamSource(source, convert, label)
        return name


# -- the compiled statement -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement:
    """A compiled statement.

    sources: the source of each parameter's value, in order. measure: a statement that returns the size of the
    response, or None if it cannot be too large. estimates: whether it returns PostgreSQL's execution plan of a read.
    """

    sql: str
    sources: tuple[ParamSource, ...]
    measure: Statement | None = None
    estimates: bool = False


def finish(statement: Any, binder: Binder) -> Statement:
    compiled = statement.compile(dialect=DIALECT)
    # An IN over a list of values is expanded here, because expanding it during compilation would require a value for
    # every other parameter as well.
    unknown = {name: None for name, parameter in compiled.binds.items() if parameter.required}
    expanded = compiled.construct_expanded_state(unknown)
    sources = []
    for name in expanded.positiontup or ():
        parameter = compiled.binds.get(name)
        if name in binder.sources:
            sources.append(binder.sources[name])
        elif parameter is not None and isinstance(parameter.type, Supplied):
            sources.append(ParamSource(("caller", parameter.type.supply)))
        elif parameter is not None and str(parameter._orig_key).startswith("actor."):
            sources.append(
                ParamSource(("actor", parameter._orig_key.removeprefix("actor.")), _actor_value(parameter.type))
            )
        else:
            sources.append(ParamSource(("const", expanded.parameters[name])))
    return Statement(expanded.statement, tuple(sources))


def _actor_value(type_: Any) -> Callable[[Any], Any] | None:
    """Return the conversion of an actor's value to the type of its column.

    A token's claims may contain "1" where the column is an integer.
    """
    name = getattr(type_, "name", "")
    if name not in BY_NAME:
        return None
    return checker(PgType(BY_NAME[name], name, name))


# -- the values of one request ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Bindings:
    """The values bound by one request."""

    actor: Actor
    literals: list[str | list[str]]
    params: dict[str, Any]
    ids: list[list[Any]]
    offset: int = 0
    cursor: list[Any] | None = None
    record: dict[str, Any] | None = None
    limits: FilterLimits = DEFAULT_FILTER_LIMITS
    conditions: Mapping[str, list[str | list[str]]] | None = None  # literals by option


# How one parameter is read from the bindings, how its value is converted, and its source for an error. Without one, the
# value comes from the actor and becomes NULL if it does not fit, which equals nothing.
Parameter = tuple[Callable[[Bindings], Any], Callable[[Any], Any] | None, ParamSource | None]


def bound(statement: Statement) -> list[Parameter]:
    """Return the parameters of a statement, in order."""
    return [
        (_source(param.source), param.convert, None if param.source[0] == "actor" else param)
        for param in statement.sources
    ]


def arguments(parameters: list[Parameter], values: Bindings) -> list[Any]:
    """Return the values of the parameters of a statement, in order.

    Raises:
        BadRequest: a value does not fit its field, or the lists of named values are too long in total.
    """
    if values.params:
        _check_lists(parameters, values)
    bound_values = []
    for take, convert, param in parameters:
        value = take(values)
        if convert is not None and value is not None:
            try:
                value = convert(value)
            except BadValue as error:
                if param is not None:
                    raise UnfitValue(param.label, error, value, convert, param.source) from None
                value = None
        bound_values.append(value)
    return bound_values


class _Named:
    """Reads a named value. A list counts each time it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, values: Bindings) -> Any:
        return values.params[self._name]


def _check_lists(parameters: list[Parameter], values: Bindings) -> None:
    lists = [value for take, *_ in parameters if isinstance(take, _Named) and isinstance(value := take(values), list)]
    if sum(map(len, lists)) > values.limits.of_request()["values"]:
        raise too_complex("values", values.limits)


def too_complex(what: str, limits: FilterLimits) -> BadRequest:
    """Build the error for a request with too many conditions, values, fields or terms in total."""
    most = limits.of_request()[what]
    names = {
        "fields": "renamed or computed fields", "terms": "terms of order, group and windows",
        "windows": "window functions",
    }  # fmt: skip
    return BadRequest(
        f"The request has more than {most} {names.get(what, what)}, including those of relations and 'having'. "
        "Request less, or send several requests.",
        reason="too_complex",
        context={what: most},
    )


def _source(source: tuple[Any, ...]) -> Callable[[Bindings], Any]:
    """Return a function that reads a raw value from the bindings."""
    match source:
        case ("const", value):
            return lambda _: value
        case ("actor", name):
            return lambda v: v.actor.values.get(name)
        case ("caller", supply):
            return lambda v: supply(v.actor.values)
        case ("offset",):
            return lambda v: v.offset
        case ("lit", place):
            return lambda v: v.literals[place]
        case ("condition", option, place):
            return lambda v: (v.conditions or {})[option][place]
        case ("param", name):
            return _Named(name)
        case ("id", part):
            return lambda v: v.ids[0][part]
        case ("ids", part):
            return lambda v: [ident[part] for ident in v.ids]
        case ("cursor", place):
            return lambda v: v.cursor[place] if v.cursor else None
        case ("value", name):
            return lambda v: v.record[name] if v.record else None
    raise AssertionError(source)


# Returns the values, as texts, that errors do not quote: a batch took them from responses, which are not sent.
unquoted: ContextVar[Callable[[], frozenset[str]] | None] = ContextVar("unquoted", default=None)
MAX_QUOTED = 50  # characters of a value
_DAYS = frozenset(("today", "yesterday", "tomorrow", "now"))
_CALCULATED = re.compile(r"(?:now|current_\w{4,9}|today)\s*(?:\(\s*\))?\s*[-+]", re.IGNORECASE)


class UnfitValue(BadRequest):
    """Raised for a value that does not fit its field.

    source: where the value comes from, as in `ParamSource`. item: its position, if the source is a list.
    """

    reason = "bad_value"

    def __init__(
        self,
        label: str,
        error: BadValue,
        value: Any,
        convert: Callable[[Any], Any] | None = None,
        source: tuple[Any, ...] = (),
    ) -> None:
        self.source, self.item = source, 0
        if isinstance(value, list) and convert is not None:
            self.item, value, error = _first_unfit(value, convert, error)
        super().__init__(f"Field '{label}': {_told(error, value)}.", context={"field": label})
        if isinstance(error, BadMoment) and source[:1] in (("lit",), ("condition",)):
            if str(value).lower() in _DAYS:
                self.message += " In a filter, CURRENT_DATE is today; write any other day as its date."
            elif _CALCULATED.match(str(value)):
                self.message += " A filter does not calculate: write the date itself."

    def locate(self, position: int | None) -> None:
        """Add the position of the value in the filter that has it, if it is known."""
        if position is None:
            return
        self.message = f"{self.message.removesuffix('.')} (at position {position} of the filter)."
        self.context["position"] = position


def _first_unfit(items: list[Any], convert: Callable[[Any], Any], error: BadValue) -> tuple[int, Any, BadValue]:
    """Return the first value of a list that does not fit: its position, the value and its error."""
    for place, item in enumerate(items):
        try:
            convert([item])
        except BadValue as of_item:
            return place, item, of_item
    return 0, items, error


def _told(error: BadValue, value: Any) -> str:
    """Return what is wrong with a value, in words."""
    text = str(error)
    if not text.startswith("expected ") and not isinstance(error, BadMoment):
        return text
    if not may_quote(value):  # nor what a date may be meant to be
        return f"the value is not {text.removeprefix('expected ')}" if text.startswith("expected ") else "not a date"
    shown = quoted(value)
    return f"{shown} is not {text.removeprefix('expected ')}" if text.startswith("expected ") else f"{shown} {text}"


def may_quote(value: Any) -> bool:
    """Return whether an error may quote a value: a batch did not take it from a response."""
    if (hidden := unquoted.get()) is None:
        return True
    return not isinstance(value, dict | list) and str(value) not in hidden()


def quoted(value: Any) -> str:
    """Return a value of a request for a message, at most about MAX_QUOTED characters of it."""
    if isinstance(value, str):
        return f"'{value}'" if len(value) <= MAX_QUOTED else f"'{value[:MAX_QUOTED]}...'"
    try:
        text = exact_json.dumps(value).decode()
    except (TypeError, ValueError):
        return "the value"
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}..."
