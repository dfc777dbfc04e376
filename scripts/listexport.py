"""Return a list as CSV or xlsx, with chosen columns or in the form that a CRM imports.

With `preview`, return the names that have no clear first and last name; `names` decides about them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Json
from starlette.responses import Response

from product.contacts import list_export, lists
from product.contacts.list_export import COLUMNS, FORMS
from product.context import Context
from product.people import phones
from product.roles import SESSION
from tableapi import Invalid, attachment, script

Names = Annotated[
    list[str],
    BeforeValidator(lambda text: [part.strip() for part in text.split(",")] if isinstance(text, str) else text),
]
Part = Annotated[str, Field(max_length=100)]
MAX_DECIDED = 200


class Unsplit(BaseModel):
    """A name without a clear first and last name, and the parts that the file has."""

    full_name: str
    firstname: str
    lastname: str


class Output(BaseModel):
    resource: list[Unsplit]


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")

    listid: int = Field(ge=1, lt=2**63)
    format: Literal["csv", "xlsx"] = "csv"
    form: Literal["hubspot", "salesforce", "pipedrive"] | None = None
    phone_format: phones.Form = "e164"
    bom: bool = False  # CSV for Excel, which reads it in the code page of its machine otherwise
    preview: bool = False
    names: Json[dict[str, tuple[Part, Part]]] = Field(default={}, max_length=MAX_DECIDED)
    columns: Names = Field(default=["full_name", "title", "company", "country", "email", "phone"], max_length=30)


@script(method="GET", roles=SESSION, limit="30/hour per user", seconds=60)
async def run(ctx: Context, input: Input) -> Output | Response:
    if unknown := [name for name in input.columns if name not in COLUMNS]:
        raise Invalid({"columns": f"There is no column {unknown[0][:50]!r}. Choose from {', '.join(COLUMNS)}."})
    name = await lists.name(ctx, input.listid)
    if input.preview:
        names = await list_export.unsplit(ctx, input.listid)
        found = [Unsplit(full_name=name, firstname=first, lastname=last) for name, (first, last) in names.items()]
        return Output(resource=found)
    heads = FORMS[input.form] if input.form else {name: name for name in dict.fromkeys(input.columns)}
    form = list_export.Form(input.format, heads, input.phone_format, input.bom, input.names)
    file, kind = await list_export.write(ctx, input.listid, form)
    download = attachment(f"{name}.{input.format}")
    return Response(file, media_type=kind, headers={**download, "Cache-Control": "no-store"})
