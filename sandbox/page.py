"""The look of the sandbox pages: design tokens, style sheet, frame and headers.

Pages have no scripts and load nothing from other hosts.
"""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from product import design

FILES = {"theme.css": "text/css", "logo.svg": "image/svg+xml", "instrument-sans.woff2": "font/woff2"}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self';"
    " frame-src 'self'; base-uri 'none'; frame-ancestors 'self'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_STYLE = """
*{box-sizing:border-box}body{margin:0;min-height:100vh;font:400 14px/20px var(--font);color:var(--text-1);background:var(--bg)}
h1,h2,h3,p,dl,dd,ul{margin:0}h1{font-size:24px;line-height:32px;font-weight:600;letter-spacing:-.01em}
h2{margin:32px 0 8px;font-size:16px;line-height:24px;font-weight:600}p+p{margin-top:8px}a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}.quiet{color:var(--text-2)}
.bar{display:flex;gap:12px;align-items:center;height:56px;padding:0 24px;
background:var(--sidebar);color:var(--on-sidebar);font-weight:600}.bar img{display:block;border-radius:8px}.tag{margin-inline-start:auto;
padding:2px 8px;border-radius:6px;background:var(--warn-soft);color:var(--warn);font-size:12px;line-height:16px;font-weight:600}
main{width:100%;max-width:720px;margin:0 auto;padding:32px 16px 64px}main.narrow{max-width:432px}
.panel{margin-top:16px;padding:24px;border:1px solid var(--line);border-radius:12px;background:var(--surface)}
label{display:block;margin:16px 0 4px;font-size:13px;font-weight:500}.panel>label:first-child{margin-top:0}
label.check{display:flex;gap:8px;align-items:center;font-weight:400}
input{width:100%;min-height:40px;padding:8px 12px;border:1px solid var(--line-control);border-radius:8px;
background:var(--surface);color:inherit;font:inherit}input[readonly]{background:var(--sunken);color:var(--text-2)}
input[type=checkbox]{width:20px;min-height:20px;height:20px;margin:0;accent-color:var(--accent)}
button{width:100%;min-height:40px;margin-top:24px;padding:9px 16px;border:1px solid transparent;border-radius:8px;
background:var(--accent);color:var(--on-accent);font:600 14px/20px var(--font);cursor:pointer}
button:hover{background:var(--accent-hover)}button.plain{border-color:var(--line-control);background:var(--surface);
color:var(--text-1)}button.plain:hover{background:var(--sunken)}form.two{display:flex;flex-wrap:wrap;gap:12px;
margin-top:16px}form.two button{flex:1 1 auto;width:auto;margin-top:0;white-space:nowrap}.row{display:grid;grid-template-columns:1fr 1fr;gap:12px}
.problem{margin:16px 0 0;padding:12px 16px;border-radius:8px;background:var(--danger-soft);color:var(--danger)}
code,pre{font:13px/20px var(--mono);overflow-wrap:anywhere}
@media (width < 640px){input,button{min-height:44px}.bar{padding:0 16px}.panel{padding:16px}}
"""


def page(title: str, body: str, *, style: str = "", tag: str = "DEMO", status: int = 200) -> HTMLResponse:
    """Return a page with the bar of all sandbox pages. `body` is HTML, `title` is text."""
    html = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(title)} ({tag})</title><link rel="icon" href="/sandbox/look/logo.svg" type="image/svg+xml">'
        f'<link rel="stylesheet" href="/sandbox/look/theme.css"><style>{_STYLE}{style}</style></head><body>'
        f'<header class="bar"><img src="/sandbox/look/logo.svg" alt="" width="28" height="28"><span>Sandbox</span>'
        f'<span class="tag">{tag}</span></header>{body}</body></html>'
    )
    return HTMLResponse(html, status, headers=HEADERS)


def routes() -> list[Route]:
    """Return the route of the files that the pages load."""

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in FILES:
            return Response("Not found", 404)
        headers = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
        return Response((design.FOLDER / name).read_bytes(), media_type=FILES[name], headers=headers)

    return [Route("/sandbox/look/{name}", file)]
