"""Expressions, which a field list, an order, a group or a filter may use besides plain columns."""
