"""Serve a second project with its own tables, settings, vendor, call and job."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue

import httpx2
import pytest

from tests.helpers.support import DATA, PATIENCE, NewDatabase, Serve, Server, rejection, tableapi

PROJECT = DATA / "second_project"


@pytest.fixture
def pager() -> Iterator[tuple[str, Queue[str]]]:
    """Run an HTTP server for pages, and return its URL and what it received."""
    pages: Queue[str] = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            pages.put(self.rfile.read(int(self.headers["content-length"])).decode())
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", pages
    server.shutdown()
    server.server_close()


@pytest.fixture
def hotel(serve: Serve, new_database: NewDatabase, pager: tuple[str, Queue[str]]) -> Server:
    """Serve the project on its own database."""
    return serve(cwd=PROJECT, PYTHONPATH="", DATABASE_URL=new_database(), PAGER_URL=pager[0], APP_KEYS="key")


def _client(hotel: Server, token: str = "", key: str = "key") -> httpx2.Client:
    headers = {"X-API-Key": key} | ({"X-Session-Token": token} if token else {})
    return httpx2.Client(base_url=f"{hotel.url}/api/v2/", headers=headers, timeout=PATIENCE)


def test_the_policy_of_the_project_is_enforced(hotel: Server) -> None:
    with _client(hotel) as anyone, _client(hotel, key="") as stranger, _client(hotel, "ada") as ada:
        assert stranger.get("hotel/_table/room").status_code == 401
        assert anyone.get("hotel/_table/booking").status_code == 401
        assert anyone.post("reserve", json={"roomid": 1, "day": "2027-01-01"}).status_code == 401
        assert ada.get("hotel/_table/guest").status_code == 404
        assert ada.post("hotel/_table/booking", json={"resource": [{"roomid": 1}]}).status_code == 403
        assert [room["name"] for room in anyone.get("hotel/_table/room").json()["resource"]] == ["Oslo", "Bergen"]


def test_its_call_its_job_and_its_vendor_run(hotel: Server, pager: tuple[str, Queue[str]]) -> None:
    with _client(hotel, "ada") as ada, _client(hotel, "bob") as bob:
        booked = ada.post("reserve", json={"roomid": 1, "day": "2027-01-01"})
        taken = bob.post("reserve", json={"roomid": 1, "day": "2027-01-01"})

        assert (booked.status_code, booked.json()) == (200, {"bookingid": 1})
        assert rejection(taken) == (409, "room_taken")
        assert pager[1].get(timeout=PATIENCE) == "room 1 on 2027-01-01"
        assert [row["bookingid"] for row in ada.get("hotel/_table/booking").json()["resource"]] == [1]
        assert bob.get("hotel/_table/booking").json() == {"resource": []}


def test_the_project_has_separate_settings_and_checks(hotel: Server) -> None:
    with _client(hotel) as anyone:
        config = anyone.get("config").json()
        assert config["dataset"] == "hotel"
        assert "stripepublishablekey" not in config
        assert anyone.get("_spec").json()["info"]["title"] == "Hotel"
        assert anyone.post("getcontact", json={}).status_code == 404

    checked = tableapi("check", cwd=PROJECT, PYTHONPATH="")
    assert "PAGER_URL is missing" in checked.stdout
    assert "STRIPE" not in checked.stdout + checked.stderr
