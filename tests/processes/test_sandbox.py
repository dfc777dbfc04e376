"""The sandboxes of the demo: the mailbox and a sign-in provider. Without DEMO their URLs do not exist."""

from __future__ import annotations

import time
from urllib.parse import parse_qs, urlsplit

import httpx2

from tests.helpers.support import PATIENCE, NewDatabase, Serve, ok

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
