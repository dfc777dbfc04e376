"""The recursive descent parser for filters, independent of tables.

The grammar is in `docs/reference/wire.md`.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

from tableapi.query import syntax
from tableapi.query.filter.ast import Condition, Logic, Node, Not, Word
from tableapi.query.filter.scanner import AFTER_QUOTE, AFTER_SEARCH, LOGIC, LOGIC_OR_USING, Scanner
from tableapi.query.limits import FilterLimits
from tableapi.query.names import CLOSING, quoted
from tableapi.query.spelling import suggestion

COMPARE = {"EQ": "=", "NE": "!=", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "<>": "!="}
TEXT_OPERATORS = {
    "LIKE": "like", "ILIKE": "ilike", "CONTAINS": "contains", "STARTS": "starts", "ENDS": "ends", "SIMILAR": "similar",
}  # fmt: skip
REGULAR_EXPRESSIONS = {"~": ("~", False), "~*": ("~*", False), "!~": ("~", True), "!~*": ("~*", True)}
RANGE_OPERATORS = {"OVERLAPS": "overlaps", "BEFORE": "before", "AFTER": "after"}
SPATIAL_OPERATORS = {"WITHIN": "within", "INTERSECTS": "intersects", "DWITHIN": "dwithin"}
OPERATORS = (
    "=", *COMPARE, "IN", *TEXT_OPERATORS, "BETWEEN", "IS", "NOT", "MATCHES", "CONTAINED", "ADJACENT", *RANGE_OPERATORS,
    *SPATIAL_OPERATORS,
)  # fmt: skip

_NAME = re.compile(r"[^\W\d][\w$]*+")
_SYMBOL = re.compile(r">=|<=|<>|!=|!~\*|!~|~\*|~|=|>|<")
_MEANT = {"=>": ">=", "=<": "<=", "=~": "~"}  # operators that other languages spell differently
_FOREIGN = re.compile(r"[<~](?=\s)")  # their second sign; without a space after it, it begins a value
_PATTERN = re.compile(r"\s*+TO\s*+['\":]", re.IGNORECASE)  # SQL's SIMILAR TO
_LANGUAGE = re.compile(r"\w{1,63}+(?![\w.])")

_APART = re.compile(r"!\s++=")
_JSON = re.compile(r"\s*(?:\{|\[\s*[\[{\"'])")
_SQL = re.compile(r"\s*(?:SELECT\s.*\sFROM|WHERE)\s", re.IGNORECASE | re.DOTALL)
# Operators of other languages.
_WRITTEN = {
    "EQUALS": "=", "EQUAL": "=", "IS_EQUAL": "=", "NEQ": "!=", "GREATER": ">", "LESS": "<", "REGEXP": "~", "RLIKE": "~",
    "HAS": "CONTAINS", "INCLUDES": "CONTAINS", "STARTSWITH": "STARTS WITH", "ENDSWITH": "ENDS WITH",
}  # fmt: skip
_OF_CASE = frozenset(("upper", "lower", "ucase", "lcase", "toupper", "tolower"))

_LEVELS = ({"or": "or", "||": "or", "nor": "nor"}, {"xor": "xor"}, {"and": "and", "&&": "and"})


class Parser(Scanner):
    """Parses one filter."""

    def __init__(self, text: str, limits: FilterLimits) -> None:
        super().__init__(text, limits)
        self.depth = self.conditions = 0

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise BadFilter, for a filter in another language with what to write instead."""
        if _JSON.match(self.text):
            message, at = "The filter is JSON; write it as text: city = 'Oslo'", 0
        elif _SQL.match(self.text):
            message, at = "Send only the condition, as it follows WHERE: city = 'Oslo'", 0
        super().fail(message, at)

    def deeper(self) -> None:
        """Enter one level of nesting."""
        self.depth += 1
        if self.depth > self.limits.depth:
            self.fail(f"The filter is nested more than {self.limits.depth} levels deep")

    def whole(self) -> Node:
        tree = self.expression()
        self.skip_blanks()
        if self.at < len(self.text):
            self.fail(
                "This ')' closes nothing"
                if self.text[self.at] == ")"
                else "Expected AND, OR, XOR, NOR or the end of the filter"
            )
        return tree

    def expression(self, level: int = 0) -> Node:
        """Parse operators at one level of precedence; NOR and OR bind least tightly."""
        if level == len(_LEVELS):
            return self.negation()
        left = self.expression(level + 1)
        while True:
            self.skip_blanks()
            sign = self.text[self.at : self.at + 2]
            word = sign if sign in ("&&", "||") else self.peek_word().lower()
            op = _LEVELS[level].get(word)
            if op is None:
                return left
            self.at += len(word)
            left = Logic(op, left, self.expression(level + 1))

    def negation(self) -> Node:
        """Parse NOT or its operand."""
        if not self.take_word("NOT"):
            return self.primary()
        self.deeper()
        inner = self.negation()
        self.depth -= 1
        return Not(inner)

    def primary(self) -> Node:
        """Parse a group in parentheses or a condition."""
        self.skip_blanks()
        if self.text[self.at : self.at + 1] != "(":
            return self.condition()
        self.at += 1
        self.deeper()
        inner = self.expression()
        self.depth -= 1
        self.skip_blanks()
        if self.text[self.at : self.at + 1] != ")":
            self.fail(
                "A closing parenthesis is missing" if self.at >= len(self.text) else "Expected AND, OR, XOR, NOR or )"
            )
        self.at += 1
        return inner

    # -- conditions ----------------------------------------------------------------------------------------------------

    def condition(self) -> Node:
        """Parse one condition on a field."""
        self.conditions += 1
        if self.conditions > self.limits.conditions:
            self.fail(f"The filter has more than {self.limits.conditions} conditions")
        self.skip_blanks()
        term = self.term()
        op, values, negated, language = self.comparison()
        return Condition(term.path, op, values, negated, term.function, language)

    def term(self) -> syntax.Term:
        """Parse the left side of a comparison: a path to a field, or a function of one."""
        parsed = syntax.parse(self.text, self.at)
        if parsed is None:
            return syntax.Term(self.path())
        if name := syntax.called(self.text, self.at):
            case = " To compare without case, write name ILIKE 'ada'." if name.lower() in _OF_CASE else ""
            self.fail(syntax.no_function(name, case).removesuffix("."))
        self.at = parsed[1]
        return parsed[0]

    def comparison(self) -> tuple[str, tuple[Any, ...], bool, str]:
        """Parse an operator and its values; return them, whether it is negated, and a language."""
        self.skip_blanks()
        if symbol := _SYMBOL.match(self.text, self.at):
            self.at = symbol.end()
            if self.text[self.at : self.at + 1] in ("=", ">") or (
                symbol[0] == "=" and _FOREIGN.match(self.text, self.at)
            ):
                self.not_an_operator(symbol[0])
            if (expression := REGULAR_EXPRESSIONS.get(symbol[0])) is not None:
                return expression[0], (self.value(),), expression[1], ""
            return (*self.compared(COMPARE.get(symbol[0], symbol[0])), "")
        negated = self.take_word("NOT")
        self.skip_blanks()
        word_at = self.at
        word = self.peek_word()
        self.at += len(word)
        if word in COMPARE and not negated:
            return (*self.compared(COMPARE[word]), "")
        if word == "MATCHES":
            return "matches", (self.searched(),), negated, self.language()
        if word == "IS" and not negated:
            return (*self.tested(), "")
        parsed = self.operation(word)
        if parsed is None:
            apart = _APART.match(self.text, word_at) is not None
            before = self.text[:word_at].split()[-1].upper()  # what was read as the field
            if LOGIC.fullmatch(before):
                self.fail(f"A condition is missing before {before}", word_at - len(before) - 1)
            self.fail("Write != without a space" if apart else _no_operator(word), word_at)
        return (*parsed, negated, "")

    def not_an_operator(self, symbol: str) -> NoReturn:
        """Raise BadFilter for an operator of another language, such as `==`, which begins with `symbol`."""
        sign = self.text[self.at]
        value = f"or quote a value that begins with '{sign}'"
        self.fail(f"'{symbol}{sign}' is not an operator. Write {_MEANT.get(symbol + sign, symbol)}, {value}")

    def compared(self, op: str) -> tuple[str, tuple[Any, ...], bool]:
        """Parse the value of a comparison; `= null` and `!= null` mean IS NULL and IS NOT NULL."""
        value = self.value()
        if isinstance(value, Word) and value.name == "null" and op in ("=", "!="):
            return "null", (), op == "!="
        return op, (value,), False

    def operation(self, word: str) -> tuple[str, tuple[Any, ...]] | None:
        """Parse the values of a word operator, or return None for an unknown word."""
        if word == "IN":
            return "in", self.in_list()
        if word == "CONTAINS":
            if self.peek_word() == "JSON" and self.text[self.at + 4 :].lstrip()[:1] in ("'", '"', ":"):
                self.at += 4
                return "json_contains", (self.value(),)
            return "contains", (self.listed_or_text(word),)
        if word in TEXT_OPERATORS:
            if word in ("STARTS", "ENDS") and not self.take_word("WITH"):
                self.fail(f"Expected WITH after {word}")
            if word == "SIMILAR" and _PATTERN.match(self.text, self.at):
                self.fail("SIMILAR compares spellings. For a pattern, write ~ or LIKE")
            return TEXT_OPERATORS[word], (self.value(),)
        if word == "BETWEEN":
            low = self.value()
            if not self.take_word("AND"):
                self.fail("Expected AND and the upper value of BETWEEN, as in BETWEEN 1 AND 3")
            return "between", (low, self.value())
        return self.operation_of_lists(word)

    def operation_of_lists(self, word: str) -> tuple[str, tuple[Any, ...]] | None:
        """Parse the values of an operator of arrays, ranges or JSON."""
        if word == "CONTAINED":
            if not self.take_word("BY"):
                self.fail("Expected BY after CONTAINED")
            if self.peek_word() == "JSON":
                self.at += 4
                return "json_contained", (self.value(),)
            return "contained", (self.listed(word),)
        if word == "ADJACENT":
            if not self.take_word("TO"):
                self.fail("Expected TO after ADJACENT")
            return "adjacent", (self.listed(word),)
        if word in SPATIAL_OPERATORS:
            return SPATIAL_OPERATORS[word], self.shape(word)
        return (RANGE_OPERATORS[word], (self.listed(word),)) if word in RANGE_OPERATORS else None

    def shape(self, word: str) -> tuple[Any, ...]:
        """Parse the shape of WITHIN or INTERSECTS, or the shape and the distance of DWITHIN."""
        if word != "DWITHIN":
            return (self.value(),)
        start = self.at
        values = self.list(word)
        if len(values) != 2:
            self.fail("Expected a shape and a distance after DWITHIN: ('{...}', 500)", start)
        return values

    def tested(self) -> tuple[str, tuple[Any, ...], bool]:
        """Parse the part after IS."""
        negated = self.take_word("NOT")
        for word in ("NULL", "TRUE", "FALSE", "UNKNOWN"):
            if self.take_word(word):
                return word.lower(), (), negated
        if self.take_word("DISTINCT"):
            if not self.take_word("FROM"):
                self.fail("Expected FROM after DISTINCT")
            value = self.value()
            return ("null", (), not negated) if isinstance(value, Word) else ("distinct", (value,), negated)
        return self.fail("Expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS; to compare, write = instead")

    def searched(self) -> Any:
        """Parse the words of MATCHES, which also end before USING."""
        self.logic, self.after_quote = LOGIC_OR_USING, AFTER_SEARCH
        value = self.value()
        self.logic, self.after_quote = LOGIC, AFTER_QUOTE
        return value

    def language(self) -> str:
        """Parse USING and the name of a text search configuration, if they come next."""
        if not self.take_word("USING"):
            return ""
        self.skip_blanks()
        match = _LANGUAGE.match(self.text, self.at)
        if match is None:
            self.fail("Expected the name of a language after USING, such as english")
        self.at = match.end()
        return match[0].lower()

    # -- names ---------------------------------------------------------------------------------------------------------

    def path(self) -> tuple[str, ...]:
        """Parse names joined by dots."""
        names = [self.name()]
        while self.text[self.at : self.at + 1] == ".":
            self.at += 1
            names.append(self.name())
        return tuple(names)

    def name(self) -> str:
        """Parse one name, bare or quoted."""
        first = self.text[self.at : self.at + 1]
        if first in CLOSING:
            quoted_name = quoted(self.text, self.at)
            if quoted_name is None:
                self.fail("The closing quote of a field name is missing")
            name, self.at = quoted_name
            return name
        match = _NAME.match(self.text, self.at)
        if not match:
            if self.at == len(self.text) and self.text.strip():
                last = self.text.split()[-1][:20]
                last = last.upper() if last.isalpha() else f"'{last}'"
                self.fail(f"The filter ends after {last}; a condition is missing")
            self.fail("Expected a field name, as in city = 'Oslo'")
        self.at = match.end()
        return match[0]


_SUCH_AS = ", such as =, >=, IN or CONTAINS"


def _no_operator(word: str) -> str:
    if not word:
        return f"Expected an operator{_SUCH_AS}"
    if word in _WRITTEN:
        return f"'{word}' is not an operator. Write {_WRITTEN[word]}"
    if word in OPERATORS:
        return f"NOT {word} is not an operator; put NOT before the condition"
    meant = suggestion(word, OPERATORS)
    return f"Expected an operator{'' if meant else _SUCH_AS}, not '{word[:30]}'.{meant}".removesuffix(".")
