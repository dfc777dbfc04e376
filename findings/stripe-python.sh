#!/usr/bin/env bash
# stripe 16.1.0 for Python (API 2026-10-28.endive), without network: an HTTPClient answers with two short objects.
#
# 1. A field that Stripe leaves out raises AttributeError; one that it sends as null is None. The types say Optional for
#    both, so a type checker accepts the attribute. An invoice line without price details has such a field.
# 2. StripeObject is no dict: .get, .keys, iteration, len and ** raise; `in`, [] and .to_dict() work. On an Invoice,
#    .items is an AttributeError; on a Subscription it is the list of its items.
# 3. Auto paging of a list inside an object, such as the lines of an invoice, asks for its next pages without the limit
#    of the call that returned the object: pages of ten follow a call with limit=100.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check stripe==16.1.0
cat >"$folder/program.py" <<'PROGRAM'
import json

import stripe


class Recorded(stripe.HTTPClient):
    name = "recorded"
    urls = []

    def request(self, method, url, headers, post_data=None, **_):
        self.urls.append(url.removeprefix("https://api.stripe.com/v1/"))
        first = int(url.rpartition("il_")[2]) + 1 if "/lines" in url else 0
        lines = {
            "object": "list", "url": "/v1/invoices/in_1/lines", "has_more": first + 10 < 25,
            "data": [{"id": f"il_{n}", "object": "line_item"} for n in range(first, min(first + 10, 25))],
        }
        invoice = {"id": "in_1", "object": "invoice", "number": None, "lines": lines}
        invoices = {"object": "list", "url": "/v1/invoices", "has_more": False, "data": [invoice]}
        return json.dumps(lines if "/lines" in url else invoices), 200, {}


def outcome(run):
    try:
        return run()
    except Exception as error:
        return type(error).__name__


client = stripe.StripeClient("sk_test_x", http_client=Recorded())
invoice = client.v1.invoices.list({"customer": "cus_1", "limit": 100}).data[0]
print("version", stripe.VERSION, stripe.api_version)
print("null", outcome(lambda: invoice.number))
print("left out", outcome(lambda: invoice.hosted_invoice_url))
print("get", outcome(lambda: invoice.get("number")))
print("dict", outcome(lambda: dict(invoice)))
print("in", "number" in invoice, "hosted_invoice_url" in invoice)
print("items of an invoice", outcome(lambda: invoice.items))
subscription = {"id": "sub_1", "object": "subscription", "items": {"object": "list", "data": [], "url": "/x"}}
print("items of a subscription", type(stripe.Subscription.construct_from(subscription, "x").items).__name__)
print("lines", len(invoice.lines.data), len(list(invoice.lines.auto_paging_iter())))
print(*Recorded.urls, sep="\n")
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
version 16.1.0 2026-10-28.endive
null None
left out AttributeError
get AttributeError
dict TypeError
in True False
items of an invoice AttributeError
items of a subscription ListObject
lines 10 25
invoices?customer=cus_1&limit=100
invoices/in_1/lines?starting_after=il_9
invoices/in_1/lines?starting_after=il_19
SEEN
echo "stripe 16.1.0: as described"
