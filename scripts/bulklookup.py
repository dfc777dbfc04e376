"""Look up as many as 1,000 people in one job. Values paid for before are not charged again."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

import orjson
from pydantic import BaseModel, Field
from starlette.responses import Response

from product.bulk import job as bulk
from product.bulk import result_file, url_list
from product.context import Context
from product.people.kinds import Kind
from product.roles import SESSION, VIEW
from tableapi import attachment, file_format, parse_object, script, uploaded_files, validate

MAX_BYTES = 5 * 1024 * 1024


class Input(BaseModel):
    """A JSON body.

    In a multipart request the CSV is the part `files` and the other fields are in the query.
    """

    urls: list[str] = Field(default=[], max_length=5000)
    csv: str = ""
    kinds: Annotated[list[Kind], Field(min_length=1)] = ["directdial", "businessemail", "personalemail"]
    max_credits: int = Field(ge=0, le=3000)
    estimateonly: bool = False


class Listed(Input):
    """A JSON body without a CSV."""

    urls: list[str] = Field(max_length=5000)


class Job(BaseModel):
    jobid: int = Field(ge=1, lt=2**63)


@script(roles=SESSION, raw=True, body_bytes=MAX_BYTES, limit="60/hour per user")
async def start(ctx: Context, body: bytes) -> Response:
    """Start a bulk lookup (202) or, with `estimateonly`, return its estimated cost (200)."""
    job, urls, field = await _read(ctx, body)
    url_list.check(urls, field, ctx.settings.profile_host)
    kinds = [str(kind) for kind in dict.fromkeys(job.kinds)]
    costs = await bulk.estimate(ctx, urls, kinds)
    estimate = {"estimate": sum(costs.values()), "estimates": costs, "total": len(urls)}
    if job.estimateonly:
        return Response(orjson.dumps(estimate), media_type="application/json")
    jobid = await bulk.create(ctx, urls, kinds, job.max_credits)
    return Response(orjson.dumps({"jobid": jobid} | estimate), 202, media_type="application/json")


async def _read(ctx: Context, body: bytes) -> tuple[Input, list[str], str]:
    """Return the body, its addresses, and the field that has them."""
    kind = ctx.request.headers.get("content-type", "")
    if kind.lower().startswith("multipart/"):
        (file,) = await uploaded_files(ctx.request, body)
        query: dict[str, object] = dict(ctx.request.query)
        if "kinds" in query:
            query["kinds"] = [part.strip() for part in str(query["kinds"]).split(",")]
        return validate(Input, query), await asyncio.to_thread(url_list.of_csv, file.data, "files"), "files"
    sent = parse_object(kind, body)
    job = validate(Input if "csv" in sent else Listed, sent)
    if not job.csv:
        field = "csv" if "csv" in sent and not job.urls else "urls"
        return job, url_list.of_list(job.urls, field), field
    return job, await asyncio.to_thread(url_list.of_csv, job.csv.encode(), "csv"), "csv"


@script(method="GET", roles=(*SESSION, *VIEW), tail="jobid")
async def follow(ctx: Context, input: Job) -> dict[str, object] | Response:
    """Return progress, charges and outcomes; with `Accept` xlsx or csv a file of the contacts."""
    job = await bulk.show(ctx, input.jobid)
    form = file_format(ctx.request.headers.get("accept", ""))
    if form is None:
        return asdict(job)
    file, kind = await result_file.write(ctx, job, form)
    headers = {**attachment(f"{result_file.FILE}.{form}"), "Cache-Control": "no-store"}
    return Response(file, media_type=kind, headers=headers)


@script(method="DELETE", roles=SESSION, tail="jobid")
async def cancel(ctx: Context, input: Job) -> dict[str, object]:
    """Stop a bulk lookup before its next row; finished rows stay. Repeating it is safe."""
    await bulk.cancel(ctx, input.jobid)
    return asdict(await bulk.show(ctx, input.jobid))
