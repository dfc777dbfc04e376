"""Seats of a team."""
