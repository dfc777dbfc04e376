"""From request options to SQL statements. No connection and no HTTP."""
