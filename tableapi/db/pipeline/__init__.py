"""Pipelining: several single statements in flight on one connection (docs/explanation/performance.md)."""
