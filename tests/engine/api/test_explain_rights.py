"""`Prefer: explain=rights`: the callers that may use it, and the limits of the response."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import ok, rejection

SQL = """
create table company (id integer primary key, name text not null);
create table person (id integer primary key, company_id integer references company, name text not null, salary integer);
insert into company values (1, 'Acme'), (2, 'Other');
insert into person values (1, 1, 'Ada', 10), (2, 2, 'Bob', 20), (3, 1, 'Cy', 30);
"""
OWN = [{"name": "company_id", "operator": "=", "value": "{user.company}"}]
ACCESS = {
    "keys": {
        "boss": {"role": "*"},
        "sales": {"role": "sales", "user": {"company": 1}},
        "lead": {"role": "lead", "user": {"company": 1}},
    },
    "roles": {
        "sales": {"access": [{"component": "_table/person/*", "verb_mask": 1 + 2 + 8, "filters": OWN}]},
        "lead": {
            "explain": True,
            "access": [
                {"component": "_table/person/*", "verb_mask": 1 + 2 + 8, "filters": OWN},
                {"component": "_table/company/*", "verb_mask": 1,
                 "filters": [{"name": "id", "operator": "=", "value": "{user.company}"}]},
            ],
        },
    },
}  # fmt: skip
SERVED = Served(SQL, ACCESS)


def ask(
    http: httpx2.Client, key: str, method: str, path: str, body: Any = None, question: str = "explain=rights"
) -> httpx2.Response:
    return http.request(method, path, json=body, headers={"X-API-Key": key, "Prefer": question})


def told(http: httpx2.Client, key: str, method: str, path: str, body: Any = None, **named: Any) -> dict[str, Any]:
    response = ask(http, key, method, path, body, **named)
    content: dict[str, Any] = ok(response)
    return content


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
def test_a_role_without_the_right_to_explain_is_rejected_and_nothing_is_written(
    http: httpx2.Client, method: str
) -> None:
    body = None if method in ("GET", "DELETE") else {"resource": [{"id": 1, "name": "Eve", "company_id": 1}]}
    response = ask(http, "sales", method, "person?ids=1" if method == "DELETE" else "person", body)
    assert rejection(response) == (403, "no_explain")
    assert http.get("person/1", headers={"X-API-Key": "boss"}).json()["name"] == "Ada"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("explain=plan", "explain=rights"),
        ("explain=rights; role=seller", "There is no role"),
        ("explain=rights; role", "has no value"),
    ],
)
def test_a_malformed_explain_option_is_rejected(http: httpx2.Client, question: str, text: str) -> None:
    response = ask(http, "boss", "GET", "person", question=question)
    assert rejection(response) == (400, "bad_option")
    assert text in response.json()["error"]["message"]


def test_full_rights_are_reported_as_the_rule(http: httpx2.Client) -> None:
    said = told(http, "boss", "DELETE", "person?ids=1")
    assert (said["allowed"], said["rule"], "rows" in said) == (True, "full rights", False)
    assert http.get("person/1", headers={"X-API-Key": "boss"}).status_code == 200


def test_a_missing_rule_lists_the_rights_of_the_role(http: httpx2.Client) -> None:
    said = told(http, "lead", "DELETE", "person?ids=1")
    assert said["allowed"] is False
    assert "No rule lets the role 'lead' delete 'person'. It may read, create, update." in said["why"]


def test_a_hidden_record_gets_the_row_rule_and_the_explanation_of_a_missing_one(http: httpx2.Client) -> None:
    rows = "company_id = your user.company"
    hidden, missing = (told(http, "lead", "GET", f"person/{ident}") for ident in (2, 99))
    told_of = {ident: response.pop("refusal") for ident, response in ((2, hidden), (99, missing))}
    assert hidden == missing
    assert hidden["rows"] == rows
    assert hidden["why"] == f"There is no such record, or the row rule hides it: {rows}."
    for ident, error in told_of.items():
        message = f"Record with identifier '{ident}' not found."
        assert error == {"status": 404, "reason": "not_found", "message": message}
    assert told(http, "lead", "GET", "person/1")["allowed"] is True


def test_a_write_outside_the_row_rule_is_explained(http: httpx2.Client) -> None:
    new: dict[str, Any] = {"resource": [{"id": 9, "name": "Dan"}]}
    said = told(http, "lead", "POST", "person", new)
    assert (said["allowed"], said["refusal"]["reason"]) == (False, "row_rule")
    assert "company_id = your user.company" in said["why"]
    new["resource"][0]["company_id"] = 1
    assert told(http, "lead", "POST", "person", new)["allowed"] is True
    assert http.get("person/9", headers={"X-API-Key": "boss"}).status_code == 404


def test_another_role_is_explained_with_given_user_values(http: httpx2.Client) -> None:
    for company, ident, allowed in ((1, 1, True), (1, 2, False), (2, 2, True)):
        question = f"explain=rights; role=sales; user.company={company}"
        said = told(http, "boss", "GET", f"person/{ident}", question=question)
        assert (said["role"], said["rule"], said["allowed"]) == ("sales", "_table/person/*", allowed)
        if not allowed:
            assert said["why"].startswith("The record exists, but the row rule hides it from the role")
    assert told(http, "boss", "GET", "company", question="explain=rights; role=sales")["why"] == (
        "No rule gives the role 'sales' any right to 'company'."
    )


def test_lesser_rights_show_only_the_rule_of_another_role(http: httpx2.Client) -> None:
    for ident in (2, 99):
        said = told(http, "lead", "PATCH", f"person/{ident}", {"salary": 1},
                    question="explain=rights; role=*")  # fmt: skip
        assert said["allowed"] is None
        assert "refusal" not in said
    said = told(http, "lead", "GET", "person", question="explain=rights; role=sales; user.company=2")
    assert (said["allowed"], said["rows"]) == (None, "company_id = your user.company")


def test_an_unknown_column_is_reported(http: httpx2.Client) -> None:
    said = told(http, "boss", "GET", "person?filter=salery > 5", question="explain=rights; role=sales; user.company=1")
    assert (said["refusal"]["reason"], said["refusal"]["field"]) == ("unknown_field", "salery")


def test_an_unknown_table_is_not_explained(http: httpx2.Client) -> None:
    for path in ("secret", "secret/1"):
        assert ask(http, "lead", "GET", path).status_code in (403, 404)
