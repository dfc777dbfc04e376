"""The database schema: model, PostgreSQL types, and introspection from the catalog."""
