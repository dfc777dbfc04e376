"""The SQL of writes: the parts of a record, the conditions on them, and the statements."""
