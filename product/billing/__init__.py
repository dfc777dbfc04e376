"""Plans, subscriptions, payments and invoices."""
