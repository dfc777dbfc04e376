"""The tool that runs several table requests in one transaction."""

from __future__ import annotations

from typing import Any

from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest
from tableapi.mcp import truncation
from tableapi.mcp.arguments import RunBatch
from tableapi.mcp.caller import Caller
from tableapi.mcp.writing import reject_unknown


async def batch(caller: Caller, arguments: RunBatch) -> dict[str, Any]:
    """Run the requests in order, all or none, and return their responses."""
    dataset = caller.dataset(arguments.database)
    for step in arguments.requests:
        await _reject_unknown(caller, dataset, step)
    body = {
        "requests": [_limited(step, arguments.max_affected) for step in arguments.requests],
        "dry_run": arguments.dry_run,
    }
    response = await caller.json("POST", dataset, ("_batch",), {}, body)
    responses = response["responses"]
    result: dict[str, Any] = {"dry_run": True, "kept": "nothing"} if arguments.dry_run else {}
    room = truncation.MAX_BYTES // len(responses)
    return result | {"responses": [_shown(response, room) for response in responses]}


def written_table(step: dict[str, Any]) -> tuple[str, str] | None:
    """Return the method and table of a step; None for a step that the API rejects as malformed."""
    method, path = step.get("method", "GET"), step.get("path")
    parts = path.strip("/").split("/") if isinstance(path, str) else []
    return (method.upper(), parts[1]) if isinstance(method, str) and len(parts) > 1 else None


async def _reject_unknown(caller: Caller, dataset: Dataset, step: dict[str, Any]) -> None:
    """Reject unknown names in the records of a write. Raises ApiError."""
    found, body = written_table(step), step.get("body")
    if found is None or found[0] not in ("POST", "PUT", "PATCH"):
        return
    records = body.get("resource", body) if isinstance(body, dict) else body
    records = [record for record in (records if isinstance(records, list) else [records]) if isinstance(record, dict)]
    table = await caller.table(dataset, found[1])
    if not dataset.hooked(table.name, found[0]):
        reject_unknown(caller, dataset, table, [record for record in records if "$ref" not in record])


def _limited(step: dict[str, Any], most: int) -> dict[str, Any]:
    """Return a step that changes nothing if it would affect more rows than `most`."""
    query = step.get("query") or {}
    if str(step.get("method", "GET")).upper() == "GET" or not isinstance(query, dict):
        return step
    sent = query.get("max_affected")
    return step | {"query": query | {"max_affected": min(sent, most) if type(sent) is int else most}}


def _shown(response: dict[str, Any], room: int) -> dict[str, Any]:
    """Shorten a response to `room` bytes. Raises no error, because the batch is already committed."""
    body, head = response["body"], {"id": response["id"], "status": response["status"]}
    try:
        if isinstance(body, dict) and isinstance(body.get("resource"), list):
            rows = body["resource"]
            shown, cut = truncation.fitting(rows, room) if rows else ([], [])
            head |= {"count": len(rows), **truncation.columns_and_values(shown)} | ({"cut_texts": cut} if cut else {})
            return head | ({"note": f"The first {len(shown)} rows are shown."} if len(shown) < len(rows) else {})
        record, ends = truncation.record(body, 0, room)
        return head | {"record": record} | ({"cut_texts": ends} if ends else {})
    except BadRequest:
        return head | {"note": "The response is too large to be shown. Read it with query or get_record."}
