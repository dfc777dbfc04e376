"""Hooks of /_table/appuser: mailed tokens, the caller's profile, members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from product import audit
from product.accounts import email_domains, person_names, profile_form, sessions, tax_ids, users
from product.context import Context
from product.team import seats
from tableapi import BadRequest, Conflict, FieldError, Forbidden, Invalid, NotFound, equalities, validate

ADDS_PER_HOUR, LOOKUPS_PER_MINUTE = 20, 10
_OPTIONS = {"filter", "api_key"}
SWITCHES, PROFILE = (("isactive", "role"), ("name", "firstname", "lastname", "phonenumber", "avatar", "language"))
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
            raise PydanticCustomError("fields_missing", "Please fill all required fields")
        person_names.checked(f"{self.firstname} {self.lastname}")
        return self


async def get(
    ctx: Context, _records: list[dict[str, object]], options: Mapping[str, object]
) -> list[dict[str, object]] | None:
    """Answer the filter `(email=x) and (verifytoken=y)` for the holder of a mailed token.

    Any other read is left to the engine, and refused for a caller without a session.
    """
    lookup = _token_filter(str(options.get("filter", "")))
    if lookup is None or not options.keys() <= _OPTIONS:
        if ctx.actor.role == "key":
            raise sessions.ended()
        return None
    ctx.limit("verifytoken", ctx.request.network, LOOKUPS_PER_MINUTE, 60)
    user = await users.proved(ctx, *lookup, "verify", "invite")
    if user is None or user.isdeleted:
        return []
    row = {name: getattr(user, name) for name in ("appuserid", "name", "email", "isverified", "invitestatus")}
    invitation = await seats.invitation(ctx, lookup[1]) if user.invitestatus == "pending" else None
    return [row if invitation is None else row | {"role": user.role} | invitation.model_dump()]


def _token_filter(text: str) -> tuple[str, str] | None:
    """Return email and token of a filter that consists of these two equalities joined by AND, else None."""
    found = equalities(text) if "verifytoken" in text.lower() else None
    if found is None or list(found) != ["email", "verifytoken"]:
        return None
    return str(found["email"]), str(found["verifytoken"])


async def post(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    """Add one member. Password, state and account in the body are ignored."""
    if len(records) != 1:
        raise BadRequest("Add one member at a time.", reason="bad_records", case="one_member")
    ctx.limit("addmember", str(ctx.actor.clientid), ADDS_PER_HOUR, 3600)
    member = validate(Member, records[0])
    email = await email_domains.business(ctx, member.email, email_domains.FREE_BLOCKED)
    return [await seats.add(ctx, email, member.firstname, member.lastname, member.role)]


async def patch(ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]) -> None:
    """Validate and normalize changes of profiles and members.

    Company fields are written here, all others by the engine under policy.py. Every record is validated before
    anything is written.
    """
    targets = [(record, await users.of_team(ctx, _id(record))) for record in records]
    companies = [await _validate(ctx, record, user) for record, user in targets]
    for (record, user), company in zip(targets, companies, strict=True):
        if company:
            await profile_form.keep_company(ctx, company)
        if user.appuserid != ctx.actor.appuserid:
            await _apply_switches(ctx, record, user)


def _id(record: dict[str, object]) -> int:
    try:
        return int(str(record["appuserid"]))
    except (KeyError, ValueError):
        raise BadRequest("Send appuserid, the id of the user.", reason="bad_identifier", case="which_user") from None


async def _validate(ctx: Context, record: dict[str, object], user: users.User) -> dict[str, object]:
    """Validate and normalize one record in place, and return the company fields removed from it."""
    is_self = user.appuserid == ctx.actor.appuserid
    if not is_self and ctx.actor.role != "client":
        raise NotFound(f"There is no member with the id {user.appuserid}.", case="no_such_member")
    if not is_self and user.role == "client":
        raise Forbidden("The owner of the account cannot be changed.", reason="field_not_writable", case="owner_fixed")
    _reject_changes(record, user, STATE if is_self else (*STATE[len(SWITCHES) :], *PROFILE))
    if not is_self:
        _check_switches(record, user)
        return {}
    await profile_form.tidy_person(ctx, record, user)
    company = profile_form.take_company(record)
    if ctx.actor.seatrole == "client" and record.get("phonenumber") is not None:
        company["phonenumber"] = record["phonenumber"]
    if company and ctx.actor.seatrole != "client":
        raise Forbidden(
            "Only the owner of the account may change company details.",
            reason="field_not_writable",
            case="company_of_owner",
        )
    await tax_ids.check(ctx, company)
    return company


def _reject_changes(record: dict[str, object], user: users.User, fixed: tuple[str, ...]) -> None:
    """Raise Forbidden (403) if the record changes one of these fields."""
    for name in fixed:
        if name in record and _plain(record[name]) != _plain(getattr(user, name)):
            raise Forbidden(
                f"You cannot change: {name}.", reason="field_not_writable", case="field_fixed", context={"field": name}
            )


def _plain(value: object) -> str:
    return str(int(value) if isinstance(value, bool) else "" if value is None else value)


def _check_switches(record: dict[str, object], user: users.User) -> None:
    """Validate `isactive` and `role`, the fields of a member that the owner may change."""
    if record.keys().isdisjoint(SWITCHES):
        return
    if user.invitestatus != "accepted":
        raise Conflict("The member has not accepted the invitation yet.", reason="not_accepted")
    if "role" in record and record["role"] not in ("member", "admin", user.role):
        raise Forbidden(
            "The role of a member must be member or admin.", reason="field_not_writable", case="role_unknown"
        )
    if _plain(record.get("isactive", 1)) not in ("0", "1"):
        raise Invalid({"isactive": FieldError("not_0_or_1", "Must be 0 or 1")})
    if "isactive" in record:
        record["isactive"] = int(_plain(record["isactive"]))


async def _apply_switches(ctx: Context, record: dict[str, object], user: users.User) -> None:
    """End the sessions of a member that was disabled or got another role, and write the audit log."""
    active, role = record.get("isactive", user.isactive), record.get("role", user.role)
    if (active, role) == (user.isactive, user.role):
        return
    async with ctx.db.transaction():
        if not active or role != user.role:
            await sessions.end_all(ctx, user.appuserid)
        await audit.write(ctx, "member_changed", user.appuserid, isactive=str(active), role=role)


async def delete(
    ctx: Context, records: list[dict[str, object]], options: Mapping[str, object]
) -> list[dict[str, object]]:
    """Delete members softly and release their seats. The response is a list, also for a delete by path."""
    targets = [_id(record) for record in records]
    if not targets:
        raise BadRequest("Send appuserid, the id of the member to delete.", reason="no_records", case="which_member")
    async with ctx.db.transaction():
        for target in targets:
            await seats.remove(ctx, target)
    deleted: list[dict[str, object]] = [{"appuserid": target} for target in targets]
    return [{"resource": deleted}] if "id" in options else deleted
