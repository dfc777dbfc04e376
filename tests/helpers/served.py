"""A database, a server of it, and the address of most requests, shared by the tests of a module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tableapi.server.postgres.server import Embedded
from tests.helpers.support import Serve, Server


class Served:
    """SERVED of a module: the fixtures `url`, `server`, `base`, `http` and `db` of tests/engine are made from it.

    Without an access file everything is open. With a policy, a project is served: `files` are its scripts, and `http`
    has its key and a session token. `under` is the path of `base` and `http` below the dataset, or below the server
    if it begins with a slash. `each` is SQL that runs before each test, `postgres` a server for this module alone.
    """

    def __init__(
        self, sql: str = "", access: Any = None, *words: str, policy: str = "", files: Mapping[str, str] | None = None,
        postgres: Callable[[Path], Embedded] | None = None, dataset: str = "x", under: str = "_table", key: str = "",
        each: str = "", headers: Mapping[str, str] | None = None, timeout: float = 60, **settings: str,
    ) -> None:  # fmt: skip
        self.sql, self.access, self.words, self.policy, self.files = sql, access, words, policy, files or {}
        self.postgres, self.each, self.timeout, self.settings = postgres, each, timeout, settings
        self.dataset = "data" if policy else dataset
        self.path = under.rstrip("/") if under.startswith("/") else f"/api/v2/{self.dataset}/{under}"
        self.headers = {"X-API-Key": key} if key else headers
        if policy:
            self.headers = {"X-API-Key": "k", "X-Session-Token": "token"}

    def start(self, serve: Serve, url: str, folder: Path) -> Server:
        if not self.policy:
            rights = ("--open",) if self.access is None else ()
            words = ("--dataset", f"{self.dataset}={url}", *rights, *self.words)
            return serve(*words, access=self.access, **self.settings)
        for name, text in {"schema.sql": self.sql, "policy.py": self.policy, **self.files}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return serve(cwd=folder, DATABASE_URL=url, APP_KEYS="k", RATE_LIMITS="off", WORKER="off", **self.settings)
