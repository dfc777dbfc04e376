"""Every mail of the product: its words stand in `<name>.jinja` beside this file, its look in base.html and base.txt.

The server chooses template, recipient and link. A mail is queued in the transaction of its cause. What users typed
appears in mails as `names.plain` leaves it, so that a name cannot carry an address or another line.
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
from scripts._shared.settings import Settings
from scripts._shared.vendors.mail import Mail

TYPED = {"name": "there", "inviter": "A colleague", "company": ""}  # values that users typed, and what stands for none
PARTS = ("subject", "paragraphs", "button", "note")


async def queue(ctx: Context, mail: str, to: str, link: str = "", /, **values: Any) -> None:
    """Send a mail once the caller's transaction commits; `link` is where its button leads."""
    await ctx.later("sendmail", name=mail, to=to, values=values | {"link": link}, mark=secrets.token_hex(16))


def link(ctx: Context, path: str, **query: str) -> str:
    """An address of the app. Its origin is a setting, never what a request says."""
    return f"{ctx.settings.public_url}{path}" + (f"?{urlencode(query)}" if query else "")


@cache
def _templates(autoescape: bool) -> Environment:
    loader = FileSystemLoader(Path(__file__).parent)
    # Plain text is not escaped; base.html, the only HTML there is, is rendered with escaping.
    return Environment(loader=loader, autoescape=autoescape, undefined=StrictUndefined, trim_blocks=True)  # noqa: S701


def render(settings: Settings, name: str, to: str, values: dict[str, Any]) -> Mail:
    """The mail as it goes out. Values are escaped where the HTML shows them, and nowhere else."""
    typed = {part: person_names.plain(str(values[part])) or other for part, other in TYPED.items() if part in values}
    values = values | typed | {"brand": settings.brand_name}
    words = _templates(False).get_template(f"{name}.jinja").make_module(values)
    parts: dict[str, Any] = {part: getattr(words, part, "") for part in PARTS}
    parts |= {"brand": settings.brand_name, "link": values["link"], "site": settings.public_url}
    text = _templates(False).get_template("base.txt").render(parts)
    html = _templates(True).get_template("base.html").render(parts)
    return Mail(to=to, subject=parts["subject"], text=text, html=html)
