"""A served database: its live schema and its compiled plans."""
