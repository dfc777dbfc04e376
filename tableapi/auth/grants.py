"""Rights of a role that runs as a PostgreSQL role: the privileges that PostgreSQL grants."""

from __future__ import annotations

from dataclasses import replace

from tableapi.auth.policy import DatabaseRole
from tableapi.auth.rights import CHANNEL, DerivedRights, Right, Rights
from tableapi.schema.model import Table
from tableapi.schema.privileges import NO_FIELDS, RolePrivileges, TablePrivileges


class GrantedRights(DerivedRights):
    """The privileges granted to a database role, by column. Row-level security limits the rows."""

    def __init__(self, acts: DatabaseRole, privileges: RolePrivileges) -> None:
        super().__init__()
        self._schemas, self._privileges = frozenset(acts.schemas), privileges

    def routine(self, kind: str, name: str, verb: str) -> bool:
        """Whether the role may execute a routine. A name without a schema is looked up in the served schemas."""
        if kind == CHANNEL:
            return False  # PostgreSQL has no such right
        schema, dot, bare = name.partition(".")
        schemas = {schema} & self._schemas if dot else self._schemas
        return any((schema, bare if dot else name) in self._privileges.routines for schema in schemas)

    def _derive(self, table: Table, verb: str) -> Right | None:
        granted = self._privileges.tables.get((table.schema, table.bare))
        if granted is None or table.schema not in self._schemas:
            return None
        writable = _writable(granted, verb)
        if not (granted.select if verb == "GET" else granted.delete if verb == "DELETE" else writable):
            return None
        return Right(
            readable=granted.select,
            writable=writable,
            computed=self._computed(table) if granted.select >= table.columns.keys() else frozenset(),
            xmin=granted.whole,
            grants=True,
            secured=True,
            returns_nothing=not granted.select,
        )

    def _computed(self, table: Table) -> frozenset[str]:
        """Return the executable functions of a row; they require SELECT on every column of the table."""
        relations = {name: relation.function for name, relation in table.relations.items() if relation.function}
        functions = {name: (computed.schema, computed.name) for name, computed in table.computed.items()}
        return frozenset(
            name for name, function in (relations | functions).items() if function in self._privileges.routines
        )


class SecuredRights(DerivedRights):
    """The rights of a policy for a role that also runs as a PostgreSQL role."""

    def __init__(self, rights: Rights) -> None:
        super().__init__()
        self._inner = rights

    def routine(self, kind: str, name: str, verb: str) -> bool:
        """Whether the policy allows the role to call a routine."""
        return self._inner.routine(kind, name, verb)

    def _derive(self, table: Table, verb: str) -> Right | None:
        right = self._inner.right(table, verb)
        return None if right is None else replace(right, secured=True)


def _writable(granted: TablePrivileges, verb: str) -> frozenset[str]:
    return {"POST": granted.insert, "PUT": granted.update, "PATCH": granted.update}.get(verb, NO_FIELDS)
