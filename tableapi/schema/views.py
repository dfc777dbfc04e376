"""Map view columns to the table columns they come from, using the stored view definitions.

A definition is a tree of nodes in text form. Each entry of its target list names the relation and column from which a
view column is taken unchanged; both are 0 for an expression.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tableapi.schema.model import Table

Origin = tuple[int, int]  # oid of a relation and number of a column
_TOKEN = re.compile(r"\\.|[(){}]|:targetList(?= )")
_ENTRY = re.compile(
    r":resno (\d+) :resname (?:[^\s\\]|\\.)++ :ressortgroupref \d++ "
    r":resorigtbl (\d+) :resorigcol (\d+) :resjunk (true|false)\}\Z",
    re.DOTALL,
)
MAX_DEPTH = 100  # for views over views


@dataclass(slots=True)
class ViewColumns:
    """A view, with its names for columns of tables, keyed by table and column name."""

    view: Table
    names: dict[tuple[str, str], str] = field(default_factory=dict)


def origins(definitions: Mapping[int, str]) -> dict[int, dict[int, Origin]]:
    """Return the originating table column of each view column, by view oid and column number."""
    direct = {oid: targets(text) for oid, text in definitions.items()}
    return {
        oid: {number: found for number in columns if (found := _origin(oid, number, direct)) is not None}
        for oid, columns in direct.items()
    }


def _origin(oid: int, number: int, direct: Mapping[int, Mapping[int, Origin]]) -> Origin | None:
    """Return the table column from which a view column originates, through other views if necessary."""
    for _ in range(MAX_DEPTH):
        if oid not in direct:
            return oid, number
        if (origin := direct[oid].get(number)) is None:
            return None
        oid, number = origin
    return None


def targets(text: str) -> dict[int, Origin]:
    """Return the origin of each column of a definition, by number; expressions have none."""
    columns: dict[int, Origin] = {}
    for entry in _entries(text):
        match = _ENTRY.search(entry)
        if match is not None and match[4] == "false" and match[2] != "0" and match[3] != "0":
            columns[int(match[1])] = int(match[2]), int(match[3])
    return columns


def _entries(text: str) -> list[str]:
    """Return the entries of the target list of the outermost query.

    The outermost query is the only node in a list, so its fields are two levels deep and the entries of its target list
    three.
    """
    entries: list[str] = []
    depth, listed, start = 0, False, 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("(", "{"):
            depth += 1
            if listed and sign == "{" and depth == 4:
                start = token.start()
        elif sign in (")", "}"):
            if listed and sign == "}" and depth == 4:
                entries.append(text[start : token.end()])
            depth -= 1
            if listed and depth == 2:
                break
        elif sign == ":targetList":
            listed = depth == 2
    return entries


def columns(
    origins: Mapping[int, Mapping[int, Origin]],
    tables: Mapping[int, Table],
    attributes: Mapping[int, Mapping[int, str]],
) -> list[ViewColumns]:
    """Resolve view columns to names.

    tables: by oid. attributes: column names by oid and number.
    """
    views = []
    for oid, numbers in origins.items():
        view = ViewColumns(tables[oid])
        for number, (source, column) in numbers.items():
            name = attributes.get(source, {}).get(column)
            own = attributes.get(oid, {}).get(number)
            if source in tables and name is not None and own is not None:
                view.names.setdefault((tables[source].name, name), own)
        views.append(view)
    return sorted(views, key=lambda view: view.view.name)
