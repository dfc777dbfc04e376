"""The demo account and its data."""
