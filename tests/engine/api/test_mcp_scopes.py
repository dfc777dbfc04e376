"""/mcp as an OAuth 2.1 resource server: metadata, challenges, the audience of tokens and their scopes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.agents import ACCEPTED, INITIALIZE, agent, call
from tests.helpers.served import Served
from tests.helpers.support import Serve, Server, ok, rejection
from tests.helpers.tokens import SECRET, Issuer, issuer, token

ISSUER = "https://issuer.example"
RESOURCE = "/.well-known/oauth-protected-resource"
SQL = """create table customer (id integer primary key, name text, secret text);
create table orders (id integer primary key, customer_id integer references customer, total integer);
insert into customer values (1, 'Ada', 'hidden-ada'), (2, 'Ben', 'hidden-ben');
insert into orders values (1, 1, 10), (2, 2, 20);
create function double(value integer) returns integer language sql stable as 'select value * 2'"""
ACCESS = {
    "keys": {"service": {"role": "*"}},
    "roles": {
        "seller": {"access": [{"component": "_table/*", "verb_mask": 31},
                              {"component": "_func/double", "verb_mask": 3}]},
        "reader": {"access": [{"component": "_table/*", "verb_mask": 1}]},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def peer() -> Iterator[Issuer]:
    with issuer() as running:
        yield running


SERVED = Served(SQL)


@pytest.fixture(scope="module")
def server(peer: Issuer, url: str, module_serve: Serve) -> Server:
    return module_serve(
        "--dataset", f"shop={url}", access=ACCESS, JWT_JWKS=peer.url, JWT_ISSUER=ISSUER,
        PUBLIC_ROUTINES="double",
    )  # fmt: skip


def sent(server: Server, peer: Issuer, **claims: Any) -> dict[str, str]:
    """Return the headers of a client with a token for a server's /mcp, unless `claims` override it."""
    claims = {"sub": "ada", "role": "seller", "iss": ISSUER, "aud": f"{server.url}/mcp", **claims}
    return {"Authorization": f"Bearer {token(claims, peer.rsa, 'RS256', kid='rsa')}", **ACCEPTED}


def reply(server: Server, peer: Issuer, message: dict[str, Any], **claims: Any) -> httpx.Response:
    """Send a message with a token of these claims."""
    return httpx.post(f"{server.url}/mcp", json=message, headers=sent(server, peer, **claims))


def test_a_message_without_a_token_gets_the_sign_in_url(server: Server, peer: Issuer) -> None:
    response = httpx.post(f"{server.url}/mcp", json=INITIALIZE, headers=ACCEPTED)
    challenge = response.headers["www-authenticate"]
    assert response.status_code == 401
    assert challenge == f'Bearer scope="read", resource_metadata="{server.url}{RESOURCE}/mcp"'
    for path in (RESOURCE, f"{RESOURCE}/mcp"):
        response = httpx.get(server.url + path, headers={"Origin": "https://inspector.example"})
        assert response.headers["access-control-allow-origin"] == "*"
        metadata = response.json()
        assert metadata["resource"] == f"{server.url}/mcp"
        assert metadata["authorization_servers"] == [ISSUER]
        assert metadata["scopes_supported"] == ["read", "write", "delete"]
        assert metadata["bearer_methods_supported"] == ["header"]
    assert httpx.post(f"{server.url}{RESOURCE}").status_code == 405
    assert httpx.get(f"{server.url}{RESOURCE}/mcp?unknown=1").status_code == 200
    assert httpx.get(f"{server.url}/.well-known/oauth-authorization-server").status_code == 404


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"aud": None}, "bad_token"),
        ({"aud": "https://other.example/mcp"}, "bad_token"),
        ({"aud": ["https://other.example/mcp", "shop"]}, "bad_token"),
        ({"iss": "https://other.example"}, "bad_token"),
        ({"exp": 1000}, "token_expired"),
        ({"role": "unknown"}, "unknown_role"),
    ],
)
def test_a_token_for_another_audience_is_rejected(
    server: Server, peer: Issuer, claims: dict[str, Any], reason: str
) -> None:
    response = reply(server, peer, INITIALIZE, **claims)
    assert rejection(response) == (401, reason)
    challenge = response.headers["www-authenticate"]
    assert 'error="invalid_token"' in challenge
    assert f'resource_metadata="{server.url}{RESOURCE}/mcp"' in challenge


def test_a_token_with_one_matching_audience_is_accepted(server: Server, peer: Issuer) -> None:
    assert reply(server, peer, INITIALIZE, aud=["other", f"{server.url}/mcp"], scope="read").status_code == 200


def test_an_audience_that_is_not_a_url_can_be_configured(peer: Issuer, url: str, module_serve: Serve) -> None:
    server = module_serve(
        "--dataset", f"shop={url}", access=ACCESS, JWT_JWKS=peer.url, JWT_ISSUER=ISSUER,
        MCP_AUDIENCE="api://tables",
    )  # fmt: skip
    for audience, status in (("api://tables", 200), (f"{server.url}/mcp", 401)):
        assert reply(server, peer, INITIALIZE, aud=audience).status_code == status


CALLS = (
    ("query", {"table": "orders"}, "read"),
    ("get_record", {"table": "orders", "id": 1}, "read"),
    ("aggregate", {"table": "orders", "measures": [{"function": "count"}]}, "read"),
    ("create_records", {"table": "orders", "records": [{"id": 9}], "dry_run": True}, "write"),
    ("update_records", {"table": "orders", "records": [{"id": 1, "total": 1}], "dry_run": True}, "write"),
    ("delete_records", {"table": "orders", "ids": [1], "dry_run": True}, "delete"),
    ("call_function", {"name": "double", "arguments": {"value": 2}}, "write"),
)


@pytest.mark.parametrize("granted", ["", "openid", "read", "write", "delete", "read write delete"])
@pytest.mark.parametrize(("tool", "arguments", "needed"), CALLS)
def test_each_tool_needs_its_scope(
    server: Server, peer: Issuer, granted: str, tool: str, arguments: dict[str, Any], needed: str
) -> None:
    response = reply(server, peer, call(tool, **arguments), scope=granted)
    if needed in granted.split():
        assert response.status_code == 200
        assert response.json()["result"]["isError"] is False, response.text
        return
    assert rejection(response) == (403, "insufficient_scope")
    challenge = response.headers["www-authenticate"]
    assert re.search(rf'error="insufficient_scope", scope="{needed}", resource_metadata="', challenge)


@pytest.mark.parametrize(
    ("scope", "needed"),
    [("read", "write"), ("read:orders write:customer", "write:orders"), ("read write", "delete"), ("", "read")],
)
def test_each_request_of_a_batch_needs_its_scope(server: Server, peer: Issuer, scope: str, needed: str) -> None:
    steps = [
        {"path": "_table/customer"}
        if needed == "read"
        else {"method": "PATCH", "path": "_table/customer/1", "body": {}},
        {"method": "POST", "path": "_table/orders", "body": [{"id": 7}]},
        {"method": "DELETE", "path": "_table/orders/7"},
    ][1 if needed == "write" else 0 :]
    response = reply(server, peer, call("batch", requests=steps), scope=scope)
    assert response.status_code == 403
    assert f'scope="{needed}"' in response.headers["www-authenticate"]
    if scope == "read write":  # granted
        allowed = call("batch", requests=[{"path": "_table/orders"}], dry_run=True)
        result = reply(server, peer, allowed, scope=scope).json()["result"]
        assert result["isError"] is False, result


def test_a_scope_grants_no_right_that_its_user_lacks(server: Server, peer: Issuer) -> None:
    create = call("create_records", table="orders", records=[{"id": 9}])
    response = reply(server, peer, create, role="reader", scope="read")
    # Signing in again would not help, so the client is not asked to.
    assert "reason: forbidden" in ok(response)["result"]["content"][0]["text"]


def test_scopes_can_be_limited_to_one_table(server: Server, peer: Issuer) -> None:
    def asked(tool: str, scope: str = "read:orders write:orders", **arguments: Any) -> httpx.Response:
        return reply(server, peer, call(tool, **arguments), scope=scope)

    refused = asked("query", table="customer")
    assert refused.status_code == 403
    assert 'scope="read:customer"' in refused.headers["www-authenticate"]
    assert 'scope="delete"' in asked("delete_records", table="orders", ids=[1]).headers["www-authenticate"]
    assert asked("query", table="orders").json()["result"]["isError"] is False
    assert asked("query", table="ORDERS").json()["result"]["isError"] is False
    listed = json.loads(asked("list_tables").json()["result"]["content"][-1]["text"])
    assert [table["name"] for table in listed["tables"]] == ["orders"]
    assert listed["tables"][0]["may"] == ["read", "create", "update"]
    related: dict[str, Any] = {"related": ["customer_by_customer_id"]}
    for arguments in (
        related,
        {"filter": "customer_by_customer_id.secret = 'hidden-ada'"},
        {"fields": ["customer_by_customer_id.secret"]},
        {"order": ["customer_by_customer_id.secret"]},
    ):
        response = asked("query", table="orders", **arguments)
        assert response.json()["result"]["isError"] is True, (arguments, response.text)
        assert "hidden-ada" not in response.text.replace(json.dumps(arguments), "")
    nested = [{"id": 8, "customer_by_customer_id": {"id": 8, "name": "Eve"}}]
    assert asked("create_records", table="orders", records=nested).json()["result"]["isError"] is True
    # Plans of other scopes are not reused.
    assert "hidden-ada" in asked("query", "read", table="orders", **related).text


def test_a_write_without_the_scope_to_read_returns_keys(server: Server, peer: Issuer) -> None:
    change = call("update_records", table="customer", records=[{"id": 1, "name": "Ada"}])
    result = reply(server, peer, change, scope="write:customer").json()["result"]
    assert json.loads(result["content"][-1]["text"]) == {"count": 1, "columns": ["id"], "rows": [[1]]}
    guess = call("update_records", table="customer", filter="secret = 'hidden-ada'", change={"name": "Ada"})
    assert reply(server, peer, guess, scope="write:customer").json()["result"]["isError"] is True


async def test_tools_beyond_the_granted_scopes_are_listed(server: Server, peer: Issuer) -> None:
    headers = sent(server, peer, scope="read:orders")
    for mode in ("auto", "legacy"):
        async with agent(f"{server.url}/mcp", mode, Authorization=headers["Authorization"]) as client:
            tools = await client.tools()
            assert "delete_records" in tools
            assert (await client.result("query", table="orders"))["rows"]


def test_a_token_without_scopes_has_the_rights_of_its_role(server: Server, peer: Issuer) -> None:
    delete = call("delete_records", table="orders", ids=[1], dry_run=True)
    assert reply(server, peer, delete).json()["result"]["isError"] is False
    assert reply(server, peer, delete, scp=["read", 7]).status_code == 403


def test_callers_with_a_key_get_no_sign_in_challenge(server: Server) -> None:
    response = httpx.post(f"{server.url}/mcp", json=INITIALIZE, headers={"X-API-Key": "service", **ACCEPTED})
    assert response.status_code == 200


def test_a_server_without_an_issuer_has_no_sign_in(url: str, module_serve: Serve) -> None:
    server = module_serve("--dataset", f"shop={url}", access=ACCESS, JWT_SECRET=SECRET)
    response = httpx.post(f"{server.url}/mcp", json=INITIALIZE, headers=ACCEPTED)
    assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
    assert httpx.get(f"{server.url}{RESOURCE}/mcp").status_code == 404
    bearer = {"Authorization": f"Bearer {token({'role': 'seller', 'aud': 'anything'})}", **ACCEPTED}
    assert httpx.post(f"{server.url}/mcp", json=INITIALIZE, headers=bearer).status_code == 200
