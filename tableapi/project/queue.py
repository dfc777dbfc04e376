"""The job queue: jobs are stored in the transaction that creates them and run by `tableapi worker`.

pgqueuer claims a job with SKIP LOCKED, commits the claim, then runs the job. A failed job is retried with back-off and,
after the last attempt, kept with its error. While a service that it needs is unreachable, it is retried every few
seconds for days. A job may run twice, so every job must be idempotent. Payloads are encrypted, because they contain
addresses and one-time links that must not be readable in a database dump.
"""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import orjson
import structlog
from pgqueuer import PgQueuer
from pgqueuer.core.executors import DatabaseRetryEntrypointExecutor, EntrypointExecutorParameters
from pgqueuer.domain.errors import RetryRequested
from pgqueuer.models import Job

from tableapi.config.settings import Settings
from tableapi.db.database import Db
from tableapi.db.errors import UNREACHABLE, to_api_error
from tableapi.db.session import connect
from tableapi.log import get_logger
from tableapi.observability import tracing
from tableapi.project import jobs
from tableapi.project.registry import SYSTEM, Scripts
from tableapi.webhooks.project_queue import ProjectWebhooks

log = get_logger(__name__)
MAX_ATTEMPTS = 20  # after 5 s, 10 s, ... 5 min: more than an hour
FIRST_DELAY, LAST_DELAY = timedelta(seconds=5), timedelta(minutes=5)
POLL = timedelta(seconds=2)  # polling interval, for jobs without a NOTIFY
AWAY_DELAY, AWAY_LIFE = timedelta(seconds=2), timedelta(days=3)  # while a service that the job needs is unreachable
BEAT = timedelta(seconds=12)  # a job without a heartbeat for this long is taken over by another worker
MAX_JOBS, MAX_JOBS_PER_NAME = 32, 16  # concurrent jobs; a service that hangs must not block the other jobs
GRACE_SECONDS = 10.0  # for running jobs after the database is lost: their outside effects cannot be rolled back


async def install(connection: asyncpg.Connection) -> None:
    """Create the queue's tables if they do not exist."""
    queries = jobs.queries(connection)
    if not await queries.schema_is_installed():
        await queries.install()


@dataclass
class _Retry(DatabaseRetryEntrypointExecutor):
    max_attempts: int = MAX_ATTEMPTS
    initial_delay: timedelta = FIRST_DELAY
    max_delay: timedelta = LAST_DELAY


def _away(error: Exception) -> bool:
    """Return whether the cause is an unreachable service, so the job itself is not at fault."""
    if isinstance(error, OSError):  # a missing file is an OSError too
        unreachable = isinstance(error, (ConnectionError, TimeoutError, socket.gaierror))
        return unreachable or error.errno in (errno.EHOSTUNREACH, errno.ENETUNREACH)
    api_error = to_api_error(error)
    return api_error is not None and api_error.status == 503


def _executor(parameters: EntrypointExecutorParameters) -> _Retry:
    return _Retry(parameters=parameters)


async def _connect(settings: Settings) -> asyncpg.Connection:
    return await connect(settings.direct_url, timeout=10, server_settings={"application_name": "worker"})


def _queuer(connection: asyncpg.Connection, scripts: Scripts) -> PgQueuer:
    queuer = PgQueuer.from_asyncpg_connection(connection)
    for name, script in scripts.jobs.items():

        async def run(job: Job, name: str = name) -> None:
            structlog.contextvars.clear_contextvars()
            try:
                payload = orjson.loads(scripts.vault.open_bytes(job.payload or b""))
                cause = payload.pop(jobs.CAUSE, {})
                if "request_id" in cause:
                    structlog.contextvars.bind_contextvars(request_id=cause["request_id"])
                with tracing.job(name, cause):
                    await scripts.run_job(name, payload)
            except Exception as error:
                log.warning("job_failed", job=name, attempt=job.attempts, error=type(error).__name__)
                if _away(error) and datetime.now(UTC) - job.created < AWAY_LIFE:
                    raise RetryRequested(AWAY_DELAY, type(error).__name__) from None
                raise
            log.info("job_done", job=name, attempt=job.attempts)

        queuer.entrypoint(name, executor_factory=_executor, on_failure="hold", concurrency_limit=MAX_JOBS_PER_NAME)(run)
        if script.every:

            async def tick(_: object, name: str = name) -> None:
                await jobs.enqueue(scripts.db, scripts.vault, name, {})

            queuer.schedule(name, script.every)(tick)
    return queuer


async def work(settings: Settings, folder: Path | None = None, stop: asyncio.Event | None = None) -> None:
    """Run jobs and deliver the project's webhooks until SIGTERM, SIGINT or `stop`.

    Reconnects to a lost database.
    """
    stop = stop or _on_signals()
    db = Db(settings.direct_url, reads=1, pool=4, statement_timeout=600, wait=60, name="tableapi-worker")
    await db.connect()
    scripts = Scripts.load(folder or Path.cwd(), settings, db)
    pause = 0.5
    events = scripts.project.webhooks()
    delivering = ProjectWebhooks(events, scripts.context(SYSTEM), db, settings) if events is not None else None
    if delivering is not None:
        delivering.start()
    try:
        while not stop.is_set():
            try:
                await _until_lost(settings, scripts, stop)
                pause = 0.5
            except (*UNREACHABLE, asyncpg.PostgresError, asyncpg.InternalClientError, ExceptionGroup) as error:
                log.warning("worker_lost_database", error=type(error).__name__)
            if not stop.is_set():
                await _pause(stop, pause)
                pause = min(pause * 2, 2.0)
    finally:
        if delivering is not None:
            await delivering.close()
        await scripts.close()
        await db.close()


async def _until_lost(settings: Settings, scripts: Scripts, stop: asyncio.Event) -> None:
    connection = await _connect(settings)
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _: lost.set())
    queuer = _queuer(connection, scripts)
    # Batches of one, so that each job's completion is stored at once. Otherwise a job that finished just before its
    # worker was killed would run again, and send a second email.
    running = asyncio.create_task(
        queuer.run(dequeue_timeout=POLL, batch_size=1, max_concurrent_tasks=MAX_JOBS, heartbeat_timeout=BEAT)
    )
    ends = [asyncio.create_task(event.wait()) for event in (stop, lost)]
    try:
        await asyncio.wait([running, *ends], return_when=asyncio.FIRST_COMPLETED)
        queuer.shutdown.set()
        if lost.is_set():
            await asyncio.wait([running], timeout=GRACE_SECONDS)
            running.cancel()
        await running
    except asyncio.CancelledError:
        if not running.cancelled():
            raise
    finally:
        for task in ends:
            task.cancel()
        if not connection.is_closed():
            await connection.close(timeout=5)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        pass


def _on_signals() -> asyncio.Event:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop
