"""Validate and store the profile fields that users can edit: their own, and those of their company."""

from __future__ import annotations

import re
from typing import Annotated

import pycountry
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator
from pydantic_core import PydanticCustomError

from product.accounts import person_names
from product.accounts.users import User
from product.context import Context
from product.language import LANGUAGES
from tableapi import FieldError, Invalid, validate

PHONE = FieldError("phone_invalid", "Please Enter Valid Phone Number")
_PUNCTUATION = re.compile(r"[ \u00a0\u2010-\u2015()\[\]+-]")
_NUMBER = re.compile(r"[0-9]{5,15}")
_Count = Annotated[int, Field(ge=0, le=2_147_483_647)]
_NOT_ISO = {"XKX"}  # Kosovo: in common country lists, but not in ISO 3166
_AVATAR = """
    select exists (select 1 from upload where clientid = $3 and path = $1 and appuserid = $2 and kind = 'avatar')
        or exists (select 1 from appuser where appuserid = $2 and avatar = $1)
"""


class Company(BaseModel):
    """Company fields that the owner may write."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    companyname: Annotated[str, StringConstraints(max_length=200)] | None = None
    country: str | None = None
    salespeoplecount: _Count | None = None
    requiredleadcount: _Count | None = None
    department: Annotated[str, StringConstraints(max_length=100)] | None = None
    taxid: Annotated[str, StringConstraints(max_length=50)] | None = None
    billingaddress: Annotated[str, StringConstraints(max_length=200)] | None = None

    _plain = field_validator("companyname")(person_names.checked)

    @field_validator("country")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        if not value:
            return None
        code = value.upper()
        if code not in _NOT_ISO and pycountry.countries.get(alpha_3=code) is None:
            raise PydanticCustomError("country_invalid", "Must be a three-letter country code such as USA")
        return code


def digits(value: object) -> str:
    """Return a phone number as stored: 5 to 15 digits, or an empty text.

    Spaces, dashes, brackets and plus signs are removed.

    Raises:
        Invalid: the number contains any other character, or has another length (422).
    """
    if not isinstance(value, str | int | None):
        raise Invalid({"phonenumber": PHONE})
    typed = "" if value is None else str(value).strip()
    number = _PUNCTUATION.sub("", typed) if isinstance(value, str) else typed
    if typed and not _NUMBER.fullmatch(number):
        raise Invalid({"phonenumber": PHONE})
    return number


def take_company(record: dict[str, object]) -> dict[str, object]:
    """Remove the company fields from a record and return them validated."""
    fields = {name: record.pop(name) for name in Company.model_fields if name in record}
    company = validate(Company, fields)
    return {name: getattr(company, name) for name in fields if getattr(company, name) is not None or name == "country"}


async def tidy_person(ctx: Context, record: dict[str, object], user: User) -> None:
    """Validate and normalize the user fields of a record in place: phone, name, avatar, language.

    Args:
        user: the stored row, used for the part of the name that the record omits.

    Raises:
        Invalid: a field has a wrong type or value, or the avatar was not uploaded by the caller (422).
    """
    for name in ("name", "firstname", "lastname", "avatar"):
        text = record.get(name)
        if not isinstance(text, str | None):
            raise Invalid({name: FieldError("string_type", "Must be text")})
        if name != "avatar" and not person_names.is_plain(text or ""):
            raise Invalid({name: FieldError("name_with_address", person_names.REJECTED)})
    if "phonenumber" in record:
        record["phonenumber"] = digits(record["phonenumber"])
    if "firstname" in record or "lastname" in record:
        parts = ("firstname", "lastname")
        if empty := next((part for part in parts if part in record and not str(record[part] or "").strip()), None):
            raise Invalid({empty: FieldError("fields_missing", "Please fill all required fields")})
        first, last = (str(record.get(part, getattr(user, part))).strip() for part in parts)
        record |= {"firstname": first, "lastname": last, "name": person_names.joined(first, last)}
    elif "name" in record:
        name = " ".join(str(record["name"] or "").split())
        if not name:
            raise Invalid({"name": FieldError("fields_missing", "Please fill all required fields")})
        first, last = person_names.split(name)
        record |= {"name": name, "firstname": first, "lastname": last}
    if "language" in record and record["language"] not in (*LANGUAGES, user.language):
        raise Invalid({"language": f"Must be one of: {', '.join(LANGUAGES)}"})
    avatar = record.get("avatar")
    if avatar and not await ctx.db.first_value(bool, _AVATAR, str(avatar), ctx.actor.appuserid, ctx.actor.clientid):
        raise Invalid({"avatar": FieldError("upload_first", "Upload the picture first")})


async def keep_company(ctx: Context, company: dict[str, object]) -> None:
    """Update the company fields of the caller's account."""
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(company, 2))
    sql = f"update client set {changes} where clientid = $1"  # noqa: S608 - names of the model's fields
    await ctx.db.execute(sql, ctx.actor.clientid, *company.values())
