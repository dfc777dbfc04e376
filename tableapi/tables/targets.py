"""Resolve the records targeted by a write, from its path, options and body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tableapi import exact_json
from tableapi.datasets.plan_cache import options_key
from tableapi.errors import BadRequest, TooLarge
from tableapi.http.body import records as body_records
from tableapi.http.compression import media_type
from tableapi.query import plan
from tableapi.query.filter import cache
from tableapi.query.options import Options
from tableapi.query.spelling import spelled
from tableapi.tables import errors
from tableapi.tables.request import DEFAULTS, TableRequest

Item = tuple[Any, dict[str, Any]]  # the identifier as sent (None for a create), and the fields to write
_JSON = frozenset(("", "*/*", "application/json", "application/*"))


@dataclass(slots=True)
class Targets:
    """The records targeted by a write: the one in the path, a list, those matching a filter, or all.

    verb: POST, PATCH, DELETE, or PUT for an upsert by path. options: those of the request, parsed once. single: the
    path names the record, so the response is the record itself. change: the fields to set in all records matching
    `filter`. everything: option `force` selects all records.
    """

    verb: str
    options: Options
    items: list[Item] = field(default_factory=list)
    single: bool = False
    filter: str = ""
    change: dict[str, Any] | None = None
    everything: bool = False


def is_plain(call: TableRequest) -> bool:
    """Return whether a write has no options in its query or headers, and is answered as JSON."""
    headers = call.headers
    if call.verb == "DELETE" or call.query or "if-match" in headers or "wrap" in headers or "if-none-match" in headers:
        return False
    accept = headers.get("accept", "")
    return accept in _JSON or media_type(accept) in _JSON


def plain_record(call: TableRequest) -> dict[str, Any] | None:
    """Return the only record of a create or change without options, or None."""
    record = call.body
    if call.ident is None:
        rows = record.get("resource") if type(record) is dict and len(record) == 1 else None
        record = rows[0] if type(rows) is list and len(rows) == 1 else None
    elif call.verb == "POST":
        return None
    return record if type(record) is dict and is_plain(call) else None


def parse(call: TableRequest) -> Targets:
    """Resolve the records targeted by a write, without reading from the database.

    Raises:
        ApiError: an option or the body is invalid.
    """
    verb, ident = call.verb, call.ident
    if ident is not None and verb == "POST":
        raise BadRequest(
            "A record cannot be created at the path of an identifier. POST it to the table.", reason="bad_path"
        )
    if ident is not None:
        record = _record_of_path(call, call.body) if verb != "DELETE" else {}
        return _of_path(call, ident, record, call.options())
    if verb == "DELETE":
        return _of_delete(call, call.options(), call.body, call.filter_text)
    records = body_records(call.body, call.dataset.limits.records)
    if not records:
        raise errors.no_records(call.body)
    return _of_list(call, records, call.options(), call.filter_text)


def _record_of_path(call: TableRequest, body: Any) -> dict[str, Any]:
    """Return the body of a write by path, which is the record itself."""
    if isinstance(body, dict) and "resource" in body and call.table.find("resource") is None:
        body = (body_records(body, 1) or [{}])[0]
    if not isinstance(body, dict) or not (body or (call.verb == "PUT" and call.options().upsert)):
        raise BadRequest("Send the record itself: an object with the fields to change.", reason="no_records")
    return body


def _of_path(call: TableRequest, ident: Any, record: dict[str, Any], given: Options) -> Targets:
    errors.check_affected(given.max_affected, 1)
    verb = call.verb
    if verb == "PUT" and not (given.upsert and "if-match" not in call.headers):  # If-Match names an existing record
        verb = "PATCH"
    return Targets(verb, given, [(ident, record)], single=True)


def _of_list(
    call: TableRequest, records: list[dict[str, Any]], given: Options, filter_text: Callable[[], str] | None
) -> Targets:
    """Return the targets of a create or change of several records."""
    if call.verb == "POST":
        if given.upsert:
            errors.check_unversioned(call)
        return Targets("POST", given, [(None, record) for record in records])
    if given.ids is not None:
        change = errors.only_one(records)
        return Targets("PATCH", given, [(ident, change) for ident in errors.bounded_ids(call, given.ids)])
    if filter_text and (text := filter_text()):
        change = errors.only_one(records)
        errors.check_matching(call)
        return Targets("PATCH", given, filter=text, change=change)
    return Targets("PATCH", given, [(record, record) for record in records])


def _of_delete(call: TableRequest, given: Options, body: Any, filter_text: Callable[[], str] | None) -> Targets:
    """Return the targets of a delete of several records."""
    records = body_records(body, call.dataset.limits.records)
    if given.ids is not None:
        return Targets("DELETE", given, [(ident, {}) for ident in errors.bounded_ids(call, given.ids)])
    if records:
        return Targets("DELETE", given, [(record, {}) for record in records])
    if filter_text and (text := filter_text()):
        errors.check_matching(call)
        return Targets("DELETE", given, filter=text)
    errors.check_not_empty(body)
    if not given.force:
        raise BadRequest(
            "Name what to delete with ids, records or a filter, or send force=true to delete all records.",
            reason="no_records",
        )
    if given.max_affected is not None:
        raise BadRequest("Option 'max_affected' cannot be used with force. Send a filter.", reason="bad_option")
    errors.check_matching(call)
    return Targets("DELETE", given, everything=True)


async def checked(call: TableRequest, given: Options) -> Options:
    """Check field names before anything is written, and add the default fields of records with relations.

    Raises:
        ApiError: an option names something that the caller may not read, or that does not exist.
    """
    if given.fields is not None or given.related:
        name = ("fields", call.actor.role, call.table.name, *options_key(given, call.dataset.limits.filter))
        await call.dataset.plan_cache.plan("fields", name, call.table, given, _check_fields, call, given)
    if given.id_field.strip():
        any_right = next(r for v in ("GET", "PATCH", "POST", "DELETE") if (r := call.rights.right(call.table, v)))
        plan.identifying(call.table, given.id_field, any_right)
    return replace(given, fields=given.id_field) if given.fields is None and given.beyond_row(call.table) else given


def _check_fields(call: TableRequest, given: Options) -> bool:
    right = call.rights.right(call.table, "GET") or plan.right_of(call.table, call.rights, "POST")
    request = plan.ReadRequest(call.table, right, call.rights, given, None, call.dataset.limits)
    request.reader().columns(request.scope(), given.fields, given.related)
    return True


# -- by primary key, for hooks ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class KeyedRecords:
    """The records of a write as passed to a hook, each with its primary key.

    ident: from the path, as primary key. selected: whether option `ids` or a filter selects the records.
    """

    options: Options
    ident: Any
    records: list[dict[str, Any]]
    selected: bool = False

    def targets(self, call: TableRequest) -> Targets:
        """Return the targets of the write: the records as modified by the hook, identified by their keys.

        Raises:
            ApiError: an option or a record is invalid.
        """
        given, body = self.options, {"resource": self.records}
        if given.id_field.strip() and given.fields is None and call.verb != "POST":
            given = replace(given, fields=given.id_field)
        if given.id_field or given.ids is not None:
            given = replace(given, ids=None, id_field="")
        if self.ident is not None and call.verb in ("PUT", "PATCH"):
            record = _record_of_path(call, self.records[0] if self.records else None)
            return _of_path(call, self.ident, record, given)
        if self.ident is not None:
            return parse(call) if call.verb == "POST" else _of_path(call, self.ident, {}, given)
        if call.verb == "DELETE":
            return _of_delete(call, given, body, None)
        records = body_records(body, call.dataset.limits.records)
        if not records:
            raise errors.no_records(body)
        return _of_list(call, records, given, None)


async def by_primary_key(call: TableRequest) -> KeyedRecords:
    """Return the records targeted by a write. `id_field` and filters are resolved by reads.

    Raises:
        ApiError: an option or the body is invalid, or a record does not exist for the caller.
    """
    table, given, verb, ident = call.table, call.options(), call.verb, call.ident
    if ident is not None:
        named: Any = ident
        if verb != "POST" and given.id_field.strip():
            [found] = await _keys_by_field(call, given.id_field, [ident])
            parts = list(found.values())
            named = str(parts[0]) if len(parts) == 1 and not isinstance(parts[0], dict | list) else parts
        sent = call.body if isinstance(call.body, dict) else {}
        inner = body_records(sent, 1) if "resource" in sent else [sent]
        key = plan.identifier(named, [table.columns[n] for n in table.key])
        record = spelled(table, (inner or [{}])[0]) | dict(zip(table.key, key, strict=True))
        return KeyedRecords(given, named, [record])
    records = [spelled(table, record) for record in body_records(call.body, call.dataset.limits.records) or ()]
    if not records and verb != "DELETE":  # the hook decides what a DELETE without records means
        raise errors.no_records(call.body)
    if verb == "POST":
        return KeyedRecords(given, None, records)
    if given is DEFAULTS or (given.ids is None and not call.filter_text()):
        if given.id_field.strip():
            keys = await _keys_by_field(call, given.id_field, records)
            records = [record | key for record, key in zip(records, keys, strict=True)]
        return KeyedRecords(given, None, records)
    change = errors.only_one(records) if verb != "DELETE" else {}
    records = [change | key for key in await _keys(call, given)]
    return KeyedRecords(given, None, records, selected=True)


async def _keys(call: TableRequest, given: Options) -> list[dict[str, Any]]:
    """Return the keys of the rows selected by `ids` or `filter`, among those the caller may write."""
    key = [call.table.columns[n] for n in call.table.key]
    if given.ids is not None and given.id_field.strip():
        return await _keys_by_field(call, given.id_field, given.ids)
    if given.ids is not None:
        return [dict(zip(call.table.key, plan.identifier(ident, key), strict=True)) for ident in given.ids]
    errors.check_matching(call)
    right = plan.right_of(call.table, call.rights, call.verb)
    tree, literals = cache.parse(call.filter_text(), call.dataset.limits.filter)
    limits = call.dataset.limits
    options = given.of_keys()
    request = plan.ReadRequest(call.table, right, call.rights, options, tree, limits)
    name = ("keys", call.actor.role, call.table.name, call.verb, tree.mark, *options_key(options, limits.filter))
    listing_plan = await call.dataset.plan_cache.plan("written", name, call.table, options, plan.list_plan, request)
    conditions = plan.conditions(options, limits.filter)
    values = plan.Bindings(call.actor, literals, given.params, [], limits=limits.filter, conditions=conditions)
    row = await call.dataset.db.reads.fetchrow(listing_plan.sql, *listing_plan.args(values))
    if row["more"]:
        raise TooLarge(
            f"The filter matches more than {limits.rows} records. Write them in parts.", reason="batch_too_large"
        )
    found: list[dict[str, Any]] = exact_json.loads(row["body"] or b"[]")
    return found


async def _keys_by_field(call: TableRequest, id_field: str, idents: list[Any]) -> list[dict[str, Any]]:
    """Return the keys of rows identified by other unique fields.

    Raises:
        NotFound: a row does not exist for the caller.
    """
    right = plan.right_of(call.table, call.rights, call.verb)
    columns = plan.identifying(call.table, id_field, right)
    options = Options(fields="")
    request = plan.ReadRequest(call.table, right, call.rights, options, None, call.dataset.limits)
    name = ("key", call.actor.role, call.table.name, call.verb, *(column.name for column in columns))
    keyed_plan = await call.dataset.plan_cache.plan(
        "written", name, call.table, options, plan.keyed_plan, request, columns, 1
    )
    keys = []
    for ident in idents:
        values = plan.Bindings(call.actor, [], {}, [plan.identifier(ident, columns)])
        row = await call.dataset.db.reads.fetchrow(keyed_plan.sql, *keyed_plan.args(values))
        if row is None:
            raise errors.missing(ident)
        keys.append({name: value for name, value in exact_json.loads(row["body"]).items() if name in call.table.key})
    return keys
