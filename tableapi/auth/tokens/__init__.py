"""Signed tokens (JWT): the issuer's keys, token validation, and the caller that a token identifies."""
