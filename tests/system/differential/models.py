"""Three schemas with random rows: their columns by kind, and their relations with the joins that mean the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.helpers.support import DATA, ROOT


@dataclass(frozen=True)
class Link:
    """A relation: the table on the other side, and the join in SQL between the aliases `{a}` and `{b}`."""

    target: str
    join: str


@dataclass(frozen=True)
class Source:
    """A table: its key, its columns by kind, and its relations to one and to many rows."""

    key: str
    columns: dict[str, str]
    one: dict[str, Link] = field(default_factory=dict)
    many: dict[str, Link] = field(default_factory=dict)


@dataclass(frozen=True)
class Model:
    sql: str
    tables: dict[str, Source]


LIBRARY = Model(
    (DATA / "library.sql").read_text()
    + """
select setseed(0.4);
insert into article (id, title, body, tags, scores, period, seats, data, published, price, createdon, author_id)
select n, 'Title ' || n, (array['cat', 'dog and cat', 'bird', 'mouse', null])[1 + (random() * 4)::int],
  case when random() < 0.9 then array_remove(array[(array['a', 'b', 'c', null])[1 + (random() * 3)::int],
       (array['b', 'd', null])[1 + (random() * 2)::int]], null) end,
  case when random() < 0.9 then array[(random() * 4)::int, (random() * 4)::int] end,
  daterange(date '2024-01-01' + (random() * 90)::int, date '2024-04-01' + (random() * 90)::int),
  case when random() < 0.9 then int4range((random() * 10)::int, 10 + (random() * 10)::int) end,
  case when random() < 0.9 then jsonb_build_object('n', (random() * 9)::int,
       'tier', (array['gold', 'silver', null])[1 + (random() * 2)::int],
       'list', jsonb_build_array((random() * 3)::int)) end,
  (array[true, false, null])[1 + (random() * 2)::int], round((random() * 50)::numeric, 2),
  timestamptz '2024-01-01 00:00+00' + random() * interval '500 days', (array[1, 2, 3, null])[1 + (random() * 3)::int]
from generate_series(100, 220) n;
insert into comment select n, 100 + (random() * 120)::int, nullif((random() * 5)::int, 0),
  (array['good', 'bad', null])[1 + (random() * 2)::int], date '2024-01-01' + (random() * 400)::int
from generate_series(100, 400) n;
""",
    {
        "article": Source(
            "id",
            {
                "id": "integer", "title": "text", "body": "text", "tags": "texts", "scores": "integers",
                "seats": "range", "data": "json", "published": "boolean", "price": "numeric",
                "createdon": "timestamptz",
            },
            {"author_by_author_id": Link("author", "{b}.id = {a}.author_id")},
            {"comment_by_article_id": Link("comment", "{b}.article_id = {a}.id")},
        ),
        "author": Source(
            "id", {"id": "integer", "name": "text", "country": "text"}, {},
            {"article_by_author_id": Link("article", "{b}.author_id = {a}.id")},
        ),
        "comment": Source(
            "id", {"id": "integer", "stars": "integer", "body": "text", "day": "date"},
            {"article_by_article_id": Link("article", "{b}.id = {a}.article_id")},
        ),
    },
)  # fmt: skip
SHOP = Model(
    (ROOT / "docs" / "tutorial" / "shop.sql").read_text(),
    {
        "customer": Source(
            "id", {"id": "integer", "name": "text", "city": "text", "joined": "date", "about": "json"}, {},
            {"purchase_by_customer_id": Link("purchase", "{b}.customer_id = {a}.id")},
        ),
        "purchase": Source(
            "id", {"id": "integer", "status": "text", "placed": "timestamptz"},
            {"customer_by_customer_id": Link("customer", "{b}.id = {a}.customer_id")},
            {"item_by_purchase_id": Link("item", "{b}.purchase_id = {a}.id"),
             "product_by_item": Link("product", "{b}.id in (select product_id from item where purchase_id = {a}.id)")},
        ),
        "product": Source("id", {"id": "integer", "name": "text", "price": "numeric"}),
        "item": Source("product_id", {"quantity": "integer", "product_id": "integer"}),
    },
)  # fmt: skip
PEOPLE = Model(
    (DATA / "fixture.sql").read_text(),
    {
        "person": Source(
            "id",
            {
                "id": "integer", "first_name": "text", "last_name": "text", "age": "integer", "is_vip": "boolean",
                "salary": "numeric", "bio": "text",
            },
            {"company_by_company_id": Link("company", "{b}.id = {a}.company_id"),
             "person_by_manager_id_parent": Link("person", "{b}.id = {a}.manager_id")},
            {"person_by_manager_id": Link("person", "{b}.manager_id = {a}.id"),
             "deal_by_owner_id": Link("deal", "{b}.owner_id = {a}.id")},
        ),
        "company": Source(
            "id",
            {
                "id": "integer", "name": "text", "city": "text", "rating": "numeric", "active": "boolean",
                "founded": "date", "created_at": "timestamptz", "attrs": "json",
            },
            {}, {"person_by_company_id": Link("person", "{b}.company_id = {a}.id")},
        ),
        "deal": Source(
            "id", {"id": "integer", "code": "text", "amount": "numeric", "status": "text", "closed_on": "date"},
            {"company_by_company_id": Link("company", "{b}.id = {a}.company_id")},
        ),
    },
)  # fmt: skip
MODELS = {"library": LIBRARY, "shop": SHOP, "people": PEOPLE}
