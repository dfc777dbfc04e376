"""Live changes: the outbox that triggers fill, the streams that follow it, and the reads that make events of it."""
