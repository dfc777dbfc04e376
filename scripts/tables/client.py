"""Hooks of /_table/client: sign up by password or with a provider, and validate changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator
from pydantic_core import PydanticCustomError

from product import audit, mail
from product import language as languages
from product.accounts import (
    email_domains,
    oauth,
    passwords,
    person_names,
    profile_form,
    sessions,
    signup,
    tax_ids,
    users,
)
from product.accounts.signup import EmailExists
from product.context import Context
from tableapi import BadRequest, FieldError, Invalid, validate

PER_HOUR = 5


@dataclass(frozen=True, slots=True)
class _Numbers:
    appuserid: int
    clientid: int
    afid: str


class Register(BaseModel):
    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    email: str = Field(min_length=1)
    name: str = Field(min_length=1, max_length=200)
    password: Annotated[str, StringConstraints(strip_whitespace=False)]  # not stripped: spaces are rejected
    terms: bool = False

    _plain = field_validator("name")(person_names.checked)

    @field_validator("password")
    @classmethod
    def _strong(cls, value: str) -> str:
        if problem := passwords.problem(value):
            raise PydanticCustomError(problem.case, problem.message, dict(problem.numbers))
        return value


async def post(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    """Sign up (`type` is `register`), or sign in or up with a provider (`type` is `social`).

    Takes one record.
    """
    if len(records) != 1:
        raise BadRequest("Send one record.", reason="bad_records", case="one_record")
    kind = records[0].get("type")
    if kind == "social":
        return [await oauth.enter(ctx, records[0])]
    if kind == "register":
        return [await _register(ctx, records[0])]
    raise Invalid({"type": FieldError("not_register_or_social", "Must be 'register' or 'social'")}, named=True)


async def _register(ctx: Context, record: dict[str, object]) -> dict[str, object]:
    form = validate(Register, record)
    email = await email_domains.business(ctx, form.email)
    if not form.terms:
        raise Invalid({"terms": signup.TERMS})
    ctx.limit("register", ctx.request.network, PER_HOUR, 3600)
    hashed = await passwords.hashed(form.password)
    try:
        async with ctx.db.transaction():
            user = await signup.open_account(ctx, email, form.name, password=hashed)
            await audit.write(ctx, "register", clientid=user.clientid, appuserid=user.appuserid)
            token = await sessions.start(ctx, user.appuserid)
    except EmailExists:
        if ctx.settings.signup_discloses:
            raise
        return await _decoy(ctx, email, form.name)
    return {"clientdata": {"user": asdict(user), "session_token": token}}


async def _decoy(ctx: Context, email: str, name: str) -> dict[str, object]:
    """Return the response of a sign-up with an invalid session, and mail the owner of the address.

    With SIGNUP_DISCLOSES=false, the response does not reveal that the address is taken.
    """
    user = await users.by_email(ctx, email)
    language = languages.of(ctx, user.language if user else None)  # None for a staff address
    await mail.queue(ctx, "exists", email, mail.link(ctx, "/login"), language=language)
    row = await ctx.db.one(
        _Numbers,
        "select nextval(pg_get_serial_sequence('appuser', 'appuserid')) as appuserid,"
        " nextval(pg_get_serial_sequence('client', 'clientid')) as clientid, gen_random_uuid()::text as afid",
    )
    decoy = asdict(row) | {"name": name, "email": email, "isverified": 0}
    return {"clientdata": {"user": decoy, "session_token": passwords.random_token()}}


async def patch(ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]) -> None:
    """Validate phone, company name and tax number as the profile form does. The engine writes."""
    for record in records:
        if "phonenumber" in record:
            record["phonenumber"] = profile_form.digits(record["phonenumber"])
        if not person_names.is_plain(str(record.get("companyname") or "")):
            raise Invalid({"companyname": FieldError("name_with_address", person_names.REJECTED)})
        if record.get("country"):
            record["country"] = validate(profile_form.Company, {"country": record["country"]}).country
        await tax_ids.check(ctx, record)
