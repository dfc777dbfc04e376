"""The queue and the payment events of the desk."""

from __future__ import annotations

import secrets

import orjson

from tests.helpers.desk import Staff
from tests.helpers.product import Account, Product
from tests.helpers.support import rejection
from tests.product.test_desk_calls import client, entries, member

__all__ = ["client", "member"]  # fixtures


async def test_a_failed_job_can_be_queued_again(product: Product, member: Staff) -> None:
    await product.work()
    await product.ctx.later("sendmail", name="verify", to="jobs@team.example", values={"secret": "in-the-payload"})
    ident = await product.db.fetchval("update pgqueuer set status = 'failed', attempts = 20 returning id")
    await product.db.execute(
        "insert into pgqueuer_log (job_id, status, entrypoint, priority, traceback)"
        " values ($1, 'failed', 'sendmail', 0, $2)",
        ident,
        {"exception_type": "SMTPError", "exception_message": "jobs@team.example is unknown", "traceback": "x"},
    )
    response = await member.get("jobs")
    job = response.json()["resource"][0]
    assert (job["id"], job["job"], job["status"], job["error"]) == (ident, "sendmail", "failed", "SMTPError")
    assert response.json()["counts"]["failed"] == 1
    assert "in-the-payload" not in response.text
    assert "jobs@team.example" not in response.text
    assert (await member.post("jobs", id=ident)).json() == {"success": 1}
    row = await product.db.fetchrow("select status::text, attempts from pgqueuer where id = $1", ident)
    assert row is not None
    assert tuple(row.values()) == ("queued", 0)
    assert (await member.post("jobs", id=ident)).status_code == 404
    await product.db.execute("delete from pgqueuer where id = $1", ident)


async def test_a_payment_event_can_be_applied_again(product: Product, member: Staff, client: Account) -> None:
    await product.work()
    custid = f"cus_{secrets.token_hex(4)}"
    payload = {"data": {"object": {"id": "sub_1", "customer": custid, "card": "4242"}}}
    insert = "insert into stripeevent (id, type, created, payload) values ($1, 'plan.created', now(), $2)"
    ident = f"evt_{secrets.token_hex(4)}"
    await product.db.execute(insert, ident, orjson.dumps(payload).decode())
    await product.db.execute("update client set stripe_custid = $2 where clientid = $1", client.clientid, custid)
    response = await member.get("payments")
    (event,) = [row for row in response.json()["resource"] if row["id"] == ident]
    assert (event["customer"], event["clientid"], event["note"]) == (custid, client.clientid, None)
    assert "4242" not in response.text
    assert (await member.post("payments", id=ident)).json() == {"success": 1}
    await product.work()
    assert ident not in (await member.get("payments")).text
    done = await member.post("payments", id=ident)
    assert rejection(done) == (409, "event_applied")
    assert len(await entries(product, client.clientid, "support_event_applied_again")) == 1
