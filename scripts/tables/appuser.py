"""Hooks of /_table/appuser: mailed tokens (21), own profile (30), members (31), adding (32) and deleting them (33)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from scripts._shared import audit
from scripts._shared.accounts import email_domains, person_names, profile_form, sessions, users
from scripts._shared.context import Context
from scripts._shared.team import seats
from tableapi.endpoints.guard import validate
from tableapi.errors import BadRequest, Conflict, Forbidden, Invalid, NotFound, Unauthorized
from tableapi.query.filter import ast as tree
from tableapi.query.filter import cache

ADD_PER_HOUR, LOOK_PER_MINUTE = 20, 10
_OPTIONS = {"filter", "api_key"}
SWITCHES, PROFILE = ("isactive", "role"), ("name", "firstname", "lastname", "phonenumber", "avatar")
STATE = (*SWITCHES, "email", "isverified", "isdeleted", "invitestatus")


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
            self.firstname, self.lastname = person_names.split(self.name)
        if not self.firstname:
            raise ValueError("Please fill all required fields")
        if not person_names.is_plain(f"{self.firstname} {self.lastname}"):
            raise ValueError(person_names.REFUSED)
        return self


async def get(ctx: Context, _records: list[dict[str, Any]], options: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Call 21: exactly `(email=x) and (verifytoken=y)`, for who has a mailed token. All else is the engine's."""
    asked = _token_filter(str(options.get("filter", "")))
    if asked is None or not options.keys() <= _OPTIONS:
        if ctx.actor.role == "key":
            raise Unauthorized(sessions.EXPIRED)
        return None
    ctx.limit("verifytoken", ctx.request.network, LOOK_PER_MINUTE, 60)
    user = await users.proved(ctx, *asked, "verify", "invite")
    if user is None or user["isdeleted"]:
        return []
    return [{name: user[name] for name in ("appuserid", "name", "email", "isverified", "invitestatus")}]


def _token_filter(text: str) -> tuple[str, str] | None:
    """E-mail and token of a filter that is exactly two equalities joined by AND; None for any other filter."""
    if "verifytoken" not in text.lower():
        return None
    try:
        found, literals = cache.parse(text)
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
    email = await email_domains.business(ctx, member.email, email_domains.FREE_BLOCKED)
    return [await seats.add(ctx, email, member.firstname, member.lastname, member.role)]


async def patch(ctx: Context, records: list[dict[str, Any]], _options: Mapping[str, Any]) -> None:
    """Calls 30 and 31: check and tidy; company fields are written here, the rest by the engine under policy.py.

    Nothing is written before every record was checked.
    """
    found = [(record, await users.of_team(ctx, _id(record))) for record in records]
    companies = [await _checked(ctx, record, user) for record, user in found]
    for (record, user), company in zip(found, companies, strict=True):
        if company:
            await profile_form.keep_company(ctx, company)
        if user["appuserid"] != ctx.actor.appuserid:
            await _switched(ctx, record, user)


def _id(record: dict[str, Any]) -> int:
    try:
        return int(str(record["appuserid"]))
    except (KeyError, ValueError):
        raise BadRequest("Say which user: appuserid.", reason="bad_identifier") from None


async def _checked(ctx: Context, record: dict[str, Any], user: Any) -> dict[str, Any]:
    """Check one record and bring its values into form; the company fields taken out of it."""
    own = user["appuserid"] == ctx.actor.appuserid
    if not own and ctx.actor.role != "client":
        raise NotFound("There is no such member.")
    if not own and user["role"] == "client":
        raise Forbidden("The owner of the account cannot be changed.", reason="field_not_writable")
    _only(record, user, STATE if own else (*STATE[len(SWITCHES) :], *PROFILE))
    if not own:
        _check_switches(record, user)
        return {}
    await profile_form.tidy_person(ctx, record, user)
    company = profile_form.take_company(record)
    if ctx.actor.seatrole == "client" and record.get("phonenumber") is not None:
        company["phonenumber"] = record["phonenumber"]
    if company and ctx.actor.seatrole != "client":
        raise Forbidden("Only the owner of the account changes company details.", reason="field_not_writable")
    return company


def _only(record: dict[str, Any], user: Any, fixed: tuple[str, ...]) -> None:
    """Refuse these fields unless they are sent as they are stored."""
    for name in fixed:
        if name in record and _plain(record[name]) != _plain(user[name]):
            raise Forbidden(f"You cannot change: {name}.", reason="field_not_writable", context={"field": name})


def _plain(value: Any) -> str:
    return str(int(value) if isinstance(value, bool) else "" if value is None else value)


def _check_switches(record: dict[str, Any], user: Any) -> None:
    """What an owner may do with a member: switch it on or off, and choose its role."""
    if record.keys().isdisjoint(SWITCHES):
        return
    if user["invitestatus"] != "accepted":
        raise Conflict("The invitation was not accepted yet.", reason="not_accepted")
    if "role" in record and record["role"] not in ("member", "admin", user["role"]):
        raise Forbidden("A member can be member or admin.", reason="field_not_writable")
    if _plain(record.get("isactive", 1)) not in ("0", "1"):
        raise Invalid({"isactive": "Must be 0 or 1"})
    if "isactive" in record:
        record["isactive"] = int(_plain(record["isactive"]))


async def _switched(ctx: Context, record: dict[str, Any], user: Any) -> None:
    """End the sessions of a member that was switched off or got another role, and keep it in the audit log."""
    active, role = record.get("isactive", user["isactive"]), record.get("role", user["role"])
    if (active, role) == (user["isactive"], user["role"]):
        return
    async with ctx.db.transaction():
        if not active or role != user["role"]:
            await sessions.end_all(ctx, user["appuserid"])
        await audit.write(ctx, "member_changed", user["appuserid"], isactive=str(active), role=role)


async def delete(ctx: Context, records: list[dict[str, Any]], options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Call 33: a soft delete that gives the seat back. It is answered by a list, also by path."""
    targets = [_id(record) for record in records]
    if not targets:
        raise BadRequest("Say which member to delete.", reason="no_records")
    async with ctx.db.transaction():
        for target in targets:
            await seats.remove(ctx, target)
    deleted = [{"appuserid": target} for target in targets]
    return [{"resource": deleted}] if "id" in options else deleted
