"""Change streams: the outbox that triggers fill, and the streams that follow it."""
