"""User texts in mails, and values that are meant to be copied from a mail."""

from __future__ import annotations

import re
import secrets
from email.message import EmailMessage

import pytest

from product.accounts import passwords, person_names
from product.design import DARK, LIGHT
from product.language import LANGUAGES, Language
from product.mail import render
from tests.helpers.mails import MAILS, VALUES, sample
from tests.helpers.product import API, TABLE, Account, Product

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
