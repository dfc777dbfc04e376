"""Authentication and authorisation: policy, rights, credentials."""
