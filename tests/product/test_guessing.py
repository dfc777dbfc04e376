"""Guessed credentials: counted before they are checked, per network, and per account over all networks."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter

import httpx2
import pytest

from product.accounts import passwords
from tableapi.ratelimit.counter import network
from tests.helpers.product import API, TABLE, Account, Product

PASSWORD = "Sesame123"
SESSION = API + "user/session"


async def _codes(responses: list[httpx2.Response]) -> Counter[int]:
    return Counter(response.status_code for response in responses)


@pytest.mark.parametrize("path", ["leads/_table/appuser", "searchname", "leads/_spec", "_spec", "user/session"])
@pytest.mark.parametrize("header", ["X-Session-Token", "X-DreamFactory-Session-Token", "Authorization"])
async def test_invalid_sessions_count_against_their_address(product: Product, path: str, header: str) -> None:
    http = product.caller()
    method = "POST" if path == "searchname" else "GET"

    async def ask() -> httpx2.Response:
        token = secrets.token_urlsafe(32)
        value = f"Bearer {token}" if header == "Authorization" else token
        return await http.request(method, API + path, headers={header: value}, json={} if method == "POST" else None)

    codes = await _codes([await ask() for _ in range(70)])
    assert codes.keys() <= {401, 429}, codes
    assert codes[401] <= 60
    assert codes[429] >= 10


async def test_concurrent_invalid_sessions_are_counted_before_the_lookup(product: Product) -> None:
    http = product.caller()
    responses = await asyncio.gather(
        *(http.get(TABLE + "appuser", headers={"X-Session-Token": secrets.token_hex(16)}) for _ in range(120))
    )
    assert await _codes(responses) == {401: 60, 429: 60}
    refused = next(response for response in responses if response.status_code == 429)
    assert (refused.headers["x-ratelimit-limit"], refused.headers["x-ratelimit-remaining"]) == ("60", "0")
    assert int(refused.headers["retry-after"]) > 0
    items = [response.headers["x-ratelimit-remaining"] for response in responses if response.status_code == 401]
    assert sorted(map(int, items)) == list(range(60))


async def test_invalid_app_keys_count_against_their_address(product: Product) -> None:
    http = product.caller(key="")
    responses = [await http.get(TABLE + "appuser", headers={"X-API-Key": secrets.token_hex(8)}) for _ in range(65)]
    assert await _codes(responses) == {401: 60, 429: 5}


async def test_invalid_customer_keys_count_against_their_address(product: Product) -> None:
    http = product.caller(key="")

    async def ask(path: str) -> httpx2.Response:
        query = {"linkedinurl": "linkedin.com/in/x", "type": "directdials", "apikey": secrets.token_hex(8)}
        return await http.get(API + path, params=query)

    responses = await asyncio.gather(*(ask("keylookup" if n % 2 else "account/credits") for n in range(100)))
    assert await _codes(responses) == {401: 60, 429: 40}


async def test_valid_sessions_behind_one_address_do_not_count_against_each_other(
    product: Product, account: Account
) -> None:
    http = product.caller()
    users = [await account.user() for _ in range(8)]
    tokens = [user.token for user in users] + [await account.session(users[0].appuserid) for _ in range(72)]
    responses = await asyncio.gather(
        *(http.get(TABLE + "appuser", headers={"X-Session-Token": token}) for token in tokens)
    )
    assert await _codes(responses) == {200: 80}


async def test_a_valid_session_is_not_locked_out_by_its_neighbours(product: Product, account: Account) -> None:
    ip = "203.0.113.77"
    user = product.caller(account.owner.token, ip=ip)
    assert (await user.get(TABLE + "appuser")).status_code == 200
    http = product.caller(ip=ip)
    for _ in range(61):
        await http.get(TABLE + "appuser", headers={"X-Session-Token": secrets.token_hex(16)})
    assert (await user.get(TABLE + "appuser")).status_code == 200


@pytest.mark.parametrize(
    ("ip", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::1", "::/64"),
        ("", ""),
        ("unix:", "unix:"),
        ("1:2:3", "1:2:3"),
    ],
)
def test_ipv6_addresses_are_counted_by_64_bit_prefix(ip: str, key: str) -> None:
    assert network(ip) == key


async def test_one_ipv6_network_has_one_limit(product: Product) -> None:
    async def ask(number: int) -> httpx2.Response:
        http = product.caller(ip=f"2001:db8:aa:bb:{number:x}::1")
        return await http.get(TABLE + "appuser", headers={"X-Session-Token": secrets.token_hex(16)})

    assert await _codes([await ask(number) for number in range(70)]) == {401: 60, 429: 10}
    # Scripts use the same count: five sign-ups an hour.
    codes = []
    for number in range(6):
        record = {"type": "register", "email": f"v6-{secrets.token_hex(4)}@six.example", "name": "Six"}
        body = {"resource": [record | {"password": PASSWORD, "terms": True}]}
        codes.append(
            (await product.caller(ip=f"2001:db8:aa:cc:{number:x}::1").post(TABLE + "client", json=body)).status_code
        )
    assert codes == [200] * 5 + [429]


# -- passwords ---------------------------------------------------------------------------------------------------------


async def _try(product: Product, email: str, password: str = "Wrong1234", ip: str = "") -> int:
    return (await product.caller(ip=ip).post(SESSION, json={"email": email, "password": password})).status_code


async def test_eighteen_concurrent_wrong_passwords_are_verified_five_times(product: Product, account: Account) -> None:
    user = await account.user(password=await passwords.hashed(PASSWORD))
    codes = Counter(await asyncio.gather(*(_try(product, user.email, ip="198.51.100.1") for _ in range(18))))
    assert codes == {401: 5, 429: 13}
    looked = "select count(*) from auditlog where appuserid = $1 and event = 'signin_failed'"
    assert await product.db.fetchval(looked, user.appuserid) == 5
    assert await _try(product, user.email, PASSWORD, ip="198.51.100.1") == 429


async def test_concurrent_correct_passwords_all_sign_in(product: Product, account: Account) -> None:
    user = await account.user(password=await passwords.hashed(PASSWORD))
    codes = await asyncio.gather(*(_try(product, user.email, PASSWORD, ip="198.51.100.2") for _ in range(12)))
    assert codes == [200] * 12


async def test_a_block_ends_when_its_time_is_over(product: Product, account: Account) -> None:
    user = await account.user(password=await passwords.hashed(PASSWORD))
    ip = "198.51.100.3"
    assert [await _try(product, user.email, ip=ip) for _ in range(6)] == [401] * 5 + [429]
    await product.db.execute("update signinfailure set since = since - interval '16 minutes'")
    assert await _try(product, user.email, PASSWORD, ip=ip) == 200


@pytest.mark.parametrize("known", [True, False])
async def test_one_account_is_limited_across_forty_addresses(product: Product, account: Account, known: bool) -> None:
    hashed = await passwords.hashed(PASSWORD)
    email = (await account.user(password=hashed)).email if known else f"{secrets.token_hex(4)}@unknown.example"
    home = "203.0.113.9"
    if known:
        assert await _try(product, email, PASSWORD, ip=home) == 200  # the network is known from now on
    codes = [await _try(product, email, ip=f"198.18.{number}.1") for number in range(40)]
    # A correct password from a known network does not count towards the twenty.
    assert codes == [401] * 20 + [429] * 20
    assert await _try(product, email, PASSWORD, ip="198.18.99.1") == 429
    if known:
        assert await _try(product, email, PASSWORD, ip=home) == 200
        assert await _try(product, email, ip=home) == 401


async def test_a_password_changed_during_the_check_starts_no_session(
    product: Product, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = await account.user(password=await passwords.hashed(PASSWORD))
    matches = passwords.matches

    async def changed_meanwhile(stored: str | None, password: str) -> bool:
        good = await matches(stored, password)
        await product.db.execute("update appuser set password = 'other' where appuserid = $1", user.appuserid)
        return good

    monkeypatch.setattr(passwords, "matches", changed_meanwhile)
    assert await _try(product, user.email, PASSWORD) == 401


# -- one set of headers ------------------------------------------------------------------------------------------------


async def test_a_key_sees_its_limit_on_every_call(product: Product, account: Account) -> None:
    body = (await account.owner.table("POST", "apikeys", {"purpose": "CRM"})).json()["resource"][0]
    http = product.caller(key="")
    query = {"linkedinurl": "linkedin.com/in/nobody-here", "type": "directdials", "apikey": body["apikey"]}
    told = []
    for number in range(31):
        response = await http.get(API + "keylookup", params=query | ({"type": "bad"} if number == 3 else {}))
        told.append(
            (response.status_code, response.headers["x-ratelimit-limit"], response.headers["x-ratelimit-remaining"])
        )
    good = [(200, "30", str(29 - number)) for number in range(30)]
    # A call with invalid input does not count against the key.
    assert told[:3] == good[:3]
    assert told[4:] == [*good[3:29], (200, "30", "0")][: len(told) - 4]
    refused = await http.get(API + "keylookup", params=query)
    assert (refused.status_code, refused.headers["x-ratelimit-limit"], refused.headers["x-ratelimit-remaining"]) == (
        429,
        "30",
        "0",
    )
    assert len(refused.headers.get_list("x-ratelimit-limit")) == 1


async def test_the_tightest_limit_is_reported(product: Product, account: Account) -> None:
    user = await account.user()
    searched = await user.post("searchname")
    assert searched.headers["x-ratelimit-limit"] == "120"
    for _ in range(3):
        response = await user.post(
            "emailcodeverification", oldemail=user.email, newemail=f"{secrets.token_hex(4)}@n.example"
        )
    assert (response.headers["x-ratelimit-limit"], response.headers["x-ratelimit-remaining"]) == ("3", "0")
    listed = await user.table("GET", "appuser")
    assert listed.headers["x-ratelimit-limit"] == "300"
