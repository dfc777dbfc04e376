"""A client of the table API in one file, to copy into your program. Needs Python 3.11 and httpx2.

A table is typed by a TypedDict or class of yours, conditions are expressions (`col.city == "Oslo"`), and an error of
the server is an `ApiError` with its `reason`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx2

Row = TypeVar("Row")


class ApiError(Exception):
    """An error of the server. `reason` is stable, the message is for people, `context` has the details."""

    def __init__(self, response: httpx2.Response) -> None:
        is_json = "json" in response.headers.get("content-type", "")
        error = response.json().get("error", {}) if is_json else {}
        super().__init__(error.get("message") or f"The server answered {response.status_code}.")
        self.status, self.context = response.status_code, error.get("context", {})
        self.reason: str = self.context.get("reason", "")


@dataclass(frozen=True)
class Where:
    """A condition, with its values apart from its text. Join two by `&` or `|`, negate one by `~`."""

    text: str  # a NUL for each value
    values: tuple[Any, ...] = ()

    def __and__(self, other: Where) -> Where:
        return Where(f"({self.text}) and ({other.text})", self.values + other.values)

    def __or__(self, other: Where) -> Where:
        return Where(f"({self.text}) or ({other.text})", self.values + other.values)

    def __invert__(self) -> Where:
        return Where(f"not ({self.text})", self.values)

    def __bool__(self) -> bool:
        raise TypeError("Join conditions by & and |, negate them by ~, and write 1 < x < 5 as (x > 1) & (x < 5).")

    def options(self) -> dict[str, Any]:
        """Return the condition as options of a request."""
        first, *rest = self.text.split("\0")
        text = first + "".join(f":v{number}{part}" for number, part in enumerate(rest))
        return {"filter": text, "params": {f"v{number}": value for number, value in enumerate(self.values)}}


class Column:
    """A column, or the path to one through relations: `col.customer_by_customer_id.city`."""

    def __init__(self, path: str = "") -> None:
        self._path = path

    def __getattr__(self, name: str) -> Column:
        return self[name]

    def __getitem__(self, name: str) -> Column:
        mark = "`" if '"' in name else '"'
        quoted = name if name.isidentifier() else f"{mark}{name}{mark}"
        return Column(f"{self._path}.{quoted}" if self._path else quoted)

    def _is(self, operator: str, value: Any) -> Where:
        return Where(f"{self._path} {operator} \0", (value,))

    def __eq__(self, value: object) -> Where:  # type: ignore[override]
        return Where(f"{self._path} is null") if value is None else self._is("=", value)

    def __ne__(self, value: object) -> Where:  # type: ignore[override]
        return Where(f"{self._path} is not null") if value is None else self._is("!=", value)

    def __lt__(self, value: Any) -> Where:
        return self._is("<", value)

    def __le__(self, value: Any) -> Where:
        return self._is("<=", value)

    def __gt__(self, value: Any) -> Where:
        return self._is(">", value)

    def __ge__(self, value: Any) -> Where:
        return self._is(">=", value)

    def one_of(self, values: Sequence[Any]) -> Where:
        return self._is("in", list(values))

    def contains(self, text: str) -> Where:
        return self._is("contains", text)

    def starts_with(self, text: str) -> Where:
        return self._is("starts with", text)


col = Column()


class Api:
    """One database of a server, for one caller. Use it as a context manager, or close it."""

    def __init__(self, url: str, dataset: str, *, key: str = "", session: str = "", seconds: float = 30) -> None:
        sent = {"X-API-Key": key, "X-Session-Token": session}
        headers = {name: value for name, value in sent.items() if value}
        self._http = httpx2.Client(base_url=f"{url.rstrip('/')}/api/v2/{dataset}/", headers=headers, timeout=seconds)

    def __enter__(self) -> Api:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def table(self, name: str, row: type[Row]) -> Table[Row]:
        """Return a table with records of a type."""
        return Table(self, name)

    def batch(self) -> Batch:
        """Collect requests for one transaction."""
        return Batch(self)

    def send(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """Send a request and return the decoded response. Raises ApiError."""
        content = None if body is None else json.dumps(body, default=str)  # dates, decimals and UUIDs are text
        types = {} if body is None else {"Content-Type": "application/json"}
        response = self._http.request(method, path, content=content, headers=types | dict(headers or {}))
        if response.is_error:
            raise ApiError(response)
        return response.json() if response.content else None

    def events(self, path: str, params: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
        """Yield the events of a stream, as name and data. Raises ApiError."""
        with self._http.stream("GET", path, params=params, timeout=None) as response:
            if response.is_error:
                response.read()
                raise ApiError(response)
            name = ""
            for line in response.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))


class Table(Generic[Row]):
    """The records of a table."""

    def __init__(self, api: Api, name: str) -> None:
        self._api, self._path = api, f"_table/{name}"

    def read(self, where: Where | None = None, **options: Any) -> list[Row]:
        """Return records. Options are those of the API: fields, related, order, limit, offset."""
        rows: list[Row] = self._page(where, options)["resource"]
        return rows

    def each(self, where: Where | None = None, **options: Any) -> Iterator[Row]:
        """Yield every record, page by page; writes in between shift nothing."""
        cursor: str | None = ""
        while cursor is not None:
            page = self._page(where, options | {"cursor": cursor})
            yield from page["resource"]
            cursor = page.get("meta", {}).get("next_cursor")

    def _page(self, where: Where | None, options: Mapping[str, Any]) -> Any:
        return self._api.send("QUERY", self._path, dict(options) | (where.options() if where is not None else {}))

    def _record(self, ident: int | str) -> str:
        return f"{self._path}/{quote(str(ident), safe='')}"

    def get(self, ident: int | str, **options: Any) -> Row:
        """Return one record by its key. Raises ApiError (404)."""
        row: Row = self._api.send("QUERY", self._record(ident), options)
        return row

    def create(self, *records: Mapping[str, Any]) -> list[Row]:
        """Create records, all or none, and return them."""
        created: list[Row] = self._api.send("POST", f"{self._path}?fields=*", {"resource": records})["resource"]
        return created

    def update(self, ident: int | str, changes: Mapping[str, Any], *, version: str = "") -> Row:
        """Change a record. `version`, from an ETag: raises ApiError (412) if it has changed since."""
        headers = {"If-Match": version} if version else None
        changed: Row = self._api.send("PATCH", f"{self._record(ident)}?fields=*", changes, headers)
        return changed

    def delete(self, ident: int | str) -> None:
        """Delete a record. Raises ApiError (404, or 409 if others refer to it)."""
        self._api.send("DELETE", self._record(ident))

    def changes(self, **options: str) -> Iterator[tuple[str, Any]]:
        """Yield `reset`, `row` and `gone` events of the table as they happen (docs: Live changes)."""
        return self._api.events(f"{self._path}/_changes", options)


class Batch:
    """Requests that run in one transaction, in order: all or none."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._requests: list[dict[str, Any]] = []

    def add(self, method: str, path: str, body: Any = None, **query: Any) -> str:
        """Add a request, such as `POST _table/item`, and return its name for `ref`."""
        name = f"s{len(self._requests)}"
        self._requests.append({"id": name, "method": method, "path": path, "query": query, "body": body})
        return name

    @staticmethod
    def ref(name: str, path: str) -> dict[str, str]:
        """Refer to a value in the response of an earlier request: `ref(order, "resource.0.id")`."""
        return {"$ref": f"{name}.{path}"}

    def run(self, *, dry_run: bool = False) -> list[Any]:
        """Run the requests and return their responses. Raises ApiError, with the `index` in its context."""
        sent = {"requests": self._requests, "dry_run": dry_run}
        return [response["body"] for response in self._api.send("POST", "_batch", sent)["responses"]]
