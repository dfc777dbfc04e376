"""One request for a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tableapi.auth.policy import Actor
from tableapi.auth.rights import Rights
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest
from tableapi.query.limits import Limits
from tableapi.query.option_values import boolean
from tableapi.query.options import Options, options
from tableapi.schema.model import Table
from tableapi.tables.export import Export, file_format

DEFAULTS = Options()
_JSON = ("", "*/*", "application/json")  # accepted by nearly every request


@dataclass(slots=True)
class Writes:
    """The writes of a batch so far. records: (table, verb, key), for `on_write`. tables: their names."""

    records: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)


@dataclass(slots=True)
class TableRequest:
    """One request for a table: its caller, verb, options, body and headers.

    ident: the identifier in the path, or None. With one, the body of a write is the record, without options.
    export: set by a hook for a list sent as a file. tenant_mismatches: fields that name another tenant, with the values
    that were sent (see `errors`). recorded_by: the account field under which the read is recorded, if not the caller's
    own. written: (table, verb, key) of each record written so far, for `on_write`. tables: collects the names of tables
    written so far, those of nested records included. shows_credentials: whether the response has credentials in clear.
    beside: the members of the body next to the records that the hook declares (see `project/hooks.py`). batch: the
    writes of the batch of which the request is a step.
    """

    dataset: Dataset
    actor: Actor
    rights: Rights
    table: Table
    verb: str
    ident: str | None
    query: dict[str, str]
    body: Any
    headers: Mapping[str, str]
    export: Export | None = None
    tenant_mismatches: dict[str, Any] | None = None
    recorded_by: str = ""
    shows_credentials: bool = False
    written: list[tuple[str, str, dict[str, Any]]] | None = None
    tables: set[str] | None = None
    beside: Mapping[str, Any] | None = None
    batch: Writes | None = None
    _options: Options | None = field(default=None, init=False)
    _options_of: Table | None = field(default=None, init=False)

    def note_mismatch(self, name: str, value: Any) -> None:
        """Note a field that names another tenant."""
        if self.tenant_mismatches is None:
            self.tenant_mismatches = {}
        self.tenant_mismatches[name] = value

    def limits(self) -> Limits:
        """Return the limits of the dataset; a file may have more rows than a page."""
        return replace(self.dataset.limits, rows=self.export.most) if self.export else self.dataset.limits

    def filter_text(self) -> str:
        """Return option `filter`, or "" if it is blank or missing."""
        text = self.query.get("filter") or self.query.get("where")
        if not text and isinstance(self.body, dict):
            text = self.body.get("filter") or self.body.get("where")
        if text and not isinstance(text, str):
            raise BadRequest("Option 'filter' must be a string.", reason="bad_option", context={"option": "filter"})
        return text if text and text.strip() else ""

    def options(self) -> Options:
        """Return the options of the request, parsed once for its table; they must not be modified.

        A repeated attempt after DDL has another table, with relations that may have options. Raises BadRequest for a
        value of the wrong type.
        """
        parsed = self._options
        if parsed is None or self._options_of is not self.table:
            self._options_of = self.table
            sent = self.body if self.verb == "GET" or self.ident is None else None
            if wrap := self.headers.get("wrap"):
                boolean("wrap", wrap)
            plain = not self.query and (type(sent) is not dict or sent.keys() == {"resource"})
            parsed = self._options = DEFAULTS if plain else options(self.query, sent, self.table.relation)
        return parsed


def requested_format(options: Options, headers: Mapping[str, str]) -> tuple[str, str] | None:
    """Return ("csv" or "xlsx", download name or "") if the request asks for a file, else None."""
    if options.file:
        ending = options.file.lower().rpartition(".")[2]
        return (ending, options.file) if ending in ("csv", "xlsx") else None
    accept = options.accept or headers.get("accept", "")
    if accept in _JSON or (form := file_format(accept)) is None:
        return None
    return form, ""
