"""What the stand-in remembers: one SQLite file under DATA_DIR, so that several workers and a restart see the same.

Every request is one transaction of it. Objects are JSON, as Stripe would answer them; fields that start with `_` are
the stand-in's own and are never sent.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson
import stripe

from scripts._shared.sandbox.stripe.form import missing

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
    """An object with every field that the official client knows of it, empty but for the given ones."""
    known = [name for name in kind.__annotations__ if name not in ("OBJECT_NAME", "deleted")]
    if unknown := set(fields) - {*known, *(name for name in fields if name.startswith("_"))}:
        raise TypeError(f"{kind.__name__} has no {sorted(unknown)}")
    made: dict[str, Any] = dict.fromkeys(known)
    return made | {"object": kind.OBJECT_NAME, "livemode": False} | fields if "livemode" in made else made | fields


def listed(data: list[Any], url: str, more: bool = False) -> dict[str, Any]:
    """Stripe's list object."""
    return {"object": "list", "data": data, "has_more": more, "url": url}


def public(value: Any) -> Any:
    """A value without the stand-in's own fields."""
    if isinstance(value, dict):
        return {name: public(one) for name, one in value.items() if not name.startswith("_")}
    return [public(one) for one in value] if isinstance(value, list) else value


class State:
    """The objects, inside one transaction."""

    def __init__(self, connection: sqlite3.Connection, request_id: str = "", key: str = "") -> None:
        self._db, self._request = connection, {"id": request_id or None, "idempotency_key": key or None}
        self._at: int | None = None

    # -- time --------------------------------------------------------------------------------------------------------

    def now(self) -> int:
        """Seconds of the stand-in's clock."""
        return self._at if self._at is not None else int(time.time()) + int(self.setting("offset", 0))

    @contextmanager
    def at(self, moment: int) -> Iterator[None]:
        """Do what the clock passed over as of its own moment."""
        before, self._at = self._at, moment
        try:
            yield
        finally:
            self._at = before

    # -- objects -----------------------------------------------------------------------------------------------------

    def new_id(self, prefix: str) -> str:
        # Letters alone: a run of digits could pass for a card number, and a request that holds one is refused.
        return f"{prefix}_{secrets.token_hex(12).translate(_LETTERS)}"

    def find(self, ident: str) -> dict[str, Any] | None:
        row = self._db.execute("select body from object where id = ?", (ident,)).fetchone()
        return None if row is None else orjson.loads(row[0])

    def get(self, kind: str, ident: str, param: str = "id") -> dict[str, Any]:
        """One object; Stripe's 404 when there is none of this kind."""
        row = self._db.execute("select body from object where id = ? and kind = ?", (ident, kind)).fetchone()
        if row is None:
            raise missing(kind, ident, param)
        found: dict[str, Any] = orjson.loads(row[0])
        return found

    def put(self, one: dict[str, Any]) -> dict[str, Any]:
        """Keep an object, new or changed."""
        customer = one.get("customer")
        self._db.execute(
            "insert into object (id, kind, customer, body) values (?, ?, ?, ?)"
            " on conflict (id) do update set body = excluded.body, customer = excluded.customer",
            (one["id"], one["object"], customer if isinstance(customer, str) else None, orjson.dumps(one).decode()),
        )
        return one

    def all(self, kind: str, customer: str = "") -> list[dict[str, Any]]:
        """Newest first, as Stripe lists."""
        sql = "select body from object where kind = ? and (? = '' or customer = ?) order by seq desc"
        return [orjson.loads(row[0]) for row in self._db.execute(sql, (kind, customer, customer))]

    # -- events ------------------------------------------------------------------------------------------------------

    def emit(self, kind: str, one: dict[str, Any], **previous: Any) -> None:
        """Tell what happened: an event with the object as it is now, due at every endpoint."""
        data: dict[str, Any] = {"object": public(one)} | ({"previous_attributes": previous} if previous else {})
        event = blank(
            stripe.Event,
            id=self.new_id("evt"), object="event", api_version=stripe.api_version, created=self.now(), data=data,
            pending_webhooks=1, request=self._request, type=kind,
        )  # fmt: skip
        self.put(event)
        how = DELIVERY | self.setting("delivery", {})
        if how["hold"]:
            return
        for endpoint in self.endpoints():
            for again in range(int(how["repeat"])):
                jitter = secrets.randbelow(2000) / 1000 if how["shuffle"] else again * 0.2
                due = time.time() + float(how["delay"]) + jitter
                self.queue(event["id"], endpoint, due)

    def endpoints(self) -> list[dict[str, Any]]:
        """Where events go: url and secret."""
        made = [one for one in self.all("webhook_endpoint") if one["status"] == "enabled"]
        return [*self.setting("endpoints", []), *({"url": one["url"], "secret": one["_secret"]} for one in made)]

    def move_endpoints(self, hooks: list[dict[str, str]]) -> None:
        """Our own endpoint has another address or secret now; what waits for the old one goes there."""
        for old, new in zip(self.setting("endpoints", []), hooks, strict=False):
            sql = "update delivery set url = ?, secret = ? where done = 0 and url = ?"
            self._db.execute(sql, (new["url"], new["secret"], old["url"]))
        self.set("endpoints", hooks)

    def queue(self, event: str, endpoint: dict[str, Any], due: float) -> None:
        sql = "insert into delivery (event, url, secret, due) values (?, ?, ?, ?)"
        self._db.execute(sql, (event, endpoint["url"], endpoint["secret"], due))

    # -- settings of the stand-in ------------------------------------------------------------------------------------

    def setting(self, name: str, default: Any) -> Any:
        row = self._db.execute("select value from setting where name = ?", (name,)).fetchone()
        return default if row is None else orjson.loads(row[0])

    def set(self, name: str, value: Any) -> None:
        sql = "insert into setting values (?, ?) on conflict (name) do update set value = excluded.value"
        self._db.execute(sql, (name, orjson.dumps(value).decode()))

    # -- idempotency -------------------------------------------------------------------------------------------------

    def answered(self, key: str) -> tuple[str, int, bytes] | None:
        sql = "select request, status, body from answer where key = ? and created > ?"
        row: Any = self._db.execute(sql, (key, time.time() - 86400)).fetchone()
        return None if row is None else (row[0], row[1], row[2])

    def answer(self, key: str, request: str, status: int, body: bytes) -> None:
        sql = "insert or replace into answer values (?, ?, ?, ?, ?)"
        self._db.execute(sql, (key, request, status, body, time.time()))


class Store:
    """The file."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "stripe.sqlite"

    @contextmanager
    def transaction(self, request_id: str = "", key: str = "") -> Iterator[State]:
        """One writer at a time; what raises is undone."""
        if not self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(self._file, timeout=30, isolation_level=None)
        try:
            if not connection.execute("pragma user_version").fetchone()[0]:
                with suppress(sqlite3.OperationalError):  # another worker is at it
                    connection.execute("pragma journal_mode = wal")
                connection.executescript(f"{_SCHEMA}pragma user_version = 1;")
            connection.execute("pragma synchronous = normal")
            connection.execute("begin immediate")
            try:
                yield State(connection, request_id, key)
            except BaseException:
                connection.execute("rollback")
                raise
            connection.execute("commit")
        finally:
            connection.close()

    # -- deliveries --------------------------------------------------------------------------------------------------

    def claim(self) -> list[tuple[int, str, str, str, int]]:
        """Deliveries that are due, now this worker's for a while: (number, event, url, secret, tries)."""
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
        """When the next delivery is due; None when there is none."""
        if not self._file.exists():
            return None
        with self.transaction() as state:
            found: float | None = state._db.execute("select min(due) from delivery where done = 0").fetchone()[0]
            return found
