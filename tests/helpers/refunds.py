"""Purchases, refunds and disputes for tests, through the API of the payment sandbox."""

from __future__ import annotations

import time
from typing import Any

import orjson

from sandbox.stripe.deliver import signature
from tests.helpers.product import Account
from tests.helpers.shop import BASE, SECRET, WEBHOOK, Shop
from tests.helpers.support import ok

STRIPE_KEY = {"Authorization": "Bearer sk_test_x"}


async def buy(shop: Shop, account: Account, token: str = "tok_visa") -> None:
    paid = await account.owner.post("addonpayment", planid=101, tokenid=token)
    assert paid.status_code == 200, paid.text
    await shop.deliver()


async def payment(account: Account) -> str:
    """Return the payment intent of the newest add-on."""
    return str(
        await account.product.db.fetchval(
            "select providerid from addonpayment where clientid = $1 order by createdon desc limit 1", account.clientid
        )
    )


async def called(shop: Shop, method: str, path: str, **data: Any) -> dict[str, Any]:
    """Call the provider's API as its dashboard does."""
    response = await shop.http.request(method, f"{BASE}/v1/{path}", data=data or None, headers=STRIPE_KEY)
    body: dict[str, Any] = ok(response)
    return body


async def invoice_payment(shop: Shop, invoice: str) -> str:
    bill = await called(shop, "GET", f"invoices/{invoice}")
    return str(bill["payments"]["data"][0]["payment"]["payment_intent"])


async def use(account: Account, amount: int) -> None:
    """Spend cell number credits until `amount` remain."""
    row = await account.credits()
    sql = """
        update usercredit set contactcredit = $2, contactcredit_bought = least(contactcredit_bought, $2)
        where clientid = $1
    """
    await account.product.db.execute(sql, account.clientid, amount)
    await account.product.db.execute(
        "insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)"
        " values ($1, 'contactcredit', $2, $3, 'reveal', 'test', $4)",
        account.clientid, amount - row["contactcredit"], amount, str(time.monotonic_ns()),
    )  # fmt: skip


async def addon(shop: Shop, account: Account) -> Any:
    return next(row for row in await shop.invoices(account) if row["isaddon"])


async def subjects(account: Account) -> list[str]:
    return [str(mail["Subject"]) for mail in await account.product.mails(account.owner.email)]


async def forged(shop: Shop, kind: str, about: dict[str, Any], ident: str = "", created: int = 0) -> None:
    """Send a signed event with an object that the provider does not list."""
    moment = created or int(time.time())
    body = orjson.dumps({"id": ident or f"evt_{time.monotonic_ns()}", "object": "event", "type": kind,
                         "created": moment, "data": {"object": about}})  # fmt: skip
    headers = {"Stripe-Signature": signature(SECRET, body, int(time.time()))}
    response = await shop.webhook.post(WEBHOOK, content=body, headers=headers)
    assert response.status_code == 200, response.text
    await shop.product.work()
