"""Render and queue mail.

`<name>.jinja` in this folder arranges a mail, and base.html and base.txt lay it out. Its texts are in the section of
the same name in `language/<language>/mails.toml`.

The server chooses template, recipient, language and link. A mail is queued in the transaction of its cause. Text typed
by users passes through `person_names.plain`, so a name cannot add a link or a line to a mail.

A template sets `subject`, `preheader` (the line that a mail program shows next to the subject), `paragraphs`, and
optionally `button` and `note`. A paragraph is a text, `{"code": value}` with a value to copy, a table of names and
values, `{"facts": [["Total", "$49.00"]]}`, or a bar of 0 to 100 % that only the HTML part shows: `{"meter": 20}`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from product.accounts import person_names
from product.context import Context
from product.design import DARK, LIGHT
from product.language import DEFAULT, Language, formats
from product.language.texts import sections, translator
from product.settings import Settings
from product.vendors.mail import Mail

FOLDER = Path(__file__).parent
TYPED = ("name", "inviter", "company", "user")  # user input
PARTS = ("subject", "preheader", "paragraphs", "button", "note")


async def queue(ctx: Context, mail: str, to: str, link: str = "", /, *, language: Language, **values: object) -> None:
    """Queue a mail in the caller's transaction; `link` is the target of its button.

    Dates and amounts among the values must already be formatted for the language.
    """
    values |= {"link": link}
    await ctx.later("sendmail", name=mail, to=to, values=values, language=language, mark=secrets.token_hex(16))


def link(ctx: Context, path: str, **query: str) -> str:
    """Return a URL of the app. The origin is PUBLIC_URL, never taken from a request."""
    return f"{ctx.settings.public_url}{path}" + (f"?{urlencode(query)}" if query else "")


def kind(language: Language, column: str) -> str:
    """Return the name of a kind of credits, by its column."""
    return translator(language, "mails", "kinds")(column)


def amount(language: Language, column: str, count: int) -> str:
    """Return an amount of one kind of credits: `1,200 work email`."""
    names = translator(language, "mails", "kinds")
    return names("amount", number=count, kind=names(column))


@cache
def _templates(autoescape: bool) -> Environment:
    loader = FileSystemLoader(FOLDER)
    # Plain text is rendered without escaping, base.html with it.
    return Environment(loader=loader, autoescape=autoescape, undefined=StrictUndefined, trim_blocks=True)  # noqa: S701


def render(settings: Settings, name: str, to: str, values: Mapping[str, object], language: Language = DEFAULT) -> Mail:
    """Render a mail. Values are escaped in the HTML part only."""
    values = {**values, **_typed(values, language), "brand": settings.brand_name}
    t = translator(language, "mails", name, **values)
    tools: dict[str, object] = {"t": t, "dollars": partial(_dollars, language)}
    tools["hello"] = t("hello" if values.get("name") else "hello_unnamed")
    words = _templates(False).get_template(f"{name}.jinja").make_module({**values, **tools})
    parts: dict[str, object] = {part: getattr(words, part, "") for part in PARTS}
    parts |= {"brand": settings.brand_name, "link": values["link"], "site": settings.public_url}
    parts |= {"language": language, "open": t("open")}
    parts |= {"light": LIGHT, "dark": DARK}
    text = _templates(False).get_template("base.txt").render(parts)
    html = _templates(True).get_template("base.html").render(parts)
    return Mail(to=to, subject=str(parts["subject"]), text=text, html=html)


def _typed(values: Mapping[str, object], language: Language) -> dict[str, str]:
    """Return the user input in a form that is safe in a mail, or a replacement for it."""
    defaults = sections(language, "mails")["typed"]
    given = {name: person_names.plain(str(values[name])) for name in TYPED if name in values}
    return {name: text or defaults.get(name, "") for name, text in given.items()}


def _dollars(language: Language, price: float) -> str:
    return formats.money(round(price * 100), "usd", language)
