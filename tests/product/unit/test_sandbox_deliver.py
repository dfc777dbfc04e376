"""Events of the payment sandbox are signed, and repeated and delayed as requested until they are accepted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx2
import orjson
import pytest
import stripe
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.stripe.service import Service

SECRET, BASE = "whsec_x", "http://t/sandbox/stripe"
KEY = {"Authorization": "Bearer sk_test_x"}


class Ear:
    """An endpoint that records events and rejects the first few."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.refuse = 0
        self._more = asyncio.Condition()

    async def hook(self, request: Request) -> Response:
        body = await request.body()
        stripe.WebhookSignature.verify_header(body.decode(), request.headers["stripe-signature"], SECRET, 300)
        async with self._more:
            self.refuse -= 1
            if self.refuse >= 0:
                return Response(status_code=500)
            self.heard.append(orjson.loads(body)["type"])
            self._more.notify_all()
        return Response()

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(20), self._more:
            await self._more.wait_for(done)


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
async def http(ear: Ear, tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """Return a client of a sandbox that sends its events to the endpoint."""
    hearing = httpx2.ASGITransport(Starlette(routes=[Route("/hook", ear.hook, methods=["POST"])]))
    service = Service(tmp_path, BASE, {"url": "http://t/hook", "secret": SECRET}, hearing)
    app = Starlette(routes=[Route("/sandbox/stripe/{path:path}", service.respond, methods=["GET", "POST"])])
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=BASE, headers=KEY) as client:
        yield client
    await service.deliverer.close()


async def test_events_are_delivered_once_in_order(ear: Ear, http: httpx2.AsyncClient) -> None:
    await http.post("/v1/customers", data={"email": "a@b.example"})
    await http.post("/v1/products", data={"name": "x"})
    await ear.until(lambda: len(ear.heard) == 2)
    assert ear.heard == ["customer.created", "product.created"]


async def test_deliveries_can_be_repeated_and_delayed(ear: Ear, http: httpx2.AsyncClient) -> None:
    await http.post("/test/delivery", json={"repeat": 2, "delay": 0.5})
    await http.post("/v1/customers", data={"email": "a@b.example"})
    assert ear.heard == []
    await ear.until(lambda: ear.heard == ["customer.created"] * 2)


async def test_deliveries_are_retried_until_accepted(ear: Ear, http: httpx2.AsyncClient) -> None:
    ear.refuse = 1
    await http.post("/v1/customers", data={"email": "a@b.example"})
    await ear.until(lambda: ear.heard == ["customer.created"])


async def test_held_events_are_delivered_on_request(ear: Ear, http: httpx2.AsyncClient) -> None:
    await http.post("/test/delivery", json={"hold": True})
    await http.post("/v1/customers", data={"email": "a@b.example"})
    [event] = (await http.get("/v1/events")).json()["data"]
    assert ear.heard == []
    await http.post("/test/send", json={"event": event["id"]})
    await ear.until(lambda: ear.heard == ["customer.created"])


@pytest.mark.parametrize(("key", "status"), [("", 401), ("Bearer pk_test_x", 401), ("Bearer sk_test_x", 200)])
async def test_requests_without_a_key_are_rejected(http: httpx2.AsyncClient, key: str, status: int) -> None:
    respond = await http.post("/v1/customers", data={"email": "a@b.example"}, headers={"Authorization": key})
    assert respond.status_code == status


async def test_one_key_gets_one_response(http: httpx2.AsyncClient) -> None:
    key = {"Idempotency-Key": "k1"}
    first, again = [await http.post("/v1/customers", data={"email": "a@b.example"}, headers=key) for _ in range(2)]
    other = await http.post("/v1/customers", data={"email": "c@d.example"}, headers=key)
    assert first.json() == again.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert (other.status_code, other.json()["error"]["type"]) == (400, "idempotency_error")
