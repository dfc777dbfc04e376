"""The filter grammar (table-api §4): text -> tree, by recursive descent. Knows no tables."""

from __future__ import annotations

import re
from typing import NoReturn

from tableapi.errors import BadFilter
from tableapi.query.bounds import Limits
from tableapi.query.filter.ast import FLAGS, Condition, Literal, Logic, Node, Not, Param, Special, Value, Word
from tableapi.query.names import CLOSING, aggregate, quoted, skip

_NAME = re.compile(r"[^\W\d][\w$]*+")
_SYMBOL = re.compile(r">=|<=|<>|!=|=|>|<")
_WORD = re.compile(r"[^\W\d]\w*+")
_PARAM = re.compile(r":([^\W\d]\w*+)(?=[\s),]|\Z)")
_LOGIC = re.compile(r"(?:AND|OR|NOR|XOR)(?![\w$])|&&|\|\|", re.IGNORECASE)
_AFTER_QUOTE = re.compile(r"\s*+(?:\Z|[),]|(?:AND|OR|NOR|XOR)(?![\w$])|&&|\|\|)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d++(?:\.\d++)?\Z", re.ASCII)
_SPECIAL = re.compile(r"(now|current_date|current_timestamp)(?:\s*+\(\s*+\))?\Z", re.IGNORECASE)
_MOST_ROUND = 10  # parentheses round a moment

_COMPARE = {"EQ": "=", "NE": "!=", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=", "<>": "!="}
_TEXT_OPS = {"LIKE": "like", "ILIKE": "ilike", "CONTAINS": "contains", "STARTS": "starts", "ENDS": "ends"}
_LEVELS = ({"or": "or", "||": "or", "nor": "nor"}, {"xor": "xor"}, {"and": "and", "&&": "and"})


class Parser:
    def __init__(self, text: str, limits: Limits) -> None:
        self.text, self.limits = text, limits
        self.at = 0
        self.depth = self.conditions = 0
        self.literals: list[str] = []
        self.spans: list[tuple[int, int, str]] = []

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        raise BadFilter(message, self.at if at is None else at)

    def blank(self) -> None:
        self.at = skip(self.text, self.at)

    def peek_word(self) -> str:
        """The next word in upper case, without taking it."""
        self.blank()
        found = _WORD.match(self.text, self.at)
        return found[0].upper() if found else ""

    def take_word(self, word: str) -> bool:
        if self.peek_word() != word:
            return False
        self.at += len(word)
        return True

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > self.limits.depth:
            self.fail(f"The filter is nested deeper than {self.limits.depth}")

    def whole(self) -> Node:
        """The tree of the whole text."""
        tree = self.expression()
        self.blank()
        if self.at < len(self.text):
            self.fail("The end of the filter is expected")
        return tree

    def expression(self, level: int = 0) -> Node:
        if level == len(_LEVELS):
            return self.negation()
        left = self.expression(level + 1)
        while True:
            self.blank()
            sign = self.text[self.at : self.at + 2]
            word = sign if sign in ("&&", "||") else self.peek_word().lower()
            op = _LEVELS[level].get(word)
            if op is None:
                return left
            self.at += len(word)
            left = Logic(op, left, self.expression(level + 1))

    def negation(self) -> Node:
        if not self.take_word("NOT"):
            return self.primary()
        self.deeper()
        inner = self.negation()
        self.depth -= 1
        return Not(inner)

    def primary(self) -> Node:
        self.blank()
        if self.text[self.at : self.at + 1] != "(":
            return self.condition()
        opened = self.at
        self.at += 1
        self.deeper()
        inner = self.expression()
        self.depth -= 1
        self.blank()
        if self.text[self.at : self.at + 1] != ")":
            self.fail("A closing parenthesis is missing" if self.at >= len(self.text) else "A logic word is expected")
        if self.at <= opened:
            self.fail("An empty group")
        self.at += 1
        return inner

    def condition(self) -> Node:
        self.conditions += 1
        if self.conditions > self.limits.conditions:
            self.fail(f"More than {self.limits.conditions} conditions")
        self.blank()
        path = self.path()
        self.blank()
        if symbol := _SYMBOL.match(self.text, self.at):
            self.at = symbol.end()
            return self.comparison(path, _COMPARE.get(symbol[0], symbol[0]))
        negated = self.take_word("NOT")
        self.blank()
        word_at = self.at
        word = self.peek_word()
        self.at += len(word)
        if word in _COMPARE and not negated:
            return self.comparison(path, _COMPARE[word])
        if word == "IN":
            return Condition(path, "in", self.list(), negated)
        if word in _TEXT_OPS:
            if word in ("STARTS", "ENDS") and not self.take_word("WITH"):
                self.fail("WITH is expected")
            return Condition(path, _TEXT_OPS[word], (self.value(),), negated)
        if word == "BETWEEN":
            low = self.value()
            if not self.take_word("AND"):
                self.fail("AND is expected")
            return Condition(path, "between", (low, self.value()), negated)
        if word == "IS" and not negated:
            negated = self.take_word("NOT")
            if not self.take_word("NULL"):
                self.fail("NULL is expected")
            return Condition(path, "null", (), negated)
        return self.fail("An operator is expected", word_at)

    def comparison(self, path: tuple[str, ...], op: str) -> Condition:
        value = self.value()
        if isinstance(value, Word) and value.name == "null" and op in ("=", "!="):
            return Condition(path, "null", (), op == "!=")
        return Condition(path, op, (value,), False)

    def path(self) -> tuple[str, ...]:
        names = [self.name()]
        while self.text[self.at : self.at + 1] == ".":
            self.at += 1
            names.append(self.name())
        return tuple(names)

    def name(self) -> str:
        first = self.text[self.at : self.at + 1]
        if first in CLOSING:
            inner = quoted(self.text, self.at)
            if inner is None:
                self.fail("A quoted field name without its end")
            name, self.at = inner
            return name
        found = _NAME.match(self.text, self.at)
        if not found:
            self.fail("A field name is expected")
        self.at = found.end()
        return found[0]

    def list(self) -> tuple[Value, ...]:
        self.blank()
        if param := _PARAM.match(self.text, self.at):
            self.at = param.end()
            return (Param(param[1]),)
        if self.text[self.at : self.at + 1] != "(":
            self.fail("A list in parentheses is expected")
        self.at += 1
        values: list[Value] = []
        self.blank()
        if self.text[self.at : self.at + 1] == ")":
            self.at += 1
            return ()
        while True:
            values.append(self.value(in_list=True))
            if len(values) > self.limits.values:
                self.fail(f"More than {self.limits.values} values in a list")
            self.blank()
            sign = self.text[self.at : self.at + 1]
            self.at += 1
            if sign == ")":
                # A list of one named value: IN (:name) may get an array
                return tuple(values)
            if sign != ",":
                self.at -= 1
                self.fail("A closing parenthesis is missing" if not sign else "A comma is expected")

    def value(self, in_list: bool = False) -> Value:
        self.blank()
        first = self.text[self.at : self.at + 1]
        if first in ("'", '"') and first:
            return self.quoted(first)
        if param := _PARAM.match(self.text, self.at):
            self.at = param.end()
            return Param(param[1])
        return self.word(in_list)

    def quoted(self, quote: str) -> Literal:
        text, start = self.text, self.at
        parts: list[str] = []
        at = start + 1
        while True:
            end = text.find(quote, at)
            if end < 0:
                self.fail("A quoted value without its end", start)
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
        if special := _SPECIAL.match(_inside(value)):
            # On a field that is no date or time the word stays what it is: text (table-api §4).
            literal = self.literal(value, start, quoted=False)
            self.spans[-1] = (start, self.at, special[1].lower())
            return Special(literal.place, False, moment=special[1].lower())
        return self.literal(value, start, quoted=False)

    def literal(self, value: str, start: int, *, quoted: bool) -> Literal:
        number = not quoted and _NUMBER.match(value) is not None
        flag = value if not quoted and value in FLAGS else ""
        self.spans.append((start, self.at, flag or ("'" if quoted else "#" if number else "w")))
        self.literals.append(value)
        return Literal(len(self.literals) - 1, quoted, number, flag)

    def key(self) -> tuple[str, ...]:
        parts: list[str] = []
        at = 0
        for start, end, mark in self.spans:
            parts += (self.text[at:start], mark)
            at = end
        return (*parts, self.text[at:])


class HavingParser(Parser):
    """The grammar of `having`: a filter whose fields may also be aggregates, `COUNT(*)` or `SUM(field)`."""

    def path(self) -> tuple[str, ...]:
        found = aggregate(self.text, self.at)
        if found is None:
            return super().path()
        self.at = found[1]
        return (found[0].result,)


def _inside(value: str) -> str:
    """What stands in the parentheses round a value."""
    for _ in range(_MOST_ROUND):
        if not (value[0] == "(" and value[-1] == ")" and len(value) > 2):
            break
        value = value[1:-1].strip() or value
    return value
