"""Expressions: what a field list, an order, a group or a filter may name besides a plain column."""
