"""The caller of one MCP request, and its access to the API."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tableapi import exact_json, threads
from tableapi.auth.policy import VERBS, Actor
from tableapi.auth.rights import Rights
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest, NotFound
from tableapi.http.response import Response
from tableapi.project.guard import Script
from tableapi.query.spelling import suggestion
from tableapi.schema.model import Table
from tableapi.tables import describe

MAX_BYTES = 8_000_000  # per read; only a small part of it reaches the agent


class Send(Protocol):
    """Send a request to the API with the credentials of the caller."""

    def __call__(
        self, method: str, parts: Sequence[str], query: Mapping[str, str], body: Any = None
    ) -> Awaitable[Response]:
        """Return the response. `parts`: the path below /api/v2/. Raises the request's error."""
        ...


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a tool.

    datasets: all databases, by name. scripts: those that are offered to agents and that the caller may call.
    send: sends requests to the API, with the same rights, limits and log lines as over HTTP. all_datasets: the
    databases without the scopes of the caller's token, for tools that it could use if its user granted more.
    reads_only: whether agents may only read on this server. results: the form of results if the protocol has structured
    content: `both`, `structured` with a short text, or `text`. title: that of the API, the name of the server.
    withheld: scripts that an account's key may not call, nearly always for want of a scope.
    """

    actor: Actor
    datasets: Mapping[str, Dataset]
    scripts: Sequence[Script]
    send: Send
    all_datasets: Mapping[str, Dataset]
    reads_only: bool = False
    results: str = "both"
    title: str = "tableapi"
    withheld: Sequence[Script] = ()

    @property
    def verbs(self) -> Collection[str]:
        """Return the verbs that tools may use on tables."""
        return ("GET",) if self.reads_only else VERBS

    def rights(self, dataset: Dataset) -> Rights:
        """Return the rights of the caller in a database."""
        return dataset.rights(self.actor.role)

    def dataset(self, name: str) -> Dataset:
        """Return a database by its name; "" means the only one. Raises NotFound or BadRequest."""
        if not name:
            if len(self.datasets) > 1:
                names = ", ".join(self.datasets)
                raise BadRequest(f"Name the database: one of {names}.", reason="no_database")
            return next(iter(self.datasets.values()))
        if name not in self.datasets:
            hint = suggestion(name, self.datasets)
            raise NotFound(f"There is no database '{name[:100]}'.{hint}", reason="unknown_service")
        return self.datasets[name]

    async def table(self, dataset: Dataset, name: str) -> Table:
        """Return a table; requests for it check the right to use it. Raises NotFound."""
        return await dataset.table(name, self.rights(dataset))

    def tables(self, dataset: Dataset, *verbs: str) -> list[Table]:
        """Return the tables that the caller may use with any of these verbs, or with any verb at all."""
        rights = self.rights(dataset)
        return [
            table
            for table in describe.allowed(dataset.schema, rights)
            if not verbs or any(rights.right(table, verb) for verb in verbs)
        ]

    async def json(
        self, method: str, dataset: Dataset, parts: Sequence[str], query: Mapping[str, Any], body: Any = None
    ) -> Any:
        """Send a request below a database, and return the decoded body of the response.

        Options that are None or empty are omitted. Raises the request's error.
        """
        texts = {name: _text(value) for name, value in query.items() if value not in (None, "", [], {})}
        response = await self.send(method, (dataset.name, *parts), texts, body)
        if method == "GET" and len(response.body) > MAX_BYTES:
            raise BadRequest(
                f"The rows are larger than {MAX_BYTES // 1_000_000} MB. Name only the fields that you need in "
                "'fields', name fewer relations, or lower the limit.",
                reason="answer_too_large",
                context={"bytes": MAX_BYTES},
            )
        return await threads.body(len(response.body), exact_json.loads_list, response.body)


def _text(value: Any) -> str:
    """Return an option value in query-string form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return exact_json.dumps(value).decode() if isinstance(value, dict) else str(value)
