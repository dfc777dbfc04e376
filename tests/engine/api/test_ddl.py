"""DDL while the server runs takes effect at once and fails no request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import httpx2 as httpx
import pytest

from tableapi.schema import introspection
from tableapi.schema.model import Schema
from tests.helpers.support import NewDatabase, Serve, ok

TURNS = 5
CALLS = ",".join(f"late_{turn}_call" for turn in range(TURNS))


@pytest.fixture
async def living(
    new_database: NewDatabase, serve: Serve
) -> AsyncIterator[tuple[httpx.AsyncClient, asyncpg.Connection]]:
    url = await asyncio.to_thread(new_database)
    database = await asyncpg.connect(url)
    await database.execute("create table steady (id serial primary key, a text, b integer)")
    await database.execute("insert into steady (a, b) select 'a' || n, n from generate_series(1, 50) n")
    server = await asyncio.to_thread(serve, "--dataset", f"x={url}", "--open", WORKERS="2", PUBLIC_ROUTINES=CALLS)
    async with httpx.AsyncClient(base_url=f"{server.url}/api/v2/x/_table", timeout=30) as client:
        yield client, database
    await database.close()


async def alter(database: asyncpg.Connection, *statements: str) -> None:
    """Run DDL in a transaction, again while PostgreSQL ends it to resolve a deadlock with a request.

    A table that is dropped is locked before those that its foreign keys name, the writes of requests lock them the
    other way round, and either side may be the one that PostgreSQL ends.
    """
    while True:
        try:
            async with database.transaction():
                for statement in statements:
                    await database.execute(statement)
        except asyncpg.DeadlockDetectedError:
            continue
        return


async def test_ddl_is_noticed_at_once_and_no_request_fails(
    living: tuple[httpx.AsyncClient, asyncpg.Connection],
) -> None:
    client, database = living
    done, wrong = asyncio.Event(), []
    answered = 0

    async def load(number: int) -> None:
        nonlocal answered
        while not done.is_set():
            for response in (
                await client.get("/steady", params={"filter": f"id = {number + 1}", "related": "*"}),
                await client.get("/steady", params={"limit": "5", "order": "id", "include_count": "true"}),
                await client.patch(f"/steady/{number + 1}", json={"id": number + 1}),
                await client.post("/steady", json={"resource": [{"id": 1000 + number}]}),
                await client.delete("/steady", params={"filter": f"id = {1000 + number}"}),
            ):
                answered += 1
                if response.status_code != 200:
                    wrong.append(
                        (response.request.method, str(response.request.url), response.status_code, response.text)
                    )

    async def rows(**query: str) -> list[dict[str, object]]:
        response = await client.get("/steady", params=query)
        records: list[dict[str, object]] = ok(response)["resource"]
        return records

    loaders = [asyncio.create_task(load(n)) for n in range(8)]
    for turn in range(3):
        await alter(database, "alter table steady add c integer default 7")
        assert (await rows(fields="c", limit="1")) == [{"c": 7}]
        await alter(database, "alter table steady rename c to d")
        assert (await rows(fields="d", limit="1")) == [{"d": 7}]
        assert (await client.get("/steady", params={"fields": "c"})).status_code == 400
        await alter(database, "alter table steady alter d type text")
        assert (await rows(filter="d = 'x'")) == []
        await alter(database, "alter table steady drop d")
        assert (await client.get("/steady", params={"filter": "d = 1"})).status_code == 400
        await alter(database, f"create table new_{turn} (id serial primary key, s integer references steady(id))")
        response = await client.get(f"/new_{turn}")
        assert response.json() == {"resource": []}
        await alter(database, f"drop table new_{turn}")
        assert (await client.get(f"/new_{turn}")).status_code == 404
        await alter(
            database,
            "alter table steady rename to older",
            "create table steady (id serial primary key, b integer, a text)",
            "insert into steady (id, a, b) select n, 'a' || n, n from generate_series(1, 50) n",
            "drop table older",
        )
        assert (await rows(limit="1", fields="id")) == [{"id": 1}]
    done.set()
    await asyncio.gather(*loaders)
    assert wrong == []
    assert answered > 50


async def test_a_new_table_is_found_while_another_request_reads_the_schema(
    living: tuple[httpx.AsyncClient, asyncpg.Connection],
) -> None:
    client, database = living

    async def asked(path: str, after: float) -> tuple[str, int]:
        await asyncio.sleep(after)  # spread over the time that a worker takes to read the schema
        method = "POST" if "_func" in path else "GET"
        return path, (await client.request(method, str(client.base_url.join(path)))).status_code

    for turn in range(TURNS):
        await alter(database, f"create table late_{turn} (id integer primary key)")
        await alter(database, f"create function late_{turn}_call() returns integer language sql stable as 'select 1'")
        paths = (f"/api/v2/x/_table/late_{turn}", f"/api/v2/x/_func/late_{turn}_call")
        responses = await asyncio.gather(*(asked(path, n * 0.002) for path in paths for n in range(40)))
        assert set(responses) == {(path, 200) for path in paths}


async def test_a_request_made_valid_by_ddl_succeeds_at_once(
    living: tuple[httpx.AsyncClient, asyncpg.Connection],
) -> None:
    client, database = living
    await alter(
        database,
        "create table w (id int)",
        "create type mood as enum ('sad')",
        "create table turn (id integer primary key, kind integer, v text, m mood)",
        "insert into turn (id, kind, v) select n, n, n from generate_series(1, 5) n",
    )

    async def ask(verb: str, path: str, **options: Any) -> Any:
        response = await client.request(verb, f"/turn{path}", **options)
        return ok(response)

    await ask("GET", "", params={"filter": "v = a"})
    await alter(database, "alter table turn alter v type integer using v::integer")
    assert (await ask("GET", "", params={"filter": "v = 3", "fields": "id"})) == {"resource": [{"id": 3}]}
    await alter(database, "alter table turn alter v type text")
    assert (await ask("PATCH", "", json=[{"id": 1, "v": "a"}])) == {"resource": [{"id": 1}]}
    await ask("GET", "", params={"filter": "v = a"})
    await alter(database, "alter table turn alter v type tstzrange using tstzrange(now(), null)")
    assert len((await ask("GET", "", params={"filter": "v contains 2999-01-01"}))["resource"]) == 5

    await alter(database, "alter type mood add value 'glad'")
    assert (await ask("POST", "", json=[{"id": 6, "m": "glad"}])) == {"resource": [{"id": 6}]}
    await alter(database, "alter table turn add late integer")
    dry = {"dry_run": "true"}
    assert (await ask("PATCH", "/6", params=dry, json={"late": 2})) == {"id": 6}
    await alter(database, "alter table turn add later integer")
    assert (await ask("PATCH", "", params={"ids": "5,6", **dry}, json=[{"later": 2}]))["resource"][1] == {"id": 6}

    await alter(database, "update turn set kind = id", "alter table turn drop constraint turn_pkey")
    await alter(database, "alter table turn add primary key (kind, id)")
    assert (await ask("GET", "/2,2", params={"fields": "id"})) == {"id": 2}
    await alter(database, "alter table turn drop constraint turn_pkey", "alter table turn add primary key (id)")
    assert (await ask("GET", "/2", params={"fields": "id"})) == {"id": 2}
    await alter(database, "alter table turn drop constraint turn_pkey")
    assert (await client.get("/turn", params={"fields": "nothing"})).status_code == 400  # reads the schema
    assert (await client.get("/turn/2")).json()["error"]["context"]["reason"] == "no_primary_key"
    await alter(database, "alter table turn add primary key (id)")
    assert (await ask("PUT", "/2", json={"kind": 9})) == {"id": 2}
    await alter(database, "alter table turn add unique (kind)")
    assert (await ask("GET", "", params={"ids": "9", "id_field": "kind", "fields": "id"}))["resource"][0]["id"] == 2


async def test_records_without_an_identifier_are_rejected_without_waiting_and_follow_a_changed_key(
    living: tuple[httpx.AsyncClient, asyncpg.Connection],
) -> None:
    client, database = living
    await alter(
        database,
        "create table member (id integer primary key, code integer not null, name text)",
        "insert into member values (1, 7, 'a'), (2, 8, 'b')",
    )
    requests: list[tuple[str, str, Any]] = [
        ("PATCH", "", [{"name": "c"}]),
        ("PATCH", "?continue=true", [{"name": "c"}, {"id": None, "name": "d"}]),
        ("DELETE", "", [{"name": "c"}]),
    ]
    assert (await client.get("/member")).status_code == 200
    # A look at the catalog follows the one before after 50 ms, so with looks this takes over ten seconds.
    began = asyncio.get_running_loop().time()
    for turn in range(200):
        verb, path, body = requests[turn % 3]
        await database.execute("update steady set b = b + 1 where id = 1")  # else a look reads nothing
        response = await client.request(verb, f"/member{path}", json=body)
        assert response.status_code == 400, response.text
        assert "bad_identifier" in response.text, response.text
    assert asyncio.get_running_loop().time() - began < 7

    await alter(database, "alter table member drop constraint member_pkey", "alter table member add primary key (code)")
    response = await client.patch("/member", json=[{"code": 7, "name": "e"}])
    assert (response.status_code, response.json()) == (200, {"resource": [{"code": 7}]})
    await alter(database, "alter table member rename code to ident")
    response = await client.request("DELETE", "/member", json=[{"ident": 8}])
    assert (response.status_code, response.json()) == (200, {"resource": [{"ident": 8}]})
    await alter(
        database,
        "alter table member rename to older",
        "create table member (id integer primary key, name text)",
        "insert into member values (3, 'a')",
    )
    response = await client.patch("/member", json=[{"id": 3, "name": "f"}])
    assert (response.status_code, response.json()) == (200, {"resource": [{"id": 3}]})


async def test_a_value_for_a_new_column_is_stored_by_every_kind_of_write(
    living: tuple[httpx.AsyncClient, asyncpg.Connection],
) -> None:
    client, database = living
    await alter(
        database,
        "create table town (id integer primary key, name text)",
        "create table house (id integer primary key, town_id integer references town(id))",
        "insert into town values (1, 'a'), (2, 'b')",
        "insert into house values (1, 1)",
    )
    assert (await client.get("/town", params={"related": "house_by_town_id"})).status_code == 200
    csv = {"Content-Type": "text/csv"}
    writes: list[tuple[str, str, dict[str, Any], str]] = [  # request, the table that gets the column, SQL of the value
        ("POST /town", "town", {"json": {"resource": [{"id": 10, "NEW": 7}]}}, "id = 10"),
        ("POST /town", "town", {"json": {"resource": {"id": 11, "new": 7}}}, "id = 11"),
        ("POST /town?upsert=true", "town", {"json": [{"id": 1, "new": 7}]}, "id = 1"),
        ("POST /town", "town", {"content": "id,new\n12,7\n", "headers": csv}, "id = 12"),
        ("POST /town?import=true", "town", {"content": "id,new\n13,7\n", "headers": csv}, "id = 13"),
        ("POST /town", "town", {"json": [{"id": 14, "new": 7}], "headers": {"Idempotency-Key": "a"}}, "id = 14"),
        ("PATCH /town/2", "town", {"json": {"name": "c", "new": 7}}, "id = 2"),
        ("PUT /town/2", "town", {"json": {"resource": [{"name": "c", "new": 7}]}}, "id = 2"),
        ("PATCH /town", "town", {"json": [{"id": 1, "name": "d", "new": 7}, {"id": 2, "new": 7}]}, "id = 1"),
        ("PATCH /town?ids=1", "town", {"json": [{"name": "d", "new": 7}]}, "id = 1"),
        ("PATCH /town?filter=id=2", "town", {"json": [{"name": "d", "new": 7}]}, "id = 2"),
        ("PATCH /town/1", "house", {"json": {"house_by_town_id": [{"id": 1, "new": 7}]}}, "id = 1"),
    ]
    for request, table, options, place in writes:
        verb, path = request.split()
        await alter(database, f"alter table {table} add new integer")
        response = await client.request(verb, path, **options)
        assert response.status_code == 200, (request, response.text)
        assert await database.fetchval(f"select new from {table} where {place}") == 7, request
        await alter(database, f"alter table {table} drop new")
        unknown = await client.patch("/town/1", json={"name": "e", "new": 7})
        assert (unknown.status_code, await database.fetchval("select name from town where id = 1")) == (200, "e")


async def test_records_of_a_new_relation_are_written(living: tuple[httpx.AsyncClient, asyncpg.Connection]) -> None:
    client, database = living
    await alter(database, "create table leaf (id integer primary key)", "insert into leaf values (5)")
    assert (await client.get("/leaf")).status_code == 200
    await alter(database, "alter table leaf add steady_id integer references steady(id)")
    response = await client.patch("/steady/1", json={"a": "b", "leaf_by_steady_id": [{"id": 5}]})
    assert response.status_code == 200, response.text
    assert await database.fetchval("select steady_id from leaf where id = 5") == 1
    await alter(database, "alter table leaf add other_id integer references steady(id)")
    response = await client.get("/steady?limit=1&related=leaf_by_other_id&leaf_by_other_id.fields=id")
    assert response.status_code == 200, response.text


async def test_an_option_of_a_new_relation_has_effect_at_once(
    living: tuple[httpx.AsyncClient, asyncpg.Connection],
) -> None:
    client, database = living
    await client.get("/steady?limit=1")
    await alter(
        database,
        "create table leaf (id integer primary key, steady_id integer references steady)",
        "insert into leaf values (1, 1), (2, 1)",
    )
    query = "/steady/1?related=leaf_by_steady_id&leaf_by_steady_id.filter=id=2"
    response = await client.get(query, headers={"Prefer": "handling=lenient"})
    assert ok(response)["leaf_by_steady_id"] == [{"id": 2, "steady_id": 1}]


async def test_new_columns_are_noticed_under_load_and_with_many_tables(
    living: tuple[httpx.AsyncClient, asyncpg.Connection],
) -> None:
    client, database = living
    create = "create table wide_%s (id integer primary key, a text default ''a'', b integer, c text, d jsonb, e date)"
    for first in range(0, 3000, 500):  # a transaction cannot lock all of them
        loop = f"for n in {first + 1}..{first + 500} loop execute format('{create}', n); end loop"
        await alter(database, f"do $$ begin {loop}; end $$")
    assert (await client.get("/wide_3000")).status_code == 200
    done = asyncio.Event()

    async def load() -> None:
        while not done.is_set():
            for response in (
                await client.get("/steady", params={"limit": "5"}),
                await client.patch("/steady/1", json={"a": "b"}),  # after a transaction a check reads the catalog
            ):
                assert response.status_code == 200

    loaders = [asyncio.create_task(load()) for _ in range(8)]
    try:
        async with asyncio.timeout(20):  # two seconds each on a quiet machine, once up to a minute and a half
            for turn in range(4):
                await alter(database, f"alter table steady add seen_{turn} integer")
                while f"seen_{turn}" not in (await client.get("/steady?limit=1&include_schema=true")).text:
                    pass
    finally:
        done.set()
        await asyncio.gather(*loaders)


def described(schema: Schema) -> dict[str, object]:
    """Return the content of a schema for comparison."""
    return {
        name: (
            (table.bare, table.kind, table.key, sorted(map(sorted, table.uniques)), table.comment, table.writable),
            (table.columns, table.computed, table.languages, table.inherited, table.rules, table.mark, table._lower),
            (table.clause.schema, table.clause.name, [(c.name, repr(c.type)) for c in table.clause.c]),
            {
                r.name: (r.kind, r.target.name, r.own, r.theirs, r.junction and r.junction.name, r.junction_own,
                         r.junction_theirs, r.function, r.derived)
                for r in table.relations.values()
            },
        )
        for name, table in schema.tables.items()
    } | {"routines": sorted(repr((r.name, r.arguments, r.result)) for r in schema.routines)}  # fmt: skip


async def test_an_incrementally_updated_schema_equals_a_fresh_one(new_database: NewDatabase) -> None:
    """Columns of unchanged tables are taken from the previous schema, whatever else has changed."""
    database = await asyncpg.connect(await asyncio.to_thread(new_database))
    await database.execute("create table same (id int primary key, a text)")
    schema = (await introspection.read(database))[0]
    same = schema.tables["same"].columns["a"]
    kept = 0
    try:
        for statement in (
            "create table w (id int); create type mood as enum ('sad'); create domain size as int; "
            "create type range as range (subtype = int)",
            "create table a (id int primary key, m mood, s size, r range, u text unique, n numeric(9,2) default 1)",
            "create table b (id int primary key, a_id int references a, whole w, every w[])",
            "alter table a rename to c", "alter table w rename to whole", "alter table c rename column m to mm",
            "alter table c alter u type varchar(9)", "alter type mood add value 'glad'",
            "alter type mood rename to moods", "alter domain size set not null",
            "alter table c drop constraint a_u_key", "create unique index on c (u)", "alter table c add unique (n)",
            "alter table b drop constraint b_a_id_fkey", "alter table b add foreign key (a_id) references c",
            "alter table c alter n set default 2", "alter table c alter n set not null", "alter table c drop s",
            "comment on column c.n is 'much'; create table other ()", "create view v as select id, u from c",
            "create or replace view v as select id, u, n from c", "create schema x; alter table c set schema x",
            "create function called(x.c) returns int stable language sql as 'select 1'",
            "alter table x.c drop n cascade", "alter table b add constraint k check (id > 0) not valid",
            "create table part (id int) partition by list (id)",
            "create table part_1 partition of part for values in (1)",
            "create rule r as on delete to b do instead nothing", "create table heir () inherits (same)",
            "drop table x.c cascade", "drop table heir", "drop schema x",
        ):  # fmt: skip
            await database.execute(statement)
            again = (await introspection.read(database, old=schema))[0]
            fresh = (await introspection.read(database))[0]
            assert again.types == fresh.types
            for name, expected in described(fresh).items():
                assert described(again)[name] == expected, (statement, name)
            assert again.tables.keys() == fresh.tables.keys()
            kept += again.tables["same"].columns["a"] is schema.tables["same"].columns["a"]
            schema = again
        assert kept > 20
        assert schema.tables["same"].columns["a"] == same
    finally:
        await database.close()


async def test_only_ddl_changes_the_digest_of_the_catalog(new_database: NewDatabase) -> None:
    url = await asyncio.to_thread(new_database)
    database = await asyncpg.connect(url)
    await database.execute("create table steady (id serial primary key)")
    try:
        seen, marks = (await introspection.read(database))[1], []
        for statement in ("truncate steady", "create temp table t (id int)", "analyze steady", "vacuum full steady"):
            await database.execute(statement)
            assert (await introspection.fingerprint(database, (), seen)).mark == seen.mark, statement
        for statement in (
            "alter table steady add a int", "alter table steady rename a to b", "drop table t; select 1",
            "alter table steady alter b set not null", "alter table steady alter b set default 1",
            "alter table steady add unique (b)",
            "create view v as select 1 as a", "create or replace view v as select 1 as a, 2 as b",
            "create domain d as int", "alter domain d set not null", "create type e as enum ('a')",
            "alter type e add value 'b'", "create function f() returns int return 1",
            "create rule r as on delete to steady do instead nothing", "grant select on steady to public",
            "alter table steady drop b cascade", "alter table steady rename to steadier",
            "create schema other; alter table steadier set schema other", "alter schema other rename to others",
            "drop table others.steadier",
        ):  # fmt: skip
            await database.execute(statement)
            marks.append((await introspection.fingerprint(database, (), seen)).mark)
            assert (marks[-1] in (seen.mark, *marks[:-1])) == (statement.startswith("drop table t;")), statement
    finally:
        await database.close()
