"""tableapi: every table of a PostgreSQL database as an HTTP API, and the engine of products built on it."""

__version__ = "0.1.0"
