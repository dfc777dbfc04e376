"""The authorization server for agents at /mcp: clients, consent, tokens (docs/guides/agents.md)."""
