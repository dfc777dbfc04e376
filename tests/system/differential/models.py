"""Four schemas with random rows: their columns by kind, and their relations with the joins that mean the same.

Keys have the same names on both sides of the references of `RENTAL`, and other names in the rest.
"""

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
    """A table: its order, its columns by kind, its to-one and to-many relations, and the values of a write.

    identity: the columns of its key.
    """

    key: str
    columns: dict[str, str]
    one: dict[str, Link] = field(default_factory=dict)
    many: dict[str, Link] = field(default_factory=dict)
    change: dict[str, object] = field(default_factory=dict)
    identity: tuple[str, ...] = ("id",)


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
            {"body": "changed"},
        ),
        "author": Source(
            "id", {"id": "integer", "name": "text", "country": "text"}, {},
            {"article_by_author_id": Link("article", "{b}.author_id = {a}.id")}, {"country": "changed"},
        ),
        "comment": Source(
            "id", {"id": "integer", "stars": "integer", "body": "text", "day": "date"},
            {"article_by_article_id": Link("article", "{b}.id = {a}.article_id")}, {}, {"body": "changed"},
        ),
    },
)  # fmt: skip
SHOP = Model(
    (ROOT / "docs" / "tutorial" / "shop.sql").read_text(),
    {
        "customer": Source(
            "id", {"id": "integer", "name": "text", "city": "text", "joined": "date", "about": "json"}, {},
            {"purchase_by_customer_id": Link("purchase", "{b}.customer_id = {a}.id")}, {"city": "changed"},
        ),
        "purchase": Source(
            "id", {"id": "integer", "status": "text", "placed": "timestamptz"},
            {"customer_by_customer_id": Link("customer", "{b}.id = {a}.customer_id")},
            {"item_by_purchase_id": Link("item", "{b}.purchase_id = {a}.id"),
             "product_by_item": Link("product", "{b}.id in (select product_id from item where purchase_id = {a}.id)")},
            {"status": "changed"},
        ),
        "product": Source(
            "id", {"id": "integer", "name": "text", "price": "numeric"}, {},
            {"item_by_product_id": Link("item", "{b}.product_id = {a}.id"),
             "purchase_by_item": Link(
                 "purchase", "{b}.id in (select purchase_id from item where product_id = {a}.id)")},
            {"price": 77},
        ),
        "item": Source(
            "product_id", {"quantity": "integer", "product_id": "integer"},
            {"purchase_by_purchase_id": Link("purchase", "{b}.id = {a}.purchase_id"),
             "product_by_product_id": Link("product", "{b}.id = {a}.product_id")},
            {}, {"quantity": 77}, ("purchase_id", "product_id"),
        ),
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
            {"bio": "changed"},
        ),
        "company": Source(
            "id",
            {
                "id": "integer", "name": "text", "city": "text", "rating": "numeric", "active": "boolean",
                "founded": "date", "created_at": "timestamptz", "attrs": "json",
            },
            {}, {"person_by_company_id": Link("person", "{b}.company_id = {a}.id")}, {"city": "changed"},
        ),
        "deal": Source(
            "id", {"id": "integer", "code": "text", "amount": "numeric", "status": "text", "closed_on": "date"},
            {"company_by_company_id": Link("company", "{b}.id = {a}.company_id")}, {}, {"title": "changed"},
        ),
    },
)  # fmt: skip


def _same(target: str, column: str) -> Link:
    return Link(target, f"{{b}}.{column} = {{a}}.{column}")


RENTAL = Model(
    (DATA / "rental.sql").read_text() + """
delete from payment where rental_id % 7 <> 0;
delete from rental where rental_id % 7 <> 0;
alter table film add sequel_of integer references film;
update film set sequel_of = film_id / 3 where film_id > 2 and film_id % 2 = 0;
""",
    {
        "film": Source(
            "film_id", {"film_id": "integer", "title": "text", "length": "integer", "rental_rate": "numeric"},
            {"language_by_language_id": _same("language", "language_id"),
             "film_by_sequel_of_parent": Link("film", "{b}.film_id = {a}.sequel_of")},
            {"inventory_by_film_id": _same("inventory", "film_id"),
             "film_by_sequel_of": Link("film", "{b}.sequel_of = {a}.film_id"),
             "actor_by_film_actor": Link(
                 "actor", "{b}.actor_id in (select actor_id from film_actor where film_id = {a}.film_id)"),
             "category_by_film_category": Link(
                 "category", "{b}.category_id in (select category_id from film_category where film_id = {a}.film_id)")},
            {"description": "changed"}, ("film_id",),
        ),
        "language": Source(
            "language_id", {"language_id": "integer", "name": "text"}, {},
            {"film_by_language_id": _same("film", "language_id")}, {"name": "changed"}, ("language_id",),
        ),
        "actor": Source(
            "actor_id", {"actor_id": "integer", "last_name": "text"}, {},
            {"film_by_film_actor": Link(
                "film", "{b}.film_id in (select film_id from film_actor where actor_id = {a}.actor_id)"),
             "film_actor_by_actor_id": _same("film_actor", "actor_id")},
            {"first_name": "changed"}, ("actor_id",),
        ),
        "film_actor": Source(
            "film_id", {"film_id": "integer", "actor_id": "integer"},
            {"film_by_film_id": _same("film", "film_id"), "actor_by_actor_id": _same("actor", "actor_id")},
            {}, {}, ("actor_id", "film_id"),
        ),
        "category": Source(
            "category_id", {"category_id": "integer", "name": "text"}, {},
            {"film_by_film_category": Link(
                "film", "{b}.film_id in (select film_id from film_category where category_id = {a}.category_id)")},
            {}, ("category_id",),
        ),
        "inventory": Source(
            "inventory_id", {"inventory_id": "integer", "store_id": "integer"},
            {"film_by_film_id": _same("film", "film_id")}, {"rental_by_inventory_id": _same("rental", "inventory_id")},
            {"store_id": 77}, ("inventory_id",),
        ),
        "customer": Source(
            "customer_id", {"customer_id": "integer", "first_name": "text", "active": "boolean", "store_id": "integer"},
            {}, {"rental_by_customer_id": _same("rental", "customer_id"),
                 "payment_by_customer_id": _same("payment", "customer_id")},
            {"note": "changed"}, ("customer_id",),
        ),
        "rental": Source(
            "rental_id", {"rental_id": "integer", "rental_date": "timestamptz", "staff_id": "integer"},
            {"customer_by_customer_id": _same("customer", "customer_id"),
             "inventory_by_inventory_id": _same("inventory", "inventory_id")},
            {"payment_by_rental_id": _same("payment", "rental_id")},
            {"staff_id": 77}, ("rental_id",),
        ),
        "payment": Source(
            "payment_id", {"payment_id": "integer", "amount": "numeric", "customer_id": "integer"},
            {"rental_by_rental_id": _same("rental", "rental_id"),
             "customer_by_customer_id": _same("customer", "customer_id")},
            {}, {"amount": 77}, ("payment_id",),
        ),
    },
)  # fmt: skip
MODELS = {"library": LIBRARY, "shop": SHOP, "people": PEOPLE, "rental": RENTAL}
