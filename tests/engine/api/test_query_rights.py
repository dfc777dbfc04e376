"""Expressions obey the policy: hidden fields, hidden tables, sealed fields and row rules in every position."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import rejection

SCHEMA = """
create table owner (ownerid integer primary key, name text, salary integer, data jsonb);
create table doc (docid integer primary key, accountid integer, title text, hidden text, hiddentags text[],
                  hiddenspan int4range, hiddenat timestamptz, hiddendata jsonb, token text, data jsonb,
                  ownerid integer references owner, teamid integer);
create table remark (remarkid integer primary key, docid integer references doc, accountid integer, stars integer,
                     secret integer);
create function listed(doc) returns text language sql stable as $$ select $1.hidden $$;
create function unlisted(doc) returns text language sql stable as $$ select $1.hidden $$;
create function near(doc) returns setof doc language sql stable as $$ select * from doc $$;
create function far(doc) returns setof doc language sql stable as $$ select * from doc $$;
create table leaf (leafid integer primary key, docid integer references doc, word text, about json, born date);
create function granted(leaf integer, person integer) returns boolean language plpgsql stable cost 1000
    as $$ begin return leaf <> 2 and person = 5; end $$;
create function figure(leaf) returns integer language sql stable as $$ select $1.word::integer $$;
create table audit (auditid integer primary key, docid integer references doc);
"""
ROWS = """
insert into owner values (1, 'Ada', 100, '{"a": 1}'), (2, 'Ben', 200, '{"a": 2}');
insert into doc values
 (1, 1, 'mine', 'cat', '{x}', '[1,5)', now(), '{"a": 1}', 's1.token', '{"a": 1}', 1, 1),
 (2, 1, 'mine too', 'dog', '{y}', '[5,9)', now(), '{"a": 2}', 's1.token', '{"a": 2}', 2, 1),
 (3, 9, 'theirs', 'cat', '{x}', '[1,5)', now(), '{"a": 1}', 's1.token', '{"a": 1}', 1, 9);
insert into remark values (1, 1, 1, 5, 7), (2, 1, 9, 1, 7), (3, 3, 9, 2, 7), (4, 2, 1, 3, 7);
insert into audit values (1, 1);
insert into leaf values (1, 1, '10', '{"a": 1}', '2024-01-01'), (2, 1, 'rare\\x', '{"a": "\\u0000"}', '5874897-01-01'),
 (3, 1, '11', '{"a": 1}', '2024-01-01');
"""
POLICY = '''"""Documents of accounts."""
import sqlalchemy as sa

from tableapi.auth.policy import Access, Rule, Sessions


def own(table, actor):
    return table.c.accountid == actor.accountid


def first(table, actor):
    return table.c.ownerid == 1


def granted(table, actor):  # dear, so that PostgreSQL evaluates the filter first
    return sa.func.granted(table.c.leafid, actor.userid)


HIDDEN = {"hidden", "hiddentags", "hiddenspan", "hiddenat", "hiddendata"}
POLICY = {
    "owner": Access(read=Rule(rows=first, hidden={"salary"})),
    "doc": Access(
        read=Rule(
            rows=own, hidden=HIDDEN,
            rows_when_filtered_by={"teamid": lambda table, actor: table.c.teamid == actor.accountid},
        ),
        update=Rule(rows=own, fields={"title"}),
        sealed={"token"}, computed={"listed", "near"},
    ),
    "leaf": Access(read=Rule(rows=granted), update=Rule(rows=granted), delete=Rule(rows=granted),
                   computed={"figure"}),
    "remark": Access(read=Rule(rows=own, hidden={"secret"})),
}
SESSIONS = Sessions(lookup="select 'user' as role, 1 as accountid, 5 as userid where $1 = sha256('token')")
'''
SERVED = Served(SCHEMA + ROWS, policy=POLICY)


FILTERS = [
    "{h} is null", "{h} = x", "{h} ~ 'c'", "{h} !~* 'c'", "{h} is distinct from x", "{h} matches cat",
    "{h} contains x", "CAST({h} AS text) = x", "not ({h} like 'c%')",
]  # fmt: skip
POSITIONS: list[dict[str, Any]] = [
    *({"filter": text.format(h=h)} for h in ("hidden", "nothere") for text in FILTERS),
    *({"filter": text} for text in (
        "hiddentags contains (x)", "hiddentags.0 = x", "hiddentags overlaps (x)", "hiddentags contained by (x)",
        "hiddenspan contains 3", "hiddenspan before 3", "MONTH(hiddenat) > 2000-01-01", "hiddendata.a = 1",
        "hiddendata contains json '{}'", "owner_by_ownerid.salary > 0", "CAST(owner_by_ownerid.salary AS text) ~ '1'",
        "remark_by_docid.SUM(secret) > 1", "remark_by_docid.secret = 7",
        "remark_by_docid.MAX(CAST(secret AS text)) = 7",
    )),
    *({"fields": text} for text in (
        "hidden AS h", "CAST(hidden AS text)", "hiddendata.a", "hiddentags.0", "MONTH(hiddenat)", "HIGHLIGHT(hidden)",
        "RANK(hidden)", "owner_by_ownerid.salary", "remark_by_docid.SUM(secret)", "remark_by_docid.COUNT(secret)",
        "COUNT(DISTINCT hidden)", "MAX(hidden)", "SUM(owner_by_ownerid.salary)",
        "LAG(hidden) OVER (ORDER BY docid) AS v", "COUNT(hidden) OVER (ORDER BY docid) AS v",
        "ROW_NUMBER() OVER (ORDER BY hidden) AS v", "ROW_NUMBER() OVER (PARTITION BY hidden ORDER BY docid) AS v",
        "LAG(hiddendata.a) OVER (ORDER BY docid) AS v", "LAG(owner_by_ownerid.salary) OVER (ORDER BY docid) AS v",
        "RANK() OVER (ORDER BY owner_by_ownerid.salary) AS v", "LAG(MONTH(hiddenat)) OVER (ORDER BY docid) AS v",
        "COUNT(*) FILTER (WHERE hidden = 'cat') OVER (ORDER BY docid) AS v",
    )),
    *({"order": text} for text in (
        "hidden", "hiddendata.a", "hiddentags.0", "YEAR(hiddenat)", "CAST(hidden AS text)", "RANK(hidden)",
        "owner_by_ownerid.salary", "remark_by_docid.MAX(secret)",
    )),
    *({"group": text} for text in (
        "hidden", "hiddendata.a", "MONTH(hiddenat)", "owner_by_ownerid.salary", "CAST(hidden AS text) AS h",
    )),
    {"fields": "docid,unlisted"},
    {"filter": "unlisted = cat"},
    {"order": "unlisted"},
    {"group": "unlisted"},
    {"filter": "far.docid = 1"},
    {"group": "title", "having": "MAX(hidden) > a"},
    {"group": "title", "order": "MAX(hidden)"},
    {"fields": "docid", "related": "remark_by_docid", "remark_by_docid.fields": "secret AS s"},
    {"fields": "remark_by_docid.COUNT(*)", "remark_by_docid.filter": "secret = 7"},
]  # fmt: skip


@pytest.mark.parametrize("query", POSITIONS, ids=str)
def test_a_hidden_field_does_not_exist_in_any_position(http: httpx.Client, query: dict[str, str]) -> None:
    response = http.get("/doc", params=query)
    assert rejection(response) == (400, "unknown_field"), response.text


@pytest.mark.parametrize(
    "query",
    [
        {"filter": "audit_by_docid.COUNT(*) > 0"},
        {"fields": "audit_by_docid.COUNT(*)"},
        {"fields": "audit_by_docid.MAX(auditid)"},
        {"order": "audit_by_docid.COUNT(*)"},
        {"fields": "remark_by_docid.doc_by_docid.audit_by_docid.COUNT(*)"},
        {"fields": "far.COUNT(*)"},
        {"related": "far"},
    ],
    ids=str,
)
def test_a_hidden_table_is_not_counted(http: httpx.Client, query: dict[str, str]) -> None:
    response = http.get("/doc", params=query)
    assert response.status_code in (400, 403)
    assert response.json()["error"]["context"]["reason"] in ("forbidden", "unknown_relation")


@pytest.mark.parametrize(
    "query",
    [
        {"filter": "token ~ '^s1'"},
        {"filter": "token matches s1"},
        {"filter": "token is distinct from x"},
        {"filter": "CAST(token AS text) = x"},
        {"fields": "CAST(token AS text)"},
        {"fields": "HIGHLIGHT(token)"},
        {"fields": "MAX(token)"},
        {"fields": "LAG(token) OVER (ORDER BY docid) AS v"},
        {"fields": "FIRST_VALUE(token) OVER (ORDER BY docid) AS v"},
        {"fields": "MAX(token) OVER (ORDER BY docid) AS v"},
        {"fields": "COUNT(token) OVER (ORDER BY docid) AS v"},
        {"fields": "ROW_NUMBER() OVER (ORDER BY token) AS v"},
        {"fields": "RANK() OVER (PARTITION BY token ORDER BY docid) AS v"},
        {"order": "CAST(token AS text)"},
        {"group": "token"},
        {"fields": "docid", "filter": "remark_by_docid.doc_by_docid.token ~ 's'"},
    ],
    ids=str,
)
def test_a_sealed_field_can_only_be_read(http: httpx.Client, query: dict[str, str]) -> None:
    response = http.get("/doc", params=query)
    assert rejection(response) == (400, "sealed_field"), response.text


def test_row_rules_apply_to_parents_and_aggregates(http: httpx.Client) -> None:
    fields = (
        "docid,owner_by_ownerid.name AS owner,remark_by_docid.COUNT(*) AS remarks,remark_by_docid.SUM(stars) AS stars"
    )
    rows = http.get("/doc", params={"fields": fields, "order": "docid"}).json()["resource"]
    assert rows == [
        {"docid": 1, "owner": "Ada", "remarks": 1, "stars": 5},
        {"docid": 2, "owner": None, "remarks": 1, "stars": 3},
    ]
    back = {"fields": "ownerid,doc_by_ownerid.COUNT(*) AS docs,doc_by_ownerid.remark_by_docid.COUNT(*) AS remarks"}
    assert http.get("/owner", params=back).json()["resource"] == [{"ownerid": 1, "docs": 1, "remarks": 1}]


def test_row_rules_apply_in_filters_orders_and_groups(http: httpx.Client) -> None:
    def ids(**query: str) -> list[int]:
        return [row["docid"] for row in http.get("/doc", params={"fields": "docid", **query}).json()["resource"]]

    assert ids(filter="remark_by_docid.COUNT(*) > 1") == []
    assert ids(filter="owner_by_ownerid.data.a = 2") == []
    assert ids(filter="CAST(owner_by_ownerid.data.a AS integer) = 1 or remark_by_docid.MAX(stars) = 2") == [1]
    assert ids(order="remark_by_docid.SUM(stars)") == [2, 1]
    assert ids(order="owner_by_ownerid.name nulls first") == [2, 1]
    groups = http.get("/doc", params={"group": "owner_by_ownerid.name AS o", "fields": "o,COUNT(*) AS n"}).json()
    assert groups["resource"] == [{"o": "Ada", "n": 1}, {"o": None, "n": 1}]


@pytest.mark.parametrize(
    "text", ["CAST(teamid AS text) = 9", "teamid is not distinct from 9", "teamid = 9 or docid = 3"]
)
def test_a_function_of_a_field_does_not_bypass_the_row_rule(http: httpx.Client, text: str) -> None:
    assert http.get("/doc", params={"filter": text}).json()["resource"] == []


def test_the_response_of_a_write_has_no_hidden_field(http: httpx.Client) -> None:
    response = http.patch("/doc/1", params={"fields": "CAST(hidden AS text)"}, json={"title": "changed"})
    assert rejection(response) == (400, "unknown_field")
    assert http.get("/doc/1", params={"fields": "title"}).json() == {"title": "mine"}
    response = http.patch(
        "/doc/1", params={"fields": "title AS t,remark_by_docid.COUNT(*) AS n"}, json={"title": "mine"}
    )
    assert response.json() == {"t": "mine", "n": 1}


def test_only_callers_with_full_rights_get_the_plan_of_a_read(http: httpx.Client) -> None:
    response = http.get("/doc", params={"explain": "true"})
    assert rejection(response) == (403, "forbidden")


@pytest.mark.parametrize("headers", [{}, {"Prefer": "tx=rollback"}], ids=str)
def test_a_dry_run_has_the_rights_of_the_write(http: httpx.Client, headers: dict[str, str]) -> None:
    query = {} if headers else {"dry_run": "true"}
    assert http.patch("/doc/3", params=query, json={"title": "x"}, headers=headers).status_code == 404
    assert http.delete("/doc/1", params=query, headers=headers).status_code == 403
    assert http.patch("/doc/1", params=query, json={"title": "x"}, headers=headers).headers["Dry-Run"] == "true"
    assert http.get("/doc/1", params={"fields": "title"}).json() == {"title": "mine"}


def test_a_put_that_creates_needs_the_right_to_create(http: httpx.Client) -> None:
    assert http.put("/doc/77", params={"upsert": "true"}, json={"title": "x"}).status_code == 403


def test_a_listed_function_of_a_row_is_read_under_the_row_rules(http: httpx.Client) -> None:
    query = {
        "fields": "docid,listed",
        "related": "near",
        "near.fields": "docid",
        "order": "docid",
        "near.order": "docid",
    }
    near = [{"docid": 1}, {"docid": 2}]
    assert http.get("/doc", params=query).json()["resource"] == [
        {"docid": 1, "listed": "cat", "near": near},
        {"docid": 2, "listed": "dog", "near": near},
    ]


def test_hidden_columns_and_row_rules_apply_to_query(http: httpx.Client) -> None:
    assert http.get("/doc/1", params={"raw": "hidden"}).status_code == 400
    assert http.get("/doc/3", params={"raw": "title"}).status_code == 404
    assert http.get("/doc/1", params={"raw": "title"}).text == "mine"
    lines = http.get("/doc", params={"fields": "docid"}, headers={"Accept": "application/x-ndjson"}).text
    assert lines == '{"docid":1}\n{"docid":2}\n'


# Each fails at a value of the row that the caller may not read, and at no other.
FAILING = [
    "CAST(word AS integer) > 0", "about.a = 1", "MONTH(born) > '2000-01-01'", "figure > 0", "word ILIKE 'RARE\\'",
]  # fmt: skip
INSIDE = ["NOT ({})", "leafid = 0 OR {}", "leafid > 0 AND ({} OR leafid = 7)", "doc_by_docid.leaf_by_docid.{}"]


@pytest.mark.parametrize("text", [*FAILING, *(form.format(FAILING[0]) for form in INSIDE)])
def test_a_hidden_row_does_not_make_a_filter_fail(http: httpx.Client, text: str) -> None:
    for word in ("rare", "none"):  # a word of the hidden row, and one of no row
        response = http.get(
            "/leaf", params={"filter": f"word STARTS WITH {word} AND ({text})", "include_count": "true"}
        )
        assert (response.status_code, response.json().get("resource")) == (200, []), response.text


@pytest.mark.parametrize("text", FAILING)
def test_a_hidden_row_does_not_make_a_read_or_write_fail(http: httpx.Client, text: str) -> None:
    narrowed, change = {"leaf_by_docid.filter": text}, {"resource": [{"docid": 2}]}
    responses = [
        http.get("/leaf", params={"filter": text, "count_only": "true"}),
        http.get("/leaf", params={"filter": text, "group": "docid", "fields": "docid,COUNT(*)"}),
        http.get("/doc", params={"filter": f"leaf_by_docid.{text}"}),
        http.get("/doc", params={"related": "leaf_by_docid", **narrowed}),
        http.get("/doc", params={"fields": "leaf_by_docid.COUNT(*)", **narrowed}),
        http.get("/doc", params={"filter": "leaf_by_docid.COUNT(*) >= 0", **narrowed}),
        http.patch("/leaf", params={"filter": text, "dry_run": "true"}, json=change),
        http.delete("/leaf", params={"filter": text, "dry_run": "true"}),
    ]
    assert [response.status_code for response in responses] == [200] * len(responses), [a.text for a in responses]


def test_a_hidden_row_does_not_make_the_next_page_fail(http: httpx.Client) -> None:
    query = {"order": "CAST(word AS integer)", "limit": "1", "fields": "leafid"}
    first = http.get("/leaf", params={**query, "cursor": ""}).json()
    second = http.get("/leaf", params={**query, "cursor": first["meta"]["next_cursor"]})
    assert second.json()["resource"] == [{"leafid": 3}], second.text


def test_an_estimated_count_does_not_reveal_values_of_hidden_rows(http: httpx.Client) -> None:
    for text, count in (("word STARTS WITH rare", 0), ("leafid > 0", 2)):
        response = http.get("/leaf", params={"filter": text, "include_count": "estimated"})
        assert response.json()["meta"]["count"] == count
    narrowed = {"filter": "leaf_by_docid.word STARTS WITH rare", "include_count": "estimated"}
    assert http.get("/doc", params=narrowed).json()["meta"]["count"] == 0
