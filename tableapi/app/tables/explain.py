"""`Prefer: explain=rights`: explain why a request is allowed or rejected, instead of executing it.

Nothing is written, and no row is returned. The response names only columns that the caller may read, and discloses
nothing about a record that the caller could not read. See docs/reference/wire.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from tableapi.app.state import AppState
from tableapi.auth.policy import Actor
from tableapi.auth.rights import DerivedRights, FullRights, Right, Rights
from tableapi.auth.rule_text import rule_of
from tableapi.datasets import transaction
from tableapi.datasets.dataset import Dataset
from tableapi.db.errors import to_api_error
from tableapi.errors import ApiError, BadRequest, Forbidden
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response, dumps
from tableapi.query.spelling import suggestion
from tableapi.schema.model import Table
from tableapi.tables import read, verbs
from tableapi.tables.batch import BatchError
from tableapi.tables.request import TableRequest

_ACTIONS = {"GET": "read", "POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
_VERBS = ("GET", "POST", "PATCH", "DELETE")
_HIDDEN = ("not_found", "unknown_record")


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a role ("" for the caller's own) with the values of its user."""

    role: str
    values: Mapping[str, Any]


def asked(prefer: str) -> Question | None:
    """Parse the question in a `Prefer` header, such as `explain=rights; role=clerk; user.store=1`.

    Returns None if the header has no such preference. Raises BadRequest.
    """
    for part in prefer.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        kind, *parameters = (word.strip() for word in value.split(";"))
        if name.lower() != "explain":
            continue
        if kind.strip('"').lower() != "rights":
            raise _bad(f"Unknown preference 'explain={kind[:50]}'. Send Prefer: explain=rights.")
        pairs = [parameter.partition("=") for parameter in parameters if parameter]
        if wrong := next((key for key, sign, _ in pairs if not sign or not key), ""):
            raise _bad(f"'{wrong[:50]}' has no value. Write role=NAME, and values of the user such as user.id=8.")
        values = {key.strip(): _value(text.strip().strip('"')) for key, _, text in pairs}
        return Question(str(values.pop("role", "")), values)
    return None


def reject_question(prefer: str) -> None:
    """Raise BadRequest if a `Prefer` header asks for an explanation where there is none."""
    if asked(prefer) is not None:
        raise _bad("Prefer: explain=rights applies to a single request for a table.")


def _bad(message: str) -> BadRequest:
    return BadRequest(message, reason="bad_option", context={"option": "explain"})


def _value(text: str) -> Any:
    """Convert the text of a number to a number; return any other text unchanged."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value if isinstance(value, int | float) else text


async def respond(
    state: AppState,
    request: HttpRequest,
    dataset: Dataset,
    rights: Rights,
    parts: list[str],
    query: dict[str, str],
    body: Any,
    verb: str,
    question: Question,
    *,
    runs: bool,
) -> Response:
    """Explain why a table request is allowed or rejected.

    runs: whether the request may be tried, which tells the caller of rows that it has not read.

    Raises Forbidden if the caller may not ask, NotFound if it may not use the table, and BadRequest.
    """
    caller = request.actor
    if not state.explains(caller.role):
        raise Forbidden(
            'Your role may not ask why a request is rejected. This needs full rights, or a role with "explain": true.',
            reason="no_explain",
        )
    role = question.role or caller.role
    if (known := state.known_roles()) is not None and role not in known:
        raise _bad(f"There is no role '{role[:100]}'.{suggestion(role, known)}")
    table = await dataset.table(parts[1], rights)
    is_own = role == caller.role and not question.values
    actor = caller if is_own else Actor(role, question.values)
    subject = state.datasets_of(role)[dataset.name] if not is_own else dataset
    granted = rights if is_own else subject.rights(role)
    right = granted.right(table, verb)
    can_read = _sight(table, rights)
    ident = parts[2] if len(parts) == 3 else None
    told: dict[str, Any] = {"explain": "rights", "role": role, "table": table.name, "verb": verb, "allowed": False}
    if right is None:
        actions = dict.fromkeys(_ACTIONS[other] for other in _VERBS if granted.right(table, other) is not None)
        told["why"] = (
            f"No rule lets the role '{role}' {_ACTIONS[verb]} '{table.name}'. "
            f"It may {', '.join(actions)}." if actions else
            f"No rule gives the role '{role}' any right to '{table.name}'."
        )  # fmt: skip
        return Response(dumps(told))
    told |= _described(table, granted, right, verb, can_read)
    # Running as another role discloses results that depend on its rows, so the caller must be allowed to read them.
    runs = runs and (is_own or isinstance(rights, FullRights)) and role not in subject.database_roles
    if not runs:
        told["allowed"] = None
        told["why"] = "The request is subject to the rule below; whether it is allowed depends on the rows and values."
        return Response(dumps(told))
    call = TableRequest(subject, actor, granted, table, verb, ident, query, body, {})
    api_error = await _error_of(call)
    if api_error is None:
        told |= {"allowed": True, "why": "The request is allowed."}
    else:
        told["refusal"] = {"status": api_error.status, "reason": api_error.reason, "message": api_error.message}
        if field := api_error.context.get("field"):
            told["refusal"]["field"] = field
        shown = TableRequest(dataset, caller, rights, table, "GET", ident, {}, None, {})
        seen = ident is not None and await _error_of(shown) is None
        told["why"] = _why(api_error, told.get("rows", ""), ident, seen=seen)
    if state.scripts is not None and (table.name, verb) in state.scripts.hooks and subject.has_hooks:
        told["hook"] = f"A hook of the project also checks {verb}; it was not run."
    return Response(dumps(told))


def _sight(table: Table, rights: Rights) -> Any:
    """Return a function that tests whether the caller may read a column."""
    right = rights.right(table, "GET")
    return right.can_read if right is not None else lambda name: name in table.key


def _described(table: Table, rights: Rights, right: Right, verb: str, can_read: Any) -> dict[str, Any]:
    """Describe the rule behind a right: its name, its rows in words, and the columns that it excludes."""
    told: dict[str, Any] = {}
    if isinstance(rights, FullRights):
        told["rule"] = "full rights"
    elif isinstance(rights, DerivedRights) and (name := rights.source(table, verb)):
        told["rule"] = name
    if rows := rule_of(table, right, can_read):
        told["rows"] = rows
    if hidden := [name for name in table.columns if can_read(name) and not right.can_read(name)]:
        told["not_readable"] = hidden
    if verb in ("POST", "PUT", "PATCH"):
        fixed = [name for name in table.columns if can_read(name) and not right.may_set([name])]
        told |= {"not_writable": fixed} if fixed else {}
    return told


async def _error_of(call: TableRequest) -> ApiError | None:
    """Run a request, roll it back, and return its error; None if it succeeds."""
    try:
        if call.verb == "GET":
            if call.ident is None:
                call.query = {"limit": "1", **call.query}
            response = await read.read(call)
        else:
            async with transaction.undone(call.dataset) as undone:
                response = await verbs.handle(replace(call, dataset=undone))
        await response.discard()
    except Exception as error:
        api_error = to_api_error(error)
        if api_error is None or api_error.status >= 500:
            raise
        return _first(api_error)
    return None


def _first(api_error: ApiError) -> ApiError:
    """Return the error of the first failed record in a list."""
    if not isinstance(api_error, BatchError):
        return api_error
    entry, reason = api_error.context["resource"][api_error.context["error"][0]], api_error.context["reasons"][0]
    return ApiError(entry["message"], status=entry["status_code"], reason=reason, context=entry["context"])


def _why(api_error: ApiError, rows: str, ident: str | None, *, seen: bool) -> str:
    """Describe an error in one sentence."""
    rule = f": {rows}" if rows else ""
    if ident is not None and api_error.status == 404 and seen:
        return f"The record exists, but the row rule hides it from the role{rule}."
    if ident is not None and api_error.status == 404:
        return f"There is no such record, or the row rule hides it{rule}." if rows else "There is no such record."
    if api_error.reason == "row_rule":
        return f"The record would not match the row rule{rule}."
    return api_error.message
