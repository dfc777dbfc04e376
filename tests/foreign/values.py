# ruff: noqa: E501 - values and SQL are easier to read unbroken
"""Values of every type, and names that need quoting, for the generated database."""

from __future__ import annotations

LONG = "x" * 60  # three more characters make the longest name that PostgreSQL allows

# Two values of each type. A type without any is written as NULL, and must be in WITHOUT_INPUT.
SAMPLES: dict[str, tuple[str, ...]] = {
    "bool": ("true", "false"), "bytea": ("\\x00ff10", "\\x"), "char": ("a", '"'), "name": ("n a", "ü"),
    "int2": ("-32768", "7"), "int4": ("-2147483648", "7"), "int8": ("9223372036854775807", "-1"),
    "float4": ("0.1", "-Infinity"), "float8": ("1e-300", "NaN"),
    "numeric": ("12345678901234567890.123456789012345678900", "NaN"), "money": ("-1234567.89", "0"),
    "text": ("it's \"x\"\n\\", ""), "bpchar": ("b  ", "c"), "varchar": ("v,{}", "null"), "json": ('{"a":1.50,"b":[null]}', '"x"'),
    "jsonb": ('{"a": 12345678901234567890.5}', "[]"), "jsonpath": ("$.a[*]", "$"), "xml": ("<a>1 &amp; 2</a>", "<b/>"),
    "date": ("0044-03-15 BC", "infinity", "99999-12-31", "9999-12-31"), "time": ("24:00:00", "01:02:03.4"), "timetz": ("01:02:03+02", "00:00+00"),
    "timestamp": ("2024-02-29 10:00:00.123456", "-infinity", "0044-03-15 10:00:00.5 BC"),
    "timestamptz": ("2024-02-29 10:00+02", "infinity", "0044-03-15 10:00+00 BC", "99999-12-31 23:59+00"),
    "interval": ("1 year -2 mons 3 days 04:05:06.7", "-1 day"), "uuid": ("11111111-1111-4111-8111-111111111111",),
    "inet": ("10.1.2.3/24", "::1"), "cidr": ("10.0.0.0/8", "::/0"), "macaddr": ("08:00:2b:01:02:03",),
    "macaddr8": ("08:00:2b:01:02:03:04:05",), "bit": ("1", "0"), "varbit": ("10110", ""),
    "point": ("(1.5,-2)", "(0,0)"), "line": ("{1,2,3}",), "lseg": ("[(0,0),(1,1)]",), "box": ("(3,3),(0,0)", "(1,1),(0,0)"),
    "path": ("[(0,0),(1,1)]", "((0,0),(1,1))"), "polygon": ("((0,0),(1,1),(1,0))",), "circle": ("<(0,0),1>",),
    "tsvector": ("'a':1A 'fat':2", ""), "tsquery": ("'fat' & !'rat'",), "pg_lsn": ("16/B374D848",),
    "txid_snapshot": ("10:20:10,14",), "pg_snapshot": ("10:20:10,14",), "xid": ("5",), "xid8": ("7",), "cid": ("3",),
    "tid": ("(1,2)",), "oid": ("42",), "int2vector": ("1 2",), "oidvector": ("1 2",), "refcursor": ("c",),
    "regclass": ("pg_class",), "regtype": ("integer",), "regproc": ("now",), "regprocedure": ("now()",),
    "regoper": ("pg_catalog.||/",), "regoperator": ("+(integer,integer)",), "regconfig": ("simple",),
    "regdictionary": ("simple",), "regnamespace": ("pg_catalog",), "regrole": ("pg_monitor",), "regdatabase": ("template1",),
    "regcollation": ('"C"',), "aclitem": ("postgres=r/postgres",), "gtsvector": (), "oid8": ("9",),
    "int4range": ("[1,5)", "empty"), "int8range": ("[1,)", "(,)"), "numrange": ("(0.10,1.50]",),
    "tsrange": ("[2024-01-01,2024-01-02)",), "tstzrange": ("[2024-01-01 00:00+00,)",), "daterange": ("[2024-01-01,2024-02-01)",),
    "int4multirange": ("{[1,3),[7,9)}", "{}"), "int8multirange": ("{[1,3)}",), "nummultirange": ("{[1.0,3.50)}",),
    "tsmultirange": ("{[2024-01-01,2024-01-02)}",), "tstzmultirange": ("{[2024-01-01 00:00+00,)}",),
    "datemultirange": ("{[2024-01-01,2024-02-01)}",),
}  # fmt: skip
WITHOUT_INPUT = (
    "pg_node_tree", "pg_ndistinct", "pg_dependencies", "pg_mcv_list", "pg_brin_bloom_summary",
    "pg_brin_minmax_multi_summary", "gtsvector",
)  # fmt: skip
EXTENSIONS = {
    "hstore": ("hstore", '"a"=>"1", "b"=>NULL'), "citext": ("citext", "MiXed"), "ltree": ("ltree", "top.a.b"),
    "cube": ("cube", "(1, 2),(3, 4)"), "seg": ("seg", "1.5 .. 2"), "isn": ("isbn13", "978-0-393-04002-9"),
    "vector": ("vector", "[1,2,3]"),
}  # fmt: skip

ODD_NAMES = [
    'quo"te', "it's", "dot.ted", "semi;colon", "With Blank", "comma,d", "(parens)", "per%cent", "sl/ash", "back\\slash",
    "co:lon", "{brace}", "[bracket]", "$1", "a--b", "東京", "Zażółć", "😀", "select", "user", "table", "order", "ids",
    "filter", "resource", "_table", "_schema", "null", "true", "1", "UPPER", "upper", "t1", "each", "r", "body",
    "tab\tstop", "line\nend", "#hash", "?ask", "&and", "=is", "+plus", "*", "-", " lead", "trail ", LONG + "abc",
]  # fmt: skip


def name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def literal(text: str) -> str:
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
