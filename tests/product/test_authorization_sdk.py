"""The sign-in of the SDK's own client: discovery, registration, consent, tokens, a wider scope, refresh."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.helpers.agents import Agent
from tests.helpers.oauth import REDIRECT
from tests.helpers.product import API, Account, Product, User


class Storage:
    """The tokens and the registration that a client keeps between connections."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """The user of a client: opens its page and allows the scopes that it requests."""

    def __init__(self, user: User) -> None:
        self.user, self.asked = user, list[str]()
        self._result: AuthorizationCodeResult | None = None
        self.client: OAuthClientProvider | None = None

    async def open(self, url: str) -> None:
        request = dict(parse_qsl(urlsplit(url).query))
        self.asked.append(request["scope"])
        body = {**request, "allow": True, "scopes": request["scope"].split()}
        response = await self.user.http.post(f"{API}oauth/authorize", json=body)
        values = dict(parse_qsl(urlsplit(response.json()["redirect"]).query))
        self._result = AuthorizationCodeResult(code=values["code"], state=values["state"], iss=values["iss"])

    def clock_passes_the_expiry(self) -> None:
        assert self.client is not None
        self.client.context.token_expiry_time = 1.0

    async def result(self) -> AuthorizationCodeResult:
        assert self._result is not None
        return self._result


pytestmark = pytest.mark.usefixtures("agents")


@asynccontextmanager
async def connected(product: Product, person: Person, storage: Storage) -> AsyncIterator[Agent]:
    """Connect the SDK's client, which signs in when the server asks for it."""
    base = product.app.settings.public_url
    metadata = OAuthClientMetadata(client_name="SDK", redirect_uris=[AnyUrl(REDIRECT)])
    auth = person.client = OAuthClientProvider(f"{base}/mcp", metadata, storage, person.open, person.result)
    transport = httpx2.ASGITransport(product.app, client=("10.9.0.8", 1))
    async with (
        httpx2.AsyncClient(auth=auth, transport=transport, base_url=base) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
    ):
        yield Agent(client)


async def test_the_client_of_the_sdk_signs_in_and_widens_its_scope(product: Product, account: Account) -> None:
    person, storage = Person(account.owner), Storage()
    async with connected(product, person, storage) as agent:
        assert (await agent.result("query", table="client", fields=["clientid"]))["rows"] == [
            {"clientid": account.clientid}
        ]
        assert person.asked == ["read"]
        records = [{"clientid": account.clientid, "companyname": "By the SDK"}]
        await agent.result("update_records", table="client", records=records)
    assert person.asked[-1].split() == ["read", "write"]
    assert (
        await product.db.fetchval("select companyname from client where clientid = $1", account.clientid)
        == "By the SDK"
    )


async def test_the_client_of_the_sdk_refreshes_an_expired_token(product: Product, account: Account) -> None:
    person, storage = Person(account.owner), Storage()
    async with connected(product, person, storage) as agent:
        await agent.result("query", table="client")
        assert storage.tokens is not None
        first = storage.tokens.access_token
        person.clock_passes_the_expiry()
        await agent.result("query", table="client")
        assert storage.tokens.access_token != first
    assert person.asked == ["read"]
