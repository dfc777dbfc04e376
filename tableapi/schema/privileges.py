"""The privileges of database roles on tables, columns and routines, from PostgreSQL's own grants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import asyncpg

from tableapi.schema.catalog import VISIBLE

NO_FIELDS: frozenset[str] = frozenset()

# Existing roles that the user of the connection can assume with SET ROLE.
_ROLES = """
select rolname::text as role from pg_roles where rolname = any($1::text[]) and pg_has_role(oid, 'member')
"""
_TABLES = f"""
select r.role, c.oid::int8 as oid, has_table_privilege(r.role, c.oid, 'select') as whole,
       has_table_privilege(r.role, c.oid, 'delete') as delete,
       array_agg(a.attname::text) filter (where has_column_privilege(r.role, c.oid, a.attnum, 'select')) as select,
       array_agg(a.attname::text) filter (where has_column_privilege(r.role, c.oid, a.attnum, 'insert')) as insert,
       array_agg(a.attname::text) filter (where has_column_privilege(r.role, c.oid, a.attnum, 'update')) as update
from unnest($1::text[]) as r (role) cross join pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where {VISIBLE} and has_schema_privilege(r.role, n.oid, 'usage')
group by r.role, c.oid
"""  # noqa: S608
_ROUTINES = """
select r.role, n.nspname::text as schema, p.proname::text as name
from unnest($1::text[]) as r (role) cross join pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname not in ('pg_catalog', 'information_schema') and p.prokind in ('f', 'p')
  and has_schema_privilege(r.role, n.oid, 'usage') and has_function_privilege(r.role, p.oid, 'execute')
"""
# Role memberships and schema grants, which the fingerprint of tables and routines does not cover.
FINGERPRINT = """
select coalesce(sum(hashtextextended(mark, 0)::numeric), 0)::text from (
    select roleid::text || member::text || xmin::text as mark from pg_auth_members
    union all select oid::text || xmin::text from pg_namespace where nspname !~ '^pg_(toast_)?temp_'
    union all select oid::text || rolname from pg_roles
) marks
"""


@dataclass(frozen=True, slots=True)
class TablePrivileges:
    """The columns of a table that a role may select, insert and update.

    whole: whether it may select whole rows, including the row version (xmin).
    """

    select: frozenset[str] = NO_FIELDS
    insert: frozenset[str] = NO_FIELDS
    update: frozenset[str] = NO_FIELDS
    delete: bool = False
    whole: bool = False


@dataclass(slots=True)
class RolePrivileges:
    """The privileges of one database role: tables by (schema, name), and executable routines."""

    tables: dict[tuple[str, str], TablePrivileges] = field(default_factory=dict)
    routines: set[tuple[str, str]] = field(default_factory=set)


async def existing(connection: asyncpg.Connection, roles: Sequence[str]) -> list[str]:
    """Return the roles that exist and that the user of the connection can assume with SET ROLE."""
    return [row["role"] for row in await connection.fetch(_ROLES, list(roles))]


async def read(
    connection: asyncpg.Connection, roles: Sequence[str], names: Mapping[int, tuple[str, str]]
) -> dict[str, RolePrivileges]:
    """Return the privileges of existing roles. `names`: (schema, name) of each table by oid."""
    privileges = {role: RolePrivileges() for role in roles}
    for row in await connection.fetch(_TABLES, list(roles)):
        if (name := names.get(row["oid"])) is not None:
            selected, inserted, updated = (frozenset(row[word] or ()) for word in ("select", "insert", "update"))
            of_table = TablePrivileges(selected, inserted, updated, row["delete"], row["whole"])
            privileges[row["role"]].tables[name] = of_table
    for row in await connection.fetch(_ROUTINES, list(roles)):
        privileges[row["role"]].routines.add((row["schema"], row["name"]))
    return privileges
