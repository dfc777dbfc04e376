"""Find people by profile key, in the table `person` or at the external vendor.

People on the removal list are never returned. `Person` has all values; callers decide which of them may be shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import orjson
import structlog
from asyncpg import Record

from product import audit
from product.context import Context
from product.people import identity, job_titles, phones, profile_url, removal, search_terms
from product.vendors.people import FoundPerson
from tableapi import Vault

log = structlog.get_logger(__name__)
MAX_AGE = timedelta(days=30)  # for data from the vendor
KINDS = search_terms.KINDS

# Tries the current profile key first, which nearly always matches, so that one index lookup reads one row; aliases
# (former keys) are searched only if it does not.
_FIND = """
    select p.*,
           exists (select 1 from suppression where hash = any($2) and kind = 'profile') as suppressed
    from (select * from person where profilekey = $1
          union all
          select n.* from personalias a join person n using (personid)
          where a.profilekey = $1 and not exists (select 1 from person where profilekey = $1)) p
    limit 1
"""
_SUPPRESSED = "select exists (select 1 from suppression where hash = any($1) and kind = 'profile')"
# The columns stored for a person, in the order of `row_of`.
COLUMNS = (
    "full_name", "title", "company", "company_domain", "country", "personalcipher", "businesscipher", "phonecipher",
    "city", "industry", "company_size", "seniority", "jobfunction", "verification", "searchable",
)  # fmt: skip
_KEEP = f"""
    insert into person (profilekey, {", ".join(COLUMNS)}, source)
    values ($1, {", ".join(f"${number}" for number in range(2, len(COLUMNS) + 1))},
            ${len(COLUMNS) + 1}::text::tsvector, 'vendor')
    on conflict (profilekey) do update set {", ".join(f"{name} = excluded.{name}" for name in COLUMNS)},
        source = 'vendor', updatedon = excluded.updatedon
    returning *
"""  # noqa: S608 - names of columns
_ASKED = "update person set updatedon = now() where personid = $1"
_MANY = """
    select p.* from person p where p.profilekey = any($1)
    union all
    select p.* from personalias a join person p using (personid)
    where a.profilekey = any($1) and not exists (select 1 from person n where n.profilekey = a.profilekey)
"""
_ALIASES = "select profilekey, personid from personalias where profilekey = any($1)"
_SUPPRESSED_HASHES = "select hash from suppression where hash = any($1) and kind = 'profile'"
_BY_QUERY = "select * from person where searchable @@ $1::text::tsquery and full_name <> '' order by personid limit $2"
_HIDE = "update person set searchable = '' where searchable @@ $1::text::tsquery returning profilekey"
_SUPPRESS = "insert into suppression (hash, kind) values ($1, 'profile') on conflict do nothing"


@dataclass(frozen=True, slots=True)
class Person:
    """One person with every known value, whether paid for or not."""

    personid: int
    key: str
    full_name: str
    personal: tuple[str, ...]
    business: tuple[tuple[str, str], ...]  # address, and one of search_terms.VERIFICATIONS
    phones: tuple[str, ...]
    title: str = ""
    company: str = ""
    country: str = ""
    company_domain: str = ""
    city: str = ""
    firstseen: datetime | None = None
    updatedon: datetime | None = None

    def has(self, kind: str) -> bool:
        """Return whether there is a value of this kind to reveal."""
        return bool({"directdial": self.phones, "businessemail": self.business, "personalemail": self.personal}[kind])

    @property
    def validation(self) -> str | None:
        """Validity of the first work address, which is displayed first: `valid` or `unknown`."""
        return as_validity(self.business[0][1]) if self.business else None


async def find(ctx: Context, key: str) -> Person | None:
    """Return the person of a profile key, or None.

    May call the vendor: never call it inside a transaction.
    """
    row = await ctx.db.fetchrow(_FIND, key, ctx.vault.indexes("profile", key))
    if row["suppressed"] if row else await ctx.db.fetchval(_SUPPRESSED, ctx.vault.indexes("profile", key)):
        return None
    if row is not None and row["profilekey"] != key:  # an alias: the removal list may contain the current key
        return await find(ctx, row["profilekey"])
    if ctx.vendors.people is not None and (row is None or _stale(row)):
        person = await ctx.vendors.people.find(profile_url.url_of(key, ctx.settings.profile_host))
        if person is not None:
            person.phones = _readable(person)
            addresses = [*person.personal_emails, *(split_validity(text)[0] for text in person.business_emails)]
            if await removal.lists(ctx, addresses, person.phones):
                return None
            if row is not None and identity.is_other(_known(row), _known(person.model_dump())):
                # Accounts have paid for the stored person. The next request comes after MAX_AGE.
                await ctx.db.execute(_ASKED, row["personid"])
                await audit.write(ctx, "person_contradicted", row["personid"])
            else:
                row = await ctx.db.fetchrow(_KEEP, key, *row_of(ctx.vault, person))
    return None if row is None else _person(ctx.vault, row)


async def find_many(ctx: Context, keys: Sequence[str]) -> dict[str, Person]:
    """Return the known people of profile keys, by the requested key.

    May call the vendor for keys that the directory does not have: never call it inside a transaction.
    """
    asked = list(dict.fromkeys(keys))
    rows = await ctx.db.fetch(_MANY, asked)
    by_key = {row["profilekey"]: row for row in rows}
    by_id = {row["personid"]: row for row in rows}
    missing = [key for key in asked if key not in by_key]
    if missing:
        aliases = await ctx.db.fetch(_ALIASES, missing)
        by_key |= {row["profilekey"]: by_id[row["personid"]] for row in aliases if row["personid"] in by_id}
    suppressed = await suppressed_keys(ctx, [*asked, *(row["profilekey"] for row in rows)])
    persons = {}
    for key in asked:
        row = by_key.get(key)
        if row is not None and (ctx.vendors.people is None or not _stale(row)):
            if key not in suppressed and row["profilekey"] not in suppressed:
                persons[key] = _person(ctx.vault, row)
        elif ctx.vendors.people is not None and (person := await find(ctx, key)) is not None:
            persons[key] = person
    return persons


async def suppressed_keys(ctx: Context, keys: Sequence[str]) -> set[str]:
    """Return the given profile keys that are on the removal list."""
    hashes = {hashed: key for key in keys for hashed in ctx.vault.indexes("profile", key)}
    if not hashes:
        return set()
    return {hashes[row["hash"]] for row in await ctx.db.fetch(_SUPPRESSED_HASHES, list(hashes))}


async def find_by_query(ctx: Context, query: str, most: int) -> list[Person]:
    """Return the first people that match a query of search_terms, without those on the removal list."""
    rows = await ctx.db.fetch(_BY_QUERY, query, most)
    # Also without rows, so that the time does not tell whether there are any.
    suppressed = await suppressed_keys(ctx, [row["profilekey"] for row in rows] or [""])
    return [_person(ctx.vault, row) for row in rows if row["profilekey"] not in suppressed]


async def hide(ctx: Context, email: str) -> None:
    """Remove the people with an address from search and look-ups at once. Inside a transaction.

    The job `erasepeople` erases them afterwards.
    """
    for row in await ctx.db.fetch(_HIDE, search_terms.email_query(ctx.vault, email)):
        await ctx.db.execute(_SUPPRESS, ctx.vault.index("profile", row["profilekey"]))


def _readable(person: FoundPerson) -> list[str]:
    """Return the vendor's phone numbers as they are stored, without those that cannot be read."""
    found = []
    for number in person.phones:
        try:
            found.append(phones.stored(number, person.country))
        except phones.Unreadable:
            log.warning("vendor_phone_unreadable")
    return found


def _known(texts: Mapping[str, object] | Record) -> identity.Known:
    return identity.Known(str(texts["full_name"]), str(texts["company"]), str(texts["company_domain"]))


def _stale(row: Record) -> bool:
    return bool(row["source"] == "vendor" and datetime.now(UTC) - row["updatedon"] > MAX_AGE)


def _person(vault: Vault, row: Record) -> Person:
    return Person(
        personid=row["personid"],
        key=row["profilekey"],
        full_name=row["full_name"],
        personal=tuple(_opened(vault, row["personalcipher"])),
        business=tuple(_pairs(vault, row["businesscipher"])),
        phones=tuple(_opened(vault, row["phonecipher"])),
        title=row["title"],
        company=row["company"],
        country=row["country"],
        company_domain=row["company_domain"],
        city=row["city"],
        firstseen=row["firstseen"],
        updatedon=row["updatedon"],
    )


def _opened(vault: Vault, cipher: bytes | None) -> list[str]:
    values: list[str] = [] if cipher is None else orjson.loads(vault.open_bytes(cipher))
    return values


def _pairs(vault: Vault, cipher: bytes | None) -> list[tuple[str, str]]:
    """Return work addresses with their verification."""
    return [] if cipher is None else [(address, word) for address, word in orjson.loads(vault.open_bytes(cipher))]


def split_validity(text: str) -> tuple[str, str]:
    """Split `jane@acme.com:valid` into address and validity; without a mark it is `unknown`."""
    address, _, mark = text.partition(":")
    if mark and mark not in search_terms.VERIFICATIONS:
        raise ValueError(f"unknown validity {mark!r}")
    return address, mark or "unknown"


def as_validity(verification: str) -> str:
    """Return the validity that a contact stores for a verification: everything but `valid` is `unknown`."""
    return "valid" if verification == "valid" else "unknown"


def sealed_fields(vault: Vault, person: FoundPerson) -> tuple[str | bytes | None, ...]:
    """Return the columns of `person` after the key, in table order, with contact values encrypted."""
    business = [split_validity(text) for text in person.business_emails]

    def sealed(values: Sequence[object]) -> bytes | None:
        return vault.seal_bytes(orjson.dumps(values)) if values else None

    texts = (person.full_name, person.title, person.company, person.company_domain, person.country)
    return (*texts, sealed(person.personal_emails), sealed(business), sealed(person.phones))


def row_of(vault: Vault, person: FoundPerson) -> tuple[object, ...]:
    """Return the values of `COLUMNS`, with contact values encrypted."""
    business = [split_validity(text) for text in person.business_emails]
    found = search_columns_of(vault, person.model_dump(), person.phones, business, person.personal_emails)
    more = (person.city, person.industry, person.company_size)
    return (*sealed_fields(vault, person), *more, *(found[name] for name in COLUMNS[-4:]))


def search_columns(vault: Vault, row: Record) -> dict[str, object]:
    """Return the search columns of a stored row."""
    numbers, personal = _opened(vault, row["phonecipher"]), _opened(vault, row["personalcipher"])
    return search_columns_of(vault, dict(row), numbers, _pairs(vault, row["businesscipher"]), personal)


def search_columns_of(
    vault: Vault,
    texts: Mapping[str, object],
    phones: Sequence[str],
    business: Sequence[tuple[str, str]],
    personal: Sequence[str],
) -> dict[str, object]:
    """Return seniority, jobfunction, verification and searchable of a person with these texts and values."""
    derived, function = job_titles.derived(str(texts["title"]))
    seniority = job_titles.canonical(str(texts["seniority"])) if texts["seniority"] else derived
    verification = business[0][1] if business else None
    names = ("full_name", "title", "company", "company_domain", "country", "city", "industry", "company_size")
    shown = [str(texts[name]) for name in names]
    full_name, title, company, domain, country, city, industry, size = shown
    addresses = [*personal, *(address for address, _ in business)]
    terms = (
        search_terms.of_name(full_name),
        search_terms.of_job(title, seniority, function),
        search_terms.of_company(company, domain, industry, size),
        search_terms.of_place(country, city),
        *(search_terms.email_term(vault, address) for address in addresses),
    )
    return {
        "seniority": seniority,
        "jobfunction": function,
        "verification": verification,
        "searchable": " ".join(terms),
    }
