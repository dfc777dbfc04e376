"""Count the values of one filter in a search of people or companies. Free, and not a page of the plan."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from product import call_limits
from product.context import Context
from product.people import facets
from product.people.facets import CompanyField, Facet
from product.people.search import CompanySearch, PeopleSearch
from product.roles import SESSION, VIEW
from tableapi import FieldError, Invalid, script


class Input(BaseModel):
    """A filter by its name, with the search that it belongs to. `text`: what the values contain."""

    model_config = ConfigDict(extra="forbid")

    field: facets.Field
    text: str = Field(default="", max_length=100)
    people: PeopleSearch | None = None
    companies: CompanySearch | None = None


@script(roles=(*SESSION, *VIEW), limit=call_limits.FACETS)
async def run(ctx: Context, input: Input) -> Facet:
    if (input.people is None) == (input.companies is None):
        raise Invalid({"people": FieldError("people_or_companies", "Send either 'people' or 'companies'.")})
    text = input.text.strip()
    if input.people is not None:
        return await facets.of_people(ctx, input.people, input.field, text)
    assert input.companies is not None
    names: tuple[CompanyField, ...] = ("company_size", "industry", "country", "city")
    if (name := next((name for name in names if name == input.field), None)) is None:
        raise Invalid({"field": f"Companies have the values of {', '.join(names)}."})
    return await facets.of_companies(ctx, input.companies, name, text)
