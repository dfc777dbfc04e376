"""Encryption of values at rest and on the wire."""
