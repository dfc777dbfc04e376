"""A sample of every mail in every language, for tests and pictures."""

from __future__ import annotations

from datetime import date
from typing import Any

from product import mail
from product.language import Language, formats
from product.settings import Settings
from product.vendors.mail import Mail

MAILS = sorted(path.stem for path in mail.FOLDER.glob("*.jinja"))
VALUES = {
    "name": "Ina",
    "inviter": "Olivia",
    "company": "Acme",
    "host": "hooks.example.com",
    "password": "Ab1cd2ef",
    "code": "482913",
    "email": "a@b.example",
    "query": "When?",
    "newemail": "c@d.example",
    "planname": "Growth",
    "price": 49.0,
    "invoicenumber": "INV-1",
    "left": 3,
    "event": "payment_refunded",
    "change": "mfa_recovery_used",
    "credits": "",
    "cause": "proof",
    "unpaid": True,
    "vendor": "Google",
    "user": "Ben Okafor",
    "reason": "Ticket 4711",
    "link": "http://test/x",
}


def values(language: Language) -> dict[str, Any]:
    """Return the values of every mail, with days and amounts as a queued mail has them."""
    day, amount = formats.day(date(2026, 11, 5), language), formats.money(104900, "usd", language)
    kind = mail.kind(language, "bus_email_credits")
    forecast = {"spent": "96", "until": day, "renews": formats.day(date(2026, 11, 24), language), "share": 6}
    return VALUES | {"forecast": forecast, "expiry": day, "until": day, "amount": amount, "total": amount, "kind": kind}


def sample(settings: Settings, name: str, language: Language) -> Mail:
    """Render one mail."""
    return mail.render(settings, name, "a@b.example", values(language), language)
