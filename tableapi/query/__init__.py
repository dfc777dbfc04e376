"""Turn request options into SQL statements, without connections or HTTP."""
