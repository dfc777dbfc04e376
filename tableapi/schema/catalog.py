"""The introspection queries against the catalog.

They skip system schemas, temporary tables and objects that belong to extensions.
"""

VISIBLE = """
    n.nspname not in ('pg_catalog', 'information_schema', 'tableapi_changes') and n.nspname not like 'pg\\_%'
    and c.relpersistence <> 't' and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not exists (select from pg_depend d
                    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
"""
# $1: database roles that callers run as (`privileges.py`); the connection's own user may have no other rights.
READABLE = """(has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
       or exists (select from unnest($1::text[]) as role
                  where has_schema_privilege(role, n.oid, 'usage')
                    and (has_any_column_privilege(role, c.oid, 'select, insert, update')
                         or has_table_privilege(role, c.oid, 'delete'))))"""

TABLES = f"""
select c.oid::int8 as oid, n.nspname as schema, c.relname as name, c.relkind::text as kind,
       m.description as comment, pg_relation_is_updatable(c.oid, true) as writable,
       c.relkind = 'r' and c.relhassubclass as inherited, c.relchecks > 0 or c.relkind = 'p' as checked,
       exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgfoid = to_regproc('citus_truncate_trigger'))
           as distributed
from pg_class c join pg_namespace n on n.oid = c.relnamespace
left join pg_description m on m.objoid = c.oid and m.classoid = 'pg_class'::regclass and m.objsubid = 0
where {VISIBLE} and {READABLE}
"""

# $1 of the following: the oids that TABLES returned.
COLUMNS = """
select a.attrelid::int8 as oid, a.attnum::int4 as number, a.attname as name, a.atttypid::int8 as type,
       format_type(a.atttypid, a.atttypmod) as db_type,
       not a.attnotnull and not (t.typtype = 'd' and t.typnotnull) as nullable,
       (a.attrelid, a.attnum) in (select k.conrelid, k.conkey[1] from pg_constraint k
                                  where k.contype = 'n' and not k.convalidated) as unsure,
       case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end as default,
       a.attidentity::text as identity, a.attgenerated <> '' as generated, m.description as comment,
       not coalesce(l.collisdeterministic, true) as fuzzy
from pg_attribute a join pg_type t on t.oid = a.atttypid
left join pg_collation l on l.oid = a.attcollation
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
left join pg_description m on m.objoid = a.attrelid and m.classoid = 'pg_class'::regclass and m.objsubid = a.attnum
where a.attrelid = any($1::oid[]) and a.attnum > 0 and not a.attisdropped
order by a.attrelid, a.attnum
"""

# A digest of what COLUMNS reads of a table, and of its unique indexes and foreign keys.
_MARKS = """
select oid::int8 as oid, concat(count(*), ' ', sum(hashtext(mark))) as mark from (
    select attrelid as oid, xmin::text as mark from pg_attribute where attrelid = any({oids}) and attnum > 0
    union all select conrelid, xmin::text from pg_constraint
              where conrelid = any({oids}) and contype in ('f', 'p', 'u', 'n')
    union all select indrelid, xmin::text from pg_index where indrelid = any({oids}) and indisunique
    union all select objoid, xmin::text from pg_description
              where objoid = any({oids}) and classoid = 'pg_class'::regclass
) marks group by oid
"""
MARKS = _MARKS.format(oids="$1::oid[]")

# The same of the table that has this schema and name now. Reads its rows from indexes.
MARK_OF_NAME = _MARKS.format(
    oids="array(select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace "
    "where n.nspname = $1 and c.relname = $2)"
)

# Partial and expression indexes are skipped, because they do not make a combination of columns unique.
KEYS = """
select i.indrelid::int8 as oid, i.indisprimary as primary, i.indimmediate and not i.indisexclusion as arbiter,
       (i.indkey::int2[])[0:i.indnkeyatts - 1]::int4[] as columns
from pg_index i
where i.indrelid = any($1::oid[]) and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
order by i.indrelid, i.indisprimary desc, i.indnkeyatts, i.indexrelid
"""

# The catalog repeats a foreign key to a partitioned table for each partition; only the declared one is read. A key with
# PERIOD (PostgreSQL 18) is not a relation, because its rows do not match by equality but together cover a period.
REFERENCES = """
select k.conrelid::int8 as oid, k.confrelid::int8 as target, k.conkey::int4[] as own, k.confkey::int4[] as theirs
from pg_constraint k join pg_class c on c.oid = k.conrelid
where k.conrelid = any($1::oid[]) and k.confrelid = any($1::oid[])
  and k.contype = 'f' and not coalesce((to_jsonb(k) ->> 'conperiod')::boolean, false)
  and not exists (select from pg_constraint p where p.oid = k.conparentid and p.conrelid = k.conrelid)
order by c.relname, k.conkey, k.conname
"""

# The stored view definitions.
VIEWS = """
select r.ev_class::int8 as oid, r.ev_action::text as action
from pg_rewrite r join pg_class c on c.oid = r.ev_class
where r.ev_class = any($1::oid[]) and c.relkind in ('v', 'm') and r.ev_type = '1'
"""

# INSTEAD rules, and whether they have a RETURNING clause.
RULES = """
select r.ev_class::int8 as oid, case r.ev_type when '2' then 'UPDATE' when '3' then 'INSERT' else 'DELETE' end as event,
       pg_get_ruledef(r.oid) ~* '\\mreturning\\M' as returns
from pg_rewrite r
where r.ev_class = any($1::oid[]) and r.is_instead and r.ev_type in ('2', '3', '4') and r.ev_enabled in ('O', 'A')
"""

# sorts, hashes: whether the type, or a type to which it is binary coercible, has a default btree or hash operator
# class. operators: the schema of its = operator, if not in the search path. signs: its comparison operators in the
# search path.
_OPERATORS = """
    select coalesce(bool_or(c.opcmethod = 403), false) as sorts, coalesce(bool_or(c.opcmethod = 405), false) as hashes,
           max(quote_ident(n.nspname)) filter (where c.opcintype = t.oid and c.opcmethod = 403
                                                 and not pg_operator_is_visible(o.oid)) as operators,
           (select array_agg(v.oprname::text) from pg_operator v
            where t.typtype = 'b' and t.typcategory <> 'A'
              and v.oprleft = t.oid and v.oprright = t.oid and v.oprresult = 'boolean'::regtype
              and pg_operator_is_visible(v.oid)) as signs
    from pg_opclass c
    join pg_amop a on a.amopfamily = c.opcfamily and a.amoplefttype = c.opcintype and a.amoprighttype = c.opcintype
                   and a.amopstrategy = case c.opcmethod when 403 then 3 else 1 end
    join pg_operator o on o.oid = a.amopopr join pg_namespace n on n.oid = o.oprnamespace
    where t.typtype = 'b' and t.typcategory <> 'A'  -- of each table there are two other types
      and c.opcmethod in (403, 405) and c.opcdefault
      and (c.opcintype = t.oid
           or exists (select from pg_cast k where k.castsource = t.oid and k.casttarget = c.opcintype
                        and k.castmethod = 'b' and k.castcontext = 'i'))
"""
# The schema of the extension that a type belongs to.
_HOME = """
    (select n.nspname::text from pg_depend d join pg_extension e on e.oid = d.refobjid
     join pg_namespace n on n.oid = e.extnamespace
     where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e' and e.extname = '{}')"""
TYPES = f"""
select t.oid::int8 as oid, format_type(t.oid, -1) as name, t.typtype::text as typtype,
       t.typnotnull, operators.*,
       t.typbasetype::int8 as base, t.typelem::int8 as element, t.typcategory::text as category,
       t.typdelim::text as delimiter,
       (select r.rngsubtype::int8 from pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)) as bounds,
       case when t.typtype = 'e' then
           (select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
       end as labels,
       case when t.typname in ('geometry', 'geography') then {_HOME.format("postgis")} end as postgis,
       case when t.typname in ('vector', 'halfvec', 'sparsevec') then {_HOME.format("vector")} end as pgvector,
       case when t.typname = 'gtrgm' then {_HOME.format("pg_trgm")} end as pg_trgm
from pg_type t left join lateral ({_OPERATORS}) operators on true
where t.typtype <> 'p'
   or t.typname in ('void', 'record', 'trigger', 'anyelement', 'anyarray', 'anynonarray', 'anycompatible',
                    'anycompatiblearray', 'anycompatiblenonarray')
"""

# The PostGIS reference systems that use degrees. The schema is the quoted name of the PostGIS schema.
DEGREES = """
select srid from {schema}.spatial_ref_sys where srid = any($1::int[]) and proj4text ~ 'proj=(longlat|latlong)'
"""

# PostgreSQL's default configuration comes first.
LANGUAGES = """
select cfgname::text as name from pg_ts_config
where pg_ts_config_is_visible(oid) and cfgname ~ '^[a-z_][a-z0-9_]*$'
order by oid <> get_current_ts_config()::oid, cfgname
"""

# Procedures list all arguments, because CALL needs a placeholder for OUT arguments.
ROUTINES = """
select p.oid::int8 as oid, n.nspname as schema, p.proname as name, p.prokind::text as kind,
       pg_get_function_result(p.oid) as result, p.pronargs - p.pronargdefaults as required,
       coalesce(p.proallargtypes, p.proargtypes::oid[])::int8[] as types,
       p.proargnames::text[] as names, p.proargmodes::text[] as modes,
       p.proretset as many, p.prorettype::int8 as returns, p.provolatile <> 'v' as stable,
       (select t.typrelid::int8 from pg_type t where t.oid = p.prorettype) as rows_of, attributes.*,
       case when p.pronargs = 1 and p.prokind = 'f' then
           (select t.typrelid::int8 from pg_type t where t.oid = p.proargtypes[0])
       end as subject,
       obj_description(p.oid, 'pg_proc') as comment
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
left join lateral (
    select array_agg(a.attname::text order by a.attnum) as attributes,
           array_agg(a.atttypid::int8 order by a.attnum) as attribute_types
    from pg_type t join pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
    join pg_attribute a on a.attrelid = b.typrelid and a.attnum > 0 and not a.attisdropped
    where t.oid = p.prorettype and b.typtype = 'c'
) attributes on true
where n.nspname not in ('pg_catalog', 'information_schema', 'tableapi_changes') and p.prokind in ('f', 'p')
  and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
  and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  and (has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')
       or exists (select from unnest($1::text[]) as role
                  where has_schema_privilege(role, n.oid, 'usage') and has_function_privilege(role, p.oid, 'execute')))
order by n.nspname, p.proname, p.oid
"""

# One scan per catalog, without functions that read others: about 15 ms for 3,000 tables. A row version contains the xid
# that wrote it, so every change adds an xid that no row had before, or removes a row. For pg_class the values are
# compared instead, because TRUNCATE and REFRESH MATERIALIZED VIEW rewrite its rows. $1: the snapshot of an earlier
# check. An equal snapshot means an unchanged catalog, except on a standby: its snapshots do not list open
# transactions.
FINGERPRINT = """
select pg_current_snapshot()::text as snapshot,
       case when pg_current_snapshot()::text = $1::text and not pg_is_in_recovery() then null else (
    with held as materialized (
        select c.oid, concat_ws(' ', c.oid, c.relname, c.relkind, c.relowner, c.relacl, c.relhassubclass, c.relhasrules,
                                c.relhastriggers, c.relchecks, n.nspname, n.nspowner, n.nspacl) as mark
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.oid >= 16384 and c.relpersistence <> 't' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'c')
          and n.nspname not like 'pg\\_%'
    )
    select concat(count(*), ' ', sum(hashtext(mark))) from (
        select mark from held
        union all select xmin::text from pg_attribute where attnum > 0 and attrelid in (select oid from held)
        union all select xmin::text from pg_constraint
                  where oid >= 16384 and contype in ('f', 'p', 'u', 'n')
                    and (conrelid = 0 or conrelid in (select oid from held))
        union all select xmin::text from pg_index where indisunique and indrelid in (select oid from held)
        union all select xmin::text from pg_rewrite where ev_class in (select oid from held)
        union all select xmin::text from pg_type where oid >= 16384 and typtype in ('d', 'r', 'm')
        union all select xmin::text from pg_enum
        union all select xmin::text from pg_proc where oid >= 16384
    ) marks) end as mark
"""

# Whether a table has columns with these lower-case names. Reads the columns of one table from an index.
HAS_COLUMNS = """
select exists (select from pg_attribute a join pg_class c on c.oid = a.attrelid
               join pg_namespace n on n.oid = c.relnamespace
               where n.nspname = $1 and c.relname = $2 and a.attnum > 0 and not a.attisdropped
                 and lower(a.attname) = any($3::text[])) as found
"""
