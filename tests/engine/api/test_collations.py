"""Columns with a nondeterministic collation: texts that differ in case are equal, patterns compare characters."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.helpers.postgis import SystemServer
from tests.helpers.served import Served
from tests.helpers.support import ok

SQL = """
create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create domain label as text collate ci;
create table person (id int primary key, name text collate ci unique, city label, short varchar(9) collate ci,
                     tags text[] collate ci);
insert into person values (1, 'Ann', 'Oslo', 'Ann', '{Ann}'), (2, 'Bob', 'OSLO', 'Bob', '{Bob}'),
                          (3, 'anna', 'oslo', 'anna', '{anna}'), (4, 'Cleo', null, null, null);
create table visit (id int primary key, person_id int references person);
insert into visit values (1, 1), (2, 3);
"""
ACCESS = {
    "keys": {"all": {"role": "*"}, "some": {"role": "some", "user": {"begin": "An"}}},
    "roles": {
        "some": {
            "access": [
                {
                    "component": "_table/person/*", "verb_mask": 31, "filter_op": "AND",
                    "filters": [
                        {"name": "name", "operator": "CONTAINS", "value": "nn"},
                        {"name": "name", "operator": "STARTS WITH", "value": "{user.begin}"},
                    ],
                }
            ]
        }
    },
}  # fmt: skip
PATTERNS = {
    "LIKE 'an%'": [3], "NOT LIKE 'an%'": [1, 2], "ILIKE 'an%'": [1, 3], "CONTAINS 'nn'": [1, 3],
    "STARTS WITH 'An'": [1], "ENDS WITH 'na'": [3], "~ '^A'": [1], "~* '^a'": [1, 3], "= 'ANN'": [1],
    "IN ('ANNA','BOB')": [2, 3],
}  # fmt: skip
SERVED = Served(SQL, ACCESS, key="all", postgres=SystemServer)


def ids(http: httpx2.Client, table: str, **query: Any) -> list[int]:
    response = http.get(table, params=query | {"fields": "id"})
    return [row["id"] for row in ok(response)["resource"]]


@pytest.mark.parametrize("field", ["name", "short", "tags.0", "CAST(name AS text)"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_compare_characters(http: httpx2.Client, field: str, pattern: str) -> None:
    expected = PATTERNS[pattern] + ([4] if pattern.startswith("NOT") and "name" in field else [])
    assert ids(http, "person", filter=f"{field} {pattern}", order="id") == expected
    if field == "name":
        through = f"person_by_person_id.name {pattern}"
        people = http.get("visit", params={"filter": through, "fields": "person_id"}).json()["resource"]
        assert [row["person_id"] for row in people] == [number for number in expected if number in (1, 3)]
        changed = http.patch("person", params={"filter": f"name {pattern}", "dry_run": "true"}, json=[{"city": "x"}])
        assert [row["id"] for row in changed.json()["resource"]] == expected


def test_a_rule_of_a_role_compares_characters(http: httpx2.Client) -> None:
    response = http.get("person", params={"fields": "id"}, headers={"X-API-Key": "some"})
    assert response.json() == {"resource": [{"id": 1}]}
    changed = http.patch("person/3", json={"city": "x"}, headers={"X-API-Key": "some"})
    assert changed.status_code == 404


def test_a_domain_compares_characters(http: httpx2.Client) -> None:
    assert ids(http, "person", filter="city CONTAINS 'sl'", order="id") == [1, 3]
    assert ids(http, "person", filter="city = 'OSLO'", order="id") == [1, 2, 3]


@pytest.mark.parametrize("order", ["city,id", "city desc,id", "name", "name desc"])
def test_pages_by_cursor_have_every_row_once(http: httpx2.Client, order: str) -> None:
    seen: list[int] = []
    cursor = ""
    while len(seen) < 9:
        page = http.get("person", params={"order": order, "cursor": cursor, "limit": 1, "fields": "id"}).json()
        seen += [row["id"] for row in page["resource"]]
        if (cursor := page.get("meta", {}).get("next_cursor", "")) == "":
            break
    assert sorted(seen) == [1, 2, 3, 4]


def test_equal_texts_are_one_group_and_one_key(http: httpx2.Client) -> None:
    grouped = {"group": "city", "fields": "COUNT(*) AS n", "filter": "city IS NOT NULL"}
    assert http.get("person", params=grouped).json()["resource"] == [{"n": 3}]
    assert http.get("person/ANN", params={"id_field": "name", "fields": "id"}).json() == {"id": 1}
    sent = [{"id": 1, "name": "ANN", "city": "Bergen"}]
    upsert = {"upsert": "true", "id_field": "name", "fields": "id,city", "dry_run": "true"}
    assert http.post("person", params=upsert, json=sent).json() == {"resource": [{"id": 1, "city": "Bergen"}]}
