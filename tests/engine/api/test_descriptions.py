"""Names in the OpenAPI document that generators of clients can tell apart, and references that resolve."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, Literal

import httpx2
import pytest
from pydantic import BaseModel, Field, create_model

from tableapi import Context, Settings, TableAPI, script
from tests.helpers.support import NewDatabase

TABLES = (
    "Order", "order", "order_item", "OrderItem", "orderItem_by_id", "order_item_list", "Error", "meta", "a.b", "a b",
    "order_item_create", "страна", "東京", "1st", "!!!", "2024", "Zażółć", "a_b", "order-item",
)  # fmt: skip
SCHEMA = "".join(f'create table "{name}" (id integer primary key, note text);' for name in TABLES) + (
    'alter table "order" add parent integer references "Order";'
    "create function ab() returns integer language sql as 'select 1';"
    "create function a_b() returns integer language sql as 'select 1';"
)


class Cat(BaseModel):
    """A model of a discriminated union."""

    kind: Literal["cat"]


class Order(BaseModel):
    """A model with the name of a table, and member of the same union."""

    kind: Literal["order"]


class Pets(BaseModel):
    """A model that refers to others."""

    pet: Annotated[Cat | Order, Field(discriminator="kind")]
    pets: list[Order]


# Another model of the same name.
Other = create_model("Order", text=(str, ...))


class OtherPets(BaseModel):
    """A model that refers to another one of the same name."""

    pet: Other
    pets: list[Pets] = []


@script(public=True)
async def order_item(ctx: Context[Any, Any], input: Pets) -> Pets:
    """Take a union."""
    return input


@script(public=True)
async def first(ctx: Context[Any, Any], input: OtherPets) -> Pets:
    """Take another model."""
    return input.pets[0]


@script(public=True)
async def second(ctx: Context[Any, Any], input: OtherPets) -> Pets:
    """Take another model, under a name that differs in its case."""
    return input.pets[0]


SCRIPTS = {"order_item": order_item, "Orders/First": first, "orders/first": second, "é": second}


@pytest.fixture(scope="module")
async def http(module_database: NewDatabase) -> AsyncIterator[httpx2.AsyncClient]:
    urls = {name: await asyncio.to_thread(module_database, SCHEMA) for name in ("x", "y")}
    api = TableAPI(urls, open=True, scripts=SCRIPTS, settings=Settings(public_routines=("ab", "a_b")))
    transport = httpx2.ASGITransport(app=api)
    async with api.lifespan(), httpx2.AsyncClient(transport=transport, base_url="http://host/api/v2/") as client:
        yield client


def alike(names: list[str]) -> list[str]:
    """Return names that are equal to another one as identifiers, or in file systems without case."""
    seen: dict[str, str] = {}
    found = []
    for name in names:
        key = re.sub(r"[\W_]", "", name).lower()
        found += [f"{seen[key]} {name}"] if key in seen else []
        seen[key] = name
    return found


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref":
                yield value
            elif key == "mapping":
                yield from value.values()
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


@pytest.mark.parametrize("path", ["x/_spec", "_spec"])
@pytest.mark.parametrize("query", ["", "?typed=true", "?typed=true&numbers=text"])
async def test_names_differ_in_more_than_case_and_signs(http: httpx2.AsyncClient, path: str, query: str) -> None:
    document = (await http.get(path + query)).json()
    schemas = list(document["components"]["schemas"])
    operations = [
        operation["operationId"] for item in document["paths"].values() for verb, operation in item.items()
        if verb != "parameters"
    ]  # fmt: skip
    assert alike(schemas) == alike(operations) == []
    assert [name for name in schemas if not re.fullmatch(r"[\w.-]*[A-Za-z][\w.-]*", name, re.ASCII)] == []
    assert [name for name in operations if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII)] == []


@pytest.mark.parametrize("query", ["", "?typed=true", "?typed=true&numbers=text"])
async def test_references_resolve(http: httpx2.AsyncClient, query: str) -> None:
    document = (await http.get(f"_spec{query}")).json()
    for reference in set(references(document)):
        node = document
        for part in reference.removeprefix("#/").split("/"):
            assert part in node, reference
            node = node[part]


@pytest.mark.parametrize("path", ["x/_spec", "_spec"])
async def test_every_tag_is_defined_and_used(http: httpx2.AsyncClient, path: str) -> None:
    # Rule operation-tag-defined of spectral:oas (@stoplight/spectral-cli 6.16.3), which readers of the document run.
    document = (await http.get(path)).json()
    used = [
        tag for item in document["paths"].values() for verb, operation in item.items() if verb != "parameters"
        for tag in operation["tags"]
    ]  # fmt: skip
    assert {"Batch", "_func"} <= set(used)
    assert sorted(tag["name"] for tag in document["tags"]) == sorted(set(used))


async def test_models_of_one_name_are_distinguished(http: httpx2.AsyncClient) -> None:
    schemas = (await http.get("_spec")).json()["components"]["schemas"]

    def target(schema: Any) -> Any:
        return schemas[schema["$ref"].rpartition("/")[2]]

    [plain] = [
        schema for schema in schemas.values() if schema.get("title") == "Order" and "text" in schema["properties"]
    ]
    [union] = [schema for schema in schemas.values() if schema.get("title") == "Pets"]
    pet = union["properties"]["pet"]
    assert plain["properties"]["text"] == {"title": "Text", "type": "string"}
    assert target(union["properties"]["pets"]["items"])["properties"].keys() == {"kind"}
    assert {word: target({"$ref": name})["title"] for word, name in pet["discriminator"]["mapping"].items()} == {
        "cat": "Cat",
        "order": "Order",
    }
    assert {target(each)["properties"]["kind"]["const"] for each in pet["oneOf"]} == {"cat", "order"}
