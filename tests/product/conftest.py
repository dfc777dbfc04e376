"""Fixtures of the product's tests alone; the others are in tests/helpers/fixtures.py."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from product.vendors.oidc import Identity, Provider
from tableapi.app.features.mcp.endpoint import Mcp
from tests.helpers.desk import Staff, unlimited_staff
from tests.helpers.oauth import OAuthClient
from tests.helpers.product import KEY, Account, Product
from tests.helpers.rights import OWN_MARK, furnish, outsiders
from tests.helpers.statements import PLAYED, hand_over, recorded, shared_folder
from tests.helpers.support import ROOT


@pytest.fixture(scope="module", autouse=True)
def statements(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Record the statements of a file in PLAYED for `tests/system/statements/test_citus.py`."""
    file = str(request.path.relative_to(ROOT))
    if file not in PLAYED:
        yield
        return
    with recorded() as texts:
        yield
    hand_over(shared_folder(tmp_path_factory), file, texts)


@pytest.fixture
def google(product: Product, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Replace the provider by one with chosen identities; test_social.py tests the proofs."""
    identities: list[Identity] = []
    provider = Provider("http://127.0.0.1:9", "client", "secret", nonce_needed=True)

    async def identity(credential: str, nonce: str) -> Identity:
        return replace(identities[-1], marks=(secrets.token_hex(8),))

    def named(email: str, subject: str = "") -> None:
        subject = subject or secrets.token_hex(8)
        identities.append(Identity(subject, email, True, "Vera Victim"))

    monkeypatch.setattr(provider, "identity", identity)
    product.scripts.vendors._providers["google"] = provider
    yield named
    product.scripts.vendors._providers.clear()


@pytest.fixture
async def client(product: Product, agents: object) -> AsyncIterator[OAuthClient]:
    """A registered client with the server's metadata."""
    async with product.caller(key="") as http:
        client = OAuthClient(http)
        await client.discover()
        assert (await client.register()).status_code == 201
        yield client


@pytest.fixture
async def agents(product: Product) -> AsyncIterator[Callable[..., AbstractAsyncContextManager[Any]]]:
    """agents(token="", key=KEY, Authorization=""): connect an agent.

    Stops the session manager after the test, which belongs to its event loop.
    """
    from tests.helpers.agents import agent  # takes two seconds

    def connected(token: str = "", key: str = KEY, **headers: str) -> AbstractAsyncContextManager[Any]:
        transport = httpx2.ASGITransport(product.app, client=("10.9.0.1", 1))
        return agent("http://test/mcp", transport=transport, X_API_Key=key, X_Session_Token=token, **headers)

    yield connected
    await product.app.feature(Mcp).close()


@pytest.fixture(scope="module")
async def victim(product: Product) -> Account:
    """Create an account with a row in every exposed table."""
    account = await product.account()
    await furnish(product, account)
    return account


@pytest.fixture(scope="module")
async def support(product: Product) -> AsyncIterator[Staff]:
    async with unlimited_staff(product) as one:
        yield one


@pytest.fixture(scope="module")
async def neighbor(product: Product) -> Account:
    """Create another account with rows of its own."""
    account = await product.account()
    await furnish(product, account, OWN_MARK)
    return account


@pytest.fixture(scope="module")
async def callers(product: Product, victim: Account, neighbor: Account, support: Staff) -> dict[str, str]:
    return await outsiders(product, victim, neighbor, support)
