"""Requests for tables and records: body, idempotency key, hook or engine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from tableapi.app import ddl_retry
from tableapi.app.state import Services
from tableapi.auth.authenticators import SessionAuthenticator
from tableapi.auth.rights import Rights
from tableapi.datasets.dataset import Dataset
from tableapi.datasets.pinned import rolled_back
from tableapi.db.errors import to_api_error
from tableapi.endpoints import hooks
from tableapi.errors import BadRequest, NotFound, Unauthorized
from tableapi.http.body import parse_body
from tableapi.http.request import HttpRequest, effective_verb
from tableapi.http.response import Reply
from tableapi.query import options
from tableapi.tables import endpoints, read
from tableapi.tables.read import TableRequest


class TableCalls:
    """Answer requests below `/api/v2/<dataset>/_table/<table>`."""

    def __init__(self, services: Services) -> None:
        self._services, self._body_bytes = services, services.settings.body_bytes

    async def answer(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Reply:
        """Answer one request. `parts`: `_table`, the name of the table, perhaps an identifier.

        Raises ApiError.
        """
        if len(parts) > 3:
            raise NotFound("There is nothing under a record.")
        if len(request.query_string) > (chars := dataset.bounds.filter.length):
            options.within(query, chars)
        verb = request.method if request.method == "GET" else effective_verb(request, query)
        body = None
        if request.method != "GET":
            raw = await request.body(self._body_bytes)
            body = parse_body(request.headers.get("content-type", ""), raw, self._body_bytes)
        request.cancellable = verb == "GET"
        name, ident = parts[1], parts[2] if len(parts) == 3 else None
        table = dataset.schema.tables.get(name) or await dataset.table(name, rights)
        call = TableRequest(dataset, request.actor, rights, table, query, body, request.headers)
        attempt = partial(self._attempt, call, verb, ident, request)
        try:
            if verb != "GET" and options.dry_run(query, body if ident is None else None):
                return await ddl_retry.run(partial(self._dry_run, call, verb, attempt), call, name)
            if verb == "GET" or (key := request.headers.get("idempotency-key")) is None:
                return await ddl_retry.run(attempt, call, name)
            run = partial(ddl_retry.run, attempt, call, name)
            once = partial(self._services.idempotency.once, key, call, verb, ident, run)
            # The claim of the key is rolled back with the transaction that a database error ends.
            return await ddl_retry.run(once, call, name, ddl_retry.DATABASE_ERRORS)
        finally:
            if call.tenant_mismatches:
                await self._record_mismatches(call, request)

    async def _dry_run(self, call: TableRequest, verb: str, attempt: Callable[[], Awaitable[Reply]]) -> Reply:
        """Return the response of a write that is rolled back. A hook may have effects that cannot be undone."""
        dataset, scripts = call.dataset, self._services.scripts
        if scripts is not None and (call.table.name, verb) in scripts.hooks:
            message = (
                f"{verb} of '{call.table.name}' runs code of the project, so it has no dry run. Leave out dry_run."
            )
            raise BadRequest(message, reason="no_dry_run")
        try:
            async with rolled_back(dataset) as call.dataset:
                reply = await attempt()
        finally:
            call.dataset = dataset
        reply.headers.pop("ETag", None)  # of a version that does not exist
        reply.headers["Dry-Run"] = "true"
        return reply

    async def _attempt(self, call: TableRequest, verb: str, ident: str | None, request: HttpRequest) -> Reply:
        """Answer by the hook of the project or by the engine.

        Hooks, and writes of one record, change the call; each attempt gets a copy.
        """
        scripts = self._services.scripts
        try:
            if scripts is not None and (hook := scripts.hooks.get((call.table.name, verb))):
                return await hooks.answer(scripts, hook, call.again(), verb, ident, request)
            if verb == "GET":
                return await read.read(call, ident)
            return await endpoints.handle(call if verb == "POST" else call.again(), verb, ident)
        except Exception as error:
            if call.actor.role in ("", "key") and self._services.has_sessions and _is_forbidden(error):
                raise Unauthorized("Your account access session is expired") from None
            raise

    async def _record_mismatches(self, call: TableRequest, request: HttpRequest) -> None:
        """Record that a write named another account than the session's, whatever its response was."""
        authenticator = self._services.authenticator
        if isinstance(authenticator, SessionAuthenticator):
            for name, value in call.tenant_mismatches.items():
                detail = {"field": name, "call": request.path}
                await authenticator.tenant_mismatches(call.actor, str(value)[:200], detail, request.ip)


def _is_forbidden(error: Exception) -> bool:
    refusal = to_api_error(error)
    return refusal is not None and refusal.reason == "forbidden"
