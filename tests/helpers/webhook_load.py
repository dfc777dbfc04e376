"""Changes at a fixed rate, and what the receivers of their webhooks must have got: each event, in order per record."""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import asyncpg

from tests.helpers.webhooks import Receiver

SCHEMA = "create table orders (id integer primary key, number integer not null);"
PER_TRANSACTION = 10


class Event(NamedTuple):
    """A change of one record. `number` counts the changes of all records, so each event differs."""

    type: str
    number: int


@dataclass
class Changes:
    """The committed changes of each record in order, and when each was committed (`time.monotonic`)."""

    of_record: dict[int, list[Event]] = field(default_factory=lambda: defaultdict(list))
    committed: dict[Event, float] = field(default_factory=dict)
    commit_seconds: list[float] = field(default_factory=list)
    seconds: float = 0.0

    async def make(self, url: str, *, records: int, per_second: int, seconds: float) -> None:
        """Create, change and delete random records at this rate. A transaction that is late is made at once."""
        chance, stored, number = random.Random(7), dict[int, int](), 0
        db = await asyncpg.connect(url)
        try:
            began = time.monotonic()
            for turn in range(round(per_second * seconds / PER_TRANSACTION)):
                await asyncio.sleep(max(0.0, began + turn * PER_TRANSACTION / per_second - time.monotonic()))
                statements, made = [], list[tuple[int, Event]]()
                for _ in range(PER_TRANSACTION):
                    record, number = chance.randrange(records), number + 1
                    if record not in stored:
                        statements.append(f"insert into orders values ({record}, {number})")
                        made.append((record, Event("orders.created", number)))
                    elif chance.random() < 0.1:
                        statements.append(f"delete from orders where id = {record}")
                        made.append((record, Event("orders.deleted", stored.pop(record))))
                        continue
                    else:
                        statements.append(f"update orders set number = {number} where id = {record}")
                        made.append((record, Event("orders.updated", number)))
                    stored[record] = number
                sent = time.monotonic()
                await db.execute("; ".join(statements))  # one implicit transaction
                now = time.monotonic()
                self.commit_seconds.append(now - sent)
                for record, event in made:
                    self.of_record[record].append(event)
                    self.committed[event] = now
            self.seconds = time.monotonic() - began
        finally:
            await db.close()

    def wrong(self, receiver: Receiver) -> list[str]:
        """Describe the records of which a receiver got other events, or in another order; an event may come again."""
        got: dict[int, list[Event]] = defaultdict(list)
        for request in receiver.delivered:
            got[request.data["key"]["id"]].append(_event(request.json))
        return [
            f"record {record}: {len(expected)} events, got {[event for event, _ in groupby(got[record])]}"
            for record, expected in self.of_record.items()
            if [event for event, _ in groupby(got[record])] != expected
        ]

    def complete(self, receiver: Receiver) -> bool:
        """Return whether a receiver got every event, in order per record."""
        return not self.wrong(receiver)

    def waited(self, receiver: Receiver) -> list[float]:
        """Return the seconds from the commit of each event to its first arrival, in the order of the commits."""
        arrived: dict[Event, float] = {}
        for request in receiver.received:
            arrived.setdefault(_event(request.json), request.arrived)
        return [arrived[event] - committed for event, committed in self.committed.items() if event in arrived]


def _event(body: dict[str, object]) -> Event:
    data = body["data"]
    assert isinstance(data, dict)
    return Event(str(body["type"]), int(data["record"]["number"]))


def part(values: Sequence[float], share: float) -> float:
    """Return the value below which this share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
