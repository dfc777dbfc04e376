"""Scripts, table hooks and jobs of a project."""
