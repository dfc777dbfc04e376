"""Check a server's rights against its databases before it starts serving."""

from __future__ import annotations

from collections.abc import Mapping

import asyncpg

from tableapi.app.options import ServeOptions
from tableapi.auth.policy import Access, DatabaseRole, Sessions
from tableapi.config.settings import Settings
from tableapi.datasets.declared import BadRights, check_access, check_policy, check_sessions
from tableapi.db.session import connect
from tableapi.project.files import load_policy
from tableapi.schema import introspection
from tableapi.schema.model import Schema


async def check_rights(served: ServeOptions, settings: Settings) -> None:
    """Check a policy or an access file against the schemas of the databases. Safe to repeat.

    Raises:
        BadRights: it names something that does not exist.
        OSError, PostgresError: a database cannot be reached.
    """
    if served.open:
        return
    if served.access is not None:
        named = {name: await schema_of(url, served.access.database_roles) for name, url in served.urls.items()}
        check_access(served.access, named, claims=bool(settings.jwt_secret or settings.jwt_jwks))
        return
    policies, sessions, roles = declared(served)
    values: frozenset[str] | None = None
    if sessions is not None and sessions.lookup and served.authenticator is None:
        values = await _values(next(iter(served.urls.values())), sessions)
    if settings.jwt_secret or settings.jwt_jwks:
        values = None  # a token may contain any claims
    schemas = {name: await schema_of(url, roles) for name, url in served.urls.items()}
    for policy in policies:
        check_policy(policy, schemas.values(), values)


def declared(served: ServeOptions) -> tuple[list[Mapping[str, Access]], Sessions | None, Mapping[str, DatabaseRole]]:
    """Return the policies, sessions and database roles of a project or a host program."""
    if served.project is None:
        return [served.policy or {}], served.sessions, served.database_roles
    module = load_policy(served.project)
    others: Mapping[str, Mapping[str, Access]] = getattr(module, "POLICIES", {})
    return [module.POLICY, *others.values()], module.SESSIONS, getattr(module, "DATABASE_ROLES", {})


async def schema_of(url: str, roles: Mapping[str, DatabaseRole]) -> Schema:
    """Read the schema of a database. Raises OSError, PostgresError."""
    connection = await connect(url, timeout=5)
    try:
        schema, _ = await introspection.read(connection, sorted({acts.name for acts in roles.values()}))
        return schema
    finally:
        await connection.close()


async def _values(url: str, sessions: Sessions) -> frozenset[str]:
    """Return the names of an actor's values: the columns returned by the session look-up."""
    connection = await connect(url, timeout=5)
    try:
        prepared = await connection.prepare(sessions.lookup)
        values = frozenset(column.name for column in prepared.get_attributes())
        if len(prepared.get_parameters()) != 1:
            raise BadRights("The lookup query of SESSIONS must have one parameter: $1, the hash of the token.")
    except asyncpg.PostgresError as error:
        raise BadRights(f"The lookup query of SESSIONS fails: {str(error).splitlines()[0]}.") from None
    finally:
        await connection.close()
    check_sessions(sessions, values)
    return values
