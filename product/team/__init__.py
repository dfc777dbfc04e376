"""Team seats."""
