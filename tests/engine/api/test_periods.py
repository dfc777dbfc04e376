"""Keys that are periods of time are written, read and referred to like others (PostgreSQL 18)."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx

from tests.helpers.served import Served

SQL = """
create extension btree_gist;
create table stay (room integer, during daterange, guest text, primary key (room, during without overlaps));
insert into stay values (1, '[2024-01-01,2024-01-08)', 'Ada'), (1, '[2024-01-08,2024-01-15)', 'Ben');
create table bill (id integer primary key, room integer, during daterange,
                   foreign key (room, period during) references stay (room, period during));
insert into bill values (1, 1, '[2024-01-05,2024-01-10)');
create table season (during tsrange primary key, name text);
insert into season values ('[2024-01-01,2024-04-01)', 'winter');
create table price (id serial primary key, during tsrange references season, amount numeric);
create table days (list date[] primary key, name text);
"""
SPRING = '["2024-04-01 00:00:00","2024-06-01 00:00:00")'
SERVED = Served(SQL, under="")


def reason(response: httpx.Response) -> Any:
    return response.json()["error"]["context"]["reason"]


def test_a_record_is_created_changed_and_deleted(http: httpx.Client) -> None:
    guest = {"room": 2, "during": "[2024-02-01,2024-02-08)", "guest": "Cleo"}
    key = {"room": 2, "during": "[2024-02-01,2024-02-08)"}
    assert http.post("/_table/stay", json=[guest]).json() == {"resource": [key]}
    twice = http.post("/_table/stay", json=[{**guest, "during": "[2024-02-07,2024-02-09)"}])
    assert twice.json()["error"]["context"]["resource"][0]["code"] == 409
    every = {"filter": "room = 2", "fields": "*", "related": "*"}
    assert http.patch("/_table/stay", params=every, json=[{"guest": "Dan"}]).json() == {
        "resource": [{**guest, "guest": "Dan"}]
    }
    changed = http.patch("/_table/stay", params={"fields": "*"}, json=[{**key, "guest": "Eva"}])
    assert changed.json() == {"resource": [{**guest, "guest": "Eva"}]}
    for upsert, stored in (("true", {**guest, "guest": "Fay"}), ("get", {**guest, "guest": "Fay"})):
        sent = [{**key, "guest": "Fay" if upsert == "true" else "Gil"}]
        same = http.post("/_table/stay", params={"upsert": upsert, "fields": "*"}, json=sent)
        assert same.json() == {"resource": [stored]}
    other = {**key, "during": "[2024-02-05,2024-02-12)"}
    overlaps = http.post("/_table/stay", params={"upsert": "true"}, json=[other])
    assert overlaps.json()["error"]["context"]["reasons"] == ["duplicate"]
    assert http.delete("/_table/stay", params={"filter": "room = 2"}).json() == {"resource": [key]}


def test_children_refer_to_a_period(http: httpx.Client) -> None:
    spring = {"during": SPRING, "name": "spring", "price_by_during": [{"amount": 5}]}
    created = http.post("/_table/season", params={"related": "*", "fields": "name"}, json=[spring])
    assert created.json()["resource"][0]["price_by_during"] == [{"id": 1, "during": SPRING, "amount": 5}]
    assert http.patch("/_table/season", params={"filter": "name = spring"}, json=[{"name": "Spring"}]).json() == {
        "resource": [{"during": SPRING}]
    }
    assert http.put(f"/_table/season/{SPRING}", params={"upsert": "true"}, json={"name": "s"}).status_code == 200


def test_an_array_of_dates_is_a_key(http: httpx.Client) -> None:
    assert http.post("/_table/days", json=[{"list": ["2024-05-01"], "name": "a"}]).status_code == 200
    changed = http.patch("/_table/days", params={"filter": "name = a", "related": "*"}, json=[{"name": "b"}])
    assert changed.json() == {"resource": [{"list": ["2024-05-01"]}]}


def test_a_foreign_key_with_period_is_not_a_relation(http: httpx.Client) -> None:
    for table in ("bill", "stay"):
        assert http.get(f"/_schema/{table}/_related").json() == {"resource": []}
    refused = http.get("/_table/bill", params={"filter": "stay_by_room_during.guest = Ada"})
    assert (refused.status_code, reason(refused)) == (400, "unknown_field")
    assert http.get("/_table/bill/1", params={"related": "*"}).json()["room"] == 1
