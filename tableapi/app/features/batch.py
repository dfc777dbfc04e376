"""`_batch`: several requests for tables in one transaction (docs/reference/wire.md)."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import asyncpg
import orjson

from tableapi import exact_json, threads
from tableapi.app.application import App
from tableapi.app.feature import Feature, Route
from tableapi.app.routes import POST
from tableapi.app.tables import explain
from tableapi.auth.policy import VERBS, Actor
from tableapi.auth.rights import Rights
from tableapi.datasets import transaction
from tableapi.datasets.dataset import Dataset
from tableapi.db.errors import RETRYABLE, to_api_error
from tableapi.errors import ApiError, BadRequest, Invalid, MethodNotAllowed, TooLarge
from tableapi.http import preferences
from tableapi.http.body import parse_object
from tableapi.http.inner_request import InnerRequest, Writes
from tableapi.http.request import HttpRequest, unquoted
from tableapi.http.response import Response
from tableapi.project.writes import tell
from tableapi.query import option_values, options
from tableapi.query.names import quoted_value
from tableapi.query.spelling import suggestion
from tableapi.query.statement import unquoted as not_quoted
from tableapi.tables.batch import BatchError

MAX_STEPS, MAX_DEPTH, MAX_REFERENCES = 100, 20, 10_000
MAX_RESPONSE_BYTES = 16_000_000  # total size of all responses, which stay in memory until the transaction ends
# Errors of a batch that conflicts with another transaction; the batch is retried for some time. Batches that lock the
# same rows in different orders would conflict again and again, and PostgreSQL takes a second to detect each deadlock. A
# batch that writes therefore first waits only briefly for locks, and after one that had to wait longer, the batches of
# its account run one at a time for a while.
AGAIN = (*RETRYABLE, asyncpg.LockNotAvailableError)
AGAIN_SECONDS, ALONE_SECONDS = 12.0, 10.0
_SHORTLY = "set local lock_timeout = '300ms'"
_ALONE = "select pg_advisory_xact_lock(hashtextextended('tableapi _batch ' || $1, 0))"
MAX_ALONE = 10_000  # accounts that are remembered
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_MEMBERS, _STEP = frozenset(("requests", "dry_run")), frozenset(("id", "method", "path", "query", "body"))
# Members of steps as other APIs name them.
_WRITTEN = {
    **dict.fromkeys(("url", "uri", "href", "relative_url", "endpoint"), "path"),
    **dict.fromkeys(("verb", "operation"), "method"),
    **dict.fromkeys(("params", "options", "parameters"), "query"),
    **dict.fromkeys(("data", "json", "payload", "record", "records"), "body"),
}
_OPTIONS = ("dry_run", "method", "_method")
_PREFERENCES = ("tx", "max-affected", "handling")  # max-affected is rejected, because it would have no effect
_REF = "$ref"
_HANDLING = re.compile(r"handling=(?:strict|lenient)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BatchStep:
    """One request of a batch; `query` and `body` may contain references to earlier responses."""

    id: str
    method: str
    parts: tuple[str, ...]  # path segments: _table, the table name, and possibly an identifier
    query: Mapping[str, Any]
    body: Any
    references: tuple[str, ...] = ()


@dataclass(slots=True)
class Results:
    """The responses of the steps with an id, each decoded when a later step first refers to it.

    `max_bytes`: the maximum size of the values that the references of one step stand for, as JSON.
    """

    max_bytes: int
    bodies: dict[str, bytes] = field(default_factory=dict)
    _decoded: dict[str, Any] = field(default_factory=dict)

    async def resolved(self, step: BatchStep, size: int) -> BatchStep:
        """Return a step with each reference replaced by the value it points to.

        size: of the body of the batch, in bytes. Raises BadRequest for a reference to a missing value, TooLarge (413).
        """
        for name in {reference.partition(".")[0] for reference in step.references} - self._decoded.keys():
            self._decoded[name] = await threads.body(len(self.bodies[name]), exact_json.loads, self.bodies[name])
        return await threads.body(size, self._replaced, step)

    def texts(self, step: BatchStep) -> frozenset[str]:
        """Return the values of a step's references as texts, also those inside a list or an object."""
        left, texts = [_found(reference, self._decoded) for reference in dict.fromkeys(step.references)], set[str]()
        while left:
            value = left.pop()
            if isinstance(value, dict | list):
                left += value.values() if isinstance(value, dict) else value
            else:
                texts.add(str(value))
        return frozenset(texts)

    def _replaced(self, step: BatchStep) -> BatchStep:
        values = {reference: _found(reference, self._decoded) for reference in dict.fromkeys(step.references)}
        left = self.max_bytes
        sizes: dict[str, int] = {}
        for reference in step.references:
            if reference not in sizes:
                sizes[reference] = len(exact_json.dumps(values[reference]))
            left -= sizes[reference]
            if left < 0:
                raise TooLarge(f"The referenced values in a request exceed {self.max_bytes:,} bytes.")
        query: dict[str, Any] = _with(step.query, values)
        if step.query.get("ids") != query.get("ids") and not isinstance(query["ids"], list):
            query["ids"] = [query["ids"]]  # one value, even if it contains a comma
        return replace(step, query=query, body=_with(step.body, values), references=())


@dataclass(slots=True)
class _Alone:
    """The batches of an account that conflicted, and run one at a time in this worker until a time."""

    until: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class _MustWait(Exception):
    """Other batches of the account have begun to run one at a time."""


@dataclass(slots=True)
class _Held:
    dataset: Dataset
    actor: Actor
    writes: Writes = field(default_factory=Writes)


class Batches(Feature):
    """Run the steps of a batch in order, each with the rights and limits of a separate request."""

    def __init__(self, app: App) -> None:
        self._state, self._tables, self._authentication = app.state, app.tables, app.authentication
        self._alone: dict[str, _Alone] = {}  # by dataset and account

    async def respond(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Response:
        """Return the responses of all steps; an error rolls everything back.

        Raises ApiError.
        """
        if request.method != "POST" or len(parts) > 1:
            raise MethodNotAllowed("Send a batch as POST to _batch.", headers={"Allow": "POST"})
        raw = await request.body(self._state.settings.body_bytes)
        sent, steps = await threads.body(len(raw), parse, request.headers.get("content-type", ""), raw)
        applied, strict = "", self._state.strict
        if "prefer" in request.headers:
            explain.reject_question(request.headers["prefer"])
            applied, strict = preferences.checked(request.headers, query, _PREFERENCES, strict=strict)
        _reject_options(query, strict=strict)
        dry_run = option_values.boolean("dry_run", sent.get("dry_run", query.get("dry_run", False)))
        held = _Held(dataset, request.actor)

        async def run() -> Response:
            return await self._run(request, held, steps, len(raw), dry_run=dry_run)

        db = self._state.session_db
        before = db.watched_writes
        key = request.headers.get("idempotency-key")
        if key is None or dry_run:
            response = await run()
        else:
            response = await self._state.idempotency.whole(key, held, f"POST {dataset.name}/_batch", raw, run)
        if not dry_run:
            if db.watched_writes != before or not db.watched.isdisjoint(map(str.lower, held.writes.tables)):
                await self._state.catch_up()
            await tell(self._state.served.on_write, dataset.name, request.actor, held.writes.records)
        if applied:
            response.headers["Preference-Applied"] = applied
        return response

    routes = (Route(POST, "/api/v2/{dataset}/_batch", respond, "reference/wire.md"),)

    async def _run(
        self, request: HttpRequest, held: _Held, steps: list[BatchStep], size: int, *, dry_run: bool
    ) -> Response:
        until = time.monotonic() + AGAIN_SECONDS
        if not _writes(steps):
            return await self._attempt(request, held, steps, size, dry_run=dry_run)
        account = f"{held.dataset.name} {request.actor.account}"
        while True:
            alone = self._alone.get(account) or _Alone()
            try:
                if alone.until < time.monotonic():
                    return await self._attempt(request, held, steps, size, account, dry_run=dry_run)
                async with alone.lock:  # those that wait hold no connection
                    return await self._attempt(request, held, steps, size, account, alone=True, dry_run=dry_run)
            except _MustWait:
                continue
            except AGAIN:
                now = time.monotonic()
                if now > until:
                    raise
                self._forget(now)
                self._alone.setdefault(account, alone).until = now + ALONE_SECONDS
                await asyncio.sleep(random.uniform(0, 0.05))  # noqa: S311 - no secret

    def _forget(self, now: float) -> None:
        """Forget accounts after the time in which their batches ran alone."""
        if len(self._alone) >= MAX_ALONE:
            self._alone = {name: alone for name, alone in self._alone.items() if alone.until >= now}

    async def _attempt(
        self,
        request: HttpRequest,
        held: _Held,
        steps: list[BatchStep],
        size: int,
        account: str = "",
        *,
        alone: bool = False,
        dry_run: bool,
    ) -> Response:
        """Run the steps in one transaction.

        account: the one that conflicting batches have in common, "" for reads.
        """
        responses: list[bytes] = []
        results, room = Results(self._state.settings.body_bytes), MAX_RESPONSE_BYTES
        held.writes = Writes()
        async with (transaction.undone if dry_run else transaction.kept)(held.dataset) as dataset:
            if alone:
                await dataset.db.writes.fetchrow(_ALONE, account)
            elif account:
                if account in self._alone and self._alone[account].until > time.monotonic():
                    raise _MustWait
                await dataset.db.writes.fetchrow(_SHORTLY)
            for number, step in enumerate(steps):
                response = await self._step(request, dataset, held.writes, step, number, results, size, room)
                room -= len(response.body or b"")
                head = orjson.dumps({"id": step.id or None, "status": response.status})
                responses.append(head[:-1] + b',"body":' + (response.body or b"null") + b"}")
                if step.id:
                    results.bodies[step.id] = response.body
        headers = {"Dry-Run": "true"} if dry_run else {}
        return Response(b'{"responses":[' + b",".join(responses) + b"]}", headers=headers)

    async def _step(
        self,
        request: HttpRequest,
        dataset: Dataset,
        writes: Writes,
        step: BatchStep,
        number: int,
        results: Results,
        size: int,
        room: int,
    ) -> Response:
        """Run one step. size: of the batch, in bytes; room: the maximum size of the response."""
        sent = step
        try:
            if step.references:
                step = await results.resolved(step, size)
                not_quoted.set(partial(results.texts, sent))
            query = {name: _option(name, value) for name, value in step.query.items()}
            inner = InnerRequest(request, step.method, (dataset.name, *step.parts), query, step.body, batch=writes)
            if handling := _HANDLING.search(request.headers.get("prefer", "")):
                inner.headers["prefer"] = handling[0]
            if number and self._state.limited:  # the batch itself counted as the first
                self._authentication.count(inner, request.actor)
            response = await self._tables.respond(
                inner, dataset, dataset.rights(request.actor.role), list(step.parts), query
            )
            if response.stream is not None or not response.content_type.startswith("application/json"):
                await response.discard()
                raise BadRequest(
                    "Responses inside a batch are always JSON. Leave out other formats.", reason="bad_option"
                )
            if len(response.body or b"") > room:
                raise TooLarge(
                    f"The responses of this batch are larger than {MAX_RESPONSE_BYTES // 1_000_000} MB. Ask for fewer "
                    "records or fields."
                )
            return response
        except AGAIN:
            raise
        except Exception as error:
            api_error = to_api_error(error)
            if api_error is None:
                raise
            if step is not sent:
                api_error = _without_values(api_error, sent)
            raise ApiError(
                _failed(number + 1, api_error),
                status=api_error.status,
                reason="batch_step",
                context={"index": number, "id": step.id or None, "error": api_error.body()},
                headers=api_error.headers,
            ) from error
        finally:
            if sent.references:
                not_quoted.set(None)


def _failed(number: int, error: ApiError) -> str:
    """Return the message for a failed step; for a list of records, with the one at fault."""
    if isinstance(error, BatchError):
        return f"Request {number} failed at its record {error.place + 1}, and nothing was kept: {error.first}"
    return f"Request {number} of the batch failed, and nothing was kept. {error.message}"


def _writes(steps: list[BatchStep]) -> bool:
    """Return whether any step may lock rows."""
    return any(step.method != "GET" for step in steps)


def _without_values(error: ApiError, sent: BatchStep) -> ApiError:
    """Return the error of a step without the values that references in its options stand for.

    Errors of options quote them, and the response that they are from is not sent. Errors of bodies quote no values.
    """
    named = _references(sent.query, MAX_DEPTH)
    if not named:
        return error
    message = f"The options refer to a value that is not accepted there: {', '.join(named[:5])}."
    return ApiError(message, status=error.status, reason=error.reason, headers=error.headers)


def _reject_options(query: Mapping[str, str], *, strict: bool) -> None:
    """Raise BadRequest for an option that would not have the effect it has on a single request."""
    for name in ("max_affected", "explain"):
        if name in query:
            raise BadRequest(
                f"Option '{name}' applies to one request. Put it into 'query' of a request of the batch.",
                reason="bad_option",
                context={"option": name},
            )
    if strict:
        options.reject_unknown(query, _OPTIONS, "A batch")


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
        references = tuple(_references((step.query, step.body), MAX_DEPTH))
        steps.append(replace(step, references=references))
        count += len(references)
        if count > MAX_REFERENCES:
            raise TooLarge(f"A batch may have at most {MAX_REFERENCES:,} references.")
        for name in references:
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


def _references(value: Any, depth: int) -> list[str]:
    """Return all references in a value. Raises BadRequest for a malformed one."""
    if depth == 0:
        raise BadRequest(f"The batch is nested more than {MAX_DEPTH} levels deep.", reason="bad_json")
    if isinstance(value, Mapping):
        if _REF in value:
            if len(value) > 1 or not isinstance(value[_REF], str):
                message = 'A reference must be an object with a single member: {"$ref": "order.resource.0.id"}.'
                raise BadRequest(message, reason="bad_reference")
            return [value[_REF]]
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [name for item in value for name in _references(item, depth - 1)]
    return []


def _with(value: Any, values: Mapping[str, Any]) -> Any:
    """Copy a value with each reference replaced by its entry in `values`."""
    if isinstance(value, dict):
        if _REF in value:
            return values[value[_REF]]
        return {name: _with(item, values) for name, item in value.items()}
    if isinstance(value, list):
        return [_with(item, values) for item in value]
    return value


def _found(reference: str, decoded: Mapping[str, Any]) -> Any:
    """Return the value that a reference points to. Raises BadRequest if there is none."""
    name, *path = reference.split(".")
    value = decoded[name]
    for part in path:
        if isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isascii() and part.isdigit():
            raise BadRequest(
                f"The response of '{name}' has no '{'.'.join(path)[:100]}': its list has fewer than "
                f"{int(part[:9]) + 1} records.",
                reason="bad_reference",
                context={"reference": reference[:200]},
            )
        else:
            raise BadRequest(
                f"The response of '{name}' has no '{'.'.join(path)[:100]}'. Request the field in its option 'fields'.",
                reason="bad_reference",
                context={"reference": reference[:200]},
            )
    return value


def _option(name: str, value: Any) -> str:
    """Return an option value in URL form."""
    if isinstance(value, str):
        return value
    if name == "ids" and isinstance(value, list | dict):  # one value each, also with a comma or as JSON
        items = value if isinstance(value, list) else [value]
        return ",".join(quoted_value(i if isinstance(i, str) else exact_json.dumps(i).decode()) for i in items)
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ",".join(_option(name, item) for item in value)
    if isinstance(value, str | int | float):
        return exact_json.dumps(value).decode()
    raise BadRequest(f"Option '{name[:100]}' must be a string, a number or a list of these.", reason="bad_option")
