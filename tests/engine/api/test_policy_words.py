"""Policy rules for written references: writable fields, `set_on_create`, row rules, `editable_in` and `ignored`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg
import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import rejection

SCHEMA = """
create table team (teamid integer primary key, name text, accountid integer);
create table task (taskid serial primary key, name text, accountid integer, teamid integer references team,
                   state text not null default 'open');
create table badge (badgeid serial primary key, label text, accountid integer, teamid integer unique references team);
create table label (labelid integer primary key, text text);
create table note (noteid integer primary key, text text);
create table sealed (id integer primary key, shown text not null, hidden text not null);
create table link (teamid integer references team, labelid integer references label, primary key (teamid, labelid));
"""
ROWS = """
truncate team, task, badge, label, link, note restart identity;
insert into note values (1, 'kept');
insert into team values (10, 'Ten', 1), (11, 'Eleven', 1), (90, 'Ninety', 9);
insert into task (name, accountid, teamid, state)
    values ('a', 1, 10, 'open'), ('b', 1, 10, 'closed'), ('z', 9, 90, 'open');
insert into badge (label, accountid, teamid) values ('gold', 1, 10);
insert into label values (1, 'red');
insert into link values (10, 1);
"""
POLICY = '''"""Teams and their tasks."""
from tableapi.auth.policy import Access, Rule, Sessions


def own(table, actor):
    return table.c.accountid == actor.accountid


def own_metals(table, actor):
    return own(table, actor) & table.c.label.in_(["gold", "silver"])


def unfinished(table, actor):
    return table.c.state != "closed"


STAMP = {"accountid": lambda actor: actor.accountid}
POLICY = {
    "team": Access(
        read=Rule(rows=own), create=Rule(rows=own, fields={"teamid", "name"}, set_on_create=STAMP),
        update=Rule(rows=own, fields={"name"}),
    ),
    "task": Access(
        read=Rule(rows=own),
        create=Rule(rows=own, fields={"name", "state"}, set_on_create=STAMP | {"teamid": lambda actor: actor.home},
                    ignored={"taskid"}),
        update=Rule(rows=own, fields={"name", "state"}, editable_in={"state": unfinished}),
    ),
    "badge": Access(read=Rule(rows=own_metals), update=Rule(rows=own, fields={"label"})),
    "label": Access(read=Rule()),
    "note": Access(read=Rule(), create=Rule(), update=Rule()),
    "sealed": Access(read=Rule(hidden={"hidden"}), create=Rule(fields={"id", "shown"}),
                     update=Rule(fields={"shown"})),
    "link": Access(read=Rule()),
}
SESSIONS = Sessions(
    lookup="select 'user' as role, 1 as accountid, 10 as home, 5 as appuserid where $1 = sha256('token')",
    identity=frozenset({"accountid"}),
)
'''

HOOK = '''"""A note is changed by this hook alone."""


async def patch(ctx, records, options) -> None:
    for record in records:
        record["text"] = "by the hook"
'''
SERVED = Served(SCHEMA, policy=POLICY, files={"scripts/tables/note.py": HOOK}, each=ROWS)


@pytest.fixture
def stored(url: str) -> Callable[[], dict[str, list[tuple[Any, ...]]]]:
    """Return a function that reads every row of the database."""

    async def read() -> dict[str, list[tuple[Any, ...]]]:
        connection = await asyncpg.connect(url)
        names = ("team", "task", "badge", "label", "link", "note")
        rows = {name: await connection.fetch(f"select * from {name} order by 1, 2") for name in names}
        await connection.close()
        return {name: [tuple(row) for row in records] for name, records in rows.items()}

    return lambda: asyncio.run(read())


REJECTED: list[tuple[str, dict[str, Any], str]] = [
    # a parent: another, none, a new row
    ("/task/1", {"team_by_teamid": {"teamid": 11}}, "field_not_writable"),
    ("/task/1", {"team_by_teamid": {"teamid": 90}}, "field_not_writable"),
    ("/task/1", {"team_by_teamid": {"teamid": 77}}, "field_not_writable"),
    ("/task/1", {"team_by_teamid": None}, "field_not_writable"),
    ("/task/1", {"team_by_teamid": {"name": "new"}}, "field_not_writable"),
    ("/task/1", {"team_by_teamid": {"teamid": 99, "name": "new"}}, "field_not_writable"),
    ("/task/1", {"team_by_teamid": {"teamid": 90, "name": "taken"}}, "field_not_writable"),
    ("/task/1", {"teamid": 11, "team_by_teamid": {"teamid": 10}}, "duplicate_field"),
    # a child: linked, created, released
    ("/team/11", {"task_by_teamid": [{"taskid": 1}]}, "field_not_writable"),
    ("/team/11", {"task_by_teamid": [{"taskid": 1, "name": "taken"}]}, "field_not_writable"),
    ("/team/11", {"task_by_teamid": [{"name": "new"}]}, "tenant_mismatch"),
    ("/team/10", {"task_by_teamid": [{"taskid": 1, "teamid": None}]}, "field_not_writable"),
    ("/team/10", {"task_by_teamid": [{"taskid": 3}]}, "not_found"),
    ("/team/10", {"task_by_teamid": [{"name": "new", "accountid": 9}]}, "tenant_mismatch"),
    ("/team/10", {"badge_by_teamid": None}, "field_not_writable"),
    ("/team/11", {"badge_by_teamid": {"badgeid": 1}}, "field_not_writable"),
    ("/team/11", {"badge_by_teamid": {"label": "new"}}, "forbidden"),
    # a link
    ("/team/11", {"label_by_link": [{"labelid": 1}]}, "forbidden"),
    ("/team/10", {"label_by_link": [{"labelid": 1, "label.labelid": None}]}, "forbidden"),
    # a row of the caller
    ("/task/2", {"state": "open"}, "field_not_writable"),
]


@pytest.mark.parametrize(("path", "record", "reason"), REJECTED, ids=lambda case: str(case))
def test_a_reference_obeys_the_policy(
    http: httpx.Client, stored: Any, path: str, record: dict[str, Any], reason: str
) -> None:
    before = stored()
    for _ in range(2):
        for method in ("PATCH", "PUT"):
            refused = http.request(method, path, json=record)
            error = refused.json()["error"]
            assert error["context"]["reason"] == reason, refused.text
            assert refused.status_code == {"duplicate_field": 400, "not_found": 404}.get(reason, 403)
    key, ident = f"{path.split('/')[1]}id", int(path.rpartition("/")[2])
    for query in ({}, {"continue": "true"}):
        listed = http.patch(path.rpartition("/")[0], params=query, json={"resource": [{key: ident} | record]})
        assert (listed.status_code, listed.json()["error"]["code"]) == (400, 1000)
    assert stored() == before


def test_unchanged_values_are_accepted(http: httpx.Client, stored: Any) -> None:
    before = stored()
    for path, record in (
        ("/task/1", {"team_by_teamid": {"teamid": 10}, "teamid": 10, "accountid": 1}),
        ("/team/10", {"task_by_teamid": [{"taskid": 1}, {"taskid": 2, "state": "closed"}]}),
        ("/team/10", {"badge_by_teamid": {"badgeid": 1}, "label_by_link": [{"labelid": 1}]}),
        ("/team/11", {"badge_by_teamid": None}),
        ("/task/2", {"state": "closed"}),
    ):
        done = http.patch(path, json=record)
        assert done.status_code == 200, done.text
    assert stored() == before
    renamed = http.patch("/task/1", json={"team_by_teamid": {"teamid": 10, "name": "Renamed"}})
    assert renamed.status_code == 200, renamed.text
    assert stored()["team"][0] == (10, "Renamed", 1)


def test_a_value_set_on_create_cannot_be_chosen_by_the_caller(http: httpx.Client, stored: Any) -> None:
    before = stored()
    for record in ({"teamid": 11}, {"team_by_teamid": {"teamid": 11}}, {"team_by_teamid": {"teamid": 90}},
                   {"accountid": 9}, {"team_by_teamid": {"name": "new"}}):  # fmt: skip
        refused = http.post("/task", json={"resource": [{"name": "new"} | record]})
        assert refused.status_code == 400, refused.text
        assert refused.json()["error"]["context"]["resource"][0]["status_code"] == 403
    assert stored() == before
    for record in ({}, {"teamid": 10, "accountid": 1}, {"team_by_teamid": {"teamid": 10}}, {"taskid": 1}):
        response = http.post("/task", json={"resource": [{"name": "new"} | record]})
        assert response.status_code == 200, response.text
    assert http.patch("/team/10", json={"task_by_teamid": [{"name": "new"}]}).status_code == 200
    assert {row[1:] for row in stored()["task"][3:]} == {("new", 1, 10, "open")}


def test_a_field_can_be_changed_only_in_permitted_rows(http: httpx.Client, stored: Any) -> None:
    mixed = http.patch("/task", params={"filter": "taskid>0"}, json={"resource": [{"state": "new"}]})
    assert rejection(mixed) == (403, "field_not_writable")
    for query, body in (
        ({"ids": "1,2"}, [{"state": "new"}]), ({}, [{"taskid": 1, "state": "new"}, {"taskid": 2, "state": "new"}]),
    ):  # fmt: skip
        assert http.patch("/task", params=query, json={"resource": body}).status_code == 400
    assert [row[4] for row in stored()["task"]] == ["open", "closed", "open"]
    some = http.patch("/task", params={"ids": "1,2", "continue": "true"}, json={"resource": [{"state": "new"}]})
    assert some.json()["error"]["context"]["error"] == [1]
    assert [row[4] for row in stored()["task"]] == ["new", "closed", "open"]
    for value in ("closed", "closed"):
        assert http.patch("/task/1", json={"state": value}).status_code == 200
    assert http.patch("/task/1", json={"state": "open"}).status_code == 403
    closed = http.patch("/task", params={"filter": "state=closed"}, json={"resource": [{"state": "closed"}]})
    assert len(closed.json()["resource"]) == 2


def test_an_upsert_does_not_bypass_the_update_hook(http: httpx.Client, stored: Any) -> None:
    for ident in (1, 2):
        refused = http.post("/note", params={"upsert": "true"}, json={"resource": [{"noteid": ident, "text": "x"}]})
        assert refused.json()["error"]["context"]["resource"][0]["status_code"] == 403, refused.text
    assert stored()["note"] == [(1, "kept")]
    assert http.post("/note", json={"resource": [{"noteid": 2, "text": "x"}]}).status_code == 200
    for path, body in (("/note/2", {"Text": "x"}), ("/note", {"resource": [{"NoteId": 1, "TEXT": "x"}]})):
        assert http.patch(path, json=body).status_code == 200
    assert stored()["note"] == [(1, "by the hook"), (2, "by the hook")]


def test_the_error_for_a_missing_hidden_field_does_not_name_it(http: httpx.Client) -> None:
    records = {"resource": [{"id": 1, "shown": "a"}]}
    for query in ({}, {"upsert": "ignore"}, {"upsert": "true"}, {"continue": "true"}, {"dry_run": "true"}):
        response = http.post("/sealed", params=query, json=records)
        assert response.json()["error"]["context"]["resource"][0]["message"] == "A required field is missing or null."
    lines = http.post("/sealed?import=true", content="id,shown\n1,a\n", headers={"Content-Type": "text/csv"})
    assert lines.json()["error"]["context"]["errors"][0]["message"] == "A required field is missing or null."
    assert "hidden" not in lines.text
    shown = http.post("/sealed", json={"resource": [{"id": 1, "shown": None}]})
    assert "'shown' is required" in shown.text
