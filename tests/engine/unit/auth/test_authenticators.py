"""Callers by key and by signed token, and what requires a credential."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import orjson
import pytest
from joserfc.jwk import Key, OctKey, RSAKey

from tableapi.auth.access_file import AccessFile
from tableapi.auth.authenticators import KeyAuthenticator
from tableapi.auth.grants import GrantedRights
from tableapi.auth.policy import DatabaseRole
from tableapi.auth.tokens.authenticator import TokenAuthenticator
from tableapi.auth.tokens.keys import PublicKeys, address_error
from tableapi.auth.tokens.settings import token_settings
from tableapi.auth.tokens.verify import TokenSettings
from tableapi.config.settings import Settings
from tableapi.errors import Unauthorized
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
