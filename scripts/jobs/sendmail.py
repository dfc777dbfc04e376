"""Send one queued mail. The queue retries a failure with back-off."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel

from product.context import Context
from product.language import DEFAULT, known
from product.mail import render
from tableapi import script


class Input(BaseModel):
    name: str
    to: str
    values: dict[str, object]
    language: str = DEFAULT
    mark: str = ""  # identifies the mail across retries


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    mail = render(ctx.settings, input.name, input.to, input.values, known(input.language) or DEFAULT)
    await ctx.vendors.mailer.send(replace(mail, mark=input.mark))
