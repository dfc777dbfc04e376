"""Find the people of an enrichment by address, e-mail or name, and count the uses of its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from product import emails
from product.callers import Caller
from product.contacts import purchase
from product.contacts.purchase import Bought
from product.context import Context
from product.people import directory, profile_url, removal, search_terms
from product.people.directory import Person

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

    @property
    def by_email(self) -> bool:
        """Whether only an e-mail address names the person, which could be a guess."""
        return bool(self.email.strip()) and not self.linkedinurl.strip()


@dataclass(frozen=True, slots=True)
class Match:
    """The person, or the reason why there is no match."""

    person: Person | None
    status: Literal["found", "not_found"] = "not_found"
    why: str = ""


UNKNOWN = Match(None, why="unknown_person")  # also for people on the removal list, and for several with one address


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
        elif wanted.by_email:
            matches[number] = await _by_email(ctx, wanted.email.strip())
        elif wanted.name.strip() and wanted.company.strip():
            matches[number] = await by_name(ctx, wanted.name, wanted.company)
        else:
            matches[number] = Match(None, why="no_identifier")
    persons = await directory.find_many(ctx, list(keys.values()))
    for number, key in keys.items():
        matches[number] = Match(persons[key], "found") if key in persons else UNKNOWN
    return [matches[number] for number in range(len(asked))]


async def _by_email(ctx: Context, address: str) -> Match:
    """Return the only person with an address. The statements are the same whether there is one."""
    removed = await removal.lists(ctx, [address])
    people = await directory.find_by_query(ctx, search_terms.email_query(ctx.vault, address), 2)
    return Match(people[0], "found") if len(people) == 1 and not removed else UNKNOWN


async def by_name(ctx: Context, name: str, company: str) -> Match:
    """Return the only person with a name at a company, given the company's name or domain."""
    query = search_terms.exact_name(name)
    at = search_terms.tsquery(search_terms.conditions({"company": [company]}))
    people = await directory.find_by_query(ctx, f"{query} & {at}", 2)
    if len(people) == 1:
        return Match(people[0], "found")
    return Match(None, why="ambiguous") if people else UNKNOWN


def addresses(asked: Sequence[Wanted], found: Sequence[Match] | None = None) -> set[str]:
    """Return the e-mail addresses that name people; with `found`, those of people that are found there."""
    return {
        emails.normal(wanted.email)
        for number, wanted in enumerate(asked)
        if wanted.by_email and (found is None or found[number].person is not None)
    }


async def disclosed(
    ctx: Context, caller: Caller, asked: Sequence[Wanted], found: Sequence[Match], kinds: Sequence[str]
) -> tuple[list[Match], list[Person]]:
    """Separate the matches that the account may see before it pays from those that it may not.

    A person named by an e-mail address may be seen if the account owns a requested kind of data.

    Returns the matches, with `UNKNOWN` for the hidden ones, and the hidden people.
    """
    if not any(wanted.by_email for wanted in asked):
        return list(found), []
    mailed = {
        match.person.personid: match.person
        for wanted, match in zip(asked, found, strict=True)
        if wanted.by_email and match.person is not None
    }
    owned = (await purchase.price(ctx, caller.clientid, list(mailed.values()), kinds)).owned
    hidden = {ident: person for ident, person in mailed.items() if not set(owned[ident]) & set(kinds)}
    shown = [
        UNKNOWN if wanted.by_email and match.person is not None and match.person.personid in hidden else match
        for wanted, match in zip(asked, found, strict=True)
    ]
    return shown, list(hidden.values())


def paid(asked: Sequence[Wanted], found: Sequence[Match], bought: Mapping[int, Bought]) -> list[Match]:
    """Return the matches after a purchase, with `UNKNOWN` for an e-mail address without a paid value."""
    return [
        UNKNOWN
        if wanted.by_email
        and match.person is not None
        and not (match.person.personid in bought and bought[match.person.personid].revealed)
        else match
        for wanted, match in zip(asked, found, strict=True)
    ]


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
