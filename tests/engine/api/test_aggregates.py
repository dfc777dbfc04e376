"""Aggregates, `having` and estimated counts (docs/reference/wire.md)."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import SqlClient, execute
from tests.helpers.table_api import FIXTURE

SCORES = """
create table score (id integer primary key, name text, points numeric, at timestamptz, done boolean);
insert into score values (1, 'Ada', -989.610, '2024-02-03 04:05:06+00', false),
    (2, 'Bob', -989.510, '2024-02-03 05:00:00+00', false), (3, 'Alf', 1.2, '2024-02-04 00:00:00+00', true);
create function initial(score) returns text language sql stable as 'select left($1.name, 1)';
"""
SERVED = Served(FIXTURE + SCORES)


def ask(http: httpx.Client, path: str, status: int = 200, **params: Any) -> Any:
    response = http.get(path, params=params)
    assert response.status_code == status, (path, params, response.text)
    return response.json()


def test_having_and_aggregates_without_a_group(http: httpx.Client) -> None:
    fields = "COUNT(*),MIN(amount),MAX(closed_on),SUM(amount)"
    page = ask(http, "/deal", fields=fields, filter="status = won", include_count="true")
    assert page["meta"] == {"count": 1}
    assert page["resource"] == [
        {"count_all": 4, "min_amount": 45.99, "max_closed_on": "2024-05-01", "sum_amount": 2546.24}
    ]
    empty = ask(http, "/deal", fields=fields, filter="status = none")["resource"]
    assert empty[0]["count_all"] == 0
    params: dict[str, Any] = {
        "group": "status",
        "fields": "status,COUNT(*)",
        "having": "COUNT(*) > 2",
        "order": "count_all desc",
    }
    groups = ask(http, "/deal", **params | {"include_count": "true"})
    assert groups["resource"] == [{"status": "open", "count_all": 6}, {"status": "won", "count_all": 4}]
    assert groups["meta"]["count"] == ask(http, "/deal", **params | {"count_only": "true"}) == 2
    for having, count in (("COUNT(*) > 20", 0), ("COUNT(*) > 2 and SUM(amount) > 0", 1)):
        only: dict[str, Any] = {"fields": "COUNT(*)", "having": having}
        assert len(ask(http, "/deal", **only)["resource"]) == count
        assert ask(http, "/deal", **only | {"count_only": "true"}) == count
    for bad in ("title = x", "COUNT(nothing) > 1", "COUNT(*) >", "SUM(*) > 1", "COUNT(*) > many"):
        ask(http, "/deal", 400, **params | {"having": bad})


def test_an_aggregate_counts_a_record_for_each_path_to_it(http: httpx.Client, url: str) -> None:
    tag = "person_by_person_tag.tag_by_person_tag"
    rows = ask(http, "/tag", fields=f"slug,{tag}.COUNT(*),{tag}.COUNT(DISTINCT slug)", order="slug")["resource"]
    with SqlClient(url) as db:
        expected = db.fetch(
            "select mine.tag_slug, count(*), count(distinct other.tag_slug) from person_tag mine"
            " join person_tag other using (person_id) group by 1 order by 1"
        )
    shown = [tuple(row.values()) for row in rows if row[f"{tag}.count_all"]]
    assert shown == expected
    assert any(paths > records for _, paths, records in shown)


def test_a_count_may_be_estimated(http: httpx.Client, url: str) -> None:
    execute(url, "analyze deal")
    params: dict[str, Any] = {"include_count": "estimated", "limit": 2}
    page = ask(http, "/deal", **params)
    assert page["meta"] == {"count": 14, "next": 2}
    assert ask(http, "/deal", **params | {"count_only": "true"}) == 14
    filtered = ask(http, "/deal", **params | {"filter": "status = won and amount > 10"})
    assert 1 <= filtered["meta"]["count"] <= 14
    assert ask(http, "/deal", **params | {"cursor": ""})["meta"]["count"] == 14
    grouped = params | {"group": "status", "fields": "status,COUNT(*)"}
    assert ask(http, "/deal", **grouped)["meta"] == {"count": 4, "next": 2}
    assert ask(http, "/deal", **grouped | {"count_only": "true"}) == 4


@pytest.mark.parametrize(
    ("terms", "groups"),
    [
        (
            "CAST(points AS integer) AS a,points AS b",
            [{"a": -990, "b": -989.61}, {"a": -990, "b": -989.51}, {"a": 1, "b": 1.2}],
        ),
        (
            "points AS b,CAST(points AS integer) AS a",
            [{"a": -990, "b": -989.61}, {"a": -990, "b": -989.51}, {"a": 1, "b": 1.2}],
        ),
        (
            "CAST(at AS date) AS a,CAST(at AS text) AS b,done AS c,CAST(done AS text) AS d",
            [
                {"a": "2024-02-03", "b": "2024-02-03 04:05:06+00", "c": False, "d": "false"},
                {"a": "2024-02-03", "b": "2024-02-03 05:00:00+00", "c": False, "d": "false"},
                {"a": "2024-02-04", "b": "2024-02-04 00:00:00+00", "c": True, "d": "true"},
            ],
        ),
        (
            "CAST(points AS integer),CAST(points AS text) AS b,MONTH(at)",
            [
                {"points": -990, "b": "-989.510", "month_at": "2024-02-01"},
                {"points": -990, "b": "-989.610", "month_at": "2024-02-01"},
                {"points": 1, "b": "1.2", "month_at": "2024-02-01"},
            ],
        ),
    ],
)
def test_a_column_and_its_casts_are_separate_groups(http: httpx.Client, terms: str, groups: list[Any]) -> None:
    def ordered(rows: list[Any]) -> list[Any]:
        return sorted(rows, key=str)

    fields = [*terms.split(","), "COUNT(*)"]
    for order in (fields, fields[::-1]):
        found = ask(http, "/score", group=terms, fields=",".join(order), include_count="true")
        assert ordered([{name: row[name] for name in groups[0]} for row in found["resource"]]) == ordered(groups)
        assert found["meta"]["count"] == len(groups)
    assert ordered(ask(http, "/score", group=terms)["resource"]) == ordered(groups)


def test_duplicate_group_names_are_rejected(http: httpx.Client) -> None:
    terms = "CAST(points AS integer),points"
    for params in ({"group": terms}, {"group": terms, "fields": f"{terms},COUNT(*)"}):
        refused = ask(http, "/score", 400, **params)
        assert refused["error"]["context"]["reason"] == "duplicate_field"
    twice = ask(http, "/score", group="done", fields="done,COUNT(*),count( * )", order="done")
    assert twice["resource"] == [{"done": False, "count_all": 2}, {"done": True, "count_all": 1}]


def test_rows_can_be_grouped_by_a_function_of_the_row(http: httpx.Client) -> None:
    groups = [{"initial": "A", "count_all": 2}, {"initial": "B", "count_all": 1}]
    grouped: dict[str, Any] = {"group": "initial", "fields": "initial,COUNT(*)", "order": "initial"}
    assert ask(http, "/score", **grouped)["resource"] == groups
    assert ask(http, "/score", **grouped | {"having": "initial = 'A'"})["resource"] == groups[:1]
    assert ask(http, "/score", group="Initial", order="initial desc")["resource"] == [
        {"initial": "B"}, {"initial": "A"},
    ]  # fmt: skip
    named = ask(http, "/score", group="initial AS i", fields="i,MAX(points)", order="i")["resource"]
    assert named == [{"i": "A", "max_points": 1.2}, {"i": "B", "max_points": -989.51}]
    assert ask(http, "/score", group="done", fields="done,MIN(initial)", order="done")["resource"] == [
        {"done": False, "min_initial": "A"}, {"done": True, "min_initial": "A"},
    ]  # fmt: skip
    refused = ask(http, "/score", 400, group="done", fields="initial,COUNT(*)")
    assert refused["error"]["context"]["reason"] == "not_grouped"
