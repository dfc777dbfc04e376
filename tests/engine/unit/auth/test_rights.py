"""Rights: the rule of a role, what it may read and write, and the scopes of a token."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from tableapi.auth.policy import ANYONE, Access, Actor, ActorTerms, Rule, Sessions
from tableapi.auth.rights import EVERYTHING, FullRights, NoRights, PolicyRights, Right
from tableapi.schema.model import Column, Table
from tableapi.schema.types import PgType

FIELDS = ("id", "name", "secret")


def table_of(name: str = "note") -> Table:
    text = PgType("text", "text", "text")
    columns = {field: Column(field, text, True, None, "", False) for field in FIELDS}
    return Table("public", name, name, "r", sa.table(name, *map(sa.column, FIELDS)), columns, key=("id",))


NOTE = table_of()
POLICY = {
    "note": Access(
        read=Rule(roles=("member",), hidden={"secret"}),
        create=Rule(roles=("member", "writer"), fields={"name"}, set_on_create={"secret": lambda actor: actor.secret}),
        update=Rule(roles=("member",), fields={"name", "secret"}, hidden={"secret"}, ignored={"id"}),
        delete=Rule(roles=("owner",)),
        sealed={"secret"},
        replica=True,
    )
}


@pytest.mark.parametrize(
    ("role", "verb", "readable", "writable"),
    [
        ("member", "GET", {"id", "name"}, set()),
        ("member", "POST", {"id", "name"}, {"name"}),
        ("member", "PUT", {"id", "name"}, {"name"}),
        ("member", "PATCH", {"id", "name"}, {"name"}),
        ("writer", "POST", {"id"}, {"name"}),  # without a read rule only the key is returned
        ("owner", "DELETE", {"id"}, set()),
    ],
)
def test_a_rule_names_the_fields_to_read_and_write(
    role: str, verb: str, readable: set[str], writable: set[str]
) -> None:
    right = PolicyRights(POLICY, role).right(NOTE, verb)

    assert right is not None
    assert (right.readable, right.writable) == (frozenset(readable), frozenset(writable))
    assert (right.sealed, right.replica) == (frozenset({"secret"}), True)


@pytest.mark.parametrize(
    ("role", "verb", "table"),
    [("writer", "GET", NOTE), ("member", "DELETE", NOTE), ("", "GET", NOTE), ("member", "GET", table_of("other"))],
)
def test_unlisted_tables_are_not_exposed(role: str, verb: str, table: Table) -> None:
    assert PolicyRights(POLICY, role).right(table, verb) is None


def test_a_right_is_derived_once() -> None:
    rights = PolicyRights(POLICY, "member")

    assert rights.right(NOTE, "GET") is rights.right(NOTE, "GET")


def test_rights_without_a_policy_are_all_or_nothing() -> None:
    assert FullRights().right(NOTE, "DELETE") is EVERYTHING
    assert NoRights().right(NOTE, "GET") is None
    for rights in (FullRights(), NoRights(), PolicyRights(POLICY, "member")):
        assert not rights.routine("_func", "anything", "GET")


@pytest.mark.parametrize(
    ("right", "field", "can_read", "can_write", "may_set"),
    [
        (Right(), "name", True, True, True),
        (Right(readable=frozenset(("id",)), writable=frozenset(("name",))), "name", False, True, True),
        (Right(readable=frozenset(("id",)), writable=frozenset(("name",))), "id", True, False, False),
        (Right(set_on_create={"name": lambda actor: actor.name}), "name", True, True, False),
    ],
)
def test_a_right_answers_for_one_field(right: Right, field: str, can_read: bool, can_write: bool, may_set: Any) -> None:
    assert (right.can_read(field), right.can_write(field), right.may_set([field])) == (can_read, can_write, may_set)


OWNER, MEMBER, ALL = Rule(roles=("owner",)), Rule(roles=("member", "owner")), Rule(roles=ANYONE)


@pytest.mark.parametrize(
    ("rules", "role", "expected"),
    [
        (None, "owner", None),
        (OWNER, "owner", OWNER),
        (OWNER, "member", None),
        ((OWNER, MEMBER), "owner", OWNER),
        ((OWNER, MEMBER), "member", MEMBER),
        ((OWNER, ALL), "stranger", ALL),
        (ALL, "", ALL),
    ],
)
def test_the_first_rule_that_covers_the_role_applies(
    rules: Rule | tuple[Rule, ...] | None, role: str, expected: Rule | None
) -> None:
    assert Access(read=rules).rule("read", role) is expected
    assert Access(read=rules).rule("update", role) is None


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        ({"owner_id": "user_id"}, {"owner_id": "user_id"}),
        (frozenset(("tenant_id",)), {"tenant_id": "tenant_id"}),
        (frozenset(), {}),
    ],
)
def test_identity_fields_map_to_session_values(
    identity: dict[str, str] | frozenset[str], expected: dict[str, str]
) -> None:
    assert Sessions("select 1", identity=identity).identities == expected


def test_an_actor_has_the_values_of_its_session() -> None:
    actor = Actor("member", {"tenant_id": 7})

    assert actor.tenant_id == 7
    with pytest.raises(AttributeError, match="other"):
        _ = actor.other


def test_a_symbolic_actor_has_bound_parameters() -> None:
    assert ActorTerms().tenant_id.key == "actor.tenant_id"
    assert str(sa.column("tenant_id") == ActorTerms().tenant_id) == "tenant_id = :actor_tenant_id"
    with pytest.raises(AttributeError):
        ActorTerms().__deepcopy__  # noqa: B018 - copy() and pickle look up such names
