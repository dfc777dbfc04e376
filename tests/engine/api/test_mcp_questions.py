"""Questions about a film rental: sixty with one call each, and ten by an agent that learns the tables on the way.

The ten take at most four calls and 20 kB each.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest

from tests.helpers.agents import Agent, agent
from tests.helpers.questions import QUESTIONS as SIXTY
from tests.helpers.served import Served
from tests.helpers.support import DATA

MAX_CALLS, MAX_CHARACTERS = 4, 20_000
CHARACTERS_OF_SIXTY = 10_000
COUNT = [{"function": "count"}]
SERVED = Served((DATA / "rental.sql").read_text(), dataset="rental", under="/mcp")


async def best_customer(agent: Agent) -> Any:
    await agent.result("list_tables")
    sums = [{"function": "sum", "field": "amount"}]
    top = await agent.result(
        "aggregate", table="payment", measures=sums, group=["customer_id"], order=["sum_amount desc"], limit=1
    )
    customer = await agent.result("get_record", table="customer", id=top["rows"][0]["customer_id"])
    return customer["record"]["last_name"], str(top["rows"][0]["sum_amount"])


async def films_of_an_actor(agent: Agent) -> Any:
    await agent.result("list_tables")
    named = "actor_by_film_actor.last_name = 'Last7'"
    return (await agent.result("aggregate", table="film", measures=COUNT, filter=named))["rows"][0]["count_all"]


async def category_with_most_films(agent: Agent) -> Any:
    groups = await agent.result(
        "aggregate", table="film_category", measures=COUNT, group=["category_id"],
        order=["count_all desc", "category_id"], limit=1,
    )  # fmt: skip
    category = await agent.result("get_record", table="category", id=groups["rows"][0]["category_id"])
    return category["record"]["name"]


async def longest_film_of_a_rating(agent: Agent) -> Any:
    described = await agent.result("describe_tables", tables=["film"])
    rating = next(column for column in described["tables"][0]["columns"] if column["name"] == "rating")
    assert "PG-13" in rating["values"]
    longest = await agent.result(
        "query", table="film", filter="rating = 'PG-13'", order=["length desc"], limit=1, fields=["title", "length"]
    )
    return longest["rows"][0]["title"]


async def open_rentals_of_a_store(agent: Agent) -> Any:
    conditions = [
        {"field": "return_date", "operator": "is null"},
        {"field": "inventory_by_inventory_id.store_id", "value": 2},
    ]
    page = await agent.result("query", table="rental", filter=conditions, count=True, limit=1, fields=["rental_id"])
    return page["count"]


async def income_of_february(agent: Agent) -> Any:
    described = await agent.result("describe_tables", tables=["payment"])
    assert described["tables"][0]["estimated_rows"] > 0
    period = "payment_date >= '2026-02-01' and payment_date < '2026-03-01'"
    sums = [{"function": "sum", "field": "amount"}]
    return str(
        (await agent.result("aggregate", table="payment", measures=sums, filter=period))["rows"][0]["sum_amount"]
    )


async def films_never_rented(agent: Agent) -> Any:
    page = await agent.result(
        "query", table="film", filter="not inventory_by_film_id.inventory_id > 0", fields=["film_id"], count=True
    )
    return page["count"]


async def customers_without_a_large_payment(agent: Agent) -> Any:
    unpaid = "not payment_by_customer_id.amount > 4 and active = true"
    return (await agent.result("query", table="customer", filter=unpaid, fields=["customer_id"], count=True))["count"]


async def languages_by_mean_length(agent: Agent) -> Any:
    means = [{"function": "avg", "field": "length"}]
    groups = await agent.result(
        "aggregate", table="film", measures=means, group=["language_id"], order=["avg_length desc"]
    )
    names = await agent.result("query", table="language")
    by_id = {row["language_id"]: row["name"] for row in names["rows"]}
    return [by_id[group["language_id"]] for group in groups["rows"]]


async def titles_rented_by_a_customer(agent: Agent) -> Any:
    """Begin with a wrong name; the error suggests the right one."""
    message = await agent.error("query", table="custmer", filter="email = 'c9@example.com'")
    assert "Did you mean 'customer'?" in message
    path = "rental_by_inventory_id.customer_by_customer_id.email = 'c9@example.com'"
    page = await agent.result(
        "query", table="inventory", filter=path, fields=["inventory_id"], related=["film_by_film_id"], limit=100
    )
    return sorted({row["film_by_film_id"]["title"] for row in page["rows"]})


QUESTIONS: list[tuple[Callable[[Agent], Awaitable[Any]], str]] = [
    (best_customer, "select json_build_array(last_name, sum(amount)::text) from payment join customer"
                    " using (customer_id) group by last_name order by sum(amount) desc limit 1"),
    (films_of_an_actor, "select to_json(count(*)) from film_actor join actor using (actor_id)"
                        " where last_name = 'Last7'"),
    (category_with_most_films, "select to_json(name) from film_category join category using (category_id)"
                               " group by category_id, name order by count(*) desc, category_id limit 1"),
    (longest_film_of_a_rating, "select to_json(title) from film where rating = 'PG-13' order by length desc limit 1"),
    (open_rentals_of_a_store, "select to_json(count(*)) from rental join inventory using (inventory_id)"
                              " where return_date is null and store_id = 2"),
    (income_of_february, "select to_json(sum(amount)::text) from payment"
                         " where payment_date >= '2026-02-01 00:00+00' and payment_date < '2026-03-01 00:00+00'"),
    (films_never_rented, "select to_json(count(*)) from film f"
                         " where not exists (select 1 from inventory i where i.film_id = f.film_id)"),
    (customers_without_a_large_payment, "select to_json(count(*)) from customer c where active and not exists"
                                      " (select 1 from payment p where p.customer_id = c.customer_id"
                                      " and amount > 4)"),
    (languages_by_mean_length, "select json_agg(name order by mean desc) from (select name, avg(length) mean from film"
                               " join language using (language_id) group by name) x"),
    (titles_rented_by_a_customer, "select json_agg(distinct title) from rental join customer using (customer_id)"
                                  " join inventory using (inventory_id) join film using (film_id)"
                                  " where email = 'c9@example.com'"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "sql"), QUESTIONS, ids=lambda value: getattr(value, "__name__", ""))
async def test_a_question_is_answered_in_few_calls(
    base: str, url: str, question: Callable[[Agent], Awaitable[Any]], sql: str
) -> None:
    connection = await asyncpg.connect(url)
    await connection.set_type_codec("json", schema="pg_catalog", encoder=str, decoder=json.loads)
    truth = await connection.fetchval(sql)
    await connection.close()
    async with agent(base) as asked:
        response = await question(asked)
        assert (list(response) if isinstance(response, tuple) else response) == truth
        assert asked.calls <= MAX_CALLS
        assert asked.characters <= MAX_CHARACTERS


async def test_a_call_answers_each_of_sixty_questions_like_sql(base: str, url: str) -> None:
    db = await asyncpg.connect(url)
    try:
        async with agent(base) as asked:
            responses = {one.question: await one.rows(asked) for one in SIXTY}
            assert asked.calls == 60
            assert asked.characters <= CHARACTERS_OF_SIXTY
        assert responses == {one.question: await one.truth(db) for one in SIXTY}
    finally:
        await db.close()
