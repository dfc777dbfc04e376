"""Compare two API descriptions, and find the changes that break clients. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
METHODS = ("get", "post", "put", "patch", "delete", "query")
REQUEST, RESPONSE = "request", "response"
# Kinds of breaking changes, with their descriptions. docs/reference/commands.md has the same list.
KINDS = {
    "removed_call": "does not exist any more",
    "removed_parameter": "is not taken any more",
    "required_parameter": "has to be sent now",
    "removed_body": "takes no body any more",
    "required_body": "needs a body now",
    "removed_response": "is no longer a response",
    "removed_field": "does not exist any more",
    "required_field": "has to be sent now",
    "optional_field": "may be missing now",
    "changed_type": "has another type",
    "nullable_field": "may be null now",
    "removed_value": "takes fewer values",
    "added_value": "may have new values",
    "tightened_limit": "has a tighter limit",
}
_UPPER, _LOWER = ("maxLength", "maximum", "maxItems", "exclusiveMaximum"), ("minLength", "minimum", "minItems")


@dataclass(frozen=True, slots=True, order=True)
class BreakingChange:
    """One breaking change: its kind, its place, and the old and new values."""

    place: str
    kind: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.place} {KINDS[self.kind]}" + (f" ({self.detail})" if self.detail else "")


def locked(document: Json) -> str:
    """Return the text of a contract: the description without parts that depend on the server."""
    kept = {name: part for name, part in document.items() if name != "servers"}
    kept["info"] = {name: part for name, part in kept.get("info", {}).items() if name != "version"}
    return json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def breaking(old: Json, new: Json) -> list[BreakingChange]:
    """Return the distinct changes that break a client of the description `old`."""
    return sorted(set(_Comparison(old, new).calls()))


class _Comparison:
    """The comparison of two descriptions. Each pair of schemas is compared once in each direction."""

    def __init__(self, old: Json, new: Json) -> None:
        self._old, self._new = old, new
        self._known: set[tuple[str, str, str]] = set()

    def calls(self) -> Iterator[BreakingChange]:
        """Yield the breaking changes of every call."""
        for path, item in self._old.get("paths", {}).items():
            there = self._new.get("paths", {}).get(path, {})
            for method in (method for method in METHODS if method in item):
                place = f"{method.upper()} {path}"
                if method not in there:
                    yield BreakingChange(place, "removed_call")
                    continue
                yield from self._parameters(
                    place, self._named(self._old, item, method), self._named(self._new, there, method)
                )
                yield from self._body(place, item[method].get("requestBody"), there[method].get("requestBody"))
                yield from self._responses(place, item[method]["responses"], there[method]["responses"])

    def _named(self, document: Json, item: Json, method: str) -> dict[tuple[str, str], Json]:
        listed = [*item.get("parameters", []), *item[method].get("parameters", [])]
        resolved = [_resolved(document, parameter) for parameter in listed]
        return {(parameter["in"], parameter["name"]): parameter for parameter in resolved}

    def _parameters(self, place: str, old: dict[Any, Json], new: dict[Any, Json]) -> Iterator[BreakingChange]:
        for key, parameter in old.items():
            name = f"{place} {key[1]}"
            if key not in new:
                if "." not in key[1]:  # an option of a relation, which is a field of the response as well
                    yield BreakingChange(name, "removed_parameter")
                continue
            if new[key].get("required") and not parameter.get("required"):
                yield BreakingChange(name, "required_parameter")
            yield from self._schema(name, parameter.get("schema", {}), new[key].get("schema", {}), REQUEST)
        for key in new.keys() - old.keys():
            if new[key].get("required"):
                yield BreakingChange(f"{place} {key[1]}", "required_parameter")

    def _body(self, place: str, old: Json | None, new: Json | None) -> Iterator[BreakingChange]:
        before, after = _resolved(self._old, old or {}), _resolved(self._new, new or {})
        if before and not after:
            yield BreakingChange(place, "removed_body")
        if after.get("required") and not before.get("required"):
            yield BreakingChange(place, "required_body")
        if before and after:
            yield from self._content(f"{place} body", before, after, REQUEST)

    def _responses(self, place: str, old: Json, new: Json) -> Iterator[BreakingChange]:
        for status, response in old.items():
            if not status.startswith("2"):  # all errors have the same form
                continue
            if status not in new:
                yield BreakingChange(f"{place} {status}", "removed_response")
                continue
            before, after = _resolved(self._old, response), _resolved(self._new, new[status])
            yield from self._content(f"{place} {status}", before, after, RESPONSE)

    def _content(self, place: str, old: Json, new: Json, way: str) -> Iterator[BreakingChange]:
        for kind, media in old.get("content", {}).items():
            there = new.get("content", {}).get(kind)
            if there is None:
                yield BreakingChange(f"{place} {kind}", "removed_body" if way == REQUEST else "removed_response")
            else:
                yield from self._schema(place, media.get("schema", {}), there.get("schema", {}), way)

    def _schema(self, place: str, old: Any, new: Any, way: str) -> Iterator[BreakingChange]:
        """Yield the breaking changes of a schema; their place is the name of the schema if it has one."""
        if not isinstance(old, dict) or not isinstance(new, dict):
            return
        if "$ref" in old or "$ref" in new:
            key = (str(old.get("$ref", place)), str(new.get("$ref", place)), way)
            if key in self._known:
                return
            self._known.add(key)
            place = str(old["$ref"]).rpartition("/")[2] if "$ref" in old else place
            old, new = _resolved(self._old, old), _resolved(self._new, new)
        before, after = _types(self._old, old), _types(self._new, new)
        narrower, wider = before - after, after - before
        if "number" in after:
            narrower.discard("integer")
        if "number" in before:
            wider.discard("integer")
        lost = narrower if way == REQUEST else wider
        if before and after and lost == {"null"} and way == RESPONSE:
            yield BreakingChange(place, "nullable_field", way)
        elif before and after and lost:
            yield BreakingChange(place, "changed_type", f"{way}: {_listed(before)} -> {_listed(after)}")
            return
        if old.get("format") != new.get("format"):
            detail = f"{way}: {old.get('format', 'none')} -> {new.get('format', 'none')}"
            yield BreakingChange(place, "changed_type", detail)
        yield from self._values(place, old, new, way)
        inner, other = _branch(self._old, old), _branch(self._new, new)
        if "$ref" in inner and "$ref" in other:
            yield from self._schema(place, inner, other, way)
        else:
            yield from self._fields(place, _resolved(self._old, inner), _resolved(self._new, other), way)

    def _values(self, place: str, old: Json, new: Json, way: str) -> Iterator[BreakingChange]:
        """Yield breaking changes to lists of values and to limits."""
        before, after = old.get("enum"), new.get("enum")
        if way == REQUEST and after is not None:
            gone = [value for value in before or [] if value not in after]
            if before is None or gone:
                yield BreakingChange(
                    place, "removed_value", ", ".join(map(str, gone)) or f"only {_listed(set(map(str, after)))}"
                )
        if way == RESPONSE and before is not None:
            added = [value for value in after or [] if value not in before]
            if after is None or added:
                yield BreakingChange(place, "added_value", ", ".join(map(str, added)) or "any")
        for names, is_tighter in ((_UPPER, int.__lt__), (_LOWER, int.__gt__)):
            for name in names if way == REQUEST else ():
                limit, last = new.get(name), old.get(name)
                if isinstance(limit, int) and (limit != last) and (last is None or is_tighter(limit, last)):
                    yield BreakingChange(
                        place, "tightened_limit", f"{name}: {last if last is not None else 'none'} -> {limit}"
                    )

    def _fields(self, place: str, old: Json, new: Json, way: str) -> Iterator[BreakingChange]:
        """Yield breaking changes to the properties of an object and the items of a list."""
        before, after = old.get("properties", {}), new.get("properties", {})
        for name, part in before.items():
            if name in after:
                yield from self._schema(f"{place}.{name}", part, after[name], way)
            elif after or new.get("type") == "object":
                yield BreakingChange(f"{place}.{name}", "removed_field", way)
        needed, last = set(new.get("required", [])), set(old.get("required", []))
        if way == REQUEST:
            yield from (BreakingChange(f"{place}.{name}", "required_field") for name in needed - last)
        else:
            yield from (BreakingChange(f"{place}.{name}", "optional_field") for name in (last - needed) & after.keys())
        if "items" in old and "items" in new:
            yield from self._schema(f"{place}[]", old["items"], new["items"], way)


def _resolved(document: Json, node: Json) -> Json:
    """Resolve a reference; return any other node unchanged."""
    while "$ref" in node:
        target: Any = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def _branches(schema: Json) -> list[Json]:
    """Return the alternatives of a schema, or the schema itself if it has none."""
    parts: list[Json] | None = schema.get("anyOf") or schema.get("oneOf")
    return parts or [schema]


def _types(document: Json, schema: Json) -> set[str]:
    """Return the JSON types that a schema allows; empty if it allows any."""
    found: set[str] = set()
    for branch in _branches(schema):
        kind = _resolved(document, branch).get("type")
        if kind is None:
            return set()
        found |= {kind} if isinstance(kind, str) else set(kind)
    return found


def _branch(document: Json, schema: Json) -> Json:
    """Return the only non-null alternative, unresolved; an empty schema if there are several."""
    others = [branch for branch in _branches(schema) if _resolved(document, branch).get("type") != "null"]
    return others[0] if len(others) == 1 else {}


def _listed(names: set[str]) -> str:
    return " or ".join(sorted(names))
