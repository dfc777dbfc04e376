"""The steps of a batch: their members, options and limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tableapi import exact_json
from tableapi.app.features.batch import references
from tableapi.auth.policy import VERBS
from tableapi.errors import BadRequest, Invalid, TooLarge
from tableapi.http.body import parse_object
from tableapi.http.request import unquoted
from tableapi.query.names import quoted_value
from tableapi.query.spelling import suggestion

MAX_STEPS, MAX_REFERENCES = 100, 10_000
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_MEMBERS, _STEP = frozenset(("requests", "dry_run")), frozenset(("id", "method", "path", "query", "body"))
# Members of steps as other APIs name them.
_WRITTEN = {
    **dict.fromkeys(("url", "uri", "href", "relative_url", "endpoint"), "path"),
    **dict.fromkeys(("verb", "operation"), "method"),
    **dict.fromkeys(("params", "options", "parameters"), "query"),
    **dict.fromkeys(("data", "json", "payload", "record", "records"), "body"),
}


@dataclass(frozen=True, slots=True)
class BatchStep:
    """One request of a batch; `query` and `body` may contain references to earlier responses."""

    id: str
    method: str
    parts: tuple[str, ...]  # path segments: _table, the table name, and possibly an identifier
    query: Mapping[str, Any]
    body: Any
    references: tuple[str, ...] = ()


def parse(content_type: str, raw: bytes) -> tuple[dict[str, Any], list[BatchStep]]:
    """Parse the body of a batch. Returns it and its steps.

    Raises:
        Invalid: the batch has an unknown member, or a step is malformed (422).
        BadRequest: a reference does not name an earlier step.
        TooLarge: there are more than MAX_REFERENCES (413).
    """
    if raw.lstrip()[:1] == b"[":
        raise BadRequest('The body must be a JSON object, such as {"requests": [...]}.', reason="bad_json")
    sent = parse_object(content_type, raw, exact_json.loads)
    if unknown := sent.keys() - _MEMBERS:
        raise Invalid({min(unknown)[:50]: f"Unknown field.{suggestion(min(unknown), sorted(_MEMBERS))}"}, named=True)
    requests = sent.get("requests")
    if not isinstance(requests, list) or not 1 <= len(requests) <= MAX_STEPS:
        raise Invalid({"requests": f"Send a list of 1 to {MAX_STEPS} requests."}, named=True)
    steps: list[BatchStep] = []
    known: set[str] = set()  # names of earlier requests
    count = 0
    for number, one in enumerate(requests):
        step = _parsed(one, f"requests.{number}")
        if step.id in known:
            raise Invalid({f"requests.{number}.id": "Must be unique; another request has the same id."}, named=True)
        named = tuple(references.named((step.query, step.body)))
        steps.append(replace(step, references=named))
        count += len(named)
        if count > MAX_REFERENCES:
            raise TooLarge(f"A batch may have at most {MAX_REFERENCES:,} references.")
        for name in named:
            if name.partition(".")[0] not in known:
                raise BadRequest(
                    f"Request {number + 1} refers to '{name[:100]}', which is not the id of an earlier request.",
                    reason="bad_reference",
                    context={"index": number, "reference": name[:200]},
                )
        known |= {step.id} - {""}
    return sent, steps


def _parsed(one: Any, place: str) -> BatchStep:
    if not isinstance(one, dict):
        raise Invalid({place: "Must be an object."}, named=True)
    if unknown := one.keys() - _STEP:
        name = min(unknown)
        written = _WRITTEN.get(name.lower(), "")
        hint = f" Write it as '{written}'." if written else suggestion(name, sorted(_STEP))
        raise Invalid({f"{place}.{name[:50]}": f"Unknown field.{hint}"}, named=True)
    name, method, path, query = one.get("id"), one.get("method", "GET"), one.get("path"), one.get("query")
    if name is not None and not (isinstance(name, str) and _ID.fullmatch(name)):
        raise Invalid({f"{place}.id": "Must be 1 to 64 letters, digits, - or _."}, named=True)
    if not isinstance(method, str) or method.upper() not in VERBS:
        raise Invalid({f"{place}.method": f"Must be one of {', '.join(VERBS)}."}, named=True)
    parts = tuple(path.strip("/").split("/")) if isinstance(path, str) else ()
    if not 2 <= len(parts) <= 3 or parts[0] != "_table" or "?" in str(path):
        raise Invalid(
            {f"{place}.path": "Must be _table/<table> or _table/<table>/<id>, with the options in query."}, named=True
        )
    if query is not None and not isinstance(query, dict):
        raise Invalid({f"{place}.query": "Must be an object of options."}, named=True)
    return BatchStep(name or "", method.upper(), tuple(unquoted(part) for part in parts), query or {}, one.get("body"))


def option(name: str, value: Any) -> str:
    """Return an option value in URL form."""
    if isinstance(value, str):
        return value
    if name == "ids" and isinstance(value, list | dict):  # one value each, also with a comma or as JSON
        items = value if isinstance(value, list) else [value]
        return ",".join(quoted_value(i if isinstance(i, str) else exact_json.dumps(i).decode()) for i in items)
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ",".join(option(name, item) for item in value)
    if isinstance(value, str | int | float):
        return exact_json.dumps(value).decode()
    raise BadRequest(f"Option '{name[:100]}' must be a string, a number or a list of these.", reason="bad_option")
