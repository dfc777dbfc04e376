"""The table endpoints: read, write, nested records, batches, export, schema description, routines."""
