"""The people directory."""
