"""Option `timezone`: names of zones, and offsets in ISO 8601 notation."""

from __future__ import annotations

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import rejection

SQL = """
create table visit (id integer primary key, at timestamptz);
insert into visit values (1, '2024-03-31 00:30+00'), (2, '2024-03-30 20:00+00');
"""
SERVED = Served(SQL)


@pytest.mark.parametrize(
    ("zone", "at"),
    [
        ("Europe/Oslo", "2024-03-31 01:30:00+01"),
        ("America/St_Johns", "2024-03-30 22:00:00-02:30"),
        ("%2B05:30", "2024-03-31 06:00:00+05:30"),
        ("+05:30", "2024-03-31 06:00:00+05:30"),
        ("05:30", "2024-03-31 06:00:00+05:30"),
        ("%2B5:30", "2024-03-31 06:00:00+05:30"),
        ("%2B0545", "2024-03-31 06:15:00+05:45"),
        ("-03:30", "2024-03-30 21:00:00-03:30"),
        ("-0330", "2024-03-30 21:00:00-03:30"),
        ("%2B02", "2024-03-31 02:30:00+02"),
        ("-03", "2024-03-30 21:30:00-03"),
    ],
)
def test_times_are_returned_in_the_requested_zone(http: httpx.Client, zone: str, at: str) -> None:
    assert http.get(f"/visit/1?timezone={zone}").json() == {"id": 1, "at": at}
    days = http.get(f"/visit?timezone={zone}&group=DAY(at)&fields=DAY(at) AS day,MAX(id) AS last&order=day").json()
    assert days["resource"][-1]["day"] == at[:10]


@pytest.mark.parametrize("zone", ["Nowhere/Land", "-12:60", "x'"])
def test_unknown_time_zone_is_rejected(http: httpx.Client, zone: str) -> None:
    refused = http.get(f"/visit/1?timezone={zone}")
    assert rejection(refused) == (400, "unknown_timezone")


def test_the_zone_of_a_step_ends_with_it(http: httpx.Client) -> None:
    reads = [{"path": "_table/visit/1", "query": query} for query in ({}, {"timezone": "Asia/Tokyo"}, {})]
    write = {
        "method": "PATCH",
        "path": "_table/visit/1",
        "query": {"fields": "at"},
        "body": {"id": 1, "at": "2024-01-01 00:00"},
    }
    steps = [
        *reads,
        write,
        reads[1],
        {"method": "DELETE", "path": "_table/visit", "query": {"filter": "DAY(at) = 2024-01-01"}},
    ]
    url = str(http.base_url).replace("/_table", "/_batch")
    response = httpx.post(url, json={"requests": steps, "dry_run": True})
    bodies = [one["body"] for one in response.json()["responses"]]
    assert [body.get("at") for body in bodies[:5]] == [
        "2024-03-31 00:30:00+00", "2024-03-31 09:30:00+09", "2024-03-31 00:30:00+00", "2024-01-01 00:00:00+00",
        "2024-01-01 09:00:00+09",
    ]  # fmt: skip
    assert bodies[5] == {"resource": [{"id": 1}]}
