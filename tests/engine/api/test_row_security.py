"""A schema with row-level security of PostgreSQL is served under its own policies."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.agents import agent
from tests.helpers.served import Served
from tests.helpers.support import DATA, execute, ok, rejection, wait_until
from tests.helpers.tokens import SECRET, bearer

ADA, BEN = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
T = "/api/v2/chat/_table"
ACCESS = {
    "keys": {"service": {"role": "*"}},
    "roles": {"anon": {"database_role": "anon"}, "authenticated": {"database_role": "authenticated"}},
    "anonymous": "anon",
}


def of(sub: str, **claims: Any) -> dict[str, str]:
    return bearer({"sub": sub, "role": "authenticated", "email": "x@example.com", **claims})


SERVED = Served(
    (DATA / "row_security" / "chat.sql").read_text(),
    ACCESS,
    dataset="chat",
    under="/",
    JWT_SECRET=SECRET,
    DATABASE_CONNECTIONS="4",
    STATEMENT_SECONDS="1",
    LOG_LEVEL="warning",
)


def rows(response: httpx.Response) -> list[dict[str, Any]]:
    return list(ok(response)["resource"])


def record_status(response: httpx.Response) -> int:
    """Return the status of the only rejected record of a batch."""
    assert response.status_code == 400, response.text
    context = response.json()["error"]["context"]
    return int(context["resource"][context["error"][0]]["status_code"])


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["hidden", "members", "messages", "teams"])
def test_a_table_without_a_grant_is_forbidden(http: httpx.Client, path: str) -> None:
    assert rejection(http.get(f"{T}/{path}"))[0] == 403


def test_a_table_without_a_grant_is_not_described(http: httpx.Client) -> None:
    listed = rows(http.get(T, headers=of(ADA)))
    assert {row["name"] for row in listed} == {"profiles", "teams", "members", "messages", "audit"}
    spec = http.get("/api/v2/chat/_spec", headers=of(ADA)).text
    assert "hidden" not in spec
    assert '"secret"' not in spec


@pytest.mark.parametrize(
    "query",
    ["fields=secret", "filter=secret='r1'", "order=secret", "group=secret&fields=COUNT(*)", "fields=MAX(secret)",
     "fields=id,secret AS id2", "filter=team_id=1 and secret is null"],
)  # fmt: skip
def test_a_column_without_a_grant_does_not_exist(http: httpx.Client, query: str) -> None:
    assert rejection(http.get(f"{T}/messages?{query}", headers=of(ADA))) == (400, "unknown_field")


def test_each_role_sees_only_the_columns_granted_to_it(http: httpx.Client) -> None:
    assert rejection(http.get(f"{T}/profiles?fields=email")) == (400, "unknown_field")
    assert rows(http.get(f"{T}/profiles?fields=email&filter=username='ben'", headers=of(ADA))) == [
        {"email": "ben@example.com"}
    ]
    assert {*rows(http.get(f"{T}/profiles"))[0]} == {"id", "username", "website"}


def test_a_write_of_a_column_without_a_grant_is_rejected(http: httpx.Client) -> None:
    body = {"resource": [{"team_id": 1, "author": ADA, "body": "x", "secret": "y"}]}
    assert record_status(http.post(f"{T}/messages", json=body, headers=of(ADA))) == 403
    assert http.patch(f"{T}/profiles/{ADA}", json={"email": "z"}, headers=of(ADA)).status_code == 403


def test_rows_outside_the_policies_cannot_be_written(http: httpx.Client) -> None:
    foreign = {"resource": [{"team_id": 2, "author": ADA, "body": "x"}]}
    assert record_status(http.post(f"{T}/messages", json=foreign, headers=of(ADA))) == 403
    posing = {"resource": [{"team_id": 1, "author": BEN, "body": "x"}]}
    assert record_status(http.post(f"{T}/messages", json=posing, headers=of(ADA))) == 403
    assert rejection(http.patch(f"{T}/messages/2", json={"body": "mine"}, headers=of(ADA)))[0] == 404
    assert rejection(http.delete(f"{T}/messages/2", headers=of(ADA)))[0] == 404
    assert rejection(http.patch(f"{T}/teams/1", json={"name": "x"}, headers=of(ADA)))[0] == 404
    assert rows(http.get(f"{T}/messages", headers=of(BEN)))[0]["body"] == "hello blue"


# -- isolation between users -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    ["", "?filter=id>0", "?order=id&limit=5", "?ids=1,2&continue=true", "?cursor=", "?related=teams_by_team_id",
     "?offset=0&include_count=true"],
)  # fmt: skip
def test_a_read_returns_the_rows_of_its_user(http: httpx.Client, query: str) -> None:
    for user, mine, other in ((ADA, "hello red", "hello blue"), (BEN, "hello blue", "hello red")):
        text = http.get(f"{T}/messages{query}", headers=of(user)).text
        assert mine in text
        assert other not in text


def test_counts_groups_and_aggregates_cover_the_rows_of_the_user(http: httpx.Client) -> None:
    assert http.get(f"{T}/messages?count_only=true", headers=of(ADA)).text == "1"
    assert rows(http.get(f"{T}/messages?fields=COUNT(*) AS n", headers=of(BEN))) == [{"n": 1}]
    query = "fields=name,messages_by_team_id.COUNT(*) AS n"
    assert rows(http.get(f"{T}/teams?{query}", headers=of(BEN))) == [{"name": "blue", "n": 1}]
    admin = of(ADA, app_metadata={"admin": True})
    assert rows(http.get(f"{T}/teams?{query}&order=id", headers=admin)) == [
        {"name": "red", "n": 1}, {"name": "blue", "n": 0}
    ]  # fmt: skip


def test_relations_are_filtered_at_every_level(http: httpx.Client) -> None:
    query = "related=messages_by_team_id,profiles_by_members&profiles_by_members.fields=username"
    (team,) = rows(http.get(f"{T}/teams?{query}", headers=of(ADA)))
    assert [message["body"] for message in team["messages_by_team_id"]] == ["hello red"]
    assert "secret" not in team["messages_by_team_id"][0]
    assert team["profiles_by_members"] == [{"username": "ada"}]


def test_streams_files_and_raw_columns_contain_the_rows_of_the_user(http: httpx.Client) -> None:
    stream = http.get(f"{T}/messages", headers=of(ADA) | {"Accept": "application/x-ndjson"}).text
    assert [json.loads(line)["body"] for line in stream.splitlines()] == ["hello red"]
    file = http.get(f"{T}/messages", headers=of(BEN) | {"Accept": "text/csv"}).text
    assert "hello blue" in file
    assert "hello red" not in file
    assert http.get(f"{T}/messages/1?raw=body", headers=of(ADA)).text == "hello red"
    assert http.get(f"{T}/messages/1?raw=body", headers=of(BEN)).status_code == 404


def test_a_time_zone_and_a_dry_run_keep_the_role(http: httpx.Client) -> None:
    assert [r["id"] for r in rows(http.get(f"{T}/messages?timezone=Europe/Oslo", headers=of(ADA)))] == [1]
    body = {"resource": [{"team_id": 1, "author": ADA, "body": "dry"}]}
    response = http.post(f"{T}/messages?dry_run=true&fields=*", json=body, headers=of(ADA))
    assert rows(response)[0]["body"] == "dry"
    assert http.get(f"{T}/messages?count_only=true", headers=of(ADA)).text == "1"
    foreign = {"resource": [{"team_id": 2, "author": ADA, "body": "dry"}]}
    assert record_status(http.post(f"{T}/messages?dry_run=true", json=foreign, headers=of(ADA))) == 403


def test_functions_run_as_the_role_with_the_claims_of_the_request(http: httpx.Client) -> None:
    response = http.get("/api/v2/chat/_func/whoami", headers=of(ADA) | {"User-Agent": "test'; drop table x; --"})
    assert response.json() == [
        {"whoami": {"role": "authenticated", "sub": ADA, "method": "GET", "path": "/api/v2/chat/_func/whoami",
                    "agent": "test'; drop table x; --", "credential": None}}
    ]  # fmt: skip
    assert http.get("/api/v2/chat/_func/whoami").json()[0]["whoami"]["role"] == "anon"
    assert http.get("/api/v2/chat/_func/internal_only", headers=of(ADA)).status_code == 404
    names = http.get("/api/v2/chat/_func", headers=of(ADA)).json()["resource"]
    assert {"name": "internal_only"} not in names
    assert {"name": "whoami"} in names


def test_rows_of_a_function_are_those_of_the_user(http: httpx.Client) -> None:
    response = http.post("/api/v2/chat/_func/my_messages?fields=body", headers=of(BEN))
    assert response.json() == [{"body": "hello blue"}]
    assert http.post("/api/v2/chat/_func/all_of_messages?fields=body", headers=of(BEN)).status_code == 403


# -- writes ----------------------------------------------------------------------------------------------------------


def test_writes_affect_only_the_rows_of_the_user(http: httpx.Client) -> None:
    body = {"resource": [{"team_id": 1, "author": ADA, "body": "one"}, {"team_id": 1, "author": ADA, "body": "two"}]}
    first, second = (row["id"] for row in rows(http.post(f"{T}/messages", json=body, headers=of(ADA))))
    response = http.patch(f"{T}/messages/{first}?fields=body", json={"body": "changed"}, headers=of(ADA))
    assert response.json() == {"body": "changed"}
    everything = http.patch(f"{T}/messages?filter=id>0", json={"resource": [{"body": "all"}]}, headers=of(ADA))
    assert len(rows(everything)) == 3
    http.patch(f"{T}/messages/1", json={"body": "hello red"}, headers=of(ADA))
    assert rows(http.get(f"{T}/messages?fields=body", headers=of(BEN))) == [{"body": "hello blue"}]
    gone = http.request("DELETE", f"{T}/messages?filter=id>10", headers=of(BEN))
    assert rows(gone) == []
    gone = http.request("DELETE", f"{T}/messages?ids={first},{second}", headers=of(ADA))
    assert [row["id"] for row in rows(gone)] == [first, second]


def test_identical_writes_by_two_users_are_separate(http: httpx.Client) -> None:
    for user, team in ((ADA, 1), (BEN, 2), (ADA, 1), (BEN, 2)):
        body = {"resource": [{"team_id": team, "author": user, "body": "again"}]}
        assert http.post(f"{T}/messages", json=body, headers=of(user)).status_code == 200
    foreign = {"resource": [{"team_id": 1, "author": BEN, "body": "again"}]}
    assert record_status(http.post(f"{T}/messages", json=foreign, headers=of(BEN))) == 403
    for user in (ADA, BEN):
        gone = http.request("DELETE", f"{T}/messages?filter=body='again'", headers=of(user))
        assert len(rows(gone)) == 2


def test_a_batch_with_continue_keeps_the_permitted_records(http: httpx.Client) -> None:
    records = [{"team_id": 1, "author": ADA, "body": "ok"}, {"team_id": 2, "author": ADA, "body": "no"}]
    response = http.post(f"{T}/messages?continue=true", json={"resource": records}, headers=of(ADA))
    assert response.status_code == 400
    assert response.json()["error"]["context"]["error"] == [1]
    assert len(rows(http.request("DELETE", f"{T}/messages?filter=body='ok'", headers=of(ADA)))) == 1


def test_a_role_may_insert_rows_it_cannot_read(http: httpx.Client) -> None:
    response = http.post(f"{T}/audit", json={"resource": [{"what": "reported"}]})
    assert rows(response) == [{}]
    assert http.get(f"{T}/audit").status_code == 403
    assert http.post(f"{T}/audit?fields=id", json={"resource": [{"what": "reported"}]}).status_code == 400


def test_an_idempotency_key_replays_for_its_own_user_only(http: httpx.Client) -> None:
    body = {"resource": [{"team_id": 1, "author": ADA, "body": "once"}]}
    key = {"Idempotency-Key": "row-security"}
    first = http.post(f"{T}/messages", json=body, headers=of(ADA) | key)
    again = http.post(f"{T}/messages", json=body, headers=of(ADA) | key)
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (first.json(), "true")
    assert record_status(http.post(f"{T}/messages", json=body, headers=of(BEN) | key)) == 403
    assert len(rows(http.request("DELETE", f"{T}/messages?filter=body='once'", headers=of(ADA)))) == 1


def test_an_import_with_row_by_row_policies_is_rejected(http: httpx.Client) -> None:
    headers = of(ADA) | {"Content-Type": "text/csv"}
    response = http.post(f"{T}/messages?import=true", content="team_id,author,body\n1,x,y\n", headers=headers)
    assert rejection(response) == (403, "import_not_permitted")


async def test_the_tools_of_an_agent_see_the_rows_of_its_user(http: httpx.Client) -> None:
    for user, mine, other in ((ADA, "hello red", "hello blue"), (BEN, "hello blue", "hello red")):
        async with agent(f"{str(http.base_url).rstrip('/')}/mcp", **of(user)) as caller:
            await caller.result("list_tables")
            await caller.result("describe_tables", tables=["messages", "profiles"])
            await caller.result("query", table="messages")
            assert "reason: forbidden" in await caller.error("query", table="hidden")
            heard = "".join(caller.heard)
            assert mine in heard
            assert other not in heard
            assert "secret" not in heard


# -- nothing is left on a connection ---------------------------------------------------------------------------------


def _nothing_is_left(http: httpx.Client) -> None:
    """Check, on each of the few connections, that the next request runs as its own caller."""
    for _ in range(8):
        assert http.get(f"{T}/messages?count_only=true", headers={"X-API-Key": "service"}).text == "2"
        assert rows(http.get(f"{T}/messages?fields=body", headers=of(BEN))) == [{"body": "hello blue"}]
        assert http.get("/api/v2/chat/_func/whoami").json()[0]["whoami"]["sub"] is None


def test_errors_leave_a_clean_connection(http: httpx.Client) -> None:
    for body in ("boom", None):
        record = {"resource": [{"team_id": 1, "author": ADA, "body": body}]}
        assert http.post(f"{T}/messages", json=record, headers=of(ADA)).status_code == 400
        _nothing_is_left(http)


def test_timeouts_leave_a_clean_connection(http: httpx.Client) -> None:
    for _ in range(3):
        assert http.post("/api/v2/chat/_func/slow", headers=of(ADA)).status_code == 503
    _nothing_is_left(http)


def test_disconnected_clients_leave_a_clean_connection(http: httpx.Client) -> None:
    for _ in range(3):
        with pytest.raises(httpx.TimeoutException):
            http.get("/api/v2/chat/_func/slow", headers=of(ADA), timeout=0.3)
    _nothing_is_left(http)


# -- changes of grants -----------------------------------------------------------------------------------------------


def test_a_grant_and_a_revoke_take_effect_without_a_restart(http: httpx.Client, url: str) -> None:
    assert http.get(f"{T}/hidden", headers=of(ADA)).status_code == 403
    execute(url, "grant select (id) on hidden to authenticated")
    wait_until(lambda: http.get(f"{T}/hidden", headers=of(ADA)).status_code == 200)
    assert rows(http.get(f"{T}/hidden", headers=of(ADA))) == [{"id": 1}]
    execute(url, "revoke select (id) on hidden from authenticated")
    assert http.get(f"{T}/hidden", headers=of(ADA)).status_code == 403
