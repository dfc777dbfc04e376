"""/sandbox/mail: the demo mailbox as pages, and as JSON for tests."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC
from email.utils import parsedate_to_datetime
from html import escape

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from scripts._shared.sandbox.mailbox import Mailbox, StoredMail
from scripts._shared.sandbox.page import HEADERS, page
from scripts._shared.settings import Settings

_STYLE = """
ul{margin-top:16px;padding:0;border:1px solid var(--line);border-radius:12px;background:var(--surface);list-style:none}
li+li{border-top:1px solid var(--line)}li a{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 16px;padding:12px 16px;
color:inherit;text-decoration:none}li a:hover{background:var(--sunken)}li:first-child a{border-radius:12px 12px 0 0}
li:last-child a{border-radius:0 0 12px 12px}li strong{font-weight:500}li span{color:var(--text-2);font-size:13px}
li span:last-child{grid-column:2;grid-row:1}main{max-width:760px}.back{display:inline-block;margin-bottom:12px}
iframe{width:100%;height:640px;margin-top:16px;border:1px solid var(--line);border-radius:12px;background:var(--bg)}
.none{display:grid;gap:8px;justify-items:center;padding:48px 24px;text-align:center}.none strong{font-size:16px;line-height:24px;
font-weight:600}.none p{max-width:46ch}.none a{margin-top:8px;padding:9px 16px;border-radius:8px;background:var(--accent);
color:var(--on-accent);font-weight:600;text-decoration:none}.none a:hover{background:var(--accent-hover)}
@media (width < 640px){li a{grid-template-columns:minmax(0,1fr)}li span:last-child{grid-column:1;grid-row:auto}}
pre{white-space:pre-wrap;padding:16px;border:1px solid var(--line);border-radius:12px;background:var(--surface)}
"""


def routes(settings: Settings) -> list[Route]:
    """Return the routes of the mailbox; none without DEMO."""
    if not settings.demo:
        return []
    mailbox = Mailbox(settings.data_dir / "mail")

    async def listing(request: Request) -> Response:
        mails = await mailbox.all()
        if "application/json" in request.headers.get("accept", ""):
            return Response(
                orjson.dumps([asdict(mail) for mail in mails]), media_type="application/json", headers=HEADERS
            )
        return _page("Mail that was sent", _list(mails))

    async def single(request: Request) -> Response:
        mail = await mailbox.one(request.path_params["mailid"])
        if mail is None:
            return _page("No such mail", "<p><a href='/sandbox/mail'>All mail</a></p>", 404)
        if request.query_params.get("part") == "html":
            return HTMLResponse(mail.html.replace("<head>", '<head><base target="_blank">', 1), headers=HEADERS)
        return _page(mail.subject, _one(mail))

    return [Route("/sandbox/mail", listing), Route("/sandbox/mail/{mailid}", single)]


def _page(title: str, body: str, status: int = 200) -> Response:
    return page(title, f"<main><h1>{escape(title)}</h1>{body}</main>", style=_STYLE, status=status)


_NONE = """<section class="panel none"><strong>No mail was sent yet.</strong><p class=quiet>Invite a member, sign up or change an
email address in the app: the mail is shown here and is sent to nobody.</p><a href="/">Open the app</a></section>"""


def _list(mails: list[StoredMail]) -> str:
    if not mails:
        return _NONE
    rows = (
        f"<li><a href='/sandbox/mail/{mail.id}'><strong>{escape(mail.subject)}</strong><span>to {escape(mail.to)}</span>"
        f"<span>{escape(_moment(mail.date))}</span></a></li>"
        for mail in mails
    )
    return f"<ul>{''.join(rows)}</ul>"


def _moment(date: str) -> str:
    """Return the date of a mail as `22 Nov 2026, 10:59 UTC`, or as it is when it is none."""
    try:
        return f"{parsedate_to_datetime(date).astimezone(UTC):%-d %b %Y, %H:%M} UTC"
    except ValueError:
        return date


def _one(mail: StoredMail) -> str:
    frame = f"<iframe title='The mail' sandbox='allow-popups' src='/sandbox/mail/{mail.id}?part=html'></iframe>"
    return (
        f"<p class=quiet>to {escape(mail.to)}, {escape(_moment(mail.date))}</p>"
        f"<p><a href='/sandbox/mail'>All mail</a></p>{frame}<h2>Plain text</h2><pre>{escape(mail.text)}</pre>"
    )
