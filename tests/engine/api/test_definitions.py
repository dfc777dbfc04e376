"""Errors of a database's own definitions: restricting keys, raising triggers, failing and unpopulated views."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served

TABLES = """
create table country (id integer primary key, name text not null);
create table city (id integer primary key, country_id integer not null references country on delete restrict);
create table area (id integer primary key, country_id integer references country on update restrict);
insert into country values (1, 'one'), (2, 'two'), (3, 'three');
insert into city values (1, 1); insert into area values (1, 2);
create materialized view later as select id, name from country with no data;
create view ratio as select id, 10 / (id - 2) as share from country;
create view parsed as select id, name::integer as number from country;
create view several as select id, (select c.id from country c where c.id <> 3) as one from country;
create function secret_inner() returns integer language plpgsql as $$
begin perform 1 / 0; return 1; end $$;
create view called as select id, secret_inner() as made from country;
create table watched (id integer primary key, name text, kind text);
create function watch() returns trigger language plpgsql as $$
begin
  if new.kind = 'plain' then raise exception 'Closed on Sundays'; end if;
  if new.kind = 'hinted' then
    raise exception 'Closed' using detail = 'It is a Sunday.', hint = 'Come on Monday.';
  end if;
  if new.kind = 'coded' then raise exception 'Twice is too much' using errcode = 'unique_violation'; end if;
  if new.kind = 'own' then raise exception 'Own code' using errcode = 'ZZ123'; end if;
  if new.kind = 'busy' then raise exception 'Not now' using errcode = 'serialization_failure'; end if;
  if new.kind = 'broken' then perform missing_column from country; end if;
  if new.kind = 'cast' then new.id := 'x'::integer; end if;
  if new.kind = 'assert' then assert false, 'never'; end if;
  return new;
end $$;
create trigger watch before insert or update on watched for each row execute function watch();
insert into watched values (1, 'a', null);
create view shouted as select id, name, upper(name) as loud from country;
create view counted as select name, count(*) as n from country group by name;
create sequence unused;
create table grid (id integer primary key, cells integer[], name text);
insert into grid values (1, '{{1,2}}', 'one'), (2, '{3}', 'two');
create function place(grid) returns integer language sql stable as 'select array_position($1.cells, 1)';
create function next_number(grid) returns bigint language sql stable as 'select currval(''unused'')';
create function places() returns setof integer language sql stable as 'select array_position(array[[1, 2]], 1)';
create function numbers() returns setof bigint language sql stable as 'select currval(''unused'')';
create function closed() returns integer language plpgsql as
    $$ begin raise exception 'Closed today' using errcode = '55000', hint = 'Come tomorrow.'; end $$;
create function closed(grid) returns integer language plpgsql stable as
    $$ begin raise exception 'Closed today' using errcode = '0A000'; end $$;
create procedure close_it() language plpgsql as
    $$ begin raise exception 'Closed today' using errcode = '55000'; end $$;
create view placed as select id, array_position(cells, 1) as place from grid;
create view numbered as select id, currval('unused') as number from country;
"""
ACCESS = {
    "keys": {"all": {"role": "*"}, "some": {"role": "some"}},
    "roles": {"some": {"access": [{"component": "*", "verb_mask": 31}]}},
}
SERVED = Served(TABLES, ACCESS, PUBLIC_ROUTINES="places,numbers,closed,close_it")


def refused(base: str, key: str, method: str, path: str, **options: Any) -> dict[str, Any]:
    response = httpx.request(method, base + path, headers={"X-API-Key": key}, timeout=30, **options)
    error: dict[str, Any] = response.json()["error"]
    if error["code"] == 1000:
        error = error["context"]["resource"][-1]
    assert error["status_code"] in (400, 403, 409), response.text
    assert not {"SELECT", "select", "watch()"} & set(error["message"].split())
    return error


@pytest.mark.parametrize(
    ("method", "path", "options"),
    [
        ("DELETE", "/country/1", {}),
        ("DELETE", "/country/2", {}),
        ("DELETE", "/country", {"params": {"ids": "1"}}),
        ("DELETE", "/country", {"params": {"filter": "id = 1"}}),
        ("DELETE", "/country", {"params": {"force": "true"}}),
    ],
)
def test_a_referenced_record_is_not_deleted(base: str, method: str, path: str, options: dict[str, Any]) -> None:
    error = refused(base, "all", method, path, **options)
    assert error["status_code"] == 409
    assert httpx.get(f"{base}/country?count_only=true", headers={"X-API-Key": "all"}).json() == 3


def test_an_unpopulated_view_is_reported(base: str) -> None:
    for key in ("all", "some"):
        error = refused(base, key, "GET", "/later")
        assert (error["code"], error["context"]["reason"]) == (409, "not_populated")
        assert ("postgres" in error["context"]) is (key == "all")
    assert refused(base, "all", "GET", "/later?count_only=true")["context"]["reason"] == "not_populated"


@pytest.mark.parametrize("view", ["ratio", "several", "called"])
def test_a_failing_view_is_reported_as_a_definition_error(base: str, view: str) -> None:
    for key in ("all", "some"):
        error = refused(base, key, "GET", f"/{view}")
        assert (error["code"], error["context"]["reason"]) == (409, "definition_fails")
        assert ("postgres" in error["context"]) is (key == "all")


def test_a_value_unreadable_for_a_view_is_reported(base: str) -> None:
    assert refused(base, "all", "GET", "/parsed")["code"] in (400, 409)


@pytest.mark.parametrize(
    ("kind", "status", "message"),
    [
        ("plain", 400, "Closed on Sundays"),
        ("coded", 409, "Twice is too much"),
        ("own", 400, "Own code"),
        ("busy", 400, "Not now"),
        ("broken", 409, ""),
        ("cast", 409, ""),
        ("assert", 409, ""),
    ],
)
def test_trigger_errors_reach_the_caller(base: str, kind: str, status: int, message: str) -> None:
    for method, path, body in (
        ("POST", "/watched", {"resource": [{"id": 7, "kind": kind}]}),
        ("PATCH", "/watched/1", {"kind": kind}),
        ("PATCH", "/watched?ids=1", {"resource": [{"kind": kind}]}),
        ("PATCH", "/watched?filter=id%3D1", {"resource": [{"kind": kind}]}),
    ):
        for key in ("all", "some"):
            error = refused(base, key, method, path, json=body)
            assert error["status_code"] == status, error
            assert message in error["message"]
            assert "never" not in error["message"]


def test_a_trigger_hint_is_returned_with_its_message(base: str) -> None:
    error = refused(base, "some", "POST", "/watched", json={"resource": [{"id": 7, "kind": "hinted"}]})
    assert error["message"] == "Closed"
    assert (error["context"]["detail"], error["context"]["hint"]) == ("It is a Sunday.", "Come on Monday.")


@pytest.mark.parametrize("key", ["all", "some"])
@pytest.mark.parametrize(
    ("method", "path", "record", "field"),
    [
        ("PATCH", "/shouted?filter=id = 1", {"loud": "X"}, "loud"),
        ("POST", "/shouted", {"id": 9, "loud": "X"}, "loud"),
        ("POST", "/counted", {"name": "X"}, None),
        ("DELETE", "/counted?filter=name = X", None, None),
    ],
)
def test_a_write_that_a_view_does_not_support_names_the_field(
    base: str, key: str, method: str, path: str, record: Any, field: str | None
) -> None:
    error = refused(base, key, method, path, **({"json": [record]} if record else {}))
    context = error["context"] or {"reason": "not_writable"}  # a list has it in `reasons`
    assert (context["reason"], context.get("field")) == ("not_writable", field)
    assert "cannot be written" in error["message"]
    assert field is None or f"'{field}'" in error["message"]


@pytest.mark.parametrize("key", ["all", "some"])
@pytest.mark.parametrize("query", ["", "?filter=number = 1", "?count_only=true&filter=number = 1", "?group=number"])
def test_a_read_never_says_that_it_cannot_write(base: str, key: str, query: str) -> None:
    error = refused(base, key, "GET", f"/numbered{query}")
    assert (error["status_code"], error["context"]["reason"]) == (409, "definition_fails")
    step = {"path": "_table/numbered", "query": {"filter": "number = 1"}}
    batch = refused(base.removesuffix("/_table"), key, "POST", "/_batch", json={"requests": [step]})
    assert batch["context"]["error"]["context"]["reason"] == "definition_fails"


@pytest.mark.parametrize("key", ["all", "some"])
@pytest.mark.parametrize(
    ("method", "path", "body", "reason"),
    [
        ("GET", "/placed", None, "bad_type"),
        ("GET", "/placed?filter=place = 1", None, "bad_type"),
        ("QUERY", "/placed", {"filter": "place = 1"}, "bad_type"),
        ("GET", "/grid?fields=id,place", None, "bad_type"),
        ("GET", "/grid/1?fields=id,place", None, "bad_type"),
        ("GET", "/grid?ids=1,2&fields=id,place", None, "bad_type"),
        ("GET", "/grid?order=place", None, "bad_type"),
        ("GET", "/grid?filter=next_number = 1", None, "definition_fails"),
        ("PATCH", "/grid?filter=place = 1", [{"name": "x"}], "bad_type"),
        ("PATCH", "/grid?filter=next_number = 1", [{"name": "x"}], "definition_fails"),
        ("DELETE", "/grid?filter=place = 1", None, "bad_type"),
        ("GET", "/../_func/places", None, "bad_type"),
        ("GET", "/../_func/places?limit=1", None, "bad_type"),
        ("POST", "/../_func/places", {}, "bad_type"),
        ("GET", "/../_func/numbers", None, "definition_fails"),
        ("GET", "/../_func/closed", None, "rule"),
        ("POST", "/../_func/closed", {}, "rule"),
        ("POST", "/../_proc/close_it", {}, "rule"),
        ("GET", "/grid?fields=closed", None, "rule"),
    ],
)
def test_a_read_is_never_told_that_it_cannot_be_written(
    base: str, key: str, method: str, path: str, body: Any, reason: str
) -> None:
    """Neither is a routine, nor the part of a write that reads."""
    error = refused(base, key, method, path, **({"json": body} if body is not None else {}))
    context = error["context"] or {"reason": reason}  # a list has it in `reasons`
    assert context["reason"] == reason, error
    assert "written" not in error["message"]
    assert ("Closed today" in error["message"]) is (reason == "rule")
    names = {"X-API-Key": "all"}
    assert [row["name"] for row in httpx.get(f"{base}/grid", headers=names).json()["resource"]] == ["one", "two"]
