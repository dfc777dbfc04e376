"""/sandbox/mail: the demo mailbox as pages, and as JSON for tests."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from datetime import UTC
from email.utils import parsedate_to_datetime
from html import escape

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from product.settings import Settings
from product.vendors.mailbox import Mailbox, StoredMail
from sandbox.page import HEADERS, page

PREVIEW = 200  # characters shown of a mail in the list
WIDE, NARROW = 62, 34  # characters per line of the mail, in a wide and in a narrow window
_STYLE = """
main{max-width:760px}.lead{margin-top:4px;color:var(--text-2)}
ul{margin-top:16px;padding:0;border:1px solid var(--line);border-radius:12px;background:var(--surface);list-style:none;overflow:hidden}
li+li{border-top:1px solid var(--line)}li a{display:grid;grid-template-columns:40px minmax(0,1fr) auto;gap:0 16px;padding:16px;
color:inherit;text-decoration:none}li a:hover{background:var(--sunken)}li a:focus-visible{outline-offset:-2px}
.sign{display:grid;grid-row:span 3;width:40px;height:40px;place-items:center;border-radius:50%;background:var(--accent-soft);
color:var(--accent);font-weight:600;text-transform:uppercase}li strong{font-weight:600;overflow-wrap:anywhere}
li time,li span,li p{color:var(--text-2);font-size:13px}li time{white-space:nowrap}li .to,li p{grid-column:2/-1;margin:0;
overflow:hidden;text-overflow:ellipsis;white-space:nowrap}li p{color:var(--text-3)}
.back{display:inline-block;margin-bottom:12px;color:var(--text-2);text-decoration:none}.back:hover{color:var(--text-1)}
.facts{display:grid;grid-template-columns:auto minmax(0,1fr);gap:4px 16px;margin-top:16px;font-size:13px}.facts dt{color:var(--text-2)}
.facts dd{overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
iframe{display:block;width:100%;height:calc(320px + var(--lines)*26px);margin-top:16px;border:1px solid var(--line);
border-radius:12px;background:var(--bg)}
details{margin-top:16px;border:1px solid var(--line);border-radius:12px;background:var(--surface)}
summary{padding:12px 16px;border-radius:12px;font-weight:500;cursor:pointer}
pre{margin:0;padding:16px;border-top:1px solid var(--line);white-space:pre-wrap}
.none{display:grid;gap:8px;justify-items:center;padding:48px 24px;text-align:center}.none strong{font-size:16px;line-height:24px;
font-weight:600}.none p{max-width:46ch}.none a{margin-top:8px;padding:9px 16px;border-radius:8px;background:var(--accent);
color:var(--on-accent);font-weight:600;text-decoration:none}.none a:hover{background:var(--accent-hover)}
@media (width < 640px){li a{grid-template-columns:40px minmax(0,1fr);gap:0 12px}.sign{grid-row:span 4}li time{grid-column:2;grid-row:4}
li .to,li p{grid-column:2}iframe{height:calc(320px + var(--narrow)*26px)}summary{padding-block:12px}.back{padding-block:12px;margin:0}}
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
            return _page("No such mail", f"<p class=lead>{_GONE}</p>", 404, back=True)
        if request.query_params.get("part") == "html":
            return HTMLResponse(mail.html.replace("<head>", '<head><base target="_blank">', 1), headers=HEADERS)
        return _page(mail.subject, _one(mail), back=True)

    return [Route("/sandbox/mail", listing), Route("/sandbox/mail/{mailid}", single)]


def _page(title: str, body: str, status: int = 200, *, back: bool = False) -> Response:
    link = "<a class=back href='/sandbox/mail'>← All mail</a>" if back else ""
    return page(title, f"<main>{link}<h1>{escape(title)}</h1>{body}</main>", style=_STYLE, status=status)


_LEAD = "What the app would have sent, newest first. It is shown here and not sent."
_GONE = "It may have been deleted: the mailbox holds the newest 500."


_NONE = """<section class="panel none"><strong>No mail was sent yet.</strong><p class=quiet>Invite a member, sign up or change an
email address in the app: the mail is shown here and not sent.</p><a href="/">Open the app</a></section>"""


def _list(mails: list[StoredMail]) -> str:
    if not mails:
        return _NONE
    rows = (
        f"<li><a href='/sandbox/mail/{mail.id}'><span class=sign aria-hidden=true>{escape(mail.to[:1])}</span>"
        f"<strong>{escape(mail.subject)}</strong>{_time(mail.date)}<span class=to>to {escape(mail.to)}</span>"
        f"<p>{escape(_preview(mail.text))}</p></a></li>"
        for mail in mails
    )
    return f"<p class=lead>{_LEAD}</p><ul>{''.join(rows)}</ul>"


def _preview(text: str) -> str:
    """Return the beginning of a mail on one line, without its salutation and its links.

    A truncated link would look complete but lead nowhere.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    words = " ".join(lines[1:] or lines).split()
    return textwrap.shorten(" ".join(word for word in words if "://" not in word), PREVIEW, placeholder=" …")


def _time(date: str) -> str:
    return f"<time>{escape(_moment(date))}</time>"


def _moment(date: str) -> str:
    """Return the date of a mail as `22 Nov 2026, 10:59 UTC`, or unchanged if it cannot be parsed."""
    try:
        return f"{parsedate_to_datetime(date).astimezone(UTC):%-d %b %Y, %H:%M} UTC"
    except ValueError:
        return date


def _one(mail: StoredMail) -> str:
    # A page without scripts cannot measure a frame, so its height is derived from the number of lines.
    heights = f"--lines:{_lines(mail.text, WIDE)};--narrow:{_lines(mail.text, NARROW)}"
    return (
        f"<dl class=facts><dt>To</dt><dd>{escape(mail.to)}</dd><dt>Sent</dt><dd>{_time(mail.date)}</dd></dl>"
        f"<iframe title='The mail' sandbox='allow-popups allow-popups-to-escape-sandbox' style='{heights}' src='/sandbox/mail/{mail.id}?part=html'></iframe>"
        f"<details><summary>Plain text</summary><pre>{escape(mail.text)}</pre></details>"
    )


def _lines(text: str, width: int) -> int:
    return sum(-(-len(line) // width) for line in text.splitlines() if line.strip())
