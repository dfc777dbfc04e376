"""The access file: which entry decides, the SQL of its row filters, and what is wrong with a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tableapi.auth.access_file import AccessFile, Entry, FileRights, Role
from tableapi.auth.policy import DELETE, GET, PATCH, POST, ActorTerms
from tableapi.auth.rights import EVERYTHING
from tableapi.schema.model import Column, Table
from tableapi.schema.sqltypes import DIALECT
from tableapi.schema.types import PgType


def type_of(kind: str) -> PgType:
    return PgType(kind, kind, kind)


TYPES = {"id": type_of("integer"), "name": type_of("text"), "born": type_of("date")}
COLUMNS = {name: Column(name, type_, True, None, "", False) for name, type_ in TYPES.items()}
PERSON = Table("public", "person", "person", "r", sa.table("person", *map(sa.column, TYPES)), COLUMNS, ("id",))
PERSON._lower.update({name: name for name in TYPES})


def rights(*entries: dict[str, Any]) -> FileRights:
    return FileRights(Role.model_validate({"access": entries}), "shop")


def condition(*filters: dict[str, Any], op: str = "AND") -> tuple[str, list[Any]]:
    """Return the SQL of the row filters of one entry, and its values."""
    entry = {"component": "_table/person", "verb_mask": GET, "filters": filters, "filter_op": op}
    right = rights(entry).right(PERSON, "GET")
    assert right is not None
    assert right.rows is not None
    compiled = right.rows(PERSON.clause, ActorTerms()).compile(
        dialect=DIALECT, compile_kwargs={"render_postcompile": True}
    )
    return " ".join(str(compiled).replace("person.", "").split()), list(compiled.params.values())


@pytest.mark.parametrize(
    ("component", "matches"),
    [
        ("_table/person", True),
        ("_table/person/", True),
        (" _TABLE/Person/* ", True),
        ("_table/*", True),
        ("_table/per*", True),
        ("*", True),
        ("", False),
        ("_table/people", False),
        ("_table/person2/*", False),
        ("_schema/*", False),
    ],
)
def test_a_component(component: str, matches: bool) -> None:
    right = rights({"component": component, "verb_mask": GET}).right(PERSON, "GET")

    assert (right is EVERYTHING) is matches


@pytest.mark.parametrize(
    ("entries", "verb", "granted"),
    [
        ([{"verb_mask": GET | POST}], "POST", True),
        ([{"verb_mask": GET}], "DELETE", False),
        ([{"verb_mask": GET | DELETE}, {"component": "_table/person", "verb_mask": GET}], "DELETE", False),
        ([{"component": "_table/*", "verb_mask": 0}, {"verb_mask": GET}], "GET", False),
        ([{"verb_mask": GET}, {"verb_mask": PATCH}], "PATCH", True),
        ([{"service": "shop", "verb_mask": GET}], "GET", True),
        ([{"service": "other", "verb_mask": GET}], "GET", False),
        ([{"requestor_mask": 2, "verb_mask": GET}], "GET", False),
        ([], "GET", False),
    ],
)
def test_the_most_specific_entries_decide(entries: list[dict[str, Any]], verb: str, granted: bool) -> None:
    assert (rights(*entries).right(PERSON, verb) is not None) is granted


@pytest.mark.parametrize(
    ("component", "granted"),
    [("_func/total", True), ("_FUNC/Total/", True), ("_func/*", False), ("*", False), ("_proc/total", False)],
)
def test_a_routine_is_named_exactly(component: str, granted: bool) -> None:
    assert rights({"component": component, "verb_mask": GET}).routine("_func", "total", "GET") is granted
    assert not rights({"component": component, "verb_mask": POST}).routine("_func", "total", "GET")


@pytest.mark.parametrize(
    ("row_filter", "sql", "values"),
    [
        ({"name": "id", "value": "7"}, "id = $1", [7]),
        ({"name": "ID", "operator": "<>", "value": 7}, "id != $1", [7]),
        ({"name": "id", "operator": "in", "value": "(1, 2)"}, "id IN ($1, $2)", [1, 2]),
        ({"name": "id", "operator": "NOT IN", "value": [1, 2]}, "(id NOT IN ($1, $2))", [1, 2]),
        ({"name": "name", "operator": "is null"}, "name IS NULL", []),
        ({"name": "name", "operator": "IS NOT NULL"}, "name IS NOT NULL", []),
        ({"name": "name", "operator": "starts with", "value": "5%_"}, "name LIKE CAST($1 AS TEXT)", ["5\\%\\_%"]),
        ({"name": "name", "operator": "CONTAINS", "value": "a"}, "name LIKE CAST($1 AS TEXT)", ["%a%"]),
        ({"name": "name", "operator": "LIKE", "value": "a%"}, "name LIKE CAST($1 AS TEXT)", ["a%"]),
        ({"name": "id", "operator": "ENDS WITH", "value": 7}, "CAST(id AS text) LIKE CAST($1 AS TEXT)", ["%7"]),
        ({"name": "id", "value": "{user.id}"}, "id = $1", [None]),
        ({"name": "id", "value": "x"}, "false", []),
        ({"name": "unknown", "value": "x"}, "false", []),
        ({"name": "id", "operator": "IN", "value": "1,x"}, "false", []),
    ],
)
def test_a_row_filter(row_filter: dict[str, Any], sql: str, values: list[Any]) -> None:
    text, params = condition(row_filter)

    assert text.replace("::VARCHAR", "").replace("::INTEGER", "") == sql
    assert params == values


def test_wildcards_in_a_value_of_the_actor_are_plain_characters() -> None:
    text, params = condition({"name": "name", "operator": "CONTAINS", "value": "{user.name}"})

    assert "regexp_replace(CAST(" in text
    assert params == ["%", None, r"([\\%_])", r"\\\1", "g", "%"]


@pytest.mark.parametrize(("op", "word"), [("AND", "AND"), ("or", "OR")])
def test_several_row_filters(op: str, word: str) -> None:
    text, _ = condition({"name": "id", "value": 1}, {"name": "name", "value": "a"}, op=op)

    assert f" {word} " in text


def test_one_filter_that_cannot_be_applied_closes_the_whole_entry() -> None:
    assert condition({"name": "id", "value": 1}, {"name": "unknown", "value": 1}, op="OR")[0] == "false"


def test_entries_of_equal_rank_are_joined() -> None:
    entry = {"component": "_table/person", "verb_mask": GET}
    filters = [{**entry, "filters": [{"name": "id", "value": value}]} for value in (1, 2)]
    right = rights(*filters).right(PERSON, "GET")

    assert right is not None
    assert right.rows is not None
    assert " OR " in str(right.rows(PERSON.clause, ActorTerms()))
    assert rights(*filters, entry).right(PERSON, "GET") is EVERYTHING


def test_a_key_names_its_role_and_user(tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    path.write_text(json.dumps({"keys": {"k": {"role": "*", "user": {"id": 7}}}, "comment": "ignored"}))
    access = AccessFile.load(path)
    actor = access.actor("k")

    assert actor is not None
    assert (actor.role, dict(actor.values), actor.key) == ("*", {"user.id": 7}, "k")
    assert access.actor("other") is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"keys": {"secret-key": {"role": "r"}}},
            "key 'secr...' names the role 'r', which is not defined under 'roles'",
        ),
        ({"keys": {"k": {}}}, "keys.k.role: Field required"),
        (
            {"roles": {"r": {"access": [{"verb_mask": "x"}]}}},
            "roles.r.access.0.verb_mask: Input should be",
        ),
        (
            {"roles": {"r": {"access": [{"filters": [{"name": "id", "operator": "~"}]}]}}},
            "the row filter on 'id' has an unknown operator '~'; expected one of =, ",
        ),
    ],
)
def test_a_wrong_file_is_one_line(content: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    path.write_text(json.dumps(content))

    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
        AccessFile.load(path)

    assert str(refused.value).startswith(message)


def test_the_default_entry_grants_nothing() -> None:
    assert rights(Entry().model_dump()).right(PERSON, "GET") is None
