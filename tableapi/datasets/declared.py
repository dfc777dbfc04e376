"""Check the names in a policy or an access file against the databases.

A misspelt name must neither grant nor deny anything.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import sqlalchemy as sa

from tableapi.auth.access_file import AccessFile, Entry, Role, actor_names, row_condition
from tableapi.auth.policy import ACTIONS, VERBS, Access, ActorTerms, Rule, Sessions, shape_error
from tableapi.auth.rights import CHANNEL
from tableapi.query.spelling import suggestion
from tableapi.schema.model import Schema, Table
from tableapi.schema.sqltypes import DIALECT
from tableapi.schema.types import BadValue

ACTOR = ActorTerms()
_GROUPS = ("_table", "_schema", "_func", "_proc", CHANNEL)


class BadRights(ValueError):
    """A policy or an access file names something that does not exist. The message is one line."""


# -- policies ----------------------------------------------------------------------------------------------------------


def check_policy(policy: Mapping[str, Access], schemas: Collection[Schema], values: Collection[str] | None) -> None:
    """Check the names in a policy, and compile each of its conditions.

    schemas: those of the databases; each table must be in at least one. values: the names of an actor's values; None if
    unknown.

    Raises:
        BadRights: a table, a column, a function or a value of the actor does not exist, or a condition fails.
    """
    if error := shape_error({"the policy": policy}):
        raise BadRights(f"{error[0].upper()}{error[1:]}.")
    for name, access in policy.items():
        tables = [schema.tables[name] for schema in schemas if name in schema.tables]
        if not tables:
            hint = suggestion(str(name), [other for schema in schemas for other in schema.tables])
            raise BadRights(f"The policy names the table '{name}', which does not exist.{hint}")
        for table in tables:
            _check_table(table, access, values)


def _check_table(table: Table, access: Access, values: Collection[str] | None) -> None:
    _check_columns(table, "sealed", access.sealed)
    _check_columns(table, "credentials", access.credentials)
    if unsealed := sorted(set(access.credentials) - set(access.sealed)):
        raise BadRights(f"The policy of '{table.name}' names '{unsealed[0]}' in credentials, but not in sealed.")
    _check_columns(table, "granting", set(access.granting) - set(ACTIONS))
    if "read" in access.granting:
        raise BadRights(f"The policy of '{table.name}' names 'read' in granting. Name columns in credentials instead.")
    _check_columns(table, "changes", () if isinstance(access.changes, bool) else access.changes)
    for function in access.computed:
        if table.function(function) is None and table.relation(function) is None:
            raise BadRights(f"The policy of '{table.name}' names the function '{function}', which does not exist.")
    for action in ACTIONS:
        for rule in access.rules(action):
            _check_rule(table, action, rule, values)


def check_sessions(sessions: Sessions, values: Collection[str]) -> None:
    """Check that the values named in `sessions` are columns of its lookup.

    Raises:
        BadRights: a value is not a column.
    """
    users = (sessions.user,) if isinstance(sessions.user, str) else sessions.user
    for name in ("role", *users, sessions.account, *sessions.identities.values()):
        if name and name not in values:
            raise BadRights(f"SESSIONS names '{name}', which is not a column of its lookup.{suggestion(name, values)}")


def _check_rule(table: Table, action: str, rule: Rule, values: Collection[str] | None) -> None:
    for attribute in (
        "fields",
        "hidden",
        "set_on_create",
        "rows_when_filtered_by",
        "editable_in",
        "ignored",
        "always_returned",
    ):
        _check_columns(table, attribute, getattr(rule, attribute) or ())
    clause = table.clause.alias()
    conditions: dict[str, Callable[[], Any]] = {}
    if (rows := rule.rows) is not None:
        conditions["rows"] = lambda: rows(clause, ACTOR)
    if (key_list := rule.key_list) is not None:
        conditions["key_list"] = lambda: key_list(ACTOR)
    for name, condition in (*rule.rows_when_filtered_by.items(), *rule.editable_in.items()):
        conditions[f"condition of {name}"] = partial(condition, clause, ACTOR)
    for name, make in conditions.items():
        place = f"{name} ({action}) of '{table.name}'"
        made = _compile(place, make, table, values)
        if not isinstance(made, sa.ClauseElement | bool):
            raise BadRights(f"The policy fails in {place}: it returned {made!r}, not a condition. Is a return missing?")
    for name, value in rule.set_on_create.items():
        if callable(value):
            place = f"set_on_create of {name} ({action}) of '{table.name}'"
            _compile(place, partial(value, ACTOR), table, values)


def _check_columns(table: Table, attribute: str, names: Iterable[str]) -> None:
    for name in names:
        if name not in table.columns:
            hint = suggestion(str(name), table.columns)
            raise BadRights(
                f"The policy of '{table.name}' names the column '{name}' in {attribute}, which does not exist.{hint}"
            )


@contextmanager
def _no_truth() -> Iterator[None]:
    """Reject `and`, `or`, `not` and `if` of Python on a comparison in a policy.

    SQLAlchemy gives `a == b` a truth value, so that `a == b or c` would silently be `c`. Its own code needs that value.
    """
    comparison: Any = sa.BinaryExpression
    original = comparison.__bool__

    def truth(self: sa.BinaryExpression[Any]) -> bool:
        if sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] != "sqlalchemy":
            raise TypeError("combine conditions by sa.and_, sa.or_ and sa.not_, not by 'and', 'or', 'not' or 'if'")
        return bool(original(self))

    comparison.__bool__ = truth
    try:
        yield
    finally:
        comparison.__bool__ = original


def _compile(place: str, condition: Callable[[], Any], table: Table, values: Collection[str] | None) -> Any:
    """Return the result of a condition, after checking the actor's values that it uses. Raises BadRights."""
    try:
        with _no_truth():
            made = condition()
        binds = made.compile(dialect=DIALECT).binds if hasattr(made, "compile") else {}
    except AttributeError as error:
        missing = str(error.args[0]) if error.args else ""
        raise BadRights(f"The policy fails in {place}: {missing}.{suggestion(missing, table.columns)}") from None
    except Exception as error:  # a policy's code may raise anything
        text = str(error).splitlines()[0] if str(error) else ""
        raise BadRights(f"The policy fails in {place}: {type(error).__name__}: {text}.") from None
    for bind in binds.values():
        name = str(bind._orig_key)
        if values is not None and name.startswith("actor.") and name[6:] not in values:
            hint = suggestion(name[6:], values)
            raise BadRights(f"The policy uses '{name}' in {place}, which sessions do not have.{hint}")
    return made


# -- access files ------------------------------------------------------------------------------------------------------


def check_access(access: AccessFile, schemas: Mapping[str, Schema], *, claims: bool) -> None:
    """Check the names in an access file against the databases.

    claims: whether signed tokens supply values that the file does not name.

    Raises:
        BadRights: a service, a table, a routine, a column, a verb or a value of the user does not exist, or a value of
            a filter does not fit its column.
    """
    for name, role in access.roles.items():
        users = [key.user for key in access.keys.values() if key.role == name]
        values = None if claims or not users else {f"user.{member}" for user in users for member in user}
        for number, entry in enumerate(role.access):
            _check_entry(f"roles.{name}.access.{number}", role, entry, schemas, values)


def _check_entry(
    place: str, role: Role, entry: Entry, schemas: Mapping[str, Schema], values: Collection[str] | None
) -> None:
    if entry.service not in ("", "*", *schemas):
        hint = suggestion(entry.service, schemas)
        raise BadRights(f"{place}: there is no service '{entry.service}'.{hint}")
    if entry.verb_mask & ~sum(VERBS.values()) or entry.verb_mask < 0:
        raise BadRights(
            f"{place}: verb_mask {entry.verb_mask} contains unknown verbs; {sum(VERBS.values())} allows all verbs."
        )
    served = [schema for name, schema in schemas.items() if entry.service in ("", "*", name)]
    tables = {table.name: table for schema in served for table in schema.tables.values()}
    matching = _check_component(place, entry.component, served, tables)
    for row_filter in entry.filters:
        columns = {column for table in matching for column in table.columns}
        if matching and not any(table.find(row_filter.name) for table in matching):
            hint = suggestion(row_filter.name, columns)
            raise BadRights(f"{place}: the filter names the column '{row_filter.name}', which does not exist.{hint}")
        for name in actor_names(row_filter):
            if values is not None and name not in values:
                hint = suggestion(name, values)
                raise BadRights(f"{place}: the filter uses '{{{name}}}', which the keys of the role do not have.{hint}")
    if entry.filters and len(matching) == 1:
        _check_values(place, Role(access=(entry,)), matching[0])


def _check_component(
    place: str, component: str, served: Collection[Schema], tables: Mapping[str, Table]
) -> list[Table]:
    """Return the tables that a component matches. Raises BadRights if there are none."""
    text = component.strip().lower()
    group, _, rest = text.partition("/")
    if text in ("", "*") or (text.endswith("*") and not rest):
        return list(tables.values()) if text.endswith("*") else []
    if group not in _GROUPS:
        if group in {name.lower() for name in tables}:
            raise BadRights(f"{place}: the component '{component}' does not exist. Did you mean '_table/{group}/*'?")
        raise BadRights(f"{place}: the component '{component}' does not exist.{suggestion(group, _GROUPS)}")
    if group in ("_func", "_proc"):
        names: Collection[str] = [routine.name for schema in served for routine in schema.routines]
    else:
        names = tables
    name = rest.removesuffix("/*").rstrip("/")
    if group == CHANNEL:  # PostgreSQL has no declared channels
        if "*" in rest or not name:
            raise BadRights(f"{place}: the component '{component}' must name a single channel.")
        return []
    if name in ("", "*"):
        return list(tables.values()) if group == "_table" else []
    found = [n for n in names if (n.lower().startswith(name[:-1]) if name.endswith("*") else n.lower() == name)]
    if not found:
        raise BadRights(
            f"{place}: the component '{component}' does not match any table or routine.{suggestion(name, names)}"
        )
    return [tables[n] for n in found] if group == "_table" else []


def _check_values(place: str, role: Role, table: Table) -> None:
    """Check that the filter values fit their columns, by compiling the conditions."""
    for row_filter in role.access[0].filters:
        column = table.find(row_filter.name)
        if column is None:
            continue
        try:
            row_condition(row_filter, column, table.clause.c[column.name], ACTOR)
        except BadValue as error:
            raise BadRights(
                f"{place}: the value of the filter on '{row_filter.name}' does not match the column type: {error}."
            ) from None
