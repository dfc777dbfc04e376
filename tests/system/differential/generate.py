"""Random reads, each as options of the table API and as SQL written independently of the engine."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

from tests.system.differential.models import Model, Source

WORDS = ["a", "b", "c", "gold", "silver", "cat", "Oslo", "open", "good", "Title 1", "Ada", "it's", "100%", "a_b"]
PATTERNS = ["^A", "o+", "[0-9]$", "a|b", "^.{4}$", "(c|d)"]
UNITS = ["year", "quarter", "month", "week", "day"]
# Options by which a read returns only some of the matching records, or matches others.
OF_READS = {
    "limit": "3", "top": "1", "offset": "2", "skip": "1", "cursor": "", "group": "id", "having": "COUNT(*) > 1",
    "timezone": "Asia/Tokyo",
}  # fmt: skip
COMPARE = ["=", "!=", "<", "<=", ">", ">="]
AGGREGATES = ["COUNT", "SUM", "MIN", "MAX"]


@dataclass
class Read:
    """One read: a table, its options, and a query with the same rows as JSON."""

    table: str
    options: dict[str, str]
    sql: str
    count: str = ""  # the query of `meta.count`, if the options ask for it
    function: bool = False  # whether the rows are read through a function that returns those of the table


@dataclass
class Selection:
    """A table, a filter, and the same condition in SQL on the alias `t`.

    options: further ones that change which records match. of_reads: those that only a read may have.
    """

    table: str
    filter: str
    sql: str
    options: dict[str, str] = field(default_factory=dict)
    of_reads: dict[str, str] = field(default_factory=dict)


@dataclass
class Generator:
    """Makes reads of one model.

    newest: include features newer than the recording of tests/system/replay, which must repeat its requests.
    """

    model: Model
    random: random.Random
    aliases: int = 0
    newest: bool = False
    _tables: list[str] = field(default_factory=list)
    _narrowed: dict[str, tuple[str, str]] | None = None  # filters of relations, with `@` as the alias in their SQL

    def read(self) -> Read:
        """Return a list, with or without groups."""
        self.aliases = 0
        name = self.random.choice(list(self.model.tables))
        source = self.model.tables[name]
        if self.newest and (source.key,) == source.identity and self.random.random() < 0.3:
            return self._page(name, source)
        if self.newest and (source.key,) == source.identity and self.random.random() < 0.2:
            return self._distinct(name, source)
        if self.newest and self.random.random() < 0.1:
            return self._of_function(name, source)
        return self._groups(name, source) if self.random.random() < 0.2 else self._list(name, source)

    def selection(self) -> Selection:
        """Return a filter through relations with the filters of these relations, for every verb."""
        self.aliases, self._narrowed = 0, {} if self.newest else None
        name = self.random.choice([name for name, source in self.model.tables.items() if source.one or source.many])
        wire, condition = self._through(self.model.tables[name], "t", 2)
        options = {f"{relation}.filter": text for relation, (text, _) in (self._narrowed or {}).items() if text}
        drawn = self.newest and self.random.random() < 0.2
        of_reads = [self.random.choice(list(OF_READS.items()))] if drawn else []
        return Selection(name, wire, condition, options, dict(of_reads))

    def _through(self, source: Source, alias: str, depth: int) -> tuple[str, str]:
        """Return a condition of which at least one part leads through a relation."""
        if source.many and self.random.random() < 0.3:
            text, sql = self._aggregate(source, alias)
            sign, number = self.random.choice(COMPARE), self.random.randint(0, 40)
            related = f"{text} {sign} {number}", f"({sql} {sign} {number})"
        else:
            related = self._related(source, alias, "", 2)
        if not depth or self.random.random() < 0.4:
            return related
        (a, sa), (b, sb) = related, self.condition(source, alias, depth - 1)
        return self.random.choice(
            [
                (f"({a}) AND ({b})", f"(({sa}) and ({sb}))"),
                (f"({b}) OR ({a})", f"(({sb}) or ({sa}))"),
                (f"NOT ({a})", f"(not ({sa}))"),
                (f"NOT (({a}) AND ({b}))", f"(not (({sa}) and ({sb})))"),
            ]
        )

    def _list(self, name: str, source: Source) -> Read:
        fields = [self.value(source, "t") for _ in range(self.random.randint(1, 3))]
        if self.newest and source.key == "id" and source.many and self.random.random() < 0.3:
            fields.append(self._of_related(source))
        wire, condition = self.condition(source, "t", 3)
        order = [(*self.value(source, "t"), self._direction()) for _ in range(self.random.randint(0, 2))]
        columns = ", ".join(f"{sql} as n{n}" for n, (_, sql) in enumerate(fields))
        ordered = ", ".join([f"{sql}{direction}" for _, sql, direction in order] + [f"t.{source.key}"])
        options = {
            "fields": ",".join(f"{text} AS n{n}" for n, (text, _) in enumerate(fields)),
            "filter": wire,
            "order": ",".join(f"{text}{direction}" for text, _, direction in order),
        }
        limit = ""
        if source.key == "id" and self.random.random() < 0.3:
            size, skip = self.random.randint(1, 20), self.random.randint(0, 10)
            options |= {"limit": str(size), "offset": str(skip)}
            limit = f" limit {size} offset {skip}"
        if source.key != "id":  # rows that are equal in the order are equal as a whole
            most = len(fields) if self.newest else 1
            options["order"] = ",".join(text for text, _ in fields[:most])
            ordered = ",".join(str(number + 1) for number in range(most))
        return Read(name, options, f"select {columns} from {name} t where {condition} order by {ordered}{limit}")

    def _distinct(self, name: str, source: Source) -> Read:
        """Return the first record of each combination of values, and their number."""
        wire, condition = self.condition(source, "t", 2)
        columns = dict.fromkeys(self._plain(source, "t")[0] for _ in range(self.random.randint(1, 2)))
        given = [f"{column}{self._direction()}" for column in columns]
        sent = given[: self.random.randint(0, len(given))]  # the rest is added, in ascending order
        others = [(*self.value(source, "t"), self._direction()) for _ in range(self.random.randint(0, 2))]
        others = others if len(sent) == len(given) else []
        terms = [*sent, *list(columns)[len(sent) :]]
        ordered = ", ".join(
            [f"t.{term}" for term in terms] + [f"{sql}{way}" for _, sql, way in others] + [f"t.{source.key}"]
        )
        different = ", ".join(f"t.{column}" for column in columns)
        size, skip = self.random.randint(1, 30), self.random.randint(0, 5)
        options = {
            "fields": f"{source.key} AS k,{','.join(columns)}",
            "filter": wire,
            "distinct": ",".join(columns),
            "order": ",".join([*sent, *(f"{text}{way}" for text, _, way in others)]),
            "limit": str(size),
            "offset": str(skip),
            "include_count": "true",
        }
        rows = f"select distinct on ({different}) t.{source.key} as k, {different} from {name} t where {condition}"
        return Read(
            name, options, f"{rows} order by {ordered} limit {size} offset {skip}",
            count=f"select count(*) from (select distinct {different} from {name} t where {condition}) x",
        )  # fmt: skip

    def _of_function(self, name: str, source: Source) -> Read:
        """Return a list or groups of the rows of a function, which has no key to complete an order."""
        read = self._groups(name, source) if self.random.random() < 0.3 else self._list(name, source)
        if "limit" in read.options:
            del read.options["limit"], read.options["offset"]
            read.sql = read.sql.rpartition(" limit ")[0]
        read.function = True
        return read

    def _page(self, name: str, source: Source) -> Read:
        """Return a page with window functions of its rows. Equal rows of a window are in the order of the page."""
        wire, condition = self.condition(source, "t", 2)
        fields = [self.value(source, "t") for _ in range(self.random.randint(0, 2))]
        fields += [self._window(source) for _ in range(self.random.randint(1, 3))]
        if source.many and self.random.random() < 0.2:
            fields.append(self._of_related(source))
        cursor = self.random.random() < 0.2
        pick = self._plain if cursor else self.value
        order = [(*pick(source, "t"), self._direction()) for _ in range(self.random.randint(0, 2))]
        ordered = ", ".join([f"{sql}{direction}" for _, sql, direction in order] + [f"t.{source.key}"])
        options = {
            "fields": ",".join(f"{text} AS n{n}" for n, (text, _) in enumerate(fields)),
            "filter": wire,
            "order": ",".join(f"{text}{direction}" for text, _, direction in order),
        }
        size, skip = 1000, 0
        if cursor or self.random.random() < 0.7:
            size, skip = self.random.randint(1, 25), 0 if cursor else self.random.randint(0, 10)
            options |= {"limit": str(size)} | ({"cursor": ""} if cursor else {"offset": str(skip)})
        columns = ", ".join(f"{sql} as n{n}" for n, (_, sql) in enumerate(fields))
        rows = f"select t.*, row_number() over (order by {ordered}) as place from {name} t where {condition}"
        page = f"select * from ({rows}) x order by place limit {size} offset {skip}"
        return Read(name, options, f"select {columns} from ({page}) t order by t.place")

    def _plain(self, source: Source, alias: str) -> tuple[str, str]:
        column = self._column(source, "integer", "text", "numeric", "boolean")
        return column, f"{alias}.{column}"

    def _window(self, source: Source) -> tuple[str, str]:
        """Return a window function."""
        terms = [(*self.value(source, "t"), self._direction()) for _ in range(self.random.randint(1, 2))]
        order, ordered = (", ".join(f"{term[place]}{term[2]}" for term in terms) for place in (0, 1))
        parts = [self.value(source, "t", grouped=True) for _ in range(self.random.choice([0, 0, 1, 1, 2]))]
        wire, sql = f"ORDER BY {order}", f"order by {ordered}"
        if parts:
            wire = f"PARTITION BY {', '.join(text for text, _ in parts)} {wire}"
            sql = f"partition by {', '.join(part for _, part in parts)} {sql}"
        if self.random.random() < 0.2:
            word = self.random.choice(["RANK", "DENSE_RANK"])
            return f"{word}() OVER ({wire})", f"{word}() over ({sql})"
        sql += ", t.place"
        if self.random.random() < 0.2:
            return f"ROW_NUMBER() OVER ({wire})", f"row_number() over ({sql})"
        numbers = [column for column, kind in source.columns.items() if kind in ("integer", "numeric")]
        if numbers and self.random.random() < 0.5:
            column, function = self.random.choice(numbers), self.random.choice([*AGGREGATES, "AVG"])
            filtered, condition = "", ""
            if self.random.random() < 0.3:
                text, condition = self.condition(source, "t", 1)
                filtered, condition = f" FILTER (WHERE {text})", f" filter (where {condition})"
            running = f"{function}(t.{column}){condition} over ({sql} rows unbounded preceding)"
            return f"{function}({column}){filtered} OVER ({wire})", running
        text, value = self._argument(source)
        if self.random.random() < 0.5:
            word, rows = self.random.choice(["LAG", "LEAD"]), self.random.randint(1, 3)
            return f"{word}({text}, {rows}) OVER ({wire})", f"{word}({value}, {rows}) over ({sql})"
        word = self.random.choice(["FIRST_VALUE", "LAST_VALUE"])
        whole = "rows between unbounded preceding and unbounded following"
        return f"{word}({text}) OVER ({wire})", f"{word}({value}) over ({sql} {whole})"

    def _argument(self, source: Source) -> tuple[str, str]:
        """Return an expression without an aggregate."""
        return self.value(source, "t", grouped=True)

    def _groups(self, name: str, source: Source) -> Read:
        wire, condition = self.condition(source, "t", 2)
        key_text, key = self.value(source, "t", grouped=True)
        options = {
            "group": f"{key_text} AS k",
            "fields": f"{key_text} AS k,COUNT(*) AS n",
            "filter": wire,
            "order": "k",
        }
        columns = f"{key} as k, count(*) as n"
        numbers = [column for column, kind in source.columns.items() if kind in ("integer", "numeric")]
        if numbers:
            column, function = self.random.choice(numbers), self.random.choice(AGGREGATES)
            options["fields"] += f",{function}({column}) AS s"
            columns += f", {function}(t.{column}) as s"
        if self.newest and self.random.random() < 0.5:
            part, sql = self._filtered(source, numbers)
            options["fields"] += f",{part} AS f"
            columns += f", {sql} as f"
        if self.newest and numbers and self.random.random() < 0.3:
            column, share = self.random.choice(numbers), self.random.choice(["0", "0.1", "0.5", "0.75", "1"])
            options["fields"] += f",PERCENTILE({column}, {share}) AS p"
            columns += f", percentile_cont({share}) within group (order by t.{column}) as p"
        keys = "1"
        if self.newest and self.random.random() < 0.4:
            text, sql = self._second_key(source)
            options |= {"group": f"{options['group']},{text} AS k2", "order": "k,k2"}
            options["fields"] = f"{text} AS k2,{options['fields']}"
            columns, keys = f"{sql} as k2, {columns}", "2, 1"
        return Read(name, options, f"select {columns} from {name} t where {condition} group by {keys} order by {keys}")

    def _second_key(self, source: Source) -> tuple[str, str]:
        """Return a cast, or a column that may also be cast in the first key."""
        choice = self.random.random()
        if choice < 0.3 and (column := self._column(source, "numeric", "integer")):
            return f"CAST({column} AS integer)", f"t.{column}::integer"
        if choice < 0.6 and (column := self._column(source, "date", "timestamptz")):
            return f"CAST({column} AS date)", f"t.{column}::date"
        if choice < 0.8 and (column := self._column(source, "boolean", "numeric")):
            return f"CAST({column} AS text)", f"t.{column}::text"
        return self._plain(source, "t")

    def _filtered(self, source: Source, numbers: list[str]) -> tuple[str, str]:
        """Return an aggregate with a FILTER."""
        wire, condition = self.condition(source, "t", 1)
        if not numbers or self.random.random() < 0.3:
            return f"COUNT(*) FILTER (WHERE {wire})", f"count(*) filter (where {condition})"
        column, function = self.random.choice(numbers), self.random.choice(AGGREGATES)
        return f"{function}({column}) FILTER ({wire})", f"{function}(t.{column}) filter (where {condition})"

    def _direction(self) -> str:
        return self.random.choice(["", " desc", " nulls first", " desc nulls last"])

    # -- values ------------------------------------------------------------------------------------------------------

    def value(self, source: Source, alias: str, *, grouped: bool = False) -> tuple[str, str]:
        """Return an expression of a row that can be ordered by."""
        choice = self.random.random()
        if source.one and choice < 0.2:
            name, link = self.random.choice(list(source.one.items()))
            other = self._alias()
            column = self._column(self.model.tables[link.target], "integer", "text", "numeric")
            join = link.join.format(a=alias, b=other)
            return f"{name}.{column}", f"(select {other}.{column} from {link.target} {other} where {join})"
        if source.many and choice < 0.4 and not grouped:
            return self._aggregate(source, alias)
        if choice < 0.6 and (column := self._column(source, "date", "timestamptz")):
            unit = self.random.choice(UNITS)
            return f"{unit.upper()}({column})", self._start(unit, source, column, alias)
        if choice < 0.7 and (column := self._column(source, "integer", "numeric", "boolean")):
            return f"CAST({column} AS text)", f"{alias}.{column}::text"
        if choice < 0.75 and (column := self._column(source, "json")):
            return f"{column}.tier", f"nullif({alias}.{column} #> '{{tier}}', 'null')"
        if choice < 0.8 and (column := self._column(source, "integers")):
            return f"{column}.0", f"{alias}.{column}[1]"
        column = self._column(source, "integer", "text", "numeric", "boolean")
        return column, f"{alias}.{column}"

    def _start(self, unit: str, source: Source, column: str, alias: str) -> str:
        cast = "::timestamp" if source.columns[column] == "date" else ""
        return f"date_trunc('{unit}', {alias}.{column}{cast})::date"

    def _aggregate(self, source: Source, alias: str) -> tuple[str, str]:
        """Return an aggregate of related rows."""
        name, link = self.random.choice(list(source.many.items()))
        other, target = self._alias(), self.model.tables[link.target]
        column, function = self._column(target, "integer", "numeric"), self.random.choice(AGGREGATES)
        text, inner = f"{function}({column})", f"{function}({other}.{column})"
        if function == "COUNT":
            text, inner = self.random.choice(
                [
                    ("COUNT(*)", "count(*)"),
                    (text, inner),
                    (f"COUNT(DISTINCT {column})", f"count(distinct {other}.{column})"),
                ]
            )
        join = link.join.format(a=alias, b=other) + self._narrowing(name, target, alias, other)
        return f"{name}.{text}", f"(select {inner} from {link.target} {other} where {join})"

    def _narrowing(self, relation: str, target: Source, alias: str, other: str) -> str:
        """Return the SQL of `<relation>.filter`, which is the same in all aggregates of a selection."""
        if self._narrowed is None or alias != "t":
            return ""
        if relation not in self._narrowed:
            drawn = self.random.random() < 0.5
            self._narrowed[relation] = self.condition(target, "@", 1) if drawn else ("", "")
        sql = self._narrowed[relation][1]
        return f" and ({sql.replace('@.', f'{other}.')})" if sql else ""

    def _of_related(self, source: Source) -> tuple[str, str]:
        """Return an aggregate of related rows with a FILTER, or a percentile."""
        name, link = self.random.choice(list(source.many.items()))
        other, target = self._alias(), self.model.tables[link.target]
        column, join = self._column(target, "integer", "numeric"), link.join.format(a="t", b=other)
        if self.random.random() < 0.4:
            share = self.random.choice(["0", "0.25", "0.5", "0.9", "1"])
            inner = f"percentile_cont({share}) within group (order by {other}.{column})"
            return f"{name}.PERCENTILE({column}, {share})", f"(select {inner} from {link.target} {other} where {join})"
        text, condition = self.condition(target, other, 1)
        function = self.random.choice(AGGREGATES)
        inner = f"{function}({other}.{column}) filter (where {condition})"
        wire = f"{name}.{function}({column}) FILTER (WHERE {text})"
        return wire, f"(select {inner} from {link.target} {other} where {join})"

    def _alias(self) -> str:
        self.aliases += 1
        return f"o{self.aliases}"

    def _column(self, source: Source, *kinds: str) -> str:
        names = [name for name, kind in source.columns.items() if kind in kinds]
        return self.random.choice(names) if names else ""

    # -- conditions --------------------------------------------------------------------------------------------------

    def condition(self, source: Source, alias: str, depth: int) -> tuple[str, str]:
        """Return a condition on the rows of a table, in the grammar of filters and in SQL."""
        choice = self.random.random()
        if depth and choice < 0.3:
            (a, sa), (b, sb) = self.condition(source, alias, depth - 1), self.condition(source, alias, depth - 1)
            return self.random.choice(
                [
                    (f"({a}) AND ({b})", f"(({sa}) and ({sb}))"),
                    (f"({a}) OR ({b})", f"(({sa}) or ({sb}))"),
                    (f"({a}) XOR ({b})", f"(({sa})::boolean <> ({sb})::boolean)"),
                    (f"({a}) NOR ({b})", f"(not (({sa}) or ({sb})))"),
                    (f"NOT ({a})", f"(not ({sa}))"),
                ]
            )
        if depth and choice < 0.45 and (source.one or source.many):
            return self._related(source, alias, "", 1)
        if source.many and choice < 0.55:
            text, sql = self._aggregate(source, alias)
            sign, number = self.random.choice(COMPARE), self.random.randint(0, 40)
            return f"{text} {sign} {number}", f"{sql} {sign} {number}"
        return self._simple(source, alias, "")

    def _related(self, source: Source, alias: str, prefix: str, steps: int) -> tuple[str, str]:
        """Return a condition on a related row, at most this many relations away."""
        links = source.one | source.many
        name = self.random.choice(list(links))
        link, other = links[name], self._alias()
        target, path = self.model.tables[link.target], f"{prefix}{name}."
        if steps > 1 and (target.one or target.many) and self.random.random() < 0.5:
            text, sql = self._related(target, other, path, steps - 1)
        else:
            text, sql = self._simple(target, other, path)
        return text, f"exists (select from {link.target} {other} where {link.join.format(a=alias, b=other)} and {sql})"

    def _simple(self, source: Source, alias: str, prefix: str) -> tuple[str, str]:
        """Return a condition on one column."""
        column = self.random.choice(list(source.columns))
        kind = source.columns[column]
        text, sql = getattr(self, f"_{kind}")(f"{prefix}{column}", f"{alias}.{column}")
        return text, f"({sql})"

    def _any(self, name: str, sql: str, text: str, literal: str) -> tuple[str, str]:
        """Return a condition that every type has."""
        negated = self.random.choice(["", "not "])
        sign = self.random.choice(COMPARE)
        return self.random.choice(
            [
                (f"{name} IS {negated.upper()}NULL", f"{sql} is {negated}null"),
                (f"{name} IS {negated.upper()}DISTINCT FROM {text}", f"{sql} is {negated}distinct from {literal}"),
                (f"{name} {sign} {text}", f"{sql} {sign} {literal}"),
                (f"{name} {negated.upper()}IN ({text},{text})", f"{sql} {negated}in ({literal})"),
            ]
        )

    def _integer(self, name: str, sql: str) -> tuple[str, str]:
        low, high = sorted(self.random.choice([0, 1, 2, 3, 5, 10, 38, 150, 200]) for _ in range(2))
        if self.random.random() < 0.2:
            return f"{name} BETWEEN {low} AND {high}", f"{sql} between {low} and {high}"
        return self._any(name, sql, str(low), str(low))

    def _numeric(self, name: str, sql: str) -> tuple[str, str]:
        if self.random.random() < 0.2:
            return f"CAST({name} AS integer) > 20", f"{sql}::integer > 20"
        number = self.random.choice(["4.5", "10.50", "20", "0", "75000", "-1"])
        return self._any(name, sql, number, number)

    def _text(self, name: str, sql: str) -> tuple[str, str]:
        word = self.random.choice(WORDS)
        quoted = "'" + word.replace("'", "''") + "'"
        escaped = quoted.replace("%", "\\%").replace("_", "\\_")
        pattern = self.random.choice(PATTERNS)
        sign = self.random.choice(["~", "~*", "!~", "!~*"])
        return self.random.choice(
            [
                self._any(name, sql, quoted, quoted),
                (f"{name} {sign} '{pattern}'", f"{sql} {sign} '{pattern}'"),
                (f"{name} CONTAINS {quoted}", f"{sql} like '%' || {escaped} || '%'"),
                (f"{name} NOT STARTS WITH {quoted}", f"{sql} not like {escaped} || '%'"),
                (f"{name} ILIKE '%{pattern[-1]}%'", f"{sql} ilike '%{pattern[-1]}%'"),
                (
                    f"{name} MATCHES 'cat or dog' USING english",
                    f"to_tsvector('english', {sql}) @@ websearch_to_tsquery('english', 'cat or dog')",
                ),
            ]
        )

    def _boolean(self, name: str, sql: str) -> tuple[str, str]:
        word, negated = self.random.choice(["true", "false", "unknown"]), self.random.choice(["", "not "])
        value = self.random.choice(["true", "false"])
        return self.random.choice(
            [
                (f"{name} IS {negated}{word}", f"{sql} is {negated}{word}"),
                (f"{name} IS {negated}DISTINCT FROM {value}", f"{sql} is {negated}distinct from {value}"),
                (f"{name} = {value}", f"{sql} = {value}"),
            ]
        )

    def _date(self, name: str, sql: str, cast: str = "::timestamp") -> tuple[str, str]:
        day, unit = (
            self.random.choice(["2024-01-01", "2024-03-01", "2026-05-01", "1999-05-01"]),
            self.random.choice(UNITS),
        )
        if self.random.random() < 0.5:
            sign = self.random.choice(COMPARE)
            part = f"{name.rpartition('.')[0]}{'.' if '.' in name else ''}{unit.upper()}({name.rpartition('.')[2]})"
            return f"{part} {sign} {day}", f"date_trunc('{unit}', {sql}{cast})::date {sign} '{day}'"
        return self._any(name, sql, day, f"'{day}'")

    def _timestamptz(self, name: str, sql: str) -> tuple[str, str]:
        return self._date(name, sql, "")

    def _texts(self, name: str, sql: str) -> tuple[str, str]:
        return self._array(name, sql, [self.random.choice("abcd") for _ in range(self.random.randint(0, 2))], "text")

    def _integers(self, name: str, sql: str) -> tuple[str, str]:
        return self._array(
            name, sql, [str(self.random.randint(0, 4)) for _ in range(self.random.randint(0, 2))], "integer"
        )

    def _array(self, name: str, sql: str, items: list[str], element: str) -> tuple[str, str]:
        quoted = ",".join(f"'{item}'" for item in items)
        array = f"array[{quoted}]::{element}[]"
        word, sign = self.random.choice([("CONTAINS", "@>"), ("CONTAINED BY", "<@"), ("OVERLAPS", "&&")])
        negated = self.random.choice(["", "NOT "])
        if items and self.random.random() < 0.3:
            place = self.random.randint(0, 2)
            return f"{name}.{place} = '{items[0]}'", f"{sql}[{place + 1}] = '{items[0]}'"
        return f"{name} {negated}{word} ({','.join(items)})", f"{negated} {sql} {sign} {array}"

    def _range(self, name: str, sql: str) -> tuple[str, str]:
        low = self.random.randint(0, 15)
        span = f"'[{low},{low + self.random.randint(1, 6)})'"
        word, sign = self.random.choice(
            [("OVERLAPS", "&&"), ("BEFORE", "<<"), ("AFTER", ">>"), ("ADJACENT TO", "-|-"), ("CONTAINS", "@>"),
             ("CONTAINED BY", "<@")]
        )  # fmt: skip
        if self.random.random() < 0.3:
            return f"{name} CONTAINS {low}", f"{sql} @> {low}"
        return f"{name} {word} {span}", f"{sql} {sign} {span}::int4range"

    def _json(self, name: str, sql: str) -> tuple[str, str]:
        number, sign = self.random.randint(0, 9), self.random.choice(COMPARE)
        value = json.dumps({"tier": self.random.choice(["gold", "silver"])})
        typed = f"case when jsonb_typeof({sql} #> '{{n}}') = 'number' then ({sql} #>> '{{n}}')::numeric end"
        return self.random.choice(
            [
                (f"{name}.n {sign} {number}", f"{typed} {sign} {number}"),
                (f"{name}.tier = gold", f"{sql} #>> '{{tier}}' = 'gold'"),
                (f"{name}.tier IS DISTINCT FROM 'gold'", f"({sql} #>> '{{tier}}') is distinct from 'gold'"),
                (f"{name}.list.0 IN (1,2)", f"({sql} #>> '{{list,0}}') in ('1', '2')"),
                (f"{name} CONTAINS JSON '{value}'", f"{sql} @> '{value}'"),
            ]
        )
