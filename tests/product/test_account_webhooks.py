"""Webhooks of an account: rights, addresses, events, signatures and repeats."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from product import webhooks
from tableapi.crypto.vault import Vault
from tableapi.project import queue
from tableapi.webhooks.project_queue import ProjectWebhooks
from tests.helpers.names import resolve
from tests.helpers.product import Account, Product, User
from tests.helpers.support import ROOT, ok, rejection, until
from tests.helpers.webhooks import Received, Receiver, accept, receiver, verified_by_node

EVENTS = ["bulk.finished", "contact.revealed", "credits.low", "plan.changed"]


@pytest.fixture
def private(product: Product, monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow addresses of this machine, as in an intranet."""
    settings = product.scripts.settings.model_copy(update={"webhooks_private": True})
    monkeypatch.setattr(product.scripts, "settings", settings)


@pytest.fixture
async def target(private: None) -> AsyncIterator[Receiver]:
    async with receiver() as one:
        yield one


async def _create(user: User, url: str, *events: str) -> dict[str, Any]:
    response = await user.table("POST", "webhook", {"url": url, "events": list(events or EVENTS)})
    row: dict[str, Any] = ok(response)["resource"][0]
    return row


async def _deliveries(user: User, webhookid: int) -> list[dict[str, Any]]:
    response = await user.table(
        "GET", "webhookdelivery", filter=f"webhookid={webhookid}", order="deliveryid", fields="*"
    )
    rows: list[dict[str, Any]] = response.json()["resource"]
    return rows


async def _reveal(product: Product, user: User) -> int:
    person = await product.person()
    response = await user.post(
        "getcontact", linkedinurl=f"linkedin.com/{person.key}", type="directdial", action="reveal"
    )
    return int(ok(response)["contactdata"][0]["contactid"])


def _dispatcher(product: Product) -> ProjectWebhooks:
    return ProjectWebhooks(webhooks.EVENTS, product.ctx, product.db, product.scripts.settings)


async def _send(product: Product) -> None:
    """Send every event that is due."""
    dispatcher = _dispatcher(product)
    while tasks := await dispatcher.look():
        await asyncio.gather(*tasks)


async def _due_now(product: Product) -> None:
    await product.db.execute("update webhookdelivery set dueon = now() where status = 'waiting'")
    await _send(product)


async def test_only_the_owner_has_webhooks_of_its_own_account(product: Product, account: Account) -> None:
    member, stranger = await account.user(), (await product.account()).owner
    made = await _create(account.owner, "https://hooks.example.com/x")
    ident = made["webhookid"]
    for user in (member, stranger):
        listed = await user.table("GET", "webhook")
        assert listed.status_code in (403, 404) or listed.json()["resource"] == []
        assert (await user.table("PATCH", f"webhook/{ident}", {"isactive": 0})).status_code in (403, 404)
        assert (await user.table("DELETE", f"webhook/{ident}")).status_code in (403, 404)
        assert (await user.post("webhook/test", webhookid=ident)).status_code in (403, 404)
    assert (await member.table("POST", "webhook", {"url": "https://x.example", "events": EVENTS})).status_code == 403
    assert (await product.caller().get("/api/v2/leads/_table/webhook")).status_code == 401
    [row] = (await account.owner.table("GET", "webhook")).json()["resource"]
    assert (row["isactive"], row["secret"]) == (1, made["secret"])
    stored = await product.db.fetchval("select secret from webhook where webhookid = $1", ident)
    assert made["secret"] not in stored


@pytest.mark.parametrize(
    "url",
    ["http://hooks.example.com/", "ftp://hooks.example.com/", "https://", "https://me:pw@hooks.example.com/",
     "https://hooks.example.com/#x", "https://hooks.example.com/a b", "https://h\u00f6oks.example.com/", "hooks", "https://x:0/",
     "HTTPS://hooks.example.com/"],
)  # fmt: skip
async def test_other_addresses_are_rejected(account: Account, url: str) -> None:
    made = await _create(account.owner, "https://hooks.example.com/x")
    for method, path, record in (
        ("POST", "webhook", {"url": url, "events": EVENTS}),
        ("PATCH", f"webhook/{made['webhookid']}", {"url": url}),
    ):
        response = await account.owner.table(method, path, record)
        assert (response.status_code, response.json()["error"]["context"]["field_errors"]) == (
            422,
            {"url": {"case": "webhook_url"}},
        )


@pytest.mark.parametrize("events", [[], ["contact.deleted"], "contact.revealed", None])
async def test_unknown_events_are_rejected(account: Account, events: Any) -> None:
    record = {"url": "https://hooks.example.com/", "events": events}
    assert (await account.owner.table("POST", "webhook", record)).status_code == 422


async def test_an_account_has_ten_webhooks_at_most(account: Account) -> None:
    for _ in range(webhooks.MOST):
        await _create(account.owner, "https://hooks.example.com/x")
    more = await account.owner.table("POST", "webhook", {"url": "https://hooks.example.com/x", "events": EVENTS})
    assert rejection(more) == (409, "webhook_limit")


@pytest.mark.parametrize("found", [["127.0.0.1"], ["169.254.169.254"], ["::1"], ["10.0.0.1"], []])
async def test_private_addresses_get_no_request_and_are_not_told_from_unknown_ones(
    account: Account, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve(monkeypatch, lambda host: found)
    made = await _create(account.owner, "https://inside.example/")
    test = (await account.owner.post("webhook/test", webhookid=made["webhookid"])).json()
    assert (test["delivered"], test["lastcode"]) == (False, None)
    assert test["reason"] == "blocked"
    assert test["problem"] == "the host is unknown or not a public address"


async def test_a_reveal_is_sent_signed_and_once(product: Product, account: Account, target: Receiver) -> None:
    await account.set_credits(10)
    made = await _create(account.owner, target.url, "contact.revealed")
    target.secrets = (made["secret"],)
    other = await _create((await product.account()).owner, target.url, "contact.revealed")
    contactid = await _reveal(product, account.owner)
    for _ in range(2):
        await _send(product)
    [request] = target.delivered
    assert request.json["type"] == "contact.revealed"
    assert request.data["key"] == {"contactid": contactid}
    record = request.data["record"]
    assert (record["kind"], record["appuserid"], record["keyid"]) == ("directdial", account.owner.appuserid, None)
    assert "12025550123" not in request.body.decode()
    [delivery] = await _deliveries(account.owner, made["webhookid"])
    assert (delivery["status"], delivery["lastcode"], delivery["attempts"]) == ("delivered", 204, 1)
    assert request.id == f"evt_{delivery['deliveryid']}"
    assert await _deliveries(account.owner, other["webhookid"]) == []


async def test_only_chosen_events_of_active_webhooks_are_sent(
    product: Product, account: Account, target: Receiver
) -> None:
    await account.set_credits(10)
    made = await _create(account.owner, target.url, "plan.changed")
    target.secrets = (made["secret"],)
    await _reveal(product, account.owner)
    assert await _deliveries(account.owner, made["webhookid"]) == []
    await account.owner.table("PATCH", f"webhook/{made['webhookid']}", {"isactive": 0})
    change = "update usersubscription set autorenew = 1 - autorenew where clientid = $1"
    await product.db.execute(change, account.clientid)
    assert await _deliveries(account.owner, made["webhookid"]) == []
    await account.owner.table("PATCH", f"webhook/{made['webhookid']}", {"isactive": 1})
    await product.db.execute(change, account.clientid)
    await product.db.execute(
        "insert into creditnotice (clientid, kind, threshold) values ($1, 'contactcredit', 20)", account.clientid
    )
    await _send(product)
    [(name, record)] = target.told
    assert (name, record["planid"], record["status"]) == ("plan.changed", 4, "active")


async def test_a_finished_bulk_look_up_is_sent(product: Product, account: Account, target: Receiver) -> None:
    await account.set_credits(10)
    made = await _create(account.owner, target.url, "bulk.finished")
    target.secrets = (made["secret"],)
    person = await product.person()
    started = await account.owner.post(
        "bulklookup", urls=[f"linkedin.com/{person.key}"], kinds=["directdial"], max_credits=5
    )
    assert started.status_code == 202, started.text
    await product.work()
    await _send(product)
    [(name, record)] = target.told
    assert (name, record["jobid"], record["status"], record["charged"]) == (
        "bulk.finished",
        started.json()["jobid"],
        "done",
        1,
    )


async def test_a_failing_receiver_is_tried_for_a_day(product: Product, account: Account, target: Receiver) -> None:
    await account.set_credits(10)
    made = await _create(account.owner, target.url, "contact.revealed")
    target.secrets = (made["secret"],)

    async def fail(_: object) -> tuple[int, dict[str, str]]:
        return 500, {}

    target.respond = fail
    await _reveal(product, account.owner)
    pauses = []
    for _ in range(webhooks.EVENTS.attempts):
        await _due_now(product)
        pauses.append(
            await product.db.fetchval(
                "select max(extract(epoch from dueon - now()))::int from webhookdelivery where webhookid = $1",
                made["webhookid"],
            )
        )
    assert len({request.id for request in target.received}) == 1
    assert len(target.received) == webhooks.EVENTS.attempts
    assert pauses[:4] == pytest.approx([60, 120, 240, 480], abs=5)
    assert 22 * 3600 < sum(pauses[:-1]) < 26 * 3600
    [delivery] = await _deliveries(account.owner, made["webhookid"])
    assert (delivery["status"], delivery["lastcode"], delivery["reason"]) == ("failed", 500, "rejected")
    assert delivery["error"] == "the receiver responded with 500"
    await _due_now(product)
    assert len(target.received) == webhooks.EVENTS.attempts

    target.respond = type(target)(0).respond
    stranger = (await product.account()).owner
    assert (await stranger.post("webhook/resend", deliveryid=delivery["deliveryid"])).status_code == 404
    assert (await account.owner.post("webhook/resend", deliveryid=delivery["deliveryid"])).status_code == 200
    await _send(product)
    [request] = target.delivered
    assert request.id == f"evt_{delivery['deliveryid']}"
    [delivery] = await _deliveries(account.owner, made["webhookid"])
    assert (delivery["status"], delivery["reason"], delivery["error"]) == ("delivered", None, None)


@pytest.mark.parametrize(("asked", "pause"), [("300", 300), ("5", 60), ("99999999", 4 * 3600)])
async def test_a_receiver_can_ask_for_time(
    product: Product, account: Account, target: Receiver, asked: str, pause: int
) -> None:
    await account.set_credits(10)
    made = await _create(account.owner, target.url, "contact.revealed")
    target.secrets = (made["secret"],)

    async def wait(_: object) -> tuple[int, dict[str, str]]:
        return 429, {"Retry-After": asked}

    target.respond = wait
    await _reveal(product, account.owner)
    await _send(product)
    [delivery] = await _deliveries(account.owner, made["webhookid"])
    assert (delivery["status"], delivery["lastcode"]) == ("waiting", 429)
    seconds = "select extract(epoch from dueon - now())::float8 from webhookdelivery where deliveryid = $1"
    assert await product.db.fetchval(seconds, delivery["deliveryid"]) == pytest.approx(pause, abs=10)


async def test_other_events_of_a_webhook_wait_as_the_receiver_asks(
    product: Product, account: Account, target: Receiver
) -> None:
    await account.set_credits(10)
    made = await _create(account.owner, target.url, "contact.revealed")
    target.secrets = (made["secret"],)

    async def wait(_: object) -> tuple[int, dict[str, str]]:
        return 429, {"Retry-After": "600"}

    target.respond = wait
    await _reveal(product, account.owner)
    await _reveal(product, account.owner)
    held = "update webhookdelivery set dueon = now() + interval '1 minute' where deliveryid = $1"
    second = (await _deliveries(account.owner, made["webhookid"]))[1]["deliveryid"]
    await product.db.execute(held, second)
    await _send(product)
    assert len(target.received) == 1
    seconds = "select extract(epoch from dueon - now())::float8 from webhookdelivery where deliveryid = $1"
    assert await product.db.fetchval(seconds, second) == pytest.approx(600, abs=10)


@pytest.mark.parametrize("way", ["event", "test"])
async def test_a_webhook_whose_receiver_is_gone_is_disabled_with_a_mail(
    product: Product, account: Account, target: Receiver, way: str
) -> None:
    await account.set_credits(10)
    made = await _create(account.owner, target.url, "contact.revealed")
    target.secrets = (made["secret"],)

    async def gone(_: object) -> tuple[int, dict[str, str]]:
        return 410, {}

    target.respond = gone
    if way == "test":
        test = (await account.owner.post("webhook/test", webhookid=made["webhookid"])).json()
        assert (test["delivered"], test["lastcode"]) == (False, 410)
    else:
        for _ in range(3):
            await _reveal(product, account.owner)
        await _send(product)
    await product.work()
    sent = len(target.received)
    [row] = (await account.owner.table("GET", "webhook")).json()["resource"]
    assert row["isactive"] == 0
    rows = await _deliveries(account.owner, made["webhookid"])
    assert {(row["status"], row["lastcode"]) for row in rows} == {("failed", 410)}
    mails = [mail for mail in await product.mails(account.owner.email) if "webhook" in str(mail["Subject"])]
    assert [f"127.0.0.1:{target.port}" in mail.as_string() for mail in mails] == [True]
    events = await product.db.fetch("select event from auditlog where clientid = $1", account.clientid)
    assert [row["event"] for row in events].count("webhook_disabled") == 1
    await _reveal(product, account.owner)
    await _send(product)
    assert len(target.received) == sent

    target.respond = accept
    await account.owner.table("PATCH", f"webhook/{made['webhookid']}", {"isactive": 1})
    await _reveal(product, account.owner)
    await _send(product)
    [request] = target.delivered
    assert verified_by_node(request, made["secret"]) == request.json


async def test_a_test_event_returns_its_result(account: Account, target: Receiver) -> None:
    made = await _create(account.owner, target.url)
    target.secrets = (made["secret"],)
    test = (await account.owner.post("webhook/test", webhookid=made["webhookid"])).json()
    assert (test["delivered"], test["lastcode"], test["problem"]) == (True, 204, None)
    assert [request.json["type"] for request in target.delivered] == ["test"]
    [delivery] = await _deliveries(account.owner, made["webhookid"])
    assert (delivery["event"], delivery["status"]) == ("test", "delivered")


async def test_a_webhook_is_deleted_with_its_deliveries(product: Product, account: Account, target: Receiver) -> None:
    await account.set_credits(10)
    made = await _create(account.owner, target.url, "contact.revealed")
    await _reveal(product, account.owner)
    assert (await account.owner.table("DELETE", f"webhook/{made['webhookid']}")).status_code == 200
    assert (await account.owner.table("DELETE", f"webhook/{made['webhookid']}")).status_code == 404
    await _send(product)
    assert target.received == []
    events = await product.db.fetch(
        "select event from auditlog where clientid = $1 and event like 'webhook%' order by auditid", account.clientid
    )
    assert [row["event"] for row in events] == ["webhook_created", "webhook_deleted"]


async def test_one_worker_of_two_delivers_and_the_other_takes_over(
    product: Product, account: Account, target: Receiver
) -> None:
    await account.set_credits(10)
    made = await _create(account.owner, target.url, "contact.revealed")
    target.secrets = (made["secret"],)
    stops = [asyncio.Event(), asyncio.Event()]
    async with asyncio.TaskGroup() as workers:
        for number, stop in enumerate(stops, 1):
            workers.create_task(queue.work(product.scripts.settings, ROOT, stop))
            await _reveal(product, account.owner)
            await target.gets(number)
        stops[0].set()
        await _reveal(product, account.owner)
        await target.gets(3)
        stops[1].set()
    assert len({request.id for request in target.received}) == len(target.received) == 3


PATHS = ("&slow", "&bad", "&lost", "&fast")


async def test_a_slow_receiver_or_a_bad_secret_delays_no_other_webhook(
    product: Product, account: Account, target: Receiver
) -> None:
    await account.set_credits(10)
    made = [await _create(account.owner, target.url + name, "contact.revealed") for name in PATHS]
    target.secrets = (made[0]["secret"],)
    same = "update webhook set secret = (select secret from webhook where webhookid = $1) where webhookid = $2"
    await product.db.execute(same, made[0]["webhookid"], made[3]["webhookid"])
    for webhook, sealed in zip(
        made[1:3], (product.scripts.vault.seal("x"), Vault(["another" * 8]).seal("x")), strict=True
    ):
        await product.db.execute("update webhook set secret = $1 where webhookid = $2", sealed, webhook["webhookid"])

    async def respond(request: Received) -> tuple[int, dict[str, str]]:
        if request.path.endswith("slow"):
            await target.closing.wait()
        return 204, {}

    target.respond = respond
    dispatcher = _dispatcher(product)
    dispatcher.start()
    try:
        for number in (1, 2):
            await _reveal(product, account.owner)
            await until(lambda count=number: len(target.delivered) == count)  # type: ignore[misc]
        assert {request.path.rpartition("&")[2] for request in target.delivered} == {"fast"}
    finally:
        target.closing.set()
        await dispatcher.close()
    for webhook in made[1:3]:
        await account.owner.table("DELETE", f"webhook/{webhook['webhookid']}")
