"""Templates of the hosted pages: HTML and CSS without scripts or external files.

Every page says TEST MODE.
"""

from __future__ import annotations

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_STYLE = """
*{box-sizing:border-box}body{margin:0;font:15px/1.5 -apple-system,"Segoe UI",Roboto,Ubuntu,sans-serif;color:#1a1f36;
background:#fff;min-height:100vh}.test{background:#ffde92;color:#593500;font-weight:600;font-size:12px;
letter-spacing:.04em;text-align:center;padding:6px}main{display:flex;flex-wrap:wrap;min-height:calc(100vh - 30px)}
section{flex:1 1 380px;padding:48px 24px;display:flex;justify-content:center}section>div{width:100%;max-width:400px}
.left{background:#f7f8fa;border-right:1px solid #e3e8ee;display:block}.left>*{max-width:400px;margin-left:auto;
margin-right:auto}.one section>div{max-width:560px}.back{color:#3c4257;text-decoration:none;font-size:20px}
.what{color:#4f566b;font-weight:500;margin:16px auto 0}.sum{font-size:36px;font-weight:650;margin:0 auto 28px;
letter-spacing:-.5px}.sum small{font-size:15px;color:#4f566b;font-weight:400;letter-spacing:0}
dl{display:grid;grid-template-columns:1fr auto;row-gap:12px;font-weight:500}dd{margin:0;text-align:right;
padding-left:24px;font-variant-numeric:tabular-nums}.due{border-top:1px solid #e3e8ee;padding-top:12px;font-weight:650}
h1{font-size:20px;margin:0 0 20px;letter-spacing:-.2px}label{display:block;font-weight:500;font-size:13px;
color:#3c4257;margin:14px 0 4px}input{width:100%;padding:11px 12px;font:inherit;border:1px solid #c9d0db;
border-radius:6px;background:#fff;color:inherit}input:focus{outline:3px solid #b8c7ff;border-color:#4f5dd8}
input[readonly]{background:#f7f8fa;color:#4f566b}.row{display:grid;grid-template-columns:1fr 1fr;gap:12px}
button{width:100%;margin-top:22px;padding:12px;font:inherit;font-weight:600;color:#fff;background:#4046c8;border:0;
border-radius:6px;cursor:pointer}button:hover{background:#34399f}button:focus-visible{outline:3px solid #b8c7ff}
button.plain{background:#fff;color:#3c4257;border:1px solid #c9d0db}form.two{display:flex;gap:12px}
.problem{background:#fdecec;color:#8f1d1d;border:1px solid #f3b9b9;border-radius:6px;padding:10px 12px;margin:0 0 8px}
details{margin-top:22px;color:#4f566b;font-size:13px}code{font:12px ui-monospace,Menlo,Consolas,monospace}
table{border-collapse:collapse;width:100%;font-size:13px;margin:8px 0 28px}td{padding:6px 8px;
border-bottom:1px solid #e3e8ee;text-align:left}.desk{max-width:760px!important}h2{font-size:15px;margin:24px 0 6px}
main .left .back{display:block}@media(max-width:760px){main{display:block}.left{border:0}section{padding:24px}}
"""
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1"><title>$title (TEST MODE)</title>'
    f"<style>{_STYLE}</style></head><body><div class=test>TEST MODE &middot; no money moves here</div>"
    '<main class="$kind">$left<section><div>$body</div></section></main></body></html>'
)
CARD = """
<h1>Pay with card</h1>$problem
<form method="post" autocomplete="off">
<label for="email">Email</label><input id="email" name="email" type="email" value="$email" readonly>
<label for="cardnumber">Card number</label>
<input id="cardnumber" name="cardnumber" inputmode="numeric" required value="4242 4242 4242 4242">
<div class="row"><div><label for="expiry">Expiration (MM / YY)</label>
<input id="expiry" name="expiry" inputmode="numeric" required value="12 / 34"></div>
<div><label for="cvc">CVC</label><input id="cvc" name="cvc" inputmode="numeric" required value="123"></div></div>
<label for="name">Name on card</label><input id="name" name="name" value="Test Card">
<button type="submit">$button</button></form>
<details><summary>Test cards</summary><p><code>4242 4242 4242 4242</code> is accepted,
<code>4000 0000 0000 0002</code> is declined, <code>4000 0025 0000 3155</code> asks for 3-D Secure,
<code>4000 0000 0000 0341</code> fails at the next renewal. Other numbers are refused and never kept.</p></details>
"""
DESK = """
<h1>Payment sandbox</h1><p>Today is <b>$now</b> here. Moving the clock renews, retries and ends everything that becomes due.</p>
<form method="post" action="$base/test/clock" class="two">
<button name="days" value="1" class="plain">+ 1 day</button><button name="days" value="7" class="plain">+ 7 days</button>
<button name="days" value="31" class="plain">+ 31 days</button>
<button name="days" value="366" class="plain">+ 366 days</button></form>
<h2>Subscriptions</h2><table><tbody>$subs</tbody></table>
<h2>Latest events</h2><table><tbody>$events</tbody></table>
"""
