"""Bulk look-ups."""
