"""Callers by key and by signed token, the headers of a credential, and declarations of webhooks."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest
from joserfc.jwk import Key, OctKey, RSAKey
from pydantic import ValidationError

from tableapi.auth.access_file import AccessFile
from tableapi.auth.authenticators import KeyAuthenticator, app_key, session_token
from tableapi.auth.grants import GrantedRights
from tableapi.auth.guesses import Guesses
from tableapi.auth.policy import DatabaseRole
from tableapi.auth.tokens.authenticator import TokenAuthenticator
from tableapi.auth.tokens.keys import PublicKeys, address_error
from tableapi.auth.tokens.settings import token_settings
from tableapi.auth.tokens.verify import TokenSettings
from tableapi.auth.webhook import Webhook, secrets
from tableapi.config.settings import Settings
from tableapi.errors import ApiError, Busy, TooMany, Unauthorized
from tableapi.ratelimit import counter
from tableapi.schema.privileges import RolePrivileges
from tests.helpers.tokens import SECRET, bearer, token

FILE = AccessFile.model_validate(
    {"keys": {"K": {"role": "*"}}, "roles": {"visitor": {"access": []}}, "anonymous": "visitor"}
)
ROLES = frozenset(("sales",))
IP = "127.0.0.1"


def settings(**words: Any) -> TokenSettings:
    found = token_settings(Settings(jwt_secret=SECRET, **words))
    assert found is not None
    return found


def tokens(*, sessions: bool = False, **words: Any) -> TokenAuthenticator:
    return TokenAuthenticator(settings(**words), ROLES, KeyAuthenticator(FILE), sessions=sessions)


@pytest.mark.parametrize("headers", [{"x-api-key": "wrong"}, {"x-session-token": "any"}])
async def test_only_a_caller_without_credentials_is_anonymous(headers: dict[str, str]) -> None:
    keys = KeyAuthenticator(FILE)
    assert (await keys.actor({}, IP)).role == "visitor"
    assert (await keys.actor({"x-api-key": "K"}, IP)).role == "*"
    with pytest.raises(Unauthorized) as raised:
        await keys.actor(headers, IP)
    assert raised.value.reason == "no_key"


def test_without_a_key_there_are_no_tokens() -> None:
    assert token_settings(Settings()) is None


@pytest.mark.parametrize("name", ["exp", "nbf", "iat"])
@pytest.mark.parametrize("value", [True, "1", [1]])
async def test_times_of_a_token_are_numbers(name: str, value: Any) -> None:
    headers = {"authorization": bearer({"role": "sales", name: value})["Authorization"]}
    with pytest.raises(Unauthorized, match="not a number"):
        await tokens().actor(headers, IP)


async def test_a_token_is_verified_again_after_its_end() -> None:
    authenticator = tokens(jwt_leeway_seconds=0)
    headers = {"authorization": f"Bearer {token({'role': 'sales', 'exp': time.time() + 60})}"}
    first = await authenticator.actor(headers, IP)
    assert first.role == "sales"
    assert await authenticator.actor(headers, IP) is first
    cached = authenticator._cached
    for digest, (fresh, _, actor) in list(cached.items()):
        cached[digest] = (fresh, time.time() - 1, actor)  # the token has ended
    assert await authenticator.actor(headers, IP) is not first
    for digest, (_, end, actor) in list(cached.items()):
        cached[digest] = (time.monotonic() - 1, end, actor)  # its key may have been withdrawn
    second = next(iter(cached.values()))[2]
    assert await authenticator.actor(headers, IP) is not second


@pytest.mark.parametrize("sessions", [True, False])
def test_a_bearer_token_in_another_form_may_be_a_session(sessions: bool) -> None:
    authenticator = tokens(sessions=sessions)
    assert authenticator._token({"authorization": "Bearer a.b.c"}) == "a.b.c"
    assert authenticator._token({"authorization": "Basic a.b.c"}) is None
    assert authenticator._token({"authorization": "Bearer opaque"}) == (None if sessions else "opaque")


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        ("https://issuer.example.com/keys", False),
        ("http://localhost:1/keys", False),
        ("http://[::1]/keys", False),
        ("http://issuer.example.com/keys", True),
        ("keys.json", False),
    ],
)
def test_keys_are_not_read_over_plain_http_from_elsewhere(address: str, wrong: bool) -> None:
    assert bool(address_error(address)) is wrong


def key(name: str) -> Key:
    parameters: Any = {"kid": name}
    return RSAKey.generate_key(2048, parameters)


async def test_the_keys_of_an_issuer_are_reloaded_for_an_unknown_key_id() -> None:
    held = [key("one"), key("two")]
    loads = 0

    async def load() -> bytes:
        nonlocal loads
        loads += 1
        return orjson.dumps({"keys": [one.as_dict(private=False) for one in held]})

    keys = PublicKeys(load)
    assert [one.kid for one in await keys.candidates("one")] == ["one"]
    assert [one.kid for one in await keys.candidates(None)] == ["one", "two"]
    assert [one.kid for one in await keys.candidates("two")] == ["two"]
    assert loads == 1, "known keys are not read again"
    assert await keys.candidates("three") == []
    assert loads == 1, "an unknown key is looked for only now and then"
    keys._tried_at -= 3600
    held.append(key("three"))
    assert [one.kid for one in await keys.candidates("three")] == ["three"]
    assert loads == 2


@pytest.mark.parametrize(("name", "accepted"), [("HS256", True), ("HS512", False), (None, True)])
async def test_a_key_is_used_only_with_its_own_algorithm(name: str | None, accepted: bool) -> None:
    class Source:
        async def candidates(self, key_id: str | None) -> list[Key]:
            return [OctKey.import_key(SECRET, {"alg": name} if name else None)]

    authenticator = TokenAuthenticator(
        replace(settings(), keys=Source()), ROLES, KeyAuthenticator(FILE), sessions=False
    )
    headers = {"authorization": f"Bearer {token({'role': 'sales'})}"}
    if accepted:
        assert (await authenticator.actor(headers, IP)).role == "sales"
    else:
        with pytest.raises(Unauthorized, match="signature"):
            await authenticator.actor(headers, IP)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("run", True), ("public.run", True), ("other.run", False), ("hidden.run", False), ("none", False)],
)
def test_a_routine_is_looked_up_in_the_served_schemas(name: str, allowed: bool) -> None:
    privileges = RolePrivileges(routines={("public", "run"), ("hidden", "run"), ("hidden", "secret")})
    rights = GrantedRights(DatabaseRole("clerk"), privileges)
    assert rights.routine("_func", name, "POST") is allowed
    assert not rights.routine("_func", "secret", "POST")


@pytest.mark.parametrize(
    ("headers", "key"),
    [
        ({}, ""),
        ({"x-api-key": "a"}, "a"),
        ({"x-dreamfactory-api-key": "b"}, "b"),
        ({"x-api-key": "a", "x-dreamfactory-api-key": "b"}, "a"),
    ],
)
def test_the_key_is_read_from_its_headers(headers: dict[str, str], key: str) -> None:
    assert app_key(headers) == key


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        ({}, ""),
        ({"authorization": "Bearer a "}, "a"),
        ({"authorization": "bearer a", "x-session-token": "b"}, "a"),
        ({"authorization": "Basic YTpi", "x-session-token": "b"}, "b"),
        ({"x-dreamfactory-session-token": "c"}, "c"),
        ({"x-session-token": "b", "x-dreamfactory-session-token": "c"}, "b"),
    ],
)
def test_the_token_is_read_from_its_headers(headers: dict[str, str], token: str) -> None:
    assert session_token(headers) == token


@pytest.fixture(autouse=True)
def own_counter() -> Iterator[None]:
    """Count in this test alone."""
    counter.use(counter.LocalCounter())
    yield
    counter.use(counter.LocalCounter())


@pytest.mark.parametrize(
    ("error", "counted"), [(None, False), (Unauthorized(), True), (Busy(), False), (RuntimeError(), False)]
)
async def test_only_rejected_credentials_count(error: Exception | None, counted: bool) -> None:
    guesses = Guesses(per_minute=1)

    async def look_up() -> None:
        async with guesses.counted("192.0.2.1"):
            if error is not None:
                raise error

    if error is None:
        await look_up()
    else:
        with pytest.raises(type(error)):
            await look_up()
    if isinstance(error, ApiError):
        assert error.headers["X-RateLimit-Limit"] == "1"

    if not counted:
        async with guesses.counted("192.0.2.1"):
            return
    with pytest.raises(TooMany) as refused:
        async with guesses.counted("192.0.2.1"):
            pass
    assert int(refused.value.headers["Retry-After"]) in range(1, 61)


def secret(size: int) -> str:
    return "whsec_" + base64.b64encode(bytes(size)).decode()


def declared(**members: Any) -> Webhook:
    given = {"name": "orders", "table": "orders", "url": "https://hooks.example.com/x", "secret": secret(24)}
    return Webhook.model_validate(given | members)


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/x", "https://hooks.example.com", "https://hooks.example.com:8443/x?a=b"]
)
def test_addresses_of_web_servers_are_accepted(url: str) -> None:
    assert declared(url=url).url == url


@pytest.mark.parametrize(
    "url",
    [
        "", "x", "ftp://hooks.example.com/x", "https:///x", "https://hooks.example.com:0/x", "https://a:70000/x",
        "https://user@hooks.example.com/x", "https://hooks.example.com/x#part", "https://hooks.exämple.com/x",
        "https://hooks.example.com/a b", "https://hooks.example.com\\x", "https://[::1/x",
    ],
)  # fmt: skip
def test_other_addresses_are_rejected(url: str) -> None:
    with pytest.raises(ValidationError, match="must be a URL"):
        declared(url=url)


@pytest.mark.parametrize("size", [16, 128])
def test_a_secret_has_a_prefix_and_enough_bytes(size: int) -> None:
    assert secrets(secret(size)) == [bytes(size)]
    assert secrets(f"{secret(size)}  {secret(24)}") == [bytes(size), bytes(24)]


@pytest.mark.parametrize("text", [secret(15), secret(129), secret(24)[6:], "whsec_%%%", f"{secret(24)} x", "whsec_"])
def test_another_secret_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="random bytes in base64"):
        secrets(text)


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_secret_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        secrets(text)


def test_at_least_one_kind_of_change_is_required() -> None:
    assert declared().on == ("created", "updated", "deleted")
    assert declared(on=["deleted"]).on == ("deleted",)
    with pytest.raises(ValidationError, match="must name at least one of"):
        declared(on=[])
