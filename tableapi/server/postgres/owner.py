"""Create the role that owns the embedded database and has no other rights.

A PostgreSQL superuser can read files and run programs on the machine, so an application that serves requests should not
connect as one.
"""

from __future__ import annotations

from urllib.parse import quote, urlsplit, urlunsplit

import asyncpg

ROLE = "tableapi"

# Transfers ownership of objects that were created or restored as `postgres`, except members of extensions.
_TAKE = """
do $$
declare one record;
begin
    for one in
        select format('alter %s %s owner to tableapi', kind, name) as command from (
            select 'schema' as kind, quote_ident(n.nspname) as name, n.nspowner as owner, n.oid,
                   'pg_namespace' as catalog
            from pg_namespace n
            union all
            select 'table', c.oid::regclass::text, c.relowner, c.oid, 'pg_class' from pg_class c
            where c.relkind in ('r', 'p', 'v', 'm', 'f') or c.relkind = 'S' and not exists
                (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass
                 and d.deptype in ('a', 'i'))
            union all
            select 'routine', p.oid::regprocedure::text, p.proowner, p.oid, 'pg_proc' from pg_proc p
            where p.prokind in ('f', 'p')
            union all
            select 'type', t.oid::regtype::text, t.typowner, t.oid, 'pg_type' from pg_type t
            left join pg_class c on c.oid = t.typrelid
            where t.typtype in ('e', 'd') or c.relkind = 'c'
        ) found
        where owner <> 'tableapi'::regrole and (oid >= 16384 or kind = 'schema' and name = 'public')
          and (kind <> 'schema' or name !~ '^pg_')
          and not exists (select from pg_depend d where d.objid = found.oid and d.deptype = 'e'
                          and d.classid = found.catalog::regclass)
    loop
        execute one.command;
    end loop;
    -- An extension has no ALTER ... OWNER, and a migration may have to drop it.
    update pg_extension set extowner = 'tableapi'::regrole where oid >= 16384 and extowner <> 'tableapi'::regrole;
end $$
"""


async def owned(url: str, password: str) -> str:
    """Return the owner's URL of the database, creating the role if necessary.

    `url`: the superuser's.
    """
    parts = urlsplit(url)
    connection = await asyncpg.connect(url, timeout=10)
    try:
        async with connection.transaction():
            await connection.execute("select pg_advisory_xact_lock(7461626)")
            exists = await connection.fetchval("select true from pg_roles where rolname = $1", ROLE)
            # Role statements take no parameters; neither the name nor the password comes from a request.
            verb, secret = "alter" if exists else "create", password.replace("'", "''")
            await connection.execute(f"{verb} role {ROLE} login nosuperuser password '{secret}'")
            await connection.execute(f"alter database {parts.path[1:]} owner to {ROLE}")
            await connection.execute(_TAKE)
    finally:
        await connection.close(timeout=5)
    netloc = f"{ROLE}:{quote(password, safe='')}@{parts.hostname}:{parts.port}"
    return urlunsplit(parts._replace(netloc=netloc))
