"""Search people and companies of the directory. Results never depend on contact values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Annotated, Literal

from asyncpg import Record
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

from product.callers import Caller
from product.context import Context
from product.people import directory, job_titles, profile_url, search_terms, search_use, term_index
from product.people.kinds import Kind
from product.people.search_pages import COMPANIES, EXACT, PEOPLE, Meta, Page, Query, condition, find
from product.people.search_terms import KINDS, Condition
from tableapi import FieldError, Invalid, suggestion

MAX_VALUES = 50  # per filter
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _known(find: Callable[[str], str], names: tuple[str, ...]) -> AfterValidator:
    """Return a validator that replaces words by their stored spelling and rejects unknown ones."""

    def checked(words: list[str]) -> list[str]:
        found = list(map(find, words))
        if "" in found:
            word = words[found.index("")][:50]
            close = suggestion(word, names)
            facts = {"word": word, "names": ", ".join(names), "close": close and f".{close}"}
            raise PydanticCustomError("unknown_word", "Must be one of {names}, not '{word}'{close}", facts)
        return found

    return AfterValidator(checked)


Texts = Annotated[list[Text], BeforeValidator(_listed), Field(max_length=MAX_VALUES)]
Seniorities = Annotated[Texts, _known(job_titles.known_seniority, job_titles.SENIORITIES)]
Functions = Annotated[Texts, _known(job_titles.known_function, job_titles.FUNCTIONS)]
Verification = Literal["valid", "accept_all", "risky", "unknown", "invalid"]


class CompanyFilters(BaseModel):
    """Filters for companies. A list matches any of its values."""

    model_config = ConfigDict(extra="forbid")

    company: Texts = []
    company_size: Texts = []
    industry: Texts = []
    country: Texts = []
    city: Texts = []


class PeopleFilters(CompanyFilters):
    """Filters for people.

    Words in `name` and `title` match prefixes; `has` requires every kind it lists.
    """

    name: Text = ""
    title: Text = ""
    seniority: Seniorities = []
    function: Functions = []
    has: Annotated[list[Kind], BeforeValidator(_listed), Field(max_length=3)] = []
    verification: Annotated[list[Verification], BeforeValidator(_listed), Field(max_length=5)] = []


class Excluded(PeopleFilters):
    """The same filters, for matches to exclude. `name` and `title` may be lists."""

    name: Texts = []  # type: ignore[assignment]
    title: Texts = []  # type: ignore[assignment]


class PeopleSearch(PeopleFilters):
    """A search for people, without its page."""

    not_: Excluded = Field(default_factory=Excluded, alias="not")
    order: str = Field(default="", max_length=60)

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class CompanySearch(CompanyFilters):
    """A search for companies, without its page. Words in `name` match prefixes of the company's words."""

    name: Text = ""
    not_: CompanyFilters = Field(default_factory=CompanyFilters, alias="not")
    order: str = Field(default="", max_length=60)

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Owner(BaseModel):
    """The user of the account that revealed a kind, and when, and the contact with the values.

    `name` is null for an API key.
    """

    kind: str
    name: str | None
    on: datetime
    contactid: int


class Owned(BaseModel):
    """The kinds that the account has revealed of a person."""

    owned: list[str] = []
    owned_by: list[Owner] = []


class Match(Owned):
    """A person in search results, without any contact value."""

    linkedinurl: str
    full_name: str
    title: str
    company: str
    company_domain: str
    country: str
    city: str
    industry: str
    company_size: str
    seniority: str
    function: str
    has: list[str]
    verification: str | None
    firstseen: datetime
    lastchecked: datetime


class CompanyMatch(BaseModel):
    """A company in search results. `functions`: the number of people by function."""

    company: str
    company_domain: str
    people: int
    countries: list[str]
    industry: str
    company_size: str
    functions: dict[str, int]


# Kinds that most people have and words that most addresses contain would make long lists in the index.
_HAS = {
    "directdial": "phonecipher is not null",
    "businessemail": "businesscipher is not null",
    "personalemail": "personalcipher is not null",
}
_HELD = "select 1 from person where searchable @@ $1::text::tsquery limit 1"
_VERIFIED = {word: f"verification = '{word}'" for word in search_terms.VERIFICATIONS}
_OWNED = """
    select r.personid, r.contactid, r.kind, r.createdon, u.name from reveal r left join appuser u using (appuserid)
    where r.clientid = $1 and r.personid = any($2)
"""


def _filters(model: BaseModel) -> dict[str, str | list[str]]:
    filters: dict[str, str | list[str]] = model.model_dump(
        exclude={"order", "not_", "limit", "cursor"}, exclude_defaults=True
    )
    return filters


def people_query(search: PeopleSearch) -> Query:
    filters, excluded = _filters(search), _filters(search.not_)
    sql: list[str] = []
    included: list[Condition] = []
    for kind in filters.pop("has", ()):  # every kind listed
        sql.append(_HAS[kind])
        included.append(((term_index.kind_term(kind),),))
    if words := filters.pop("verification", ()):
        sql.append("(" + " or ".join(_VERIFIED[word] for word in words) + ")")
        included.append(_verifications(words))
    without: list[Condition] = []
    for kind in excluded.pop("has", ()):
        sql.append(f"not {_HAS[kind]}")
        without.append(((term_index.kind_term(kind),),))
    if words := excluded.pop("verification", ()):
        sql += [f"({_VERIFIED[word]}) is not true" for word in words]
        without.append(_verifications(words))
    ranks = set(search.seniority)
    terms, gone = search_terms.conditions(filters), search_terms.conditions(excluded)
    return Query(
        search_terms.tsquery(terms, gone),
        "".join(f" and {condition}" for condition in sorted(sql)),
        (*terms, *included),
        (*gone, *without),
        ranks.pop() if len(ranks) == 1 else "",
    )


def _verifications(words: Iterable[str]) -> Condition:
    return tuple((term_index.verification_term(word),) for word in words)


def company_query(search: CompanySearch) -> Query:
    """Build the query for a search for companies."""
    filters = _filters(search)
    name = str(filters.pop("name", ""))
    query = search_terms.tsquery(search_terms.conditions(filters), search_terms.conditions(_filters(search.not_)))
    typed = search_terms.company_prefixes(name) if name else ""
    return Query(" & ".join(part for part in (typed, query) if part))


async def _check_words(ctx: Context, search: CompanyFilters) -> None:
    """Raise Invalid (422) for an unknown country or a size without a number, where nothing was found.

    A word that a person has is valid in any spelling.
    """
    for word in search.country:
        if not search_terms.is_country(word) and not await _is_held(ctx, "country", word):
            close = search_terms.country_like(word) or " Send a name or a code, such as Norway or NOR."
            raise Invalid(
                {"country": FieldError("not_a_country", f"'{word[:50]}' is not a country.{close}")}, named=True
            )
    for word in search.company_size:
        if not any(map(str.isdigit, word)) and not await _is_held(ctx, "company_size", word):
            message = f"'{word[:50]}' is not a size. Send a number of people, or two, such as 11-50."
            raise Invalid({"company_size": FieldError("not_a_size", message)}, named=True)


async def _is_held(ctx: Context, field: str, word: str) -> bool:
    """Return whether a person has this word in a field, or the word is blank."""
    query = search_terms.tsquery(search_terms.conditions({field: [word]}))
    return not word or await ctx.db.first_value(int, _HELD, query) is not None


async def people(ctx: Context, caller: Caller, search: PeopleSearch, page: Page) -> tuple[Meta, list[Match]]:
    """Return one page of people, counted against the plan's daily limits.

    Raises:
        Invalid: the order, or a word of a filter, is unknown (422).
        BadRequest: the cursor does not belong to this search (400).
        TooMany: the plan allows no more pages or people today (429).
    """
    if not caller.looks:  # support must not use up what the account may see
        await search_use.page(ctx, caller.clientid)
    meta, rows = await find(ctx, PEOPLE, people_query(search), page)
    if not meta.count:
        await _check_words(ctx, search)
    rows = await without_suppressed(ctx, rows)
    if not caller.looks:
        await search_use.people(ctx, caller.clientid, [row["personid"] for row in rows])
    owned = await owned_of(ctx, caller.clientid, [row["personid"] for row in rows])
    return meta, [_match(ctx, row, owned.get(row["personid"], Owned())) for row in rows]


async def companies(ctx: Context, caller: Caller, search: CompanySearch, page: Page) -> tuple[Meta, list[CompanyMatch]]:
    """Return one page of companies. Raises the same errors as `people`."""
    if not caller.looks:
        await search_use.page(ctx, caller.clientid)
    meta, rows = await find(ctx, COMPANIES, company_query(search), page)
    if not meta.count:
        await _check_words(ctx, search)
    return meta, [CompanyMatch.model_validate({name: row[name] for name in CompanyMatch.model_fields}) for row in rows]


async def without_suppressed(ctx: Context, rows: Sequence[Record]) -> list[Record]:
    """Remove people on the removal list that are still in the index."""
    gone = await directory.suppressed_keys(ctx, [row["profilekey"] for row in rows])
    return [row for row in rows if row["profilekey"] not in gone]


async def owned_of(ctx: Context, clientid: int, ids: Sequence[int]) -> dict[int, Owned]:
    """Return what the account has revealed, by person."""
    owners: dict[int, list[Owner]] = {}
    for row in await ctx.db.fetch(_OWNED, clientid, list(ids)) if ids else ():
        owner = Owner(kind=row["kind"], name=row["name"], on=row["createdon"], contactid=row["contactid"])
        owners.setdefault(row["personid"], []).append(owner)
    return {
        ident: Owned(owned=[kind for kind in KINDS if any(owner.kind == kind for owner in found)], owned_by=found)
        for ident, found in owners.items()
    }


def _match(ctx: Context, row: Record, owned: Owned) -> Match:
    names = Match.model_fields.keys() - Owned.model_fields.keys() - {"linkedinurl", "has", "function", "lastchecked"}
    return Match.model_validate(
        {name: row[name] for name in names}
        | {
            "linkedinurl": profile_url.url_of(row["profilekey"], ctx.settings.profile_host),
            "function": row["jobfunction"],
            "lastchecked": row["updatedon"],
            "has": [kind for kind in KINDS if row[kind]],
        }
        | owned.model_dump()
    )


async def count_new(ctx: Context, query: Query, after: int) -> int:
    """Return the number of people matching a query that were added after an id, `EXACT` + 1 at most."""
    found = await term_index.find(ctx, query.included, query.excluded)
    if found is not None:
        return min(term_index.count(found, after), EXACT + 1)
    sql = f"""
        select count(*) from (select 1 from person where {condition(PEOPLE, query)} and personid > $2
                              limit {EXACT + 1}) matches
    """  # noqa: S608 - every part is a constant
    count: int = await ctx.db.fetchval(sql, query.terms, after)
    return count
