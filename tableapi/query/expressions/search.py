"""Full-text search: MATCHES, RANK and HIGHLIGHT."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.query.expressions.operand import Operand
from tableapi.query.expressions.scope import TableAlias
from tableapi.query.spelling import suggestion
from tableapi.schema.pgtypes import PgType
from tableapi.schema.sqltypes import Named

REAL = PgType("float", "real", "real")
_MARKS = "StartSel=<mark>, StopSel=</mark>"
_ESCAPED = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"))


def condition(scope: TableAlias, operand: Operand, language: str, words: Any) -> Any:
    """Build the condition that a field matches words, and keep the query for RANK and HIGHLIGHT.

    words: the bound text, in the syntax of web searches.
    """
    config = _config(scope, language, explicit=operand.type.name != "tsvector")
    query = sa.func.websearch_to_tsquery(*config, words)
    vector = _vector(scope, operand, language)
    searches = scope.binder.searches
    if operand.name not in searches:
        searches[operand.name] = (language, query)
    return vector.op("@@", is_comparison=True)(query)


def rank(scope: TableAlias, operand: Operand) -> tuple[Any, PgType]:
    """Build the rank of a field for the words in the filter."""
    language, query = _search(scope, operand, "RANK")
    return sa.func.ts_rank(_vector(scope, operand, language), query), REAL


def highlight(scope: TableAlias, operand: Operand) -> Any:
    """Build an extract of a text with the matching words in `<mark>` and `</mark>`.

    The text is HTML-escaped first, so every other `<`, `>` and `&` in the extract is an entity.

    Raises:
        BadRequest: the field is not a text field.
    """
    language, query = _search(scope, operand, "HIGHLIGHT")
    if operand.type.kind not in ("text", "json"):
        raise _no_search(operand, "HIGHLIGHT")
    text: Any = operand.text if operand.text is not None else sa.cast(operand.expression, Named("text"))
    for sign, entity in _ESCAPED:
        text = sa.func.replace(text, sa.literal_column(f"'{sign}'"), sa.literal_column(f"'{entity}'"))
    config = _config(scope, language, explicit=True)
    return sa.func.ts_headline(*config, text, query, sa.literal_column(f"'{_MARKS}'"))


def _vector(scope: TableAlias, operand: Operand, language: str) -> Any:
    if operand.type.name == "tsvector":
        return operand.expression
    if operand.type.kind not in ("text", "json"):
        raise _no_search(operand, "MATCHES")
    text = operand.text if operand.text is not None else sa.cast(operand.expression, Named("text"))
    if operand.column is not None:
        text = operand.expression if operand.type.name == "text" else text
    return sa.func.to_tsvector(*_config(scope, language, explicit=True), text)


def _config(scope: TableAlias, language: str, *, explicit: bool) -> list[Any]:
    """Return the text search configuration as a constant, so that indexes on the expression are used.

    Raises:
        BadRequest: `unknown_language`.
    """
    languages = scope.table.languages
    if language and language not in languages:
        raise BadRequest(
            f"Unknown language '{language[:63]}' for MATCHES.{suggestion(language, languages)}",
            reason="unknown_language",
            context={"language": language[:63]},
        )
    name = language or (languages[0] if explicit and languages else "")
    return [sa.literal_column(f"'{name}'::regconfig")] if name else []


def _search(scope: TableAlias, operand: Operand, function: str) -> tuple[str, Any]:
    """Return the language and the query of the MATCHES on the field, or else of the only MATCHES."""
    searches = scope.binder.searches
    search = searches.get(operand.name) or (next(iter(searches.values())) if len(searches) == 1 else None)
    if search is None:
        raise BadRequest(
            f"{function}({operand.name}) needs search words: add {operand.name} MATCHES '...' to the filter.",
            reason="no_search",
            context={"field": operand.name},
        )
    return search


def _no_search(operand: Operand, word: str) -> BadRequest:
    return BadRequest(
        f"Field '{operand.name}' has the type {operand.type.db_type}, which {word} does not support.",
        reason="bad_operator",
        context={"field": operand.name},
    )
