"""A junction to one table gives it a relation in each direction: read, filtered, counted and written."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from tests.helpers.agents import agent
from tests.helpers.served import Served
from tests.helpers.support import Serve, Server, ok

SQL = """
create table person (id integer primary key, name text not null);
create table follow (follower integer references person, followed integer references person, since date,
                     primary key (follower, followed));
insert into person values (1, 'Mark'), (2, 'Elon'), (3, 'Bill'), (4, 'Jeff');
insert into follow values (3, 1, '2024-01-01'), (4, 1, '2024-02-01'), (1, 2, '2024-03-01'), (4, 3, null);
create view people as select id, name from person;
create table word (id integer primary key, "word_by_triple_b" text);
create table triple (a integer references word, b integer references word, c integer references word,
                     primary key (a, b, c));
insert into word values (1, 'own'), (2, ''), (3, '');
insert into triple values (1, 2, 3);
create schema other;
create table other.part (tenant integer, id integer, name text, primary key (tenant, id));
create table other.uses (tenant integer, whole integer, part integer, primary key (tenant, whole, part),
    foreign key (tenant, whole) references other.part, foreign key (tenant, part) references other.part);
insert into other.part values (1, 1, 'car'), (1, 2, 'wheel'), (2, 2, 'other');
insert into other.uses values (1, 1, 2);
create table worker (id integer primary key, boss integer references worker, mentor integer references worker);
create table note (id integer primary key, created_by integer references person, changed_by integer references person,
                   about integer references word);
create table friend (id integer primary key, a integer references person, b integer references person, note text);
"""
FOLLOWERS, FOLLOWED = "person_by_follow_follower", "person_by_follow_followed"
ACCESS = {
    "keys": {"reader": {"role": "reader"}, "blind": {"role": "blind"}},
    "roles": {
        "reader": {
            "access": [
                {"component": "_table/person/*", "verb_mask": 1},
                {"component": "_table/follow/*", "verb_mask": 1,
                 "filters": [{"name": "since", "operator": "IS NOT NULL", "value": ""}]},
            ]
        },
        "blind": {"access": [{"component": "_table/person/*", "verb_mask": 31}]},
    },
}  # fmt: skip
SERVED = Served(SQL, under="", MCP_READ_ONLY="off")


def names(records: list[dict[str, Any]]) -> list[str]:
    return [record["name"] for record in records]


def own_relations(http: httpx2.Client, table: str) -> list[str]:
    related = ok(http.get(f"_schema/{table}"))["related"]
    return [each["name"] for each in related if each["type"] == "many_many" and each["ref_table"] == table]


def test_rights_on_the_junction_apply(url: str, serve: Serve) -> None:
    server = serve("--dataset", f"x={url}", access=ACCESS)
    with httpx2.Client(base_url=f"{server.url}/api/v2/x/", timeout=30) as http:
        blind, reader = {"X-API-Key": "blind"}, {"X-API-Key": "reader"}
        for name in (FOLLOWERS, FOLLOWED):
            assert http.get(f"_table/person/1?related={name}", headers=blind).status_code == 403
            assert http.get("_table/person", params={"filter": f"{name}.id = 1"}, headers=blind).status_code == 403
            changed = http.patch("_table/person/1", json={name: [{"id": 4}]}, headers=blind)
            assert changed.status_code == 403, changed.text
            assert http.patch("_table/person/1", json={name: [{"id": 4}]}, headers=reader).status_code == 403
        seen = ok(http.get(f"_table/person/4?related={FOLLOWED}", headers=reader))[FOLLOWED]
        assert names(seen) == ["Mark"]  # the other row of the junction is hidden


def test_each_direction_is_a_relation_with_its_own_name(http: httpx2.Client) -> None:
    assert own_relations(http, "person") == [FOLLOWED, FOLLOWERS, "person_by_friend_b", "person_by_friend_a"]
    assert own_relations(http, "other.part") == ["other_part_by_other_uses_tenant_part",
                                                   "other_part_by_other_uses_tenant_whole"]  # fmt: skip
    assert own_relations(http, "worker") == []  # a hierarchy, not a junction
    triple = own_relations(http, "word")
    assert len(set(triple)) == 6
    fields = {field["name"] for field in ok(http.get("_schema/word"))["field"]}
    assert not fields & set(triple)
    described = ok(http.get("_schema/person/_related/" + FOLLOWERS))
    assert (described["junction_table"], described["junction_field"], described["junction_ref_field"]) == (
        "follow", "followed", "follower",
    )  # fmt: skip


def test_both_directions_are_read(http: httpx2.Client) -> None:
    query = {"related": f"{FOLLOWERS},{FOLLOWED}", f"{FOLLOWERS}.order": "name desc", "order": "id"}
    records = ok(http.get("_table/person", params=query))["resource"]
    found = {record["name"]: (names(record[FOLLOWERS]), names(record[FOLLOWED])) for record in records}
    assert found == {
        "Mark": (["Jeff", "Bill"], ["Elon"]), "Elon": (["Mark"], []), "Bill": (["Jeff"], ["Mark"]),
        "Jeff": ([], ["Mark", "Bill"]),
    }  # fmt: skip
    limited = ok(http.get("_table/person/1", params={**query, f"{FOLLOWERS}.limit": 1, f"{FOLLOWERS}.fields": "id"}))
    assert limited[FOLLOWERS] == [{"id": 4}]
    nested = {"related": FOLLOWERS, f"{FOLLOWERS}.related": FOLLOWERS}
    record = ok(http.get("_table/person/2", params=nested))
    assert [names(each[FOLLOWERS]) for each in record[FOLLOWERS]] == [["Bill", "Jeff"]]
    every = ok(http.get("_table/person/1?related=*"))
    assert {FOLLOWERS, FOLLOWED} <= every.keys()
    part = ok(http.get("_table/other.part/1,1?related=other_part_by_other_uses_tenant_part"))
    assert names(part["other_part_by_other_uses_tenant_part"]) == ["wheel"]
    of_view = own_relations_of_view(http)
    assert names(ok(http.get("_table/people", params={"filter": "id = 1", "related": of_view}))["resource"][0][of_view])


def own_relations_of_view(http: httpx2.Client) -> str:
    related = ok(http.get("_schema/people"))["related"]
    return next(str(each["name"]) for each in related if each["name"] == FOLLOWERS)


def test_records_are_filtered_ordered_and_counted_through_them(http: httpx2.Client) -> None:
    def found(text: str, **query: Any) -> list[str]:
        return names(ok(http.get("_table/person", params={"filter": text, "order": "id", **query}))["resource"])

    assert found(f"{FOLLOWED}.name = 'Mark'") == ["Bill", "Jeff"]
    assert found(f"{FOLLOWERS}.name = 'Jeff'") == ["Mark", "Bill"]
    assert found(f"{FOLLOWERS}.{FOLLOWERS}.name = 'Jeff'") == ["Mark", "Elon"]
    assert found(f"{FOLLOWERS}.COUNT(*) > 1") == ["Mark"]
    assert found("id > 0", order=f"{FOLLOWED}.COUNT(*) desc, id") == ["Jeff", "Mark", "Bill", "Elon"]
    fields = f"name,{FOLLOWERS}.COUNT(*) AS followers,{FOLLOWED}.COUNT(*) AS followed"
    rows = ok(http.get("_table/person", params={"fields": fields, "order": "id"}))["resource"]
    assert [(row["followers"], row["followed"]) for row in rows] == [(2, 1), (1, 0), (1, 1), (0, 2)]
    count = {"filter": f"{FOLLOWED}.name = 'Mark'", "count_only": "true"}
    assert ok(http.get("_table/person", params=count)) == 2
    change = {"filter": f"{FOLLOWED}.name = 'Mark'", "dry_run": "true"}
    assert len(ok(http.patch("_table/person", params=change, json=[{"name": "x"}]))["resource"]) == 2


def test_links_are_written_in_the_direction_of_the_relation(http: httpx2.Client) -> None:
    def links() -> list[tuple[int, int]]:
        rows = ok(http.get("_table/follow?filter=follower > 9 or followed > 9&order=follower,followed"))["resource"]
        return [(row["follower"], row["followed"]) for row in rows]

    record = {"id": 10, "name": "Ann", FOLLOWERS: [{"id": 11, "name": "Bo"}, {"id": 1}], FOLLOWED: [{"id": 2}]}
    created = ok(http.post("_table/person", json=[record], params={"related": f"{FOLLOWERS},{FOLLOWED}"}))
    assert [names(created["resource"][0][name]) for name in (FOLLOWERS, FOLLOWED)] == [["Mark", "Bo"], ["Elon"]]
    assert links() == [(1, 10), (10, 2), (11, 10)]
    ok(http.patch("_table/person/10", json={FOLLOWED: [{"id": 11}, {"id": 10}]}))
    assert links() == [(1, 10), (10, 2), (10, 10), (10, 11), (11, 10)]
    ended = {"id": 10, "follow.follower": None}
    ok(http.patch("_table/person/10", json={FOLLOWERS: [ended, {"id": 11, "name": "Bob"}]}))
    assert ok(http.get("_table/person/11"))["name"] == "Bob"
    assert links() == [(1, 10), (10, 2), (10, 11), (11, 10)]


async def test_tools_and_descriptions_have_both_directions(server: Server, http: httpx2.Client) -> None:
    async with agent(f"{server.url}/mcp") as tools:
        rows = (await tools.result("query", table="person", filter="id = 1", related=[FOLLOWERS]))["rows"]
        assert {record["name"] for record in rows[0][FOLLOWERS]} >= {"Bill", "Jeff"}
        described = json.dumps(await tools.raw("describe_tables", tables=["person"]))
        assert FOLLOWERS in described
        assert FOLLOWED in described
    text = http.get("_spec").text
    assert f'"{FOLLOWERS}"' in text
    assert f'"{FOLLOWED}"' in text
