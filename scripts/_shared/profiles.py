"""What a person changes about itself and its company (call 30): the rules of the fields, and where each is kept."""

from __future__ import annotations

import re
from typing import Annotated, Any

import pycountry
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from scripts._shared import names
from tableapi.context import Context
from tableapi.door import validate
from tableapi.errors import Forbidden, Invalid

PHONE = "Please Enter Valid Phone Number"
_Count = Annotated[int, Field(ge=0, le=2_147_483_647)]
_NO_DIGIT = re.compile(r"\D")
_NOT_ISO = {"XKX"}  # Kosovo, which lists of countries have and ISO has not
_AVATAR = """
    select exists (select 1 from upload where path = $1 and appuserid = $2 and kind = 'avatar')
        or exists (select 1 from appuser where appuserid = $2 and avatar = $1)
"""


class Company(BaseModel):
    """Fields of the client that its owner writes."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    companyname: Annotated[str, StringConstraints(max_length=200)] | None = None
    country: str | None = None
    salespeoplecount: _Count | None = None
    requiredleadcount: _Count | None = None
    department: Annotated[str, StringConstraints(max_length=100)] | None = None
    taxid: Annotated[str, StringConstraints(max_length=50)] | None = None
    billingaddress: Annotated[str, StringConstraints(max_length=200)] | None = None

    @field_validator("country")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        if not value:
            return None
        code = value.upper()
        if code not in _NOT_ISO and pycountry.countries.get(alpha_3=code) is None:
            raise ValueError("Must be a three-letter country code")
        return code


def digits(value: Any) -> str:
    """A phone number as it is kept: digits alone, 5 to 15 of them, or nothing."""
    if not isinstance(value, str | int | None):
        raise Invalid({"phonenumber": PHONE})
    number = _NO_DIGIT.sub("", str(value or ""))
    if value and not 5 <= len(number) <= 15:
        raise Invalid({"phonenumber": PHONE})
    return number


def take_company(record: dict[str, Any]) -> dict[str, Any]:
    """The company fields of a record, checked and taken out of it."""
    sent = {name: record.pop(name) for name in list(record) if name in Company.model_fields}
    checked = validate(Company, sent)
    return {name: getattr(checked, name) for name in sent if getattr(checked, name) is not None or name == "country"}


async def tidy_person(ctx: Context, record: dict[str, Any]) -> None:
    """Fields of the user in a record: phone as digits, both forms of the name, an avatar of one's own."""
    for name in ("name", "firstname", "lastname", "avatar"):
        if not isinstance(record.get(name), str | None):
            raise Invalid({name: "Must be text"})
    if "phonenumber" in record:
        record["phonenumber"] = digits(record["phonenumber"])
    if "firstname" in record or "lastname" in record:
        first, last = (str(record.get(part) or "").strip() for part in ("firstname", "lastname"))
        if not first or not last:
            name = "firstname" if not first else "lastname"
            raise Invalid({name: "Please fill all required fields"})
        record |= {"firstname": first, "lastname": last, "name": names.joined(first, last)}
    elif "name" in record:
        record["name"] = " ".join(str(record["name"] or "").split())
        if not record["name"]:
            raise Invalid({"name": "Please fill all required fields"})
        record["firstname"], record["lastname"] = names.split(record["name"])
    avatar = record.get("avatar")
    if avatar and not await ctx.db.fetchval(_AVATAR, str(avatar), ctx.actor.appuserid):
        raise Invalid({"avatar": "Upload the picture first"})


async def keep_company(ctx: Context, company: dict[str, Any], phonenumber: str | None) -> None:
    """Write the company fields of the caller's own client. Only for its owner."""
    if ctx.actor.seatrole != "client":
        raise Forbidden("Only the owner of the account changes company details.", reason="field_not_writable")
    if phonenumber is not None:
        company = company | {"phonenumber": phonenumber}
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(company, 2))
    sql = f"update client set {changes} where clientid = $1"  # noqa: S608 - names of the model's fields
    await ctx.db.execute(sql, ctx.actor.clientid, *company.values())
