"""Compare where the tables of a project lie on Citus with the table of tables in deploy/citus.sql."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from tableapi.db.session import DISTRIBUTED

FILE = Path("deploy") / "citus.sql"
_ROW = re.compile(r"^    \('(\w+)', '(\w+)', (?:null|'(\w+)')[,)]", re.MULTILINE)
# Citus may also list a local table that refers to a copy, without a distribution column or replication.
_FOUND = """
    select c.relname::text as name, p.colocationid::int as together,
           case when p.partmethod = 'h' then column_to_column_name(p.logicalrelid, p.partkey) end as key
    from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace and (p.partmethod = 'h' or p.repmodel = 't')
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table lies. key: its column of distribution, None for a copy on every machine.

    together: tables with the same value have the rows of one key on one machine.
    """

    key: str | None
    together: object


def wanted(text: str) -> dict[str, Place | None]:
    """Return the places that a file asks for by table; None on the coordinator alone."""
    return {name: None if place == "local" else Place(key or None, place) for name, place, key in _ROW.findall(text)}


def differences(wanted: dict[str, Place | None], found: dict[str, Place]) -> Iterator[str]:
    """Yield a sentence for each table that lies elsewhere."""
    groups: dict[object, object] = {}
    for name, place in wanted.items():
        present = found.get(name)
        if present == place:
            continue
        if present is None or place is None or present.key != place.key:
            yield f"{name} is {_said(present)}, and should be {_said(place)}."
        elif place.key is not None and groups.setdefault(place.together, present.together) != present.together:
            yield f"{name} lies apart from the other tables of the group '{place.together}'."


async def compare(connection: asyncpg.Connection, folder: Path) -> list[str]:
    """Return the differences of a database; none without Citus or the file, or before a table was placed."""
    file = folder / FILE
    if not file.is_file() or not await connection.fetchval(DISTRIBUTED):
        return []
    rows: Iterable[asyncpg.Record] = await connection.fetch(_FOUND)
    found = {row["name"]: Place(row["key"], row["together"]) for row in rows}
    return list(differences(wanted(file.read_text()), found)) if found else []


def _said(place: Place | None) -> str:
    if place is None:
        return "on the coordinator alone"
    return "a copy on every machine" if place.key is None else f"distributed by {place.key}"
