"""Every door gives the response of the plain request: caller x table x request, carried through one function a door.

The doors are the method in a header, QUERY, a step of a batch, and the question why (`Prefer: explain=rights`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import SqlClient, execute

STORE, OTHER = 1, 2  # stores of the callers with a row rule, and of other callers
TABLES = {
    "customer": "text not null",
    "orders": "text check (note <> 'wrong')",
    "order_line": "text unique",
    "secret": "text",
}
SQL = (
    "".join(
        f"create table {name} (id int primary key, store int not null, parent int, note {note});\n"
        f"insert into {name} select n, 1 + n % 2, nullif(n - 1, 0), '{name} ' || n from generate_series(1, 6) n;\n"
        for name, note in TABLES.items()
    )
    + """
alter table orders add foreign key (parent) references customer;
alter table order_line add foreign key (parent) references orders;
create table number (id int primary key);
insert into number select n from generate_series(0, 9) n;
create view sold as select id, store, note from orders;
create role cashier nologin;
grant usage on schema public to cashier;
grant select on number, sold, customer to cashier;
grant select (id, store, parent), insert, update (note) on orders to cashier;
grant select, delete on order_line to cashier;
alter table order_line enable row level security;
create policy own on order_line to cashier using (store = 1)
"""
)
OWN = [{"name": "store", "operator": "=", "value": "{user.store}"}]
NUMBERS = {"component": "_table/number/*", "verb_mask": 1}


def _access(mask: int, *tables: str, **more: Any) -> list[dict[str, Any]]:
    return [{"component": f"_table/{table}/*", "verb_mask": mask} | more for table in tables]


ACCESS: dict[str, dict[str, Any]] = {
    "keys": {
        "boss": {"role": "*"},
        "reader": {"role": "reader"},
        "writer": {"role": "writer"},
        "clerk": {"role": "clerk", "user": {"store": STORE}},
        "stranger": {"role": "clerk"},  # its row rule lacks a value
        "cashier": {"role": "cashier"},
        "guest": {"role": "guest"},
    },
    "roles": {
        "reader": {"access": [NUMBERS, *_access(1, "customer", "orders", "order_line", "sold")]},
        "writer": {"access": [NUMBERS, *_access(2 + 4 + 8, "customer", "orders"), *_access(16, "order_line")]},
        "clerk": {
            "access": [
                NUMBERS,
                *_access(31, "customer", "order_line", filters=OWN),
                *_access(1, "orders", "sold"),
                *_access(2 + 8, "orders", filters=OWN),
            ]
        },
        "cashier": {"database_role": "cashier"},
        "guest": {"access": []},
    },
}
SEED = {"id": "seed", "path": "_table/number", "query": {"order": "id"}}
LAST = {"id": "last", "path": "_table/number/12345"}
WITHOUT_NUMBERS = ("guest", "")


@dataclass(frozen=True)
class Case:
    """A request: its path below the table, its options, and its records."""

    method: str
    path: str = ""
    query: dict[str, Any] | None = None
    body: Any = None


def value(number: int, *, referred: bool) -> Any:
    """Return a number, or a reference to the first request's row that contains it."""
    return {"$ref": f"seed.resource.{number}.id"} if referred else number


def cases(*, referred: bool) -> Iterator[Case]:
    """Return the requests for a table. Records 2, 4 and 6 belong to STORE; 1, 3 and 5 do not."""

    def of(number: int) -> Any:
        return value(number, referred=referred)

    def record(ident: int, **more: Any) -> dict[str, Any]:
        return {"id": ident, "store": of(STORE), "parent": of(2), "note": f"new {ident}"} | more

    whole = {"fields": "id,store"}
    yield Case("GET", query={"order": "id"})
    yield Case("GET", query={"ids": [of(2), of(3)], "fields": "id,note"})
    yield Case("GET", query={"filter": "store = 1", "fields": "id", "order": "id", "limit": of(2)})
    yield Case("GET", query={"fields": "COUNT(*),MAX(store)"})
    yield Case("GET", query={"related": "orders_by_parent", "ids": of(2)})
    yield Case("GET", query={"filter": "nothing = 1"})
    for path in ("/2", "/3", "/77", "/x"):
        yield Case("GET", path)
    yield Case("POST", body=[record(70)])
    yield Case("POST", query=whole, body=[record(70), record(71)])
    yield Case("POST", body=[record(70), record(71, store=OTHER)])
    yield Case("POST", body=[record(70, parent=of(9))])
    yield Case("POST", body=[record(of(2))])
    yield Case("POST", body=[record(70, note="wrong")])
    yield Case("POST", query={"continue": "true"}, body=[record(70), record(71, store="x")])
    yield Case("POST", query={"upsert": "true", **whole}, body=[record(of(2)), record(72)])
    yield Case("POST", query={"upsert": "true"}, body=[record(of(3))])
    yield Case("POST", query={"upsert": "get"}, body=[record(of(4)), record(73)])
    for method in ("PATCH", "PUT"):
        yield Case(method, query=whole, body=[record(of(2)), record(of(4))])
        yield Case(method, body=[record(of(2)), record(of(3))])
        yield Case(method, body=[record(of(2), store=OTHER)])
        yield Case(method, body=[record(77)])
        for ident in (2, 3, 77):
            yield Case(method, f"/{ident}", body=record(ident))
    yield Case("PATCH", query={"ids": [of(2), of(4)]}, body=[{"note": "changed"}])
    yield Case(
        "PATCH", query={"filter": f"store = {STORE} and id > 3", "fields": "id,store"}, body=[{"store": of(STORE)}]
    )
    yield Case("PATCH", query={"filter": "id > 0", "max_affected": of(2)}, body=[{"store": of(STORE)}])
    yield Case("DELETE", query={"ids": [of(6)], "fields": "id,store"})
    yield Case("DELETE", query={"ids": [of(6), of(5)]})
    yield Case("DELETE", query={"filter": "id >= 5"})
    for ident in (6, 5, 77):
        yield Case("DELETE", f"/{ident}")


@pytest.fixture(scope="module")
def url(url: str) -> Iterator[str]:
    yield url
    execute(url, "drop owned by cashier; drop role cashier")  # roles belong to all databases of the server


SERVED = Served(SQL, ACCESS, dataset="shop", under="")


Outcome = tuple[int, Any]  # the status, and the body or the error


def _outcome(response: httpx2.Response) -> Outcome:
    body = response.json()
    return response.status_code, body if response.status_code == 200 else _plain(body["error"])


def _plain(error: dict[str, Any]) -> dict[str, Any]:
    """Return an error without the parts that differ between requests or appear once per response."""
    return error | {"context": {k: v for k, v in error["context"].items() if k not in ("request_id", "doc")}}


def _headers(caller: str) -> dict[str, str]:
    return {"X-API-Key": caller} if caller else {}


def _options(case: Case) -> dict[str, Any]:
    """Return the options of a request in a URL; a write is rolled back."""
    query = {k: ",".join(map(str, v)) if isinstance(v, list) else v for k, v in (case.query or {}).items()}
    return query if case.method == "GET" else query | {"dry_run": "true"}


def _reason(status: int, body: Any) -> Outcome:
    """Return the status and the reason of an outcome; in a list of records, those of the first that was rejected."""
    if status == 200:
        return status, None
    context = body["context"]
    if context["reason"] != "batch":
        return status, context["reason"]
    return next(record["code"] for record in context["resource"] if "status_code" in record), context["reasons"][0]


def alone(http: httpx2.Client, caller: str, table: str, case: Case) -> Outcome:
    path = f"_table/{table}{case.path}"
    return _outcome(http.request(case.method, path, params=_options(case), headers=_headers(caller), json=case.body))


def tunnelled(http: httpx2.Client, caller: str, table: str, case: Case) -> Outcome:
    headers = _headers(caller) | {"X-HTTP-Method": case.method}
    return _outcome(http.post(f"_table/{table}{case.path}", params=_options(case), headers=headers, json=case.body))


def queried(http: httpx2.Client, caller: str, table: str, case: Case) -> Outcome | None:
    if case.method != "GET":
        return None
    return _outcome(
        http.request("QUERY", f"_table/{table}{case.path}", headers=_headers(caller), json=case.query or {})
    )


def explained(http: httpx2.Client, caller: str, table: str, case: Case) -> Outcome | None:
    """Return the status and the reason that full rights are told of the role; a database role is not tried."""
    key = ACCESS["keys"].get(caller, {"role": "cashier"})
    if key["role"] in ("cashier", "*"):
        return None
    values = "".join(f"; user.{name}={value}" for name, value in key.get("user", {}).items())
    headers = _headers("boss") | {"Prefer": f"explain=rights; role={key['role']}{values}"}
    path = f"_table/{table}{case.path}"
    response = http.request(case.method, path, params=_options(case), headers=headers, json=case.body)
    told = response.json()
    if told["allowed"]:
        return 200, None
    refusal = told.get("refusal", {"status": 403, "reason": "forbidden"})
    return refusal["status"], refusal["reason"]


def in_batch(http: httpx2.Client, caller: str, table: str, case: Case, *, kept: bool) -> Outcome:
    """Return the outcome of a step; what it keeps, an error of the last step rolls back."""
    step = {"method": case.method, "path": f"_table/{table}{case.path}", "query": case.query, "id": "step"}
    steps = [
        *([SEED] if caller not in WITHOUT_NUMBERS else []),
        step | ({} if case.body is None else {"body": case.body}),
    ]
    body: dict[str, Any] = {"requests": steps, "dry_run": kept}
    response = http.post("_batch", json=body, headers=_headers(caller))
    if kept and case.method != "GET":
        failed = http.post("_batch", json={"requests": [*steps, LAST]}, headers=_headers(caller))
        context = failed.json()["error"]["context"]
        assert (failed.status_code, context["index"], context["id"]) == (404, len(steps), "last"), failed.text
    if response.status_code == 200:
        last = response.json()["responses"][-1]
        return last["status"], last["body"]
    status, error = _outcome(response)
    if error["context"].get("reason") != "batch_step":  # error of the batch as a whole
        return status, error
    assert (error["context"]["index"], error["context"]["id"]) == (len(steps) - 1, "step"), error
    return status, _plain(error["context"]["error"])


@pytest.mark.parametrize("caller", [*ACCESS["keys"], ""])
@pytest.mark.parametrize("table", [*TABLES, "sold"])
def test_every_door_gives_the_response_of_the_plain_request(
    http: httpx2.Client, db: SqlClient, table: str, caller: str
) -> None:
    def contents() -> list[Any]:
        return [db.fetch(f"select * from {name} order by id") for name in TABLES]

    before, differing, seen = contents(), [], set()
    for plain, referring in zip(cases(referred=False), cases(referred=True), strict=True):
        status, body = expected = alone(http, caller, table, plain)
        seen.add(status)
        found = {
            "tunnelled": tunnelled(http, caller, table, plain),
            "queried": queried(http, caller, table, plain),
            "in a batch": in_batch(
                http, caller, table, plain if caller in WITHOUT_NUMBERS else referring, kept=status == 200
            ),
            "explained": explained(http, caller, table, plain),
        }
        for door, outcome in found.items():
            if outcome is None:
                continue
            if door == "explained":
                wanted = _reason(status, body)
            elif "The options refer to" in str(outcome):  # quotes no referenced value
                wanted, outcome = ((one[0], one[1]["context"]["reason"]) for one in (expected, outcome))
            else:
                wanted = expected
            if outcome != wanted:
                differing.append((door, plain, expected, outcome))
    assert not differing, f"{len(differing)} differ, first: {differing[0]}"
    assert contents() == before
    assert {"": 401, "guest": 403, "boss": 200}.get(caller, min(seen)) in seen
