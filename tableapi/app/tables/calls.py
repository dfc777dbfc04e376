"""Requests for tables and records: body, idempotency key, hook or engine."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tableapi import threads
from tableapi.app.state import AppState
from tableapi.app.tables import audit, explain, query_method, retry
from tableapi.auth.authenticators import SessionAuthenticator
from tableapi.auth.policy import Actor
from tableapi.auth.rights import Rights
from tableapi.datasets import transaction
from tableapi.datasets.dataset import Dataset
from tableapi.db.errors import to_api_error
from tableapi.errors import BadRequest, NotFound, Unauthorized, UnsupportedMedia
from tableapi.http import preferences
from tableapi.http.body import advice, table_body
from tableapi.http.compression import media_type
from tableapi.http.inner_request import InnerRequest
from tableapi.http.request import HttpRequest, effective_verb
from tableapi.http.response import Response
from tableapi.project import hooks
from tableapi.project.registry import Hook, Scripts
from tableapi.project.writes import tell
from tableapi.query import options
from tableapi.query.expressions.scope import readable_relations
from tableapi.query.spelling import suggestion, unknown_field
from tableapi.query.statement import UnfitValue
from tableapi.schema.model import Table
from tableapi.tables import errors, ndjson, read, verbs
from tableapi.tables.batch import BatchError
from tableapi.tables.bulk import csv_import
from tableapi.tables.request import TableRequest

MAX_IGNORED = 20  # fields that a header names
Attempt = Callable[[], Awaitable[Response]]
_WORD = re.compile(r"\w{1,63}")
_LIST = re.compile(r"\w{1,63}(?:,\w{1,63}){0,3}")
_FIRST = re.compile(r"[,.(\s]")  # after the first name of a list or a path
_BRACKETED = re.compile(r"(?:(?:filter|where)\[(\w{1,63})\]|(\w{1,63}?)(?=\[|__))(?:\[(\w{1,10})\]|__([a-z]{1,10}))?")
_OF_RELATIONS = frozenset(("embed", "expand", "include"))
_SEARCHES = frozenset(("q", "search"))
_OPERATORS = {
    "eq": "=", "neq": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "like": "LIKE", "ilike": "ILIKE",
    "match": "~", "imatch": "~*", "in": "IN", "is": "IS", "isdistinct": "IS DISTINCT FROM", "cs": "CONTAINS",
    "cd": "CONTAINED BY", "ov": "OVERLAPS",
}  # fmt: skip


class TableCalls:
    """Handle requests below `/api/v2/<dataset>/_table/<table>`."""

    def __init__(self, state: AppState) -> None:
        self._state, self._body_bytes = state, state.settings.body_bytes

    async def respond(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str]
    ) -> Response:
        """Handle one request. `parts`: `_table`, the table name, and possibly an identifier.

        Raises ApiError.
        """
        name, ident = parts[1], None
        if len(parts) > 2:
            ident = parts[2]
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
            if verb != "GET":
                self._check_write(request, query)
        prefers = "prefer" in request.headers
        question = explain.asked(request.headers["prefer"]) if prefers else None
        if "import" in query and question is None and options.boolean("import", query["import"]):
            return await self._import(request, dataset, rights, parts, query, verb)
        if method != "GET" and method != "QUERY":
            body = await table_body(request, self._body_bytes)
            if verb != "GET" and isinstance(body, dict) and "explain" in body and len(parts) == 2:
                raise _no_explain()
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
        table = dataset.schema.tables.get(name) or await dataset.table(name, rights)
        beside = None
        if body is not None and type(body) is dict and len(body) > 1 and "resource" in body:
            body, beside = self._split(dataset, table.name, verb, body)
        # without a right, the error must equal that for an unknown table
        if strict and rights.right(table, verb) is not None:
            optional = body if verb == "GET" or ident is None else None  # elsewhere the body is the record
            try:
                _reject_unknown_options(verb, query, optional, table, rights)
            except BadRequest:
                if not any("_by_" in option for option in query):  # an option of a relation, which may be new
                    raise
                await dataset.look()
                table, rights = await dataset.table(name, rights), dataset.rights(request.actor.role)
                _reject_unknown_options(verb, query, optional, table, rights)
        call = TableRequest(dataset, request.actor, rights, table, query, body, request.headers, beside=beside)
        attempt: Attempt = partial(self._attempt, call, verb, ident, request)
        if (
            verb in ("POST", "PATCH", "PUT")
            and not retry.has_known_fields(call, ident)
            and (unknown := await retry.notice_fields(call, name, ident))
        ):
            attempt = self._without_unknown(call, verb, unknown, attempt, strict="handling=strict" in applied)
        try:
            if applied or (query and "timezone" in query) or (verb == "GET" and "range" in request.headers):
                attempt = partial(_special, call, verb, attempt, applied)
            if call.actor.role in self._state.sessions.recorded:
                account = self._state.sessions.account
                if call.actor.account is None:
                    call.recorded_by = account
                recorder = self._state.recorder
                attempt = partial(audit.respond, call, ident, attempt, account, recorder, request)
            if verb != "GET":
                return await self._write(attempt, call, name, verb, ident, request)
            schema = dataset.schema
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
                errors.locate(error, call, ident)
            raise
        finally:
            if call.tenant_mismatches or call.shows_credentials:
                await self._record(call, request)

    def _without_unknown(
        self, call: TableRequest, verb: str, unknown: Mapping[str, tuple[Table, Any]], attempt: Attempt, *, strict: bool
    ) -> Attempt:
        """Return the attempt of a write, which names the fields that it ignores in a header.

        Hooks have fields of their own. Raises BadRequest for an unknown field, with `Prefer: handling=strict`.
        """
        scripts = self._state.scripts
        if scripts is not None and call.dataset.has_hooks and (call.table.name, verb) in scripts.hooks:
            return attempt
        name, (table, value) = next(iter(unknown.items()))
        right = call.rights.right(table, verb) or call.rights.right(table, "GET")
        if strict and right is not None and call.rights.right(call.table, verb) is not None:
            relations = readable_relations(table, right, call.rights) if isinstance(value, dict | list) else ()
            raise unknown_field(name, table, right, relations)
        return partial(_naming, attempt, unknown)

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

    def _check_write(self, request: HttpRequest, query: Mapping[str, str]) -> None:
        """Raise ApiError for a role that only reads, and for an option that has no meaning for a write."""
        if request.actor.role in self._state.sessions.read_only:
            raise self._state.sessions.error("read_only", request.actor.role)
        if "explain" in query and options.boolean("explain", query["explain"]):
            raise _no_explain()

    async def _write(
        self,
        attempt: Attempt,
        call: TableRequest,
        name: str,
        verb: str,
        ident: str | None,
        request: HttpRequest,
    ) -> Response:
        """Run a write, once for an idempotency key.

        Return its response once this worker and the program's listener know what it changed.
        """
        on_write = self._state.served.on_write
        batch = request.batch if isinstance(request, InnerRequest) else None
        if on_write is not None:
            call.written = batch.records if batch is not None else []
        call.tables = tables = batch.tables if batch is not None else set()
        repairable = retry.ALL_ERRORS
        key = request.headers.get("idempotency-key")
        if key is not None and not _is_dry_run(call, ident):
            run = partial(retry.run, attempt, call, name)
            attempt = partial(self._state.idempotency.once, key, call, verb, ident, run)
            # The claim on the key is rolled back with the transaction that a database error ends.
            repairable = retry.DATABASE_ERRORS
        db, schema = self._state.session_db, call.dataset.schema
        before = db.watched_writes
        try:
            try:
                response = await attempt()
            except repairable as error:
                response = await retry.again(error, schema, attempt, call, name, repairable)
            if batch is not None:  # it tells when it is committed
                return response
        except BatchError as error:
            if error.kept and batch is None:
                await tell(on_write, call.dataset.name, call.actor, call.written)
            raise
        finally:
            # `tables` is empty if a hook has run.
            names = map(str.lower, (call.table.name, *tables))
            if batch is None and (db.watched_writes != before or not db.watched.isdisjoint(names)):
                await self._state.catch_up()
        if call.written:
            await tell(on_write, call.dataset.name, call.actor, call.written)
        return response

    async def _import(
        self, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str], query: dict[str, str], verb: str
    ) -> Response:
        """Import the CSV file in the body."""
        if verb != "POST" or len(parts) != 2:
            raise BadRequest(
                "Send an import as POST to the table, without an identifier.",
                reason="bad_option",
                context={"option": "import"},
            )
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in (
            "text/csv",
            "application/csv",
        ):
            kind = media_type(request.headers.get("content-type", ""))
            raise UnsupportedMedia(f"Send an import as CSV: Content-Type: text/csv.{advice(kind)}")
        applied = ""
        if "prefer" in request.headers:
            applied, _ = preferences.checked(request.headers, query, csv_import.PREFERENCES)
        table = dataset.schema.tables.get(parts[1]) or await dataset.table(parts[1], rights)
        call = TableRequest(dataset, request.actor, rights, table, query, None, request.headers)
        request.time_limit = self._state.settings.import_seconds
        response = await csv_import.respond(call, request.parts(self._state.settings.import_bytes))
        if applied:
            response.headers["Preference-Applied"] = applied
        return response

    def _attempt(self, call: TableRequest, verb: str, ident: str | None, request: HttpRequest) -> Awaitable[Response]:
        """Handle the request with a stream, the project's hook, or the engine."""
        if call.written and not (isinstance(request, InnerRequest) and request.batch):
            call.written.clear()  # left over from an attempt that was rolled back
        if ident in self._state.views and request.method == "GET":
            if isinstance(request, InnerRequest):
                raise BadRequest(
                    f"'{ident}' is reserved for the stream of changes and cannot be used as an identifier.",
                    reason="bad_identifier",
                )
            return self._state.views[ident](request, call)
        scripts = self._state.scripts
        if scripts is not None and call.dataset.has_hooks:
            hook = scripts.hooks.get((call.table.name, verb))
            if hook is not None:
                return _hooked(scripts, hook, call, verb, ident, request)
        if verb != "GET":
            if _is_dry_run(call, ident):
                return _dry_run(replace(call, written=None), verb, ident)
            return _with_options(call, verb, ident) if call.query else verbs.handle(call, verb, ident)
        if ident is not None:
            return read.raw(call, ident) if "raw" in call.query else read.read(call, ident)
        accept = call.query.get("accept") or call.headers.get("accept", "")
        if "ndjson" in accept and "ndjson" in media_type(accept):
            return ndjson.respond(call)
        return read.read(call, None)

    def _missing_credentials(self, error: Exception, actor: Actor) -> Unauthorized | None:
        """Return Unauthorized if a missing right is explained by missing credentials, else None."""
        if actor.role not in ("", "key") or not _is_forbidden(error):
            return None
        if self._state.has_sessions:
            expired = self._state.sessions.expired
            return Unauthorized(expired) if actor.role else Unauthorized(actor.key_error, reason="no_key")
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


async def _hooked(
    scripts: Scripts, hook: Hook, call: TableRequest, verb: str, ident: str | None, request: HttpRequest
) -> Response:
    """Handle the request with the project's hook.

    Its effects cannot be undone, so a dry run and a step of a batch are rejected.
    """
    if verb == "GET":
        return await hooks.respond(scripts, hook, call, verb, ident, request)
    if call.rights.right(call.table, verb) is None:
        raise errors.no_right(call, verb)
    has_hook = f"'{call.table.name}' has a hook for {verb}, whose effects cannot be undone."
    if _is_dry_run(call, ident):
        raise BadRequest(f"{has_hook} Send the request without dry_run.", reason="no_dry_run")
    if isinstance(request, InnerRequest) and request.batch:
        raise BadRequest(f"{has_hook} Send the request on its own, not in a batch.", reason="no_batch")
    return _minimal(call, verb, await hooks.respond(scripts, hook, call, verb, ident, request))


async def _with_options(call: TableRequest, verb: str, ident: str | None) -> Response:
    """Handle a write with options in its query."""
    return _minimal(call, verb, await verbs.handle(call, verb, ident))


def _is_dry_run(call: TableRequest, ident: str | None) -> bool:
    """Return whether a write is to be rolled back. A write by path has no options in its body."""
    named = "dry_run" in call.query or (ident is None and isinstance(call.body, dict) and "dry_run" in call.body)
    return named and options.options(call.query, call.body if ident is None else None).dry_run


async def _dry_run(call: TableRequest, verb: str, ident: str | None) -> Response:
    """Handle a write and roll it back."""
    async with transaction.undone(call.dataset) as call.dataset:
        response = _minimal(call, verb, await verbs.handle(call, verb, ident))
    response.headers.pop("ETag", None)
    response.headers["Dry-Run"] = "true"
    return response


def _minimal(call: TableRequest, verb: str, response: Response) -> Response:
    """Return the response of a write, without its records if `return=minimal` is set."""
    if verb == "GET" or "return" not in call.query or not options.options(call.query).minimal:
        return response
    return Response(b'{"success":true}', headers={k: v for k, v in response.headers.items() if k == "ETag"})


def _no_explain() -> BadRequest:
    message = "Option 'explain' applies only to reads, because a write would be executed. Leave it out."
    return BadRequest(message, reason="bad_option", context={"option": "explain"})


async def _naming(attempt: Attempt, ignored: Collection[str]) -> Response:
    """Return the response of a write with the fields that it ignored in a header."""
    response = await attempt()
    names = [name[:100] for name in ignored if name.isascii() and name.isprintable()][:MAX_IGNORED]
    response.headers["X-Ignored-Fields"] = ", ".join(names)
    return response


def _reject_unknown_options(verb: str, query: Mapping[str, str], body: Any, table: Table, rights: Rights) -> None:
    """Raise BadRequest for the first option that does not exist or has no effect on the verb.

    The message says what to send instead.
    """
    sent: dict[str, Any] = dict(query)
    # A read sent as POST has options in its body, and a write next to its records.
    if isinstance(body, dict) and (verb in ("GET", "DELETE") or "resource" in body):
        beside = {name: value for name, value in body.items() if name != "resource"}
        if verb != "GET" and (name := next((name for name in beside if name in options.OF_QUERY), "")):
            raise BadRequest(
                f"Option '{name}' has an effect only in the query, not next to the records.",
                reason="bad_option",
                context={"option": name},
            )
        sent |= beside
    if verb != "GET" and (name := next((name for name in sent if name in options.OF_READS), "")):
        lenient = " To ignore the option, send Prefer: handling=lenient."
        raise errors.without_effect(name, verb, "" if name in options.OF_SELECTIONS else lenient)
    if names := options.unknown(sent, table.relation):
        first = names[0][:100]
        raise BadRequest(
            f"Unknown option '{first}'.{_instead(names[0], str(sent[names[0]]), table, rights)} "
            "To ignore unknown options, send Prefer: handling=lenient.",
            reason="unknown_option",
            context={"options": [name[:100] for name in names]},
        )


def _instead(option: str, value: str, table: Table, rights: Rights) -> str:
    """Suggest what to send instead of an unknown option, or return "".

    The suggestion names only columns and relations that the caller may read.
    """
    lower, right = option.lower(), rights.right(table, "GET")
    if lower in _OF_RELATIONS and right is not None:
        relations = readable_relations(table, right, rights)
        if close := suggestion(_FIRST.split(value)[0], relations, "Write related={}."):
            return close
    if lower == "on_conflict" and _LIST.fullmatch(value):
        return f" Write upsert=true&id_field={value}."
    if lower in _SEARCHES:
        texts = (c.name for c in table.columns.values() if right and right.can_read(c.name) and c.type.kind == "text")
        return f" No option searches all fields. Write filter={next(texts, '<field>')} CONTAINS '{value[:63]}'."
    if (instead := options.INSTEAD.get(lower)) is not None:
        return f" {instead}"
    # Other APIs have an option for each column: ?name=eq.Ada, ?age=not.gt.18, ?name=Ada, ?age[gt]=18, ?age__gt=18.
    operator, dot, rest = value.removeprefix("not.").partition(".")
    negated, sign = "NOT " * value.startswith("not."), _OPERATORS.get(operator) if dot else None
    operand = (rest if sign else value)[:63]
    if bracketed := _BRACKETED.fullmatch(option):
        option, sign = (
            bracketed[1] or bracketed[2],
            sign or _OPERATORS.get((bracketed[3] or bracketed[4] or "").lower()),
        )
    elif sign is None and (close := suggestion(option, sorted(options.KNOWN))):
        return close
    if not _WORD.fullmatch(option):
        return ""
    if sign in ("LIKE", "ILIKE"):  # PostgREST's wildcard is *
        operand = f"'{operand.replace('*', '%')}'"
    condition = f"{negated}{option} {sign or '='} {operand}"
    return f" Write a condition on a column as filter={condition}."


async def _special(call: TableRequest, verb: str, attempt: Attempt, applied: str) -> Response:
    """Handle a request with a `Range` of records, a time zone or preferences."""
    places = preferences.ranged(call.headers, call.query) if verb == "GET" else None
    dataset = call.dataset
    if verb != "GET" and call.query.get("timezone"):
        raise BadRequest(
            "Option 'timezone' applies only to reads. Leave it out.",
            reason="bad_option",
            context={"option": "timezone"},
        )
    if zone := call.query.get("timezone", ""):
        try:
            async with transaction.in_zone(dataset, zone) as call.dataset:
                response = await attempt()
        finally:
            call.dataset = dataset
    else:
        response = await attempt()
    if applied:
        response.headers["Preference-Applied"] = applied
    if places is not None:
        try:
            response.headers["Content-Range"] = preferences.content_range(places, response.body)
        except Exception:
            await response.discard()
            raise
    return response


def _is_forbidden(error: Exception) -> bool:
    api_error = to_api_error(error)
    return api_error is not None and api_error.reason == "forbidden"
