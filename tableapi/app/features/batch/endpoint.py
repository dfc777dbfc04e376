"""`_batch`: several requests for tables in one transaction (docs/reference/wire.md)."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import asyncpg
import orjson

from tableapi import threads
from tableapi.app.application import App
from tableapi.app.feature import Feature, Route
from tableapi.app.features.batch.results import Results, without_values
from tableapi.app.features.batch.steps import BatchStep, option, parse
from tableapi.app.routes import POST
from tableapi.app.tables import explain
from tableapi.auth.policy import Actor
from tableapi.auth.rights import Rights
from tableapi.datasets import transaction
from tableapi.datasets.dataset import Dataset
from tableapi.db.errors import RETRYABLE, to_api_error
from tableapi.errors import ApiError, BadRequest, MethodNotAllowed, TooLarge
from tableapi.http import preferences
from tableapi.http.inner_request import InnerRequest
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.project.writes import tell
from tableapi.query import option_values, options
from tableapi.query.statement import unquoted as not_quoted
from tableapi.tables.batch import BatchError
from tableapi.tables.request import Writes

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
_OPTIONS = ("dry_run", "method", "_method")
_PREFERENCES = ("tx", "max-affected", "handling")  # max-affected is rejected, because it would have no effect
_HANDLING = re.compile(r"handling=(?:strict|lenient)", re.IGNORECASE)


@dataclass(slots=True)
class _Alone:
    """The batches of an account that conflicted, and run one at a time in this worker until a time."""

    until: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class _MustWait(Exception):
    """Other batches of the account have begun to run one at a time."""


@dataclass(slots=True)
class _Sent:
    """A batch as it was sent. size: of its body, in bytes; writes: those of its last attempt."""

    request: HttpRequest
    dataset: Dataset
    actor: Actor
    steps: list[BatchStep]
    size: int
    dry_run: bool
    writes: Writes = field(default_factory=Writes)


@dataclass(slots=True)
class _Run:
    """An attempt of a batch. responses: of the steps so far; room: the bytes that the next ones may have."""

    batch: _Sent
    dataset: Dataset  # in the transaction of the attempt
    results: Results
    responses: list[bytes] = field(default_factory=list)
    room: int = MAX_RESPONSE_BYTES


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
        batch = _Sent(request, dataset, request.actor, steps, len(raw), dry_run)
        db = self._state.session_db
        before = db.watched_writes
        key = request.headers.get("idempotency-key")
        if key is None or dry_run:
            response = await self._run(batch)
        else:
            run = partial(self._run, batch)
            response = await self._state.idempotency.whole(key, batch, f"POST {dataset.name}/_batch", raw, run)
        if not dry_run:
            if db.watched_writes != before or not db.watched.isdisjoint(map(str.lower, batch.writes.tables)):
                await self._state.catch_up()
            await tell(self._state.served.on_write, dataset.name, request.actor, batch.writes.records)
        if applied:
            response.headers["Preference-Applied"] = applied
        return response

    routes = (Route(POST, "/api/v2/{dataset}/_batch", respond, "reference/wire.md"),)

    async def _run(self, batch: _Sent) -> Response:
        """Run the batch, again while it conflicts with other transactions."""
        if not _writes(batch.steps):
            return await self._attempt(batch)
        until = time.monotonic() + AGAIN_SECONDS
        account = f"{batch.dataset.name} {batch.actor.account}"
        while True:
            alone = self._alone.get(account) or _Alone()
            try:
                if alone.until < time.monotonic():
                    return await self._attempt(batch, account)
                async with alone.lock:  # those that wait hold no connection
                    return await self._attempt(batch, account, alone=True)
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

    async def _attempt(self, batch: _Sent, account: str = "", *, alone: bool = False) -> Response:
        """Run the steps in one transaction.

        account: the one that conflicting batches have in common, "" for reads.
        """
        batch.writes = Writes()
        async with (transaction.undone if batch.dry_run else transaction.kept)(batch.dataset) as dataset:
            if alone:
                await dataset.db.writes.fetchrow(_ALONE, account)
            elif account:
                if account in self._alone and self._alone[account].until > time.monotonic():
                    raise _MustWait
                await dataset.db.writes.fetchrow(_SHORTLY)
            run = _Run(batch, dataset, Results(self._state.settings.body_bytes))
            for step in batch.steps:
                await self._step(run, step)
        headers = {"Dry-Run": "true"} if batch.dry_run else {}
        return Response(b'{"responses":[' + b",".join(run.responses) + b"]}", headers=headers)

    async def _step(self, run: _Run, sent: BatchStep) -> None:
        """Run one step, and add its response. Raises ApiError with the step's position."""
        step, number = sent, len(run.responses)
        try:
            if sent.references:
                step = await run.results.resolved(sent, run.batch.size)
                not_quoted.set(partial(run.results.texts, sent))
            response = await self._respond(run, step, number)
        except AGAIN:
            raise
        except Exception as error:
            api_error = to_api_error(error)
            if api_error is None:
                raise
            if step is not sent:
                api_error = without_values(api_error, sent)
            raise ApiError(
                _failed(number + 1, api_error),
                status=api_error.status,
                reason="batch_step",
                context={"index": number, "id": sent.id or None, "error": api_error.body()},
                headers=api_error.headers,
            ) from error
        finally:
            if sent.references:
                not_quoted.set(None)
        head = orjson.dumps({"id": sent.id or None, "status": response.status})
        run.responses.append(head[:-1] + b',"body":' + (response.body or b"null") + b"}")
        if sent.id:
            run.results.bodies[sent.id] = response.body

    async def _respond(self, run: _Run, step: BatchStep, number: int) -> Response:
        """Handle a step as a request of its own, in the transaction of the batch."""
        request, dataset = run.batch.request, run.dataset
        query = {name: option(name, value) for name, value in step.query.items()}
        inner = InnerRequest(request, step.method, (dataset.name, *step.parts), query, step.body)
        if handling := _HANDLING.search(request.headers.get("prefer", "")):
            inner.headers["prefer"] = handling[0]
        if number and self._state.limited:  # the batch itself counted as the first
            self._authentication.count(inner, request.actor)
        rights = dataset.rights(request.actor.role)
        response = await self._tables.respond(inner, dataset, rights, list(step.parts), query, run.batch.writes)
        if response.stream is not None or not response.content_type.startswith("application/json"):
            await response.discard()
            raise BadRequest("Responses inside a batch are always JSON. Leave out other formats.", reason="bad_option")
        run.room -= len(response.body or b"")
        if run.room < 0:
            raise TooLarge(
                f"The responses of this batch are larger than {MAX_RESPONSE_BYTES // 1_000_000} MB. Ask for fewer "
                "records or fields."
            )
        return response


def _failed(number: int, error: ApiError) -> str:
    """Return the message for a failed step; for a list of records, with the one at fault."""
    if isinstance(error, BatchError):
        return f"Request {number} failed at its record {error.place + 1}, and nothing was kept: {error.first}"
    return f"Request {number} of the batch failed, and nothing was kept. {error.message}"


def _writes(steps: list[BatchStep]) -> bool:
    """Return whether any step may lock rows."""
    return any(step.method != "GET" for step in steps)


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
