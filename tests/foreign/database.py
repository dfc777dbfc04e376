# ruff: noqa: E501 - values and SQL are easier to read unbroken
"""Generate a database of every type, name and constraint that PostgreSQL allows.

Every built-in type is found in the catalog, so that a newer PostgreSQL adds its own. The rest is written out.
"""

from __future__ import annotations

from typing import Any

import asyncpg

from tests.foreign.values import EXTENSIONS, LONG, ODD_NAMES, SAMPLES, WITHOUT_INPUT, literal, name

KEYS = 70  # references from one table to another
READER = "foreign_reader"  # the server's role: neither owner nor superuser, so that row security applies


async def build(connection: asyncpg.Connection) -> None:
    """Fill an empty database. The connection must be a superuser's."""
    await connection.execute("create schema extensions; create schema other; create schema " + name("Odd.Schema"))
    for statement in (*_types(await _builtin(connection)), *_names(), *_keys(), *_domains(), *_shapes(), *_writes()):
        try:
            await connection.execute(statement)
        except asyncpg.FeatureNotSupportedError:  # without libxml the type exists but has no values
            if '"type_xml"' not in statement:
                raise
    for statement in await _extensions(connection):
        await connection.execute(statement)
    await connection.execute(_GRANTS)


async def _builtin(connection: asyncpg.Connection) -> list[Any]:
    return await connection.fetch(
        "select typname as name, format_type(oid, null) as type, typarray <> 0 as has_array from pg_type"
        " where typnamespace = 'pg_catalog'::regnamespace and typtype in ('b', 'r', 'm') and typcategory <> 'A'"
        " and typname !~ '^(_|pg_toast)' and typrelid = 0 order by typname"
    )


def _types(rows: list[Any]) -> list[str]:
    """Create a table per type: scalar, array, two-dimensional array, and key where the type can be one."""
    statements = []
    for row in rows:
        kind, type_ = row["name"], row["type"]
        if kind not in SAMPLES and kind not in WITHOUT_INPUT:
            raise AssertionError(f"a new type: add samples of {kind}")
        values = SAMPLES.get(kind, ())
        array = f"{type_}[]" if row["has_array"] else "text[]"
        table = name(f"type_{kind}")
        type_ = "bit(1)" if kind == "bit" else type_
        statements.append(f"create table {table} (id serial primary key, v {type_}, a {array}, b {array}, n {type_})")
        for value in values:
            statements.append(f"insert into {table} (v) values ({literal(value)})")
            if row["has_array"]:
                both = f"{literal(value)}::{type_}"
                # An array of arrays of JSON reads like an array of JSON arrays.
                twice = "null" if kind in ("json", "jsonb") else f"array[[{both}], [null::{type_}]]"
                statements.append(f"insert into {table} (a, b) values (array[{both}, null, {both}], {twice})")
        statements.append(f"insert into {table} (v) values (null)")
        if row["has_array"]:
            statements.append(f"insert into {table} (a) values ('{{}}')")
    return statements


def _names() -> list[str]:
    statements = []
    columns = ", ".join(f"{name(column)} text" for column in ODD_NAMES if column not in ("ids",))
    statements.append(f"create table odd_columns (id serial primary key, {columns})")
    statements.append(f"insert into odd_columns (\"select\", {name('it' + chr(39) + 's')}) values ('a', 'b')")
    for number, column in enumerate(ODD_NAMES):
        statements.append(f"create table {name(column)} (id serial primary key, {name(column)} text, parent integer)")
        statements.append(f"insert into {name(column)} ({name(column)}, parent) values ('v{number}', 1), (null, null)")
        statements.append(f"alter table {name(column)} add foreign key (parent) references {name(column)} (id)")
    statements.append(f"create table {name('Odd.Schema')}.{name('Odd.Table')} (id serial primary key, v text)")
    statements.append(f"insert into {name('Odd.Schema')}.{name('Odd.Table')} (v) values ('x')")
    statements.append("create table other.select (id serial primary key, v text)")
    statements.append("insert into other.select (v) values ('x')")
    return statements


def _keys() -> list[str]:
    """Create KEYS references in both directions between two tables with 63-byte columns, and chains of them."""
    first, second = name(LONG + "one"), name(LONG + "two")
    items = [
        f"create table {first} (id serial primary key, v text)",
        f"create table {second} (id serial primary key, v text)",
    ]
    items.append(f"insert into {first} (v) values ('a'), ('b')")
    items.append(f"insert into {second} (v) values ('c'), ('d')")
    for number in range(KEYS):
        column = name(f"{LONG}{number:03d}")
        items.append(f"alter table {second} add column {column} integer references {first} (id)")
        items.append(f"update {second} set {column} = {1 + number % 2} where id = {1 + number % 2}")
    items.append(f"alter table {first} add column {name(LONG + 'bac')} integer references {second} (id)")
    items.append(f"update {first} set {name(LONG + 'bac')} = 1")
    for number in range(3):
        before = f"references {name(f'{LONG}c{number - 1:02d}')} (id)" if number else ""
        items.append(
            f"create table {name(f'{LONG}c{number:02d}')} (id serial primary key, {name(LONG + 'key')} integer {before})"
        )
        items.append(f"insert into {name(f'{LONG}c{number:02d}')} ({name(LONG + 'key')}) values (1)")
    items.append(
        f"create table junction (a integer references {first} (id), b integer references {second} (id),"
        f" c integer references {second} (id), primary key (a, b))"
    )
    items.append("insert into junction values (1, 1, 2), (2, 2, null)")
    return items


def _domains() -> list[str]:
    return [
        "create domain whole as integer check (value > 0)",
        "create domain wholer as whole not null check (value < 1000)",
        "create domain many as integer[] check (array_length(value, 1) < 9)",
        "create domain some_json as jsonb not null",
        "create domain other.price as numeric(30, 10)",
        "create type mood as enum ('sad', 'so so', 'it''s \"fine\"', '', 'comma,d')",
        "create type other.mood as enum ('sad', 'glad')",
        "create domain moods as mood",
        "create type pair as (x numeric, y text, m mood)",
        "create domain paired as pair check ((value).x > 0)",
        "create type nest as (p pair, d paired, l pair[], k paired[], j jsonb, b bytea, t timestamptz, w many, e bigint)",
        "create domain nested as nest",
        "create type span as range (subtype = numeric, multirange_type_name = spans)",
        "create table domains (id serial primary key, w whole, ws whole[], r wholer default 1, m many, ms many[],"
        " p other.price, ps other.price[], j some_json default '1', mo mood, mos mood[], om other.mood, dm moods,"
        " dms moods[], s span, ss span[], sp spans)",
        "insert into domains (w, ws, r, m, ms, p, ps, j, mo, mos, om, dm, dms, s, ss, sp) values (1, '{1,null}', 2,"
        " '{1,2}', array['{1}'::many, '{2,3}'::many], 12345678901234567890.1234567890, '{1.5,null}', 'null', 'it''s"
        " \"fine\"', array['', 'comma,d', null]::mood[], 'glad', 'so so', array['sad']::moods[], '[1.50,2]',"
        " array['(1,2)'::span, 'empty'], '{[1,2),[3,4]}')",
        "insert into domains (w) values (null)",
        "create table composites (id serial primary key, p pair, d paired, n nest, nd nested, ps pair[], ds paired[],"
        " ns nest[], nds nested[], r text, v integer)",
        "insert into composites (p, d, n, nd, ps, ds, ns, nds) values ((1.50, 'a,\"b', 'sad'), (2, null, null),"
        " ((1, null, ''), (3, '', null), array[(1, 'x', null)::pair, null], array[(5, 'y', 'sad')::paired], '{\"a\":"
        " 1.50}', '\\x00ff', '2024-01-01 10:00+02', '{1,2}', 9007199254740993),"
        " row((1, null, null), (3, '', null), null, null, '[null]', null, 'infinity', null, null),"
        " array[(1, 'x', null)::pair, null], array[(7, null, null)::paired], array[row(null, (1, '', null), null, null,"
        " null, null, null, null, null)::nest, null], array[row((1, '', null), (1, '', null), '{}', null, '[]', '\\x',"
        " null, null, 1)::nested])",
        "insert into composites (v) values (1)",
        "create table json_fields (id serial primary key, j json not null default 'null', jb jsonb not null default"
        " 'null', n jsonb, a jsonb[])",
        "insert into json_fields (j, jb, n, a) values (default, default, '[null]', array[null, '{\"a\": 1}'::jsonb]),"
        " ('1.50', '1.50', '{\"\\\"\": [1e3, 12345678901234567890.10]}', null), ('\"x\"', '\"x\"', null, '{}')",
    ]


def _shapes() -> list[str]:
    return [
        "create table parent (id serial primary key, v text unique)",
        "insert into parent (v) values ('a'), ('b')",
        "create table child (id serial primary key, parent integer references parent (id), v text references parent (v))",
        "insert into child (parent, v) values (1, 'b'), (2, null), (null, 'a')",
        "create table extension_of (id integer primary key references parent (id), note text)",
        "insert into extension_of values (1, 'n')",
        "create table composite_key (a integer, b text, c date, v text, primary key (a, b, c))",
        "insert into composite_key values (1, 'x', '2024-01-01', 'v'), (2, 'a,b', 'infinity', 'w'), (3, '', '0044-03-15 BC', '')",
        "create table refers_composite (id serial primary key, a integer, b text, c date,"
        " foreign key (a, b, c) references composite_key)",
        "insert into refers_composite (a, b, c) values (1, 'x', '2024-01-01'), (1, null, null)",
        "create table no_key (a integer, b text)",
        "insert into no_key values (1, 'x'), (1, 'x'), (null, null)",
        "create table no_columns ()",
        "insert into no_columns default values",
        "create table key_only (id serial primary key)",
        "insert into key_only default values",
        "create table unique_only (code text not null unique, v integer)",
        "insert into unique_only values ('a', 1), ('', 2)",
        "create table uuid_key (id uuid primary key default gen_random_uuid(), up uuid references uuid_key)",
        "insert into uuid_key (id) values ('11111111-1111-4111-8111-111111111111')",
        "create table identity_always (id integer generated always as identity primary key, v text)",
        "insert into identity_always (v) values ('a')",
        "create table identity_default (id bigint generated by default as identity primary key, v text)",
        "insert into identity_default (v) values ('a')",
        "create table generated (id serial primary key, a integer, b integer generated always as (a * 2) stored)",
        "insert into generated (a) values (1), (null)",
        "create table part (id integer, at date not null, v numeric, primary key (id, at)) partition by range (at)",
        "create table part_1 partition of part for values from (minvalue) to ('2024-01-01')",
        "create table part_2 partition of part for values from ('2024-01-01') to (maxvalue) partition by list (id)",
        "create table part_2a partition of part_2 for values in (1, 2)",
        "create table part_2b partition of part_2 default",
        "insert into part values (1, '2023-01-01', 1.50), (1, '2024-05-05', 2), (7, '2024-05-05', null)",
        "create table refers_part (id serial primary key, p integer, at date, foreign key (p, at) references part)",
        "insert into refers_part (p, at) values (7, '2024-05-05')",
        "create table animal (id serial primary key, v text)",
        "create table dog (breed text) inherits (animal)",
        "insert into animal (v) values ('cat')",
        "insert into dog (v, breed) values ('rex', 'pug')",
        "create unlogged table quick (id serial primary key, v text)",
        "create view simple as select id, v from parent",
        "create view on_view as select id, v from simple where id > 0",
        "create view on_view_on_view as select o.id, o.v, s.v as again from on_view o join simple s using (id)",
        "create view counted as select v, count(*) as many from parent group by v",
        "create view checked_view as select id, v from parent where id < 100 with cascaded check option",
        "create view no_column_view as select from parent",
        "create view typed_view as select null as unknown, array_agg(v) as vs from parent",
        "create materialized view filled as select id, v from parent",
        "create unique index on filled (id)",
        "create materialized view unfilled as select id, v from parent with no data",
        "create function fails(integer) returns integer language plpgsql as 'begin raise exception ''view %'', $1; end'",
        "create view failing as select fails(id) as v from parent",
        "create view divided as select 1 / (id - id) as v from parent",
        "create table secured (id serial primary key, owner text, v text)",
        f"insert into secured (owner, v) values ('{READER}', 'mine'), ('another', 'theirs')",
        "alter table secured enable row level security",
        "create policy own on secured using (owner = current_user)",
        "create table closed (id serial primary key, v text)",
        "insert into closed (v) values ('nobody sees it')",
        "alter table closed enable row level security",
    ]  # fmt: skip


def _writes() -> list[str]:
    return [
        "create function refuse() returns trigger language plpgsql as"
        " 'begin raise exception ''No % of % today.'', tg_op, tg_table_name; end'",
        "create function refuse_oddly() returns trigger language plpgsql as"
        " $$begin raise exception 'odd' using errcode = 'XX123', detail = 'd', hint = 'h'; end$$",
        "create function swallow() returns trigger language plpgsql as 'begin return null; end'",
        "create function divide() returns trigger language plpgsql as 'begin return 1 / 0; end'",
        *[
            statement
            for function in ("refuse", "refuse_oddly", "swallow", "divide")
            for statement in (
                f"create table {function}s (id serial primary key, v text)",
                f"insert into {function}s (v) values ('a')",
                f"create trigger t before insert or update or delete on {function}s"
                f" for each row execute function {function}()",
            )
        ],
        "create table late (id serial primary key, v text)",
        "insert into late (v) values ('a')",
        "create constraint trigger t after insert or update on late deferrable initially deferred"
        " for each row execute function refuse()",
        *[
            statement
            for table, rule in (
                ("rule_nothing", "nothing"), ("rule_moved", "insert into parent (v) values (new.v)"),
                ("rule_told", "insert into parent (v) values (new.v) returning id, v"),
            )
            for statement in (
                f"create table {table} (id serial primary key, v text)",
                f"insert into {table} (v) values ('a')",
                f"create rule i as on insert to {table} do instead {rule}",
            )
        ],
        "create rule u as on update to rule_nothing do instead nothing",
        "create rule u as on update to rule_told do instead update parent set v = new.v where id = -old.id returning id, v",
        "create view rule_view as select id, v from parent",
        "create rule u as on update to rule_view do instead nothing",
        "create view trigger_view as select id, v from parent",
        "create trigger t instead of insert or update or delete on trigger_view for each row execute function swallow()",
        "create table read_only (id serial primary key, v text)",
        "insert into read_only (v) values ('a')",
    ]  # fmt: skip


async def _extensions(connection: asyncpg.Connection) -> list[str]:
    """Create a table per type of each available extension, in a schema outside the search path."""
    items = [
        "create domain extensions.code as text",
        "create type extensions.level as enum ('low', 'high')",
        "create type extensions.place as (x integer, y integer)",
        "create table ext_own (id serial primary key, c extensions.code, l extensions.level, p extensions.place,"
        " ls extensions.level[], ps extensions.place[])",
        "insert into ext_own (c, l, p, ls, ps) values ('c', 'high', (1, 2), '{low}', array[(1, 2)::extensions.place])",
    ]
    there = {row[0] for row in await connection.fetch("select name from pg_available_extensions")}
    for extension, (type_, value) in EXTENSIONS.items():
        if extension in there:
            items += [
                f"create extension {extension} schema extensions",
                f"create table ext_{type_} (id serial primary key, v extensions.{type_}, a extensions.{type_}[])",
                f"insert into ext_{type_} (v, a) values ({literal(value)}, array[{literal(value)}]::extensions.{type_}[])",
                f"insert into ext_{type_} (v) values (null)",
            ]
    return items


_GRANTS = f"""
do $$ declare one text; begin
    if not exists (select from pg_roles where rolname = '{READER}') then
        create role {READER} login password 'reads';
    end if;
    for one in select quote_ident(nspname) from pg_namespace
               where nspname in ('public', 'other', 'extensions', 'Odd.Schema') loop
        execute format('grant usage on schema %s to {READER}', one);
        execute format('grant all on all tables in schema %s to {READER}', one);
        execute format('grant all on all sequences in schema %s to {READER}', one);
    end loop;
    revoke insert, update, delete on read_only from {READER};
end $$
"""
