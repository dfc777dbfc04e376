"""The recursive descent parser of filters. Knows no tables.

The grammar is in `docs/reference/wire.md`.
"""

from __future__ import annotations

import re
from typing import NoReturn

from tableapi.errors import BadFilter
from tableapi.query.bounds import Limits
from tableapi.query.filter.ast import FLAGS, Condition, Literal, Logic, Node, Not, Param, Special, Value, Word
from tableapi.query.filter.words import COMPARE, TEXT_OPERATORS, inside, no_operator
from tableapi.query.names import CLOSING, quoted, skip

_NAME = re.compile(r"[^\W\d][\w$]*+")
_SYMBOL = re.compile(r">=|<=|<>|!=|=|>|<")
_WORD = re.compile(r"[^\W\d]\w*+")
_PARAM = re.compile(r":([^\W\d]\w*+)(?=[\s),]|\Z)")
_LOGIC = re.compile(r"(?:AND|OR|NOR|XOR)(?![\w$])|&&|\|\|", re.IGNORECASE)
_AFTER_QUOTE = re.compile(r"\s*+(?:\Z|[),]|(?:AND|OR|NOR|XOR)(?![\w$])|&&|\|\|)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d++(?:\.\d++)?\Z", re.ASCII)
_SPECIAL = re.compile(r"(now|current_date|current_timestamp)(?:\s*+\(\s*+\))?\Z", re.IGNORECASE)

_LEVELS = ({"or": "or", "||": "or", "nor": "nor"}, {"xor": "xor"}, {"and": "and", "&&": "and"})


class Parser:
    """Parses one filter.

    literals: the values, in order. spans: (start, end, placeholder) of each value in the text.
    """

    def __init__(self, text: str, limits: Limits) -> None:
        self.text, self.limits = text, limits
        self.at = 0
        self.depth = self.conditions = 0
        self.literals: list[str] = []
        self.spans: list[tuple[int, int, str]] = []

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise BadFilter with a position, by default the current one."""
        raise BadFilter(message, self.at if at is None else at)

    def skip_blanks(self) -> None:
        """Move past white space."""
        self.at = skip(self.text, self.at)

    def peek_word(self) -> str:
        """Return the next word in upper case without consuming it."""
        self.skip_blanks()
        match = _WORD.match(self.text, self.at)
        return match[0].upper() if match else ""

    def take_word(self, word: str) -> bool:
        """Consume this word if it comes next, and return whether it did."""
        if self.peek_word() != word:
            return False
        self.at += len(word)
        return True

    def deeper(self) -> None:
        """Enter one level of nesting."""
        self.depth += 1
        if self.depth > self.limits.depth:
            self.fail(f"The filter is nested more than {self.limits.depth} levels deep")

    def whole(self) -> Node:
        """Parse the whole text."""
        tree = self.expression()
        self.skip_blanks()
        if self.at < len(self.text):
            self.fail("AND, OR, XOR, NOR or the end of the filter is expected")
        return tree

    def expression(self, level: int = 0) -> Node:
        """Parse operators of one level of precedence; NOR and OR are the loosest."""
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
        """Parse NOT, or what it may precede."""
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
                "A closing parenthesis is missing"
                if self.at >= len(self.text)
                else "AND, OR, XOR, NOR or ) is expected"
            )
        self.at += 1
        return inner

    def condition(self) -> Node:
        """Parse one condition on a field."""
        self.conditions += 1
        if self.conditions > self.limits.conditions:
            self.fail(f"The filter has more than {self.limits.conditions} conditions")
        self.skip_blanks()
        path = self.path()
        self.skip_blanks()
        if symbol := _SYMBOL.match(self.text, self.at):
            self.at = symbol.end()
            return self.comparison(path, COMPARE.get(symbol[0], symbol[0]))
        negated = self.take_word("NOT")
        self.skip_blanks()
        word_at = self.at
        word = self.peek_word()
        self.at += len(word)
        if word in COMPARE and not negated:
            return self.comparison(path, COMPARE[word])
        if word == "IN":
            return Condition(path, "in", self.list(), negated)
        if word in TEXT_OPERATORS:
            if word in ("STARTS", "ENDS") and not self.take_word("WITH"):
                self.fail(f"WITH is expected after {word}")
            return Condition(path, TEXT_OPERATORS[word], (self.value(),), negated)
        if word == "BETWEEN":
            low = self.value()
            if not self.take_word("AND"):
                self.fail("AND and the upper value of BETWEEN are expected")
            return Condition(path, "between", (low, self.value()), negated)
        if word == "IS" and not negated:
            negated = self.take_word("NOT")
            if not self.take_word("NULL"):
                self.fail("NULL is expected after IS")
            return Condition(path, "null", (), negated)
        return self.fail(no_operator(word), word_at)

    def comparison(self, path: tuple[str, ...], op: str) -> Condition:
        """Parse the value of a comparison; `= null` and `!= null` mean IS NULL and IS NOT NULL."""
        value = self.value()
        if isinstance(value, Word) and value.name == "null" and op in ("=", "!="):
            return Condition(path, "null", (), op == "!=")
        return Condition(path, op, (value,), False)

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
            self.fail("A field name is expected")
        self.at = match.end()
        return match[0]

    def list(self) -> tuple[Value, ...]:
        """Parse the list of IN: values in parentheses, or one named value."""
        self.skip_blanks()
        if param := _PARAM.match(self.text, self.at):
            self.at = param.end()
            return (Param(param[1]),)
        if self.text[self.at : self.at + 1] != "(":
            self.fail("A list in parentheses is expected after IN")
        self.at += 1
        values: list[Value] = []
        self.skip_blanks()
        if self.text[self.at : self.at + 1] == ")":
            self.at += 1
            return ()
        while True:
            values.append(self.value(in_list=True))
            if len(values) > self.limits.values:
                self.fail(f"The list has more than {self.limits.values} values")
            self.skip_blanks()
            sign = self.text[self.at : self.at + 1]
            self.at += 1
            if sign == ")":
                return tuple(values)
            if sign != ",":
                self.at -= 1
                self.fail("A closing parenthesis is missing" if not sign else "A comma is expected")

    def value(self, in_list: bool = False) -> Value:
        """Parse a value: quoted, named or bare."""
        self.skip_blanks()
        first = self.text[self.at : self.at + 1]
        if first in ("'", '"'):
            return self.quoted(first)
        if param := _PARAM.match(self.text, self.at):
            self.at = param.end()
            return Param(param[1])
        return self.word(in_list)

    def quoted(self, quote: str) -> Literal:
        """Parse a quoted value. A doubled quote is one quote.

        A quote that nothing ends after (the end, `)`, `,` or a logic word) is a plain character.
        """
        text, start = self.text, self.at
        parts: list[str] = []
        at = start + 1
        while True:
            end = text.find(quote, at)
            if end < 0:
                self.fail("The closing quote of a value is missing", start)
            parts.append(text[at:end])
            if text[end + 1 : end + 2] == quote:
                parts.append(quote)
                at = end + 2
            elif _AFTER_QUOTE.match(text, end + 1):
                self.at = end + 1
                return self.literal("".join(parts), start, quoted=True)
            else:
                parts.append(quote)
                at = end + 1

    def word(self, in_list: bool) -> Value:
        """Parse a bare value, which ends before a logic word or an unmatched parenthesis."""
        text, start, depth = self.text, self.at, 0
        at = start
        while at < len(text):
            sign = text[at]
            if sign == "(":
                depth += 1
            elif sign == ")":
                if depth == 0:
                    break
                depth -= 1
            elif sign.isspace():
                after = skip(text, at)
                if depth == 0 and _LOGIC.match(text, after):
                    break
                at = after
                continue
            elif depth == 0 and in_list and sign == ",":
                break
            at += 1
        value = text[start:at].rstrip()
        if not value:
            self.fail("A value is expected")
        self.at = start + len(value)
        if value.lower() == "null":
            return Word("null")
        if special := _SPECIAL.match(inside(value)):
            # On other than date and time fields the word is plain text.
            literal = self.literal(value, start, quoted=False)
            self.spans[-1] = (start, self.at, special[1].lower())
            return Special(literal.place, False, moment=special[1].lower())
        return self.literal(value, start, quoted=False)

    def literal(self, value: str, start: int, *, quoted: bool) -> Literal:
        """Add a literal and its span, and return the node for it."""
        number = not quoted and _NUMBER.match(value) is not None
        flag = value if not quoted and value in FLAGS else ""
        self.spans.append((start, self.at, flag or ("'" if quoted else "#" if number else "w")))
        self.literals.append(value)
        return Literal(len(self.literals) - 1, quoted, number, flag)

    def key(self) -> tuple[str, ...]:
        """Return the text with placeholders for the literals, in parts."""
        parts: list[str] = []
        at = 0
        for start, end, mark in self.spans:
            parts += (self.text[at:start], mark)
            at = end
        return (*parts, self.text[at:])
