"""Mails: the language of the reader, user texts in them, and values to copy."""

from __future__ import annotations

import re
import secrets
from email.message import EmailMessage
from typing import Any

import pytest

from product.accounts import passwords, person_names
from product.design import DARK, LIGHT
from product.language import LANGUAGES, Language
from product.mail import render
from tests.helpers.desk import staff
from tests.helpers.mails import MAILS, VALUES, sample
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


EVIL = "Security Team https://evil.example/login"
HOSTILE = [
    EVIL,
    "Security Team www.evil.example",
    "write to admin@evil.example now",
    "Eve\r\nBcc: all@evil.example",
    "Eve\u2028https://evil.example",
    "Eve \uff48ttps\uff1a//evil.example",
    "Eve evil\uff0eexample",
    "Eve evil\u3002example",
    "Eve evil\u200d.example",
    "Eve h\u200cttps://evil.example",
    "Eve \u202eelpmaxe.live",
    "Eve evil.example/login?x=1",
    "x" * 200,
]


def _texts(mail: EmailMessage) -> list[str]:
    bodies = [mail.get_body((kind,)) for kind in ("plain", "html")]
    return [str(mail["Subject"]), *(body.get_content() for body in bodies if body is not None)]


def _own(text: str) -> str:
    """Return the text without the URLs that the server inserted."""
    return re.sub(r"https?://(?:127\.0\.0\.1|localhost|test)\S*", "", text)


@pytest.mark.parametrize("text", HOSTILE)
async def test_addresses_in_stored_names_are_removed_from_mails(product: Product, account: Account, text: str) -> None:
    """Mail to names that were stored before the form rejected them."""
    sql = "update appuser set name = $2 where appuserid = $1"
    await product.db.execute(sql, account.owner.appuserid, text)
    await product.db.execute("update client set companyname = $2 where clientid = $1", account.clientid, text)
    owner = product.caller(await account.session(account.owner.appuserid))
    email = f"invited-{secrets.token_hex(4)}@target.example"
    record = {"name": "Ina Invited", "email": email, "role": "member"}
    added = await owner.post(TABLE + "appuser", json={"resource": [record]})
    assert added.status_code == 200, added.text
    await product.db.execute(sql, added.json()["resource"][0]["appuserid"], text)
    await owner.post(API + "sendappuserinviteemail", json={"appuserid": added.json()["resource"][0]["appuserid"]})
    for mail in await product.mails(email):
        subject, plain, html = _texts(mail)
        for part in (subject, _own(plain), _own(html)):
            assert "evil.example" not in part.replace(email, "")
            assert "evil\u3002example" not in part
            assert "\u202e" not in part
            assert "\nBcc" not in part
            assert "x" * 61 not in part
        assert "\n" not in subject
        assert mail["Bcc"] is None


@pytest.mark.parametrize("text", HOSTILE[:5])
async def test_forms_reject_names_with_addresses_or_line_ends(product: Product, account: Account, text: str) -> None:
    record = {"type": "register", "email": f"{secrets.token_hex(5)}@new.example", "name": text, "terms": True}
    body = {"resource": [record | {"password": "Sesame123"}]}
    member = {"firstname": text, "lastname": "X", "email": f"{secrets.token_hex(5)}@new.example"}
    own = {"appuserid": account.owner.appuserid}
    for response in (
        await product.caller().post(TABLE + "client", json=body),
        await account.owner.table("POST", "appuser", member),
        await account.owner.table("PATCH", "appuser", own | {"name": text}),
        await account.owner.table("PATCH", "appuser", own | {"firstname": "X", "lastname": text}),
        await account.owner.table("PATCH", "appuser", own | {"companyname": text}),
        await account.owner.table("PATCH", f"client/{account.clientid}", {"companyname": text}),
        await product.caller().post(
            API + "scheduledemoemail", json={"name": text, "email": "a@b.example", "query": "x"}
        ),
    ):
        assert response.status_code == 422, response.text
        assert response.json()["error"]["context"]["reason"] == "invalid"


@pytest.mark.parametrize(
    "name",
    [
        "J.R. Smith",
        "Anne-Marie O'Neil",
        "Dr. Müller",
        "Ng",
        "Booking.com Ltd",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647",
        "李 小龍",
    ],
)
def test_names_of_people_and_companies_are_accepted(name: str) -> None:
    assert person_names.is_plain(name)
    assert person_names.plain(name)


@pytest.mark.parametrize(
    ("language", "subject", "hello"),
    [
        ("en", "A colleague invites you to", "Hello there,\n"),
        ("de", "Jemand aus Ihrem Unternehmen lädt", "Guten Tag,\n"),
    ],
)
def test_a_name_without_safe_characters_is_replaced(
    product: Product, language: Language, subject: str, hello: str
) -> None:
    values = {"name": "https://evil.example", "inviter": "a@evil.example", "company": "www.evil.example"}
    values |= {"password": "Ab1", "link": "http://test/x"}
    mail = render(product.ctx.settings, "invite", "a@b.example", values, language)
    assert mail.subject.startswith(subject)
    assert hello in mail.text
    assert "evil" not in mail.text + mail.html


@pytest.mark.parametrize("language", LANGUAGES)
def test_user_input_is_never_interpolated(product: Product, language: Language) -> None:
    """A name in braces is a name, in a text and in a template."""
    values = VALUES | {"user": "{reason} {0}", "reason": "{user.__class__} {{ name }} {% x %} 100 %"}
    mail = render(product.ctx.settings, "supportview", "a@b.example", values, language)
    assert "{reason} {0}" in mail.text
    assert "{user.__class__} {{ name }} {% x %} 100 %" in mail.text


def _lines(mail: EmailMessage) -> list[str]:
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).splitlines()


async def test_code_password_and_link_have_separate_lines(product: Product, account: Account) -> None:
    email = f"invited-{secrets.token_hex(4)}@target.example"
    await account.owner.table("POST", "appuser", {"name": "Ina Invited", "email": email, "role": "member"})
    lines = _lines((await product.mails(email))[-1])
    password = lines[next(n for n, line in enumerate(lines) if line.endswith("temporary password:")) + 2]
    assert re.fullmatch(r"[A-Za-z0-9]{8}", password)
    assert [line for line in lines if password in line] == [password]

    user = await account.user(password=await passwords.hashed("Sesame123"))
    new = f"moved-{secrets.token_hex(4)}@newhome.example"
    await user.post("emailcodeverification", oldemail=user.email, newemail=new, password="Sesame123")
    _, query = await product.link(new)
    assert query["code"] in _lines((await product.mails(new))[-1])
    await product.caller().post(API + "user/password", json={"email": user.email})
    for to in (email, new, user.email):
        for mail in await product.mails(to):
            for line in _lines(mail):
                if "http" in line:
                    assert re.fullmatch(r"https?://\S*[^.\s]", line), line


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", MAILS)
def test_a_mail_begins_with_its_preheader_and_has_one_look(product: Product, name: str, language: Language) -> None:
    mail = sample(product.ctx.settings, name, language)
    assert mail.html.startswith(f'<!doctype html>\n<html lang="{language}">')
    body = mail.html.partition("<body")[2].partition(">")[2]
    preheader = body.strip().partition(">")[2].partition("&#847;")[0]
    assert 20 <= len(preheader) <= 120
    assert preheader != mail.subject
    assert "Openlead" in mail.text
    # Colors come from the tokens, in both schemes.
    colors = set(re.findall(r"#[0-9a-f]{6}\b", mail.html))
    assert {LIGHT["accent"], DARK["accent"]} <= colors or "button" not in mail.html.partition("<body")[2]
    assert colors <= {*LIGHT.values(), *DARK.values()}


def test_a_code_is_a_separate_block(product: Product) -> None:
    mail = render(product.ctx.settings, "emailcode", "a@b.example", VALUES)
    assert re.search(r'<p class="code"[^>]*>482913</p>', mail.html)
    assert "482913" in mail.text.splitlines()
