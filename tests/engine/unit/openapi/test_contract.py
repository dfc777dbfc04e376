"""Changes to a description that break clients."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tableapi.openapi.contract import KINDS, breaking, locked

BASE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "x", "version": "1"},
    "servers": [{"url": "http://a"}],
    "paths": {
        "/note": {
            "get": {
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 1000}},
                    {"$ref": "#/components/parameters/order"},
                    {"name": "author.limit", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/list"}}}},
                    "400": {"content": {}},
                },
            },
            "post": {
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/new"}}}},
                "responses": {"201": {"content": {}}},
            },
        },
        "/note/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "delete": {"responses": {"200": {"content": {}}}},
        },
    },
    "components": {
        "parameters": {"order": {"name": "order", "in": "query", "schema": {"type": "string"}}},
        "schemas": {
            "list": {
                "type": "object",
                "properties": {"resource": {"type": "array", "items": {"$ref": "#/components/schemas/note"}}},
            },
            "note": {
                "type": "object",
                "required": ["id"],
                "properties": {
                    "id": {"type": "integer"},
                    "text": {"type": "string"},
                    "state": {"type": "string", "enum": ["open", "done"]},
                    "at": {"type": "string", "format": "date"},
                    "parent": {"anyOf": [{"$ref": "#/components/schemas/note"}, {"type": "null"}]},
                },
            },
            "new": {
                "type": "object",
                "required": ["text"],
                "properties": {
                    "text": {"type": "string", "maxLength": 100},
                    "state": {"type": "string", "enum": ["open", "done"]},
                    "size": {"type": ["integer", "null"]},
                },
            },
        },
    },
}  # fmt: skip


def changed(change: Any) -> list[str]:
    new = copy.deepcopy(BASE)
    change(new)
    return [f"{found.kind} {found.place}" for found in breaking(BASE, new)]


def schema(document: dict[str, Any], name: str) -> Any:
    return document["components"]["schemas"][name]


def get(document: dict[str, Any]) -> Any:
    return document["paths"]["/note"]["get"]


BREAKING: list[tuple[Any, str]] = [
    (lambda d: d["paths"].pop("/note/{id}"), "removed_call DELETE /note/{id}"),
    (lambda d: d["paths"]["/note"].pop("post"), "removed_call POST /note"),
    (lambda d: get(d)["parameters"].pop(0), "removed_parameter GET /note limit"),
    (lambda d: get(d)["parameters"].append({"name": "a", "in": "query", "required": True, "schema": {}}),
     "required_parameter GET /note a"),
    (lambda d: d["components"]["parameters"]["order"].update(required=True), "required_parameter GET /note order"),
    (lambda d: get(d)["parameters"][0]["schema"].update(maximum=10), "tightened_limit GET /note limit"),
    (lambda d: get(d)["parameters"][0]["schema"].update(type="string"), "changed_type GET /note limit"),
    (lambda d: d["paths"]["/note"]["post"].pop("requestBody"), "removed_body POST /note"),
    (lambda d: d["paths"]["/note"]["post"]["requestBody"].update(required=True), "required_body POST /note"),
    (lambda d: d["paths"]["/note"]["post"]["responses"].pop("201"), "removed_response POST /note 201"),
    (lambda d: schema(d, "note")["properties"].pop("text"), "removed_field note.text"),
    (lambda d: schema(d, "note")["properties"]["text"].update(type=["string", "null"]), "nullable_field note.text"),
    (lambda d: schema(d, "note")["properties"]["text"].update(type="integer"), "changed_type note.text"),
    (lambda d: schema(d, "note")["properties"]["id"].update(type="number"), "changed_type note.id"),
    (lambda d: schema(d, "note")["properties"]["at"].update(format="date-time"), "changed_type note.at"),
    (lambda d: schema(d, "note")["properties"]["state"]["enum"].append("gone"), "added_value note.state"),
    (lambda d: schema(d, "note")["properties"]["state"].pop("enum"), "added_value note.state"),
    (lambda d: schema(d, "note").update(required=[]), "optional_field note.id"),
    (lambda d: schema(d, "new")["properties"].pop("size"), "removed_field new.size"),
    (lambda d: schema(d, "new")["required"].append("size"), "required_field new.size"),
    (lambda d: schema(d, "new")["properties"]["size"].update(type="integer"), "changed_type new.size"),
    (lambda d: schema(d, "new")["properties"]["text"].update(maxLength=50), "tightened_limit new.text"),
    (lambda d: schema(d, "new")["properties"]["text"].update(minLength=1), "tightened_limit new.text"),
    (lambda d: schema(d, "new")["properties"]["state"].update(enum=["open"]), "removed_value new.state"),
    (lambda d: schema(d, "new")["properties"]["text"].update(enum=["a"]), "removed_value new.text"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "found"), BREAKING)
def test_a_breaking_change_is_reported_once(change: Any, found: str) -> None:
    assert changed(change) == [found]


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["paths"].update({"/new": {"get": {"responses": {}}}}),
        lambda d: get(d)["parameters"].append({"name": "a", "in": "query", "schema": {}}),
        lambda d: get(d)["parameters"].pop(2),
        lambda d: get(d)["responses"].pop("400"),
        lambda d: get(d)["parameters"][0]["schema"].pop("maximum"),
        lambda d: schema(d, "note")["properties"].update(more={"type": "string"}),
        lambda d: schema(d, "note").update(required=["id", "text"]),
        lambda d: schema(d, "note").update(description="other words"),
        lambda d: schema(d, "note")["properties"]["state"].update(enum=["open"]),
        lambda d: schema(d, "new")["properties"].update(more={"type": "string"}),
        lambda d: schema(d, "new").update(required=[]),
        lambda d: schema(d, "new")["properties"]["size"].update(type=["number", "null"]),
        lambda d: schema(d, "new")["properties"]["state"]["enum"].append("gone"),
        lambda d: schema(d, "new")["properties"]["text"].update(maxLength=200),
        lambda d: d["info"].update(version="2"),
        lambda d: d.update(servers=[]),
    ],
)
def test_additions_and_wider_types_break_nothing(change: Any) -> None:
    assert changed(change) == []


def test_every_kind_of_breaking_change_is_found() -> None:
    assert {found.partition(" ")[0] for _, found in BREAKING} == KINDS.keys()


def test_the_file_is_the_same_on_every_server() -> None:
    other = copy.deepcopy(BASE) | {"servers": [{"url": "http://b"}]}
    other["info"]["version"] = "2"
    assert locked(other) == locked(BASE)
