"""Fixed people and responses for test keys: every kind of result, with nothing spent, stored or read."""
