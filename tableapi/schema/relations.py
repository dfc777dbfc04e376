"""Relations derived from foreign keys, for tables and for views over them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from tableapi.schema.model import Relation, Table
from tableapi.schema.views import ViewColumns


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key: own[i] of `table` references theirs[i] of `target`."""

    table: Table
    target: Table
    own: tuple[str, ...]
    theirs: tuple[str, ...]


def distinct(references: list[Reference]) -> list[Reference]:
    """Remove duplicate references."""
    return list({(id(r.table), id(r.target), r.own, r.theirs): r for r in references}.values())


def _without_dots(name: str) -> str:
    """Replace dots, which separate a relation from its field in a request."""
    return name.replace(".", "_")


def relate(references: list[Reference]) -> None:
    """Add the relations of every table under DreamFactory's names (docs/reference/wire.md)."""
    for ref in references:
        if len(ref.own) == 1:
            ref.table.columns[ref.own[0]].refers = (ref.target.name, ref.theirs[0])
        joined = "_".join(ref.own)
        itself = ref.table is ref.target
        name = f"{_without_dots(ref.target.name)}_by_{joined}" + ("_parent" if itself else "")
        _add(ref.table, Relation(name, "belongs_to", ref.target, ref.own, ref.theirs))
        kind = "has_one" if ref.table.is_unique(ref.own) else "has_many"
        name = f"{_without_dots(ref.table.name)}_by_{joined}"
        _add(ref.target, Relation(name, kind, ref.table, ref.theirs, ref.own))
    for near, far in _junctions(references):
        relation = Relation(
            _many_name(near, far), "many_many", far.target, near.theirs, far.theirs, near.table, near.own, far.own
        )
        _add(near.target, relation, "_".join(near.own), "_".join(far.own))


def _many_name(near: Reference, far: Reference) -> str:
    """Return the name of the relation from the target of one key of a junction to that of the other.

    If both are the same table, each direction is named after the column of its records, such as `follower`.
    """
    name = f"{_without_dots(far.target.name)}_by_{_without_dots(near.table.name)}"
    return name if near.target is not far.target else f"{name}_{'_'.join(far.own)}"


def _add(table: Table, relation: Relation, *fields: str) -> None:
    """Add a relation.

    If its name is taken, for example by a second key between the same tables, its fields or a number are appended.
    """
    numbers = (f"_{number}" for number in range(2, 100))
    for suffix in chain(("", *("_" + f for f in fields), "_" + "_".join(fields)), numbers):
        name = relation.name + suffix
        if name not in table.relations and name not in table.columns:
            relation.name = name
            table.relations[name] = relation
            return


# -- views -----------------------------------------------------------------------------------------------------------


def relate_views(references: list[Reference], views: list[ViewColumns]) -> None:
    """Add the relations that views inherit from the foreign keys of their underlying tables.

    A view can stand for the table on either side of a key if it has all columns of that side. Tables are processed
    first, so their relations keep their names.
    """
    for ref in references:
        sources = [(ref.table, ref.own), *_standing_for(views, ref.table, ref.own)]
        targets = [(ref.target, ref.theirs), *_standing_for(views, ref.target, ref.theirs)]
        for source, own in sources:
            for target, theirs in targets:
                if source is not ref.table or target is not ref.target:
                    _relate_one(source, own, target, theirs)
    for near, far in _junctions(references) if views else ():
        for view, own in _standing_for(views, near.target, near.theirs):
            relation = Relation(
                _many_name(near, far), "many_many", far.target, own, far.theirs, near.table, near.own, far.own,
                derived=True,
            )  # fmt: skip
            _add(view, relation, "_".join(near.own), "_".join(far.own))


def _standing_for(
    views: list[ViewColumns], table: Table, names: tuple[str, ...]
) -> Iterator[tuple[Table, tuple[str, ...]]]:
    """Yield the views that have these columns of a table, with the view's names for them."""
    for view in views:
        own = tuple(view.names.get((table.name, name), "") for name in names)
        if all(own):
            yield view.view, own


def _relate_one(source: Table, own: tuple[str, ...], target: Table, theirs: tuple[str, ...]) -> None:
    """Add both sides of one reference from or to a view. The rows of a view may repeat a key."""
    joined = "_".join(own)
    _add(source, Relation(f"{_without_dots(target.name)}_by_{joined}", "belongs_to", target, own, theirs, derived=True))
    _add(target, Relation(f"{_without_dots(source.name)}_by_{joined}", "has_many", source, theirs, own, derived=True))


def _junctions(references: list[Reference]) -> Iterator[tuple[Reference, Reference]]:
    """Yield each pair of foreign keys from one table to different tables, then those to the same table.

    The latter link its rows only if a unique key of the junction has both, or if it has no other foreign keys. Columns
    such as `created_by` and `changed_by` do not.
    """
    by_table: dict[int, list[Reference]] = defaultdict(list)
    for ref in references:
        by_table[id(ref.table)].append(ref)
    pairs = [(near, far) for own in by_table.values() for near in own for far in own]
    yield from ((near, far) for near, far in pairs if near.target is not far.target)
    for near, far in pairs:
        if near.target is far.target is not near.table and near.own != far.own:
            both = {*near.own, *far.own}
            if len(by_table[id(near.table)]) == 2 or any(both <= unique for unique in near.table.uniques):
                yield near, far
