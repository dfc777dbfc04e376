"""/metrics on a real server: every series of the dashboard exists and has the right values."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from product.demo.people import people
from tableapi.observability.metrics_folder import SHARED_MEMORY
from tests.helpers.support import ROOT, NewDatabase, Serve, wait_until

KEY = "test-app-key"
NAME = re.compile(r"\b((?:tableapi|project)_[a-z_]+)")
LABEL = re.compile(r"(\w+)\s*(?:=~|!=|=)\s*\"")
DASHBOARD = json.loads((ROOT / "docs" / "grafana.json").read_text())


def series(text: str) -> dict[str, set[str]]:
    """Return the names of the series and their labels."""
    names: dict[str, set[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, labels = line.partition("{")
            names.setdefault(name.split(" ")[0], set()).update(re.findall(r"(\w+)=\"", labels))
    return names


def test_the_dashboard_uses_existing_metrics(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    server = serve(DEMO="1", DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data", APP_KEYS=KEY, WORKER="off")
    with httpx2.Client(base_url=f"{server.url}/api/v2/", headers={"X-API-Key": KEY}, timeout=20) as http:
        who = {"email": "owner@acme-demo.com", "password": "Demo1234"}
        http.headers["X-Session-Token"] = http.post("user/session", json=who).json()["session_token"]
        rows = http.get("leads/_table/usercontact?limit=1").json()["resource"]
        assert rows
        demo = {"name": "Dan", "email": "dan@dash-buyer.example", "query": "Please"}
        assert http.post("scheduledemoemail", json=demo).status_code == 200
        charged = [
            http.post("getcontact", json={"linkedinurl": url, "type": "directdial", "action": "reveal"}).json()[
                "charged"
            ]
            for url in (f"linkedin.com/{person['profilekey']}" for person in people()[-20:])
        ]
        assert sum(charged) > 0
    used = {
        name for panel in DASHBOARD["panels"] for target in panel["targets"] for name in NAME.findall(target["expr"])
    }

    def metrics() -> str:
        return httpx2.get(f"{server.url}/metrics", timeout=20).text

    wait_until(lambda: used <= series(metrics()).keys())  # workers publish their numbers once a second
    text = metrics()
    there = series(text)
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            names = NAME.findall(target["expr"])
            assert names, target
            for name in names:
                # A counter without an event since the start has no series yet.
                assert name in there, (panel["title"], name)
            labels = set(LABEL.findall(target["expr"]))
            labels |= {
                word.strip() for part in re.findall(r"by \(([^)]*)\)", target["expr"]) for word in part.split(",")
            }
            assert labels <= set.union(*(there[name] for name in names)), (panel["title"], labels)
    spent = sum(float(v) for v in re.findall(r'project_events_total{event="credits_spent",kind="\w+"} (\S+)', text))
    assert spent == sum(charged)
    assert 'tableapi_jobs{job="sendmail",status="queued"} 1' in text
    assert 'tableapi_requests_total{method="POST",route="getcontact",status="200"}' in text
    assert "dan@" not in text


def test_the_counters_are_in_shared_memory_while_the_server_runs(
    serve: Serve, new_database: NewDatabase, tmp_path: Path
) -> None:
    def folders() -> set[Path]:
        return set(SHARED_MEMORY.glob("tableapi-*"))

    before = folders()
    server = serve("--dataset", f"shop={new_database()}", "--open", WORKERS="2")
    ours = folders() - before
    assert len([path for path in ours if path.name.endswith(f"-{urlsplit(server.url).port}")]) == 1
    assert not (tmp_path / "data" / "run" / str(urlsplit(server.url).port) / "metrics").exists()
    wait_until(lambda: "tableapi_workers 2" in httpx2.get(f"{server.url}/metrics", timeout=20).text)
    server.stop()
    assert not [path for path in ours if path.name.endswith(f"-{urlsplit(server.url).port}") and path.exists()]
