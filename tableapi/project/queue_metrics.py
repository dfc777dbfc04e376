"""Gauges in /metrics that come from the database: the job queue, and values of the project.

A project adds values with a job named `metrics` that returns {name: number}. If the database does not respond within
QUERY_SECONDS, these lines are omitted; the counters of the processes are always present.
"""

from __future__ import annotations

import asyncio
import re

from tableapi.log import get_logger
from tableapi.project.registry import Scripts

log = get_logger(__name__)
QUERY_SECONDS = 1.0
_NOT_IN_LABEL = re.compile(r"[^a-z0-9_]")
_QUEUE = """
    select entrypoint as job, status::text as status, count(*) as jobs,
           extract(epoch from max(now() - created))::float8 as oldest
    from pgqueuer group by 1, 2
"""


async def text(scripts: Scripts | None) -> bytes:
    """Return lines in Prometheus text format; none without a project."""
    if scripts is None:
        return b""
    try:
        async with asyncio.timeout(QUERY_SECONDS):
            lines = [*await _queue(scripts), *await _project(scripts)]
    except Exception as error:  # the counters are still worth serving
        log.warning("gauges_missing", error=type(error).__name__)
        return b""
    return "".join(f"{line}\n" for line in lines).encode()


async def _queue(scripts: Scripts) -> list[str]:
    rows = await scripts.db.fetch(_QUEUE)
    lines = ["# HELP tableapi_jobs Jobs by state: queued, running or failed.", "# TYPE tableapi_jobs gauge"]
    lines += [f'tableapi_jobs{{job="{row["job"]}",status="{row["status"]}"}} {row["jobs"]}' for row in rows]
    lines += ["# HELP tableapi_job_oldest_seconds Age of the oldest job.", "# TYPE tableapi_job_oldest_seconds gauge"]
    lines += [
        f'tableapi_job_oldest_seconds{{job="{row["job"]}",status="{row["status"]}"}} {row["oldest"]:.1f}'
        for row in rows
    ]
    return lines


async def _project(scripts: Scripts) -> list[str]:
    if "metrics" not in scripts.jobs:
        return []
    values = await scripts.run_job("metrics", {})
    lines = ["# HELP project_value Values that the project reports.", "# TYPE project_value gauge"]
    return lines + [f'project_value{{name="{_NOT_IN_LABEL.sub("_", name)}"}} {values[name]}' for name in values]
