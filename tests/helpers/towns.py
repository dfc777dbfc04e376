"""Tables, rows and roles for tests of references to rows of another town."""

from __future__ import annotations

from typing import Any

TABLES = """
create table house (id integer primary key, name text, town text);
create table room (id serial primary key, code text unique, name text, house_id integer references house,
                   other_id integer references house);
create table lock (id serial primary key, label text, house_id integer unique references house);
create table tag (slug text primary key, town text);
create table house_tag (house_id integer references house, tag_slug text references tag,
                        primary key (house_id, tag_slug));
create table staff (id integer primary key, town text, boss_id integer references staff);
create table part (a integer, b integer, town text, primary key (a, b));
create table uses (id serial primary key, a integer, b integer default 1, foreign key (a, b) references part);
create table desk (id serial primary key, name text, owner integer, house_id integer references house);
"""
ROWS = """
truncate house, room, lock, tag, house_tag, staff, part, uses, desk restart identity;
insert into house values (1, 'One', 'ours'), (2, 'Two', 'ours'), (9, 'Nine', 'theirs');
insert into room (code, name, house_id, other_id) values ('a', 'A', 1, null), ('b', 'B', 1, 9);
insert into lock (label, house_id) values ('front', 1);
insert into tag values ('red', 'ours'), ('blue', 'theirs');
insert into staff values (1, 'ours', null), (9, 'theirs', null);
insert into part values (1, 1, 'ours'), (1, 9, 'theirs'), (9, 1, 'theirs');
insert into uses (a, b) values (1, 1);
insert into desk (name, owner, house_id) values ('mine', 7, 1);
"""


def _town(component: str, *, mask: int = 31) -> dict[str, Any]:
    filters = [{"name": "town", "operator": "=", "value": "{user.town}"}]
    return {"component": f"_table/{component}/*", "verb_mask": mask, "filters": filters}


def _all(*components: str) -> list[dict[str, Any]]:
    return [{"component": f"_table/{name}/*", "verb_mask": 31} for name in components]


_OWN = [{"name": "owner", "operator": "=", "value": "{user.id}"}, {"name": "house_id", "operator": "=", "value": 1}]
ACCESS = {
    "keys": {
        "all": {"role": "*"},
        "local": {"role": "local", "user": {"id": 7, "town": "ours"}},
        "rooms": {"role": "rooms", "user": {"id": 7}},
        "desks": {"role": "desks", "user": {"id": 7}},
    },
    "roles": {
        "local": {
            "access": [
                *map(_town, ("house", "tag", "staff", "part")),
                *_all("room", "lock", "house_tag", "uses", "desk"),
            ]
        },
        "rooms": {"access": _all("room")},
        "desks": {
            "access": [*_all("house"), {"component": "_table/desk/*", "verb_mask": 31, "filters": _OWN},
                       {"component": "_table/lock/*", "verb_mask": 31, "filters": _OWN[1:]}]
        },
    },
}  # fmt: skip
