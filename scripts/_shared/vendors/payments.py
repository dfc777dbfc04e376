"""Payments by Stripe's official client, API version pinned. In and out: the values of money.py, and refusals.

Every write carries an idempotency key of ours, so that a repeat after a lost answer does nothing twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import httpx2
import orjson
import stripe
import structlog

from scripts._shared.vendors import stripeobjects as objects
from scripts._shared.vendors.money import (
    CardRefused,
    Checkout,
    Event,
    Intent,
    Invoice,
    Missing,
    PaymentsDown,
    Preview,
    ProviderRefused,
    Reversal,
    Subscription,
)
from scripts._shared.vendors.stripehttp import Httpx2Client
from tableapi.errors import BadRequest, Conflict

log = structlog.get_logger(__name__)
VERSION = "2026-10-28.endive"
API = "https://api.stripe.com"
T = TypeVar("T")


class Payments:
    """One Stripe account."""

    def __init__(
        self, key: str, webhook_secret: str, base: str | None, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._secrets = [one.strip() for one in webhook_secret.split(",") if one.strip()]
        self._http = Httpx2Client(transport)
        self._client = stripe.StripeClient(
            key, http_client=self._http, stripe_version=VERSION, max_network_retries=1,
            base_addresses={"api": base or API},
        )  # fmt: skip

    async def close(self) -> None:
        await self._http.close_async()

    # -- what is sold ------------------------------------------------------------------------------------------------

    async def product(self, ident: str, name: str, description: str) -> tuple[bool, bool]:
        """Make or rename a product. Out: (made, changed)."""
        try:
            found = await _asked(self._client.v1.products.retrieve_async(ident))
        except Missing:
            params: Any = {"id": ident, "name": name} | ({"description": description} if description else {})
            await _asked(self._client.v1.products.create_async(params, {"idempotency_key": f"product:{ident}"}))
            return True, False
        if found.name == name and (found.description or "") == description:
            return False, False
        change: Any = {"name": name, "description": description}
        await _asked(self._client.v1.products.update_async(ident, change))
        return False, True

    async def price(self, product: str, key: str, amount: int, currency: str, interval: str) -> tuple[str, bool]:
        """The price with this look-up key, made if there is none. Out: (its id, made)."""
        found = await _asked(self._client.v1.prices.list_async({"lookup_keys": [key], "limit": 1}))
        if found.data:
            return found.data[0].id, False
        params: Any = {
            "product": product, "lookup_key": key, "unit_amount": amount, "currency": currency,
            "recurring": {"interval": interval},
        }  # fmt: skip
        made = await _asked(self._client.v1.prices.create_async(params, {"idempotency_key": f"price:{key}"}))
        return made.id, True

    # -- customers and subscriptions ---------------------------------------------------------------------------------

    async def customer(self, clientid: int, email: str, name: str, key: str) -> str:
        """A new customer; the same `key` gives the same one."""
        params: Any = {"email": email, "metadata": {"clientid": str(clientid)}} | ({"name": name} if name else {})
        made = await _asked(self._client.v1.customers.create_async(params, {"idempotency_key": key}))
        return made.id

    async def checkout(
        self, customer: str, priceid: str, clientid: int, planid: int, success: str, cancel: str, key: str
    ) -> Checkout:
        """A hosted page to subscribe on."""
        marks = {"clientid": str(clientid), "planid": str(planid)}
        params: Any = {
            "mode": "subscription", "customer": customer, "client_reference_id": str(clientid),
            "line_items": [{"price": priceid, "quantity": 1}], "success_url": success, "cancel_url": cancel,
            "metadata": marks, "subscription_data": {"metadata": marks},
        }  # fmt: skip
        made = await _asked(self._client.v1.checkout.sessions.create_async(params, {"idempotency_key": key}))
        return Checkout(made.id, made.url or "", made.status or "")

    async def checkout_state(self, ident: str) -> Checkout:
        found = await _asked(self._client.v1.checkout.sessions.retrieve_async(ident))
        return Checkout(found.id, found.url or "", found.status or "")

    async def expire_checkout(self, ident: str) -> None:
        """Close an open hosted page; one that was paid or has expired stays as it is."""
        try:
            await _asked(self._client.v1.checkout.sessions.expire_async(ident))
        except ProviderRefused:
            if (await self.checkout_state(ident)).status == "open":
                raise

    async def subscription(self, ident: str) -> Subscription:
        return objects.subscription(await _asked(self._client.v1.subscriptions.retrieve_async(ident)))

    async def subscriptions(self, customer: str) -> list[Subscription]:
        """All of a customer, ended ones too, newest first."""
        params: Any = {"customer": customer, "status": "all", "limit": 20}
        found = await _asked(self._client.v1.subscriptions.list_async(params))
        return [objects.subscription(one) for one in found.data]

    async def invoices(self, customer: str, subscription: str = "", status: str = "") -> list[Invoice]:
        """The newest invoices, newest first: enough for two years of months and some changes."""
        params: Any = {"customer": customer, "limit": 40}
        params |= ({"subscription": subscription} if subscription else {}) | ({"status": status} if status else {})
        found = await _asked(self._client.v1.invoices.list_async(params))
        return [objects.invoice(one) for one in found.data]

    async def preview(self, sub: Subscription, priceid: str, proration_date: int) -> Preview:
        """What changing the price at that moment costs."""
        details = {
            "items": [{"id": sub.itemid, "price": priceid}], "proration_behavior": "always_invoice",
            "proration_date": proration_date,
        }  # fmt: skip
        params: Any = {"subscription": sub.id, "subscription_details": details}
        return objects.preview(await _asked(self._client.v1.invoices.create_preview_async(params)))

    async def upgrade(self, sub: Subscription, priceid: str, proration_date: int, key: str) -> Subscription:
        """Change the price now and charge the difference; CardRefused, and nothing is changed, when it is not paid."""
        params: Any = {
            "items": [{"id": sub.itemid, "price": priceid}], "proration_behavior": "always_invoice",
            "proration_date": proration_date, "payment_behavior": "error_if_incomplete", "cancel_at_period_end": False,
        }  # fmt: skip
        made = await _asked(self._client.v1.subscriptions.update_async(sub.id, params, {"idempotency_key": key}))
        return objects.subscription(made)

    async def renewing(self, ident: str, renews: bool) -> Subscription:
        """Let it end with its period, or go on after all."""
        params: Any = {"cancel_at_period_end": not renews}
        return objects.subscription(await _asked(self._client.v1.subscriptions.update_async(ident, params)))

    async def change_at_end(self, sub: Subscription, priceid: str, interval: str) -> str:
        """Change the price when the period ends. Out: the schedule's id. A repeat replaces."""
        schedules = self._client.v1.subscription_schedules
        ident = sub.scheduleid
        if not ident:
            ident = (await _asked(schedules.create_async({"from_subscription": sub.id}))).id
        start, end = int(sub.start.timestamp()), int(sub.end.timestamp())
        phases = [
            {"items": [{"price": sub.priceid, "quantity": 1}], "start_date": start, "end_date": end},
            {"items": [{"price": priceid, "quantity": 1}], "duration": {"interval": interval, "interval_count": 1}},
        ]
        params: Any = {"end_behavior": "release", "proration_behavior": "none", "phases": phases}
        await _asked(schedules.update_async(ident, params))
        return ident

    async def release(self, scheduleid: str) -> None:
        """Forget a change at the end of the period. One that is no longer active has nothing to forget."""
        schedules = self._client.v1.subscription_schedules
        try:
            await _asked(schedules.release_async(scheduleid))
        except ProviderRefused:
            if (await _asked(schedules.retrieve_async(scheduleid))).status == "active":
                raise

    async def end(self, ident: str) -> None:
        """End a subscription at once. One that has ended already stays so."""
        try:
            await _asked(self._client.v1.subscriptions.cancel_async(ident))
        except Missing:
            log.info("subscription_had_ended", subscription=ident)

    # -- one-off payments --------------------------------------------------------------------------------------------

    async def intent(self, customer: str, amount: int, currency: str, metadata: dict[str, str], key: str) -> Intent:
        """A payment that the browser confirms."""
        params: Any = {
            "customer": customer, "amount": amount, "currency": currency, "metadata": metadata,
            "automatic_payment_methods": {"enabled": True},
        }  # fmt: skip
        made = await _asked(self._client.v1.payment_intents.create_async(params, {"idempotency_key": key}))
        return objects.intent(made)

    async def charge(self, intent: Intent, token: str, back: str, key: str) -> Intent:
        """Confirm a payment with a card token or a payment method. CardRefused when the bank says no."""
        method = token
        if token.startswith("tok_"):
            card: Any = {"type": "card", "card": {"token": token}}
            option: Any = {"idempotency_key": f"{key}:method"}
            method = (await _asked(self._client.v1.payment_methods.create_async(card, option))).id
        params: Any = {"payment_method": method, "return_url": back}
        made = await _asked(self._client.v1.payment_intents.confirm_async(intent.id, params, {"idempotency_key": key}))
        return objects.intent(made)

    async def intent_state(self, ident: str) -> Intent:
        return objects.intent(await _asked(self._client.v1.payment_intents.retrieve_async(ident)))

    # -- what goes back ----------------------------------------------------------------------------------------------

    async def reversals(self, payment: str) -> list[Reversal]:
        """List the refunds and disputes of a payment intent as they are now."""
        asof = datetime.now(UTC)
        params: Any = {"payment_intent": payment, "limit": 100}
        refunds = (await _asked(self._client.v1.refunds.list_async(params))).data
        disputes = (await _asked(self._client.v1.disputes.list_async(params))).data
        plain = [*(one.to_dict() for one in refunds), *(one.to_dict() for one in disputes)]
        return [objects.reversal(one, asof) for one in plain]

    def reversal(self, about: Mapping[str, Any], asof: datetime) -> Reversal:
        """The refund, dispute or charge of an event."""
        return objects.reversal(about, asof)

    async def payment_of_charge(self, ident: str) -> str:
        """The payment intent of a charge."""
        charge = await _asked(self._client.v1.charges.retrieve_async(ident))
        return objects.reversal(charge.to_dict(), datetime.now(UTC)).payment

    async def invoice_of_payment(self, payment: str) -> tuple[str, str]:
        """The invoice that a payment intent paid, and its customer; empty when it paid none."""
        asked: Any = {"payment": {"type": "payment_intent", "payment_intent": payment}, "limit": 1}
        found = (await _asked(self._client.v1.invoice_payments.list_async(asked))).data
        if not found:
            return "", ""
        ident = found[0].to_dict()["invoice"]
        bill = (await _asked(self._client.v1.invoices.retrieve_async(ident))).to_dict()
        return str(bill["id"]), str(bill["customer"] or "")

    # -- events ------------------------------------------------------------------------------------------------------

    def event(self, body: bytes, signature: str) -> Event:
        """An event signed with one of our secrets; BadRequest when it is not, or older than five minutes."""
        for secret in self._secrets:
            try:
                stripe.WebhookSignature.verify_header(body.decode(), signature, secret, 300)
                return objects.event(orjson.loads(body), body.decode())
            except (stripe.SignatureVerificationError, ValueError, KeyError, TypeError):
                continue
        raise BadRequest("The signature is not valid.", reason="bad_signature")

    async def events(self, since: datetime, types: tuple[str, ...]) -> AsyncIterator[Event]:
        """What happened since then, newest first."""
        params: dict[str, Any] = {"created": {"gte": int(since.timestamp())}, "limit": 100, "types": list(types)}
        while True:
            page = await _asked(self._client.v1.events.list_async(params))  # type: ignore[arg-type]
            for one in page.data:
                plain = one.to_dict()
                yield objects.event(plain, orjson.dumps(plain, default=str).decode())
            if not page.has_more:
                return
            params = params | {"starting_after": page.data[-1].id}


async def _asked(call: Awaitable[T]) -> T:
    """Wait for one call of the client; its errors become ours."""
    try:
        return await call
    except stripe.CardError as error:
        context = {"decline": error.code or "", "detail": error.user_message or ""}
        raise CardRefused("Payment Failed", context=context) from None
    except stripe.IdempotencyError:
        raise Conflict("This was changed a moment ago. Look at your plan again.", reason="already_changed") from None
    except stripe.InvalidRequestError as error:
        if error.code == "resource_missing":
            raise Missing(error.param or "") from None
        log.error("stripe_refused", message=error.user_message, param=error.param, code=error.code)
        raise ProviderRefused("The payment provider refused this. Nothing was charged.") from None
    except stripe.StripeError as error:
        log.error("stripe_failed", error=type(error).__name__, status=error.http_status)
        message = "The payment service does not answer now. Nothing is lost; try again in a moment."
        raise PaymentsDown(message, headers={"Retry-After": "10"}) from None
