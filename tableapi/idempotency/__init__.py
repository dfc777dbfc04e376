"""Safe repeats of writes by `Idempotency-Key`."""
