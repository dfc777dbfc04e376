"""kill -9 during many reveals leaves no charge without its reveal and no reveal without its charge."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import httpx2
import pytest

from tests.helpers.customer import caller, charges, prepare, settings
from tests.helpers.support import ROOT, NewDatabase, Serve, SqlClient, descendants, wait_until

ROUNDS, REVEALS = 10, 200


async def _reveal_until_killed(url: str, first: int, kill: Callable[[], object]) -> int:
    """Send REVEALS parallel reveals and kill the server after a third of the responses."""
    answered = 0

    async def one(http: httpx2.AsyncClient, number: int) -> None:
        nonlocal answered
        body = {"linkedinurl": f"linkedin.com/in/person-{number}", "type": "directdial", "action": "reveal"}
        try:
            response = await http.post("getcontact", json=body)
        except httpx2.HTTPError:
            return
        answered += response.status_code == 200 and response.json()["charged"]
        if answered == REVEALS // 3:
            kill()

    async with caller(url) as http:
        await asyncio.gather(*(one(http, number) for number in range(first, first + REVEALS)))
    return answered


def _all_end(watched: list[int]) -> bool:
    """Return whether the processes of these pidfds end, each within 20 s."""
    try:
        return all(select.select([process], [], [], 20)[0] for process in watched)
    finally:
        for process in watched:
            os.close(process)


@pytest.mark.slow
async def test_orphaned_workers_stop_even_during_requests(new_database: NewDatabase, serve: Serve) -> None:
    url = await asyncio.to_thread(new_database)
    server = await asyncio.to_thread(serve, **settings(url, WORKERS="2"))
    await prepare(url, REVEALS)
    watched = [os.pidfd_open(pid) for pid in descendants(server.process.pid)]
    await _reveal_until_killed(server.url, 0, partial(server.stop, signal.SIGKILL))
    assert await asyncio.to_thread(_all_end, watched)
    reveals, booked, spent = await charges(url)
    assert reveals == booked == spent


@pytest.mark.slow
async def test_charges_equal_reveals_after_a_kill(new_database: NewDatabase, serve: Serve) -> None:
    # The fixture needs a thread without an event loop.
    url = await asyncio.to_thread(new_database)
    seen = 0
    for round_ in range(ROUNDS):
        # The first start creates the schema.
        more = {"INIT": "off"} if round_ else {}
        server = await asyncio.to_thread(serve, **settings(url, **more))
        if round_ == 0:
            await prepare(url, ROUNDS * REVEALS)
        seen += await _reveal_until_killed(server.url, round_ * REVEALS, server.kill)
        reveals, booked, spent = await charges(url)
        assert reveals == booked == spent
        assert seen <= reveals <= (round_ + 1) * REVEALS
    assert ROUNDS * REVEALS // 3 <= seen < ROUNDS * REVEALS  # the kill happened during the reveals


def test_the_lost_response_of_a_killed_worker_is_reported_after_its_claim_expires(
    new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    """Without a project the responses are in a file, and whether the killed worker committed is unknown."""
    url = new_database("create table item (id integer primary key)")
    server = serve("--dataset", f"db={url}", "--open", cwd=tmp_path)
    table, headers = f"{server.url}/api/v2/db/_table/item", {"Idempotency-Key": "killed"}

    def post() -> httpx2.Response | None:
        try:
            return httpx2.post(table, json={"resource": [{"id": 1}]}, headers=headers, timeout=30)
        except httpx2.TransportError:
            return None

    with SqlClient(url) as db, ThreadPoolExecutor(1) as pool:
        db.execute("begin; lock table item")
        waiting = pool.submit(post)
        with SqlClient(url) as other:
            wait_until(lambda: other.fetch("select 1 from pg_locks where not granted"))
        for pid in descendants(server.process.pid):
            os.kill(pid, signal.SIGKILL)
        assert waiting.result() is None
        db.execute("commit")
    replies: list[httpx2.Response] = []

    def answered() -> bool:
        if (reply := post()) is not None:
            replies.append(reply)
        return bool(replies)

    wait_until(answered)
    (file,) = tmp_path.rglob("idempotency.sqlite")
    with closing(sqlite3.connect(file)) as responses:
        responses.execute("update answer set at = at - 41")
        responses.commit()
    replies.append(httpx2.post(table, json={"resource": [{"id": 1}]}, headers=headers))
    reasons = [reply.json()["error"]["context"]["reason"] for reply in replies]
    assert reasons == ["still_running", "answer_lost"]
    assert {reply.status_code for reply in replies} == {409}


def test_a_worker_that_dies_again_within_seconds_is_restarted(new_database: NewDatabase, serve: Serve) -> None:
    server = serve("--dataset", f"db={new_database('create table item (id int primary key)')}", "--open", WORKERS="2")

    def children() -> set[int]:
        return set(descendants(server.process.pid))

    for _ in range(3):
        before = children()
        os.kill(max(before), signal.SIGKILL)
        wait_until(lambda: bool(children() - before))  # noqa: B023 - runs in this round
    assert server.process.poll() is None
    wait_until(lambda: httpx2.get(f"{server.url}/api/v2/db/_table/item").status_code == 200)
    assert server.stop() == 0


def test_a_server_without_its_embedded_database_ends_for_its_supervisor(serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    server = serve(cwd=ROOT, DATA_DIR=folder, WORKER="off", WORKERS="1", APP_KEYS="test", DRAIN_SECONDS="0")
    postmaster = int((folder / "postgres" / "data" / "postmaster.pid").read_text().split("\n")[0])
    os.kill(postmaster, signal.SIGKILL)
    assert server.process.wait(60) == 1
    assert "The embedded PostgreSQL has ended. Start tableapi again" in server.log.read_text()
    again = serve(cwd=ROOT, DATA_DIR=folder, WORKER="off", WORKERS="1", APP_KEYS="test")
    assert httpx2.get(f"{again.url}/readyz").status_code == 200
