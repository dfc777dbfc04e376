"""The languages of mails, invoices and server-rendered pages, and how one is chosen.

The app is translated by frontend/src/texts; languages offered there are listed here as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, get_args

from product.context import Context
from product.roles import STAFF

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
DEFAULT: Language = "en"
COOKIE = "language"  # set by the app when the reader chooses a language
_WEIGHT = re.compile(r"q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)", re.ASCII)


def known(name: str | None) -> Language | None:
    """Return the language with this name, or None if there are no texts for it."""
    return next((language for language in LANGUAGES if language == name), None)


def requested(ctx: Context) -> Language | None:
    """Return the language of a request: from the app's cookie, else from Accept-Language."""
    headers = ctx.request.headers
    return _chosen(headers.get("cookie", "")) or _accepted(headers.get("accept-language", ""))


def of(ctx: Context, stored: str | None) -> Language:
    """Return the stored language of a user, else that of the request, else English.

    A request by staff says nothing about the reader's language.
    """
    return known(stored) or (None if ctx.actor.role in STAFF else requested(ctx)) or DEFAULT


def _chosen(header: str) -> Language | None:
    pairs = (pair.partition("=") for pair in header.split(";"))
    return known(next((value.strip() for name, _, value in pairs if name.strip() == COOKIE), None))


def _accepted(header: str) -> Language | None:
    """Return the language with the highest weight, the first one if several are equal."""
    weight, language = max(_weighted(header), key=lambda choice: choice[0], default=(0.0, None))
    return language if weight else None


def _weighted(header: str) -> Iterator[tuple[float, Language]]:
    for part in header.split(","):
        tag, _, parameter = part.partition(";")
        language = known(tag.strip().lower().partition("-")[0])
        weight = _WEIGHT.fullmatch(parameter.strip() or "q=1")
        if language and weight:
            yield float(weight[1]), language
