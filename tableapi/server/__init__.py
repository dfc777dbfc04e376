"""`tableapi serve`: processes, embedded PostgreSQL, migrations."""
