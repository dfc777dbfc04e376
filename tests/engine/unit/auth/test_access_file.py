"""The access file: which entry decides, the SQL of its row filters, and invalid files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tableapi.auth.access_file import AccessFile, FileRights, Role
from tableapi.auth.grants import GrantedRights
from tableapi.auth.policy import DELETE, GET, PATCH, POST, Actor, ActorTerms, DatabaseRole
from tableapi.auth.rights import EVERYTHING, FullRights
from tableapi.auth.scopes import InsufficientScope, ScopedRights, of_claims, permits, require
from tableapi.query.statement import Binder, Bindings, arguments, bound, finish
from tableapi.schema.model import Column, Table
from tableapi.schema.privileges import RolePrivileges
from tableapi.schema.types import PgType
from tests.engine.unit.auth.test_rights import NOTE


def type_of(kind: str) -> PgType:
    return PgType(kind, kind, kind)


TYPES = {"id": type_of("integer"), "name": type_of("text"), "born": type_of("date")}
COLUMNS = {name: Column(name, type_, True, None, "", False) for name, type_ in TYPES.items()}
USER = {"id": 7, "name": "5%", "ids": [1, "2", "x"]}
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
    statement = finish(right.rows(PERSON.clause, ActorTerms()), Binder())
    values = arguments(bound(statement), Bindings(Actor("", {f"user.{n}": v for n, v in USER.items()}), [], {}, []))
    return " ".join(statement.sql.replace("person.", "").split()), values


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
def test_a_component_matches_its_tables(component: str, matches: bool) -> None:
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
def test_a_routine_matches_only_its_exact_name(component: str, granted: bool) -> None:
    assert rights({"component": component, "verb_mask": GET}).routine("_func", "total", "GET") is granted
    assert not rights({"component": component, "verb_mask": POST}).routine("_func", "total", "GET")


@pytest.mark.parametrize(
    ("row_filter", "sql", "values"),
    [
        ({"name": "id", "value": "7"}, "id = $1", [7]),
        ({"name": "ID", "operator": "<>", "value": 7}, "id != $1", [7]),
        ({"name": "id", "operator": "in", "value": "(1, 2)"}, "id = ANY ($1[])", [[1, 2]]),
        ({"name": "id", "operator": "NOT IN", "value": [1, 2]}, "id != ALL ($1[])", [[1, 2]]),
        ({"name": "id", "operator": "IN", "value": "3,{user.ids}"}, "id = ANY ($1[])", [[3, 1, 2, None]]),
        ({"name": "id", "operator": "IN", "value": ["{user.id}"]}, "id = ANY ($1[])", [[7]]),
        ({"name": "name", "operator": "is null"}, "name IS NULL", []),
        ({"name": "name", "operator": "IS NOT NULL"}, "name IS NOT NULL", []),
        ({"name": "name", "operator": "starts with", "value": "5%_"}, "name LIKE $1", ["5\\%\\_%"]),
        ({"name": "name", "operator": "CONTAINS", "value": "a"}, "name LIKE $1", ["%a%"]),
        ({"name": "name", "operator": "CONTAINS", "value": "{user.name}"}, "name LIKE $1", ["%5\\%%"]),
        ({"name": "name", "operator": "LIKE", "value": "a%\\"}, "name LIKE $1", ["a%\\\\"]),
        ({"name": "name", "operator": "LIKE", "value": "{user.name}"}, "name LIKE $1", ["5\\%"]),
        ({"name": "id", "operator": "ENDS WITH", "value": 7}, "CAST(id AS text) LIKE $1", ["%7"]),
        (
            {"name": "born", "operator": "IN", "value": "2024-01-02"},
            "born = ANY (CAST($1[] AS date[]))",
            [["2024-01-02"]],
        ),
        ({"name": "id", "value": "{user.id}"}, "id = $1", [7]),
        ({"name": "id", "value": "{user.ids}"}, "id = $1", [None]),
        ({"name": "id", "value": "{user.missing}"}, "id = $1", [None]),
        ({"name": "id", "value": "x"}, "false", []),
        ({"name": "unknown", "value": "x"}, "false", []),
        ({"name": "id", "operator": "IN", "value": "1,x"}, "false", []),
    ],
)
def test_a_row_filter_has_one_sql(row_filter: dict[str, Any], sql: str, values: list[Any]) -> None:
    text, params = condition(row_filter)

    assert text.replace("::text", "").replace("::integer", "") == sql
    assert params == values


@pytest.mark.parametrize(("op", "word"), [("AND", "AND"), ("or", "OR")])
def test_several_row_filters_are_joined_by_their_operator(op: str, word: str) -> None:
    text, _ = condition({"name": "id", "value": 1}, {"name": "name", "value": "a"}, op=op)

    assert f" {word} " in text


def test_one_inapplicable_filter_disables_the_whole_entry() -> None:
    assert condition({"name": "id", "value": 1}, {"name": "unknown", "value": 1}, op="OR")[0] == "false"


def test_entries_of_equal_rank_are_joined() -> None:
    entry = {"component": "_table/person", "verb_mask": GET}
    filters = [{**entry, "filters": [{"name": "id", "value": value}]} for value in (1, 2)]
    right = rights(*filters).right(PERSON, "GET")

    assert right is not None
    assert right.rows is not None
    assert " OR " in str(right.rows(PERSON.clause, ActorTerms()))
    assert rights(*filters, entry).right(PERSON, "GET") is EVERYTHING


def test_a_key_defines_its_role_and_user(tmp_path: Path) -> None:
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
        ({"keys": {"secret-key": {}}}, "keys.secr....role: is missing"),
        (
            {"keys": {"secret-key": {"role": "*", "users": {}}}},
            "keys.secr....users: unknown member, did you mean 'user'?",
        ),
        ({"roles": {"r": {"access": [{"verb_mask": "x"}]}}}, "roles.r.access.0.verb_mask: must be a sum"),
        (
            {"roles": {"r": {"access": [{"verb_mask": 1, "filters": [{"name": "id", "operator": "~"}]}]}}},
            "the row filter on 'id' has an unknown operator '~'; expected one of =, ",
        ),
    ],
)
def test_an_invalid_file_is_reported_in_one_line(content: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    path.write_text(json.dumps(content))

    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
        AccessFile.load(path)

    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "roles.r.access.0.verb_mask: must be a sum of these numbers"),
        ({"verb_mask": "31"}, "roles.r.access.0.verb_mask: must be a sum of these numbers"),
        ({"verb_mask": True}, "roles.r.access.0.verb_mask: must be a sum of these numbers"),
        ({"verb_mask": 1, "requestor_mask": "1"}, "roles.r.access.0.requestor_mask: must be a whole number"),
    ],
)
def test_an_access_without_a_valid_mask_is_rejected(entry: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    path.write_text(json.dumps({"roles": {"r": {"access": [{"component": "_table/person/*"} | entry]}}}))

    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
        AccessFile.load(path)

    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("[]", "the file must contain one object with 'keys' and 'roles'"),
        ("[" * 100_000, "the file is nested too deeply"),
        ('{"keys": {"k": {"role": "*", "user": {"id": NaN}}}}', "NaN is not a JSON number"),
        ('{"roles": {"*": {}}}', "'roles' defines the role '*'"),
    ],
)
def test_malformed_json_is_reported_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    path.write_text(text)

    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
        AccessFile.load(path)

    assert str(refused.value).startswith(message)


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    path.write_text(json.dumps({"keys": {"k": {"role": "*"}}}), "utf-8-sig")

    assert AccessFile.load(path).actor("k") is not None


def test_an_entry_without_verbs_overrides_a_wider_one(tmp_path: Path) -> None:
    path = tmp_path / "access.json"
    entries = [{"component": "_table/*", "verb_mask": GET}, {"component": "_table/person", "verb_mask": 0}]
    path.write_text(json.dumps({"roles": {"r": {"access": entries}, "none": {"access": []}}}))

    assert FileRights(AccessFile.load(path).roles["r"], "shop").right(PERSON, "GET") is None


@pytest.mark.parametrize(
    ("claims", "scopes"),
    [
        ({}, None),
        ({"scope": 7}, None),
        ({"scope": "read write"}, {"read", "write"}),
        ({"scp": "read"}, {"read"}),
        ({"scp": ["read", 7, "write:note"]}, {"read", "write:note"}),
        ({"scope": "read", "scp": "write"}, {"read"}),
    ],
)
def test_scopes_are_read_from_the_claims(claims: dict[str, Any], scopes: set[str] | None) -> None:
    assert of_claims(claims) == scopes


@pytest.mark.parametrize(
    ("scopes", "needed", "table", "asks_for"),
    [
        ({"read"}, "read", "note", None),
        ({"read:note"}, "read", "note", None),
        ({"read"}, "write", "note", "write"),
        ({"write:other"}, "write", "note", "write:note"),
        ({"write:other"}, "write", "", "write"),
        ({"read:note"}, "write", "note", "write"),
    ],
)
def test_an_error_asks_for_the_missing_scope(scopes: set[str], needed: str, table: str, asks_for: str | None) -> None:
    granted = frozenset(scopes)
    assert permits(granted, needed, table) == (asks_for is None)
    if asks_for is None:
        require(granted, needed, table)
        return
    with pytest.raises(InsufficientScope) as raised:
        require(granted, needed, table)
    assert raised.value.needed == asks_for


@pytest.mark.parametrize(("scopes", "allowed"), [({"write"}, True), ({"read"}, False), ({"write:note"}, False)])
def test_a_routine_needs_the_scope_to_write(scopes: set[str], allowed: bool) -> None:
    clerk = GrantedRights(DatabaseRole("clerk"), RolePrivileges(routines={("public", "answer")}))
    rights = ScopedRights(clerk, frozenset(scopes))
    assert rights.routine("_func", "answer", "POST") is allowed
    assert not rights.routine("_func", "other", "POST")


def test_a_write_without_the_scope_to_read_returns_keys_only() -> None:
    rights = ScopedRights(FullRights(), frozenset(("write:note",)))
    assert rights.right(NOTE, "GET") is None
    right = rights.right(NOTE, "PATCH")
    assert right is not None
    assert [name for name in NOTE.columns if right.can_read(name)] == ["id"]
