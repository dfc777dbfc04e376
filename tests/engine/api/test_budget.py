"""Limits on the size of a response, nested relations included, and on a caller's concurrent reads."""

from __future__ import annotations

import time
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import rejection

TABLES = """
create table team (id integer primary key, name text not null);
create table person (id integer primary key, team_id integer not null references team, name text not null);
create index on person (team_id);
create table wide (id integer primary key, team_id integer not null references team, text text, data jsonb);
insert into team select n, 'team ' || n from generate_series(1, 5) n;
insert into person select n, 1 + n / 1000, 'person ' || n from generate_series(0, 3999) n;
insert into wide select n, 5, repeat('x', 300000), '{}' from generate_series(1, 300) n;
"""
pytestmark = pytest.mark.timing
UNDER, UP = "person_by_team_id", "team_by_team_id"
SERVED = Served(TABLES)


def refused(http: httpx.Client, url: str, **query: Any) -> None:
    began = time.monotonic()
    response = http.get(url, params=query)
    assert response.status_code == 400, response.text[:300]
    error = response.json()["error"]
    assert error["context"]["reason"] == "answer_too_large"
    assert "limit" in error["message"]
    assert time.monotonic() - began < 4


def test_multiplying_relations_are_rejected(http: httpx.Client) -> None:
    deep = {"related": UP, f"{UP}.related": UNDER}
    refused(http, "/person", **deep)
    refused(http, "/person", **deep, order="name", offset=5)
    refused(http, "/person", **deep, cursor="", limit=1000)
    refused(http, "/person", **deep, filter="id < 900")
    refused(http, "/person", **deep, ids=",".join(map(str, range(1000))))
    refused(http, "/team", **{"related": UNDER, f"{UNDER}.related": UP, f"{UNDER}.{UP}.related": UNDER})
    refused(http, "/person", **{"related": "*", f"{UP}.related": "*", f"{UP}.{UNDER}.related": "*"})


def test_the_same_read_with_lower_limits_succeeds(http: httpx.Client) -> None:
    deep = {"related": UP, f"{UP}.related": UNDER}
    rows = http.get("/person", params={**deep, f"{UP}.{UNDER}.limit": 10}).json()["resource"]
    assert len(rows) == 1000
    assert len(rows[0][UP][UNDER]) == 10
    assert len(http.get("/person", params={**deep, "limit": 20}).json()["resource"]) == 20
    rows = http.get("/team", params={"related": UNDER}).json()["resource"]
    assert [len(row[UNDER]) for row in rows] == [1000, 1000, 1000, 1000, 0]
    few = http.get("/person", params={**deep, "filter": "id < 3"}).json()["resource"]
    assert [len(row[UP][UNDER]) for row in few] == [1000] * 3


def test_bytes_also_count(http: httpx.Client) -> None:
    refused(http, "/wide")
    refused(http, "/wide", related=UP)
    refused(http, "/team", **{"related": "wide_by_team_id", "wide_by_team_id.related": UP})
    assert len(http.get("/wide", params={"fields": "id,data"}).json()["resource"]) == 300
    assert len(http.get("/wide", params={"limit": 100}).json()["resource"]) == 100


def test_a_write_with_a_too_large_response_is_rolled_back(http: httpx.Client) -> None:
    query = {"related": UNDER, f"{UNDER}.related": UP, f"{UNDER}.{UP}.related": UNDER}
    response = http.patch("/team/1", params=query, json={"name": "changed"})
    assert rejection(response) == (400, "answer_too_large")
    assert http.get("/team/1").json()["name"] == "team 1"
