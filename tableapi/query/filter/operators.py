"""Words of the filter grammar: values in parentheses, and suggestions for unknown operators."""

from __future__ import annotations

from tableapi.query.spelling import suggestion

MAX_PARENTHESES = 10  # around the current date or time
COMPARE = {"EQ": "=", "NE": "!=", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "<>": "!="}
TEXT_OPERATORS = {"LIKE": "like", "ILIKE": "ilike", "CONTAINS": "contains", "STARTS": "starts", "ENDS": "ends"}
REGULAR_EXPRESSIONS = {"~": ("~", False), "~*": ("~*", False), "!~": ("~", True), "!~*": ("~*", True)}
RANGE_OPERATORS = {"OVERLAPS": "overlaps", "BEFORE": "before", "AFTER": "after"}
SPATIAL_OPERATORS = {"WITHIN": "within", "INTERSECTS": "intersects", "DWITHIN": "dwithin"}
OPERATORS = (
    "=", *COMPARE, "IN", *TEXT_OPERATORS, "BETWEEN", "IS", "NOT", "MATCHES", "CONTAINED", "ADJACENT", *RANGE_OPERATORS,
    *SPATIAL_OPERATORS,
)  # fmt: skip


def no_operator(word: str) -> str:
    """Return the message for a word that is not an operator."""
    if not word:
        return "Expected an operator, such as =, >=, IN or CONTAINS"
    if word in OPERATORS:
        return f"NOT {word} is not an operator; put NOT before the condition"
    return f"Expected an operator, not '{word[:30]}'.{suggestion(word, OPERATORS)}".removesuffix(".")


def inside(value: str) -> str:
    """Strip the parentheses around a value."""
    for _ in range(MAX_PARENTHESES):
        if not (value[0] == "(" and value[-1] == ")" and len(value) > 2):
            break
        value = value[1:-1].strip() or value
    return value
