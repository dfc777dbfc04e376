"""Hand-written handlers: Starlette on granian, one asyncpg pool, JSON built by PostgreSQL.

Without keys, sessions, policy, limits and logs: the overhead of tableapi is measured against this.
"""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

CONTACT = (
    "contactid, clientid, name, linkedinurl, emails, business_emails, phone_numbers, bus_email_validation,"
    " phonecost, deleted, revealedby, createdon"
)
ROWS = f"select {CONTACT} from usercontact where clientid = $1 and deleted = 0 order by createdon desc, contactid limit"
PAGE = f"select array_to_json(array_agg(r)) from ({ROWS} 25) r"
THOUSAND = f"select array_to_json(array_agg(r)) from ({ROWS} 1000) r"
COUNT = "(select count(*) from usercontact where clientid = $1 and deleted = 0)"
COUNTED = f"select array_to_json(array_agg(r)), {COUNT} from ({ROWS} 25) r"
ONE = f"select row_to_json(r) from (select {CONTACT} from usercontact where contactid = $1) r"
USERS = """
select array_to_json(array_agg(r)) from (
    select u.appuserid, u.clientid, u.afid, u.name, u.firstname, u.lastname, u.email, u.role, u.isactive, u.isdeleted,
           u.isverified, u.createdon, (
        select row_to_json(c) from (
            select c.clientid, c.companyname, c.phonenumber, c.country, c.department, c.createdon, (
                select array_to_json(array_agg(k)) from (
                    select * from usercredit k where k.clientid = c.clientid order by usercreditid limit 1000) k
            ) as usercredit_by_clientid, (
                select array_to_json(array_agg(s)) from (
                    select subscriptionid, clientid, planid, autorenew, isactive, status, startdate, expirydate,
                           createdon
                    from usersubscription s where s.clientid = c.clientid order by subscriptionid limit 1000) s
            ) as usersubscription_by_clientid
            from client c where c.clientid = u.clientid) c
    ) as client_by_clientid
    from appuser u where u.appuserid >= $1 and u.isdeleted = 0 order by u.appuserid limit 25) r
"""
INSERT = (
    "insert into usercontact (clientid, personid, name, linkedinurl) values ($1, $2, $3, $4)"
    " returning json_build_object('contactid', contactid)"
)
NOTE = "insert into contactnote (clientid, contactid, text) values ($1, $2, $3) returning "
WITH_NOTES = f"""
with new as (
    insert into usercontact (clientid, personid, name, linkedinurl) values ($1, $2, $3, $4) returning *
), notes as (
    insert into contactnote (clientid, contactid, text)
    select $1, new.contactid, sent.text from new, unnest($5::text[]) with ordinality sent (text, n) order by sent.n
    returning *
)
select row_to_json(r) from (
    select {CONTACT}, (select json_agg(n order by n.noteid) from notes n) as contactnote_by_contactid from new
) r
"""
WITH_CLIENT = f"""
with changed as (update usercontact set name = $2 where contactid = $1 returning *)
select row_to_json(r) from (
    select {CONTACT}, (
        select row_to_json(c) from (
            select clientid, companyname, phonenumber, country, department, createdon
            from client c where c.clientid = changed.clientid) c
    ) as client_by_clientid from changed
) r
"""
CHANGE = "update usercontact set name = $2 where contactid = $1 returning json_build_object('contactid', contactid)"

pool: asyncpg.Pool


def as_is(value: bytes) -> bytes:
    return value


async def prepare(connection: asyncpg.Connection) -> None:
    await connection.set_type_codec("json", schema="pg_catalog", format="binary", encoder=as_is, decoder=as_is)


async def no_reset(_: asyncpg.Connection) -> None:
    """Skip the reset statement that asyncpg sends when a connection returns to the pool."""


@asynccontextmanager
async def lifespan(_: Starlette) -> Any:
    global pool
    size = int(os.environ["POOL"])
    pool = await asyncpg.create_pool(
        os.environ["DATABASE_URL"], min_size=size, max_size=size, init=prepare, reset=no_reset,
        server_settings={"jit": "off", "timezone": "UTC"},
    )  # fmt: skip
    async with pool:
        yield


def answer(body: bytes) -> Response:
    return Response(body, media_type="application/json")


async def contact(request: Request) -> Response:
    number = int(request.path_params["id"])
    if request.method == "GET":
        return answer(await pool.fetchval(ONE, number))
    record = orjson.loads(await request.body())
    statement = WITH_CLIENT if "client" in request.query_params else CHANGE
    return answer(await pool.fetchval(statement, number, record["name"]))


async def create(request: Request) -> Response:
    [record] = orjson.loads(await request.body())["resource"]
    values = int(request.query_params["client"]), record["personid"], record["name"], record["linkedinurl"]
    if notes := record.get("contactnote_by_contactid"):
        value = await pool.fetchval(WITH_NOTES, *values, [note["text"] for note in notes])
    else:
        value = await pool.fetchval(INSERT, *values)
    return answer(b'{"resource":[' + value + b"]}")


async def batch(request: Request) -> Response:
    first, *steps = orjson.loads(await request.body())["requests"]
    client, [record] = int(request.query_params["client"]), first["body"]["resource"]
    bodies = []
    async with pool.acquire() as connection, connection.transaction():
        contactid = await connection.fetchval(
            INSERT.replace("json_build_object('contactid', contactid)", "contactid"),
            client, record["personid"], record["name"], record["linkedinurl"],
        )  # fmt: skip
        bodies.append(b'{"contactid":%d}' % contactid)
        for step in steps:
            [note] = step["body"]["resource"]
            value = await connection.fetchval(
                f"{NOTE}json_build_object('noteid', noteid)", client, contactid, note["text"]
            )
            bodies.append(value)
    responses = b",".join(b'{"status":200,"body":{"resource":[%b]}}' % body for body in bodies)
    return answer(b'{"responses":[' + responses + b"]}")


async def contacts(request: Request) -> Response:
    query = request.query_params
    client = int(query["client"])
    if "count" in query:
        row = await pool.fetchrow(COUNTED, client)
        assert row is not None
        return answer(b'{"resource":%b,"meta":{"count":%d}}' % (row[0], row[1]))
    body = await pool.fetchval(PAGE if query["limit"] == "25" else THOUSAND, client)
    return answer(b'{"resource":' + body + b"}")


async def users(request: Request) -> Response:
    body = await pool.fetchval(USERS, int(request.query_params["from"]))
    return answer(b'{"resource":' + body + b"}")


app = Starlette(
    routes=[
        Route("/contact/{id}", contact, methods=["GET", "PATCH"]),
        Route("/contact", create, methods=["POST"]),
        Route("/batch", batch, methods=["POST"]),
        Route("/contacts", contacts),
        Route("/users", users),
    ],
    lifespan=lifespan,
)
