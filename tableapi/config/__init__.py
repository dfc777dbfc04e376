"""Settings, generated secrets, and the error that ends a command."""
