"""What /metrics says of the moment: the queue of jobs, and what the project itself wants to be watched.

The project says it in an internal script named `metrics`, which returns {name: number}. A database that does not answer
within a second leaves these lines out; the counters of the processes are always there.
"""

from __future__ import annotations

import asyncio
import re

from tableapi.endpoints.registry import Scripts
from tableapi.log import get_logger

log = get_logger(__name__)
SECONDS = 1.0
_NOT_IN_LABEL = re.compile(r"[^a-z0-9_]")
_QUEUE = """
    select entrypoint as job, status::text as status, count(*) as jobs,
           extract(epoch from max(now() - created))::float8 as oldest
    from pgqueuer group by 1, 2
"""


async def text(scripts: Scripts | None) -> bytes:
    """Lines in the format of Prometheus; none where there is no project."""
    if scripts is None:
        return b""
    try:
        async with asyncio.timeout(SECONDS):
            lines = [*await _queue(scripts), *await _project(scripts)]
    except Exception as error:  # the counters are worth more than an error
        log.warning("gauges_missing", error=type(error).__name__)
        return b""
    return "".join(f"{line}\n" for line in lines).encode()


async def _queue(scripts: Scripts) -> list[str]:
    rows = await scripts.db.fetch(_QUEUE)
    lines = ["# HELP tableapi_jobs Jobs that wait, run or failed for good.", "# TYPE tableapi_jobs gauge"]
    lines += [f'tableapi_jobs{{job="{row["job"]}",status="{row["status"]}"}} {row["jobs"]}' for row in rows]
    lines += [
        "# HELP tableapi_job_oldest_seconds Age of the oldest of them.",
        "# TYPE tableapi_job_oldest_seconds gauge",
    ]
    lines += [
        f'tableapi_job_oldest_seconds{{job="{row["job"]}",status="{row["status"]}"}} {row["oldest"]:.1f}'
        for row in rows
    ]
    return lines


async def _project(scripts: Scripts) -> list[str]:
    if "metrics" not in scripts.jobs:
        return []
    found = await scripts.run_job("metrics", {})
    lines = ["# HELP project_value What the project says of the moment.", "# TYPE project_value gauge"]
    return lines + [f'project_value{{name="{_NOT_IN_LABEL.sub("_", name)}"}} {found[name]}' for name in found]
