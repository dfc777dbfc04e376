"""Revealed contacts."""
