"""Database roles of a login without rights of its own, of a project's policy, and of a missing role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.support import DATA, NewDatabase, Serve, execute, ok, rejection
from tests.helpers.tokens import SECRET, bearer

TODOS = (DATA / "row_security" / "todos.sql").read_text()
LOGIN = """
do $$ begin
  if not exists (select from pg_roles where rolname = 'authenticator') then
    create role authenticator noinherit login password 'mysecretpassword'; end if;
exception when unique_violation or duplicate_object then null; end $$;
grant web_anon, todo_user to authenticator;
"""
T = "/api/v2/todo/_table/api.todos"
USER = {"role": "todo_user", "email": "person@example.com"}


@pytest.fixture(scope="module")
def url(module_database: NewDatabase) -> str:
    return module_database(TODOS + LOGIN)


@pytest.fixture(scope="module")
def http(url: str, module_serve: Serve) -> Iterator[httpx.Client]:
    """Serve the tutorial's schema as its login, which has no right to any table."""
    access = {
        "roles": {
            "web_anon": {"database_role": "web_anon", "schemas": ["api"]},
            "todo_user": {"database_role": "todo_user", "schemas": ["api"]},
            "lost": {"database_role": "no_such_role"},
            "narrow": {
                "database_role": "todo_user",
                "access": [{"component": "_table/api.todos/*", "verb_mask": 1,
                            "filters": [{"name": "done", "operator": "=", "value": False}]}],
            },
        },
        "anonymous": "web_anon",
    }  # fmt: skip
    login = "authenticator:mysecretpassword@" + url.rpartition("@")[2]
    started = module_serve("--dataset", f"todo=postgresql://{login}", access=access, JWT_SECRET=SECRET)
    with httpx.Client(base_url=started.url, timeout=30) as client:
        yield client


def tasks(http: httpx.Client, **options: Any) -> list[str]:
    response = http.get(f"{T}?fields=task", **options)
    return [row["task"] for row in ok(response)["resource"]]


def test_the_steps_of_the_tutorial_give_its_results(http: httpx.Client) -> None:
    assert tasks(http) == ["finish tutorial 0", "pat self on back"]
    new = {"resource": [{"task": "do bad thing"}]}
    assert http.post(T, json=new).status_code == 403
    done = http.post(T, json={"resource": [{"task": "learn how to auth"}]}, headers=bearer(USER))
    assert done.json() == {"resource": [{"id": 3}]}
    changed = http.patch(f"{T}?filter=id>0", json={"resource": [{"done": True}]}, headers=bearer(USER))
    assert len(changed.json()["resource"]) == 3
    assert http.get(f"{T}?filter=done=true&count_only=true").text == "3"
    assert http.request("DELETE", f"{T}/3", headers=bearer(USER)).status_code == 200
    http.patch(f"{T}?filter=id>0", json={"resource": [{"done": False}]}, headers=bearer(USER))


def test_a_policy_of_the_access_file_narrows_the_grants(http: httpx.Client, url: str) -> None:
    execute(url, "insert into api.todos (id, task, done) values (100, 'over', true)")
    assert tasks(http, headers=bearer({"role": "narrow"})) == ["finish tutorial 0", "pat self on back"]
    assert http.request("DELETE", f"{T}/1", headers=bearer({"role": "narrow"})).status_code == 403
    execute(url, "delete from api.todos where id = 100")


def test_a_missing_database_role_has_no_rights(http: httpx.Client) -> None:
    assert http.get(T, headers=bearer({"role": "lost"})).status_code == 403
    response = http.get(T, headers=bearer({"role": "postgres"}))
    assert rejection(response) == (401, "unknown_role")


def test_a_role_that_can_no_longer_be_assumed_is_rejected(http: httpx.Client, url: str) -> None:
    execute(url, "revoke todo_user from authenticator")
    try:
        response = http.get(T, headers=bearer(USER))
        assert response.status_code == 403
        assert tasks(http) == ["finish tutorial 0", "pat self on back"]
    finally:
        execute(url, "grant todo_user to authenticator")


SCHEMA = """
create table note (noteid integer primary key, owner text not null default current_setting('request.jwt.claim.name'),
                   text text, inner_text text);
insert into note values (1, 'ada', 'of ada', 'x'), (2, 'ben', 'of ben', 'x');
alter table note enable row level security;
do $$ begin
  if not exists (select from pg_roles where rolname = 'note_user') then create role note_user nologin; end if;
exception when unique_violation or duplicate_object then null; end $$;
grant select, insert, update on note to note_user;
create table idempotency (
  principal text, key text, route text not null, bodyhash bytea not null, status integer, headers jsonb, body bytea,
  createdon timestamptz not null default now(), primary key (principal, key)
);
create policy own on note using (owner = current_setting('request.jwt.claims')::json ->> 'name');
"""
POLICY = '''"""Notes under the row security of the database, as the policy limits the columns."""
from tableapi.auth.policy import Access, DatabaseRole, Rule, Sessions

POLICY = {"note": Access(read=Rule(hidden={"inner_text"}), create=Rule(fields={"noteid", "text"}), update=Rule())}
DATABASE_ROLES = {"person": DatabaseRole("note_user", grants=False)}
SESSIONS = Sessions(
    lookup="select 'person' as role, n.name from (values ('ada'), ('ben')) n (name) where $1 = sha256(n.name::bytea) "
    "union all select 'clerk', 'clerk' where $1 = sha256('clerk')"
)
'''


@pytest.fixture(scope="module")
def notes(
    module_database: NewDatabase, module_serve: Serve, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("notes")
    (folder / "schema.sql").write_text(SCHEMA)
    (folder / "policy.py").write_text(POLICY)
    started = module_serve(cwd=folder, DATABASE_URL=module_database(), APP_KEYS="k", RATE_LIMITS="off", WORKER="off")
    with httpx.Client(base_url=f"{started.url}/api/v2/data/_table", headers={"X-API-Key": "k"}, timeout=30) as client:
        yield client


def test_sessions_of_a_project_run_as_a_database_role(notes: httpx.Client) -> None:
    for name in ("ada", "ben"):
        response = notes.get("/note?fields=*", headers={"X-Session-Token": name})
        assert [row["text"] for row in response.json()["resource"]] == [f"of {name}"]
        assert "inner_text" not in response.text
        assert notes.get("/note?fields=inner_text", headers={"X-Session-Token": name}).status_code == 400
    clerk = notes.get("/note", headers={"X-Session-Token": "clerk"})
    assert len(clerk.json()["resource"]) == 2


def test_an_idempotent_write_of_a_project_runs_as_the_role_and_is_stored(notes: httpx.Client) -> None:
    headers = {"X-Session-Token": "ada", "Idempotency-Key": "note-3"}
    body = {"resource": [{"noteid": 3, "text": "new"}]}
    first = notes.post("/note?fields=owner", json=body, headers=headers)
    assert first.json() == {"resource": [{"owner": "ada"}]}
    again = notes.post("/note?fields=owner", json=body, headers=headers)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert notes.get("/note/3", headers={"X-Session-Token": "ben"}).status_code == 404
    assert notes.get("/note/3", headers={"X-Session-Token": "clerk"}).status_code == 200
    refused = notes.patch(
        "/note/2", json={"text": "mine"}, headers={"X-Session-Token": "ada", "Idempotency-Key": "note-2"}
    )
    assert refused.status_code == 404
