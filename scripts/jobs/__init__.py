"""Jobs: scripts without a URL, run from the queue, by the clock, or by `tableapi run`."""
