"""Render and queue mail.

Texts are in `<name>.jinja` beside this file, the layout in base.html and base.txt.

The server chooses template, recipient and link. A mail is queued in the transaction of its cause. Text typed by users
passes through `person_names.plain`, so a name cannot add a link or a line to a mail.

A template sets `subject`, `preheader` (the line that a mail program shows beside the subject), `paragraphs`, and where
needed `button` and `note`. A paragraph is a text, `{"code": value}` with a value to copy, or a table of names and
values: `{"facts": [["Total", "$49.00"]]}`.
"""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from scripts._shared.accounts import person_names
from scripts._shared.context import Context
from scripts._shared.design import DARK, LIGHT
from scripts._shared.settings import Settings
from scripts._shared.vendors.mail import Mail

FOLDER = Path(__file__).parent
TYPED = {
    "name": "there",
    "inviter": "A colleague",
    "company": "",
    "user": "a member",
}  # values typed by users, and their defaults
PARTS = ("subject", "preheader", "paragraphs", "button", "note")


async def queue(ctx: Context, mail: str, to: str, link: str = "", /, **values: Any) -> None:
    """Queue a mail in the caller's transaction; `link` is the target of its button."""
    await ctx.later("sendmail", name=mail, to=to, values=values | {"link": link}, mark=secrets.token_hex(16))


def link(ctx: Context, path: str, **query: str) -> str:
    """Return a URL of the app. The origin is PUBLIC_URL, never taken from a request."""
    return f"{ctx.settings.public_url}{path}" + (f"?{urlencode(query)}" if query else "")


@cache
def _templates(autoescape: bool) -> Environment:
    loader = FileSystemLoader(FOLDER)
    # Plain text is rendered without escaping, base.html with it.
    return Environment(loader=loader, autoescape=autoescape, undefined=StrictUndefined, trim_blocks=True)  # noqa: S701


def render(settings: Settings, name: str, to: str, values: dict[str, Any]) -> Mail:
    """Render a mail. Values are escaped in the HTML part only."""
    typed = {
        name: person_names.plain(str(values[name])) or default for name, default in TYPED.items() if name in values
    }
    values = values | typed | {"brand": settings.brand_name}
    words = _templates(False).get_template(f"{name}.jinja").make_module(values)
    parts: dict[str, Any] = {part: getattr(words, part, "") for part in PARTS}
    parts |= {"brand": settings.brand_name, "link": values["link"], "site": settings.public_url}
    parts |= {"light": LIGHT, "dark": DARK}
    text = _templates(False).get_template("base.txt").render(parts)
    html = _templates(True).get_template("base.html").render(parts)
    return Mail(to=to, subject=parts["subject"], text=text, html=html)
