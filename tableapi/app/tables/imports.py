"""Requests with option `import`: a CSV file of any size becomes records of a table."""

from __future__ import annotations

from tableapi.auth.rights import Rights
from tableapi.config.settings import Settings
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest, UnsupportedMedia
from tableapi.http import preferences
from tableapi.http.body import advice
from tableapi.http.compression import media_type
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.tables.bulk import csv_import
from tableapi.tables.request import TableRequest


async def respond(
    settings: Settings, request: HttpRequest, dataset: Dataset, rights: Rights, parts: list[str],
    query: dict[str, str], verb: str,
) -> Response:  # fmt: skip
    """Import the CSV file in the body. Raises ApiError."""
    if verb != "POST" or len(parts) != 2:
        raise BadRequest(
            "Send an import as POST to the table, without an identifier.",
            reason="bad_option",
            context={"option": "import"},
        )
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in ("text/csv", "application/csv"):
        kind = media_type(request.headers.get("content-type", ""))
        raise UnsupportedMedia(f"Send an import as CSV: Content-Type: text/csv.{advice(kind)}")
    applied = ""
    if "prefer" in request.headers:
        applied, _ = preferences.checked(request.headers, query, csv_import.PREFERENCES)
    table = dataset.schema.tables.get(parts[1]) or await dataset.table(parts[1], rights)
    call = TableRequest(dataset, request.actor, rights, table, verb, None, query, None, request.headers)
    request.time_limit = settings.import_seconds
    response = await csv_import.respond(call, request.parts(settings.import_bytes))
    if applied:
        response.headers["Preference-Applied"] = applied
    return response
