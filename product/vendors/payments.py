"""Stripe, through its official client, which sends the API version that its types describe.

Writes that must not happen twice carry an idempotency key, so a retry after a lost response is safe.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Mapping
from datetime import UTC, datetime
from typing import Literal, TypeVar, get_args

import httpx2
import orjson
import stripe
import structlog
from stripe.params import (
    CustomerCreateParams,
    EventListParams,
    InvoiceCreatePreviewParams,
    InvoiceCreatePreviewParamsSubscriptionDetails,
    InvoiceListParams,
    InvoicePaymentListParams,
    PaymentIntentConfirmParams,
    PaymentIntentCreateParams,
    PaymentMethodCreateParams,
    PriceCreateParams,
    ProductCreateParams,
    SubscriptionListParams,
    SubscriptionScheduleUpdateParams,
    SubscriptionScheduleUpdateParamsPhase,
    SubscriptionUpdateParams,
)
from stripe.params.checkout import SessionCreateParams as CheckoutSessionCreateParams

from product.vendors import stripeobjects as objects
from product.vendors.money import (
    CancelBy,
    CardRefused,
    Checkout,
    Event,
    Intent,
    Interval,
    Invoice,
    Missing,
    PaymentsDown,
    Preview,
    ProviderRefused,
    Reversal,
    Subscription,
    changed_meanwhile,
)
from product.vendors.stripehttp import Httpx2Client
from tableapi import BadRequest

log = structlog.get_logger(__name__)
API = "https://api.stripe.com"
T = TypeVar("T")
Item = TypeVar("Item", bound=stripe.StripeObject)
CANCEL_BY = get_args(CancelBy)
InvoiceStatus = Literal["draft", "open", "paid", "uncollectible", "void"]


class Payments:
    """One Stripe account."""

    def __init__(
        self, key: str, webhook_secret: str, base: str | None, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._secrets = [secret.strip() for secret in webhook_secret.split(",") if secret.strip()]
        self._http = Httpx2Client(transport)
        self._client = stripe.StripeClient(
            key, http_client=self._http, max_network_retries=1, base_addresses={"api": base or API}
        )

    async def close(self) -> None:
        await self._http.close_async()

    # -- products and prices -------------------------------------------------------------------------------------------

    async def product(self, ident: str, name: str, description: str) -> tuple[bool, bool]:
        """Create or rename a product. Return (created, renamed)."""
        try:
            result = await _send(self._client.v1.products.retrieve_async(ident))
        except Missing:
            params: ProductCreateParams = {"id": ident, "name": name}
            if description:
                params["description"] = description
            await _send(self._client.v1.products.create_async(params, {"idempotency_key": f"product:{ident}"}))
            return True, False
        if result.name == name and (result.description or "") == description:
            return False, False
        await _send(self._client.v1.products.update_async(ident, {"name": name, "description": description}))
        return False, True

    async def price(self, product: str, key: str, amount: int, currency: str, interval: Interval) -> tuple[str, bool]:
        """Return the id of the price with this lookup key, and whether it was created now."""
        result = await _send(self._client.v1.prices.list_async({"lookup_keys": [key], "limit": 1}))
        if result.data:
            return result.data[0].id, False
        params: PriceCreateParams = {
            "product": product, "lookup_key": key, "unit_amount": amount, "currency": currency,
            "recurring": {"interval": interval},
        }  # fmt: skip
        created = await _send(self._client.v1.prices.create_async(params, {"idempotency_key": f"price:{key}"}))
        return created.id, True

    # -- customers and subscriptions -----------------------------------------------------------------------------------

    async def customer(self, clientid: int, email: str, name: str, key: str) -> str:
        """Create a customer. The same `key` returns the same customer."""
        params: CustomerCreateParams = {"email": email, "metadata": {"clientid": str(clientid)}}
        if name:
            params["name"] = name
        return (await _send(self._client.v1.customers.create_async(params, {"idempotency_key": key}))).id

    async def checkout(
        self, customer: str, priceid: str, clientid: int, planid: int, success: str, cancel: str, key: str
    ) -> Checkout:
        """Create a hosted payment page for a subscription."""
        marks = {"clientid": str(clientid), "planid": str(planid)}
        params: CheckoutSessionCreateParams = {
            "mode": "subscription", "customer": customer, "client_reference_id": str(clientid),
            "line_items": [{"price": priceid, "quantity": 1}], "success_url": success, "cancel_url": cancel,
            "metadata": marks, "subscription_data": {"metadata": marks},
        }  # fmt: skip
        created = await _send(self._client.v1.checkout.sessions.create_async(params, {"idempotency_key": key}))
        return Checkout(created.id, created.url or "", created.status or "")

    async def checkout_state(self, ident: str) -> Checkout:
        result = await _send(self._client.v1.checkout.sessions.retrieve_async(ident))
        return Checkout(result.id, result.url or "", result.status or "")

    async def expire_checkout(self, ident: str) -> None:
        """Close a hosted page if it is open."""
        try:
            await _send(self._client.v1.checkout.sessions.expire_async(ident))
        except ProviderRefused:
            if (await self.checkout_state(ident)).status == "open":
                raise

    async def subscription(self, ident: str) -> Subscription:
        return await _subscription(await _send(self._client.v1.subscriptions.retrieve_async(ident)))

    async def subscriptions(self, customer: str) -> list[Subscription]:
        """Return all subscriptions of a customer, including ended ones, newest first."""
        params: SubscriptionListParams = {"customer": customer, "status": "all", "limit": 100}
        listed = await _all(await _send(self._client.v1.subscriptions.list_async(params)))
        return [sub for item in listed if (sub := objects.subscription(item, await _all(item["items"])))]

    async def invoices(
        self, customer: str, subscription: str = "", status: InvoiceStatus | None = None
    ) -> list[Invoice]:
        """Return the invoices of a customer, newest first, with all their lines."""
        params: InvoiceListParams = {"customer": customer, "limit": 100}
        if subscription:
            params["subscription"] = subscription
        if status:
            params["status"] = status
        listed = await _all(await _send(self._client.v1.invoices.list_async(params)))
        return [objects.invoice(item, await _all(item.lines)) for item in listed]

    async def preview(self, sub: Subscription, priceid: str, proration_date: int) -> Preview:
        """Return the cost of changing the price at that moment."""
        details: InvoiceCreatePreviewParamsSubscriptionDetails = {
            "items": [{"id": sub.itemid, "price": priceid}], "proration_behavior": "always_invoice",
            "proration_date": proration_date,
        }  # fmt: skip
        params: InvoiceCreatePreviewParams = {"subscription": sub.id, "subscription_details": details}
        invoice = await _send(self._client.v1.invoices.create_preview_async(params))
        return objects.preview(invoice, await _all(invoice.lines))

    async def upgrade(self, sub: Subscription, priceid: str, proration_date: int, key: str) -> Subscription:
        """Change the price now and charge the difference.

        Raises:
            CardRefused: the charge was declined; the subscription is unchanged (402).
        """
        params: SubscriptionUpdateParams = {
            "items": [{"id": sub.itemid, "price": priceid}], "proration_behavior": "always_invoice",
            "proration_date": proration_date, "payment_behavior": "error_if_incomplete",
        }  # fmt: skip
        _keep(params, sub)
        updated = await _send(self._client.v1.subscriptions.update_async(sub.id, params, {"idempotency_key": key}))
        return await self.keep(await _subscription(updated))

    async def keep(self, sub: Subscription) -> Subscription:
        """Take back a scheduled cancellation, whichever parameter has scheduled it."""
        for _ in CANCEL_BY:
            if sub.cancelby is None:
                break
            params: SubscriptionUpdateParams = {}
            _keep(params, sub)
            sub = await _subscription(await _send(self._client.v1.subscriptions.update_async(sub.id, params)))
        return sub

    async def cancel(self, ident: str) -> Subscription:
        """Cancel a subscription at the end of its period."""
        update = self._client.v1.subscriptions.update_async
        return await _subscription(await _send(update(ident, {"cancel_at_period_end": True})))

    async def change_at_end(self, sub: Subscription, priceid: str, interval: Interval) -> str:
        """Replace the price from the end of the period, and return the id of the schedule.

        Raises:
            AlreadyChanged: a simultaneous request has released the schedule (409).
        """
        ident = sub.scheduleid or await self._scheduled(sub.id)
        start, end = int(sub.start.timestamp()), int(sub.end.timestamp())
        phases: list[SubscriptionScheduleUpdateParamsPhase] = [
            {"items": [{"price": sub.priceid, "quantity": sub.quantity}], "start_date": start, "end_date": end},
            {
                "items": [{"price": priceid, "quantity": sub.quantity}],
                "duration": {"interval": interval, "interval_count": 1},
            },
        ]
        params: SubscriptionScheduleUpdateParams = {
            "end_behavior": "release", "proration_behavior": "none", "phases": phases,
        }  # fmt: skip
        try:
            await _send(self._client.v1.subscription_schedules.update_async(ident, params))
        except ProviderRefused:
            if await self._is_active(ident):
                raise
            raise changed_meanwhile() from None
        return ident

    async def _scheduled(self, ident: str) -> str:
        """Put a subscription under a schedule and return its id, also when a simultaneous request was first."""
        try:
            return (await _send(self._client.v1.subscription_schedules.create_async({"from_subscription": ident}))).id
        except ProviderRefused:
            if scheduleid := (await self.subscription(ident)).scheduleid:
                return scheduleid
            raise

    async def release(self, scheduleid: str) -> None:
        """Drop a scheduled change; a schedule that is no longer active is ignored."""
        try:
            await _send(self._client.v1.subscription_schedules.release_async(scheduleid))
        except ProviderRefused:
            if await self._is_active(scheduleid):
                raise

    async def _is_active(self, scheduleid: str) -> bool:
        return (await _send(self._client.v1.subscription_schedules.retrieve_async(scheduleid))).status == "active"

    async def end(self, ident: str) -> None:
        """End a subscription at once; one that has ended already is ignored."""
        try:
            await _send(self._client.v1.subscriptions.cancel_async(ident))
        except Missing:
            log.info("subscription_had_ended", subscription=ident)

    # -- one-off payments ----------------------------------------------------------------------------------------------

    async def intent(self, customer: str, amount: int, currency: str, metadata: dict[str, str], key: str) -> Intent:
        """Create a payment that the browser confirms."""
        params: PaymentIntentCreateParams = {
            "customer": customer, "amount": amount, "currency": currency, "metadata": metadata,
            "automatic_payment_methods": {"enabled": True},
        }  # fmt: skip
        created = await _send(self._client.v1.payment_intents.create_async(params, {"idempotency_key": key}))
        return objects.intent(created)

    async def charge(self, intent: Intent, token: str, return_url: str, key: str) -> Intent:
        """Confirm a payment with a card token or a payment method.

        Raises:
            CardRefused: the bank declined (402).
        """
        method = token
        if token.startswith("tok_"):
            create = self._client.v1.payment_methods.create_async
            card: PaymentMethodCreateParams = {"type": "card", "card": {"token": token}}
            method = (await _send(create(card, {"idempotency_key": f"{key}:method"}))).id
        params: PaymentIntentConfirmParams = {"payment_method": method, "return_url": return_url}
        confirm = self._client.v1.payment_intents.confirm_async
        return objects.intent(await _send(confirm(intent.id, params, {"idempotency_key": key})))

    async def intent_state(self, ident: str) -> Intent:
        return objects.intent(await _send(self._client.v1.payment_intents.retrieve_async(ident)))

    # -- refunds and disputes ------------------------------------------------------------------------------------------

    async def reversals(self, payment: str) -> list[Reversal]:
        """Return the present refunds and disputes of a payment intent."""
        asof = datetime.now(UTC)
        refunds = await _send(self._client.v1.refunds.list_async({"payment_intent": payment, "limit": 100}))
        disputes = await _send(self._client.v1.disputes.list_async({"payment_intent": payment, "limit": 100}))
        listed: list[stripe.Refund | stripe.Dispute] = [*await _all(refunds), *await _all(disputes)]
        return [objects.reversal(item.to_dict(), asof) for item in listed]

    def reversal(self, about: Mapping[str, object], asof: datetime) -> Reversal:
        """Parse the refund, dispute or charge of an event."""
        return objects.reversal(about, asof)

    async def payment_of_charge(self, ident: str) -> str:
        charge = await _send(self._client.v1.charges.retrieve_async(ident))
        return objects.reversal(charge.to_dict(), datetime.now(UTC)).payment

    async def invoice_of_payment(self, payment: str) -> tuple[str, str]:
        """Return the ids of the invoice that a payment intent paid and of its customer, or empty texts."""
        params: InvoicePaymentListParams = {
            "payment": {"type": "payment_intent", "payment_intent": payment}, "limit": 1,
        }  # fmt: skip
        result = (await _send(self._client.v1.invoice_payments.list_async(params))).data
        if not result:
            return "", ""
        ident = result[0].to_dict()["invoice"]
        bill = (await _send(self._client.v1.invoices.retrieve_async(ident))).to_dict()
        return str(bill["id"]), str(bill["customer"] or "")

    # -- events --------------------------------------------------------------------------------------------------------

    def event(self, body: bytes, signature: str) -> Event:
        """Verify and parse an event.

        Raises:
            BadRequest: no secret matches the signature, or it is older than five minutes (400).
        """
        for secret in self._secrets:
            try:
                stripe.WebhookSignature.verify_header(body.decode(), signature, secret, 300)
                return objects.event(orjson.loads(body), body.decode())
            except (stripe.SignatureVerificationError, ValueError, KeyError, TypeError):
                continue
        raise BadRequest("The signature is not valid.", reason="bad_signature")

    async def events(self, since: datetime, types: tuple[str, ...]) -> AsyncIterator[Event]:
        """Yield the events since a moment, newest first."""
        params: EventListParams = {"created": {"gte": int(since.timestamp())}, "limit": 100, "types": list(types)}
        for item in await _all(await _send(self._client.v1.events.list_async(params))):
            event = item.to_dict()
            yield objects.event(event, orjson.dumps(event, default=str).decode())


async def _all(first: stripe.ListObject[Item]) -> list[Item]:
    """Return the items of a list, reading the pages that follow its first one."""

    async def read() -> list[Item]:
        return [item async for item in first.auto_paging_iter()]

    return await _send(read())


async def _subscription(obj: stripe.Subscription) -> Subscription:
    """Convert a subscription that the product has made, which has an item."""
    sub = objects.subscription(obj, await _all(obj["items"]))
    if sub is None:
        raise Missing("items")
    return sub


def _keep(params: SubscriptionUpdateParams, sub: Subscription) -> None:
    """Add the parameter that takes back a scheduled cancellation.

    Stripe rejects both of them in one request.
    """
    if sub.cancelby == "cancel_at":
        params["cancel_at"] = ""
    elif sub.cancelby:
        params["cancel_at_period_end"] = False


async def _send(call: Awaitable[T]) -> T:
    """Await a call of the client and map its errors to ours."""
    try:
        return await call
    except stripe.CardError as error:
        context = {"decline": error.code or "", "detail": error.user_message or ""}
        # the reason of the bank if there is one, such as insufficient_funds; the code is card_declined then
        case = (error.error and error.error.decline_code) or error.code or ""
        raise CardRefused("Payment Failed", case=case, context=context) from None
    except stripe.IdempotencyError:
        raise changed_meanwhile() from None
    except stripe.InvalidRequestError as error:
        if error.code == "resource_missing":
            raise Missing(error.param or "") from None
        log.error("stripe_refused", message=error.user_message, param=error.param, code=error.code)
        raise ProviderRefused("The payment provider refused this. Nothing was charged.") from None
    except stripe.StripeError as error:
        log.error("stripe_failed", error=type(error).__name__, status=error.http_status)
        message = "The payment service is not responding. Nothing is lost; try again in a moment."
        raise PaymentsDown(message, headers={"Retry-After": "10"}) from None
