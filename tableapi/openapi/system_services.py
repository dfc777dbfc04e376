"""The list of databases in the format of DreamFactory's `system/service`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tableapi.errors import BadRequest, NotFound
from tableapi.http.response import Response, dumps
from tableapi.query import option_values
from tableapi.query.filter import cache
from tableapi.query.filter.ast import Condition, Literal, Logic, Node, Not, Word
from tableapi.query.names import names

TYPE, GROUP = "pgsql", "Database"
Service = Mapping[str, Any]


def describe(number: int, name: str) -> dict[str, Any]:
    """Return one database as a service."""
    return {
        "id": number,
        "name": name,
        "label": name,
        "description": f"PostgreSQL database {name}",
        "is_active": True,
        "type": TYPE,
        "mutable": False,
        "deletable": False,
    }


def respond(services: list[dict[str, Any]], ident: list[str], query: Mapping[str, str]) -> Response:
    """Return the services selected by the options, or one by its number or name.

    Raises:
        BadRequest: The filter uses more than comparisons for equality of text.
        NotFound: There is no such service.
    """
    if ident:
        chosen = [service for service in services if ident[0] in (str(service["id"]), service["name"])]
        if not chosen:
            raise NotFound(f"There is no service '{ident[0][:100]}'.", reason="unknown_service")
        return Response(dumps(_fields(chosen[0], query)))
    if types := names(query.get("type", "")):
        services = [service for service in services if {TYPE, "sql_db", service["name"]} & set(types)]
    if groups := names(query.get("group", "")):
        services = [service for service in services if GROUP.lower() in (group.lower() for group in groups)]
    if ids := names(query.get("ids", "")):
        services = [service for service in services if str(service["id"]) in ids]
    if text := query.get("filter", "").strip():
        parsed, literals = cache.parse(text)
        services = [service for service in services if _matches(parsed.tree, literals, service)]
    count = len(services)
    start = max(0, option_values.integer("offset", query.get("offset") or 0))
    limit = option_values.integer("limit", query.get("limit") or 0)
    services = services[start : start + limit] if limit > 0 else services[start:]
    if option_values.boolean("as_list", query.get("as_list", "")):
        return Response(dumps({"resource": [service["name"] for service in services]}))
    body: dict[str, Any] = {"resource": [_fields(service, query) for service in services]}
    if option_values.boolean("include_count", query.get("include_count", "")):
        body["meta"] = {"count": count}
    return Response(dumps(body))


def _fields(service: Service, query: Mapping[str, str]) -> dict[str, Any]:
    """Return the requested fields; unknown ones are ignored, because DreamFactory has more."""
    wanted = query.get("fields", "*").strip()
    return {name: service[name] for name in service if wanted in ("", "*") or name in names(wanted)}


def _matches(node: Node, literals: cache.Literals, service: Service) -> bool:
    """Return whether a service satisfies a filter. Raises BadRequest."""
    if isinstance(node, Logic) and node.op in ("and", "or"):
        left, right = _matches(node.left, literals, service), _matches(node.right, literals, service)
        return left and right if node.op == "and" else left or right
    if isinstance(node, Not):
        return not _matches(node.inner, literals, service)
    if isinstance(node, Condition) and node.op in ("=", "!=", "in") and len(node.path) == 1:
        values = {text for value in node.values for text in _texts(value, literals)}
        equal = str(service.get(node.path[0].lower(), "")).lower() in values
        return equal != (node.negated or node.op == "!=")
    raise BadRequest("Services can be filtered only by =, != and IN, with AND, OR and NOT.", reason="bad_filter")


def _texts(value: Any, literals: cache.Literals) -> list[str]:
    """Return the texts of a filter value in lower case: one text, or those of a list."""
    if isinstance(value, Literal):
        literal = literals[value.place]
        return [text.lower() for text in (literal if isinstance(literal, list) else [literal])]
    return [value.name.lower() if isinstance(value, Word) else ""]
