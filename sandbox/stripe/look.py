"""Templates of the hosted pages. Every page says TEST MODE."""

from __future__ import annotations

STYLE = """
main.two{display:grid;grid-template-columns:1fr 1fr;gap:64px;max-width:960px;padding-top:48px}.left .back{display:inline-block;
margin-bottom:24px;font-weight:500;text-decoration:none}.what{color:var(--text-2)}.sum{margin:4px 0 24px;font-size:32px;
line-height:40px;font-weight:600;letter-spacing:-.01em}.sum small{color:var(--text-2);font-size:14px;font-weight:400;
letter-spacing:0}dl{display:grid;grid-template-columns:1fr auto;row-gap:12px}dd{padding-inline-start:24px;text-align:right;
font-variant-numeric:tabular-nums}.due{padding-top:12px;border-top:1px solid var(--line);font-weight:600}
main>.panel{margin-top:0}.panel h1{font-size:20px;line-height:28px}details{margin-top:24px;color:var(--text-2);font-size:13px}
summary{cursor:pointer}table{width:100%;border-collapse:collapse;font-size:13px}
td{padding:8px 16px 8px 0;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}
@media (width < 640px){main.two{grid-template-columns:minmax(0,1fr);gap:24px;padding-top:24px}}
"""
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
<code>4000 0027 6000 3184</code> asks for it at each renewal too,
<code>4000 0000 0000 0341</code> fails at the next renewal. Other numbers are rejected and never kept.</p></details>
"""
DESK = """
<h1>Payment sandbox</h1><p>Today is <b>$now</b> here. Moving the clock renews, retries and ends everything that becomes due.</p>
<form method="post" action="$base/test/clock" class="two">
<button name="days" value="1" class="plain">+ 1 day</button><button name="days" value="7" class="plain">+ 7 days</button>
<button name="days" value="31" class="plain">+ 31 days</button>
<button name="days" value="366" class="plain">+ 366 days</button></form>
<h2>Subscriptions</h2><table role="presentation"><tbody>$subs</tbody></table>
<h2>Latest events</h2><table role="presentation"><tbody>$events</tbody></table>
"""
