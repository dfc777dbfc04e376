"""The catalog queries of the introspection.

They skip system schemas, temporary tables and objects of extensions.
"""

VISIBLE = """
    n.nspname not in ('pg_catalog', 'information_schema', 'tableapi_live') and n.nspname not like 'pg\\_%'
    and c.relpersistence <> 't' and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and not exists (select from pg_depend d
                    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
"""
# $1: database roles that callers run as (`privileges.py`); the connection's own user may have no rights beside them.
READABLE = """(has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
       or exists (select from unnest($1::text[]) as role
                  where has_schema_privilege(role, n.oid, 'usage')
                    and (has_any_column_privilege(role, c.oid, 'select, insert, update')
                         or has_table_privilege(role, c.oid, 'delete'))))"""

TABLES = f"""
select c.oid::int8 as oid, n.nspname as schema, c.relname as name, c.relkind::text as kind,
       obj_description(c.oid, 'pg_class') as comment, pg_relation_is_updatable(c.oid, true) as writable,
       c.relkind = 'r' and c.relhassubclass as inherited
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where {VISIBLE} and {READABLE}
"""

COLUMNS = f"""
select a.attrelid::int8 as oid, a.attnum::int4 as number, a.attname as name, a.atttypid::int8 as type,
       format_type(a.atttypid, a.atttypmod) as db_type,
       not a.attnotnull and not (t.typtype = 'd' and t.typnotnull) as nullable,
       (a.attrelid, a.attnum) in (select k.conrelid, k.conkey[1] from pg_constraint k
                                  where k.contype = 'n' and not k.convalidated) as unsure,
       case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end as default,
       a.attidentity::text as identity, a.attgenerated <> '' as generated,
       col_description(a.attrelid, a.attnum) as comment
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
join pg_type t on t.oid = a.atttypid
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where {VISIBLE} and a.attnum > 0 and not a.attisdropped
  and {READABLE}
order by a.attrelid, a.attnum
"""

# Partial and expression indexes are left out: they do not make a combination of columns unique.
KEYS = f"""
select i.indrelid::int8 as oid, i.indisprimary as primary,
       (i.indkey::int2[])[0:i.indnkeyatts - 1]::int4[] as columns
from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
where {VISIBLE} and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
  and {READABLE}
order by i.indrelid, i.indisprimary desc, i.indnkeyatts, i.indexrelid
"""

# The catalog repeats a foreign key to a partitioned table for each partition; only the declared one is read. A key with
# PERIOD (PostgreSQL 18) is no relation: its rows are not equal, they cover a time together.
REFERENCES = f"""
select k.conrelid::int8 as oid, k.confrelid::int8 as target, k.conkey::int4[] as own, k.confkey::int4[] as theirs
from pg_constraint k
join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
join pg_class tc on tc.oid = k.confrelid join pg_namespace tn on tn.oid = tc.relnamespace
where {VISIBLE} and k.contype = 'f' and not coalesce((to_jsonb(k) ->> 'conperiod')::boolean, false)
  and not exists (select from pg_constraint p where p.oid = k.conparentid and p.conrelid = k.conrelid)
  and {READABLE}
  and {READABLE.replace("n.oid", "tn.oid").replace("c.oid", "tc.oid")}
order by c.relname, k.conkey, k.conname
"""

# The stored definitions of views.
VIEWS = f"""
select c.oid::int8 as oid, r.ev_action::text as action
from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
where {VISIBLE} and c.relkind in ('v', 'm') and r.ev_type = '1'
  and {READABLE}
"""

# INSTEAD rules, and whether they have a RETURNING clause.
RULES = f"""
select c.oid::int8 as oid, case r.ev_type when '2' then 'UPDATE' when '3' then 'INSERT' else 'DELETE' end as event,
       pg_get_ruledef(r.oid) ~* '\\mreturning\\M' as returns
from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace
where {VISIBLE} and r.is_instead and r.ev_type in ('2', '3', '4') and r.ev_enabled in ('O', 'A')
"""

# sorts, hashes: whether the type, or a type it is binary coercible to, has a default btree or hash operator class.
# operators: the schema of its =, if that is not in the search path. signs: its comparison operators in the search path.
_OPERATORS = """
    select coalesce(bool_or(c.opcmethod = 403), false) as sorts, coalesce(bool_or(c.opcmethod = 405), false) as hashes,
           max(quote_ident(n.nspname)) filter (where c.opcintype = t.oid and c.opcmethod = 403
                                                 and not pg_operator_is_visible(o.oid)) as operators,
           (select array_agg(v.oprname::text) from pg_operator v
            where v.oprleft = t.oid and v.oprright = t.oid and v.oprresult = 'boolean'::regtype
              and pg_operator_is_visible(v.oid)) as signs
    from pg_opclass c
    join pg_amop a on a.amopfamily = c.opcfamily and a.amoplefttype = c.opcintype and a.amoprighttype = c.opcintype
                   and a.amopstrategy = case c.opcmethod when 403 then 3 else 1 end
    join pg_operator o on o.oid = a.amopopr join pg_namespace n on n.oid = o.oprnamespace
    where c.opcmethod in (403, 405) and c.opcdefault
      and (c.opcintype = t.oid
           or exists (select from pg_cast k where k.castsource = t.oid and k.casttarget = c.opcintype
                        and k.castmethod = 'b' and k.castcontext = 'i'))
"""
TYPES = f"""
select t.oid::int8 as oid, format_type(t.oid, -1) as name, t.typtype::text as typtype,
       operators.*,
       t.typbasetype::int8 as base, t.typelem::int8 as element, t.typcategory::text as category,
       t.typdelim::text as delimiter,
       (select r.rngsubtype::int8 from pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)) as bounds,
       case when t.typtype = 'e' then
           (select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
       end as labels,
       case when t.typname in ('geometry', 'geography') then
           (select n.nspname::text from pg_depend d join pg_extension e on e.oid = d.refobjid
            join pg_namespace n on n.oid = e.extnamespace
            where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e' and e.extname = 'postgis')
       end as postgis
from pg_type t left join lateral ({_OPERATORS}) operators on t.typtype = 'b' and t.typcategory <> 'A'
where t.typtype <> 'p' or t.typname in ('void', 'record', 'trigger')
"""

# The reference systems of PostGIS in degrees. The schema is that of PostGIS, quoted.
DEGREES = """
select srid from {schema}.spatial_ref_sys where srid = any($1::int[]) and proj4text ~ 'proj=(longlat|latlong)'
"""

# The configuration that PostgreSQL uses by default comes first.
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
       (select t.typrelid::int8 from pg_type t where t.oid = p.prorettype) as rows_of,
       case when p.pronargs = 1 and p.prokind = 'f' then
           (select t.typrelid::int8 from pg_type t where t.oid = p.proargtypes[0])
       end as subject,
       obj_description(p.oid, 'pg_proc') as comment
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname not in ('pg_catalog', 'information_schema', 'tableapi_live') and p.prokind in ('f', 'p')
  and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
  and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  and (has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')
       or exists (select from unnest($1::text[]) as role
                  where has_schema_privilege(role, n.oid, 'usage') and has_function_privilege(role, p.oid, 'execute')))
order by n.nspname, p.proname, p.oid
"""

FINGERPRINT = f"""
select coalesce(sum(hashtextextended(mark, 0)::numeric), 0)::text from (
    select c.oid::text || c.xmin::text || c.relname || n.nspname as mark
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where {VISIBLE}
    union all
    select a.attrelid::text || a.attnum::text || a.xmin::text
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where {VISIBLE} and a.attnum > 0
    union all select oid::text || xmin::text from pg_constraint where contype in ('f', 'p', 'u') and oid >= 16384
    union all select indexrelid::text || xmin::text from pg_index where indexrelid >= 16384
    union all select oid::text || xmin::text from pg_enum
    union all select oid::text || xmin::text from pg_rewrite where oid >= 16384
    union all select oid::text || xmin::text from pg_proc where oid >= 16384
) marks
"""
