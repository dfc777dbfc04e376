"""The language of a user: the rights to change it, its sources and its values; and the form of values."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from product.accounts import passwords
from tests.helpers.product import API, TABLE, Account, Product, User
from tests.helpers.support import ok

PASSWORD = "Sesame123"


async def _stored(product: Product, appuserid: int) -> str | None:
    stored: str | None = await product.db.fetchval("select language from appuser where appuserid = $1", appuserid)
    return stored


async def _choose(user: User, language: Any, appuserid: int | None = None) -> httpx2.Response:
    return await user.table("PATCH", "appuser", {"appuserid": appuserid or user.appuserid, "language": language})


@pytest.mark.parametrize("language", ["tlh", "DE", "de-DE", "", None, 1, ["de"], "de\n"])
async def test_an_unknown_language_is_rejected_with_the_choices(account: Account, language: Any) -> None:
    user = await account.user(language="de")
    response = await _choose(user, language)
    assert response.status_code == 422, response.text
    assert response.json()["error"]["context"]["fields"] == {"language": "Must be one of: en, de"}
    assert await _stored(account.product, user.appuserid) == "de"


async def test_only_the_user_can_change_the_language(account: Account, other: Account) -> None:
    member, colleague = await account.user(), await account.user()
    for caller, status in ((account.owner, 403), (colleague, 404), (other.owner, 404)):
        response = await _choose(caller, "de", member.appuserid)
        assert response.status_code == status, response.text
    added = {"name": "Ina New", "email": f"{secrets.token_hex(5)}@new.example", "language": "de"}
    invited = (await account.owner.table("POST", "appuser", added)).json()["resource"][0]["appuserid"]
    assert await _stored(account.product, invited) is None
    nested = {"clientid": account.clientid, "appuser_by_clientid": [{"appuserid": member.appuserid, "language": "de"}]}
    refused = (await account.owner.table("PATCH", "client", nested)).json()["error"]["context"]["resource"][0]
    assert refused["code"] == 403
    assert await _stored(account.product, member.appuserid) is None


async def test_a_user_can_read_and_change_the_language_by_every_verb(product: Product, account: Account) -> None:
    user = await account.user(password=await passwords.hashed(PASSWORD))
    for verb, language in (("PATCH", "de"), ("PUT", "en"), ("PATCH", "de")):
        record = {"appuserid": user.appuserid, "language": language}
        assert (await user.table(verb, "appuser", record)).status_code == 200
        [row] = (await user.table("GET", "appuser")).json()["resource"]
        session = (await user.http.get(API + "user/session")).json()
        assert row["language"] == session["language"] == language
    # A record that is sent back as it was read changes nothing.
    await product.db.execute("update appuser set language = null where appuserid = $1", user.appuserid)
    assert (await _choose(user, None)).status_code == 200


REQUESTS = [
    ({}, None),
    ({"Accept-Language": "de"}, "de"),
    ({"Accept-Language": "de-AT, en;q=0.8"}, "de"),
    ({"Accept-Language": "fr, en;q=0.4, de;q=0.5"}, "de"),
    ({"Accept-Language": "en-GB, de"}, "en"),
    ({"Accept-Language": "de;q=0, fr"}, None),
    ({"Accept-Language": "de;q=2, *;q=0.1, ;;, en;q=x"}, None),
    ({"Accept-Language": "en", "Cookie": "timezone=Asia%2FTokyo; language=de"}, "de"),
    ({"Accept-Language": "de", "Cookie": "language=tlh; a=b; ="}, "de"),
    ({"Cookie": "otherlanguage=de; language"}, None),
]


@pytest.mark.parametrize(("headers", "language"), REQUESTS)
async def test_sign_up_stores_the_language_of_the_page(
    product: Product, headers: dict[str, str], language: str | None
) -> None:
    record = {"type": "register", "name": "New Person", "password": PASSWORD, "terms": True}
    record |= {"email": f"new-{secrets.token_hex(5)}@newcompany.example"}
    response = await product.caller().post(TABLE + "client", json={"resource": [record]}, headers=headers)
    user = ok(response)["resource"][0]["clientdata"]["user"]
    assert await _stored(product, user["appuserid"]) == language


@pytest.mark.parametrize(("before", "after"), [(None, "de"), ("en", "en"), ("de", "de")])
async def test_sign_in_stores_the_language_only_if_there_is_none(
    product: Product, account: Account, before: str | None, after: str
) -> None:
    user = await account.user(password=await passwords.hashed(PASSWORD), language=before)
    german, body = {"Accept-Language": "de"}, {"email": user.email, "password": PASSWORD}
    refused = await product.caller().post(API + "user/session", json=body | {"password": "x"}, headers=german)
    assert refused.status_code == 401
    assert await _stored(product, user.appuserid) == before
    response = await product.caller().post(API + "user/session", json=body, headers=german)
    assert response.json()["language"] == await _stored(product, user.appuserid) == after
    # A later sign-in on an English page changes nothing.
    await product.caller().post(API + "user/session", json=body, headers={"Accept-Language": "en"})
    assert await _stored(product, user.appuserid) == after


_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:.*")
_OF_CALLS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_OF_TABLES = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00")


def _times(value: Any) -> Iterator[str]:
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from [part] if isinstance(part, str) and _TIME.fullmatch(part) else _times(part)


async def test_times_of_calls_are_rfc_3339_in_utc_and_those_of_tables_the_text_of_postgresql(
    product: Product, account: Account
) -> None:
    owner, person = account.owner, await product.person()
    created = await owner.table("POST", "apikeys", {"purpose": "CRM", "scopes": ["contacts", "enrich"]})
    member = await owner.table("POST", "appuser", {"name": "Max Member", "email": "max.member@forms.example"})
    row = created.json()["resource"][0]
    keyed = product.caller(key=row["apikey"])
    wanted = {"people": [{"linkedinurl": f"linkedin.com/{person.key}"}], "kinds": ["businessemail"]}
    calls = [
        await keyed.post(f"{API}enrich", json=wanted), await keyed.get(f"{API}account/contacts"),
        await keyed.get(f"{API}account/credits"), await keyed.post(f"{API}verifyemail", json={"email": "a@b.example"}),
        await owner.http.get(f"{API}user/session"), await owner.post("searchpeople", name=person.full_name),
        await owner.post("rotateapikey", keyid=row["keyid"]), await owner.post("rotateapikey", keyid=row["keyid"]),
    ]  # fmt: skip
    for response in calls:
        times = [*_times(response.json())]
        assert times, (response.url, response.text)
        assert all(map(_OF_CALLS.fullmatch, times)), (response.url, times)
    for response in (created, member, await owner.table("GET", "apikeys"), await owner.table("GET", "client")):
        times = [*_times(response.json())]
        assert times, response.text
        assert all(map(_OF_TABLES.fullmatch, times)), (response.url, times)
