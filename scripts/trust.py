"""Return the companies that process data for this server, and its security contact."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import BaseModel

from product.context import Context
from product.settings import Settings
from tableapi import ANYONE, script


class Company(BaseModel):
    """A sub-processor. `purpose`: payment, signin, mail, data, or words of the setting."""

    name: str
    purpose: str


class Output(BaseModel):
    securitycontact: str | None
    subprocessors: list[Company]


@script(method="GET", roles=(ANYONE,), limit="60/minute per ip")
async def run(ctx: Context) -> Output:
    companies = [Company(name=name, purpose=purpose) for name, purpose in _companies(ctx.settings)]
    return Output(securitycontact=ctx.settings.security_contact or None, subprocessors=companies)


def _companies(settings: Settings) -> list[tuple[str, str]]:
    """Return the services configured in the settings, and those in SUBPROCESSORS."""
    named = [("Stripe", "payment")] if settings.stripe_secret_key else []
    named += [("Google", "signin")] if settings.google_client_id else []
    named += [("LinkedIn", "signin")] if settings.linkedin_client_id else []
    for url, purpose in ((settings.mail_url, "mail"), (settings.people_url, "data")):
        if url and (host := urlsplit(url).hostname):
            named.append((host, purpose))
    for company in filter(None, (part.strip() for part in settings.subprocessors.split(";"))):
        name, _, purpose = company.partition(",")
        named.append((name.strip(), purpose.strip()))
    return named
