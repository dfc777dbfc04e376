"""The field and the constraint in errors of the database, and the cause of a single record."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.helpers.served import Served

SQL = """
create table team (id integer primary key, name text not null);
create table person (
    id integer primary key, email text not null, country text, number integer, secret text, age integer,
    team_id integer references team,
    constraint person_email_key unique (email),
    constraint person_number_key unique (country, number),
    constraint person_secret_key unique (secret),
    constraint person_age_check check (age >= 0));
create unique index person_lower on person (lower(country)) where number is null;
insert into team values (1, 'A');
insert into person values (1, 'a@x.example', 'NO', 1, 'hush', 5, 1);
create view visible as select id, email, country, number, age, team_id from person;
"""
ROLE = {"access": [{"component": "_table/person/*", "verb_mask": 15}, {"component": "_table/team/*", "verb_mask": 31}]}
ACCESS = {"keys": {"k": {"role": "r"}, "boss": {"role": "*"}}, "roles": {"r": ROLE}}
SERVED = Served(SQL, ACCESS, key="k")


def context(response: httpx2.Response) -> dict[str, Any]:
    told: dict[str, Any] = response.json()["error"]["context"]
    return told


@pytest.mark.parametrize(
    ("change", "status", "named"),
    [
        ({"email": "a@x.example"}, 409, {"reason": "duplicate", "constraint": "person_email_key", "field": "email"}),
        ({"country": "NO", "number": 1}, 409,
         {"reason": "duplicate", "constraint": "person_number_key", "fields": ["country", "number"]}),
        ({"team_id": 9}, 409, {"reason": "reference", "constraint": "person_team_id_fkey", "field": "team_id"}),
        ({"age": -1}, 400, {"reason": "check", "constraint": "person_age_check"}),
        ({"email": None}, 400, {"reason": "required", "field": "email"}),
    ],
)  # fmt: skip
def test_the_error_of_a_single_record_describes_the_constraint(
    http: httpx2.Client, change: dict[str, Any], status: int, named: dict[str, Any]
) -> None:
    http.post("person", json={"resource": [{"id": 2, "email": "b@x.example"}]})
    response = http.patch("person/2", json=change)
    assert response.status_code == status, response.text
    assert {name: context(response).get(name) for name in ("reason", "constraint", "field", "fields")} == {
        "constraint": None, "field": None, "fields": None, **named,
    }  # fmt: skip
    listed = http.post("person", json={"resource": [{"id": 3, "email": "c@x.example", **change}]})
    assert (listed.status_code, context(listed)["reason"]) == (400, "batch")
    cause = context(listed)["cause"]
    assert cause.pop("message")
    assert cause == {"status": status, **named}
    assert context(listed)["resource"][0]["context"] == {"scope": "resource", **named}


def test_errors_of_several_records_have_no_single_cause(http: httpx2.Client) -> None:
    both = [{"id": 7, "email": "a@x.example"}, {"id": 8, "email": "h@x.example"}]
    told = context(http.post("person", json={"resource": both}))
    assert "cause" not in told
    assert told["resource"][0]["context"]["constraint"] == "person_email_key"


def test_a_rejected_delete_reports_no_field_of_the_referring_table(http: httpx2.Client) -> None:
    told = context(http.delete("team/1"))
    assert (told["reason"], told.get("field")) == ("reference", None)
