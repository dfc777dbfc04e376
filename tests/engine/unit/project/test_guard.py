"""Declaration of scripts, and the checks before a script runs: limits, roles, input."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import BaseModel, Field, field_validator
from pydantic_core import PydanticCustomError

from tableapi.auth.policy import ANYONE, Actor, Sessions
from tableapi.errors import ApiError, Invalid, Unauthorized
from tableapi.project.guard import Limit, Script, authorize, cron, parse_limits, script, validate


def made(**options: object) -> Script:
    async def run(ctx: object) -> None:
        """Do nothing."""

    return script(**options)(run).script  # type: ignore[arg-type,attr-defined,no-any-return]


def test_limits_are_parsed() -> None:
    assert parse_limits("60/minute per session, 5/15 minutes per ip") == (Limit(60, 60, "session"), Limit(5, 900, "ip"))
    with pytest.raises(ValueError, match="must be a limit"):
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
        made()


@pytest.mark.parametrize(
    ("roles", "role", "status"),
    [
        (("client",), "", 401),
        (("client",), "key", 401),
        (("client",), "member", 403),
        (("client",), "client", None),
        ((ANYONE,), "key", None),
        ((ANYONE,), "", 401),
    ],
)
def test_only_listed_roles_may_call(roles: tuple[str, ...], role: str, status: int | None) -> None:
    guarded = made(roles=roles)
    if status is None:
        authorize(guarded, Actor(role))
        return
    with pytest.raises(ApiError) as refused:
        authorize(guarded, Actor(role))
    assert refused.value.status == status


def test_unlisted_role_gets_the_error_of_the_policy() -> None:
    sessions = Sessions(lookup="", unlisted={"new": (403, "unconfirmed", "Confirm the address first.", 802)})
    authorize(made(roles=(ANYONE,)), Actor("new"), sessions)
    with pytest.raises(ApiError) as rejected:
        authorize(made(roles=("client",)), Actor("new"), sessions)
    error = rejected.value
    assert (error.status, error.code, error.reason, error.message) == (
        403,
        802,
        "unconfirmed",
        "Confirm the address first.",
    )


def test_ended_session_is_reported_with_the_message_of_the_policy() -> None:
    with pytest.raises(Unauthorized, match=r"The session has ended\."):
        authorize(made(roles=("client",)), Actor("key"))
    with pytest.raises(Unauthorized, match="Over"):
        authorize(made(roles=("client",)), Actor("key"), Sessions(lookup="", expired="Over"))


def test_a_public_script_needs_no_role() -> None:
    authorize(made(public=True), Actor(""))


class Model(BaseModel):
    count: int
    name: Annotated[str, Field(max_length=9)] = ""
    note: str = ""

    @field_validator("note")
    @classmethod
    def _checked(cls, note: str) -> str:
        if note == "shout":
            raise PydanticCustomError("loud", "Write at most {capitals} capitals", {"capitals": 3})
        if note == "whisper":
            raise ValueError("Speak up")
        return note


def test_an_invalid_field_is_reported() -> None:
    with pytest.raises(Invalid) as refused:
        validate(Model, {"count": "many"})
    assert list(refused.value.context["fields"]) == ["count"]


@pytest.mark.parametrize(
    ("sent", "message", "case"),
    [
        ({}, "count: Missing", {"case": "missing"}),
        ({"count": "many"}, "count: Must be a whole number", {"case": "int_parsing"}),
        ({"count": 1, "name": "x" * 10}, "name: Must have a length of at most 9; you sent 10",
         {"case": "string_too_long", "max_length": 9}),
        ({"count": 1, "note": "shout"}, "Write at most 3 capitals", {"case": "loud", "capitals": 3}),
    ],
)  # fmt: skip
def test_the_case_of_a_field_is_the_type_of_its_error(
    sent: dict[str, object], message: str, case: dict[str, object]
) -> None:
    with pytest.raises(Invalid) as refused:
        validate(Model, sent)
    error = refused.value
    assert (error.message, error.case) == (message, case["case"])
    assert list(error.context["field_errors"].values()) == [case]
    assert error.context.items() >= {name: value for name, value in case.items() if name != "case"}.items()


def test_a_plain_value_error_has_a_message_without_a_case() -> None:
    with pytest.raises(Invalid) as refused:
        validate(Model, {"count": 1, "note": "whisper"})
    assert (refused.value.context, refused.value.case) == ({"fields": {"note": "Speak up"}}, "")
