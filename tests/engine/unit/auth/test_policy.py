"""Rules of a policy: which one applies to a role, and the symbolic actor of its conditions."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from tableapi.auth.policy import ANYONE, Access, Actor, ActorTerms, Rule, Sessions

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
