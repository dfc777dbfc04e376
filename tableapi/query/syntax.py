"""The syntax of expressions: a path to a field, a function of it, and an alias. Independent of tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from tableapi.errors import BadRequest
from tableapi.query.names import FUNCTIONS, path, plain, quoted, skip, split
from tableapi.query.spelling import choices, suggestion

DATE_PARTS = frozenset(("year", "quarter", "month", "week", "day", "hour"))
OF_TEXT = frozenset(("rank", "highlight"))
RANKINGS = frozenset(("row_number", "rank", "dense_rank"))  # of rows; RANK(f) with a field is one of OF_TEXT
OF_OTHER_ROWS = frozenset(("lag", "lead", "first_value", "last_value"))
# Of a field and a value: the smallest are the nearest, and an index may order by them.
DISTANCES = frozenset(("distance", "cosine_distance", "l1_distance", "negative_inner_product"))
OF_VALUE = DISTANCES | {"similar"}
KNOWN = FUNCTIONS | DATE_PARTS | OF_TEXT | RANKINGS | OF_OTHER_ROWS | OF_VALUE | {"cast"}
_WORD = re.compile(r"[^\W\d]\w*+")
_STEP = re.compile(r"\d{1,9}+(?![\w$])|[^\W\d][\w$]*+")
_CALL = re.compile(r"([^\W\d]\w*+)\s*+\(")
_AS = re.compile(r"\s++AS\s++(?=\S)", re.IGNORECASE)
_VALUE = re.compile(r"\s*+,\s*+(?:'((?:[^']|'')*+)'|(:[^\W\d]\w*+))")
_DISTINCT = re.compile(r"DISTINCT\s++(?=\S)", re.IGNORECASE)
_FILTER = re.compile(r"\s*+FILTER\s*+\(\s*+(?:WHERE(?=[\s(])\s*+)?", re.IGNORECASE)
_OVER = re.compile(r"\s*+OVER\b\s*+", re.IGNORECASE)
_AFTER_CALL = re.compile(r"\)\s*+OVER\b", re.IGNORECASE)
_PARTITION = re.compile(r"PARTITION\s++BY\b\s*+", re.IGNORECASE)
_FRAME = re.compile(r"\b(?:ROWS|RANGE|GROUPS)\s++(?:BETWEEN|UNBOUNDED|CURRENT|\d)", re.IGNORECASE)
_ORDER = re.compile(
    r"""'(?:[^']|'')*+'|"[^"]*+"|`[^`]*+`|\[[^\]]*+\]|(?P<order>(?<![\w$])ORDER\s++BY\b\s*+)""", re.IGNORECASE
)
_ROWS = re.compile(r"\s*+,\s*+(\d{1,4}+)\s*+(?=\))")
_FRACTION = re.compile(r"\s*+,\s*+(\d{1,9}+(?:\.\d{1,9}+)?+)\s*+(?=\))")
MAX_ALIAS_CHARS = 100
RESERVED = "tableapi "  # prefix of columns that statements add internally
MAX_FUNCTIONS = 3  # nesting; two make sense, and a third one is reported


@dataclass(frozen=True, slots=True)
class Over:
    """The window of a function, as texts: what separates the rows of a page, or "", and their order."""

    partition: str
    order: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a field.

    argument: the type of a cast, "distinct", the fraction of a percentile, the value of a distance (`:name`, or a text
    after one quote), how many rows away LAG and LEAD look, or "rows" for a ranking. through: the relations before an
    aggregate, to the rows that it reads. inner: a function that is applied first. where: the condition of the rows that
    an aggregate reads. over: the window, if it has one.
    """

    name: str
    argument: str = ""
    through: tuple[str, ...] = ()
    inner: Function | None = None
    where: str = ""
    over: Over | None = None

    @property
    def aggregates(self) -> bool:
        """Whether it makes one value of several rows."""
        return self.name in FUNCTIONS and self.over is None

    @property
    def needs_window(self) -> bool:
        """Whether it exists with OVER only."""
        return self.name in OF_OTHER_ROWS or (self.name in RANKINGS and self.argument == "rows")


@dataclass(frozen=True, slots=True)
class Term:
    """A path of relations and a field, with an optional function. The path ("*",) stands for the rows."""

    path: tuple[str, ...]
    function: Function | None = None

    @property
    def plain(self) -> bool:
        """Whether it is a field of the table itself, or could be one."""
        return self.function is None and len(self.path) == 1

    @property
    def aggregates(self) -> bool:
        """Whether it aggregates rows of the request rather than related rows."""
        return self.function is not None and self.function.aggregates and not self.function.through


@dataclass(frozen=True, slots=True)
class Selected:
    """One part of option `fields`: its text as sent, its term, and its name in the response or ""."""

    text: str
    term: Term | None
    alias: str


def parse(text: str, at: int = 0, depth: int = 0) -> tuple[Term, int] | None:
    """Parse a term at this position; return it and the position after it, or None if there is none.

    depth: the number of enclosing functions. At most an aggregate of a function is a term.
    """
    names: list[str] = []
    while True:
        if depth < MAX_FUNCTIONS and (call := _call(text, at, depth)) is not None:
            return _through(tuple(names), call[0]), call[1]
        step = _step(text, at, first=not names)
        if step is None:
            return None
        name, at = step
        names.append(name)
        if text[at : at + 1] != ".":
            return Term(tuple(names)), at
        at += 1


def whole(text: str) -> Term | None:
    """Parse a text that consists of one term, or return None."""
    parsed = parse(text)
    return parsed[0] if parsed is not None and parsed[1] == len(text) else None


def selected(text: str) -> list[Selected]:
    """Parse option `fields`, without duplicates.

    Raises:
        BadRequest: an alias is not a name.
    """
    parts: dict[str, Selected] = {}
    for part in split(text):
        if part and plain(part) not in parts:
            parts[plain(part)] = _selected(part)
    return list(parts.values())


@lru_cache(maxsize=256)
def computed(fields: str | None) -> bool:
    """Return whether option `fields` may contain more than names."""
    return fields is not None and any(not _is_name(part) for part in selected(fields))


def _is_name(part: Selected) -> bool:
    if part.alias:
        return False
    return part.term.plain if part.term is not None else not called(part.text)


def windowed(fields: str | None) -> bool:
    """Return whether option `fields` has a window function."""
    terms = (part.term for part in selected(fields or ""))
    return any(term is not None and term.function is not None and term.function.over is not None for term in terms)


def called(text: str, at: int = 0) -> str:
    """Return the name of an unknown function that is called at this position, or ""."""
    match = _CALL.match(text, at)
    return "" if match is None or match[1].lower() in KNOWN else match[1][:100]


def no_function(name: str, instead: str = "") -> str:
    """Return the message for an unknown function: the closest one, `instead`, or some of those that exist."""
    known = sorted(function.upper() for function in KNOWN)
    hint = suggestion(name, known) or instead or choices(name, known, "Functions")
    return f"Unknown function '{name[:30]}'.{hint}"


def _selected(part: str) -> Selected:
    parsed = parse(part)
    if parsed is None:
        if _AFTER_CALL.search(part) is not None and not called(part):
            raise _bad_window(part)
        return Selected(plain(part), None, "")
    term, at = _over(part, *_filtered(part, *parsed))
    if at == len(part):
        if term.function is not None and term.function.over is not None:
            raise BadRequest(
                f"'{part[:100]}': a window function needs a name: {part[:50].rstrip()} AS {term.function.name}.",
                reason="bad_alias", context={"field": part[:100]},
            )  # fmt: skip
        if term.function is not None and term.function.where:
            raise BadRequest(
                f"'{part[:100]}': an aggregate with FILTER needs a name: {part[:30]} ... AS open_orders.",
                reason="bad_alias",
                context={"field": part[:100]},
            )  # fmt: skip
        return Selected(plain(part), term, "")
    if (word := _AS.match(part, at)) is None:
        if _AFTER_CALL.search(part) is not None and not called(part):
            raise _bad_window(part)
        return Selected(plain(part), None, "")
    alias = plain(part[word.end() :])
    named = alias != part[word.end() :] or path(alias) == ((alias,), len(alias))
    if not named or len(alias) > MAX_ALIAS_CHARS or "\x00" in alias or alias.lower().startswith(RESERVED):
        raise BadRequest(
            f"'{part[:100]}': AS must be followed by a name of at most {MAX_ALIAS_CHARS} characters that does not "
            f"begin with '{RESERVED}'. Quote a name with special characters.",
            reason="bad_alias",
            context={"field": part[:100]},
        )
    return Selected(part, term, alias)


def _filtered(text: str, term: Term, at: int) -> tuple[Term, int]:
    """Return an aggregate with the condition of a FILTER that comes next, and the position after it.

    Raises:
        BadRequest: the parentheses hold no condition.
    """
    if term.function is None or not term.function.aggregates or (match := _FILTER.match(text, at)) is None:
        return term, at
    start = match.end()
    end = _closing(text, start, "'")
    where = text[start:end].strip()
    if end == len(text) or not where:
        raise BadRequest(
            f"'{text[:100]}': FILTER needs a condition: COUNT(*) FILTER (WHERE status = 'open') AS open_orders.",
            reason="bad_aggregate", context={"field": text[:100]},
        )  # fmt: skip
    return replace(term, function=replace(term.function, where=where)), end + 1


def _closing(text: str, at: int, quotes: str) -> int:
    """Return the position of the parenthesis that closes the one before `at`, or the end of the text."""
    depth = 1
    while at < len(text):
        sign = text[at]
        if sign in quotes and (closing := text.find(sign, at + 1)) > 0:
            at = closing
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            break
        at += 1
    return at


def _over(text: str, term: Term, at: int) -> tuple[Term, int]:
    """Return a function with the window that comes next, if one does, and the position after it.

    Raises:
        BadRequest: OVER does not fit the function, or the window has no order.
    """
    function = term.function
    if function is None or (match := _OVER.match(text, at)) is None:
        return term, at
    if not function.aggregates and not function.needs_window:
        raise _bad_window(text, f"{function.name.upper()}(<field>) does not support OVER")
    if function.through or (function.argument == "rows" and term.path != ("*",)):
        raise _bad_window(text, "a window is over the rows of the page, not over related rows")
    if text[match.end() : match.end() + 1] != "(":
        raise _bad_window(text, "OVER must be followed by parentheses")
    end = _closing(text, match.end() + 1, "'\"`")
    window = text[match.end() + 1 : end].strip()
    if end == len(text):
        raise _bad_window(text, "the parenthesis after OVER is not closed")
    if _FRAME.search(window) is not None:
        raise _bad_window(text, "a frame clause is not supported; aggregates run to the current row")
    if _AFTER_CALL.search(window) is not None:
        raise _bad_window(text, "a window function cannot be inside another")
    order = next((found for found in _ORDER.finditer(window) if found["order"] is not None), None)
    before, terms = (window, "") if order is None else (window[: order.start()].strip(), window[order.end() :].strip())
    if not terms:
        raise _bad_window(text, "OVER needs ORDER BY")
    partition = _PARTITION.match(before)
    if before and (partition is None or partition.end() == len(before)):
        raise _bad_window(text, "only PARTITION BY with fields may come before ORDER BY")
    over = Over(before[partition.end() :] if partition is not None else "", terms)
    return replace(term, function=replace(function, over=over)), end + 1


def _bad_window(text: str, reason: str = "") -> BadRequest:
    """Build the error for a window function that cannot be parsed."""
    return BadRequest(
        f"'{text[:100]}': {reason or 'this is not a window function, or one is inside another'}. Write "
        "SUM(total) OVER (PARTITION BY customer_id ORDER BY created) AS running, or ROW_NUMBER() OVER (ORDER BY total "
        "DESC) AS place. OVER supports ROW_NUMBER(), RANK(), DENSE_RANK(), LAG(f), LEAD(f), FIRST_VALUE(f), "
        "LAST_VALUE(f), COUNT, SUM, AVG, MIN and MAX.",
        reason="bad_window",
        context={"field": text[:100]},
    )


def _through(names: tuple[str, ...], term: Term) -> Term:
    """Return a function after relations: an aggregate reads their rows, others a field."""
    function = term.function
    if not names or function is None:
        return term
    if function.aggregates:
        return replace(term, function=replace(function, through=names))
    return replace(term, path=(*names, *term.path))


def _step(text: str, at: int, *, first: bool) -> tuple[str, int] | None:
    """Return the next name of a path.

    A number is an index of a JSON list or an array, and never comes first.
    """
    if (name := quoted(text, at)) is not None:
        return name
    match = _STEP.match(text, at)
    if match is None or (first and match[0][0].isdigit()):
        return None
    return match[0], match.end()


def _call(text: str, at: int, depth: int) -> tuple[Term, int] | None:
    """Parse a function call at this position; return it and the position after it, or None."""
    word = _WORD.match(text, at)
    if word is None or (name := word[0].lower()) not in KNOWN:
        return None
    at = skip(text, word.end())
    if text[at : at + 1] != "(":
        return None
    at = skip(text, at + 1)
    if name in RANKINGS and (name != "rank" or text[at : at + 1] == ")"):
        parsed: tuple[Term, int] | None = Term(("*",), Function(name, "rows")), at
    elif name in OF_OTHER_ROWS:
        parsed = _of_another_row(name, text, at, depth + 1)
    else:
        parsed = _aggregated(name, text, at, depth + 1) if name in FUNCTIONS else _applied(name, text, at, depth + 1)
    if parsed is None:
        return None
    at = skip(text, parsed[1])
    return (parsed[0], at + 1) if text[at : at + 1] == ")" else None


def _aggregated(name: str, text: str, at: int, depth: int) -> tuple[Term, int] | None:
    """Parse an aggregate's argument; return the term and the position after it."""
    if text[at : at + 1] == "*":
        return Term(("*",), Function(name)), at + 1
    distinct = _DISTINCT.match(text, at) if name == "count" else None
    argument = "distinct" if distinct else ""
    start = distinct.end() if distinct else at
    parsed = parse(text, start, depth)
    if name == "percentile" and parsed is not None and (fraction := _FRACTION.match(text, parsed[1])) is not None:
        argument, parsed = fraction[1], (parsed[0], fraction.end())
    if parsed is not None and text[skip(text, parsed[1]) : skip(text, parsed[1]) + 1] == ")":
        term, at = parsed
        if term.function is not None and (term.function.aggregates or term.function.needs_window):
            return None
        return Term(term.path, Function(name, argument, (), term.function)), at
    end = text.find(")", at)  # an unquoted field with spaces or punctuation
    field = text[at:end].rstrip() if end >= 0 else ""
    if not field or "(" in field or "*" in field:
        return None
    return Term((field,), Function(name)), end


def _of_another_row(name: str, text: str, at: int, depth: int) -> tuple[Term, int] | None:
    """Parse the arguments of LAG and its like; return the term and the position after it."""
    parsed = parse(text, at, depth)
    if parsed is None or ((inner := parsed[0].function) is not None and (inner.aggregates or inner.needs_window)):
        return None
    term, at = parsed
    rows = "1"
    if name in ("lag", "lead") and (match := _ROWS.match(text, at)) is not None:
        rows, at = match[1], match.end()
    return Term(term.path, Function(name, rows, (), term.function)), at


def _applied(name: str, text: str, at: int, depth: int) -> tuple[Term, int] | None:
    """Parse the argument of a function of one value; return the term and the position after it."""
    parsed = parse(text, at, depth)
    if parsed is None or parsed[0].function is not None:
        return None
    term, at = parsed
    if name in OF_VALUE:
        return _from_value(name, term, text, at)
    if name != "cast":
        return Term(term.path, Function(name)), at
    word = _AS.match(text, at)
    type_ = _WORD.match(text, word.end()) if word else None
    return (Term(term.path, Function(name, type_[0].lower())), type_.end()) if type_ else None


def _from_value(name: str, term: Term, text: str, at: int) -> tuple[Term, int] | None:
    """Parse the value that a field is compared with; return the term and the position after it."""
    match = _VALUE.match(text, at)
    if match is None:
        return None
    value = match[2] or ("'" + match[1].replace("''", "'") if match[1] else "")
    return (Term(term.path, Function(name, value)), match.end()) if value else None
