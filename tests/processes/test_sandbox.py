"""The sandbox of the product, and the sample shop of `tableapi demo`."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2

from tests.helpers.support import PATIENCE, NewDatabase, Serve, clean_environment, descendants, free_port, ok, tableapi

KEY = {"X-API-Key": "k"}
PATHS = ("/sandbox/mail", "/sandbox/mail/x", "/sandbox/oidc/google/.well-known/openid-configuration")


def first_mail(browser: httpx2.Client) -> dict[str, str]:
    """Return the newest mail, as soon as there is one."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if mails := browser.get("/sandbox/mail", headers={"Accept": "application/json"}).json():
            return dict(mails[0])
        time.sleep(0.1)
    raise AssertionError("no mail came")


def test_mailbox_and_social_sign_in(new_database: NewDatabase, serve: Serve) -> None:
    server = serve(DATABASE_URL=new_database(), DEMO="1", APP_KEYS="k")
    with httpx2.Client(base_url=server.url, headers=KEY, timeout=20) as browser:
        assert "No mail was sent yet." in browser.get("/sandbox/mail").text
        browser.post("/api/v2/user/password?reset=true", json={"email": "owner@acme-demo.com"})
        assert "/resetpassword" in first_mail(browser)["text"]
        preview = browser.get("/sandbox/mail").text
        assert "…" in preview
        assert "://" not in preview.partition("<ul>")[2]
        url = browser.post("/api/v2/socialstart", json={"provider": "google"}).json()["url"]
        assert "SANDBOX" in browser.get(url).text
        back = browser.post(url, data={"email": "owner@acme-demo.com", "name": "Olivia", "verified": "1"})
        assert back.status_code == 303
        target = urlsplit(back.headers["location"])
        query = {name: values[0] for name, values in parse_qs(target.query).items()}
        query["redirect_uri"] = f"{target.scheme}://{target.netloc}{target.path}"
        ticket = browser.post("/api/v2/google_accesstoken", json=query)
        details = browser.post("/api/v2/google_userdetails", json=ok(ticket)).json()
        assert (details["email"], details["action"]) == ("owner@acme-demo.com", "login")
        record = {"type": "social", "proof": details["proof"]}
        entered = browser.post("/api/v2/leads/_table/client", json={"resource": [record]}).json()["resource"][0]
        session = browser.get("/api/v2/user/session", headers={"X-Session-Token": entered["session_token"]}).json()
        assert session["email"] == "owner@acme-demo.com"
        for change in ({"client_id": "other"}, {"redirect_uri": "https://evil.example/"}, {"code_challenge": ""}):
            asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()} | change
            assert browser.get("/sandbox/oidc/google/authorization", params=asked).status_code == 400


def test_without_demo_there_is_no_sandbox(new_database: NewDatabase, serve: Serve) -> None:
    server = serve(DATABASE_URL=new_database(), APP_KEYS="k")
    with httpx2.Client(base_url=server.url, headers=KEY) as browser:
        assert [browser.get(path).status_code for path in PATHS] == [404] * len(PATHS)
        refused = browser.post("/api/v2/socialstart", json={"provider": "google"})
        assert refused.json()["error"]["context"]["reason"] == "not_set_up"


def test_the_demo_serves_its_shop_and_stops_what_it_started(tmp_path: Path) -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "tableapi", "demo", "--port", str(port)], cwd=tmp_path, text=True,
        env=clean_environment(DATA_DIR=tmp_path / "data", WORKERS="1"), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        told = ""
        for line in process.stdout:
            told += line
            if line.rstrip().endswith("Ctrl-C."):
                break
        studio = re.search(r"Studio +(\S+)", told)
        assert studio is not None, told
        with urllib.request.urlopen(studio[1], timeout=30) as page:
            assert page.status == 200
        api = f"http://127.0.0.1:{port}/api/v2/shop"
        with urllib.request.urlopen(f"{api}/_table/purchase?include_count=true&count_only=true", timeout=30) as count:
            assert count.read() == b"140000"
        children = descendants(process.pid)
        assert children
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
    assert not [child for child in children if Path(f"/proc/{child}/exe").exists()]
    assert (tmp_path / "data" / "demo" / "postgres").is_dir()


def test_a_port_in_use_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = tableapi("demo", "--port", str(port), cwd=tmp_path, DATA_DIR=tmp_path / "data")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert str(port) in refused.stderr
