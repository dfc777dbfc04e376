"""Members of staff for the product's tests, created and signed in as a person would."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2

from tests.helpers.product import API, TABLE, Product, User
from tests.helpers.support import ok

PASSWORD = "Staff1234"


@dataclass
class Staff:
    """A member of staff and an HTTP client with its session."""

    email: str
    token: str
    staffid: int
    http: httpx2.AsyncClient

    async def post(self, call: str, **body: Any) -> httpx2.Response:
        """Call a script of the desk."""
        return await self.http.post(f"{API}desk/{call}", json=body)

    async def get(self, call: str) -> httpx2.Response:
        """Read a list of the desk."""
        return await self.http.get(f"{API}desk/{call}")

    async def table(self, table: str, **options: str) -> httpx2.Response:
        """Read a table."""
        return await self.http.get(TABLE + table, params=options)


async def invited(product: Product, email: str) -> dict[str, str]:
    """Create a staff account, and return the address and code of its printed link."""
    said = await product.scripts.run_job("addstaff", {"email": email, "name": "Sam Staff", "print": "1"})
    url = re.search(r"http://\S+", said)
    assert url is not None
    return dict(parse_qsl(urlsplit(url[0]).query))


async def staff(product: Product, email: str = "") -> Staff:
    """Return a new, signed-in member of staff."""
    email = email or f"staff-{secrets.token_hex(4)}@desk.example"
    link = await invited(product, email)
    caller = product.caller()
    body = {**link, "new_password": PASSWORD, "confirm_password": PASSWORD}
    assert (await caller.post(API + "user/password", json=body)).status_code == 200
    response = await caller.post(API + "user/session", json={"email": email, "password": PASSWORD})
    session = ok(response)
    return Staff(email, session["session_token"], session["staffid"], product.caller(session["session_token"]))


@asynccontextmanager
async def unlimited_staff(product: Product) -> AsyncIterator[Staff]:
    """Yield a new, signed-in member of staff, without rate limits until the end."""
    product.app.state.limited = False
    yield await staff(product)
    product.app.state.limited = True


async def view(member: Staff, user: User) -> httpx2.AsyncClient:
    """Return an HTTP client that views the app as this user, read only."""
    response = await member.post("view", appuserid=user.appuserid, reason="They asked us to look")
    client = httpx2.AsyncClient(transport=member.http._transport, base_url="http://test", headers=member.http.headers)
    client.headers["X-Session-Token"] = ok(response)["session_token"]
    return client
