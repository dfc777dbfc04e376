"""The errors of table requests, and the checks that need no statement.

`Sessions.identity` of the policy lists the fields that identify the tenant of a record. The session's own value is
ignored in these fields. Any other value is rejected with a specific reason and recorded for the audit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import asyncpg

from tableapi.auth.rights import Right
from tableapi.db import sqlstates
from tableapi.db.errors import telling, to_api_error
from tableapi.errors import ApiError, BadRequest, Forbidden, NotFound
from tableapi.http import etag
from tableapi.http.body import records as body_records
from tableapi.http.preferences import ranged
from tableapi.query.dml.plan import Change
from tableapi.query.filter import cache
from tableapi.query.options import OF_SELECTIONS
from tableapi.query.plan import no_right_to
from tableapi.query.spelling import choices, spelled, suggestion
from tableapi.query.statement import UnfitValue, may_quote, quoted
from tableapi.schema.model import Column, Relation, Table
from tableapi.tables.request import TableRequest

_QUOTED = re.compile(r'"([^"]+)"')
_KEY = re.compile(r"\(([^()]+)\)=\(")  # the fields in the detail of a violated key, in any language


# PostgreSQL source files with errors about writes. Errors from other files are about a value that a write reads.
_WRITING = re.compile(r"rewrite|execMain|execPartition|execReplication|nodeModify|analyze|parse_|plancat|.*fdw")

# Errors of a value that is longer or larger than its column permits.
_OF_SIZE = asyncpg.NumericValueOutOfRangeError, asyncpg.StringDataRightTruncationError
# Errors of a write that `violated` explains.
OF_TABLE = asyncpg.IntegrityConstraintViolationError, *sqlstates.UNSUPPORTED, *_OF_SIZE
_SIZED = re.compile(r"(numeric|character varying|varchar|character|char)\((\d+)(?:, ?(-?\d+))?\)")


def missing(ident: Any) -> NotFound:
    """Build the error for a record that does not exist or is not visible to the caller."""
    return NotFound(f"Record with identifier '{str(ident)[:100]}' not found.")


def not_created() -> Forbidden:
    """Build the error for a create that wrote no row."""
    return Forbidden("The record was not created: a rule or trigger of the table discarded it.", reason="not_created")


def leaves_rights() -> Forbidden:
    """Build the error for a write that would move a record outside the caller's row rule."""
    return Forbidden("The change would move a record out of the rows that your role may write.", reason="row_rule")


def no_records(body: Any = None) -> BadRequest:
    """Build the error for a body without records."""
    if body == [] or (isinstance(body, dict) and body.get("resource") == []):
        return BadRequest('The list of records is empty. Send {"resource": [ {...} ]}.', reason="no_records")
    close = next((hint for name in body if (hint := suggestion(str(name), ("resource",)))), "") if body else ""
    return BadRequest(f'No records: send {{"resource": [ {{...}} ]}}.{close}', reason="no_records")


def no_fields(table: Table, right: Right, record: Mapping[str, Any]) -> BadRequest:
    """Build the error for a record without any field of the table, with the closest name."""
    message = f"The record does not contain a field of '{table.name}'."
    fields = [name for name, column in table.columns.items() if right.can_write(name) and not column.fixed]
    if unknown := [name for name in record if table.find(name) is None and table.relation(name) is None]:
        names = ", ".join(f"'{name[:50]}'" for name in unknown[:3])
        nested = (r.name for r in table.relations.values() if not r.derived and set(r.own) <= set(fields))
        of_objects = nested if isinstance(record[unknown[0]], dict | list) else ()
        close = suggestion(unknown[0], of_objects) or choices(unknown[0], fields, "Its fields")
        message = f"{message} Unknown: {names}.{close}"
    return BadRequest(message, reason="no_fields")


# -- the request as a whole ------------------------------------------------------------------------------------------


def check_affected(most: int | None, records: int) -> None:
    """Reject a write that affects more records than option `max_affected` permits.

    Raises:
        BadRequest: `too_many_affected`; the transaction of the write is then rolled back.
    """
    if most is not None and records > most:
        raise BadRequest(
            f"The write would change {records} records, more than max_affected={most}. Nothing was changed.",
            reason="too_many_affected",
            context={"records": records, "max_affected": most},
        )


def bounded_ids(call: TableRequest, ids: list[Any]) -> list[Any]:
    """Return the identifiers of option `ids`. Raises if there are none or too many."""
    body_records([{"id": 0}] * len(ids) or None, call.dataset.limits.records)
    if not ids:
        raise BadRequest("Option 'ids' is empty.", reason="bad_option", context={"option": "ids"})
    return ids


def check_not_empty(body: Any) -> None:
    """Reject an empty list of records, which `force` would otherwise extend to every record.

    Raises:
        BadRequest: `no_records`.
    """
    if body == [] or (isinstance(body, dict) and body.get("resource") == []):
        raise BadRequest(
            "The list of records is empty. To delete every record, leave the list out and send force=true.",
            reason="no_records",
        )


def without_effect(option: str, verb: str, more: str = "") -> BadRequest:
    """Build the error for an option of reads in a write."""
    return BadRequest(
        f"Option '{option}' selects records of a read and has no effect on {verb}. To limit how many records are "
        f"written, use max_affected.{more}",
        reason="bad_option",
        context={"option": option},
    )


def check_matching(call: TableRequest) -> None:
    """Reject versions, and options that select some records, for a write of all that match.

    With such an option, a read would return other records than the ones that the write changes.

    Raises:
        BadRequest: `bad_option`, also when unknown options are ignored.
    """
    headers = call.headers
    if "if-match" in headers or "if-none-match" in headers:
        check_unversioned(call)
    beside = call.body if isinstance(call.body, dict) else {}
    for name in OF_SELECTIONS:
        value = call.query.get(name, beside.get(name))
        if value is not None and (value != "" or name == "cursor"):  # an empty cursor is that of the first page
            raise without_effect(name, call.verb)
    if "range" in headers and ranged(headers, {}) is not None:
        raise without_effect("Range", call.verb)


def only_one(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the single record that contains the change for all rows."""
    if len(records) > 1:
        raise BadRequest(
            "With ids or filter, send a single record: the change to make to all of them.", reason="bad_records"
        )
    return records[0]


def locate(error: UnfitValue, call: TableRequest) -> None:
    """Say where an unfit value is in a filter, or how else to identify the record of a path."""
    limits, source = call.dataset.limits.filter, error.source
    if source[:1] == ("lit",):
        error.locate(cache.position(call.filter_text(), source[1], error.item, limits))
    elif source[:1] == ("condition",):
        parsed = call.options()
        text = parsed.having if source[1] == "having" else parsed.relations.get(source[1], "")
        error.locate(cache.position(text, source[2], error.item, limits))
    elif source[:1] == ("id",) and call.ident is not None and "id_field" not in call.query:
        right, key = call.rights.right(call.table, "GET"), set(call.table.key)
        others = [sorted(names)[0] for names in call.table.uniques if len(names) == 1 and names != key]
        if right is not None and (name := next(filter(right.can_read, sorted(others)), "")):
            error.message += f" To find a record by its {name}, send id_field={name}."


def check_unversioned(call: TableRequest) -> None:
    """Reject `If-Match` and `If-None-Match: *` on a request that names no record.

    Raises:
        BadRequest: the header names a version.
    """
    if etag.if_match(call.headers):
        header = "If-Match" if "if-match" in call.headers else "If-None-Match"
        message = f"{header} works only on records named by their keys. Leave it out, or name the records."
        raise BadRequest(message, reason="bad_option", context={"header": header})


def check_generated(table: Table, columns: list[Column], record: Mapping[str, Any]) -> None:
    """Reject an upsert by a column that only the database sets, since it would always create a new record.

    Raises:
        BadRequest: `generated`.
    """
    sent = spelled(table, record)
    if name := next((c.name for c in columns if c.fixed and sent.get(c.name) is not None), ""):
        message = f"The database sets field '{name}', so a new record cannot choose it. Use PATCH to change a record."
        raise BadRequest(message, reason="generated", context={"field": name})


# -- fields and tenants ----------------------------------------------------------------------------------------------


def check_create(call: TableRequest, right: Right, change: Change, forced: Mapping[str, Any]) -> None:
    """Reject fields of a new record that the caller may not set.

    Identity fields with the session's own value are ignored, and a field set on create may be sent with the value it
    will get. `forced`: references to the parent record, which have to be written.

    Raises:
        Forbidden: a field may not be set.
    """
    drop_own(call, change.rejected)
    for name, value in {**change.rejected, **{n: v for n, v in forced.items() if not right.may_set((n,))}}.items():
        if name in right.set_on_create:
            if str(value) != str(_value_on_create(call, right, name)):
                raise tenant_mismatch(call, name, value)
        elif value is not None:
            raise field_error(call, {name: value})


def field_error(call: TableRequest, fields: Mapping[str, Any]) -> Forbidden:
    """Build the error for rejected fields, given the values that were sent."""
    mismatches = [name for name in fields if name in call.dataset.identity and differs(call, name, fields[name])]
    return tenant_mismatch(call, mismatches[0], fields[mismatches[0]]) if mismatches else unwritable(fields)


def unwritable(fields: Mapping[str, Any]) -> Forbidden:
    """Build the error for fields that the caller may not change."""
    names = ", ".join(fields)
    return Forbidden(f"Your role may not change: {names}.", reason="field_not_writable", context={"field": names})


def violated(call: TableRequest, error: Exception) -> Exception:
    """Return the error for a violated constraint, with its name and fields if the caller may know them.

    A caller may know the fields that it may read or write, and the constraints on these. Other errors are returned
    unchanged.
    """
    if isinstance(error, sqlstates.UNSUPPORTED):
        writing = _WRITING.match(str(error.server_source_filename))
        return _not_writable(call, error) if writing else of_read(error, call)
    if isinstance(error, _OF_SIZE):
        return _too_large(call, error)
    if not isinstance(error, asyncpg.IntegrityConstraintViolationError):
        return error
    place = (error.schema_name, error.table_name)
    table = next((table for table in call.dataset.schema.tables.values() if (table.schema, table.bare) == place), None)
    rights = [call.rights.right(table, verb) for verb in ("GET", "POST", "PATCH")] if table is not None else []

    def knows(name: str) -> bool:
        return telling.get() or any(
            right is not None and (right.can_read(name) or right.can_write(name)) for right in rights
        )

    if isinstance(error, asyncpg.NotNullViolationError) and error.column_name and not knows(str(error.column_name)):
        return sqlstates.REQUIRED.error()
    api_error = to_api_error(error)
    if api_error is None or table is None or not error.constraint_name:  # raised by a trigger
        return api_error or error
    names = _fields_of(table, error)
    if all(map(knows, names or table.columns)):
        api_error.context["constraint"] = str(error.constraint_name)
        api_error.context |= {"field": names[0]} if len(names) == 1 else {"fields": names} if names else {}
        api_error.message = _told(api_error, error, table, names)
        if api_error.message.startswith(_NO_RECORD) and (told := _no_target(call, table, names)):
            api_error.message = told
    return api_error


def _too_large(call: TableRequest, error: asyncpg.PostgresError) -> Exception:
    """Return the error for a value that is too large for its column, with the field if only one is."""
    api_error = to_api_error(error)
    if api_error is None or api_error.message != sqlstates.VALUE.message:  # raised by a function
        return error
    right = call.rights.right(call.table, "PATCH") or call.rights.right(call.table, "POST")
    columns = [column for name, column in call.table.columns.items() if right is not None and right.can_write(name)]
    found = [
        (column, value)
        for record in sent(call)
        for column in columns
        if (value := spelled(call.table, record).get(column.name)) is not None and _exceeds(column.type.db_type, value)
    ]
    if len(found) != 1:
        return error
    column, value = found[0]
    shown = f"{quoted(value)} is" if may_quote(value) else "the value is"
    large = "large" if column.type.kind == "decimal" else "long"
    api_error.message = f"Field '{column.name}': {shown} too {large} for {column.type.db_type}."
    api_error.context["field"] = column.name
    return api_error


def _exceeds(db_type: str, value: Any) -> bool:
    """Return whether a sent value is too large for a type with a length or precision."""
    if (match := _SIZED.fullmatch(db_type)) is None:
        return False
    if match[1] != "numeric":
        return isinstance(value, str) and len(value.rstrip(" ")) > int(match[2])
    scale = int(match[3] or 0)
    try:
        return abs(round(Decimal(str(value)), scale)) >= Decimal(10) ** (int(match[2]) - scale)
    except ArithmeticError:
        return False


def _no_target(call: TableRequest, table: Table, names: list[str]) -> str:
    """Build the message for a reference to a missing record; "" if the caller may not read its table."""
    relation = next((r for r in table.relations.values() if r.kind == "belongs_to" and list(r.own) == names), None)
    right = call.rights.right(relation.target, "GET") if relation is not None else None
    if relation is None or right is None or not all(map(right.can_read, relation.theirs)):
        return ""
    fields = ", ".join(f"'{name}'" for name in names)
    return f"Field {fields}: there is no record in '{relation.target.name}' with this {', '.join(relation.theirs)}."


_NO_RECORD = "There is no record to which"


def _told(api_error: ApiError, error: asyncpg.PostgresError, table: Table, names: list[str]) -> str:
    """Build the message for a violated key, with fields that the caller may know."""
    if api_error.message == sqlstates.CHECK.message:
        return f"A value violates the rule '{error.constraint_name}' of the table."
    fields = ", ".join(f"'{name}'" for name in names)
    if names and api_error.message == sqlstates.DUPLICATE.message:
        if isinstance(error, asyncpg.ExclusionViolationError):  # of periods that overlap, for example
            return f"The values of {fields} conflict with those of another record."
        return f"A record with this value of {fields} already exists."
    if api_error.message != sqlstates.REFERENCE.message:
        return api_error.message
    if _is_referenced(error):
        return f"Records of '{table.name}' refer to this one. Change or delete them first."
    return f"{_NO_RECORD} the value of {fields} refers." if names else api_error.message


def _is_referenced(error: asyncpg.PostgresError) -> bool:
    """Return whether a violated reference is to a deleted record: PostgreSQL then names two tables."""
    return len(_QUOTED.findall(str(error.args[0] if error.args else ""))) > 2


def _unsupported(error: asyncpg.PostgresError) -> ApiError | None:
    """Build the error for an operation that the database does not support; None for other errors."""
    api_error = to_api_error(error)
    return api_error if api_error is not None and api_error.message == sqlstates.NOT_WRITABLE.message else None


def _not_writable(call: TableRequest, error: asyncpg.PostgresError) -> Exception:
    """Return the error for a write that the database does not support, with the field that it names."""
    api_error = _unsupported(error)
    if api_error is None:
        return error
    right = call.rights.right(call.table, "PATCH") or call.rights.right(call.table, "POST")
    name = _named_field(call.table, error)
    if right is not None and name and (telling.get() or right.can_write(name)):
        api_error.message = f"Field '{name}' cannot be written. Leave it out."
        api_error.context["field"] = name
    return api_error


def _named_field(table: Table, error: asyncpg.PostgresError) -> str:
    """Return the field that PostgreSQL names in a message, or ""."""
    quoted = _QUOTED.findall(str(error.args[0] if error.args else ""))
    return next((name for name in quoted if name in table.columns), "")


def of_read(error: Exception, call: TableRequest | None = None) -> Exception:
    """Return the error of a read, also of one in a write, or of a routine.

    What the database does not support there has nothing to do with writing. `violated` handles the statements that
    write. call: the request, if it is for a table.
    """
    if not isinstance(error, sqlstates.UNSUPPORTED):
        return error
    api_error = to_api_error(error)
    if api_error is None or api_error.reason != sqlstates.NOT_WRITABLE.reason:
        return error
    if api_error.message != sqlstates.NOT_WRITABLE.message:  # raised by a function
        told = sqlstates.RULE.error(api_error.message)
    else:
        told = (sqlstates.TYPE if str(error.sqlstate).startswith("0A") else sqlstates.DEFINITION).error()
    told.context |= {name: value for name, value in api_error.context.items() if name in ("postgres", "detail", "hint")}
    right = call.rights.right(call.table, "GET") if call is not None else None
    if call is not None and right is not None and right.can_read(name := _named_field(call.table, error)) and name:
        told.context["field"] = name
    return told


def _fields_of(table: Table, error: asyncpg.IntegrityConstraintViolationError) -> list[str]:
    """Return the fields of a violated constraint; none if PostgreSQL does not name them, as for a CHECK."""
    match = _KEY.search(str(error.detail or ""))
    names = [name.strip().strip('"') for name in match[1].split(",")] if match else []
    if not all(name in table.columns for name in names):
        return []  # an index on an expression
    is_reference = isinstance(error, asyncpg.ForeignKeyViolationError | asyncpg.RestrictViolationError)
    if is_reference and _is_referenced(error):
        return []  # fields of the referenced table
    return names


def differs(call: TableRequest, name: str, value: Any) -> bool:
    """Return whether an identity field was sent with a value other than the session's."""
    return str(value) != str(call.actor.values.get(call.dataset.identity.get(name, name)))


def tenant_mismatch(call: TableRequest, name: str, value: Any) -> Forbidden:
    """Build the error for a field that names another tenant, and record it for the audit."""
    call.note_mismatch(name, value)
    return Forbidden(f"Your role may not set '{name}' to this value.", reason="tenant_mismatch")


def _value_on_create(call: TableRequest, right: Right, name: str) -> Any:
    """Return the value that a create sets in a field for this caller."""
    value = right.set_on_create[name]
    try:
        return value(call.actor) if callable(value) else value
    except AttributeError:
        return None


def drop_own(call: TableRequest, fields: dict[str, Any]) -> None:
    """Remove identity fields that have the session's own value."""
    for name in [name for name in fields if name in call.dataset.identity]:
        if fields[name] is not None and not differs(call, name, fields[name]):
            del fields[name]


def foreign(call: TableRequest, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity fields of a record that are not writable and differ from the session.

    Key fields are skipped: a record of another tenant does not exist for the caller. Fields that the right ignores are
    recorded for the audit but not returned.
    """
    if not call.dataset.identity or not call.actor.session:
        return {}
    right = call.rights.right(call.table, call.verb)
    fields = {}
    for name, value in _named(call, record):
        if name in call.table.key or (right is not None and right.can_write(name)):
            continue
        if not differs(call, name, value) or (value is None and call.verb == "POST"):
            continue
        if right is not None and name in right.ignored:
            call.note_mismatch(name, value)
        else:
            fields[name] = value
    return fields


def no_right(call: TableRequest) -> Forbidden:
    """Build the error for a request without the right to its verb.

    Raises:
        Forbidden: a record names another tenant.
    """
    for record in sent(call) if call.dataset.identity else ():
        checked(call, record)
    return no_right_to(call.table, call.verb)


def checked(call: TableRequest, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the table's spelling of its field names.

    Raises:
        Forbidden: the record names another tenant.
    """
    if fields := foreign(call, record):
        raise field_error(call, fields)
    return spelled(call.table, record)


def sent(call: TableRequest) -> list[Mapping[str, Any]]:
    """Return the objects in a body that may be records, even if the body is malformed."""
    body = call.body.get("resource", call.body) if isinstance(call.body, dict) else call.body
    return [item for item in (body if isinstance(body, list) else [body]) if isinstance(item, dict)]


def _named(call: TableRequest, record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the identity fields of a record with their values, including those set by a nested parent."""
    identity, table = call.dataset.identity, call.table
    for name, value in spelled(table, record).items():
        relation = table.relations.get(name)
        if (
            relation is not None
            and relation.kind == "belongs_to"
            and not relation.derived
            and not identity.keys().isdisjoint(relation.own)
        ):
            yield from ((own, part) for own, part in _of_parent(relation, value) if own in identity)
        elif name in identity and name in table.columns:
            yield name, value


def _of_parent(relation: Relation, parent: Any) -> Iterator[tuple[str, Any]]:
    """Yield the references from a record to a nested parent, with their values."""
    if parent is None:
        yield from dict.fromkeys(relation.own).items()
    elif isinstance(parent, dict):
        sent = spelled(relation.target, parent)
        yield from (
            (own, sent[theirs]) for own, theirs in zip(relation.own, relation.theirs, strict=True) if theirs in sent
        )
