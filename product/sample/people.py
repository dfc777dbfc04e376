"""The five test people. Their profile names contain an underscore, which no name at the network does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from product import emails
from product.people import profile_url
from product.people.search_terms import KINDS

DOMAIN, COMPANY = "test.example", "Test Company"
CHECKED = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Sample:
    """One test person. The result: that of every call about the person."""

    slug: str
    full_name: str
    result: Literal["found", "not_found", "no_credit", "rate_limit"] = "found"
    title: str = ""
    verification: str = "unknown"
    phones: tuple[str, ...] = ()
    personal: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"in/{self.slug}"

    @property
    def email(self) -> str:
        """The work address."""
        return f"{self.full_name.lower().replace(' ', '.')}@{DOMAIN}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of contact data to find."""
        known = self.result in ("found", "no_credit")
        has = {"directdial": self.phones, "businessemail": known, "personalemail": self.personal}
        return tuple(kind for kind in KINDS if has[kind])


FOUND = Sample(
    "test_found", "Ada Found", title="Head of Sales", verification="valid", phones=("+12025550101",),
    personal=("ada.found@home.example",),
)  # fmt: skip
PARTIAL = Sample("test_partial", "Ben Partial", title="Buyer", verification="accept_all")  # only a work address
NOT_FOUND = Sample("test_not_found", "Cleo Missing", "not_found", verification="invalid")
NO_CREDIT = Sample("test_no_credit", "Dan Nocredit", "no_credit")
RATE_LIMIT = Sample("test_rate_limit", "Eve Ratelimit", "rate_limit")
PEOPLE = (FOUND, PARTIAL, NOT_FOUND, NO_CREDIT, RATE_LIMIT)
LISTED = (FOUND, PARTIAL)  # in searches, lists and contacts
_BY_KEY = {person.key: person for person in PEOPLE}
_BY_EMAIL = {person.email: person for person in PEOPLE}


def by_url(url: str, host: str) -> Sample | None:
    """Return the test person of a profile address. Raises NotAProfile."""
    return _BY_KEY.get(profile_url.key_of(url, host))


def by_email(address: str) -> Sample | None:
    return _BY_EMAIL.get(emails.normal(address))


def by_name(name: str, company: str) -> Sample | None:
    """Return the test person of a name and a company or domain."""
    if company.strip().lower().removeprefix("www.") not in (DOMAIN, COMPANY.lower()):
        return None
    return next((person for person in PEOPLE if person.full_name.lower() == " ".join(name.lower().split())), None)


def named(sent: object, host: str) -> bool:
    """Whether a request names people by address, and only test people."""
    people = getattr(sent, "people", None)
    one = getattr(sent, "linkedinurl", "")
    urls = [each.linkedinurl for each in people] if people else getattr(sent, "linkedinurls", None) or [one]
    try:
        return all(url and by_url(url, host) is not None for url in urls)
    except profile_url.NotAProfile:
        return False
