"""The sign-in of agents: metadata, registration, consent, tokens, scopes, refresh, revocation."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from product.accounts import passwords
from product.authorization import clients
from tests.helpers.agents import ACCEPTED, call
from tests.helpers.names import resolve
from tests.helpers.oauth import AUTHORIZE, REDIRECT, OAuthClient, answer_of, challenge_of, consent, signed_in
from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.support import rejection

ALL = "read write delete reveal"
pytestmark = pytest.mark.usefixtures("agents")


async def events(product: Product, account: Account) -> list[str]:
    rows = await product.db.fetch("select event from auditlog where clientid = $1 order by auditid", account.clientid)
    return [row["event"] for row in rows]


# -- a client by the letter of the RFCs --------------------------------------------------------------------------------


async def test_a_client_can_sign_in_widen_its_scope_refresh_and_be_revoked(product: Product, account: Account) -> None:
    owner = account.owner
    async with product.caller(key="") as http:
        client = OAuthClient(http)
        scope = await client.discover()
        assert scope == "read"
        assert client.resource["scopes_supported"] == ["read", "write", "delete", "reveal"]
        assert (await client.register()).json()["token_endpoint_auth_method"] == "none"
        request = client.request(scope)
        described = (await owner.http.get(AUTHORIZE, params=request)).json()
        assert described["name"] == "Test assistant"
        assert (described["answered"], described["scopes"], described["redirect"]) == ("127.0.0.1:33418", ["read"], "")
        assert (await client.redeem(client.code(await consent(owner, request, "read")))).status_code == 200
        assert client.tokens["scope"] == "read"
        rows = await client.call("query", {"table": "client", "fields": ["clientid"]})
        assert json.loads(rows.json()["result"]["content"][-1]["text"])["rows"] == [[account.clientid]]

        change = {"table": "client", "records": [{"clientid": account.clientid, "companyname": "By an agent"}]}
        refused = await client.call("update_records", change)
        challenge = dict(re.findall(r'(\w+)="([^"]*)"', refused.headers["www-authenticate"]))
        assert (refused.status_code, challenge["error"], challenge["scope"]) == (403, "insufficient_scope", "write")
        await signed_in(client, owner, f"{client.tokens['scope']} {challenge['scope']}")
        assert (await client.call("update_records", change)).json()["result"]["isError"] is False

        old = dict(client.tokens)
        assert (await client.refresh()).status_code == 200
        assert client.tokens["access_token"] != old["access_token"]
        assert client.tokens["refresh_token"] != old["refresh_token"]
        assert (await client.call("query", {"table": "client"})).status_code == 200

        assert (await client.revoke(client.tokens["access_token"])).status_code == 200
        ended = await client.call("query", {"table": "client"})
        assert ended.status_code == 401
        assert 'error="invalid_token"' in ended.headers["www-authenticate"]
        assert (await client.refresh()).json()["error"] == "invalid_grant"
    found = await events(product, account)
    assert found.count("agent_allowed") == 2
    assert "agent_ended" in found


async def test_the_client_of_the_sdk_uses_a_token(agents: Any, account: Account, client: OAuthClient) -> None:
    await signed_in(client, account.owner)
    bearer = f"Bearer {client.tokens['access_token']}"
    async with agents(key="", Authorization=bearer) as connected:
        assert (await connected.result("query", table="client", fields=["clientid"]))["rows"]
        assert "getcontact" in (await connected.tools())["call_script"].description


# -- consent -----------------------------------------------------------------------------------------------------------


async def test_only_a_signed_in_user_can_allow(product: Product, account: Account, client: OAuthClient) -> None:
    request = client.request("read")
    for token, key in (("", ""), ("", "test-app-key"), ("wrong", "test-app-key")):
        async with product.caller(token, key) as http:
            assert (await http.get(AUTHORIZE, params=request)).status_code == 401
            assert (await http.post(AUTHORIZE, json={**request, "allow": True})).status_code == 401
    unverified = await account.user(isverified=0)
    response = await unverified.http.post(AUTHORIZE, json={**request, "allow": True, "scopes": ["read"]})
    assert response.status_code == 403


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"client_id": "unknown"}, "bad_client"),
        ({"redirect_uri": "https://other.example/callback"}, "bad_client"),
        ({"redirect_uri": "http://127.0.0.1:33418/other"}, "bad_client"),
        ({"redirect_uri": "http://127.0.0.1@evil.example/callback"}, "bad_client"),
        ({"redirect_uri": "http://localhost:33418/callback"}, "bad_client"),
        ({"client_id": ""}, "bad_client"),
    ],
)
async def test_nothing_is_sent_to_a_foreign_redirect_uri(
    account: Account, client: OAuthClient, changes: dict[str, str], reason: str
) -> None:
    request = client.request("read", **changes)
    for response in (
        await account.owner.http.get(AUTHORIZE, params=request),
        await account.owner.http.post(AUTHORIZE, json={**request, "allow": True, "scopes": ["read"]}),
    ):
        assert rejection(response) == (400, reason)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": ""}, "invalid_request"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
    ],
)
async def test_an_invalid_request_is_reported_to_the_client(
    account: Account, client: OAuthClient, changes: dict[str, str], error: str
) -> None:
    request = client.request("read", **changes)
    described = (await account.owner.http.get(AUTHORIZE, params=request)).json()["redirect"]
    for redirect in (described, await consent(account.owner, request, "read")):
        assert redirect.startswith(REDIRECT)
        values = answer_of(redirect)
        assert (values["error"], values["state"]) == (error, client.state)
        assert "code" not in values


async def test_a_user_can_deny_or_reduce_scopes(product: Product, account: Account, client: OAuthClient) -> None:
    request = client.request("read write reveal openid")
    for redirect in (
        await consent(account.owner, request, "read", allow=False),
        await consent(account.owner, request),
        await consent(account.owner, request, "delete"),  # the client did not ask for it
    ):
        assert answer_of(redirect)["error"] == "access_denied"
    code = client.code(await consent(account.owner, request, "read", "delete"))
    assert (await client.redeem(code)).json()["scope"] == "read"
    assert "agent_refused" in await events(product, account)


async def test_a_loopback_redirect_uri_may_use_any_port(account: Account, client: OAuthClient) -> None:
    client.redirect = "http://127.0.0.1:50123/callback"
    await signed_in(client, account.owner)


# -- registration ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uris",
    [
        [],
        ["javascript:alert(1)"],
        ["data:text/html,x"],
        ["http://example.com/callback"],
        ["https://user@example.com/"],
        ["http://user:word@127.0.0.1/"],
        ["vendor.app://user@callback"],
        ["http://example.com\\@127.0.0.1/callback"],
        ["https://shown.example\\.other.example/"],
        ["https://example.com/#part"],
        ["https://"],
        ["//example.com"],
        ["not an address"],
        ["http://127.0.0.1:99999999/"],
        ["https://example.com/\u0000"],
        ["https://example.com/"] * 11,
        [7],
        "https://example.com/",
    ],
)
async def test_invalid_redirect_uris_are_rejected(client: OAuthClient, uris: Any) -> None:
    response = await client.register(redirect_uris=uris)
    assert response.status_code == 400, response.text
    assert response.json()["error"] in ("invalid_redirect_uri", "invalid_client_metadata")


@pytest.mark.parametrize(
    "scheme",
    [
        "mailto",
        "tel",
        "sms",
        "ftp",
        "ws",
        "wss",
        "ms-settings",
        "ms-msdt",
        "search-ms",
        "shell",
        "intent",
        "chrome",
        "blob",
        "x",
    ],
)
async def test_a_redirect_uri_of_a_scheme_of_the_system_is_rejected(client: OAuthClient, scheme: str) -> None:
    for uri in (f"{scheme}:x", f"{scheme}://x/y", f"{scheme.upper()}:x"):
        response = await client.register(redirect_uris=[uri])
        assert (response.status_code, response.json()["error"]) == (400, "invalid_redirect_uri"), uri


@pytest.mark.parametrize(
    "uri", ["com.example.app:/callback", "vscode://publisher.name/callback", "cursor://x/callback"]
)
async def test_a_scheme_of_a_program_is_a_redirect_uri(client: OAuthClient, uri: str) -> None:
    response = await client.register(redirect_uris=[uri])
    assert (response.status_code, response.json()["redirect_uris"]) == (201, [uri])


async def test_unused_registrations_end_after_an_hour_and_make_room(
    product: Product, account: Account, client: OAuthClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await signed_in(client, account.owner)
    kept = client.clientid
    await client.register()
    lifetime = "select expireson - createdon < interval '61 minutes' from oauthclient where oauthclientid = $1"
    assert await product.db.fetchval(lifetime, client.clientid)
    first = client.clientid
    others = "update oauthclient set expireson = now() + interval '30 days' where not oauthclientid = any($1)"
    await product.db.execute(others, [kept, first])
    most = await product.db.fetchval("select count(*) from oauthclient")
    monkeypatch.setattr(clients, "MAX_CLIENTS", most)
    await client.register()
    left = {row[0] for row in await product.db.fetch("select oauthclientid from oauthclient")}
    assert (len(left), first in left, kept in left, client.clientid in left) == (most, False, True, True)
    await product.db.execute("update oauthclient set expireson = now() + interval '30 days'")
    full = await client.register()
    assert (full.status_code, full.json()["error"]) == (503, "temporarily_unavailable")


async def test_a_registration_is_lenient_limited_and_expires(
    product: Product, account: Account, client: OAuthClient
) -> None:
    for body in (b"", b"[]", b"{", b'{"redirect_uris": "x"}', b"\xff"):
        response = await client.http.post(f"{API}oauth/register", content=body)
        assert response.status_code == 400
    response = await client.register(redirect_uris=["cursor://anysphere.cursor/callback"], client_name="A\u202eB\n")
    assert (response.status_code, response.json()["client_name"]) == (201, "AB")
    await product.db.execute("update oauthclient set expireson = now() where oauthclientid = $1", client.clientid)
    described = await account.owner.http.get(AUTHORIZE, params=client.request("read"))
    assert described.json()["error"]["context"]["reason"] == "bad_client"
    await product.scripts.run_job("tidyup", {})
    assert not await product.db.fetchval("select 1 from oauthclient where oauthclientid = $1", client.clientid)
    statuses = {(await client.register()).status_code for _ in range(20)}
    assert 429 in statuses


async def test_pages_of_every_origin_may_register_and_get_tokens(client: OAuthClient) -> None:
    for path in ("register", "token", "revoke"):
        headers = {"Origin": "https://inspector.example", "Access-Control-Request-Method": "POST"}
        response = await client.http.options(f"{API}oauth/{path}", headers=headers)
        assert response.headers["access-control-allow-origin"] == "*"
    response = await client.http.options(AUTHORIZE, headers=headers)
    assert "access-control-allow-origin" not in response.headers


# -- documents of clients ----------------------------------------------------------------------------------------------


@contextmanager
def documents(content: dict[str, Any]) -> Iterator[str]:
    """Serve JSON documents by their path; returns the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = content.get(self.path)
            if isinstance(found, str):
                self.send_response(302)
                self.send_header("Location", found)
                self.end_headers()
                return
            body = json.dumps(found).encode()
            self.send_response(200 if found is not None else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


async def test_a_client_id_may_be_the_url_of_a_metadata_document(account: Account, client: OAuthClient) -> None:
    content: dict[str, Any] = {}
    with documents(content) as address:
        client.clientid = f"{address}/client.json"
        content["/client.json"] = {"client_id": client.clientid, "client_name": "Site", "redirect_uris": [REDIRECT]}
        described = (await account.owner.http.get(AUTHORIZE, params=client.request("read"))).json()
        assert (described["name"], described["host"]) == ("Site", address.removeprefix("http://"))
        await signed_in(client, account.owner)
        assert (await client.refresh()).status_code == 200


async def test_invalid_client_metadata_documents_are_rejected(account: Account, client: OAuthClient) -> None:
    content: dict[str, Any] = {
        "/other.json": {"client_id": "https://example.com/c", "redirect_uris": [REDIRECT]},
        "/list.json": [1],
        "/redirect.json": "/other.json",
        "/large.json": {"redirect_uris": ["x" * 70_000]},
    }
    with documents(content) as address:
        for clientid in (
            *(address + path for path in (*content, "/missing.json", "/", "")),
            "http://example.com/client.json",
            "https://localhost/client.json",
            "https://127.0.0.1/client.json",
            "https://10.0.0.1/client.json",
            "https://[::1]/client.json",
            "https://169.254.169.254/latest/meta-data",
            "https://168.63.129.16/metadata",
            "https://[64:ff9b::a9fe:a9fe]/latest/meta-data",
            "https://user@example.com/client.json",
            "https://example.com/a/../client.json",
            "https://",
            "https://[/",
            "http://127.0.0.1:1/client.json",
        ):
            client.clientid = clientid
            response = await account.owner.http.get(AUTHORIZE, params=client.request("read"))
            assert rejection(response) == (400, "bad_client"), clientid


async def test_an_internal_host_of_a_document_is_not_told_from_an_unknown_one(
    account: Account, client: OAuthClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve(monkeypatch, lambda host: ["10.0.0.1"] if host == "inside.example" else [])
    texts = set()
    for host in ("inside.example", "unknown.example", "10.0.0.1", "localhost"):
        client.clientid = f"https://{host}/client.json"
        response = await account.owner.http.get(AUTHORIZE, params=client.request("read"))
        assert response.status_code == 400
        texts.add(response.json()["error"]["message"])
    assert texts == {"The application's metadata cannot be read: no public server responded."}


# -- tokens ------------------------------------------------------------------------------------------------------------


async def test_a_code_is_bound_to_its_client_and_verifier(account: Account, client: OAuthClient) -> None:
    for fields in (
        {"code_verifier": ""},
        {"code_verifier": "x" * 43},
        {"code_verifier": challenge_of("x")},
        {"client_id": "another"},
        {"redirect_uri": "http://127.0.0.1:33418/other"},
    ):
        code = client.code(await consent(account.owner, client.request("read"), "read"))
        response = await client.redeem(code, **fields)
        assert (response.status_code, response.json()["error"]) == (400, "invalid_grant"), fields
        assert (await client.redeem(code)).status_code == 400  # it has been used
    code = client.code(await consent(account.owner, client.request("read"), "read"))
    assert (await client.redeem(code, resource="https://other.example/mcp")).json()["error"] == "invalid_target"
    assert (await client.redeem(code, redirect_uri="", resource="")).status_code == 200


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"grant_type": ""}, "unsupported_grant_type"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "authorization_code", "code": ""}, "invalid_grant"),
        ({"grant_type": "authorization_code", "code": "\u0000"}, "invalid_request"),
        ({"grant_type": "refresh_token", "refresh_token": "unknown"}, "invalid_grant"),
        ({"grant_type": "refresh_token", "client_id": ""}, "invalid_client"),
    ],
)
async def test_invalid_token_requests_are_rejected(client: OAuthClient, fields: dict[str, str], error: str) -> None:
    response = await client.token(**fields)
    assert (response.status_code, response.json()["error"]) == (400, error)


async def test_malformed_forms_are_rejected(client: OAuthClient) -> None:
    for content in (b"\xff\xfe", b"a=1&a=2", b"a&" * 200, b'{"grant_type": "x"}'):
        for path in ("token", "revoke"):
            response = await client.http.post(f"{API}oauth/{path}", content=content)
            assert response.status_code == 400, response.text
            assert isinstance(response.json()["error"], str)
    basic = {"Authorization": "Basic /w=="}
    assert (await client.http.post(f"{API}oauth/token", headers=basic)).json()["error"] == "invalid_client"


async def test_the_second_use_of_a_code_ends_the_session(
    product: Product, account: Account, client: OAuthClient
) -> None:
    code = client.code(await consent(account.owner, client.request("read"), "read"))
    assert (await client.redeem(code)).status_code == 200
    assert (await client.call("query", {"table": "client"})).status_code == 200
    assert (await client.redeem(code)).json()["error"] == "invalid_grant"
    assert (await client.refresh()).json()["error"] == "invalid_grant"
    assert "agent_code_reused" in await events(product, account)


async def test_the_second_use_of_a_refresh_token_ends_the_session(
    product: Product, account: Account, client: OAuthClient
) -> None:
    await signed_in(client, account.owner, "read write")
    first = client.tokens["refresh_token"]
    assert (await client.refresh(scope="read unknown")).json()["scope"] == "read"
    assert (await client.refresh(scope="unknown")).json()["error"] == "invalid_scope"
    assert (await client.refresh()).json()["scope"] == "read write"
    newest = client.tokens["refresh_token"]
    assert (await client.refresh(first)).json()["error"] == "invalid_grant"
    assert (await client.refresh(newest)).json()["error"] == "invalid_grant"
    assert "agent_token_reused" in await events(product, account)


async def test_of_many_concurrent_refreshes_one_succeeds(account: Account, client: OAuthClient) -> None:
    await signed_in(client, account.owner)
    token = client.tokens["refresh_token"]
    responses = await asyncio.gather(*(client.refresh(token) for _ in range(8)))
    assert sorted(response.status_code for response in responses) == [200, *[400] * 7]
    code = client.code(await consent(account.owner, client.request("read"), "read"))
    responses = await asyncio.gather(*(client.redeem(code) for _ in range(8)))
    assert sorted(response.status_code for response in responses) == [200, *[400] * 7]


async def test_a_client_cannot_use_tokens_of_another(account: Account, client: OAuthClient) -> None:
    await signed_in(client, account.owner)
    own, tokens = client.clientid, dict(client.tokens)
    await client.register()
    assert (await client.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await client.revoke(tokens["refresh_token"])).status_code == 200
    client.clientid = own
    assert (await client.refresh(tokens["refresh_token"])).status_code == 200


async def test_tokens_of_a_client_are_valid_only_for_mcp(
    product: Product, account: Account, client: OAuthClient
) -> None:
    await signed_in(client, account.owner, ALL)
    code = client.code(await consent(account.owner, client.request("read"), "read"))
    for token in (client.tokens["access_token"], client.tokens["refresh_token"], code, f"session of the code {code}"):
        async with product.caller(token) as http:
            for path in (f"{TABLE}client", f"{API}account/credits", f"{API}user/session"):
                assert (await http.get(path)).status_code == 401
            assert (await http.put(f"{API}user/session")).status_code == 401
            response = await http.get(AUTHORIZE, params=client.request("read"))
            assert response.status_code == 401
    refused = await client.call("query", {"table": "client"}, client.tokens["refresh_token"])
    assert refused.status_code == 401


# -- ends of a session -------------------------------------------------------------------------------------------------


async def test_a_session_is_listed_and_ended_by_its_user(
    product: Product, account: Account, client: OAuthClient
) -> None:
    await signed_in(client, account.owner, "read delete")
    rows = (await account.owner.http.get(f"{TABLE}usersession?filter=scopes is not null")).json()["resource"]
    assert [(row["agent"], row["scopes"]) for row in rows] == [("Test assistant", "read delete")]
    assert (await client.call("query", {"table": "client"})).status_code == 200
    ended = await account.owner.http.delete(f"{TABLE}usersession/{rows[0]['usersessionid']}")
    assert ended.status_code == 200
    await _refused(client)
    assert (await client.refresh()).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("end", ["sign-out", "listed", "others", "password", "disabled", "expired", "two-step"])
async def test_a_code_ends_with_the_session_in_which_it_was_allowed(
    product: Product, account: Account, client: OAuthClient, end: str
) -> None:
    member = await account.user(password=await passwords.hashed("Former1234"))
    code = client.code(await consent(member, client.request("read"), "read"))
    session = await product.db.fetchval("select usersessionid from usersession where appuserid = $1", member.appuserid)
    other = product.caller(await account.session(member.appuserid))
    change = {"old_password": "Former1234", "new_password": "Newer1234", "confirm_password": "Newer1234"}
    if end == "two-step":  # ends the codes of the session that goes on, too
        setup = (await member.post("user/mfa/setup", password="Former1234")).json()
        totp = TOTP(base64.b32decode(setup["secret"]), 6, SHA1(), 30, enforce_key_length=False)
        now = totp.generate(int(time.time())).decode()
        response = await member.post("user/mfa/confirm", setup=setup["setup"], code=now)
    elif end == "expired":
        await product.db.execute("update usersession set expireson = now() where usersessionid = $1", session)
        response = await other.get(f"{API}user/session")
    else:
        response = await {
            "sign-out": lambda: member.http.delete(f"{API}user/session"),
            "listed": lambda: other.delete(f"{TABLE}usersession/{session}"),
            "others": lambda: other.delete(f"{TABLE}usersession?force=true"),
            "password": lambda: other.post(f"{API}user/password", json=change),
            "disabled": lambda: account.owner.http.patch(f"{TABLE}appuser/{member.appuserid}", json={"isactive": 0}),
        }[end]()
    assert response.status_code == 200, response.text
    refused = await client.redeem(code)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    agents = "select count(*) from usersession where appuserid = $1 and agent is not null"
    assert await product.db.fetchval(agents, member.appuserid) == 0


@pytest.mark.parametrize("change", ["disabled", "deleted"])
async def test_the_tokens_of_an_agent_end_with_its_user(account: Account, client: OAuthClient, change: str) -> None:
    member = await account.user()
    await signed_in(client, member)
    assert (await client.call("query", {"table": "client"})).status_code == 200
    path = f"{TABLE}appuser/{member.appuserid}"
    owner = account.owner.http
    response = await (owner.delete(path) if change == "deleted" else owner.patch(path, json={"isactive": 0}))
    assert response.status_code == 200
    await _refused(client)
    assert (await client.refresh()).json()["error"] == "invalid_grant"


async def test_a_token_expires(product: Product, account: Account, client: OAuthClient) -> None:
    await signed_in(client, account.owner)
    await product.db.execute("update oauthtoken set expireson = now()")
    assert (await client.call("query", {"table": "client"})).status_code == 401
    assert (await client.refresh()).json()["error"] == "invalid_grant"


async def _refused(client: OAuthClient) -> None:
    """Wait until the announcement of a change has reached the server."""
    for _ in range(100):
        response = await client.call("query", {"table": "client"})
        if response.status_code != 200:
            assert response.status_code in (401, 403, 404)
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the token is still accepted")


# -- scopes ------------------------------------------------------------------------------------------------------------


async def test_without_reveal_no_credit_is_spent(product: Product, account: Account, client: OAuthClient) -> None:
    person = await product.person()
    before = await account.credits()
    reveal = {
        "name": "getcontact",
        "input": {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"},
    }
    await signed_in(client, account.owner, "read write delete")
    refused = await client.call("call_script", reveal)
    assert (refused.status_code, refused.json()["error"]["context"]["needed"]) == (403, "reveal")
    assert 'scope="reveal"' in refused.headers["www-authenticate"]
    assert await account.credits() == before
    await signed_in(client, account.owner, "reveal")
    response = await client.call("call_script", reveal)
    assert json.loads(response.json()["result"]["content"][-1]["text"])["result"]["charged"] == 1
    assert (await client.call("query", {"table": "client"})).status_code == 403
    assert await account.credits() != before


async def test_a_session_of_the_app_cannot_spend_credits_through_tools(product: Product, account: Account) -> None:
    bearer = {"X-API-Key": "test-app-key", "X-Session-Token": account.owner.token}
    message = call("call_script", name="getcontact", input={})
    async with product.caller() as http:
        response = await http.post("/mcp", json=message, headers=bearer | ACCEPTED)
    assert "unknown_service" in response.json()["result"]["content"][0]["text"]


# -- credentials -------------------------------------------------------------------------------------------------------

SCOPES = ("read", "read write delete", "read write delete reveal grant", "read:apikeys read:webhook read:client")
COUNTS = "select " + ", ".join(
    f"(select count(*) from {table} where clientid = $1)" for table in ("apikeys", "webhook", "appuser")
)
ENDED = """
    select (select array_agg(isactive order by keyid) from apikeys where clientid = $1) as keys,
           (select array_agg(isactive order by webhookid) from webhook where clientid = $1) as hooks,
           (select count(*) from onetimetoken t join appuser u using (appuserid)
            where u.clientid = $1 and t.purpose = 'invite' and t.usedon is null and t.expireson > now()) as invitations
"""


def _doors() -> list[tuple[str, dict[str, Any]]]:
    """Return calls that show rows of tables with credentials."""
    found: list[tuple[str, dict[str, Any]]] = []
    for table, field in (("apikeys", "apikey"), ("webhook", "secret")):
        related = f"{table}_by_clientid"
        own = {"id": "k", "path": f"_table/{table}", "query": {"fields": "*"}}
        of_client = {"id": "k", "path": "_table/client", "query": {"related": related}}
        referring = {"path": "_table/client", "query": {"fields": {"$ref": f"k.resource.0.{field}"}}}
        found += [
            ("query", {"table": table}),
            ("query", {"table": table, "fields": [field]}),
            ("query", {"table": "client", "related": [related]}),
            ("aggregate", {"table": table, "group": [field], "measures": [{"function": "count"}]}),
            ("aggregate", {"table": table, "measures": [{"function": "max", "field": field}]}),
            ("describe_tables", {"tables": [table], "samples": True}),
            ("batch", {"requests": [own]}),
            ("batch", {"requests": [of_client]}),
            ("batch", {"requests": [own, referring]}),
        ]
    return found


@pytest.fixture
async def credentials(product: Product) -> tuple[Account, list[str]]:
    """An account with a key and a webhook, and what must not be shown."""
    account = await product.account(planid=4)
    made = await account.owner.table("POST", "apikeys", {"purpose": "CRM"})
    hooked = {"url": "https://hooks.example.com/x", "events": ["credits.low"]}
    hook = await account.owner.table("POST", "webhook", hooked)
    return account, [made.json()["resource"][0]["apikey"], hook.json()["resource"][0]["secret"]]


@pytest.mark.parametrize("scope", SCOPES)
async def test_no_client_reads_a_credential_through_any_door(
    credentials: tuple[Account, list[str]], client: OAuthClient, scope: str
) -> None:
    account, secret = credentials
    await signed_in(client, account.owner, scope)
    shown = 0
    for tool, arguments in _doors():
        response = await client.call(tool, arguments)
        assert not any(value in response.text for value in secret), (tool, arguments)
        shown += "*****" in response.text
    assert shown >= 4  # the rows are there, and their credentials are masked
    for table, value in zip(("apikeys", "webhook"), secret, strict=True):
        assert value in (await account.owner.table("GET", table)).text


def _grants() -> list[tuple[str, dict[str, Any], str]]:
    """Return calls that give access to an account, and their table."""
    member = {"name": "New Admin", "email": "new-admin@acme.example", "role": "admin"}
    hook = {"url": "https://hooks.example.com/y", "events": ["credits.low"]}
    plan = {"usersubscriptionid": 1, "planid": 2}
    key = {"method": "POST", "path": "_table/apikeys", "body": {"purpose": "x"}}
    return [
        ("create_records", {"table": "apikeys", "records": [{"purpose": "x", "scopes": ["enrich"]}]}, "apikeys"),
        ("update_records", {"table": "apikeys", "records": [{"keyid": 1, "scopes": ["enrich"]}]}, "apikeys"),
        ("create_records", {"table": "webhook", "records": [hook]}, "webhook"),
        ("delete_records", {"table": "webhook", "ids": [1]}, "webhook"),
        ("create_records", {"table": "appuser", "records": [member]}, "appuser"),
        ("update_records", {"table": "usersubscription", "records": [plan]}, "usersubscription"),
        ("batch", {"requests": [key]}, "apikeys"),
    ]


@pytest.mark.parametrize(
    "scope", ["read write delete reveal", "write:apikeys write:webhook write:appuser delete:webhook"]
)
async def test_access_is_given_only_with_a_scope_of_its_own(
    product: Product, credentials: tuple[Account, list[str]], client: OAuthClient, scope: str
) -> None:
    account, _ = credentials
    await signed_in(client, account.owner, scope)
    before = await product.db.fetchrow(COUNTS, account.clientid)
    for tool, arguments, table in _grants():
        response = await client.call(tool, arguments)
        assert response.status_code == 403, (tool, arguments, response.text)
        needed = response.json()["error"]["context"]["needed"]
        assert needed in ("grant", f"grant:{table}", f"write:{table}"), response.text
    assert await product.db.fetchrow(COUNTS, account.clientid) == before
    # Roles are columns of a table that is otherwise ordinary.
    member = await account.user()
    promoted = {"table": "appuser", "records": [{"appuserid": member.appuserid, "role": "admin"}]}
    assert '"isError":true' in (await client.call("update_records", promoted)).text
    assert await product.db.fetchval("select role from appuser where appuserid = $1", member.appuserid) == "member"


@pytest.mark.parametrize("end", ["revoked", "expired"])
async def test_what_an_agent_made_ends_when_it_is_disconnected(
    product: Product, credentials: tuple[Account, list[str]], client: OAuthClient, end: str
) -> None:
    account, _ = credentials
    await signed_in(client, account.owner, "read write grant")
    key = {"purpose": "x", "scopes": ["enrich"]}
    hook = {"url": "https://hooks.example.com/y", "events": ["credits.low"]}
    invited = {"name": "New Member", "email": f"new-{account.clientid}@acme.example", "role": "member"}
    # The agent does not see the key, with which it could spend.
    assert "*****" in (await client.call("create_records", {"table": "apikeys", "records": [key]})).text
    assert "whsec_" not in (await client.call("create_records", {"table": "webhook", "records": [hook]})).text
    assert (await client.call("create_records", {"table": "appuser", "records": [invited]})).status_code == 200
    assert await _live(product, account) == ([1, 1], [1, 1], 1)
    ended = {"token": client.tokens["access_token"], "client_id": client.clientid}
    if end == "revoked":
        await client.http.post(API + "oauth/revoke", data=ended)
    else:
        await product.db.execute("update usersession set expireson = now() where agent is not null")
        await product.scripts.run_job("tidyup", {})
    assert await _live(product, account) == ([1, 0], [1, 0], 0)
    # The owner may turn a key on again, which lasts.
    await product.db.execute("update apikeys set isactive = 1 where clientid = $1", account.clientid)
    await product.scripts.run_job("tidyup", {})
    assert (await _live(product, account))[0] == [1, 1]


async def _live(product: Product, account: Account) -> tuple[Any, ...]:
    row = await product.db.fetchrow(ENDED, account.clientid)
    assert row is not None
    return tuple(row)


async def test_no_tool_and_no_table_lets_an_agent_without_reveal_spend(
    product: Product, credentials: tuple[Account, list[str]], client: OAuthClient
) -> None:
    """Every tool and every table that the server offers to the agent, with arguments that would spend."""
    account, _ = credentials
    person, before = await product.person(), await account.credits()
    await signed_in(client, account.owner, "read write delete")
    bearer = {"Authorization": f"Bearer {client.tokens['access_token']}"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    tools = (await client.http.post("/mcp", json=message, headers=bearer | ACCEPTED)).json()["result"]["tools"]
    url, kinds = f"linkedin.com/{person.key}", ["directdial", "businessemail", "personalemail"]
    reveal = {"linkedinurl": url, "type": "directdial", "action": "reveal"}
    values: dict[str, Any] = reveal | {
        "linkedinurls": [url], "people": [{"linkedinurl": url}], "kinds": kinds, "max_credits": 10, "urls": [url],
        "name": "getcontact", "input": reveal,
    }  # fmt: skip
    record = {"purpose": "x", "name": "x", "listid": 1, "linkedinurl": url}
    listed = await client.call("list_tables", {})
    tables = sorted(set(re.findall(r'\\?"(?:name|table)\\?": ?\\?"(\w+)', listed.text)))
    assert len(tools) > 8
    assert "usercontact" in tables
    for tool in tools:
        fields = tool["inputSchema"].get("properties", {})
        sent = {name: value for name, value in values.items() if name in fields}
        for table in tables if "table" in fields else [""]:
            more = {"records": [record]} if "records" in fields else {}
            await client.call(tool["name"], sent | more | ({"table": table} if table else {}))
    assert await account.credits() == before
    assert await product.db.fetchval("select count(*) from reveal where clientid = $1", account.clientid) == 0
    assert await product.db.fetchval("select count(*) from apikeys where clientid = $1", account.clientid) == 1


async def test_keys_are_recorded_wherever_they_are_shown(
    product: Product, credentials: tuple[Account, list[str]]
) -> None:
    account, secret = credentials
    count = "select count(*) from auditlog where clientid = $1 and event = 'keys_read'"
    related = "client?related=apikeys_by_clientid"
    steps = [{"path": "_table/client", "query": {"related": "apikeys_by_clientid"}}]
    doors = [("GET", "apikeys", None), ("GET", related, None),
             ("POST", "../_batch", {"dry_run": True, "requests": steps})]  # fmt: skip
    for number, (method, path, body) in enumerate(doors):
        assert await product.db.fetchval(count, account.clientid) == number
        response = await account.owner.http.request(method, f"{TABLE}{path}", json=body)
        assert secret[0] in response.text, response.text
    assert await product.db.fetchval(count, account.clientid) == len(doors)
    for path in ("apikeys?fields=keyid,purpose", f"{related}&apikeys_by_clientid.fields=purpose"):
        assert (await account.owner.http.get(TABLE + path)).status_code == 200
    assert await product.db.fetchval(count, account.clientid) == len(doors)


async def test_identifiers_of_tools_are_masked_in_the_log(
    product: Product, account: Account, client: OAuthClient, capfd: pytest.CaptureFixture[str]
) -> None:
    await signed_in(client, account.owner, "read")
    await client.call("get_record", {"table": "client", "id": "owner@acme-secret.example"})
    await client.call("get_record", {"table": "client", "id": client.tokens["access_token"]})
    logged = "".join(capfd.readouterr())
    assert "acme-secret" not in logged
    assert client.tokens["access_token"] not in logged
