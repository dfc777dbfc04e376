"""Window functions over a page: errors, right values, rights, and pages."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.helpers.agents import agent
from tests.helpers.served import Served
from tests.helpers.support import ok, rejection

SQL = """
create table customer (id integer primary key, name text, company integer);
create table orders (id integer primary key, customer_id integer references customer, status text, total numeric,
    company integer, doc jsonb, created date, shape point);
create table loose (a integer, b integer);
insert into customer values (1, 'Ada', 1), (2, 'Ben', 1), (3, 'Zoe', 2);
insert into orders values
    (1, 1, 'open', 10, 1, '{"n": 1}', '2026-01-05'), (2, 1, 'done', 20, 1, '{"n": 5}', '2026-01-20'),
    (3, 1, 'done', 20, 1, null, '2026-02-01'), (4, 2, 'open', 80, 1, '{"n": "x"}', '2026-02-02'),
    (5, 3, 'open', 1000, 2, null, '2026-02-03'), (6, 2, 'done', null, 1, '{"n": null}', null);
insert into loose values (1, 1), (1, 2), (2, 3);
create function big(floor integer) returns setof orders language sql stable as
    'select * from orders where total >= floor';
"""
OWN = [{"name": "company", "operator": "=", "value": "{user.company}"}]
ACCESS = {
    "keys": {"boss": {"role": "*"}, "clerk": {"role": "clerk", "user": {"company": 1}}},
    "roles": {
        "clerk": {
            "access": [
                {"component": "_table/orders/*", "verb_mask": 1, "filters": OWN},
                {"component": "_table/orders", "verb_mask": 1, "filters": OWN},
            ]
        }
    },
}
SERVED = Served(SQL, ACCESS, under="", key="boss", PUBLIC_ROUTINES="big")


def read(http: httpx2.Client, table: str = "orders", key: str = "boss", **options: str) -> Any:
    response = http.get(f"_table/{table}", params=options, headers={"X-API-Key": key})
    return ok(response)["resource"]


def values(http: httpx2.Client, call: str, **options: str) -> list[Any]:
    return [row["v"] for row in read(http, **({"fields": f"{call} AS v"} | options))]


WINDOW = "OVER (ORDER BY id) AS v"


@pytest.mark.parametrize(
    ("fields", "reason", "hint"),
    [
        ("ROW_NUMBER() AS v", "bad_window", "OVER (ORDER BY <field>)"),
        ("LAG(total) AS v", "bad_window", "OVER (ORDER BY <field>)"),
        ("RANK()", "bad_window", "OVER (ORDER BY <field>)"),
        ("ROW_NUMBER() OVER () AS v", "bad_window", "needs ORDER BY"),
        ("SUM(total) OVER (PARTITION BY status) AS v", "bad_window", "needs ORDER BY"),
        ("SUM(total) OVER (ORDER BY) AS v", "bad_window", "needs ORDER BY"),
        ("SUM(total) OVER w AS v", "bad_window", "OVER must be followed by parentheses"),
        ("SUM(total) OVER (ORDER BY id AS v", "bad_window", "not closed"),
        ("SUM(total) OVER (status ORDER BY id) AS v", "bad_window", "PARTITION BY"),
        ("SUM(total) OVER (PARTITION BY ORDER BY id) AS v", "bad_window", "PARTITION BY"),
        ("SUM(total) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS v", "bad_window", "to the current"),
        ("SUM(total) OVER (ORDER BY id)", "bad_alias", "AS sum"),
        ("SUM(LAG(total) OVER (ORDER BY id)) OVER (ORDER BY id) AS v", "bad_window", "inside another"),
        ("LAG(SUM(total)) OVER (ORDER BY id) AS v", "bad_window", "inside another"),
        (f"LAG(ROW_NUMBER()) {WINDOW}", "bad_window", "inside another"),
        ("SUM(total) OVER (ORDER BY ROW_NUMBER() OVER (ORDER BY id)) AS v", "bad_window", "inside another"),
        ("SUM(total) OVER (PARTITION BY LAG(id) ORDER BY id) AS v", "bad_window", "needs a window"),
        ("SUM(total) OVER (ORDER BY LAG(id)) AS v", "bad_window", "needs a window"),
        ("SUM(total) OVER (ORDER BY SUM(total)) AS v", "bad_order", ""),
        (f"ROWNUMBER() {WINDOW}", "unknown_function", "ROW_NUMBER"),
        (f"NTILE(4) {WINDOW}", "unknown_function", ""),
        (f"HIGHLIGHT(status) {WINDOW}", "bad_window", "does not support OVER"),
        (f"CAST(total AS integer) {WINDOW}", "bad_window", "does not support OVER"),
        (f"COUNT(DISTINCT status) {WINDOW}", "bad_window", "does not support OVER"),
        (f"PERCENTILE(total, 0.5) {WINDOW}", "bad_window", "does not support OVER"),
        (f"LAG(total, 0) {WINDOW}", "bad_window", "1 to 1,000"),
        (f"LAG(total, 5000) {WINDOW}", "bad_window", "1 to 1,000"),
        (f"LAG(total, 1, 0) {WINDOW}", "bad_window", ""),
        (f"LAG(total) FILTER (WHERE id > 1) {WINDOW}", "bad_window", ""),
        (f"LAG(totl) {WINDOW}", "unknown_field", "total"),
        (f"SUM(status) {WINDOW}", "bad_type", ""),
        ("LAG(total) OVER (ORDER BY crated) AS v", "unknown_field", "created"),
        ("LAG(total) OVER (PARTITION BY stauts ORDER BY id) AS v", "unknown_field", "status"),
        ("LAG(total) OVER (ORDER BY shape) AS v", "bad_type", ""),
        ("LAG(total) OVER (PARTITION BY shape ORDER BY id) AS v", "bad_type", ""),
        ("LAG(total) OVER (ORDER BY id upwards) AS v", "bad_order", ""),
        (f"id,LAG(total) {WINDOW},LEAD(total) {WINDOW}", "duplicate_field", ""),
        (",".join(f"LAG(total, {n}) OVER (ORDER BY id) AS v{n}" for n in range(1, 22)), "too_complex", "20 window"),
    ],
)
def test_invalid_windows_are_rejected_with_a_hint(http: httpx2.Client, fields: str, reason: str, hint: str) -> None:
    response = http.get("_table/orders", params={"fields": fields})
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (400, reason), response.text
    assert hint in error["message"]


ELSEWHERE = f"id,SUM(total) {WINDOW}"


@pytest.mark.parametrize(
    ("method", "path", "options", "body"),
    [
        ("GET", "_table/orders/1", {"fields": ELSEWHERE}, None),
        ("GET", "_table/orders", {"fields": ELSEWHERE, "ids": "1,2"}, None),
        ("GET", "_table/orders", {"fields": f"status,SUM(total) {WINDOW}", "group": "status"}, None),
        ("GET", "_table/orders", {"fields": f"COUNT(*),SUM(total) {WINDOW}"}, None),
        ("GET", "_table/orders", {"group": f"SUM(total) {WINDOW}"}, None),
        ("GET", "_table/customer", {"related": "orders_by_customer_id", "orders_by_customer_id.fields": ELSEWHERE},
         None),
        ("GET", "_table/customer", {"fields": f"id,orders_by_customer_id.SUM(total) {WINDOW}"}, None),
        ("GET", "_table/orders", {"order": "LAG(total)"}, None),
        ("GET", "_table/orders", {"order": "LAG(total) OVER (ORDER BY id)"}, None),
        ("GET", "_table/orders", {"filter": "LAG(total) > 3"}, None),
        ("GET", "_table/orders", {"filter": "ROW_NUMBER() OVER (ORDER BY id) < 3"}, None),
        ("GET", "_table/orders", {"filter": "SUM(total) OVER (ORDER BY id) < 3"}, None),
        ("GET", "_table/orders", {"group": "status", "having": "LAG(status) = 'x'"}, None),
        ("PATCH", "_table/orders/1", {"fields": ELSEWHERE}, {"status": "gone"}),
        ("PATCH", "_table/orders", {"fields": ELSEWHERE, "filter": "id = 1"}, {"resource": [{"status": "gone"}]}),
        ("POST", "_table/orders", {"fields": ELSEWHERE}, {"resource": [{"id": 99}]}),
        ("DELETE", "_table/orders/1", {"fields": ELSEWHERE}, None),
    ],
)  # fmt: skip
def test_windows_outside_of_fields_are_rejected_before_anything_is_written(
    http: httpx2.Client, method: str, path: str, options: dict[str, str], body: Any
) -> None:
    before = read(http)
    response = http.request(method, path, params=options, json=body)
    error = response.json()["error"]
    assert response.status_code == 400, response.text
    assert error["context"]["reason"] in ("bad_window", "bad_order", "bad_filter"), response.text
    assert "'fields'" in error["message"] or "OVER" in error["message"], error["message"]
    assert read(http) == before


def test_windows_in_a_stream_of_lines_are_rejected(http: httpx2.Client) -> None:
    response = http.get("_table/orders", params={"fields": ELSEWHERE}, headers={"Accept": "application/x-ndjson"})
    assert rejection(response) == (400, "bad_window")


def test_rights_apply_inside_windows(http: httpx2.Client) -> None:
    """Rows of others take no part, and hidden columns do not exist."""
    assert values(http, "SUM(total) OVER (ORDER BY id)") == [10, 30, 50, 130, 1130, 1130]
    own = read(http, key="clerk", fields=f"SUM(total) {WINDOW}")
    assert [row["v"] for row in own] == [10, 30, 50, 130, 130]
    for call in (
        "LAG(customer_by_customer_id.name) OVER (ORDER BY id)",
        "SUM(total) OVER (PARTITION BY customer_by_customer_id.name ORDER BY id)",
        "SUM(total) OVER (ORDER BY customer_by_customer_id.name)",
    ):
        response = http.get("_table/orders", params={"fields": f"{call} AS v"}, headers={"X-API-Key": "clerk"})
        assert response.status_code == 403, response.text


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("ROW_NUMBER() OVER (ORDER BY id DESC)", [6, 5, 4, 3, 2, 1]),
        ("row_number( ) over(partition by status order by total desc nulls last)", [3, 1, 2, 2, 1, 3]),
        ("RANK() OVER (ORDER BY total)", [1, 2, 2, 4, 5, 6]),
        ("DENSE_RANK() OVER (ORDER BY total)", [1, 2, 2, 3, 4, 5]),
        ("LAG(total) OVER (ORDER BY id)", [None, 10, 20, 20, 80, 1000]),
        ("LAG(total, 2) OVER (ORDER BY id)", [None, None, 10, 20, 20, 80]),
        ("LEAD(total) OVER (PARTITION BY customer_id ORDER BY id)", [20, 20, None, None, None, None]),
        ("LAG(customer_by_customer_id.name) OVER (ORDER BY id)", [None, "Ada", "Ada", "Ada", "Ben", "Zoe"]),
        ("LAG(doc.n) OVER (ORDER BY id)", [None, 1, 5, None, "x", None]),
        ("LAG(MONTH(created)) OVER (ORDER BY id)",
         [None, "2026-01-01", "2026-01-01", "2026-02-01", "2026-02-01", "2026-02-01"]),
        ("FIRST_VALUE(id) OVER (PARTITION BY status ORDER BY total DESC NULLS LAST)", [5, 2, 2, 5, 5, 2]),
        ("LAST_VALUE(id) OVER (PARTITION BY status ORDER BY id)", [5, 6, 6, 5, 5, 6]),
        ("SUM(total) OVER (PARTITION BY status ORDER BY id)", [10, 20, 40, 90, 1090, 40]),
        ("SUM(total) OVER (ORDER BY total)", [10, 30, 50, 130, 1130, 1130]),
        ("COUNT(*) OVER (ORDER BY id)", [1, 2, 3, 4, 5, 6]),
        ("COUNT(total) OVER (ORDER BY id DESC)", [5, 4, 3, 2, 1, 0]),
        ("AVG(total) OVER (PARTITION BY customer_id ORDER BY id)", [10, 15, 50 / 3, 80, 1000, 80]),
        ("MIN(created) OVER (ORDER BY id DESC)",
         ["2026-01-05", "2026-01-20", "2026-02-01", "2026-02-02", "2026-02-03", None]),
        ("MAX(CAST(total AS integer)) OVER (ORDER BY id)", [10, 20, 20, 80, 1000, 1000]),
        ("SUM(doc.n) OVER (ORDER BY id)", [1, 6, 6, 6, 6, 6]),
        ("COUNT(*) OVER (PARTITION BY doc.n ORDER BY id)", [1, 1, 1, 1, 2, 3]),
        ("COUNT(*) FILTER (WHERE status = 'open') OVER (ORDER BY id)", [1, 1, 1, 2, 3, 3]),
        ("SUM(total) OVER (PARTITION BY MONTH(created),CAST(company AS text) ORDER BY id)",
         [10, 30, 20, 100, 1000, None]),
        ('SUM("total") OVER (PARTITION BY "status" ORDER BY "id")', [10, 20, 40, 90, 1090, 40]),
    ],
)  # fmt: skip
def test_window_functions_return_the_expected_values(http: httpx2.Client, call: str, expected: list[Any]) -> None:
    found = values(http, call)
    assert [round(v, 6) if isinstance(v, float) else v for v in found] == [
        round(v, 6) if isinstance(v, float) else v for v in expected
    ]


def test_a_window_covers_the_rows_of_the_page_and_keeps_its_order(http: httpx2.Client) -> None:
    fields = (
        "id,LEAD(id) OVER (ORDER BY id) AS next,COUNT(*) OVER (ORDER BY total DESC) AS n,"
        "LAST_VALUE(id) OVER (ORDER BY id) AS last"
    )
    page = read(http, fields=fields, order="id desc", limit="3", offset="1")
    assert page == [
        {"id": 5, "next": None, "n": 1, "last": 5},
        {"id": 4, "next": 5, "n": 2, "last": 5},
        {"id": 3, "next": 4, "n": 3, "last": 5},
    ]
    # Without a limit one row more than the maximum is read to see if there is another page. It takes no part.
    probed = http.get("_table/orders", params={"fields": fields, "order": "id", "cursor": "", "limit": "2"}).json()
    assert [(row["next"], row["last"]) for row in probed["resource"]] == [(2, 2), (None, 2)]
    more = {"fields": fields, "order": "id", "cursor": probed["meta"]["next_cursor"], "limit": "2"}
    second = http.get("_table/orders", params=more).json()
    assert [(row["id"], row["next"], row["last"]) for row in second["resource"]] == [(3, 4, 4), (4, None, 4)]


def test_cursors_visit_all_rows(http: httpx2.Client) -> None:
    seen, cursor = [], ""
    while True:
        fields = "id,ROW_NUMBER() OVER (ORDER BY id) AS n"
        page = http.get(
            "_table/orders", params={"fields": fields, "order": "total desc", "cursor": cursor, "limit": "4"}
        ).json()
        seen += [row["id"] for row in page["resource"]]
        cursor = page.get("meta", {}).get("next_cursor")
        if not cursor:
            break
    assert seen == [6, 5, 4, 2, 3, 1]


def test_counts_relations_and_files_work_with_windows(http: httpx2.Client) -> None:
    options = {
        "fields": f"id,name,ROW_NUMBER() {WINDOW}", "related": "orders_by_customer_id", "include_count": "true",
        "orders_by_customer_id.fields": "id", "order": "name desc",
    }  # fmt: skip
    body = http.get("_table/customer", params=options).json()
    assert body["meta"]["count"] == 3
    assert [(row["name"], row["v"], len(row["orders_by_customer_id"])) for row in body["resource"]] == [
        ("Zoe", 3, 1), ("Ben", 2, 2), ("Ada", 1, 3),
    ]  # fmt: skip
    lines = http.get("_table/customer", params={"fields": f"id,COUNT(*) {WINDOW}", "file": "a.csv"}).text.split()
    assert lines == ["\ufeffid,v", "1,1", "2,2", "3,3"]
    every = read(http, "customer", fields=f"*,ROW_NUMBER() {WINDOW}")
    assert every[0] == {"id": 1, "name": "Ada", "company": 1, "v": 1}


def test_the_etag_follows_the_values_of_a_window(http: httpx2.Client) -> None:
    options = {"fields": f"id,SUM(total) {WINDOW}", "filter": "id <= 2"}
    first = http.get("_table/orders", params=options)
    tag = first.headers["ETag"]
    same = http.get("_table/orders", params=options, headers={"If-None-Match": tag})
    assert same.status_code == 304
    http.patch("_table/orders/1", json={"total": 11}).raise_for_status()
    other = http.get("_table/orders", params=options, headers={"If-None-Match": tag})
    assert (other.status_code, other.json()["resource"][1]["v"]) == (200, 31)
    http.patch("_table/orders/1", json={"total": 10}).raise_for_status()


def test_rows_without_a_key_and_rows_of_a_function(http: httpx2.Client) -> None:
    rows = read(http, "loose", fields="a,b,SUM(b) OVER (PARTITION BY a ORDER BY b) AS v", order="b")
    assert [row["v"] for row in rows] == [1, 3, 3]
    response = http.get("_func/big", params={"floor": "20", "fields": f"id,ROW_NUMBER() {WINDOW}", "order": "id desc"})
    assert [(row["id"], row["v"]) for row in ok(response)] == [(5, 4), (4, 3), (3, 2), (2, 1)]


async def test_the_query_tool_of_agents_accepts_windows(http: httpx2.Client) -> None:
    async with agent(f"{http.base_url.join('/mcp')}", X_API_Key="boss") as boss:
        fields = ["id", "SUM(total) OVER (PARTITION BY customer_id, status ORDER BY id) AS v"]
        response = await boss.result("query", table="orders", fields=fields, order=["id"], limit=3)
        assert [(row["id"], row["v"]) for row in response["rows"]] == [(1, 10), (2, 20), (3, 40)]
        assert "OVER" in await boss.error("query", table="orders", fields=["SUM(total) OVER () AS v"])


def test_windows_work_with_numbers_as_text_and_in_batches(http: httpx2.Client) -> None:
    assert values(http, "SUM(total) OVER (ORDER BY id)", numbers="text", limit="2") == ["10", "30"]
    step = {"method": "GET", "path": "_table/orders", "query": {"fields": f"SUM(total) {WINDOW}", "limit": 2}}
    response = http.post("_batch", json={"requests": [step]})
    assert response.json()["responses"][0]["body"]["resource"] == [{"v": 10}, {"v": 30}]
