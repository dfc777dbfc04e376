"""Writes by several users and tenants under one policy: repeats, batches, and rights that depend on the verb."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import NewDatabase, Serve

SCHEMA = """
create table team (teamid serial primary key, tenantid integer not null, name text, unique (tenantid, name));
create table tenant (tenantid integer primary key, secret text);
create table plan (tenantid integer references tenant, planid integer, price numeric, primary key (tenantid, planid));
create table sale (saleid serial primary key, tenantid integer not null references tenant, planid integer,
                   foreign key (tenantid, planid) references plan (tenantid, planid));
insert into tenant values (1, 'one'), (2, 'two');
insert into plan values (1, 1, 5), (2, 2, 9);
insert into sale (saleid, tenantid, planid) values (100, 1, 1), (101, 1, null), (102, 1, 1), (200, 2, 2);
create table task (taskid integer primary key, tenantid integer not null, owner integer, title text);
create table profile (userid integer primary key, tenantid integer, bio text, code text unique);
create table badge (badgeid serial primary key, code text references profile (code), title text);
create table idempotency (
  principal text, key text, route text not null, bodyhash bytea not null, status integer, headers jsonb, body bytea,
  createdon timestamptz not null default now(), primary key (principal, key)
);
insert into task values (1, 1, 11, 'of 11'), (2, 1, 12, 'of 12');
insert into profile values (11, 1, 'of 11', 'p11'), (12, 1, 'of 12', 'p12'), (21, 2, 'of 21', 'p21');
"""
POLICY = '''"""Everybody reads what the tenant has, and changes what is her own."""
from tableapi.auth.policy import Access, Rule, Sessions


def own(table, actor):
    return table.c.tenantid == actor.tenantid


def mine(table, actor):
    return table.c.owner == actor.userid


def myself(table, actor):
    return table.c.userid == actor.userid


TENANT = {"tenantid": lambda actor: actor.tenantid}
POLICY = {
    "team": Access(read=Rule(rows=own), create=Rule(fields={"name"}, set_on_create=TENANT), delete=Rule(rows=own)),
    "task": Access(read=Rule(rows=own), update=Rule(rows=mine), delete=Rule(rows=own)),
    "profile": Access(read=Rule(rows=own), update=Rule(rows=myself, fields={"bio"})),
    "tenant": Access(read=Rule(rows=own, hidden={"secret"}), update=Rule(rows=own, fields=set())),
    "plan": Access(read=Rule(rows=own), create=Rule(rows=own), update=Rule(rows=own)),
    "sale": Access(
        read=Rule(rows=own), create=Rule(rows=own, set_on_create=TENANT), update=Rule(rows=own), delete=Rule(rows=own)
    ),
    "badge": Access(read=Rule(), create=Rule(), update=Rule()),
}
SESSIONS = Sessions(
    lookup="""
        select 'user' as role, s.tenantid, s.userid, s.robotid, s.token
        from (values ('ada', 1, 11, null), ('bea', 2, 21, null), ('robot', 2, null, 11), ('other', 1, 12, null))
             s (token, tenantid, userid, robotid)
        where $1 = sha256(s.token::bytea)
    """,
    USER
)
'''


USER = '    user=("robotid", "userid"),\n'
SERVED = Served(SCHEMA, policy=POLICY.replace("    USER\n", USER), under="/")
WITHOUT_USERS = Served(SCHEMA, policy=POLICY.replace("    USER\n", ""))


def ask(base: str, token: str, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
    sent = {"X-API-Key": "k", "X-Session-Token": token} | {k.replace("_", "-"): v for k, v in headers.items()}
    return httpx.request(method, f"{base}/api/v2/data/_table/{path}", json=body, headers=sent, timeout=30)


def without_request(response: httpx.Response) -> dict[str, Any]:
    """Return the error of a response without the id of its request."""
    error: dict[str, Any] = response.json()["error"]
    del error["context"]["request_id"]
    return error


def names(base: str, token: str) -> list[str]:
    return [row["name"] for row in ask(base, token, "GET", "team?fields=name&order=name").json()["resource"]]


def test_records_kept_by_continue_are_kept_with_an_idempotency_key(base: str) -> None:
    body = [{"name": "one"}, {"name": "one"}, {"name": "two"}]
    first = ask(base, "ada", "POST", "team?continue=true", body, Idempotency_Key="batch")
    assert first.json()["error"]["context"]["error"] == [1]
    assert names(base, "ada") == ["one", "two"]
    again = ask(base, "ada", "POST", "team?continue=true", body, Idempotency_Key="batch")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert without_request(again) == without_request(first)
    assert again.json()["error"]["context"]["request_id"] == again.headers["X-Request-Id"]
    assert names(base, "ada") == ["one", "two"]
    failed = ask(base, "ada", "POST", "team", [{"name": "three"}, {"name": "one"}], Idempotency_Key="all or none")
    assert failed.json()["error"]["context"]["error"] == [1]
    ended = ask(base, "ada", "DELETE", "team?ids=99,1&continue=true", Idempotency_Key="delete")
    assert ended.json()["error"]["context"]["error"] == [0]
    assert names(base, "ada") == ["two"]


def test_a_response_is_replayed_only_to_its_caller(base: str) -> None:
    body = [{"name": "of my own"}]
    mine = ask(base, "ada", "POST", "team", body, Idempotency_Key="shared")
    theirs = ask(base, "robot", "POST", "team", body, Idempotency_Key="shared")
    assert "Idempotency-Replayed" not in theirs.headers
    assert mine.json() != theirs.json()
    assert names(base, "robot") == ["of my own"]


def test_without_users_a_response_is_replayed_only_to_its_session(
    new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    base, body = WITHOUT_USERS.start(serve, new_database(), tmp_path).url, [{"name": "of my own"}]
    mine = ask(base, "ada", "POST", "team", body, Idempotency_Key="shared")
    theirs = ask(base, "bea", "POST", "team", body, Idempotency_Key="shared")
    assert (mine.status_code, theirs.status_code, mine.json() == theirs.json()) == (200, 200, False)
    assert ask(base, "ada", "POST", "team", body, Idempotency_Key="shared").json() == mine.json()
    assert names(base, "bea") == ["of my own"]


def test_a_right_to_delete_does_not_include_updates(base: str) -> None:
    stale = ask(base, "ada", "DELETE", "task/2", If_Match='"1"')
    assert stale.status_code == 412
    assert ask(base, "ada", "PATCH", "task/2", {"unknown": 1}).status_code == 404
    assert ask(base, "ada", "PATCH", "task/1", {"unknown": 1}).status_code == 200


def test_a_read_only_parent_can_be_referenced_in_any_order(base: str) -> None:
    changed = {"badge_by_code": [{"title": "first"}]}
    assert ask(base, "ada", "PATCH", "profile/12", changed).status_code == 404
    new = [{"title": "second", "profile_by_code": {"userid": 12}}]
    assert ask(base, "ada", "POST", "badge?fields=code", new).json() == {"resource": [{"code": "p12"}]}
    assert ask(base, "ada", "PATCH", "profile/12", changed).status_code == 404
    other = [{"title": "third", "profile_by_code": {"userid": 21}}]
    assert ask(base, "ada", "POST", "badge", other).status_code == 400


def test_a_hidden_field_cannot_be_guessed_by_writing_it(base: str) -> None:
    for guess in ("one", "other"):
        refused = ask(base, "ada", "PATCH", "tenant/1", {"secret": guess}).json()["error"]["context"]
        assert (refused["reason"], refused["field"]) == ("field_not_writable", "secret")
        batch = [{"tenantid": 1, "secret": guess}]
        assert ask(base, "ada", "PATCH", "tenant", batch).json()["error"]["context"]["resource"][0]["code"] == 403


@pytest.mark.parametrize("sent", [{}, {"tenantid": 1}, {"tenantid": 2}])
def test_a_reference_set_on_create_may_be_sent_and_is_set(base: str, sent: dict[str, int]) -> None:
    new = ask(base, "ada", "POST", "sale?fields=tenantid,planid", [{"planid": 1} | sent])
    assert new.json() == {"resource": [{"tenantid": 1, "planid": 1}]}
    theirs = ask(base, "ada", "POST", "sale", [{"planid": 2} | sent])
    assert theirs.json()["error"]["context"]["resource"][0]["code"] == 409


def test_only_its_parent_can_release_a_child(base: str) -> None:
    none = [{"saleid": 100, "planid": None, "tenantid": None}]
    assert ask(base, "ada", "PATCH", "plan/(1,1)", {"sale_by_tenantid_planid": none}).status_code == 400
    other = {"sale_by_tenantid_planid": [{"saleid": 101, "planid": None}]}
    assert ask(base, "ada", "PATCH", "plan/(1,1)?allow_related_delete=true", other).status_code == 404
    assert ask(base, "ada", "GET", "sale/101").status_code == 200
    own = {"sale_by_tenantid_planid": [{"saleid": 102, "planid": None}]}
    assert ask(base, "ada", "PATCH", "plan/(1,1)?allow_related_delete=true", own).status_code == 200
    assert ask(base, "ada", "GET", "sale/102").status_code == 404
    assert ask(base, "ada", "PATCH", "profile/11", {"badge_by_code": [{"title": "of 11"}]}).status_code == 200
    badge = ask(base, "ada", "GET", "badge?filter=title%3D%27of%2011%27").json()["resource"][0]
    release = {"badge_by_code": [{"badgeid": badge["badgeid"], "code": None}]}
    refused = ask(base, "other", "PATCH", "profile/12", release)
    assert (refused.status_code, refused.json()["error"]["context"]["field"]) == (403, "code")
    assert ask(base, "ada", "GET", f"badge/{badge['badgeid']}").json() == badge
    for _ in range(2):
        assert ask(base, "ada", "PATCH", "profile/11", release).status_code == 200
    assert ask(base, "ada", "GET", f"badge/{badge['badgeid']}").json()["code"] is None
