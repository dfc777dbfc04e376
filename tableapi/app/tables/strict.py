"""Reject options that do not exist or have no effect, and say what to send instead."""

from __future__ import annotations

import re
from typing import Any

from tableapi.auth.rights import Rights
from tableapi.errors import BadRequest
from tableapi.query import options
from tableapi.query.expressions.scope import readable_relations
from tableapi.query.spelling import suggestion
from tableapi.schema.model import Table
from tableapi.tables import errors
from tableapi.tables.request import TableRequest

_CONDITIONS = "Write all conditions in one option: filter=(a = 1) or (b > 2)."
_HEADER = "Send credentials as headers: X-API-Key, X-Session-Token."
# Suggestions for options of other table APIs.
_INSTEAD = {
    "and": _CONDITIONS, "or": _CONDITIONS, "not": _CONDITIONS,
    "page": "To read pages, use limit and offset, or a cursor.",
    **dict.fromkeys(("page_size", "pagesize", "per_page", "perpage"), "Did you mean 'limit'?"),
    **dict.fromkeys(("embed", "expand", "include"), "Name relations in related."),
    "on_conflict": "Write upsert=true.", "columns": "Name the fields in fields.",
    "api_key": _HEADER, "apikey": _HEADER, "session_token": _HEADER, "token": _HEADER,
}  # fmt: skip
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


def reject_unknown(call: TableRequest) -> None:
    """Raise BadRequest for the first option that does not exist or has no effect on the verb.

    The message says what to send instead.
    """
    verb, table, rights, sent = call.verb, call.table, call.rights, dict[str, Any](call.query)
    body = call.body if verb == "GET" or call.ident is None else None  # elsewhere it is the record
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


async def reject_again(error: BadRequest, call: TableRequest, name: str) -> None:
    """Raise the error of an unknown option, unless it is of a relation that DDL has just made.

    name: the table name in the URL.
    """
    if not any("_by_" in option for option in call.query):
        raise error
    await call.dataset.look()
    call.table = await call.dataset.table(name, call.rights)
    call.rights = call.dataset.rights(call.actor.role)
    reject_unknown(call)


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
    if (instead := _INSTEAD.get(lower)) is not None:
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
