"""Credit balances and the ledger."""
