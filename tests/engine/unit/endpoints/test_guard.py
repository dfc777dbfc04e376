"""The door of a script: limits, roles, bodies."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tableapi.auth.policy import ANYONE, Actor
from tableapi.endpoints.guard import Endpoint, Limit, authorize, cron, decode, parse_limits, script, validate
from tableapi.errors import ApiError, BadRequest, Invalid, UnsupportedMedia


def endpoint(**door: object) -> Endpoint:
    async def run(ctx: object) -> None:
        """Do nothing."""

    return script(**door)(run).endpoint  # type: ignore[arg-type,attr-defined,no-any-return]


def test_limits_are_read_at_start() -> None:
    assert parse_limits("60/minute per session, 5/15 minutes per ip") == (
        Limit(60, 60, "session"),
        Limit(5, 900, "ip"),
    )
    with pytest.raises(ValueError, match="not a limit"):
        parse_limits("often")


def test_a_clock_is_a_cron_expression() -> None:
    assert [cron("5m"), cron("1h"), cron("1d"), cron("1 2 * * *")] == [
        "*/5 * * * *",
        "0 */1 * * *",
        "0 3 */1 * *",
        "1 2 * * *",
    ]


def test_a_door_must_be_said() -> None:
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
def test_who_may_come_in(roles: tuple[str, ...], role: str, status: int | None) -> None:
    door = endpoint(roles=roles)
    if status is None:
        authorize(door, Actor(role))
        return
    with pytest.raises(ApiError) as refused:
        authorize(door, Actor(role))
    assert refused.value.status == status


def test_public_lets_everybody_in() -> None:
    authorize(endpoint(public=True), Actor(""))


def test_bodies() -> None:
    assert decode(b"", "") == {}
    assert decode(b'{"a": 1}', "application/json; charset=utf-8") == {"a": 1}
    assert decode(b'{"a": "\\\\u0000"}', "application/json") == {"a": "\\u0000"}
    with pytest.raises(UnsupportedMedia):
        decode(b"a=1", "application/x-www-form-urlencoded")
    for bad in (b"{", b"[1]", b"\xff", b'{"a": ["\\u0000"]}', b'{"\\u0000": 1}'):
        with pytest.raises(BadRequest):
            decode(bad, "application/json")


class Model(BaseModel):
    count: int


def test_the_field_that_is_wrong_is_named() -> None:
    with pytest.raises(Invalid) as refused:
        validate(Model, {"count": "many"})
    assert list(refused.value.context["fields"]) == ["count"]
