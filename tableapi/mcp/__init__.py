"""The tables, scripts and routines of a server as tools for language-model agents (Model Context Protocol)."""
