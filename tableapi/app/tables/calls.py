"""Requests for tables and records: body, idempotency key, hook or engine."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Any

from tableapi import threads
from tableapi.app.state import AppState
from tableapi.app.tables import audit, explain, imports, query_method, retry, stages, writes
from tableapi.app.tables import strict as strict_options
from tableapi.app.tables.stages import Attempt
from tableapi.auth.authenticators import SessionAuthenticator
from tableapi.auth.policy import Actor
from tableapi.auth.rights import Rights
from tableapi.datasets.dataset import Dataset
from tableapi.db.errors import to_api_error
from tableapi.errors import BadRequest, NotFound, Unauthorized
from tableapi.http import preferences
from tableapi.http.body import table_body
from tableapi.http.compression import media_type
from tableapi.http.inner_request import InnerRequest
from tableapi.http.request import HttpRequest, effective_verb
from tableapi.http.response import Response
from tableapi.project import hooks
from tableapi.query import option_values, options
from tableapi.query.expressions.scope import readable_relations
from tableapi.query.spelling import unknown_field
from tableapi.query.statement import UnfitValue
from tableapi.tables import errors, ndjson, read, verbs
from tableapi.tables.request import TableRequest, Writes


class TableCalls:
    """Handle requests below `/api/v2/<dataset>/_table/<table>`."""

    def __init__(self, state: AppState) -> None:
        self._state, self._body_bytes = state, state.settings.body_bytes

    async def respond(
        self,
        request: HttpRequest,
        dataset: Dataset,
        rights: Rights,
        parts: list[str],
        query: dict[str, str],
        batch: Writes | None = None,
    ) -> Response:
        """Handle one request. `parts`: `_table`, the table name, and possibly an identifier.

        batch: the writes of the batch of which the request is a step.

        Raises ApiError.
        """
        if len(parts) > 3:
            column = f" To read one column, send ?fields={parts[3][:63]}." if len(parts) == 4 else ""
            raise NotFound(f"A record has no sub-resources. Use /_table/<table>/<id>.{column}")
        if query and len(request.query_string) > (chars := dataset.limits.filter.length):
            options.within(query, chars)
        verb, method, body = "GET", request.method, None
        if method != "GET":
            verb = effective_verb(request, query)
            if method == "QUERY":
                dataset, query, body = await self._options_in_body(request, dataset, query)
            if verb != "GET" and request.actor.role in self._state.sessions.read_only:
                raise self._state.sessions.error("read_only", request.actor.role)
        prefers = "prefer" in request.headers
        question = explain.asked(request.headers["prefer"]) if prefers else None
        if "import" in query and question is None and option_values.boolean("import", query["import"]):
            return await imports.respond(self._state.settings, request, dataset, rights, parts, query, verb)
        if method != "GET" and method != "QUERY":
            if isinstance(request, InnerRequest):
                body = request.sent
            else:
                body = await table_body(request, self._body_bytes)
        if question is not None:
            if is_recorded := request.actor.role in self._state.sessions.recorded:
                await audit.record(self._state.recorder, request, parts[1], {"explain": "rights"}, query)
            return await explain.respond(
                self._state, request, dataset, rights, parts, query, body, verb, question, runs=not is_recorded
            )
        applied, strict = "", self._state.strict
        if prefers:
            applied, strict = preferences.checked(request.headers, query, strict=strict)
        request.cancellable = verb == "GET"
        ident = parts[2] if len(parts) > 2 else None
        table = dataset.schema.tables.get(parts[1]) or await dataset.table(parts[1], rights)
        beside = None
        if body is not None and type(body) is dict and len(body) > 1 and "resource" in body:
            body, beside = self._split(dataset, table.name, verb, body)
        call = TableRequest(
            dataset, request.actor, rights, table, verb, ident, query, body, request.headers, beside=beside,
            batch=batch,
        )  # fmt: skip
        # without a right, the error must equal that for an unknown table
        if strict and rights.right(table, verb) is not None:
            try:
                strict_options.reject_unknown(call)
            except BadRequest as error:
                await strict_options.reject_again(error, call, parts[1])
        return await self._run(call, request, parts[1], applied)

    async def _run(self, call: TableRequest, request: HttpRequest, name: str, applied: str) -> Response:
        """Run the stages of a request. name: the table name in the URL; applied: its preferences."""
        attempt: Attempt = partial(self._attempt, call, request)
        try:
            if call.verb != "GET":
                if call.query or (type(call.body) is dict and len(call.body) > 1):
                    attempt = stages.of_write(attempt, call)
                if call.verb != "DELETE" and not retry.has_known_fields(call):
                    attempt = await self._without_unknown(call, name, attempt, strict="handling=strict" in applied)
            else:
                if "timezone" in call.query:
                    attempt = partial(stages.in_zone, attempt, call)
                if "range" in call.headers:
                    attempt = partial(stages.ranged, attempt, call)
            if applied:
                attempt = partial(stages.preferred, attempt, applied)
            if call.actor.role in self._state.sessions.recorded:
                account = self._state.sessions.account
                if call.actor.account is None:
                    call.recorded_by = account
                attempt = partial(audit.respond, call, attempt, account, self._state.recorder, request)
            if call.verb != "GET":
                return await writes.run(self._state, attempt, call, name)
            schema = call.dataset.schema
            try:
                response = await attempt()
            except retry.ALL_ERRORS as error:
                response = await retry.again(error, schema, attempt, call, name)
            request.lines = query_method.LINE
            return response
        except Exception as error:
            if (missing := self._missing_credentials(error, call.actor)) is not None:
                raise missing from None
            if (told := errors.of_read(error, call)) is not error:
                raise told from None
            if isinstance(error, UnfitValue):
                errors.locate(error, call)
            raise
        finally:
            if call.tenant_mismatches or call.shows_credentials:
                await self._record(call, request)

    async def _without_unknown(self, call: TableRequest, table: str, attempt: Attempt, *, strict: bool) -> Attempt:
        """Return the attempt of a write, which names the fields that it ignores in a header.

        Hooks have fields of their own. Raises BadRequest for an unknown field, with `Prefer: handling=strict`.
        """
        scripts, unknown = self._state.scripts, await retry.notice_fields(call, table)
        hooks_of = scripts.hooks if scripts is not None and call.dataset.has_hooks else ()
        if not unknown or (call.table.name, call.verb) in hooks_of:
            return attempt
        name, (of, value) = next(iter(unknown.items()))
        right = call.rights.right(of, call.verb) or call.rights.right(of, "GET")
        if strict and right is not None and call.rights.right(call.table, call.verb) is not None:
            relations = readable_relations(of, right, call.rights) if isinstance(value, dict | list) else ()
            raise unknown_field(name, of, right, relations)
        return partial(stages.named, attempt, unknown)

    def _split(
        self, dataset: Dataset, table: str, verb: str, body: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a body without the members next to its records that the hook declares, and these."""
        scripts = self._state.scripts
        hook = scripts.hooks.get((table, verb)) if scripts is not None and dataset.has_hooks else None
        model = hooks.beside_model(hook) if hook is not None else None
        if model is None:
            return body, {}
        beside = {name: body[name] for name in model.model_fields if name in body}
        return {name: value for name, value in body.items() if name not in beside}, beside

    async def _options_in_body(
        self, request: HttpRequest, dataset: Dataset, query: dict[str, str]
    ) -> tuple[Dataset, dict[str, str], dict[str, Any] | None]:
        """Return the dataset with the wider limits of QUERY, and the options and the rest of its body."""
        sent = await request.body(self._body_bytes)
        content_type = request.headers.get("content-type", "")
        query, rest = await threads.body(len(sent), query_method.options_of, content_type, sent, query)
        wider = dataset.view(limits=query_method.wider(dataset.limits))
        options.within(query, wider.limits.filter.length)
        return wider, query, rest

    def _attempt(self, call: TableRequest, request: HttpRequest) -> Awaitable[Response]:
        """Handle the request with a stream, the project's hook, or the engine."""
        if call.written and call.batch is None:
            call.written.clear()  # left over from an attempt that was rolled back
        ident = call.ident
        if ident in self._state.views and request.method == "GET":
            if isinstance(request, InnerRequest):
                raise BadRequest(
                    f"'{ident}' is reserved for the stream of changes and cannot be used as an identifier.",
                    reason="bad_identifier",
                )
            return self._state.views[ident](request, call)
        scripts = self._state.scripts
        if scripts is not None and call.dataset.has_hooks:
            hook = scripts.hooks.get((call.table.name, call.verb))
            if hook is not None:
                return hooks.respond(scripts, hook, call, request)
        if call.verb != "GET":
            return verbs.handle(call)
        if ident is not None:
            return read.raw(call) if "raw" in call.query else read.read(call)
        accept = call.query.get("accept") or call.headers.get("accept", "")
        if "ndjson" in accept and "ndjson" in media_type(accept):
            return ndjson.respond(call)
        return read.read(call)

    def _missing_credentials(self, error: Exception, actor: Actor) -> Unauthorized | None:
        """Return Unauthorized if a missing right is explained by missing credentials, else None."""
        if actor.role not in ("", "key") or not _is_forbidden(error):
            return None
        if self._state.has_sessions:
            ended = self._state.sessions.ended()
            return ended if actor.role else Unauthorized(actor.key_error, reason="no_key")
        if actor.role:
            return None
        # from the authenticator of a host program
        return Unauthorized("Authentication is required. Send your credentials.")

    async def _record(self, call: TableRequest, request: HttpRequest) -> None:
        """Record that a write named another account than the session's, or that credentials will be shown."""
        authenticator = self._state.base_authenticator
        if isinstance(authenticator, SessionAuthenticator):
            for name, value in (call.tenant_mismatches or {}).items():
                detail = {"field": name, "call": request.path}
                await authenticator.tenant_mismatches(call.actor, str(value)[:200], detail, request.ip)
            if call.shows_credentials:
                detail = {"call": request.path}
                await authenticator.credentials_read(call.actor, call.table.name, detail, request.ip)


def _is_forbidden(error: Exception) -> bool:
    api_error = to_api_error(error)
    return api_error is not None and api_error.reason == "forbidden"
