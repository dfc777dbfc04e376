"""Fixtures of the product's tests: one database for all, with separate accounts for each test."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from aiosmtpd.controller import Controller

from product.settings import Settings
from tableapi.app.features import application
from tableapi.app.options import of_project
from tableapi.ratelimit import counter
from tableapi.server import migrate
from tests.helpers.product import KEY, SECRET, Account, Product, SmtpServer
from tests.helpers.shop import Shop, open_shop
from tests.helpers.support import ROOT, free_port


@pytest.fixture(scope="session")
async def product_url(pg_url: str) -> AsyncIterator[str]:
    """Return the URL of an empty database, or TEST_PRODUCT_URL, a restored database of the product."""
    if url := os.environ.get("TEST_PRODUCT_URL"):
        yield url
        return
    name = f"product_{os.getpid()}"
    admin = await asyncpg.connect(pg_url)
    await admin.execute(f"create database {name}")
    yield f"{pg_url.rpartition('/')[0]}/{name}"
    await admin.execute(f"drop database {name} with (force)")
    await admin.close()


@asynccontextmanager
async def open_product(url: str, data_dir: Path, **more: Any) -> AsyncIterator[Product]:
    """Open the product on an empty database, which `tableapi init` fills, with a real SMTP server.

    `more` are settings.
    """
    smtp, port = SmtpServer([]), free_port()
    settings = Settings(
        database_url=url,
        data_dir=data_dir,
        app_keys=(KEY,),
        secret_keys=(SECRET,),
        mail_url=f"smtp://127.0.0.1:{port}",
        _env_file=None,
        **more,
    )
    await migrate.init(settings, ROOT, say=lambda line: None)
    app = application(settings, replace(of_project(ROOT), urls={"leads": url}))
    controller = Controller(smtp, hostname="127.0.0.1", port=port)
    controller.start()
    await app.state.open()
    try:
        yield Product(app, smtp)
    finally:
        await app.state.close()
        controller.stop()
        await counter.stop()  # callers of the next product have the same addresses


@pytest.fixture(scope="session")
async def product(product_url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Product]:
    """Open the product for the tests of one worker."""
    async with open_product(product_url, tmp_path_factory.mktemp("data")) as product:
        yield product


@pytest.fixture
async def account(product: Product) -> Account:
    """Create a client with the Business plan."""
    return await product.account()


@pytest.fixture
async def other(product: Product) -> Account:
    """Create a client that the caller has no access to."""
    return await product.account()


@pytest.fixture
async def shop(product: Product, tmp_path: Path) -> AsyncIterator[Shop]:
    """Set up a payment sandbox for one test, with its own prices and customers."""
    # What is left of the sandbox of another test, which may become due during this one.
    await product.db.execute("delete from planprice")
    await product.db.execute("delete from pgqueuer where entrypoint = 'stripeevent'")
    await product.db.execute("update client set stripe_custid = null where stripe_custid is not null")
    await product.work()
    async with open_shop(product, tmp_path) as shop:
        yield shop


@pytest.fixture
async def trial(product: Product) -> Account:
    """Create a client on the free plan."""
    return await product.account(planid=1)


@pytest.fixture
def unlimited(product: Product) -> Iterator[Product]:
    """Turn off the general limits, which would otherwise reject requests of some tests."""
    product.app.state.limited = False
    yield product
    product.app.state.limited = True
