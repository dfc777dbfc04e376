"""Signed tokens of an issuer (JWT): its keys, the checks of a token, and the caller that it names."""
