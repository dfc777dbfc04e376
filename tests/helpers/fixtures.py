"""Fixtures of the product's tests: one database for all of them, each test with accounts of its own."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from aiosmtpd.controller import Controller

from scripts._shared.settings import Settings
from tableapi.app.pipeline import App
from tableapi.app.served import of_project
from tableapi.server import migrate
from tests.helpers.product import KEY, Account, Postman, World
from tests.helpers.shop import Shop, open_shop
from tests.helpers.support import ROOT, free_port


@pytest.fixture(scope="session")
async def product_url(pg_url: str) -> AsyncIterator[str]:
    """An empty database, dropped at the end; or TEST_PRODUCT_URL, a product's database that was restored."""
    if given := os.environ.get("TEST_PRODUCT_URL"):
        yield given
        return
    name = f"product_{os.getpid()}"
    admin = await asyncpg.connect(pg_url)
    await admin.execute(f"create database {name}")
    yield f"{pg_url.rpartition('/')[0]}/{name}"
    await admin.execute(f"drop database {name} with (force)")
    await admin.close()


@pytest.fixture(scope="session")
async def world(product_url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """The product on a database made by `tableapi init`, with a real SMTP peer."""
    postman, port = Postman([]), free_port()
    settings = Settings(
        database_url=product_url,
        data_dir=tmp_path_factory.mktemp("data"),
        app_keys=(KEY,),
        secret_keys=("a secret for tests",),
        mail_url=f"smtp://127.0.0.1:{port}",
        _env_file=None,
    )
    await migrate.init(settings, ROOT, say=lambda line: None)
    app = App(settings, replace(of_project(ROOT), urls={"leads": product_url}))
    smtp = Controller(postman, hostname="127.0.0.1", port=port)
    smtp.start()
    await app.services.open()
    yield World(app, postman)
    await app.services.close()
    smtp.stop()


@pytest.fixture
async def account(world: World) -> Account:
    """A client with the Business plan."""
    return await world.account()


@pytest.fixture
async def other(world: World) -> Account:
    """Somebody else's client."""
    return await world.account()


@pytest.fixture
async def shop(world: World, tmp_path: Path) -> AsyncIterator[Shop]:
    """The product with a payment sandbox of this test's own. Prices and customers are this sandbox's."""
    await world.db.execute("delete from planprice")
    await world.work()
    async with open_shop(world, tmp_path) as opened:
        yield opened


@pytest.fixture
async def trial(world: World) -> Account:
    """A client on the free plan."""
    return await world.account(planid=1)
