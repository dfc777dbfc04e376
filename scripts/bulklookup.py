"""Look up to 1,000 people up at once: start a job, follow it, cancel it. A repeat of the same list charges nothing."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, Field
from starlette.responses import Response

from scripts._shared.bulk import job as bulk
from scripts._shared.bulk import result_file, url_list
from scripts._shared.context import Context
from scripts._shared.roles import SESSION
from tableapi.endpoints.guard import validate
from tableapi.endpoints.registry import script
from tableapi.http import multipart
from tableapi.http.body import parse_object
from tableapi.http.response import attachment
from tableapi.query.options import Options
from tableapi.tables import export

MOST = 5 * 1024 * 1024
Kind = Literal["directdial", "businessemail", "personalemail"]


class Input(BaseModel):
    """A JSON body. As multipart it is the file in `files` and the rest in the query."""

    urls: list[str] = Field(default=[], max_length=5000)
    csv: str = ""
    kinds: Annotated[list[Kind], Field(min_length=1)] = ["directdial", "businessemail", "personalemail"]
    max_credits: int = Field(ge=0, le=3000)
    estimateonly: bool = False


class Which(BaseModel):
    jobid: int = Field(ge=1, lt=2**63)


@script(roles=SESSION, raw=True, body_bytes=MOST, limit="60/hour per user")
async def start(ctx: Context, body: bytes) -> Response:
    """202 with the job and what it would cost; with `estimateonly` 200 with the cost, and nothing is started."""
    asked, urls = await _read(ctx, body)
    kinds = [str(kind) for kind in dict.fromkeys(asked.kinds)]
    costs = await bulk.estimate(ctx, urls, kinds)
    answer = {"estimate": sum(costs.values()), "estimates": costs, "total": len(urls)}
    if asked.estimateonly:
        return Response(orjson.dumps(answer), media_type="application/json")
    jobid = await bulk.create(ctx, urls, kinds, asked.max_credits)
    return Response(orjson.dumps({"jobid": jobid} | answer), 202, media_type="application/json")


async def _read(ctx: Context, body: bytes) -> tuple[Input, list[str]]:
    kind = ctx.request.headers.get("content-type", "")
    if kind.lower().startswith("multipart/"):
        (sent,) = await multipart.files(ctx.request, body)
        query: dict[str, Any] = dict(ctx.request.query)
        if "kinds" in query:
            query["kinds"] = [part.strip() for part in query["kinds"].split(",")]
        return validate(Input, query), url_list.of_csv(sent.data)
    asked = validate(Input, parse_object(kind, body))
    return asked, url_list.of_csv(asked.csv.encode()) if asked.csv else url_list.of_list(asked.urls)


@script(method="GET", roles=SESSION, tail="jobid")
async def follow(ctx: Context, input: Which) -> dict[str, Any] | Response:
    """Progress, charges and the outcome of each row; with `Accept` xlsx or csv as a file, with the contacts."""
    job = await bulk.show(ctx, input.jobid)
    wanted = export.wanted(Options(), ctx.request.headers)
    if wanted is None:
        return job
    form, _ = wanted
    file, kind = await result_file.write(ctx, job, form)
    headers = {**attachment(f"{result_file.FILE}.{form}"), "Cache-Control": "no-store"}
    return Response(file, media_type=kind, headers=headers)


@script(method="DELETE", roles=SESSION, tail="jobid")
async def cancel(ctx: Context, input: Which) -> dict[str, Any]:
    """Begin no further row; what is done stays. Again is safe."""
    await bulk.cancel(ctx, input.jobid)
    return await bulk.show(ctx, input.jobid)
