"""PostgreSQL's statistics about all rows, and functions of whole rows, disclose nothing hidden to a database role."""

from __future__ import annotations

import httpx2 as httpx
import pytest

from tests.helpers.served import Served

SQL = """
do $$ begin create role estimates_some; exception when duplicate_object then null; end $$;
do $$ begin create role estimates_whole; exception when duplicate_object then null; end $$;
create table doc (id integer primary key, account integer, word text, secret text);
insert into doc select n, case when n > 20 then 2 else 1 end, case when n > 20 then 'rare' else 'common' end, 'x'
from generate_series(1, 1000) n;
analyze doc;
alter table doc enable row level security;
create policy own on doc using (account = 1);
create function shout(doc) returns text language sql stable as $$ select upper($1.word) $$;
create function twins(doc) returns setof doc language sql stable as $$ select * from doc where word = $1.word $$;
grant select (id, account, word) on doc to estimates_some;
grant select on doc to estimates_whole;
"""
ACCESS = {
    "keys": {name: {"role": name} for name in ("some", "whole", "narrow")},
    "roles": {
        "some": {"database_role": "estimates_some"},
        "whole": {"database_role": "estimates_whole"},
        "narrow": {"database_role": "estimates_whole", "access": [{"component": "*", "verb_mask": 31}]},
    },
}
SERVED = Served(SQL, ACCESS, under="", LOG_LEVEL="warning")


@pytest.mark.parametrize("caller", ["some", "whole", "narrow"])
def test_a_count_with_a_filter_is_never_estimated(http: httpx.Client, caller: str) -> None:
    for word, count in (("rare", 0), ("common", 20)):
        query = {"filter": f"word = {word}", "include_count": "estimated", "limit": "1", "fields": "id"}
        response = http.get("/_table/doc", params=query, headers={"X-API-Key": caller})
        assert response.json()["meta"]["count"] == count


@pytest.mark.parametrize("caller", ["some", "whole", "narrow"])
def test_the_outline_contains_no_number_of_rows(http: httpx.Client, caller: str) -> None:
    response = http.get("/_spec", params={"outline": "true"}, headers={"X-API-Key": caller})
    assert [table["rows"] for table in response.json()["resource"]] == [None]


def test_a_function_of_a_row_needs_all_of_its_columns(http: httpx.Client) -> None:
    whole, some = {"X-API-Key": "whole"}, {"X-API-Key": "some"}
    read = {"fields": "id,shout", "related": "twins", "twins.fields": "id", "limit": "1"}
    record = http.get("/_table/doc", params=read, headers=whole).json()["resource"][0]
    assert (record["shout"], len(record["twins"])) == ("COMMON", 20)
    for query in (
        {"fields": "id,shout"}, {"filter": "shout = COMMON"}, {"order": "shout"}, {"related": "twins"},
        {"filter": "twins.id = 1"}, {"fields": "twins.COUNT(*)"},
    ):  # fmt: skip
        refused = http.get("/_table/doc", params=query, headers=some)
        assert refused.status_code in (400, 403), (query, refused.text)
        assert refused.json()["error"]["context"]["reason"] in ("unknown_field", "unknown_relation", "forbidden")
    every = http.get("/_table/doc/1", params={"related": "*"}, headers=some)
    assert every.json() == {"id": 1, "account": 1, "word": "common"}
