"""Invoices as a list and as PDF, for their owner alone."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from product.billing import invoice_pdf
from product.language import Language, formats
from tests.helpers.product import API, KEY, Account, Product
from tests.helpers.shop import Shop
from tests.helpers.support import ok

PDF = API + "invoicepdf"
GERMAN, MONEY = {"Accept-Language": "de"}, "49,00\u00a0$"


async def test_only_the_owner_gets_the_pdf(product: Product, shop: Shop, trial: Account, account: Account) -> None:
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

    response = await trial.owner.http.get(PDF, params=query)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/pdf"
    assert response.headers["content-disposition"].startswith('attachment; filename="invoice-')
    assert response.content.startswith(b"%PDF-")
    assert b"InstrumentSans-SemiBold" in response.content, "the typeface of the app, embedded"
    by_link = await product.caller(key="").get(PDF, params=query | {"api_key": KEY, "session_token": trial.owner.token})
    assert (by_link.status_code, by_link.headers["cache-control"]) == (200, "no-store")
    assert by_link.headers["referrer-policy"] == "no-referrer"


async def test_the_invoice_is_in_the_language_of_the_owner(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    [bill] = await shop.invoices(trial)
    for stored, requested, language, title in (
        (None, "en", "en", "invoice"),
        (None, "de", "de", "rechnung"),
        ("de", "en", "de", "rechnung"),
        ("en", "de", "en", "invoice"),
    ):
        sql = "update appuser set language = $2 where appuserid = $1"
        await shop.product.db.execute(sql, trial.owner.appuserid, stored)
        query, headers = {"invoicenumber": bill["invoicenumber"]}, {"Accept-Language": requested}
        response = await trial.owner.http.get(PDF, params=query, headers=headers)
        assert f'filename="{title}-{bill["invoicenumber"]}.pdf"' in response.headers["content-disposition"]
        assert f"/Lang({language})".encode() in response.content


async def test_an_upgrade_has_a_german_invoice(shop: Shop, trial: Account) -> None:
    """Checks the input of the template, because the texts in a PDF are compressed glyphs."""
    await shop.subscribe(trial, 2)
    change = {"subId": (await shop.row(trial))["subscriptionid"], "plan": 3}
    preview = await trial.owner.http.get(API + "stripe", params=change | {"res": "invoice"}, headers=GERMAN)
    lines = preview.json()["resource"]["data"]["lines"]
    assert [line["description"] for line in lines] == [
        "Nicht genutzte Zeit im Tarif Starter",
        "Verbleibende Zeit im Tarif Pro",
    ]
    english = await trial.owner.http.get(API + "stripe", params=change | {"res": "invoice"})
    assert english.json()["resource"]["data"]["lines"][0]["description"].startswith("Unused time on Starter after ")
    assert (await trial.owner.http.patch(API + "stripe", json=change | {"res": "sub"})).status_code == 200
    await shop.deliver()
    first, second = await shop.invoices(trial)
    ctx, product = shop.product.ctx, shop.product
    row = await invoice_pdf.row(ctx, trial.clientid, transactionid=first["transactionid"])
    assert row is not None
    data = invoice_pdf.data(product.ctx.settings, row, "de")
    day = formats.day(first["transactiondate"], "de")
    assert data["state"] == f"Bezahlt am {day}"
    assert [name for name, _ in data["facts"]] == ["Rechnungsnummer", "Datum", "Gültig bis"]
    assert [line["description"] for line in data["lines"]] == ["Starter"]
    english_data = invoice_pdf.data(product.ctx.settings, row, "en")
    assert [line["description"] for line in english_data["lines"]] == ["Starter"], "quantity and price have columns"
    assert (data["sums"], data["total"]) == (
        [("Zwischensumme", MONEY), ("Steuer", "0,00\u00a0$")],
        ("Gesamtbetrag", MONEY),
    )
    row = await invoice_pdf.row(ctx, trial.clientid, transactionid=second["transactionid"])
    assert row is not None
    data = invoice_pdf.data(product.ctx.settings, row, "de")
    assert [line["description"] for line in data["lines"]] == [line["description"] for line in lines]
    assert data["note"].startswith("Nicht genutzte Zeit des früheren Tarifs")


async def test_an_invoice_shows_both_parties_and_the_tax(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    [bill] = await shop.invoices(trial)
    address = {"billingaddress": "5 Main Street, Berlin", "country": "DEU", "taxid": "DE136695976"}
    assert (await trial.owner.table("PATCH", f"client/{trial.clientid}", address)).status_code == 200
    ctx = shop.product.ctx
    row = await invoice_pdf.row(ctx, trial.clientid, transactionid=bill["transactionid"])
    assert row is not None
    countries: dict[Language, str] = {"en": "Germany", "de": "Deutschland"}
    for language, country in countries.items():
        data = invoice_pdf.data(ctx.settings.model_copy(update={"demo": True}), row, language)
        assert data["buyer"]["rows"][:3] == ["5 Main Street", "Berlin", country]
        assert len(data["seller"]["rows"]) > 3, "address and tax number of the issuer"
        assert len(data["sums"]) == 2, "subtotal and tax"
    taxed = invoice_pdf.data(ctx.settings, replace(row, price=Decimal("58.31"), tax=931), "de")
    assert taxed["sums"][1] == ("Steuer (19\u00a0%)", "9,31\u00a0$")
    own = {"seller_address": "2 Side Street, Oslo", "seller_taxid": "NO 1"}
    data = invoice_pdf.data(ctx.settings.model_copy(update=own), row, "en")
    assert data["seller"]["rows"] == ["2 Side Street", "Oslo", "Tax ID NO 1"]


async def test_an_addon_has_a_german_invoice(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 2)
    bought = await trial.owner.post("addonpayment", tokenid="tok_visa", planid=103)
    number = ok(bought)["result"]["transactionid"]
    row, settings = (
        await invoice_pdf.row(shop.product.ctx, trial.clientid, transactionid=number),
        shop.product.ctx.settings,
    )
    assert row is not None
    assert [line["description"] for line in invoice_pdf.data(settings, row, "de")["lines"]] == ["2.000 Mobilnummern"]
    assert [line["description"] for line in invoice_pdf.data(settings, row, "en")["lines"]] == ["2000 Cell Numbers"]


async def test_only_the_owner_lists_invoices(shop: Shop, trial: Account, account: Account) -> None:
    await shop.subscribe(trial, 2)
    [bill] = await shop.invoices(trial)
    response = await trial.owner.table(
        "GET", "transactionhistory", filter=f"(invoicenumber like %{bill['invoicenumber'][-6:]}%)"
    )
    [row] = response.json()["resource"]
    assert (row["planname"], float(row["price"]), row["isaddon"]) == ("Starter", 49.0, 0)
    assert "providerid" not in row
    assert (await account.owner.table("GET", "transactionhistory")).json()["resource"] == []
