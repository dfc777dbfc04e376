"""Serve the stand-in: the API below v1/, hosted pages, and controls for tests below test/."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx2
import orjson
import stripe
from starlette.requests import Request
from starlette.responses import Response

from sandbox.stripe import calls, cards, charges, clock, disputes, form, invoices, pages, subscriptions
from sandbox.stripe.deliver import Deliverer
from sandbox.stripe.form import StripeRefused, invalid
from sandbox.stripe.store import DELIVERY, State, Store, public

MAX_BODY_BYTES = 200_000


class Service:
    """One stand-in with its database file, base URL and webhook endpoint."""

    def __init__(
        self, folder: Path, base: str, hook: dict[str, str] | None, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self.store, self._base = Store(folder), base
        self._hooks = [hook] if hook else None  # None keeps the stored endpoints
        self._prefix = "/" + base.partition("://")[2].partition("/")[2]
        self.deliverer = Deliverer(self.store, transport)

    def start(self) -> None:
        """Resume unfinished deliveries, at the current address of the installation."""
        with self._transaction():
            self.deliverer.wake()

    async def respond(self, request: Request) -> Response:
        """Handle any request below the prefix."""
        path = request.url.path.removeprefix(self._prefix).strip("/")
        body = await request.body()
        if len(body) > MAX_BODY_BYTES:
            return Response("Too large", 413)
        try:
            if path.startswith("v1/"):
                return await self._api(request, path[3:], body)
            if path.startswith("test/"):
                return await asyncio.to_thread(self._test, path[5:], body, request.headers.get("content-type", ""))
            return await asyncio.to_thread(self._page, request.method, path, body)
        finally:
            self.deliverer.wake()

    @contextmanager
    def _transaction(self, request_id: str = "", key: str = "") -> Iterator[State]:
        """Open a transaction with base URL and endpoints updated and everything due settled."""
        with self.store.transaction(request_id, key) as state:
            if state.setting("base", "") != self._base:
                state.set("base", self._base)
            if self._hooks is not None and state.setting("endpoints", []) != self._hooks:
                state.move_endpoints(self._hooks)
            clock.settle(state)
            yield state

    def subscribed(self, customer: str, price: str, start: datetime, prefix: str) -> int:
        """Subscribe a customer with a test card as of `start`, and settle everything due since then.

        The numbers of its invoices begin with the prefix, if there is one. Returns the next number, which no later invoice gets.
        """
        with self._transaction() as state:
            state.put(state.get("customer", customer) | {"invoice_prefix": prefix})
            with state.at(int(start.timestamp())):
                method = cards.make(state, "visa", customer)
                subscriptions.begin(state, customer, state.get("price", price), method, {})
            clock.settle(state)
            return invoices.next_number(state)

    # -- v1/ ---------------------------------------------------------------------------------------------------------

    async def _api(self, request: Request, path: str, body: bytes) -> Response:
        fault = await asyncio.to_thread(self._fault)
        if fault.get("seconds"):
            await asyncio.sleep(float(fault["seconds"]))
        if fault.get("status") and not fault.get("after"):
            return _response(int(fault["status"]), _error(int(fault["status"])))
        text = body.decode("utf-8", "replace") if request.method == "POST" else request.url.query
        key = request.headers.get("idempotency-key", "") if request.method == "POST" else ""
        response = await asyncio.to_thread(
            self._call, request.method, path, text, key, request.headers.get("authorization", ""),
            request.headers.get("stripe-version", ""),
        )  # fmt: skip
        if fault.get("status"):  # simulates a response lost after the work was done
            return _response(int(fault["status"]), _error(int(fault["status"])))
        return response

    def _fault(self) -> dict[str, Any]:
        with self.store.transaction() as state:
            fault: dict[str, Any] = state.setting("fault", {})
            if not fault.get("times"):
                return {}
            state.set("fault", fault | {"times": fault["times"] - 1})
            return fault

    def _call(self, method: str, path: str, text: str, key: str, authorization: str, version: str) -> Response:
        request_id = f"req_{secrets.token_hex(7)}"
        digest = hashlib.sha256(f"{method} {path}\n{text}".encode()).hexdigest()
        try:
            call, ident = calls.find(method, path)
            _authorized(authorization, path)
            if version not in ("", stripe.api_version):
                raise invalid(f"Invalid Stripe API version: {version}")
            data = form.parse(parse_qsl(text, keep_blank_values=True))
            form.check(data, call.params)
            with self._transaction(request_id, key) as state:
                if key and (stored := state.kept_response(key)):
                    if stored[0] != digest:
                        raise StripeRefused(
                            400, "idempotency_error",
                            "Keys for idempotent requests can only be used with the same parameters they were first"
                            " used with.",
                        )  # fmt: skip
                    return _response(stored[1], stored[2], request_id, replayed=True)
                try:
                    status, content = 200, orjson.dumps(public(call.run(state, data, ident)))
                except StripeRefused as error:
                    if not error.keep:
                        raise
                    status, content = error.status, orjson.dumps({"error": public(error.error)})
                if key:
                    state.keep_response(key, digest, status, content)
                return _response(status, content, request_id)
        except StripeRefused as error:
            content = orjson.dumps({"error": public(error.error)})
            if key and error.status == 402:  # rolled back, but stored as the response to this key
                with self.store.transaction() as state:
                    state.keep_response(key, digest, error.status, content)
            return _response(error.status, content, request_id)

    # -- pages -------------------------------------------------------------------------------------------------------

    def _page(self, method: str, path: str, body: bytes) -> Response:
        fields = dict(parse_qsl(body.decode("utf-8", "replace")))
        with self._transaction() as state:
            return pages.respond(state, method, path, fields)

    # -- test/ -------------------------------------------------------------------------------------------------------

    def _test(self, path: str, body: bytes, content_type: str) -> Response:
        """Run one control command with its JSON or form parameters.

        Commands: clock {seconds, days}; delivery {repeat, delay, hold, shuffle}; fault {status, times, after, seconds};
        send {event}; refund {payment_intent or charge, amount}; refundfailed {refund}; dispute {payment_intent or
        charge, amount}; disputeclosed {dispute, status}.
        """
        if "json" in content_type:
            try:
                data = orjson.loads(body or b"{}")
            except orjson.JSONDecodeError:
                data = None
        else:
            data = dict(parse_qsl(body.decode("utf-8", "replace")))
        if not isinstance(data, dict):
            return _response(400, {"error": {"message": "Send a JSON object."}})
        try:
            with self._transaction() as state:
                result = self._control(state, path, data)
        except StripeRefused as error:
            return _response(error.status, {"error": error.error})
        except ValueError:
            return _response(400, {"error": {"message": "Not a number."}})
        if "json" not in content_type:
            return Response(status_code=303, headers={"Location": self._prefix})
        return _response(200, result)

    def _control(self, state: State, path: str, data: dict[str, Any]) -> dict[str, Any]:
        if path == "clock":
            seconds = int(data.get("seconds") or 0) + 86400 * int(data.get("days") or 0)
            if not 0 <= seconds <= 10 * 366 * 86400:
                raise invalid("The clock can only move forward, by ten years at most.")
            clock.move(state, seconds)
        elif path == "delivery":
            state.set("delivery", {name: data.get(name, default) for name, default in DELIVERY.items()})
        elif path == "fault":
            state.set("fault", {name: data[name] for name in ("status", "times", "after", "seconds") if name in data})
        elif path == "send":
            event = state.get("event", str(data.get("event", "")))
            for endpoint in state.endpoints():
                state.queue(event["id"], endpoint, time.time())
        else:
            return {"now": state.now(), "object": public(_reversal(state, path, data))}
        return {"now": state.now()}


def _reversal(state: State, path: str, data: dict[str, Any]) -> dict[str, Any]:
    """Run a refund or dispute command. Staff and banks trigger these, so the product has no call for them."""
    if path == "refund":
        return charges.refund(state, data)
    if path == "refundfailed":
        return charges.fail_refund(state, str(data.get("refund", "")))
    if path == "dispute":
        return disputes.open_one(state, charges.named(state, data), form.whole(data, "amount"))
    if path == "disputeclosed":
        status = "won" if data.get("status") == "won" else "lost"
        return disputes.close(state, state.get("dispute", str(data.get("dispute", "")), "dispute"), status)
    raise invalid("There is no such command.", status=404)


def _authorized(authorization: str, path: str) -> None:
    key = authorization.removeprefix("Bearer ").strip()
    if not key:
        raise StripeRefused(401, "invalid_request_error", "You did not provide an API key.")
    if key.startswith("pk_") and path != "payment_methods":
        raise StripeRefused(401, "invalid_request_error", "This API call cannot be made with a publishable API key.")


def _error(status: int) -> dict[str, Any]:
    kind = "rate_limit" if status == 429 else "api_error"
    return {"error": {"type": kind, "message": "The sandbox was told to fail.", "code": kind}}


def _response(status: int, body: bytes | dict[str, Any], request_id: str = "", *, replayed: bool = False) -> Response:
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if request_id:
        headers["Request-Id"] = request_id
    if replayed:
        headers["Idempotent-Replayed"] = "true"
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    return Response(data, status, media_type="application/json", headers=headers)
