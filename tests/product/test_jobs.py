"""The job queue: a job commits with its cause, runs in a worker, and is retried until it succeeds."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from aiosmtpd.controller import Controller
from pgqueuer.core.executors import EntrypointExecutorParameters

from product.vendors import mail
from tableapi.project import queue
from tests.helpers.product import Product, SmtpServer
from tests.helpers.support import ROOT, free_port

_LEFT = "select count(*) from pgqueuer where entrypoint = 'sendmail'"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the back-off, and allow few tries."""

    def executor(parameters: EntrypointExecutorParameters) -> queue._Retry:
        return queue._Retry(parameters=parameters, max_attempts=20, initial_delay=timedelta(milliseconds=50),
                           max_delay=timedelta(milliseconds=50))  # fmt: skip

    monkeypatch.setattr(queue, "_executor", executor)


@pytest.fixture
async def worker(product: Product, quick: None) -> AsyncIterator[int]:
    """Run a worker that sends mail to a closed port, and return the port."""
    await product.work()
    port, stop = free_port(), asyncio.Event()
    settings = product.scripts.settings.model_copy(update={"mail_url": f"smtp://127.0.0.1:{port}"})
    running = asyncio.create_task(queue.work(settings, ROOT, stop))
    yield port
    stop.set()
    await running


async def _mail(product: Product, to: str) -> None:
    await product.ctx.later("sendmail", name="exists", to=to, values={"link": "http://x.example/login"})


async def _until(product: Product, condition: str, *args: object) -> None:
    """Wait until the condition is true in the database."""
    async with asyncio.timeout(20):
        while not await product.db.fetchval(condition, *args):
            pass


async def test_a_rolled_back_transaction_leaves_no_job(product: Product) -> None:
    await product.work()

    async def fail() -> None:
        async with product.db.transaction():
            await _mail(product, "nobody@x.example")
            assert await product.db.fetchval(_LEFT) == 1
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert await product.db.fetchval(_LEFT) == 0


async def test_a_payload_is_sealed(product: Product) -> None:
    await product.work()
    await _mail(product, "sealed@x.example")
    row = await product.db.fetchval("select payload from pgqueuer where entrypoint = 'sendmail'")
    assert b"sealed@x.example" not in row
    await product.work()


async def test_a_mail_is_retried_until_the_server_is_available(product: Product, worker: int) -> None:
    to = f"late-{secrets.token_hex(4)}@x.example"
    await _mail(product, to)
    await _until(product, "select exists (select 1 from pgqueuer where entrypoint = 'sendmail' and attempts > 0)")
    smtp = SmtpServer([])
    controller = Controller(smtp, hostname="127.0.0.1", port=worker)
    controller.start()
    try:
        await _until(product, f"select ({_LEFT}) = 0")
    finally:
        controller.stop()
    assert [message["To"] for message in smtp.mails] == [to]


class _NeverEnding(SmtpServer):
    """Accepts mails, and leaves QUIT unanswered."""

    async def handle_QUIT(self, *_: object) -> str:  # noqa: N802 - aiosmtpd's name
        await asyncio.Event().wait()
        raise AssertionError


async def test_an_accepted_mail_is_done_before_its_session_ends(
    product: Product, worker: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "SECONDS", 60.0)  # longer than `_until` waits
    to = f"accepted-{secrets.token_hex(4)}@x.example"
    smtp = _NeverEnding([])
    controller = Controller(smtp, hostname="127.0.0.1", port=worker)
    controller.start()
    try:
        await _mail(product, to)
        await _until(product, f"select ({_LEFT}) = 0")
    finally:
        controller.stop()
    assert [message["To"] for message in smtp.mails] == [to]


@pytest.mark.usefixtures("worker")
async def test_a_permanently_failing_job_is_kept_with_its_error(product: Product) -> None:
    await product.ctx.later("sendmail", name="no-such-mail", to="x@x.example", values={"link": ""})
    await _until(product, "select exists (select 1 from pgqueuer where entrypoint = 'sendmail' and status = 'failed')")
    await product.db.execute("delete from pgqueuer")
