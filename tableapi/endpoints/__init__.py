"""Custom calls, table hooks and jobs of a project."""
