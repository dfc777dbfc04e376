"""Resources: descriptions of tables, and pages of the documentation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from tableapi import exact_json
from tableapi.errors import NotFound
from tableapi.mcp import catalog
from tableapi.mcp.arguments import DescribeTables, ListTables
from tableapi.mcp.caller import Caller

SCHEMA, DOCS = "tableapi://schema/", "tableapi://docs/"
TEMPLATE = SCHEMA + "{database}/{table}"
MAX_LISTED = 200  # tables listed as resources
MARKDOWN, JSON = "text/markdown", "application/json"
_FOLDERS = ("reference", "guides")  # folders of the documentation


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource without its contents."""

    uri: str
    name: str
    description: str
    media_type: str


class Documentation:
    """The pages of `docs/reference` and `docs/guides`, from the first folder that has them."""

    def __init__(self, folders: Iterable[Path]) -> None:
        folder = next((folder for folder in folders if (folder / "reference" / "wire.md").is_file()), None)
        files = [file for name in _FOLDERS for file in sorted((folder / name).glob("*.md"))] if folder else []
        self._files = {f"{file.parent.name}/{file.stem}": file for file in files}

    def pages(self) -> list[Resource]:
        """Return the pages; none if the documentation is not installed."""
        return [Resource(DOCS + name, name, f"Documentation: {name}", MARKDOWN) for name in self._files]

    def read(self, name: str) -> str:
        """Return the text of a page. Raises NotFound."""
        if name not in self._files:
            raise NotFound(f"There is no page '{name[:100]}'.", reason="unknown_resource")
        return self._files[name].read_text("utf-8")


def listed(caller: Caller, documentation: Documentation) -> list[Resource]:
    """Return the tables that the caller may use, and the pages."""
    tables = [
        Resource(SCHEMA + quote(dataset.name), dataset.name, f"Tables of {dataset.name}", JSON)
        for dataset in caller.datasets.values()
    ]
    for dataset in caller.datasets.values():
        for table in caller.tables(dataset)[:MAX_LISTED]:
            uri = f"{SCHEMA}{quote(dataset.name)}/{quote(table.name, safe='')}"
            tables.append(Resource(uri, f"{dataset.name}.{table.name}", f"Table {table.name}", JSON))
    return [*tables, *documentation.pages()]


async def read(caller: Caller, documentation: Documentation, uri: str) -> tuple[str, str]:
    """Return the media type and the text of a resource. Raises NotFound."""
    if uri.startswith(DOCS):
        return MARKDOWN, documentation.read(unquote(uri.removeprefix(DOCS)))
    if not uri.startswith(SCHEMA):
        raise NotFound(f"There is no resource '{uri[:200]}'.", reason="unknown_resource")
    database, _, table = uri.removeprefix(SCHEMA).partition("/")
    if table:
        arguments = DescribeTables(database=unquote(database), tables=[unquote(table)])
        return JSON, exact_json.dumps(await catalog.describe_tables(caller, arguments)).decode()
    return JSON, exact_json.dumps(await catalog.list_tables(caller, ListTables(database=unquote(database)))).decode()
