"""Connections to PostgreSQL, replicas, and the mapping of its errors."""
