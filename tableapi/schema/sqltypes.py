"""SQL expressions for values: bind a parameter of each type, and select a column as JSON output."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import operators
from sqlalchemy.types import TypeEngine, UserDefinedType

from tableapi.schema.types import KINDS, PgType

DIALECT = postgresql.asyncpg.dialect(json_serializer=orjson.dumps)
# SQLAlchemy truncates names longer than this minus six characters, to leave room for a number. Column names of up to 63
# bytes must reach the response unchanged.
DIALECT.max_identifier_length = 63 + 6


_SIGNS = {operators.eq: "=", operators.ne: "<>", operators.lt: "<", operators.le: "<=", operators.gt: ">",
          operators.ge: ">="}  # fmt: skip


class _Qualified(TypeEngine.Comparator[Any]):
    """Comparison with operators from a schema outside the search path."""

    def operate(self, op: Any, *other: Any, **more: Any) -> Any:
        if op in _SIGNS and other[0] is not None:
            return self._operator(_SIGNS[op])(other[0])
        if op is operators.in_op and isinstance(other[0], list | tuple):
            return sa.or_(*(self._operator("=")(value) for value in other[0])) if other[0] else sa.false()
        if op is operators.is_not_distinct_from:
            return sa.or_(self._operator("=")(other[0]), sa.and_(self.expr.is_(None), other[0].is_(None)))
        return super().operate(op, *other, **more)

    def _operator(self, sign: str) -> Any:
        return self.expr.op(f"OPERATOR({self.type.operators}.{sign})", is_comparison=True)  # type: ignore[attr-defined]


class Named(UserDefinedType[Any]):
    """A database type, by name, for casts."""

    cache_ok = True

    def __init__(self, name: str, operators: str = "") -> None:
        """`operators`: the schema of its operators, if not in the search path."""
        self.name, self.operators = name, operators
        if operators:
            self.comparator_factory = _Qualified

    def get_col_spec(self, **_: Any) -> str:
        """Return the name in SQL."""
        return self.name


class Native(Named):
    """A type with native values in asyncpg; its parameters are rendered as `$1::name`."""

    render_bind_cast = True


Supply = Callable[[Mapping[str, Any]], Any]  # computes a parameter's value from the caller's values


def constant_text(value: Any) -> str:
    """Return a constant of a rule in filter syntax; "" if a filter cannot contain it."""
    if isinstance(value, bool) or value is None:
        return "NULL" if value is None else str(value).lower()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, list | tuple | set | frozenset):
        return "(" + ", ".join(constant_text(item) for item in value) + ")"
    return str(value) if isinstance(value, int | float) else ""


class Supplied(Native):
    """The type of a row rule parameter; `supply` computes its value on each request.

    words: the value in words, such as `your user.company`.
    """

    cache_ok = False

    def __init__(self, name: str, supply: Supply, words: str) -> None:
        super().__init__(name)
        self.supply, self.words = supply, words


def own_type(type_: PgType) -> Named:
    """Return the SQLAlchemy type of a column."""
    if type_.kind == "other" or type_.postgis:
        return Named(type_.name, type_.operators)
    return Native(type_.name)


def quoted(name: str) -> str:
    """Quote a name for SQL where necessary."""
    return str(DIALECT.identifier_preparer.quote(name))


def call(schema: str, name: str, *args: Any, type_: TypeEngine[Any] | None = None) -> Any:
    """Build a call of a function in a schema."""
    # SQLAlchemy does not quote a schema for its capital letters, so it gets quoted names.
    package, own = (sa.sql.elements.quoted_name(quoted(part), False) for part in (schema, name))
    return sa.sql.functions.Function(own, *args, packagenames=(package,), type_=type_)


def bind(type_: PgType, name: str, *, supply: Supply | None = None, words: str = "") -> sa.ColumnElement[Any]:
    """Return a bound parameter of a type, sent as text and cast if asyncpg has no native values for it.

    supply, words: for a value computed on each request, see `Supplied`; the name may then be used by several
    parameters.
    """
    native = KINDS[type_.kind].native
    parameter = _parameter(name, type_.name if native else "text", supply, words)
    return parameter if native else _from_text(parameter, type_)


def _parameter(name: str, type_name: str, supply: Supply | None, words: str = "") -> sa.BindParameter[Any]:
    if supply is None:
        return sa.bindparam(name, type_=Native(type_name))
    return sa.bindparam(name, type_=Supplied(type_name, supply, words), unique=True)


def bind_list(type_: PgType, name: str) -> tuple[sa.ColumnElement[Any], TypeEngine[Any]]:
    """Return a bound array of values of a type, and the type of its elements, which `element` converts.

    Times are sent as text, like everything that `bind` casts, because asyncpg cannot send arrays of such values
    otherwise.
    """
    own = _element_type(type_)
    return _parameter(name, f"{own.name}[]", None), own


def _element_type(type_: PgType) -> Native:
    return Native(type_.name if KINDS[type_.kind].native and not type_.is_time else "text")


def bind_array(type_: PgType, name: str, *, supply: Supply | None = None, words: str = "") -> sa.ColumnElement[Any]:
    """Return the operand that ANY and ALL compare a value with: one bound array of any length."""
    own = _element_type(type_)
    array = _parameter(name, f"{own.name}[]", supply, words)
    if own.name == type_.name:
        return array
    if type_.kind in ("array", "composite") or type_.postgis:  # text[] cannot be cast to an array of these
        sent = sa.func.unnest(array).table_valued(sa.column("item", own)).render_derived()
        return sa.select(element(type_, sent.c.item)).select_from(sent).correlate_except(sent).scalar_subquery()
    return sa.cast(array, Named(f"{type_.name}[]"))


def element(type_: PgType, column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Convert an element of `bind_list` to a value of the type."""
    return column if getattr(column.type, "name", "") == type_.name else _from_text(column, type_)


def _from_text(text: sa.ColumnElement[Any], type_: PgType) -> sa.ColumnElement[Any]:
    if type_.postgis:
        return sa.case(
            (sa.func.left(text, sa.literal_column("1")) == sa.literal_column("'{'"), geometry(text, type_)),
            else_=sa.cast(text, Named(type_.name)),
        )
    if KINDS[type_.kind].cast == "record":
        null = sa.cast(sa.null(), Named(type_.name))
        return sa.func.json_populate_record(null, sa.cast(text, Named("json")))
    if type_.element is not None and type_.of_composites:
        # The element type may be a domain over the composite; the cast to the array type converts to it.
        each = sa.func.json_array_elements(sa.cast(text, Named("json"))).table_valued("element").render_derived()
        null = sa.cast(sa.null(), Named(type_.element.name))
        element = sa.case(
            (
                sa.func.json_typeof(each.c.element) != sa.literal_column("'null'"),
                sa.func.json_populate_record(null, each.c.element),
            )
        )
        every = sa.select(element).select_from(each).scalar_subquery()
        return sa.case((text.is_not(None), sa.cast(sa.func.array(every), Named(type_.name))))
    return sa.cast(text, Named(type_.name))


# -- PostGIS -----------------------------------------------------------------------------------------------------------


def of_postgis(type_: PgType, name: str, *args: Any) -> Any:
    """Build a call of a PostGIS function. Its schema need not be in the search path."""
    return call(type_.postgis, name, *args)


def geometry(text: sa.ColumnElement[Any], type_: PgType) -> sa.ColumnElement[Any]:
    """Convert GeoJSON text to a geometry in the reference system of the type, by default WGS 84."""
    read = of_postgis(type_, "st_geomfromgeojson", text)
    if type_.kind == "geography":
        return as_geography(read, type_)
    converted: sa.ColumnElement[Any] = of_postgis(type_, "st_transform", read, sa.literal_column(str(type_.srid)))
    return converted if type_.srid else read


def as_geography(shape: sa.ColumnElement[Any], type_: PgType) -> sa.ColumnElement[Any]:
    """Convert a geometry in degrees to a geography, which is measured in metres."""
    return sa.cast(shape, Named(f"{quoted(type_.postgis)}.geography"))


# types that exclude other kinds of values
_FLAT = re.compile(r"\((?:Multi)?(?:Point|LineString|Polygon)Z?[,)]", re.IGNORECASE)
_NO_GEOJSON = "('ST_PolyhedralSurface','ST_Tin','ST_Triangle')"


def _geojson(column: sa.ColumnElement[Any], type_: PgType) -> sa.ColumnElement[Any]:
    """Render a PostGIS column as GeoJSON, or as EWKT for curves, surfaces and measures."""
    digits: sa.ColumnElement[int] = sa.literal_column("15")
    json: sa.ColumnElement[Any] = sa.cast(of_postgis(type_, "st_asgeojson", column, digits), Named("json"))
    if type_.kind == "geography" or _FLAT.search(type_.db_type):
        return json
    measured = of_postgis(type_, "st_zmflag", column).op("in", is_comparison=True)(sa.literal_column("(1, 3)"))
    surface = of_postgis(type_, "st_geometrytype", column).op("in", is_comparison=True)(sa.literal_column(_NO_GEOJSON))
    other = sa.or_(of_postgis(type_, "st_hasarc", column), measured, surface)
    return sa.case((other, sa.func.to_json(of_postgis(type_, "st_asewkt", column))), else_=json)


# Element types that PostgreSQL renders as JSON natively; other arrays are read as arrays of text.
_JSON_ELEMENTS = frozenset(
    ("integer", "decimal", "float", "boolean", "text", "date", "uuid", "json", "enum", "composite", "time", "network")
)


def is_exact(type_: PgType) -> bool:
    """Whether a type has numbers that a float cannot represent: numeric, bigint and money."""
    return type_.kind in ("decimal", "money") or type_.name == "bigint"


def shown(column: sa.ColumnElement[Any], type_: PgType, *, texts: bool = False) -> sa.ColumnElement[Any]:
    """Return the expression that PostgreSQL renders as the JSON value of a column.

    texts: exact numbers as text (option `numbers=text`).
    """
    if texts and is_exact(type_):
        return sa.cast(sa.cast(column, Named("numeric")) if type_.kind == "money" else column, Named("text"))
    if type_.kind == "array":
        inner = type_.element.kind if type_.element else "other"
        if texts and type_.element is not None and is_exact(type_.element):
            numbers = sa.cast(column, Named("numeric[]")) if inner == "money" else column
            return sa.cast(numbers, Named("text[]"))
        if inner == "bytea":
            each = sa.func.unnest(column).table_valued("element").render_derived()
            rows = sa.select(_as_base64(each.c.element)).select_from(each).correlate_except(each).scalar_subquery()
            flat = sa.case((column.is_not(None), sa.func.to_json(sa.func.array(rows))))
            # unnest() loses the dimensions of a nested array, so such an array is returned as an array literal.
            text = sa.func.to_json(sa.cast(column, Named("text[]")))
            return sa.case((sa.func.array_ndims(column) > 1, text), else_=flat)
        if inner == "money":
            return sa.cast(column, Named("numeric[]"))
        return column if inner in _JSON_ELEMENTS else sa.cast(column, Named("text[]"))
    out = KINDS[type_.kind].out
    if out == "base64":
        return _as_base64(column)
    if out == "geojson":
        return _geojson(column, type_)
    return sa.cast(column, Named(out)) if out else column


def key_text(column: sa.ColumnElement[Any], type_: PgType) -> sa.ColumnElement[Any]:
    """Return a key as the text that `bind` converts back to its type: JSON for composites."""
    if type_.kind == "composite" or type_.of_composites:
        column = sa.func.to_json(column)
    return sa.cast(column, Named("text"))


def _as_base64(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    return sa.func.translate(sa.func.encode(column, "base64"), "\n", "")


def as_text(column: sa.ColumnElement[Any], type_: PgType) -> sa.ColumnElement[Any]:
    """Return the text of a value, for the text operators of a filter.

    They compare characters, which PostgreSQL does not support under a nondeterministic collation.
    """
    text = column if type_.name in ("text", "character varying") else sa.cast(column, Named("text"))
    return sa.collate(text, "default") if type_.fuzzy else text


def like_escaped(value: str) -> str:
    """Escape the wildcards of LIKE."""
    return value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def like_ended(value: str) -> str:
    """Return a LIKE pattern in which a trailing backslash, otherwise an error, is literal."""
    alone = (len(value) - len(value.rstrip("\\"))) % 2
    return value + "\\" * alone


# Filter functions that read the clock of the database.
MOMENTS: dict[str, Callable[[], Any]] = {
    "now": sa.func.now,
    "current_timestamp": sa.func.now,
    "current_date": lambda: sa.cast(sa.func.now(), Named("date")),
}
