"""`tableapi demo`: serve a sample shop with Studio, to try the API without a database."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack
from typing import Any

from tableapi.app.options import of_any
from tableapi.config.environment import EnvironmentSettings
from tableapi.config.secret_file import kept_secret
from tableapi.server import demo
from tableapi.server.postgres.owner import owned
from tableapi.server.postgres.server import Embedded
from tableapi.server.preflight import check_port
from tableapi.server.serve import serve

WIDTH = 30


def serve_demo(options: dict[str, Any]) -> None:
    """Serve the shop on this machine until SIGINT or SIGTERM. Its database is kept under DATA_DIR/demo."""
    settings = EnvironmentSettings.read({**options, "host": "127.0.0.1"}, make_secrets=False)
    settings = settings.model_copy(update={"rate_limits": False, "data_dir": settings.data_dir / "demo"})
    check_port(settings.host, settings.port)
    with ExitStack() as stack:
        superuser_url = stack.enter_context(Embedded(settings.data_dir / "postgres", durable=False))
        url = asyncio.run(owned(superuser_url, kept_secret(settings.data_dir / "secrets" / "database_password")))
        if asyncio.run(demo.load(url, _show)):
            print(file=sys.stderr)
        serve(settings, of_any([f"{demo.DATASET}={url}"], is_open=True, access=None, key="", host=settings.host))


def _show(done: int, steps: int, name: str) -> None:
    filled = done * WIDTH // steps
    text = f"\rLoading the shop [{'#' * filled}{'.' * (WIDTH - filled)}] {done * 100 // steps:3} %  {name:<20}"
    print(text, end="", file=sys.stderr, flush=True)
