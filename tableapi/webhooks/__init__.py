"""Webhooks: events for changed rows, built from the outbox and delivered to other systems."""
