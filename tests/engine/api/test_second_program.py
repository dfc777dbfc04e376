"""A host program of 70 lines: own callers, a script, a hook, a job and on_write (tests/data/second_program.py)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tableapi import Actor, NotFound, TableAPI, Write
from tableapi.testing import client
from tests.data import second_program
from tests.helpers.support import NewDatabase

BOOKINGS, ADA = "/api/v2/hotel/_table/booking", {"Authorization": "Bearer ada"}


@pytest.fixture
def heard() -> list[Write]:
    return []


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    return new_database(second_program.SCHEMA)


@pytest.fixture
async def api(url: str, heard: list[Write]) -> AsyncIterator[TableAPI]:
    api = second_program.create(url, heard)
    yield api
    await api.stop()


async def test_rejected_writes_are_not_reported_to_on_write(api: TableAPI, heard: list[Write]) -> None:
    async with client(api) as stranger:
        assert (await stranger.get(BOOKINGS)).status_code == 401
        assert (await stranger.get("/api/v2/free?nights=1")).status_code == 401
    async with client(api, headers=ADA) as ada:
        booked = {"resource": [{"room_id": 1, "nights": 32}]}
        assert (await ada.post(BOOKINGS, json=booked)).json()["error"]["context"]["fields"] == {"nights": "At most 31"}
        assert (await ada.post(BOOKINGS, json={"resource": [{"room_id": 9}]})).status_code >= 400
        assert (await ada.post(BOOKINGS, params={"dry_run": "true"}, json=booked)).status_code == 400
        assert (await ada.post("/api/v2/clear")).status_code == 404
        with pytest.raises(NotFound):
            await api.run_job("nothing")
    assert heard == []


async def test_a_booking_reaches_the_listener(api: TableAPI, heard: list[Write]) -> None:
    async with client(api, headers=ADA) as ada:
        assert (await ada.get("/api/v2/free?nights=2")).json() == {"rooms": ["Fjord", "Skog"], "nights": 2}
        await ada.post(BOOKINGS, json={"resource": [{"room_id": 1, "nights": 2}, {"room_id": 2, "nights": 1}]})
        assert (await ada.get("/api/v2/free?nights=2")).json()["rooms"] == []
    [write] = heard
    assert (write.dataset, write.table, write.verb) == ("hotel", "booking", "POST")
    assert write.keys == ({"id": 1}, {"id": 2})
    assert write.actor.guest == "ada"
    async with client(api, actor=Actor("guest", {"guest": "bob"})) as bob:
        assert (await bob.get(BOOKINGS)).json() == {"resource": []}
        assert await api.run_job("clear") == 2
