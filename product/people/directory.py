"""Find people by profile key, in the table `person` or at the external vendor.

People on the removal list are never returned. `Person` holds all values; callers decide which ones may be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from product.context import Context
from product.people import profile_url
from product.vendors.people import FoundPerson
from tableapi import Vault

MAX_AGE = timedelta(days=30)  # of data that came from the vendor
KINDS = ("directdial", "businessemail", "personalemail")

# Tries the present profile key first, which nearly always matches, so that one index lookup reads one row; aliases
# (former keys) are searched only when it does not.
_FIND = """
    select p.personid, p.profilekey, p.full_name, p.title, p.company, p.country, p.personalcipher, p.businesscipher,
           p.phonecipher, p.source, p.updatedon,
           exists (select 1 from suppression where hash = any($2) and kind = 'profile') as suppressed
    from (select * from person where profilekey = $1
          union all
          select n.* from personalias a join person n using (personid)
          where a.profilekey = $1 and not exists (select 1 from person where profilekey = $1)) p
    limit 1
"""
_SUPPRESSED = "select exists (select 1 from suppression where hash = any($1) and kind = 'profile')"
_KEEP = """
    insert into person (profilekey, full_name, title, company, company_domain, country, personalcipher, businesscipher,
                        phonecipher, source)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'vendor')
    on conflict (profilekey) do update set full_name = excluded.full_name, title = excluded.title,
        company = excluded.company, company_domain = excluded.company_domain, country = excluded.country,
        personalcipher = excluded.personalcipher, businesscipher = excluded.businesscipher,
        phonecipher = excluded.phonecipher, source = 'vendor', updatedon = now()
    returning personid, profilekey, full_name, title, company, country, personalcipher, businesscipher, phonecipher,
              source, updatedon
"""


@dataclass(frozen=True, slots=True)
class Person:
    """One person with every known value, whether paid for or not."""

    personid: int
    key: str
    full_name: str
    personal: tuple[str, ...]
    business: tuple[tuple[str, str], ...]  # address, "valid" or "unknown"
    phones: tuple[str, ...]
    title: str = ""
    company: str = ""
    country: str = ""

    def has(self, kind: str) -> bool:
        """Return whether there is a value of this kind to reveal."""
        return bool({"directdial": self.phones, "businessemail": self.business, "personalemail": self.personal}[kind])

    @property
    def validation(self) -> str | None:
        """Validity of the first work address, which is shown first."""
        return self.business[0][1] if self.business else None


async def find(ctx: Context, key: str) -> Person | None:
    """Return the person of a profile key, or None.

    May call the vendor: never call it inside a transaction.
    """
    row = await ctx.db.fetchrow(_FIND, key, ctx.vault.indexes("profile", key))
    if row["suppressed"] if row else await ctx.db.fetchval(_SUPPRESSED, ctx.vault.indexes("profile", key)):
        return None
    if row is not None and row["profilekey"] != key:  # an alias: the removal list may name the present key
        return await find(ctx, row["profilekey"])
    if ctx.vendors.people is not None and (row is None or _stale(row)):
        person = await ctx.vendors.people.find(profile_url.url_of(key, ctx.settings.profile_host))
        if person is not None:
            row = await ctx.db.fetchrow(_KEEP, key, *sealed_fields(ctx.vault, person))
    return None if row is None else _person(ctx.vault, row)


def _stale(row: Any) -> bool:
    return bool(row["source"] == "vendor" and datetime.now(UTC) - row["updatedon"] > MAX_AGE)


def _person(vault: Vault, row: Any) -> Person:
    def opened(column: str) -> list[Any]:
        return [] if row[column] is None else orjson.loads(vault.open_bytes(row[column]))

    return Person(
        personid=row["personid"],
        key=row["profilekey"],
        full_name=row["full_name"],
        personal=tuple(opened("personalcipher")),
        business=tuple((address, validity) for address, validity in opened("businesscipher")),
        phones=tuple(opened("phonecipher")),
        title=row["title"],
        company=row["company"],
        country=row["country"],
    )


def split_validity(text: str) -> tuple[str, str]:
    """Split `jane@acme.com:valid` into address and validity; without a mark it is `unknown`."""
    address, _, mark = text.partition(":")
    if mark not in ("", "valid", "unknown"):
        raise ValueError(f"unknown validity {mark!r}")
    return address, mark or "unknown"


def sealed_fields(vault: Vault, person: FoundPerson) -> tuple[Any, ...]:
    """Return the columns of `person` after the key, in table order, with contact values encrypted."""
    business = [split_validity(text) for text in person.business_emails]

    def sealed(values: list[Any]) -> bytes | None:
        return vault.seal_bytes(orjson.dumps(values)) if values else None

    texts = (person.full_name, person.title, person.company, person.company_domain, person.country)
    return (*texts, sealed(person.personal_emails), sealed(business), sealed(person.phones))
