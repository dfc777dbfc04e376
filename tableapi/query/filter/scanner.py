"""Scan the words and values of a filter, for the recursive descent parser."""

from __future__ import annotations

import re
from typing import NoReturn

from tableapi.errors import BadFilter
from tableapi.query.filter.ast import FLAGS, Literal, Param, Special, Value, Word
from tableapi.query.limits import FilterLimits
from tableapi.query.names import skip

_WORD = re.compile(r"[^\W\d]\w*+")
_PARAM = re.compile(r":([^\W\d]\w*+)(?=[\s),]|\Z)")
LOGIC = re.compile(r"(?:AND|OR|NOR|XOR)(?![\w$])|&&|\|\|", re.IGNORECASE)
AFTER_QUOTE = re.compile(r"\s*+(?:\Z|[),]|(?:AND|OR|NOR|XOR)(?![\w$])|&&|\|\|)", re.IGNORECASE)
LOGIC_OR_USING = re.compile(r"(?:AND|OR|NOR|XOR|USING)(?![\w$])|&&|\|\|", re.IGNORECASE)
AFTER_SEARCH = re.compile(r"\s*+(?:\Z|[),]|(?:AND|OR|NOR|XOR|USING)(?![\w$])|&&|\|\|)", re.IGNORECASE)
NUMBER = re.compile(r"[+-]?\d++(?:\.\d++)?\Z", re.ASCII)
_SPECIAL = re.compile(r"(now|current_date|current_timestamp)(?:\s*+\(\s*+\))?\Z", re.IGNORECASE)
MAX_PARENTHESES = 10  # around the current date or time


class Scanner:
    """Reads the words and values of one filter.

    literals: the values, in order; those of an IN list form one list. spans: (start, end, placeholder) of each value in
    the text. lists: the first and last span of each such list, and its placeholder.
    """

    def __init__(self, text: str, limits: FilterLimits) -> None:
        self.text, self.limits = text, limits
        self.at = 0
        self.literals: list[str | list[str]] = []
        self.spans: list[tuple[int, int, str]] = []
        self.lists: list[tuple[int, int, str]] = []
        self.logic, self.after_quote = LOGIC, AFTER_QUOTE  # the end of a value

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        """Raise BadFilter with a position, by default the current one."""
        raise BadFilter(message, self.at if at is None else at)

    def skip_blanks(self) -> None:
        """Skip white space."""
        self.at = skip(self.text, self.at)

    def peek(self) -> str:
        """Return the next non-space character, or ""."""
        self.skip_blanks()
        return self.text[self.at : self.at + 1]

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

    def param(self) -> Param | None:
        """Parse a named value, if there is one here."""
        self.skip_blanks()
        match = _PARAM.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return Param(match[1])

    def list(self, word: str = "IN") -> tuple[Value, ...]:
        """Parse the list of IN: values in parentheses, or one named value."""
        if (param := self.param()) is not None:
            return (param,)
        if self.text[self.at : self.at + 1] != "(":
            self.fail(f"Expected a list in parentheses after {word}")
        self.at += 1
        values: list[Value] = []
        if self.peek() == ")":
            self.at += 1
            return ()
        while True:
            values.append(self.value(in_list=True))
            if len(values) > self.limits.values:
                self.fail(f"The list has more than {self.limits.values} values")
            sign = self.peek()
            self.at += 1
            if sign == ")":
                return tuple(values)
            if sign != ",":
                self.at -= 1
                self.fail("A closing parenthesis is missing" if not sign else "Expected a comma")

    def in_list(self) -> tuple[Value, ...]:
        """Parse the list of IN.

        Its plain values become one literal, so that the statement binds them as one array.
        """
        place, first = len(self.literals), len(self.spans)
        values = self.list()
        plain = [value for value in values if type(value) is Literal]
        if not plain or len(plain) < sum(not isinstance(value, Word) for value in values):
            return values  # a named value or a moment is bound on its own
        if all(value.flag for value in plain):
            different: dict[str, Value] = {}
            for value in values:
                different.setdefault(value.flag if isinstance(value, Literal) else "null", value)
            return tuple(different.values())
        null = tuple(value for value in values if isinstance(value, Word))[:1]
        number = all(value.number for value in plain)
        self.lists.append((first, len(self.spans) - 1, ("n" if number else "t") + ("0" if null else "")))
        self.literals[place:] = [[str(text) for text in self.literals[place:]]]
        return (Literal(place, False, number, listed=True), *null)

    def listed(self, word: str) -> Value:
        """Parse a list in parentheses as one literal, or a single value."""
        if self.peek() != "(":
            return self.value()
        start = self.at
        inner = Scanner(self.text, self.limits)
        inner.at = start
        inner.list(word)
        self.at = inner.at
        self.spans.append((start, self.at, "l"))
        self.literals.append(self.text[start : self.at])
        return Literal(len(self.literals) - 1, False, listed=True)

    def listed_or_text(self, word: str) -> Value:
        """Parse the value of CONTAINS, marking the literal if it is exactly a list."""
        if self.peek() != "(":
            return self.value()
        start = self.at
        try:
            whole = Scanner(self.text, self.limits)
            whole.at = start
            whole.list(word)
        except BadFilter:
            return self.value()
        return self.listed(word) if self.after_quote.match(self.text, whole.at) else self.value()

    def value(self, in_list: bool = False) -> Value:
        """Parse a value: quoted, named or bare."""
        self.skip_blanks()
        first = self.text[self.at : self.at + 1]
        if first in ("'", '"'):
            return self.quoted(first)
        return self.param() or self.word(in_list)

    def quoted(self, quote: str) -> Literal:
        """Parse a quoted value. A doubled quote stands for one quote.

        A quote that is not followed by the end, `)`, `,` or a logic word is a plain character.
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
            elif self.after_quote.match(text, end + 1):
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
                if depth == 0 and self.logic.match(text, after):
                    break
                at = after
                continue
            elif depth == 0 and in_list and sign == ",":
                break
            at += 1
        value = text[start:at].rstrip()
        if not value:
            before = text[:start].split()
            last = before[-1] if before and not in_list else ""
            shown = last.upper() if last.isalpha() else f"'{last}'"
            self.fail(f"A value is missing after {shown}" if last and len(last) <= 20 else "Expected a value")
        self.at = start + len(value)
        if value.lower() == "null":
            return Word("null")
        if special := _SPECIAL.match(_inside(value)):
            # For fields other than dates and times, the word is plain text.
            literal = self.literal(value, start, quoted=False)
            self.spans[-1] = (start, self.at, special[1].lower())
            return Special(literal.place, False, moment=special[1].lower())
        return self.literal(value, start, quoted=False)

    def literal(self, value: str, start: int, *, quoted: bool) -> Literal:
        """Add a literal and its span, and return the node for it."""
        number = not quoted and NUMBER.match(value) is not None
        flag = value if not quoted and value in FLAGS else ""
        self.spans.append((start, self.at, flag or ("'" if quoted else "#" if number else "w")))
        self.literals.append(value)
        return Literal(len(self.literals) - 1, quoted, number, flag)

    def key(self) -> tuple[str, ...]:
        """Return the text with placeholders for the literals, in parts."""
        parts: list[str] = []
        at = first = 0
        for place, last, mark in (*self.lists, (len(self.spans), len(self.spans) - 1, "")):
            for start, end, single in self.spans[first:place]:
                parts += (self.text[at:start], single)
                at = end
            if mark:
                parts += (self.text[at : self.spans[place][0]], mark)
                at = self.spans[last][1]
            first = last + 1
        return (*parts, self.text[at:])


def items(text: str, limits: FilterLimits) -> list[str | None]:
    """Parse the values of a list in parentheses; null becomes None.

    Raises:
        BadFilter: the text is not a list.
    """
    scanner = Scanner(text, limits)
    values = scanner.list()
    return [str(scanner.literals[value.place]) if isinstance(value, Literal) else None for value in values]


def _inside(value: str) -> str:
    """Strip the parentheses around a value."""
    for _ in range(MAX_PARENTHESES):
        if not (value[0] == "(" and value[-1] == ")" and len(value) > 2):
            break
        value = value[1:-1].strip() or value
    return value
