"""Safe retries of writes with `Idempotency-Key`."""
