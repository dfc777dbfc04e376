"""`tableapi serve`: processes, the embedded PostgreSQL, migrations."""
