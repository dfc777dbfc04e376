"""A film rental with hidden tables, and an access file for it: a boss with every right, and a clerk of one store."""

from __future__ import annotations

from tests.helpers.support import DATA

SQL = (DATA / "rental.sql").read_text()
HIDDEN = """
create table secret_plan (id integer primary key, film_id integer references film, body text);
alter table film add next_id integer references secret_plan;
insert into secret_plan values (1, 1, 'hush');
create function revenue(year integer) returns numeric language sql stable as
    'select sum(amount) from payment where extract(year from payment_date) = year';
create function hidden() returns integer language sql as 'select 1';
comment on function revenue is 'Sum of the payments of a year.';
"""
ROWS = [{"name": "store_id", "operator": "=", "value": "{user.store}"}]
ACCESS = {
    "keys": {"boss": {"role": "*"}, "clerk": {"role": "clerk", "user": {"store": 1}}, "none": {"role": "none"}},
    "roles": {
        "clerk": {
            "access": [
                {"component": "_table/film/*", "verb_mask": 1},
                {"component": "_table/language/*", "verb_mask": 1},
                {"component": "_table/customer/*", "verb_mask": 1 + 2 + 8, "filters": ROWS},
            ]
        },
        "none": {"access": []},
    },
}
