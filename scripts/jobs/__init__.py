"""Jobs: scripts without a URL, run from the queue, on a schedule, or by `tableapi run`."""
