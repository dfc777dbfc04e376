"""Find the people of an enrichment by address, e-mail or name, and count the uses of its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from product.callers import Caller
from product.contacts.purchase import Bought
from product.context import Context
from product.people import directory, profile_url, removal, search_terms
from product.people.directory import Person

GUESSES_PER_DAY = 500  # addresses in dry runs, where guessing an address correctly costs nothing
TYPES = {"personalemail": "personalemails", "businessemail": "businessemails", "directdial": "directdials"}
_COUNT = """
    insert into apiusage (clientid, apikey, type, found, charged, personalemailcount, businessemailcount,
                          directdialscount)
    select $1, $2, t, f, c, (c = 1 and t = 'personalemails')::int, (c = 1 and t = 'businessemails')::int,
           (c = 1 and t = 'directdials')::int
    from unnest($3::text[], $4::int[], $5::int[]) as x (t, f, c)
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The known details of a person."""

    linkedinurl: str = ""
    email: str = ""
    name: str = ""
    company: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """The person, or the reason why there is no match."""

    person: Person | None
    status: Literal["found", "not_found", "suppressed", "no_credit"] = "not_found"
    why: str = ""


async def find(ctx: Context, asked: Sequence[Wanted]) -> list[Match]:
    """Return a match for each of `asked`, in its order. May call the vendor: never inside a transaction."""
    keys: dict[int, str] = {}
    matches: dict[int, Match] = {}
    for number, wanted in enumerate(asked):
        if wanted.linkedinurl.strip():
            try:
                keys[number] = profile_url.key_of(wanted.linkedinurl, ctx.settings.profile_host)
            except profile_url.NotAProfile:
                matches[number] = Match(None, why="bad_profile")
        elif wanted.email.strip():
            matches[number] = await _by_email(ctx, wanted.email.strip())
        elif wanted.name.strip() and wanted.company.strip():
            matches[number] = await by_name(ctx, wanted.name, wanted.company)
        else:
            matches[number] = Match(None, why="no_identifier")
    persons = await directory.find_many(ctx, list(keys.values()))
    suppressed = await directory.suppressed_keys(ctx, [key for key in keys.values() if key not in persons])
    for number, key in keys.items():
        if key in persons:
            matches[number] = Match(persons[key], "found")
        elif key in suppressed:
            matches[number] = Match(None, "suppressed", "removed")
        else:
            matches[number] = Match(None, why="unknown_person")
    return [matches[number] for number in range(len(asked))]


async def _by_email(ctx: Context, address: str) -> Match:
    if await removal.lists(ctx, [address]):
        return Match(None, "suppressed", "removed")
    return _one(await directory.find_by_query(ctx, search_terms.email_query(ctx.vault, address), 2))


async def by_name(ctx: Context, name: str, company: str) -> Match:
    """Return the only person with a name at a company, given the company's name or domain."""
    query = search_terms.exact_name(name)
    at = search_terms.tsquery(search_terms.conditions({"company": [company]}))
    return _one(await directory.find_by_query(ctx, f"{query} & {at}", 2))


def _one(people: Sequence[Person]) -> Match:
    if len(people) == 1:
        return Match(people[0], "found")
    return Match(None, why="ambiguous" if people else "unknown_person")


def count_guesses(ctx: Context, caller: Caller, asked: Sequence[Wanted]) -> None:
    """Count the addresses of a dry run. Raises TooMany (429)."""
    for wanted in asked:
        if wanted.email and not wanted.linkedinurl:
            ctx.limit("addresses in dry runs", caller.name, GUESSES_PER_DAY, 86400)


async def count_use(
    ctx: Context, caller: Caller, found: Sequence[Match], kinds: Sequence[str], bought: Mapping[int, Bought]
) -> None:
    """Insert a row into apiusage for each kind and person, whether found or not."""
    rows = []
    charged_now = {ident: [kind for kind in item.revealed if kind not in item.owned] for ident, item in bought.items()}
    for match in found:
        for kind in kinds:
            known = match.person is not None and match.person.has(kind)
            new = charged_now.get(match.person.personid, []) if match.person is not None else []
            rows.append((TYPES[kind], int(known), int(kind in new)))
            if kind in new:
                new.remove(kind)
    await ctx.db.execute(_COUNT, caller.clientid, caller.keyid, *(list(column) for column in zip(*rows, strict=True)))
