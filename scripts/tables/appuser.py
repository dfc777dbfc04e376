"""Hooks of /_table/appuser: mailed tokens (21), own profile (30), members (31), adding (32) and deleting them (33)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from scripts._shared import audit, domains, members, names, profiles, sessions, users
from tableapi import filter_tree as tree
from tableapi import filters
from tableapi.context import Context
from tableapi.door import validate
from tableapi.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized

ADD_PER_HOUR, LOOK_PER_MINUTE = 20, 10
_OPTIONS = {"filter", "api_key"}


class Member(BaseModel):
    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    email: str = Field(min_length=1)
    name: str = ""
    firstname: str = Field(default="", max_length=100)
    lastname: str = Field(default="", max_length=100)
    role: Literal["member", "admin"] = "member"

    @model_validator(mode="after")
    def _named(self) -> Member:
        if not self.firstname:
            self.firstname, self.lastname = names.split(self.name)
        if not self.firstname:
            raise ValueError("Please fill all required fields")
        return self


async def get(ctx: Context, _records: list[dict[str, Any]], options: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Call 21: exactly `(email=x) and (verifytoken=y)`, for who has a mailed token. All else is the engine's."""
    asked = _token_filter(str(options.get("filter", "")))
    if asked is None or not options.keys() <= _OPTIONS:
        if ctx.actor.role == "key":
            raise Unauthorized(sessions.EXPIRED)
        return None
    ctx.limit("verifytoken", ctx.request.ip, LOOK_PER_MINUTE, 60)
    user = await users.proved(ctx, *asked, "verify", "invite")
    if user is None or user["isdeleted"]:
        return []
    return [{name: user[name] for name in ("appuserid", "name", "email", "isverified", "invitestatus")}]


def _token_filter(text: str) -> tuple[str, str] | None:
    """E-mail and token of a filter that is exactly two equalities joined by AND; None for any other filter."""
    try:
        found, literals = filters.parse(text)
    except BadRequest:
        return None
    match found.tree:
        case tree.Logic(
            "and",
            tree.Condition((email,), "=", (tree.Literal(place=first),), False),
            tree.Condition((token,), "=", (tree.Literal(place=second),), False),
        ) if (email.lower(), token.lower()) == ("email", "verifytoken"):
            return literals[first], literals[second]
    return None


async def post(ctx: Context, records: list[dict[str, Any]], _options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Call 32: add a member. Password, state and client of the body are not looked at."""
    if len(records) != 1:
        raise BadRequest("Add one member at a time.", reason="bad_records")
    ctx.limit("addmember", str(ctx.actor.clientid), ADD_PER_HOUR, 3600)
    member = validate(Member, records[0])
    email = await domains.business(ctx, member.email, domains.FREE_BLOCKED)
    return [await members.add(ctx, email, member.firstname, member.lastname, member.role)]


async def patch(ctx: Context, records: list[dict[str, Any]], _options: Mapping[str, Any]) -> None:
    """Calls 30 and 31: check and tidy; company fields are written here, the rest by the engine under policy.py."""
    for record in records:
        target = _id(record)
        if target == ctx.actor.appuserid:
            await _own(ctx, record)
        else:
            await _member(ctx, target, record)


def _id(record: dict[str, Any]) -> int:
    try:
        return int(str(record["appuserid"]))
    except (KeyError, ValueError):
        raise BadRequest("Say which user: appuserid.", reason="bad_identifier") from None


async def _own(ctx: Context, record: dict[str, Any]) -> None:
    await profiles.tidy_person(ctx, record)
    company = profiles.take_company(record)
    owner = ctx.actor.seatrole == "client"
    phone = record.get("phonenumber") if owner else None
    if company or phone is not None:
        await profiles.keep_company(ctx, company, phone)


async def _member(ctx: Context, target: int, record: dict[str, Any]) -> None:
    """The owner switches a member on or off, or changes its role."""
    if ctx.actor.role != "client":
        raise NotFound("There is no such member.")
    user = await users.of_team(ctx, target)
    if user["role"] == "client":
        raise Forbidden("The owner of the account cannot be changed.")
    if "isactive" not in record and "role" not in record:
        return
    if user["invitestatus"] != "accepted":
        raise Conflict("The invitation was not accepted yet.", reason="not_accepted")
    if "role" in record and record["role"] not in ("member", "admin", user["role"]):
        raise Forbidden("A member can be member or admin.", reason="field_not_writable")
    active = str(record.get("isactive", user["isactive"]))
    if active == str(user["isactive"]) and record.get("role", user["role"]) == user["role"]:
        return
    async with ctx.db.transaction():
        if active in ("0", "False") or record.get("role", user["role"]) != user["role"]:
            await sessions.end_all(ctx, target)
        await audit.write(ctx, "member_changed", target, isactive=active, role=record.get("role", user["role"]))


async def delete(ctx: Context, records: list[dict[str, Any]], _options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Call 33: a soft delete that gives the seat back."""
    targets = [_id(record) for record in records]
    if not targets:
        raise BadRequest("Say which member to delete.", reason="no_records")
    async with ctx.db.transaction():
        for target in targets:
            await members.remove(ctx, target)
    return [{"appuserid": target} for target in targets]
