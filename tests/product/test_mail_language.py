"""Every mail is in its reader's language: the stored one, else that of the request, else English."""

from __future__ import annotations

import re
import secrets
from email.message import EmailMessage
from typing import Any

import pytest

from product.accounts import passwords
from tests.helpers.desk import staff
from tests.helpers.product import API, TABLE, Account, Product, User
from tests.helpers.refunds import buy, called, payment
from tests.helpers.shop import Shop

PASSWORD = "Sesame123"
GERMAN = {"Accept-Language": "de"}
SPACE = "\u00a0"


async def _owner(product: Product, language: str | None, planid: int = 4) -> Account:
    account = await product.account(planid=planid, password=await passwords.hashed(PASSWORD))
    sql = "update appuser set language = $2, name = 'Olivia Brandt' where appuserid = $1"
    await product.db.execute(sql, account.owner.appuserid, language)
    return account


def _text(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def _language(mail: EmailMessage) -> str:
    """Return the language declared by the HTML part, which must match the plain part."""
    html = mail.get_body(("html",))
    assert html is not None
    language: str = html.get_content().partition('<html lang="')[2][:2]
    assert ("Guten Tag" in _text(mail)) == (language == "de")
    return language


async def _newest(product: Product, to: str, language: str = "de") -> EmailMessage:
    mail = (await product.mails(to))[-1]
    assert _language(mail) == language
    return mail


async def _subject(product: Product, to: str, language: str = "de") -> str:
    return str((await _newest(product, to, language))["Subject"])


@pytest.mark.parametrize(
    ("stored", "requested", "language"),
    [("en", "de", "en"), ("de", "en", "de"), (None, "de", "de"), (None, "tlh", "en"), ("fr", "de", "de")],
)
async def test_the_stored_language_precedes_that_of_the_request(
    product: Product, stored: str | None, requested: str, language: str
) -> None:
    account = await _owner(product, stored)
    headers = {"Accept-Language": requested}
    await product.caller().post(API + "user/password", json={"email": account.owner.email}, headers=headers)
    reset = await _subject(product, account.owner.email, language)
    assert reset == {"en": "Set a new password", "de": "Legen Sie ein neues Passwort fest"}[language]


async def test_a_mail_in_a_language_without_texts_is_english(product: Product) -> None:
    to = f"{secrets.token_hex(5)}@elsewhere.example"
    values: dict[str, Any] = {"name": "Ina", "kind": "work email", "left": 20, "link": "http://test/x"}
    values["forecast"] = {"spent": "10", "until": "5 Nov 2026", "renews": "", "share": 20}
    async with product.db.transaction():
        await product.ctx.later("sendmail", name="lowcredit", to=to, values=values, language="tlh")
    assert "Your account has 20 work email credits left." in _text(await _newest(product, to, "en"))


async def test_mails_of_a_german_sign_up_are_german(product: Product) -> None:
    email = f"new-{secrets.token_hex(5)}@neuefirma.example"
    record = {"type": "register", "name": "Ina Müller", "email": email, "password": PASSWORD, "terms": True}
    response = await product.caller().post(TABLE + "client", json={"resource": [record]}, headers=GERMAN)
    signed_up = product.caller(response.json()["resource"][0]["clientdata"]["session_token"])
    # The requests after the first name no language: it is stored.
    await signed_up.post(API + "sendverificationemail", json={"email": email})
    assert await _subject(product, email) == "Bestätigen Sie Ihre E-Mail-Adresse"
    assert "Guten Tag Ina Müller," in _text((await product.mails(email))[-1])
    _, query = await product.link(email)
    used = {"email": email, "verifytoken": query["code"]}
    assert (await product.caller().post(API + "updatinvitedappuser", json=used)).status_code == 200
    assert await _subject(product, email) == "Willkommen bei Openlead"
    await signed_up.post(API + "sendinvoice", json={})
    plan = await _newest(product, email)
    assert plan["Subject"] == "Ihr Tarif bei Openlead"
    assert "Ihr Konto nutzt den Tarif Free Trial; er läuft bis zum " in _text(plan)


async def test_a_sign_up_with_a_staff_address_uses_the_request_language(
    product: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address belongs to no user, so that no language is stored."""
    member = await staff(product)
    monkeypatch.setitem(vars(product.ctx.settings), "signup_discloses", False)
    record = {"type": "register", "name": "Somebody Else", "password": PASSWORD, "terms": True}
    body = {"resource": [record | {"email": member.email}]}
    response = await product.caller().post(TABLE + "client", json=body, headers=GERMAN)
    assert response.status_code == 200, response.text
    assert await _subject(product, member.email) == "Sie haben bereits ein Konto"


async def test_a_sign_up_with_a_known_address_uses_the_holders_language(
    product: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = await _owner(product, "de")
    monkeypatch.setitem(vars(product.ctx.settings), "signup_discloses", False)
    record = {"type": "register", "name": "Somebody Else", "password": PASSWORD, "terms": True}
    body = {"resource": [record | {"email": account.owner.email}]}
    response = await product.caller().post(TABLE + "client", json=body, headers={"Accept-Language": "en"})
    assert response.status_code == 200
    assert await _subject(product, account.owner.email) == "Sie haben bereits ein Konto"


@pytest.mark.parametrize(("stored", "headers"), [("de", {"Accept-Language": "en"}), (None, GERMAN)])
async def test_an_invitation_uses_the_language_of_the_owner(
    product: Product, stored: str | None, headers: dict[str, str]
) -> None:
    account = await _owner(product, stored)
    email = f"invited-{secrets.token_hex(4)}@neuefirma.example"
    token = await account.session(account.owner.appuserid)
    owner = product.caller(token)
    record = {"name": "Ina Müller", "email": email, "role": "member"}
    added = await owner.post(TABLE + "appuser", json={"resource": [record]}, headers=headers)
    again = {"appuserid": added.json()["resource"][0]["appuserid"]}
    assert (await owner.post(API + "sendappuserinviteemail", json=again, headers=headers)).status_code == 200
    mails = await product.mails(email)
    assert [str(mail["Subject"]) for mail in mails] == ["Olivia Brandt lädt Sie zu Openlead ein"] * 2
    assert "Olivia Brandt (Test Ltd) hat Sie in das Team bei Openlead aufgenommen." in _text(mails[0])
    if stored:  # staff read the desk in their own language
        body = {"kind": "invitation"} | again
        response = await (await staff(product)).http.post(
            API + "desk/mail", json=body, headers={"Accept-Language": "en"}
        )
        assert response.status_code == 200, response.text
        assert "lädt Sie zu Openlead ein" in await _subject(product, email)


async def test_mails_about_password_and_address_are_german(product: Product) -> None:
    account = await _owner(product, "de")
    user: User = account.owner
    new = f"moved-{secrets.token_hex(4)}@neuefirma.example"
    await user.post("emailcodeverification", oldemail=user.email, newemail=new, password=PASSWORD)
    assert await _subject(product, new) == "Bestätigen Sie Ihre neue E-Mail-Adresse"
    notice = await _newest(product, user.email)
    assert notice["Subject"] == "Ihre E-Mail-Adresse soll geändert werden"
    assert new in _text(notice).splitlines()
    member = await account.user(language="de")
    await user.post("emailtonewuser", appuserid=member.appuserid, type="password")
    assert await _subject(product, member.email) == "Legen Sie ein neues Passwort fest"
    await user.post("user/password", old_password=PASSWORD, new_password="Another123")
    assert await _subject(product, user.email) == "Ihr Passwort wurde geändert"


async def test_mails_caused_by_staff_use_the_readers_language(product: Product) -> None:
    account, silent, desk = await _owner(product, "de"), await _owner(product, None), await staff(product)
    for client, language in ((account, "de"), (silent, "en")):
        body = {"appuserid": client.owner.appuserid, "reason": "Ticket 4711"}
        assert (await desk.http.post(API + "desk/view", json=body, headers=GERMAN)).status_code == 200
        assert "Ticket 4711" in _text(await _newest(product, client.owner.email, language))
    assert await _subject(product, account.owner.email) == "Der Support sieht sich Ihr Konto bei Openlead an"
    email = f"anna-{secrets.token_hex(4)}@desk.example"
    await product.scripts.run_job("addstaff", {"email": email, "name": "Anna"})
    assert "staff account" in await _subject(product, email, "en")


async def test_staff_are_invited_in_the_language_of_the_command(product: Product) -> None:
    email = f"anna-{secrets.token_hex(4)}@desk.example"
    said = await product.scripts.run_job("addstaff", {"email": email, "name": "Anna", "language": "de"})
    assert "is queued as a mail to" in said
    assert await _subject(product, email) == "Ihr Mitarbeiterkonto bei Openlead"


async def test_people_without_an_account_get_the_request_language(product: Product) -> None:
    email = f"{secrets.token_hex(5)}@somewhere.example"
    cookie = {"Cookie": "language=de", "Accept-Language": "en"}
    assert (
        await product.caller().post(API + "removalrequest", json={"email": email}, headers=cookie)
    ).status_code == 200
    assert await _subject(product, email) == "Ihre Daten bei Openlead löschen"
    path, _ = await product.link(email)
    # The page has the language of the mail, also in a browser of another one.
    browser = product.caller(key="")
    page = await browser.get(path, headers={"Accept-Language": "en"})
    assert '<html lang="de">' in page.text
    assert "Ihre Kontaktdaten werden bei Openlead gelöscht." in page.text
    done = await browser.post(path)
    assert "Gespeicherte Kopien werden innerhalb von 24 Stunden gelöscht." in done.text
    for headers, text in ((GERMAN, "Dieser Link ist abgelaufen"), ({}, "This link has expired")):
        for gone in (await browser.get(path, headers=headers), await browser.post(path, headers=headers)):
            assert (gone.status_code, text in gone.text) == (404, True)

    form = {"name": "Ina Müller", "email": email, "query": "Wann?"}
    assert (await product.caller().post(API + "scheduledemoemail", json=form, headers=GERMAN)).status_code == 200
    demo = (await product.mails("no-reply@example.com"))[-1]
    assert demo["Subject"] == "Demo-Anfrage von Ina Müller"
    assert "Anliegen: Wann?" in _text(demo)


async def test_credits_that_run_low(product: Product) -> None:
    account = await _owner(product, "de", planid=1)  # 5 cell numbers: the threshold of a fifth is 1
    for _ in range(5):
        person = await product.person()
        body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
        assert (await account.owner.post("getcontact", **body)).json()["charged"] == 1
        await product.scripts.run_job("tellcredits", {})
    low, over = await product.mails(account.owner.email)
    assert low["Subject"] == "Ihre Credits für Mobilnummern gehen zur Neige"
    assert "in Ihrem Konto ist noch 1 Credit für Mobilnummern übrig." in _text(low)
    assert "In den letzten 30 Tagen verbraucht: 4" in _text(low)
    assert re.search(r"Reichen bei diesem Tempo bis: \d+\. ", _text(low))
    assert "In den letzten 30 Tagen verbraucht: 5" in _text(over)
    assert "Tempo" not in _text(over)
    assert over["Subject"] == "Ihre Credits für Mobilnummern sind aufgebraucht"


async def test_mails_about_payments_are_german(shop: Shop) -> None:
    product = shop.product
    account = await _owner(product, "de", planid=1)
    await shop.subscribe(account, 2)
    receipt = await _newest(product, account.owner.email)
    [bill] = await shop.invoices(account)
    assert receipt["Subject"] == f"Zahlungsbeleg {bill['invoicenumber']} von Openlead"
    assert f"vielen Dank für Ihre Zahlung von 49,00{SPACE}$ für Starter." in _text(receipt)
    await buy(shop, account)
    await called(shop, "POST", "refunds", payment_intent=await payment(account))
    await shop.deliver()
    back = await _newest(product, account.owner.email)
    assert str(back["Subject"]).endswith("wurde erstattet")
    assert f"wurde erstattet: 25,00{SPACE}$." in _text(back)
    assert "Die zugehörigen Credits wurden zurückgenommen: 100 für Mobilnummern." in _text(back)

    await shop.new_card(account, "chargeCustomerFail")
    await shop.pass_days(31)
    await shop.deliver()
    failed = await _newest(product, account.owner.email)
    assert failed["Subject"] == "Ihre Zahlung für Openlead ist fehlgeschlagen"
    until = (await shop.row(account))["graceuntil"]
    assert f"Bis zum {until.day}. " in _text(failed)
    await shop.pass_days(14)
    await shop.deliver()
    ended = await _newest(product, account.owner.email)
    assert ended["Subject"] == "Ihr Tarif bei Openlead ist beendet"
    assert "weil er nicht bezahlt werden konnte" in _text(ended)
