"""Check addresses: their syntax, the domain, its mail servers, role mailboxes and disposable domains.

Mailboxes are never contacted. With CHECK_MX off, there are no DNS look-ups, and only the syntax and the lists count.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from disposable_email_domains import blocklist

from product import emails
from product.accounts import email_domains
from product.context import Context
from product.people.directory import Person

ROLES = frozenset((
    "abuse", "accounting", "accounts", "admin", "administrator", "billing", "booking", "careers", "contact",
    "customerservice", "enquiries", "feedback", "finance", "hello", "help", "helpdesk", "hr", "info", "inquiries",
    "invoices", "it", "jobs", "legal", "mail", "marketing", "media", "news", "newsletter", "no-reply", "noreply",
    "office", "orders", "partners", "postmaster", "press", "privacy", "purchasing", "reception", "recruiting", "root",
    "sales", "security", "service", "support", "team", "webmaster",
))  # fmt: skip
_WORD = "update person set verification = $2 where personid = $1 and verification is distinct from $2"
_CHECKED = """
    update usercontact set verification = $3, checkedon = $4
    where clientid = $1 and personid = $2 and businessemailcost = 1
"""


@dataclass(frozen=True, slots=True)
class Check:
    """The verification of an address, its reasons, and when it was checked."""

    address: str
    verification: str
    reasons: tuple[str, ...]
    checkedon: datetime


async def check(ctx: Context, address: str, known: str = "unknown") -> Check:
    """Check one address now.

    known: the directory's verification of the mailbox, which counts unless a check contradicts it.
    """
    word, reasons = await _verdict(ctx, emails.checked(address.strip()), known)
    return Check(address, word, tuple(reasons), datetime.now(UTC))


async def _verdict(ctx: Context, address: str | None, known: str) -> tuple[str, list[str]]:
    if address is None:
        return "invalid", ["bad_form"]
    mailbox, _, domain = address.rpartition("@")
    if ctx.settings.check_mx and not await email_domains.accepts_mail(domain):
        return "invalid", ["no_mail_server"]
    reasons = []
    if any(parent in blocklist for parent in email_domains.parents(domain)):
        reasons.append("disposable_domain")
    if mailbox.partition("+")[0] in ROLES:
        reasons.append("role_address")
    if known == "invalid":
        return "invalid", ["mailbox_rejected", *reasons]
    if reasons:
        return "risky", reasons
    return known, [] if known in ("valid", "accept_all") else ["mailbox_not_checked"]


async def check_person(ctx: Context, person: Person, kind: str) -> list[Check]:
    """Check the addresses of one kind of a person; none for a phone. Outside any transaction."""
    known: Sequence[tuple[str, str]] = ()
    if kind == "businessemail":
        known = person.business
    elif kind == "personalemail":
        known = [(address, "unknown") for address in person.personal]
    return list(await asyncio.gather(*(check(ctx, address, word) for address, word in known)))


async def keep(ctx: Context, clientid: int, person: Person, checks: Sequence[Check]) -> None:
    """Store the check of the first work address in the account's contact and in the directory."""
    if not checks:
        return
    first = checks[0]
    await ctx.db.execute(_CHECKED, clientid, person.personid, first.verification, first.checkedon)
    if first.verification != person.business[0][1]:
        await ctx.db.execute(_WORD, person.personid, first.verification)


def invalid_proof(reasons: Sequence[str]) -> bool:
    """Return whether the reasons prove that mail cannot be delivered, whatever the mailbox."""
    return bool({"bad_form", "no_mail_server"} & set(reasons))


def shown(check: Check, address: object = None) -> dict[str, object]:
    """Return a check in response format."""
    return {
        "address": check.address if address is None else address,
        "verification": check.verification,
        "checkedon": check.checkedon,
    }
