"""Users, sessions, passwords, one-use tokens and sign-in providers."""
