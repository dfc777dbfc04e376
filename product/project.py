"""The product's additions to the engine: settings, vendors, sandbox pages and checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pkgutil import resolve_name

from product import design, webhooks
from product.accounts import users
from product.authorization import metadata
from product.context import Context
from product.demo import people as demopeople
from product.people import profile_url
from product.settings import Settings
from product.vendors import Vendors
from tableapi import Project, ProjectPages, WebhookQueue

CALLS = """\
## Calls with an API key

Send an API key of an account, from Settings > API, as X-API-Key. A test key answers with fixed people
and spends nothing.

- [Quick start]({root}/docs/use/quick-start/): `GET /api/v2/keylookup`, the contact data of one person
- [Find and enrich]({root}/docs/use/find/): `POST /api/v2/enrich`, `findemail`, `verifyemail`, `searchpeople`,
  `searchcompanies`, `agent/price`, `agent/reveal` and `agent/lists`; `GET /api/v2/account/contacts`,
  `account/usage` and `account/credits`
- [Test keys]({root}/docs/use/test-key/): people for every kind of result
- [Keys]({root}/docs/use/keys/): scopes, expiry, rotation
- [Errors and limits]({root}/docs/use/errors/): what to do with each status, credits, rate limits, safe repeats
- [Webhooks]({root}/docs/use/webhooks/): events of the account, with receivers in Python and Node
- [Assistants]({root}/docs/use/assistants/): MCP at `/mcp`, with a key or OAuth
- [Calls]({root}/docs/reference/calls/): every call with its fields
- [Description]({root}/api/v2/_spec): the calls of the key that is sent; as a client with `?client=typescript` or
  `?client=python`

"""


class Product(Project):
    """The product: a contact-data and lead lookup service."""

    settings = Settings
    look = design.FOLDER
    content_sources = {  # noqa: RUF012 - read only
        "script-src": ("https://js.stripe.com",),
        "connect-src": ("https://api.stripe.com",),
        "frame-src": ("https://js.stripe.com", "https://hooks.stripe.com"),
    }
    payment_origins = ("https://js.stripe.com",)

    def title(self, settings: Settings) -> str:
        return settings.brand_name

    def introduction(self, settings: Settings, root: str) -> str:
        return CALLS.format(root=root)

    def vendors(self, settings: Settings) -> Vendors:
        return Vendors(settings)

    def webhooks(self) -> WebhookQueue:
        return webhooks.EVENTS

    async def check_input(self, ctx: Context, unknown: Mapping[str, object]) -> None:
        await users.own_fields(ctx, unknown)

    def pages(self, settings: Settings) -> ProjectPages:
        # The stand-ins import the product, so they are imported by name. Without a demo their URLs return 404.
        pages: ProjectPages = resolve_name("sandbox:Sandbox")(settings)
        return pages

    def authorization_server(self, settings: Settings) -> Mapping[str, object]:
        return metadata.metadata(settings)

    def config(self, settings: Settings) -> Mapping[str, object]:
        return {
            "brandname": settings.brand_name,
            "demo": settings.demo,
            "profilehost": settings.profile_host,
            "googleenabled": bool(settings.google_client_id) or settings.demo,
            "linkedinenabled": bool(settings.linkedin_client_id) or settings.demo,
            "paymentsenabled": settings.payments_enabled,
            "stripepublishablekey": settings.stripe_publishable_key,
            "comingsoon": settings.coming_soon.split(",") if settings.coming_soon else [],
            **({"examples": _examples(settings.profile_host)} if settings.demo else {}),
        }

    def manifest(self, settings: Settings) -> Mapping[str, object]:
        return {"name": settings.brand_name, "short_name": settings.brand_name}

    def local_only(self, settings: Settings) -> str:
        return "DEMO=1 creates accounts with a known password: unset it" if settings.demo else ""

    def announcement(self, settings: Settings, address: str) -> list[str]:
        return [f"Sandbox   {address}/sandbox/mail"] if settings.demo else []

    def checks(self, settings: Settings) -> Iterator[tuple[bool, str]]:
        if settings.demo:
            yield True, "DEMO is on: its accounts have a publicly known password. Unset it."
        if settings.mail_url is None:
            yield True, "MAIL_URL is missing: users cannot verify an address, reset a password or accept an invitation."
        elif settings.mail_from.endswith(("@example.com>", "@example.com")):
            yield True, f"MAIL_FROM is {settings.mail_from}: no mail arrives at example.com. Set your own address."
        if not settings.stripe_secret_key:
            yield False, "STRIPE_SECRET_KEY is missing: nothing can be bought."
        elif not settings.stripe_webhook_secret:
            yield True, "STRIPE_WEBHOOK_SECRET is missing: payments would be charged and never credited."
        elif not settings.stripe_publishable_key:
            yield True, "STRIPE_PUBLISHABLE_KEY is missing: the card form cannot be shown."
        for vendor in ("GOOGLE", "LINKEDIN"):
            if not getattr(settings, f"{vendor.lower()}_client_id"):
                yield False, f"{vendor}_CLIENT_ID is missing: sign-in with this provider is off."
        if settings.people_url and not settings.people_key:
            yield False, "PEOPLE_KEY is missing: requests to PEOPLE_URL are sent without a key."


def _examples(host: str) -> list[dict[str, str]]:
    return [
        {name: one[name] for name in ("full_name", "title", "company")}
        | {"linkedinurl": profile_url.url_of(one["profilekey"], host)}
        for one in demopeople.examples()
    ]


PROJECT = Product()
