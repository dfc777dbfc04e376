"""Declaration of scripts, and the checks before a script runs: limits, roles, input."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tableapi.auth.policy import ANYONE, Actor
from tableapi.errors import ApiError, Invalid
from tableapi.project.guard import Endpoint, Limit, authorize, cron, parse_limits, script, validate


def endpoint(**options: object) -> Endpoint:
    async def run(ctx: object) -> None:
        """Do nothing."""

    return script(**options)(run).endpoint  # type: ignore[arg-type,attr-defined,no-any-return]


def test_limits_are_parsed() -> None:
    assert parse_limits("60/minute per session, 5/15 minutes per ip") == (
        Limit(60, 60, "session"),
        Limit(5, 900, "ip"),
    )
    with pytest.raises(ValueError, match="not a limit"):
        parse_limits("often")


@pytest.mark.parametrize("text", ["60/minute", "5/15 minute", "10/second", "3/2 hour", "2000/day", "1/36 hour"])
def test_a_rate_round_trips(text: str) -> None:
    assert parse_limits(f"{text} per user")[0].rate == text


def test_intervals_become_cron_expressions() -> None:
    assert [cron("5m"), cron("1h"), cron("1d"), cron("1 2 * * *")] == [
        "*/5 * * * *",
        "0 */1 * * *",
        "0 3 */1 * *",
        "1 2 * * *",
    ]


def test_a_script_must_declare_its_callers() -> None:
    with pytest.raises(TypeError):
        endpoint()


@pytest.mark.parametrize(
    ("roles", "role", "status"),
    [
        (("client",), "", 401),
        (("client",), "key", 401),
        (("client",), "unverified", 403),
        (("client",), "member", 403),
        (("client",), "client", None),
        ((ANYONE,), "key", None),
        ((ANYONE,), "", 401),
    ],
)
def test_roles(roles: tuple[str, ...], role: str, status: int | None) -> None:
    guarded = endpoint(roles=roles)
    if status is None:
        authorize(guarded, Actor(role))
        return
    with pytest.raises(ApiError) as refused:
        authorize(guarded, Actor(role))
    assert refused.value.status == status


def test_a_public_script_needs_no_role() -> None:
    authorize(endpoint(public=True), Actor(""))


class Model(BaseModel):
    count: int


def test_an_invalid_field_is_named() -> None:
    with pytest.raises(Invalid) as refused:
        validate(Model, {"count": "many"})
    assert list(refused.value.context["fields"]) == ["count"]
