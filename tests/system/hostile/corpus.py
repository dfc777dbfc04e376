"""A database, and the most expensive requests for its server. Each has blocked a worker, or could have.

PRODUCT are calls of the product that read what a person uploads or pastes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

WIDE = 300  # columns of one table

# With indexes on foreign keys, because the responses are measured and not the queries: without, each of 2000 persons
# would read all notes.
SCHEMA = f"""
create table team (id integer primary key, name text not null);
create table person (id integer primary key, team_id integer not null references team, name text not null,
  born timestamptz not null, tags integer[] not null, attrs jsonb not null);
create table note (id integer primary key, person_id integer not null references person, body text not null);
create table wide (id integer primary key, {", ".join(f"column_{n} integer references team" for n in range(40))},
  {", ".join(f"field_{n} text" for n in range(WIDE))});
create table file (id integer primary key, content bytea not null, long text not null);
create index on person (team_id);
create index on note (person_id, id);
insert into team select n, 'Team ' || n from generate_series(1, 20) n;
insert into person select n, n % 20 + 1, 'Person ' || n, now(), array[n, n + 1],
  jsonb_build_object('city', 'C' || n, 'list', array[1, 2, 3]) from generate_series(1, 2000) n;
insert into note select n, n % 200 + 1, repeat('text & <b> ', 40) from generate_series(1, 20000) n;
insert into wide (id, field_0) select n, 'x' from generate_series(1, 1000) n;
insert into file values (1, decode(repeat('ab', 8000000), 'hex'), repeat('word ', 2000000));
analyze;
"""


@dataclass(frozen=True)
class Request:
    """One request, below /api/v2/x/_table/ unless the path is absolute."""

    name: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    raw: bytes | None = None  # a body that is sent unchanged
    verb: str = ""

    @property
    def method(self) -> str:
        return self.verb or ("GET" if self.body is None and self.raw is None else "POST")

    @property
    def url(self) -> str:
        return self.path if self.path.startswith("/") else f"/api/v2/x/_table/{self.path}"


def get(name: str, path: str, **query: str) -> Request:
    return Request(name, path, query)


def tunnelled(name: str, path: str, **options: Any) -> Request:
    """Return a read that is sent by POST."""
    return Request(name, path, {}, options, {"X-HTTP-Method": "GET"})


def tool(name: str, tool_name: str, **arguments: Any) -> Request:
    """Return a call of a tool of MCP."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool_name, "arguments": arguments}}
    return Request(name, "/mcp", {}, call, {"Accept": "application/json, text/event-stream"})


def write(name: str, path: str, raw: str, content_type: str = "application/json", verb: str = "POST") -> Request:
    """Return a write that changes nothing."""
    return Request(name, path, {"dry_run": "true"}, None, {"Content-Type": content_type}, raw.encode(), verb)


def batch(name: str, *steps: Any) -> Request:
    """Return a batch that is rolled back."""
    return Request(name, "/api/v2/x/_batch", {}, {"requests": steps, "dry_run": True})


def question(name: str, path: str, **options: Any) -> Request:
    """Return a read by QUERY."""
    return Request(name, path, {}, options, {"Content-Type": "application/json"}, None, "QUERY")


def _any(condition: str, number: int) -> str:
    return " or ".join([condition] * number)


LIST = json.dumps({"q": list(range(500))})
NOTES = "note_by_person_id"
DEEP = "team_by_team_id.person_by_team_id."
READ = {"id": "notes", "path": "_table/note", "query": {"limit": 1000}}
ONE = {"id": "one", "path": "_table/note", "query": {"limit": 1}}
LONG_NUMBERS = ",".join(["12345678901234567890.5"] * 45_000)
ALIASES = ",".join(f"born AS a{n}" for n in range(380))

CORPUS = [
    get("50 lists of 500 named values", "team", filter=_any("id in (:q)", 50), params=LIST),
    get("50 lists of 500 names", "person", filter=_any("name in (:q)", 50), params=LIST),
    tunnelled(
        "lists in the filter, in having and in relations", "team", filter=_any("id in (:q)", 50),
        params=json.loads(LIST), related="person_by_team_id",
        **{"person_by_team_id.filter": _any("id in (:q)", 50)},
    ),
    get("a list of 450 values", "person", filter=f"id in ({','.join(map(str, range(100, 550)))})"),
    tunnelled("1000 identifiers", "person", ids=list(range(1000))),
    tunnelled("1000 identifiers of 100 digits", "person", ids=["9" * 100] * 1000),
    get("50 groups with having", "person", fields="team_id,COUNT(*)", group="team_id",
        having=_any("COUNT(*) > 7", 50)),
    get("XML of related rows", "team", related="person_by_team_id", format="xml", fields="id",
        **{"person_by_team_id.related": NOTES, f"person_by_team_id.{NOTES}.limit": "3"}),
    get("wide XML", "wide", format="xml"),
    get("XML of many names", "person", format="xml", fields=ALIASES),
    get("XML of 3 MB", "person", format="xml", related=NOTES, limit="65"),
    get("CSV of wide rows", "wide", format="csv"),
    get("CSV of related rows", "team", related="person_by_team_id", format="csv",
        **{"person_by_team_id.related": NOTES, f"person_by_team_id.{NOTES}.limit": "30"}),
    get("xlsx of wide rows", "wide", format="xlsx"),
    get("xlsx of many rows", "person", format="xlsx", related=NOTES),
    get("380 names of one field", "person", fields=ALIASES, limit="1000"),
    get("380 names in a relation", "team", related="person_by_team_id", **{"person_by_team_id.fields": ALIASES}),
    get("all relations of a wide table", "wide", related="*", limit="25"),
    get("identifiers of large rows", "wide", as_list="true"),
    get("lines of large rows", "wide", format="application/x-ndjson"),
    get("12 relations in a path", "person", fields="id", filter=f"CAST({DEEP * 6}name AS text) contains zzz"),
    get("90 relations in a path", "person", fields="id", filter=f"{DEEP * 45}name = x"),
    get("90 relations in a field", "person", fields=f"{DEEP * 45}name"),
    get("functions in functions", "person", fields="max(" * 1900 + "id"),
    get("functions in a filter", "person", filter="max(" * 480 + "id"),
    get("parentheses", "person", filter="(" * 1900 + "id = 1"),
    get("20 terms of order through relations", "person",
        order=",".join(["team_by_team_id.name", "attrs.city", "CAST(id AS text)"] * 6)),
    get("4000 terms of group", "person", group=",".join(f"attrs.a{n}" for n in range(700)), fields="COUNT(*)"),
    get("a long pattern", "note", filter=f"body ~ '{'(a+)+' * 39}$'", limit="1"),
    get("JSON of related rows", "team", related="person_by_team_id",
        **{"person_by_team_id.related": NOTES, f"person_by_team_id.{NOTES}.limit": "30"}),
    get("the bytes of a large field", "file/1", raw="content"),
    get("the text of a large field", "file/1", raw="long"),
    write("1000 records", "note",
          json.dumps([{"id": n, "person_id": 1, "body": "x" * 900} for n in range(30000, 31000)])),
    write("records with other fields each", "wide",
          json.dumps([{"id": n, **{f"field_{m}": "x" for m in range(n % 290)}} for n in range(5000, 5300)])),
    write("500,000 numbers for records", "note", f"[{','.join('0' * 500_000)}]"),
    write("long numbers", "note", f'{{"id": 1, "body": [{LONG_NUMBERS}]}}'),
    write("long numbers in JSON", "person", f'{{"id": 5000, "team_id": 1, "name": "x", "attrs": [{LONG_NUMBERS}]}}'),
    write("a NUL after 400,000 numbers", "note", f'{{"id": 1, "body": [{",".join("0" * 400_000)}, "\\u0000"]}}'),
    write("lists in lists", "note", "[" * 500_000),
    write("many small objects", "note", f"[{','.join(['{}'] * 300_000)}]"),
    write("CSV of 100,000 lines", "note", "id,person_id\n" + "1,1\n" * 100_000, "text/csv"),
    write("CSV of one line of 300,000 cells", "note", "a," * 300_000 + "\n1", "text/csv"),
    write("a filter in a body, 1 MB", "note", json.dumps({"filter": "(" * 900_000}), verb="QUERY"),
    batch("40,000 references to a large response", READ,
          {"method": "POST", "path": "_table/note", "body": [{"$ref": "notes.resource.0.id"}] * 40_000}),
    batch("references to a large response as a whole", READ,
          {"method": "POST", "path": "_table/note", "body": [{"body": {"$ref": "notes"}}] * 1000}),
    batch("references to each of 1000 records", READ,
          {"method": "POST", "path": "_table/note", "body": [{"$ref": f"notes.resource.{n}"} for n in range(1000)]}),
    batch("30,000 references to one record", ONE,
          {"method": "POST", "path": "_table/note", "body": [{"$ref": "one.resource.0"}] * 30_000}),
    batch("a long list in a batch", {"method": "POST", "path": "_table/note", "body": list(range(150_000))}),
    batch("100 large responses", *[{"path": "_table/note", "query": {"limit": 1000}}] * 100),
    question("QUERY with 3000 identifiers", "person", ids=list(range(3000))),
    question("QUERY with a filter of 3000 values", "person", filter=f"id in ({','.join(map(str, range(3000)))})"),
    question("QUERY with 400 options", "person", **{f"option{n}": "x" for n in range(400)}),
    get("50 aggregates with filters", "person", group="team_id",
        fields=",".join(f"COUNT(*) FILTER (id > {n}) AS a{n}" for n in range(50))),
    get("50 percentiles", "person", group="team_id",
        fields=",".join(f"PERCENTILE(id, 0.{n:02}) AS a{n}" for n in range(1, 51))),
    Request("why a request is refused", "person", {"filter": _any("id in (:q)", 50), "params": LIST}, None,
            {"Prefer": "explain=rights"}),
    tool("a tool with a long list of conditions", "query", table="person",
         filter=[{"field": "id", "operator": "in", "value": list(range(500))}] * 50),
    tool("a tool with large rows", "query", table="wide", limit=200, related=["team_by_column_0"]),
    tool("a tool with 400,000 numbers", "query", table="person", filter=[0] * 400_000),
    tool("a tool with identifiers in a list", "get_record", table="person", id=[[]] * 300_000),
    tool("a tool with 400,000 names", "query", table="person", fields=[0] * 400_000),
    tool("a tool with a record of 100,000 fields", "create_records", table="note", dry_run=True,
         records=[{f"c{n}": 0 for n in range(80_000)}]),
    tool("a tool with 80,000 arguments", "query", table="person", **{f"c{n}": 0 for n in range(80_000)}),
    tool("a tool with 1000 records", "create_records", table="note", dry_run=True,
         records=[{"id": n, "person_id": 1, "body": "x" * 900} for n in range(30000, 31000)]),
    tool("a tool with related rows", "query", table="person", limit=200, related=[NOTES], related_limit=200),
    tool("a tool with a large record", "get_record", table="file", id=1),
    tool("a tool with a reserved identifier", "get_record", table="person", id="_changes"),
]  # fmt: skip


def call(name: str, path: str, **body: Any) -> Request:
    """Return a call of the product."""
    return Request(name, f"/api/v2/{path}", {}, body)


def upload(name: str, content: bytes) -> Request:
    """Return an estimate for an uploaded file of addresses."""
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="people.csv"\r\n\r\n'
    query = {"max_credits": "0", "estimateonly": "true"}
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    return Request(name, "/api/v2/bulklookup", query, None, headers, head + content + b"\r\n--x--\r\n")


_KINDS = ["directdial", "businessemail"]
_LONG = "linkedin.com/in/" + "a%C3%A9" * 140_000
_FREE: dict[str, Any] = {"max_credits": 0, "estimateonly": True}
_EMPTY_LINES, _LINES = "\n" * 2_000_000, "a\n" * 999_999


def product_calls(listid: int, key: str) -> list[Request]:
    """Return the most expensive calls of an account. listid: one of its lists. key: one of its API keys."""
    by_key = {"X-API-Key": key, "X-Session-Token": ""}
    return [
        call("a list of a million lines", "listimport", listid=listid, text=_LINES),
        call("a list of two million empty lines", "listimport", listid=listid, text=_EMPTY_LINES),
        call("a list of commas", "listimport", listid=listid, text="," * 1_900_000),
        call("a list of quotes", "listimport", listid=listid, text='"' * 1_900_000),
        call("a list in one cell", "listimport", listid=listid, text='"' + "a\n" * 900_000),
        upload("a file of commas", b"," * 4_900_000),
        upload("a file of lines", b"a\n" * 2_400_000),
        upload("a file of empty lines", b"\n" * 4_900_000),
        upload("a file of quotes", b'"' * 4_900_000),
        upload("a file in no encoding", bytes(range(128, 256)) * 38_000),
        upload("a file of two-byte letters", ("\u00e9," * 1_200_000).encode("utf-16")),
        call("a CSV of lines", "bulklookup", csv=_LINES, **_FREE),
        call("a CSV of commas", "bulklookup", csv="," * 4_900_000, **_FREE),
        call("5000 addresses", "bulklookup", urls=["linkedin.com/in/" + "a" * 900] * 5000, **_FREE),
        call("one address of 5 MB", "bulklookup", urls=["linkedin.com/in/" + "%C3%A9" * 800_000], **_FREE),
        call("a reveal of a long address", "getcontact", linkedinurl=_LONG, type="directdial", action="reveal"),
        call("a search of a long address", "searchurl", linkedinurl=_LONG, personal=True),
        call("a removal of a long address", "removalrequest", email="a@acme.example", linkedinurl=_LONG),
        call("a removal of a long e-mail", "removalrequest", email="\u00e9" * 300_000 + "@acme.example"),
        call("an account of a long e-mail", "checkemailexists", email="a@" + "\u00e9." * 200_000 + "example"),
        call("a long domain", "validatedomain", email="a@" + "\uff41." * 200_000 + "example"),
        Request("100 people", "/api/v2/enrich", {}, {"kinds": _KINDS, "people": [{"name": "x" * 200}] * 100}, by_key),
        Request("100,000 people", "/api/v2/enrich", {}, {"kinds": _KINDS, "people": [{}] * 100_000}, by_key),
        call("200,000 addresses at once", "revealmany", kinds=_KINDS, linkedinurls=["x"] * 200_000, dry_run=True),
        call("a search with a long title", "searchpeople", title=["x" * 900_000]),
        call("a search of many titles", "searchpeople", title=["director of x"] * 60_000),
        call("a long name", "searchname", searchtext="%_" * 400_000, limit=10, offset=0),
        call("100,000 fields", "searchurl", **{f"field{n}": 1 for n in range(70_000)}),
        call("a search of 70,000 fields", "searchpeople", **{f"field{n}": 1 for n in range(70_000)}),
        Request("100,000 people for a list", "/api/v2/leads/_table/contactlistitem", {},
                {"resource": [{"listid": listid, "linkedinurl": "x"}] * 20_000}),
        Request("a person with a long address", "/api/v2/leads/_table/contactlistitem", {},
                {"resource": [{"listid": listid, "linkedinurl": _LONG}]}),
        Request("a vote for a long address", "/api/v2/leads/_table/contactfeedback", {},
                {"resource": [{"linkedin_url": _LONG, "info": "x", "action": "upvote", "type": "phone"}]}),
        Request("a webhook of a long address", "/api/v2/leads/_table/webhook", {"dry_run": "true"},
                {"resource": [{"url": "https://" + "a." * 300_000, "events": ["credits.low"] * 10_000}]}),
    ]  # fmt: skip
