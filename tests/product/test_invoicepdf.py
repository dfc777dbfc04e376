"""Invoices as a list and as PDF, for their owner alone."""

from __future__ import annotations

from tests.helpers.product import API, KEY, Account, Product
from tests.helpers.shop import Shop

PDF = API + "invoicepdf"


async def test_pdf_is_the_owners(product: Product, shop: Shop, trial: Account, account: Account) -> None:
    await shop.subscribe(trial, 2)
    [bill] = await shop.invoices(trial)
    query = {"invoicenumber": bill["invoicenumber"]}
    member = await trial.user("member")
    assert (await product.caller(key="").get(PDF, params=query)).status_code == 401
    assert (await product.caller().get(PDF, params=query)).status_code == 401
    assert (await member.http.get(PDF, params=query)).status_code == 403
    foreign = await account.owner.http.get(PDF, params=query)
    assert (foreign.status_code, foreign.json()["error"]["context"]["scope"]) == (404, "resource")
    assert (await trial.owner.http.get(PDF)).status_code == 422

    answer = await trial.owner.http.get(PDF, params=query)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"].startswith('attachment; filename="invoice-')
    assert answer.content.startswith(b"%PDF-")
    by_link = await product.caller(key="").get(PDF, params=query | {"api_key": KEY, "session_token": trial.owner.token})
    assert (by_link.status_code, by_link.headers["cache-control"]) == (200, "no-store")
    assert by_link.headers["referrer-policy"] == "no-referrer"


async def test_the_list_is_the_owners(shop: Shop, trial: Account, account: Account) -> None:
    await shop.subscribe(trial, 2)
    [bill] = await shop.invoices(trial)
    response = await trial.owner.table(
        "GET", "transactionhistory", filter=f"(invoicenumber like %{bill['invoicenumber'][-6:]}%)"
    )
    [row] = response.json()["resource"]
    assert (row["planname"], float(row["price"]), row["isaddon"]) == ("Starter", 49.0, 0)
    assert "providerid" not in row
    assert (await account.owner.table("GET", "transactionhistory")).json()["resource"] == []
