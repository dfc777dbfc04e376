"""Webhooks: events of changed rows, made from the outbox of changes and delivered to other systems."""
