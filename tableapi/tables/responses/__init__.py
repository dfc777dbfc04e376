"""Responses of writes that hold more than the written rows."""
