"""A hundred wrong inputs: each message says what is wrong, where it is, and what to write instead.

One table for requests and one for commands and settings. A mistake that a user met belongs here, with the words that
would have helped.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.helpers.support import ROOT, NewDatabase, Serve, Server, free_port, tableapi

FULL, SALES = "key-of-full-rights", "key-of-the-sales-role"
ACCESS = {
    "keys": {FULL: {"role": "*"}, SALES: {"role": "sales"}},
    "roles": {"sales": {"access": [{"component": "_table/customer/*", "verb_mask": 1}]}},
}
CUSTOMER, PRODUCT = "_table/customer", "_table/product"
IMPORT = f"{CUSTOMER}?import=true"
STRICT, CSV = {"Prefer": "handling=strict"}, {"Content-Type": "text/csv"}


# Types that only PostgreSQL reads.
UNUSUAL = """create table unusual (id serial primary key, secs interval, ip inet, at time, tags text[], span int4range,
    exclude using gist (span with &&));"""
OVERLAPPING = {"json": {"resource": [{"span": "[1,5)"}, {"span": "[2,6)"}]}}


def _new(**values: Any) -> dict[str, Any]:
    return {"json": {"resource": [values]}}


# (method, path below /api/v2/shop/, options of the client, status, words)
REQUESTS: list[tuple[str, str, dict[str, Any], int, tuple[str, ...]]] = [
    # Names
    ("GET", "_tabel", {}, 404, ("'_tabel'", "'_table'")),
    ("GET", "../shp/_table", {}, 404, ("'shp'", "'shop'")),
    ("GET", "_table/custmer", {}, 404, ("'custmer'", "'customer'")),
    ("GET", "_func/add", {}, 404, ("'add'",)),
    ("GET", "rpc/add", {}, 404, ("'rpc'", "_func/NAME")),
    ("GET", f"{CUSTOMER}/99", {}, 404, ("'99'",)),
    ("GET", f"{CUSTOMER}/abc", {}, 400, ("'id'", "'abc'", "whole number", "id_field=email")),
    ("GET", "_table/item/1", {}, 400, ("2 fields", "<purchase_id>,<product_id>")),
    ("PUT", "_table", {"json": {}}, 400, ("/_table/<table>",)),
    ("POST", "_table", {"json": {}}, 400, ("/_table/<table>", "cannot be created")),
    ("GET", "customer", {}, 404, ("'customer'", "/api/v2/shop/_table/customer")),
    ("GET", "../_table/customer", {}, 404, ("/api/v2/<dataset>/_table/customer",)),
    ("GET", f"{CUSTOMER}/1/name", {}, 404, ("?fields=name",)),
    ("PURGE", CUSTOMER, {}, 405, ("'PURGE'", "GET, POST, PUT, PATCH, DELETE")),
    ("GET", "../../../API/V2/shop/_table", {}, 404, ("case sensitive",)),
    ("POST", "../../../graphql", {}, 405, ("no GraphQL", "/api/v2/<dataset>/_table/<table>")),
    ("GET", "_func/nothing", {}, 404, ("'nothing'",)),
    # Fields, filters, order
    ("GET", CUSTOMER, {"params": {"accept": "pdf"}}, 400, ("'accept'", "csv, xlsx")),
    ("GET", CUSTOMER, {"params": {"format": "xls"}}, 400, ("'accept'", "'xlsx'")),
    ("GET", CUSTOMER, {"params": [("fields", "id"), ("fields", "name")]}, 400, ("'fields'", "fields=id,name")),
    ("GET", CUSTOMER, {"params": {"fields": "nmae"}}, 400, ("'customer'", "'nmae'", "'name'")),
    ("GET", CUSTOMER, {"params": {"filter": "ctiy = 'Oslo'"}}, 400, ("'ctiy'", "'city'")),
    ("GET", CUSTOMER, {"params": {"filter": "city == Oslo"}}, 400, ("'=='", "Write =", "position 6")),
    ("GET", CUSTOMER, {"params": {"filter": "(city = Oslo"}}, 400, ("closing parenthesis", "position 12")),
    ("GET", CUSTOMER, {"params": {"filter": "city = 'Oslo"}}, 400, ("closing quote", "position 7")),
    ("GET", CUSTOMER, {"params": {"filter": "city equals Oslo"}}, 400, ("'EQUALS'", "Write =", "position 5")),
    ("GET", CUSTOMER, {"params": {"filter": "city contain Oslo"}}, 400, ("'CONTAIN'", "'CONTAINS'")),
    ("GET", CUSTOMER, {"params": {"filter": '{"city":"Oslo"}'}}, 400, ("is JSON", "city = 'Oslo'", "position 0")),
    ("GET", CUSTOMER, {"params": {"filter": "id = abc"}}, 400, ("'id'", "whole number")),
    ("GET", CUSTOMER, {"params": {"filter": "joined > yesterday"}}, 400, ("'yesterday'", "CURRENT_DATE", "position 9")),
    ("GET", CUSTOMER, {"params": {"order": "-name"}}, 400, ("'-name'", "field [asc|desc]", "Did you mean 'name desc'")),
    ("GET", CUSTOMER, {"params": {"order": "name descending"}}, 400, ("'name descending'", "Did you mean 'name desc'")),
    ("GET", CUSTOMER, {"params": {"order": "name:asc"}}, 400, ("Did you mean 'name asc'",)),
    ("GET", CUSTOMER, {"params": {"order": "name,desc"}}, 400, ("'desc' is a direction", "order=name desc")),
    ("GET", CUSTOMER, {"params": {"order": "id.desc"}}, 400, ("'id.desc'", "id DESC")),
    ("GET", CUSTOMER, {"params": {"fields": "zzz"}}, 400, ("Its fields: id, name, email, city, joined, about.",)),
    ("GET", CUSTOMER, {"params": {"fields": "name;city"}}, 400, ("with commas: name,city",)),
    ("GET", CUSTOMER, {"params": {"fields": "sum(name)"}}, 400, ("SUM needs a number", "'name' is text")),
    ("GET", CUSTOMER, {"params": {"related": "orders"}}, 400, ("Its relations: purchase_by_customer_id.",)),
    ("GET", CUSTOMER, {"params": {"select": "id,purchase(*)"}}, 400, ("related=purchase_by_customer_id",)),
    ("GET", CUSTOMER, {"params": {"page_size": "10"}}, 400, ("Did you mean 'limit'",)),
    ("GET", CUSTOMER, {"params": {"expand": "purchase"}}, 400, ("related=purchase_by_customer_id",)),
    ("POST", f"{CUSTOMER}?on_conflict=email", _new(name="a"), 400, ("upsert=true&id_field=email",)),
    ("GET", CUSTOMER, {"params": {"filter[city]": "Oslo"}}, 400, ("filter=city = Oslo",)),
    ("GET", CUSTOMER, {"params": {"id__gte": "2"}}, 400, ("filter=id >= 2",)),
    ("GET", CUSTOMER, {"params": {"q": "ada"}}, 400, ("filter=name CONTAINS 'ada'",)),
    ("GET", CUSTOMER, {"params": {"filter": "city = Oslo)"}}, 400, ("This ')' closes nothing", "position 11")),
    ("GET", CUSTOMER, {"params": {"filter": '[["city","=","Oslo"]]'}}, 400, ("is JSON", "city = 'Oslo'")),
    ("GET", CUSTOMER, {"params": {"filter": "city = Oslo and"}}, 400, ("ends after AND", "condition is missing")),
    ("GET", CUSTOMER, {"params": {"filter": "city = Oslo and and id = 1"}}, 400, ("missing before AND",)),
    ("GET", CUSTOMER, {"params": {"filter": "city is Oslo"}}, 400, ("NULL", "write = instead")),
    ("GET", CUSTOMER, {"params": {"filter": "city ! = Oslo"}}, 400, ("!= without a space",)),
    ("GET", CUSTOMER, {"params": {"filter": "upper(city) = 'OSLO'"}}, 400, ("'upper'", "ILIKE")),
    ("GET", CUSTOMER, {"params": {"filter": "length(city) = 4"}}, 400, ("'length'", "Functions: ", "COUNT")),
    ("GET", CUSTOMER, {"params": {"filter": "select * from customer where id = 1"}}, 400, ("only the condition",)),
    ("GET", CUSTOMER, {"params": {"filter": "city ~ '('"}}, 400, ("parentheses () not balanced",)),
    ("GET", CUSTOMER, {"params": {"filter": "customer.city = Oslo"}}, 400, ("Leave out the name of the table",)),
    ("GET", CUSTOMER, {"params": {"filter": "purchase_by_customer_id = 1"}}, 400, ("purchase_by_customer_id.id",)),
    ("GET", CUSTOMER, {"params": {"filter": "id IN (1, abc)"}}, 400, ("'id'", "'abc'", "position 10")),
    ("GET", CUSTOMER, {"params": {"filter": "joined = 01/02/2026"}}, 400, ("2026-02-01 or 2026-01-02",)),
    ("GET", CUSTOMER, {"params": {"filter": "joined = 2026-02-30"}}, 400, ("'2026-02-30' does not exist",)),
    ("GET", CUSTOMER, {"params": {"filter": "joined > now() - 1"}}, 400, ("does not calculate",)),
    ("GET", CUSTOMER, {"params": {"group": "city", "having": "COUNT(*) > x"}}, 400, ("'x'", "position 11")),
    ("GET", CUSTOMER, {"params": {"params": "x"}}, 400, ("JSON object", '{"city": "Oslo"}')),
    ("GET", CUSTOMER, {"headers": {"Prefer": "count=exakt, handling=strict"}}, 400, ("'count=exact'",)),
    ("GET", CUSTOMER, {"params": {"cursor": "eHg6WyJhIl0"}}, 400, ("another table or order",)),
    ("GET", f"{CUSTOMER}?filter=id = {'9' * 200}", {}, 400, (f"'{'9' * 50}...'",)),
    ("GET", CUSTOMER, {"params": {"filter": "name LIKE"}}, 400, ("A value is missing after LIKE", "position 9")),
    ("GET", CUSTOMER, {"params": {"filter": "id between 1 3"}}, 400, ("as in BETWEEN 1 AND 3",)),
    ("GET", CUSTOMER, {"params": {"fields": "year(name)"}}, 400, ("YEAR", "needs a date or time")),
    ("GET", CUSTOMER, {"params": {"include_count": "maybe"}}, 400, ("true or false, or estimated",)),
    ("GET", CUSTOMER, {"params": {"top": "5", "limit": "6"}}, 400, ("Send it once, under one name: limit=6.",)),
    ("GET", "_table/unusual", {"params": {"filter": "secs > 1x"}}, 400, ("an interval such as 1 day 02:30:00",)),
    ("GET", "_table/unusual", {"params": {"filter": "ip = 300.1.1.1"}}, 400, ("an IP address such as",)),
    ("POST", "_table/unusual", _new(at="half past nine"), 400, ("a time such as 09:30",)),
    ("POST", "_table/unusual", _new(at="noon-ish"), 400, ("a time zone such as +02",)),
    ("POST", "_table/unusual", _new(tags="a"), 400, ('["a", "b"]', "{a,b}")),
    ("POST", "_table/unusual", OVERLAPPING, 400, ("The values of 'span' conflict with those of another record.",)),
    ("POST", "_table/unusual", _new(span="[5,1)"), 400, ("a range such as [1,5), its lower bound first",)),
    ("GET", CUSTOMER, {"params": {"limit": "abc"}}, 400, ("'limit'", "whole number")),
    ("GET", CUSTOMER, {"params": {"page": "2"}}, 400, ("'page'", "limit and offset", "cursor")),
    ("GET", CUSTOMER, {"params": {"feilds": "name"}}, 400, ("'feilds'", "'fields'")),
    ("GET", CUSTOMER, {"params": {"related": "purchase"}}, 400, ("'purchase'", "'purchase_by_customer_id'")),
    ("GET", CUSTOMER, {"params": {"city": "eq.Oslo"}}, 400, ("'city'", "filter=city = Oslo")),
    ("GET", CUSTOMER, {"params": {"id": "eq.1"}}, 400, ("'id'", "filter=id = 1")),
    ("GET", CUSTOMER, {"params": {"cursor": "xyz"}}, 400, ("not a cursor", "next_cursor")),
    ("GET", CUSTOMER, {"params": {"having": "COUNT(*) > 1"}}, 400, ("'having'", "'group'", "aggregate")),
    ("GET", "../../../shop/_table/customer", {}, 404, ("no such page", "/api/v2/shop/_table/customer")),
    ("POST", "../../../enrich", {"json": {}}, 405, ("GET", "/api/v2/")),
    ("GET", CUSTOMER, {"params": {"name": "ilike.*a*"}}, 400, ("filter=name ILIKE '%a%'",)),
    ("POST", f"{CUSTOMER}?upsert=maybe", _new(name="a"), 400, ("'upsert'", "true, false, ignore or get")),
    # Bodies
    ("POST", CUSTOMER, {"content": '{"resource":[{"name":"a",}]}'}, 400, ("trailing comma", "position 24")),
    ("POST", CUSTOMER, {"json": {"name": "a"}}, 400, ('{"resource": [ {...} ]}',)),
    ("POST", CUSTOMER, {"json": {"records": [{"name": "a"}]}}, 400, ('{"resource": [ {...} ]}',)),
    ("POST", PRODUCT, _new(name="Pot", price="abc"), 400, ("'price'", "number")),
    ("POST", PRODUCT, _new(price=1), 400, ("'name'", "required")),
    ("POST", PRODUCT, _new(name="Mug", price=1), 400, ("Record 1: ", "'name'", "already exists")),
    ("POST", PRODUCT, _new(name="Pot", price=-1), 400, ("Record 1: ", "'product_price_check'")),
    ("POST", PRODUCT, {"json": {"resource": [{"name": "Pan", "price": 1}, {}]}}, 400, ("Record 2: ", "'name'")),
    ("POST", "_table/purchase", _new(customer_id=99), 400, ("'customer_id'", "no record in 'customer' with this id")),
    ("POST", PRODUCT, _new(name="Pot", price=10**11), 400, ("'price'", "000 is too large for numeric(10,2)")),
    ("POST", PRODUCT, _new(nmae="Pot", foo=1), 400, ("Unknown: 'nmae', 'foo'", "'name'")),
    ("POST", "_table/purchase", _new(customer={}), 400, ("'customer_by_customer_id'",)),
    ("PATCH", "_table/purchase/1", {"json": {"customer": {}}, "headers": STRICT}, 400, ("'customer_by_customer_id'",)),
    ("POST", CUSTOMER, {"json": {"resource": []}}, 400, ("list of records is empty",)),
    ("POST", CUSTOMER, {"content": b"{'resource': []}"}, 400, ("double quotes", "position 1")),
    ("PATCH", f"{PRODUCT}/1", {"json": {"price": {"$inc": 1}}}, 400, ("'$inc' is unknown", "$add")),
    ("PATCH", CUSTOMER, _new(city="a"), 400, ("Record 1: ", "no 'id'")),
    ("DELETE", f"{PRODUCT}/1", {}, 409, ("Records of 'item' refer to this one", "delete them first")),
    ("GET", f"{CUSTOMER}?ids=1,99", {}, 400, ("Record 2: ", "'99'")),
    ("POST", CUSTOMER, {"json": {"resources": [{"name": "a"}]}}, 400, ("'resource'", "Did you mean")),
    ("POST", CUSTOMER, {"content": b'{"resource": [{"name": "\xff"}]}'}, 400, ("not valid UTF-8",)),
    ("POST", "_batch", {"json": {"request": []}}, 422, ("request: ", "'requests'")),
    ("POST", "_batch", {"json": {"requests": [{"pth": "_table/customer"}]}}, 422, ("requests.0.pth: ", "'path'")),
    ("POST", "_batch", {"json": {"requests": [{"path": CUSTOMER}, {}]}}, 422, ("requests.1.path: ",)),
    ("POST", "_batch", {"json": {"requests": [{"path": PRODUCT, "method": "POST", "body": [{"name": "Mug", "price": 1}]}
     ]
     }},
     400, ("Request 1 failed at its record 1, and nothing was kept: A record", "'name'")),
    ("POST", "_batch", {"json": []}, 400, ('{"requests": [...]}',)),
    ("POST", "_batch", {"json": {"requests": [{"url": CUSTOMER}]}}, 422, ("'path'",)),
    ("POST", "_batch", {"json": {"requests": [{"id": "a", "path": CUSTOMER}, {"path": f"{CUSTOMER}", "query": {"filter":
     {"$ref": "a.resource.9.name"}}}]}}, 400, ("fewer than 10 records",)),
    # Files
    ("POST", IMPORT, {"content": b"name,emial,foo\na,b,c", "headers": CSV}, 400, ("'emial', 'foo'", "Its fields: ")),
    ("POST", IMPORT, {"content": b"name;email\na;b", "headers": CSV}, 400, ("semicolons", "commas")),
    ("POST", CUSTOMER, {"content": b"name;email\na;b", "headers": CSV}, 400, ("semicolons", "commas")),
    ("POST", IMPORT, {"content": "name\na".encode("utf-16"), "headers": CSV}, 400, ("UTF-16", "in UTF-8")),
    ("POST", CUSTOMER, {"content": "name\na".encode("utf-16"), "headers": CSV}, 400, ("UTF-16", "in UTF-8")),
    ("POST", CUSTOMER, {"content": b"name\n\xe9", "headers": CSV}, 400, ("Line 2", "in UTF-8")),
    ("POST", IMPORT, {"content": b"PK\x03\x04", "headers": CSV}, 400, ("Save the sheet as CSV",)),
    ("POST", IMPORT, {"content": b"x" * 2_000_000, "headers": CSV}, 400, ("no line break",)),
    ("POST", IMPORT, {"content": b'name,email\na,1\n"b,2\nc,3\n', "headers": CSV}, 400, ("on line 3", "not closed")),
    ("POST", IMPORT, {"content": b"name,email\na,b,c", "headers": CSV}, 400, ("line 2: ", "more values")),
    ("POST", f"{PRODUCT}?import=true", {"content": b"name,price\na,cheap", "headers": CSV}, 400,
     ("line 2: ", "'price'", "'cheap'", "numeric(10,2)")),
    ("POST", IMPORT, {"files": {"a": b"name"}}, 415, ("--data-binary @file.csv",)),
    ("POST", IMPORT, {"content": b"PK", "headers": {"Content-Type": "application/vnd.ms-excel"}}, 415, ("as CSV",)),
    ("PATCH", f"{PRODUCT}/1", {"json": {"name": None}}, 400, ("'name'", "null")),
    ("PATCH", f"{CUSTOMER}/1", {"json": {"ctiy": "Rome"}, "headers": STRICT}, 400, ("'ctiy'", "'city'")),
    ("DELETE", CUSTOMER, {}, 400, ("ids, records or a filter", "force=true")),
    ("POST", f"{CUSTOMER}/1", {"json": {"name": "a"}}, 400, ("POST it to the table",)),
    ("POST", CUSTOMER, {"data": {"name": "a"}}, 415, ("x-www-form-urlencoded", "application/json or text/csv")),
    ("POST", CUSTOMER, {"content": f'{{"resource":[{" " * 1_100_000}]}}'}, 413, ("1 MB", "import=true", "BODY_BYTES")),
    ("PATCH", f"{CUSTOMER}?limit=1", _new(id=1, city="a"), 400, ("'limit'", "max_affected")),
    ("POST", CUSTOMER, _new(name="a") | {"headers": {"Idempotency-Key": "x" * 100}}, 400, ("1 to 64 printable",)),
    # Rights
    ("GET", CUSTOMER, {"headers": {"X-API-Key": ""}}, 401, ("Send an API key", "X-API-Key")),
    ("GET", CUSTOMER, {"headers": {"X-API-Key": "guess"}}, 401, ("is not valid", "copied completely")),
    ("GET", CUSTOMER, {"headers": {"X-API-Key": "", "Authorization": "Bearer a"}}, 401, ("X-API-Key", "Authorization")),
    ("GET", PRODUCT, {"headers": {"X-API-Key": SALES}}, 403, ("read 'product'",)),
    ("PATCH", f"{CUSTOMER}/1", {"json": {"city": "a"}, "headers": {"X-API-Key": SALES}}, 403, ("change 'customer'",)),
]  # fmt: skip


@pytest.fixture(scope="module")
def shop(module_serve: Serve, module_database: NewDatabase) -> Server:
    url = module_database((ROOT / "docs" / "tutorial" / "shop.sql").read_text() + UNUSUAL)
    return module_serve("--dataset", f"shop={url}", access=ACCESS)


@pytest.mark.parametrize(("method", "path", "options", "status", "words"), REQUESTS)
def test_a_wrong_request(
    method: str, path: str, options: dict[str, Any], status: int, words: tuple[str, ...], shop: Server
) -> None:
    address = f"{shop.url}/api/v2/shop/{path}"
    headers = {"X-API-Key": FULL, "Content-Type": "application/json"} if "content" in options else {"X-API-Key": FULL}
    response = httpx2.request(method, address, **{**options, "headers": headers | options.get("headers", {})})
    error = response.json()["error"]
    assert error["status_code"] == response.status_code == status, response.text
    assert [word for word in words if word not in error["message"]] == [], error["message"]


NOWHERE = "postgresql://me:hidden@127.0.0.1:1/shop"
OPEN = ("serve", "--dataset", f"shop={NOWHERE}", "--open")
BY_FILE = ("serve", "--dataset", f"shop={NOWHERE}", "--access", "access.json")


def _url(password: str) -> tuple[str, ...]:
    return "serve", "--dataset", f"shop=postgresql://me:{password}@127.0.0.1:5432/shop", "--open"


def _at(host: str, database: str) -> tuple[str, ...]:
    return "serve", "--dataset", f"shop=postgresql://me:hidden@{host}:5432/{database}", "--open"


def _role(**entry: Any) -> dict[str, Any]:
    return {"roles": {"sales": {"access": [{"component": "*"} | entry]}}}


# (arguments, settings, content of access.json, words)
COMMANDS: list[tuple[tuple[str, ...], dict[str, str], Any, tuple[str, ...]]] = [
    # The address of a database
    (_url("hid#den"), {}, None, ("--dataset shop", "contains #", "%23")),
    (_url("hid/den"), {}, None, ("contains /", "%2F")),
    (_url("hid@den"), {}, None, ("contains @", "%40")),
    (_url("hid?den"), {}, None, ("contains ?", "%3F")),
    (_url("hid[den"), {}, None, ("contains [", "%5B")),
    (("serve",), {"DATASETS": f"shop={NOWHERE.replace('hidden', 'hid#den')}"}, None, ("DATASETS shop", "%23")),
    (("check",), {"DATABASE_URL": NOWHERE.replace("hidden", "hid/den")}, None, ("DATABASE_URL: ", "%2F")),
    (("changes", "install", "a", "--dataset", _url("hid#den")[2]), {}, None, ("contains #", "%23")),
    (("check",), {"DATABASE_URL": "postgresql://me@127.0.0.1:99999/shop"}, None, ("host or port", "host:5432")),
    (("check",), {"DATABASE_URL": "postgresql://me@127.0.0.1:port/shop"}, None, ("host or port", "host:5432")),
    (("serve", "--dataset", "shop", "--open"), {}, None, ("NAME=postgresql://user:password@host:5432/database",)),
    (("serve", "--dataset", "shop=mysql://x/y", "--open"), {}, None, ("is of mysql", "only PostgreSQL")),
    (OPEN, {}, None, ("--dataset shop: ", "127.0.0.1:1/shop", "connection refused", "Is PostgreSQL running there")),
    (_at("no.such.host.example", "s"), {}, None, ("--dataset shop: ", "Check the name of the host")),
    (_url("hid@d/e#n"), {}, None, ("contains @ and / and #", "write %40 and %2F and %23")),
    (_url("hid%sure"), {}, None, ("contains %,", "write %25")),
    (("check",), {"DATABASE_URL": "jdbc:postgresql://h/s?password=hidden"}, None, ("Leave out 'jdbc:' and write",)),
    (("check",), {"DATABASE_URL": "me:hidden@h:5432/s"}, None, ("DATABASE_URL: ", "lacks postgresql:// in front")),
    (("check",), {"DATABASE_URL": "host=h dbname=s password=hidden"}, None, ("lacks postgresql:// in front",)),
    (("serve", "--dataset", f"my shop={NOWHERE}", "--open"), {}, None, ("name 'my shop'", "digits, - and _")),
    (("serve", "--dataset", f"{NOWHERE}?a=b", "--open"), {}, None, ("--dataset number 1", "NAME=postgresql://")),
    # Options
    (("serv",), {}, None, ("'serv'", "'serve'")),
    (("sevre",), {}, None, ("there is no command 'sevre'", "Did you mean 'serve'?")),
    ((), {}, None, ("name a command: serve, worker",)),
    ((*OPEN, "--host", "not.a.host", "--api-key", "k" * 32), {}, None, ("HOST: 'not.a.host' is not an address",)),
    ((*OPEN, "--host", "192.0.2.1", "--api-key", "k" * 32), {}, None, ("HOST: '192.0.2.1' is not an address",)),
    (("serve", "--prot", "9"), {}, None, ("--prot", "Did you mean --port?")),
    (("mcp", "--quiet"), {}, None, ("--quiet", "Its options: ", "--session")),
    ((*OPEN, "--port", "abc"), {}, None, ("PORT", "whole number from 1 to 65535", "'abc'")),
    ((*OPEN, "--workers", "x"), {}, None, ("WORKERS", "whole number from 1 to 256", "'x'")),
    ((*OPEN, "--host", "0.0.0.0"), {}, None, ("full rights", "--api-key KEY")),
    (("serve", "--dataset", f"shop={NOWHERE}"), {}, None, ("--open", "--access FILE")),
    (("serve",), {}, None, ("is not a project", "--dataset NAME=")),
    (("check", "--dataset", f"shop={NOWHERE}"), {}, None, ("unrecognized arguments: --dataset. Its options",)),
    ((NOWHERE,), {}, None, ("invalid choice", "://...@")),
    (("changes", "remov"), {}, None, ("must be install or remove, not 'remov'. Did you mean 'remove'?",)),
    (("mcp", "--token"), {}, None, ("--token. Its options: ",)),
    (("doctor", "mcp"), {}, None, ("such as https://api.example.com/mcp",)),
    # Settings
    (OPEN, {"DATASET": f"shop={NOWHERE}"}, None, ("DATASET: ", "set DATASETS")),
    (OPEN, {"PORT": "abc"}, None, ("PORT", "whole number from 1 to 65535", "'abc'")),
    (OPEN, {"PORT": "70000"}, None, ("PORT", "whole number from 1 to 65535", "'70000'")),
    (OPEN, {"WORKERS": "0"}, None, ("WORKERS", "whole number from 1 to 256", "'0'")),
    (OPEN, {"MAX_LIMIT": "-1"}, None, ("MAX_LIMIT", "whole number of at least 1", "'-1'")),
    (OPEN, {"STATEMENT_SECONDS": "5s"}, None, ("STATEMENT_SECONDS", "number from 0.001", "'5s'")),
    (OPEN, {"IMPORT_SECONDS": "0"}, None, ("IMPORT_SECONDS", "number above 0", "'0'")),
    (OPEN, {"REQUEST_SECONDS": "inf"}, None, ("REQUEST_SECONDS", "number above 0", "'inf'")),
    (OPEN, {"RATE_LIMITS": "maybe"}, None, ("RATE_LIMITS", "on or off", "'maybe'")),
    (OPEN, {"LOG_LEVEL": "loud"}, None, ("LOG_LEVEL", "'debug'", "'loud'")),
    (OPEN, {"PUBLIC_URL": "app.example.com"}, None, ("PUBLIC_URL", "such as https://app.example.com")),
    (OPEN, {"PUBLIC_URL": "https://e.example/app"}, None, ("PUBLIC_URL", "must not have a path", "'/app'")),
    (OPEN, {"DATABSE_URL": "x"}, None, ("DATABSE_URL", "is ignored. Did you mean DATABASE_URL?")),
    (OPEN, {"DATA_DIR": "/proc/x"}, None, ("DATA_DIR /proc/x", "the user ", "Name a folder of this user")),
    (OPEN, {"CORS_ORIGINS": "example.com"}, None, ("CORS_ORIGINS", "such as https://app.example.com")),
    (OPEN, {"REDIS_URL": "host:6379"}, None, ("REDIS_URL", "such as redis://host:6379/0")),
    (OPEN, {"TRUSTED_PROXIES": "nginx"}, None, ("TRUSTED_PROXIES", "such as 10.0.0.7")),
    (OPEN, {"DATASET": "a b"}, None, ("DATASET", "letters, digits, - and _", "'a b'")),
    (OPEN, {"DATABASE_CONNECTIONS": "1", "WORKERS": "2"}, None, ("at least 6", "Raise it, or lower WORKERS")),
    (("serve",), {"DATASETS": "@none"}, None, ("DATASETS @none", "No such file")),
    (OPEN, {"SECRET_KEY": "a"}, None, ("SECRET_KEY", "Did you mean SECRET_KEYS?")),
    # The access file, by the option and by the setting
    (("serve",), {"DATASETS": f"shop={NOWHERE}", "ACCESS_FILE": "a"}, None, ("access file a", "No such file")),
    (BY_FILE, {}, "{", ("access.json", "line 1 column 2")),
    (BY_FILE, {}, "", ("access.json", "the file is empty", '{"keys": {...}')),
    (BY_FILE, {}, '{"roles": {},}', ("a comma has nothing after it. Remove it", "line 1 column")),
    (BY_FILE, {}, {"roles": {"sales": {"acess": []}}}, ("roles.sales.acess", "did you mean 'access'?\n")),
    (BY_FILE, {}, [], ("one object with 'keys' and 'roles'",)),
    (BY_FILE, {}, {"keys": {"K": {"role": "sales"}}}, ("'K...'", "'sales'", "not defined under 'roles'")),
    (BY_FILE, {}, {"keys": {"K": "*"}}, ("keys.K...", "object {...}")),
    (BY_FILE, {}, {"keys": ["K"]}, ("keys: must be an object {...}",)),
    (BY_FILE, {}, {"roles": {"sales": {"access": {}}}}, ("roles.sales.access", "list [...]")),
    (BY_FILE, {}, _role(verb_mask="GET"), ("roles.sales.access.0.verb_mask", "GET 1, POST 2", "here 1")),
    (BY_FILE, {}, _role(verb_mask="get|patch"), ("verb_mask", "PATCH 8, DELETE 16", "here 9")),
    (BY_FILE, {}, _role(verb_mask=["GET", "DELETE"]), ("verb_mask", "here 17")),
    (BY_FILE, {}, _role(), ("verb_mask", "GET 1, POST 2")),
    (BY_FILE, {}, _role(verb_mask=1, filter=[]), ("unknown member", "'filters'")),
    (BY_FILE, {}, _role(verb_mask=1, filter_op="XOR"), ("filter_op", "'AND'")),
    (BY_FILE, {}, _role(verb_mask=1, filters=[{"name": "id", "operator": "=="}]), ("'id'", "'=='", "IN")),
    (BY_FILE, {}, {"webhooks": [{}]}, ("webhooks.0.name: is missing",)),
]  # fmt: skip


@pytest.mark.parametrize(("words", "settings", "access", "told"), COMMANDS)
def test_a_wrong_command(
    words: tuple[str, ...], settings: dict[str, str], access: Any, told: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "access.json").write_text(access if isinstance(access, str) else json.dumps(access))
    done = tableapi(*words, cwd=tmp_path, **{"PORT": str(free_port()), "WORKERS": "1"} | settings)
    output = done.stdout + done.stderr
    assert done.returncode in (1, 2), output
    assert [word for word in told if word not in output] == [], output
    assert "Traceback" not in output
    assert not any(secret in output for secret in ("hidden", "hid#", "hid%", "hid/", "hid@", "hid?", "hid["))


@pytest.mark.parametrize("line", ["PORT abc", "PORT: 8000", "=8000"])
def test_a_line_of_the_settings_file_that_cannot_be_read(line: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"# settings\nLOG_LEVEL=info\n{line}\n")
    done = tableapi(*OPEN, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert ".env, line 3: must be NAME=value." in done.stderr, done.stderr


def test_run_without_a_script_lists_them(project: Path, new_database: NewDatabase, tmp_path: Path) -> None:
    done = tableapi("run", cwd=project, DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data")
    assert done.returncode == 2
    assert "Name the script to run. Available scripts: " in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("tidyupp",), "There is no internal script 'tidyupp'. Did you mean 'tidyup'?"),
        (("importpeople",), "importpeople needs file=VALUE"),
        (("importpeople", "fiel=people.csv"), "importpeople has no argument 'fiel'. Did you mean 'file'?"),
    ],
)
def test_a_wrong_call_of_a_script(words: tuple[str, ...], told: str, new_database: NewDatabase, tmp_path: Path) -> None:
    done = tableapi("run", *words, cwd=ROOT, DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data")
    assert done.returncode == 2
    assert told in done.stderr, done.stderr


def test_changes_of_a_table_that_does_not_exist(new_database: NewDatabase, tmp_path: Path) -> None:
    url = new_database("create table customer (id int primary key, city text)")
    for table, told in (("custmer", "Did you mean 'customer'?"), ("customer:ctiy", "Did you mean 'city'?")):
        done = tableapi("changes", "install", table, "--dataset", f"shop={url}", cwd=tmp_path)
        assert done.returncode == 1
        assert told in done.stderr, done.stderr
