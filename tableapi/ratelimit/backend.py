"""Where a process counts the uses of rate limits, by its settings."""

from __future__ import annotations

from tableapi.config.settings import Settings
from tableapi.log import get_logger
from tableapi.ratelimit import counter

log = get_logger(__name__)


def start(settings: Settings) -> None:
    """Choose the counter for the settings. Called once per process, inside its event loop."""
    if settings.rate_limits is False:
        counter.use(counter.NoLimits())
    elif settings.redis_url is not None:
        from tableapi.ratelimit.redis import RedisCounter

        counter.use(RedisCounter(settings.redis_url))
    elif settings.workers > 1:
        from tableapi.ratelimit.shared_memory import SharedMemoryCounter

        try:
            counter.use(SharedMemoryCounter(settings.run_dir / "limits"))
        except OSError as error:  # the disk is full; limits per worker are better than no worker
            log.error("limits_alone", error=str(error.strerror))
