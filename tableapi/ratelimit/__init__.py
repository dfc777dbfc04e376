"""Rate limits: counters in memory, in shared memory between workers, and in Redis."""
