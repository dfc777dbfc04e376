"""Mail a visitor's request for a demonstration to the operator."""

from __future__ import annotations

from email.utils import parseaddr

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from product import language as languages
from product import mail
from product.accounts import email_domains, person_names
from product.context import Context
from product.success import Output
from tableapi import ANYONE, script


class Input(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    name: str = Field(min_length=1, max_length=100)
    email: str = Field(min_length=1)
    query: str = Field(min_length=1, max_length=200)

    @field_validator("name", "email")
    @classmethod
    def _one_line(cls, value: str) -> str:
        if "\n" in value or "\r" in value:
            raise PydanticCustomError("not_one_line", "Must be one line")
        return value

    _plain = field_validator("name")(person_names.checked)


@script(roles=(ANYONE,), limit="3/hour per ip")
async def run(ctx: Context, input: Input) -> Output:
    email = email_domains.cleaned(input.email)
    _, recipient = parseaddr(ctx.settings.mail_from)
    values = {"name": input.name, "email": email, "query": input.query}
    await mail.queue(ctx, "demo", recipient, language=languages.of(ctx, None), **values)
    return Output()
