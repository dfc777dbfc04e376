"""Tables, scripts and routines as tools for language-model agents (Model Context Protocol)."""
