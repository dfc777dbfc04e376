"""Store the state of the stand-in in one SQLite file under DATA_DIR.

Each request is one transaction. Objects are JSON in the form that Stripe returns; fields that start with `_` are
internal and never sent.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
import stripe

from sandbox.stripe.form import missing

_EMBEDDED, MAX_EMBEDDED = {"invoice": "lines", "subscription": "items"}, 10
_SCHEMA = """
create table if not exists object (
    seq integer primary key autoincrement, id text not null unique, kind text not null, customer text, body text not null
);
create index if not exists object_kind on object (kind, customer, seq);
create table if not exists answer (
    key text primary key, request text not null, status integer not null, body blob not null, created real not null
);
create table if not exists delivery (
    seq integer primary key autoincrement, event text not null, url text not null, secret text not null,
    due real not null, tries integer not null default 0, done integer not null default 0
);
create index if not exists delivery_due on delivery (done, due);
create table if not exists setting (name text primary key, value text not null);
"""
_LETTERS = str.maketrans("0123456789", "ghjkmnpqrs")
DELIVERY = {"repeat": 1, "delay": 0.0, "hold": False, "shuffle": False}


def blank(kind: Any, **fields: Any) -> dict[str, Any]:
    """Return an object with every field of the official client's type, null except for the given ones."""
    known = [name for name in kind.__annotations__ if name not in ("OBJECT_NAME", "deleted")]
    if unknown := set(fields) - {*known, *(name for name in fields if name.startswith("_"))}:
        raise TypeError(f"{kind.__name__} has no {sorted(unknown)}")
    empty: dict[str, Any] = dict.fromkeys(known)
    return empty | {"object": kind.OBJECT_NAME, "livemode": False} | fields if "livemode" in empty else empty | fields


def listed(data: list[Any], url: str, more: bool = False) -> dict[str, Any]:
    """Return a list object of Stripe."""
    return {"object": "list", "data": data, "has_more": more, "url": url}


def public(value: Any) -> Any:
    """Return a JSON value as it is sent: without internal fields, and with embedded lists cut."""
    if isinstance(value, dict):
        sent = {name: public(item) for name, item in value.items() if not name.startswith("_")}
        field = _EMBEDDED.get(str(sent.get("object")), "")
        if field and len(sent[field]["data"]) > MAX_EMBEDDED:
            sent[field] |= {"data": sent[field]["data"][:MAX_EMBEDDED], "has_more": True}
        return sent
    return [public(item) for item in value] if isinstance(value, list) else value


class State:
    """The state, inside one transaction."""

    def __init__(self, connection: sqlite3.Connection, request_id: str = "", key: str = "") -> None:
        self._db, self._request = connection, {"id": request_id or None, "idempotency_key": key or None}
        self._at: int | None = None

    # -- time --------------------------------------------------------------------------------------------------------

    def now(self) -> int:
        """Return the time of the stand-in's clock, in seconds since 1970."""
        return self._at if self._at is not None else int(time.time()) + int(self.setting("offset", 0))

    @contextmanager
    def at(self, moment: int) -> Iterator[None]:
        """Set the clock to a moment while the block runs."""
        before, self._at = self._at, moment
        try:
            yield
        finally:
            self._at = before

    # -- objects -----------------------------------------------------------------------------------------------------

    def new_id(self, prefix: str) -> str:
        # Letters only: a run of digits could look like a card number, and requests with card numbers are rejected.
        return f"{prefix}_{secrets.token_hex(12).translate(_LETTERS)}"

    def find(self, ident: str) -> dict[str, Any] | None:
        row = self._db.execute("select body from object where id = ?", (ident,)).fetchone()
        return None if row is None else orjson.loads(row[0])

    def get(self, kind: str, ident: str, param: str = "id") -> dict[str, Any]:
        """Return an object; raise Stripe's 404 if there is none of this kind."""
        row = self._db.execute("select body from object where id = ? and kind = ?", (ident, kind)).fetchone()
        if row is None:
            raise missing(kind, ident, param)
        obj: dict[str, Any] = orjson.loads(row[0])
        return obj

    def put(self, obj: dict[str, Any]) -> dict[str, Any]:
        """Insert or replace an object."""
        customer = obj.get("customer")
        self._db.execute(
            "insert into object (id, kind, customer, body) values (?, ?, ?, ?)"
            " on conflict (id) do update set body = excluded.body, customer = excluded.customer",
            (obj["id"], obj["object"], customer if isinstance(customer, str) else None, orjson.dumps(obj).decode()),
        )
        return obj

    def all(self, kind: str, customer: str = "") -> list[dict[str, Any]]:
        """Return all objects of a kind, newest first, as Stripe lists them."""
        sql = "select body from object where kind = ? and (? = '' or customer = ?) order by seq desc"
        return [orjson.loads(row[0]) for row in self._db.execute(sql, (kind, customer, customer))]

    # -- events ------------------------------------------------------------------------------------------------------

    def emit(self, kind: str, obj: dict[str, Any], **previous: Any) -> None:
        """Create an event with the present state of an object, and queue it for every endpoint."""
        data: dict[str, Any] = {"object": public(obj)} | ({"previous_attributes": previous} if previous else {})
        event = blank(
            stripe.Event,
            id=self.new_id("evt"), object="event", api_version=stripe.api_version, created=self.now(), data=data,
            pending_webhooks=1, request=self._request, type=kind,
        )  # fmt: skip
        self.put(event)
        delivery = DELIVERY | self.setting("delivery", {})
        if delivery["hold"]:
            return
        for endpoint in self.endpoints():
            for again in range(int(delivery["repeat"])):
                jitter = secrets.randbelow(2000) / 1000 if delivery["shuffle"] else again * 0.2
                due = time.time() + float(delivery["delay"]) + jitter
                self.queue(event["id"], endpoint, due)

    def endpoints(self) -> list[dict[str, Any]]:
        """Return url and secret of every webhook endpoint."""
        enabled = [endpoint for endpoint in self.all("webhook_endpoint") if endpoint["status"] == "enabled"]
        return [
            *self.setting("endpoints", []),
            *({"url": endpoint["url"], "secret": endpoint["_secret"]} for endpoint in enabled),
        ]

    def move_endpoints(self, hooks: list[dict[str, str]]) -> None:
        """Change the endpoints of the installation, and redirect undelivered events to them."""
        for old, new in zip(self.setting("endpoints", []), hooks, strict=False):
            sql = "update delivery set url = ?, secret = ? where done = 0 and url = ?"
            self._db.execute(sql, (new["url"], new["secret"], old["url"]))
        self.set("endpoints", hooks)

    def queue(self, event: str, endpoint: dict[str, Any], due: float) -> None:
        sql = "insert into delivery (event, url, secret, due) values (?, ?, ?, ?)"
        self._db.execute(sql, (event, endpoint["url"], endpoint["secret"], due))

    # -- settings ------------------------------------------------------------------------------------------------------

    def setting(self, name: str, default: Any) -> Any:
        row = self._db.execute("select value from setting where name = ?", (name,)).fetchone()
        return default if row is None else orjson.loads(row[0])

    def set(self, name: str, value: Any) -> None:
        sql = "insert into setting values (?, ?) on conflict (name) do update set value = excluded.value"
        self._db.execute(sql, (name, orjson.dumps(value).decode()))

    # -- idempotency -------------------------------------------------------------------------------------------------

    def kept_response(self, key: str) -> tuple[str, int, bytes] | None:
        sql = "select request, status, body from answer where key = ? and created > ?"
        row: Any = self._db.execute(sql, (key, time.time() - 86400)).fetchone()
        return None if row is None else (row[0], row[1], row[2])

    def keep_response(self, key: str, request: str, status: int, body: bytes) -> None:
        sql = "insert or replace into answer values (?, ?, ?, ?, ?)"
        self._db.execute(sql, (key, request, status, body, time.time()))


class Store:
    """The SQLite file."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "stripe.sqlite"
        self._kept: sqlite3.Connection | None = None
        self._keeping = threading.Lock()

    @contextmanager
    def transaction(self, request_id: str = "", key: str = "") -> Iterator[State]:
        """Run a transaction with exclusive write access; an exception rolls it back."""
        if not self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self._file, timeout=30, isolation_level=None)
        try:
            if not connection.execute("pragma user_version").fetchone()[0]:
                with suppress(sqlite3.OperationalError):  # another worker sets it at the same time
                    connection.execute("pragma journal_mode = wal")
                connection.executescript(f"{_SCHEMA}pragma user_version = 1;")
            connection.execute("pragma synchronous = normal")
            self._keep_open()
            connection.execute("begin immediate")
            try:
                yield State(connection, request_id, key)
            except BaseException:
                connection.execute("rollback")
                raise
            connection.execute("commit")
        finally:
            connection.close()

    def _keep_open(self) -> None:
        """Hold an idle connection.

        When the last one closes, SQLite moves its log into the file, which takes 25 ms.
        """
        with self._keeping:
            if self._kept is None:
                self._kept = sqlite3.connect(self._file, check_same_thread=False)
                self._kept.execute("select 1 from setting").fetchall()  # opens the log
                weakref.finalize(self, self._kept.close)

    # -- deliveries --------------------------------------------------------------------------------------------------

    def claim(self) -> list[tuple[int, str, str, str, int]]:
        """Claim the due deliveries for 15 seconds and return them as (number, event, url, secret, tries)."""
        if not self._file.exists():
            return []
        with self.transaction() as state:
            now = time.time()
            rows = state._db.execute(
                "update delivery set due = ?, tries = tries + 1 where seq in"
                " (select seq from delivery where done = 0 and due <= ? order by due, seq limit 20)"
                " returning seq, event, url, secret, tries",
                (now + 15, now),
            ).fetchall()
        return sorted(rows)

    def settle(self, number: int, done: bool, due: float = 0.0) -> None:
        with self.transaction() as state:
            state._db.execute("update delivery set done = ?, due = ? where seq = ?", (int(done), due, number))

    def next_due(self) -> float | None:
        """Return when the next delivery is due, or None."""
        if not self._file.exists():
            return None
        with self.transaction() as state:
            due: float | None = state._db.execute("select min(due) from delivery where done = 0").fetchone()[0]
            return due
