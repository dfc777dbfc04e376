"""/sandbox/mail: the demo mailbox as pages, and as JSON for tests."""

from __future__ import annotations

from dataclasses import asdict
from html import escape

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from scripts._shared.sandbox.mailbox import Mailbox, StoredMail
from scripts._shared.settings import Settings

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f5f7f4;color:#17231e}
main{max-width:860px;margin:0 auto;padding:24px}
h1{font-size:22px} .tag{background:#8a5a00;color:#fff;border-radius:6px;padding:2px 8px;font-size:13px}
a{color:#137a5a} li{background:#fff;border:1px solid #e0e6e1;border-radius:10px;padding:12px 16px;margin:8px 0}
ul{list-style:none;padding:0} small{color:#55655d} iframe{box-sizing:border-box;width:100%;height:560px;border:1px solid #e0e6e1;
border-radius:10px;background:#fff} pre{white-space:pre-wrap;background:#fff;border:1px solid #e0e6e1;padding:16px;
border-radius:10px}
"""
# Mail content is untrusted: its frame runs no script. Links open in a new tab, as in a mail program.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def routes(settings: Settings) -> list[Route]:
    """Return the routes of the mailbox; none without DEMO."""
    if not settings.demo:
        return []
    mailbox = Mailbox(settings.data_dir / "mail")

    async def listing(request: Request) -> Response:
        mails = await mailbox.all()
        if "application/json" in request.headers.get("accept", ""):
            return Response(
                orjson.dumps([asdict(mail) for mail in mails]), media_type="application/json", headers=_HEADERS
            )
        return _page("Mail that was sent", _list(mails))

    async def single(request: Request) -> Response:
        mail = await mailbox.one(request.path_params["mailid"])
        if mail is None:
            return _page("No such mail", "<p><a href='/sandbox/mail'>All mail</a></p>", 404)
        if request.query_params.get("part") == "html":
            return HTMLResponse(f'<base target="_blank">{mail.html}', headers=_HEADERS)
        return _page(mail.subject, _one(mail))

    return [Route("/sandbox/mail", listing), Route("/sandbox/mail/{mailid}", single)]


def _page(title: str, body: str, status: int = 200) -> HTMLResponse:
    head = f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>"
    top = f"<main><p><span class=tag>DEMO</span></p><h1>{escape(title)}</h1>"
    return HTMLResponse(f"{head}<body>{top}{body}</main>", status, headers=_HEADERS)


def _list(mails: list[StoredMail]) -> str:
    if not mails:
        return "<p>No mail was sent yet.</p>"
    rows = (
        f"<li><a href='/sandbox/mail/{mail.id}'>{escape(mail.subject)}</a><br>"
        f"<small>to {escape(mail.to)}, {escape(mail.date)}</small></li>"
        for mail in mails
    )
    return f"<ul>{''.join(rows)}</ul>"


def _one(mail: StoredMail) -> str:
    frame = f"<iframe title='The mail' sandbox='allow-popups' src='/sandbox/mail/{mail.id}?part=html'></iframe>"
    header = f"<p><small>to {escape(mail.to)}, {escape(mail.date)}</small></p>"
    return (
        f"<p><a href='/sandbox/mail'>All mail</a></p>{header}{frame}<h2>Plain text</h2><pre>{escape(mail.text)}</pre>"
    )
