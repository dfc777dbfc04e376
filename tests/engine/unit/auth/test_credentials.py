"""Which header a credential is read from, and how look-ups of unknown ones are counted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tableapi.auth.authenticators import app_key, session_token
from tableapi.auth.guesses import Guesses
from tableapi.errors import ApiError, Busy, TooMany, Unauthorized
from tableapi.ratelimit import counter


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
