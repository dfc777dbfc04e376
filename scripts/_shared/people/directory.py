"""The people directory: a person by profile key, from the table `person` or the outside vendor, never a suppressed one.

Contact values leave this module only inside `Person`; what may be shown of them is decided by whoever asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from scripts._shared.context import Context
from scripts._shared.people import profile_url
from scripts._shared.vendors.people import FoundPerson
from tableapi.crypto.vault import Vault

FRESH = timedelta(days=30)  # so long an answer of the vendor is believed
KINDS = ("directdial", "businessemail", "personalemail")

# The present address first, which is nearly always what was asked for: then one index and one row are all that is read,
# and an old address is not even looked for.
_FIND = """
    select p.personid, p.profilekey, p.full_name, p.personalcipher, p.businesscipher, p.phonecipher, p.source,
           p.updatedon, exists (select 1 from suppression where hash = any($2) and kind = 'profile') as suppressed
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
    returning personid, profilekey, full_name, personalcipher, businesscipher, phonecipher, source, updatedon
"""


@dataclass(frozen=True, slots=True)
class Person:
    """One person with every value that is known, paid or not."""

    personid: int
    key: str
    full_name: str
    personal: tuple[str, ...]
    business: tuple[tuple[str, str], ...]  # address, "valid" or "unknown"
    phones: tuple[str, ...]

    def has(self, kind: str) -> bool:
        """Is there anything of this kind to reveal?"""
        return bool({"directdial": self.phones, "businessemail": self.business, "personalemail": self.personal}[kind])

    @property
    def validation(self) -> str | None:
        """Validity of the first work address, which is the one shown first."""
        return self.business[0][1] if self.business else None


async def find(ctx: Context, key: str) -> Person | None:
    """The person of a profile key. May ask the vendor over the network: never call it inside a transaction."""
    row = await ctx.db.fetchrow(_FIND, key, ctx.vault.indexes("profile", key))
    if row["suppressed"] if row else await ctx.db.fetchval(_SUPPRESSED, ctx.vault.indexes("profile", key)):
        return None
    if row is not None and row["profilekey"] != key:  # an old address: the removal list may name the present one
        return await find(ctx, row["profilekey"])
    if ctx.vendors.people is not None and (row is None or _stale(row)):
        found = await ctx.vendors.people.find(profile_url.url_of(key, ctx.settings.profile_host))
        if found is not None:
            row = await ctx.db.fetchrow(_KEEP, key, *sealed_fields(ctx.vault, found))
    return None if row is None else _person(ctx.vault, row)


def _stale(row: Any) -> bool:
    return bool(row["source"] == "vendor" and datetime.now(UTC) - row["updatedon"] > FRESH)


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
    )


def split_validity(text: str) -> tuple[str, str]:
    """`jane@acme.com:valid` -> address and validity; without a mark it is unknown."""
    address, _, mark = text.partition(":")
    if mark not in ("", "valid", "unknown"):
        raise ValueError(f"unknown validity {mark!r}")
    return address, mark or "unknown"


def sealed_fields(vault: Vault, found: FoundPerson) -> tuple[Any, ...]:
    """The columns of `person` after the key, in the order of the table, with the values sealed."""
    business = [split_validity(text) for text in found.business_emails]

    def sealed(values: list[Any]) -> bytes | None:
        return vault.seal_bytes(orjson.dumps(values)) if values else None

    texts = (found.full_name, found.title, found.company, found.company_domain, found.country)
    return (*texts, sealed(found.personal_emails), sealed(business), sealed(found.phones))
