"""The pages for a customer's developer run on the demo with a test key and return what they show."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from tableapi import WebhookEvent
from tableapi.webhooks.sender import WebhookSender
from tests.docs import pages
from tests.docs.test_examples import Page, run
from tests.helpers.support import ROOT, Serve, clean_environment, free_port

PAGES = re.findall(r'"(use/[\w-]+\.md)"', (ROOT / "zensical.toml").read_text())
KEY = "test-app-key"
SCOPES = ["lookup", "enrich", "search", "contacts", "usage"]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # of the specification's own example


@pytest.fixture(scope="module")
def served(module_serve: Serve, module_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    data = tmp_path_factory.mktemp("demo") / "data"
    return module_serve(DEMO="1", DATABASE_URL=module_database(), DATA_DIR=data, APP_KEYS=KEY).url


@pytest.fixture(scope="module")
def key(served: str) -> str:
    with httpx2.Client(base_url=f"{served}/api/v2/", headers={"X-API-Key": KEY}, timeout=60) as http:
        sign_in = {"email": "owner@acme-demo.com", "password": "Demo1234"}
        token = http.post("user/session", json=sign_in).raise_for_status().json()["session_token"]
        record = {"purpose": "Documentation", "scopes": SCOPES, "istest": 1}
        created = http.post("leads/_table/apikeys", json={"resource": [record]}, headers={"X-Session-Token": token})
    return str(created.raise_for_status().json()["resource"][0]["apikey"])


@pytest.fixture
def page(tmp_path: Path, served: str, key: str) -> Iterator[Page]:
    example = Page(tmp_path, "", "")
    example.port = int(served.rpartition(":")[2])
    example.environment |= {"API_KEY": key}
    yield example
    example.stack.close()


def test_every_page_is_in_the_navigation() -> None:
    assert {f"use/{path.name}" for path in (pages.DOCS / "use").glob("*.md")} == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_return_what_the_page_shows(name: str, page: Page) -> None:
    run(page, name, pages.read(name))


async def _send(url: str, event: WebhookEvent, secret: str) -> int | None:
    sender = WebhookSender(url, secret, private=True, seconds=10, connections=1)
    try:
        return (await sender.send(event)).status
    finally:
        await sender.close()


@pytest.mark.parametrize(("title", "program"), [("receiver.py", sys.executable), ("receiver.mjs", "node")])
def test_the_receivers_accept_genuine_events_only(title: str, program: str, tmp_path: Path) -> None:
    (fence,) = [fence for fence in pages.fences(pages.read("use/webhooks.md")) if fence.title == title]
    (tmp_path / title).write_text(fence.text)
    port = free_port()
    node = subprocess.run([ROOT / "tools" / "node"], capture_output=True, text=True, check=True).stdout.strip()
    environment = clean_environment(WEBHOOK_SECRET=SECRET, RECEIVER_PORT=str(port))
    environment["PATH"] = f"{node}:{environment['PATH']}"
    url, words = f"http://127.0.0.1:{port}/hooks", [program, title]
    event = WebhookEvent("evt_1", "contact.revealed", "2026-01-01T00:00:00Z", "{}", '{"contactid":7}')
    old = {"webhook-id": "evt_1", "webhook-timestamp": "1767182400", "webhook-signature": "v1,x"}
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as running:
        try:
            with httpx2.Client(transport=httpx2.HTTPTransport(retries=8)) as http:  # until it listens
                assert http.post(url, content=b"{}").status_code == 400
                assert http.post(url, content=event.body(), headers=old).status_code == 400
            assert asyncio.run(_send(url, event, SECRET)) == 204
            assert asyncio.run(_send(url, event, "whsec_AAAAr8GKYqrTwjUPD8ILPZIo2LaLaSw=")) == 400
        finally:
            running.terminate()
        assert running.stdout is not None
        printed = running.stdout.read()
    assert printed.count("contact.revealed") == 1
    assert "7" in printed
