"""The data of the bench: made by PostgreSQL itself, once per size, and kept between runs.

Clients grow with the contacts: `scale` 1 is 2,000 clients, 20,000 users, 1,000,000 contacts. Half of that belongs to
one client in four, so that a list of 1,000 contacts of one client exists: see `CONTACTS`.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from pathlib import Path

import asyncpg

from tableapi.server import migrate

PROJECT = Path(__file__).parent / "project"
SESSIONS = 200  # owners of the first clients; one more session belongs to staff
STAFF = "bench-staff"
LARGE, SMALL = 500, 1500  # clients per scale
USERS = (31, 3)  # of a large and of a small client
CONTACTS = (1400, 200)

FILL = """
insert into subscriptionplan
    select n, 'Plan ' || n, n * 49, 30, repeat('What it holds. ', 4), 'price_' || n from generate_series(1, 5) n;
insert into client (clientid, companyname, phonenumber, country, department, stripe_custid)
    select n, 'Company ' || n, '1202555' || lpad((n % 10000)::text, 4, '0'), 'USA', 'Sales', 'cus_' || n
    from generate_series(1, {large} + {small}) n;
insert into usercredit (clientid, contactcredit, bus_email_credits, personal_email_credits, seatcount)
    select clientid, clientid % 500, clientid % 700, clientid % 300, 5 from client;
insert into usersubscription (clientid, planid, isactive, status, startdate, expirydate, stripe_subid)
    select clientid, 1 + (clientid + n) % 5, (n = 2)::int, case n when 2 then 'active' else 'expired' end,
           '2026-01-01'::timestamptz + n * interval '30 days', '2026-02-01'::timestamptz + n * interval '30 days',
           'sub_' || clientid || '_' || n
    from client, generate_series(1, 2) n;
insert into appuser (appuserid, clientid, name, firstname, lastname, email, role, password)
    select n, c, 'User ' || n, 'User', 'No ' || n, 'user' || n || '@example.com',
           case when n <= {large} + {small} then 'client' else 'member' end, 'argon2'
    from (select n, case when n <= {large} + {small} then n
                         when n <= {large} * {u0} + {small} then 1 + (n - 1) % {large}
                         else {large} + 1 + (n - 1) % {small} end as c
          from generate_series(1, {large} * {u0} + {small} * {u1}) n) made;
insert into usercontact (contactid, clientid, personid, name, linkedinurl, emails, business_emails, phone_numbers,
                         bus_email_validation, phonecost, deleted, revealedby, createdon)
    select n, c, n, 'Person ' || n, 'https://www.linkedin.com/in/person-' || n, 'person' || n || '@home.example',
           'person' || n || '@company.example', '+1202555' || lpad((n % 10000)::text, 4, '0'), 'valid', 1,
           (n * 7919 / 1000 % 50 = 0)::int, c, '2026-01-01'::timestamptz + (n % 15552000) * interval '1 second'
    from (select n, case when n <= {large} * {c0} then 1 + (n - 1) % {large}
                         else {large} + 1 + (n - 1) % {small} end as c
          from generate_series(1::bigint, {large} * {c0} + {small} * {c1}) n) made;
"""
AFTER = """
select setval(pg_get_serial_sequence('appuser', 'appuserid'), (select max(appuserid) from appuser));
select setval(pg_get_serial_sequence('usercontact', 'contactid'), (select max(contactid) from usercontact));
insert into appuser (clientid, name, email, role) values (1, 'Staff', 'staff@example.com', 'staff');
"""


def contacts(scale: float) -> int:
    """How many contacts there are before anything is inserted."""
    return int(scale * LARGE) * CONTACTS[0] + int(scale * SMALL) * CONTACTS[1]


async def prepare(server: str, scale: float) -> str:
    """The address of a database of this size on `server`, filled when it is new."""
    made_by = hashlib.sha256((PROJECT / "schema.sql").read_bytes() + FILL.encode()).hexdigest()[:6]
    name = f"bench_{int(scale * 1_000_000)}_{made_by}"
    url = f"{server.rpartition('/')[0]}/{name}"
    admin = await asyncpg.connect(server)
    try:
        if not await admin.fetchval("select 1 from pg_database where datname = $1", name):
            print(f"Making {contacts(scale):,} contacts (kept for the next run) ...", flush=True)
            began = time.monotonic()
            await admin.execute(f"drop database if exists {name}_new")
            await admin.execute(f"create database {name}_new")
            await _fill(f"{url}_new", scale)
            await admin.execute(f"alter database {name}_new rename to {name}")
            print(f"Made in {time.monotonic() - began:.0f} s.", flush=True)
    finally:
        await admin.close()
    await restore(url, scale)
    return url


async def _fill(url: str, scale: float) -> None:
    connection = await asyncpg.connect(url)
    sizes = {"large": int(scale * LARGE), "small": int(scale * SMALL)}
    sizes |= {"u0": USERS[0], "u1": USERS[1], "c0": CONTACTS[0], "c1": CONTACTS[1]}
    await migrate.upgrade(connection, PROJECT, lambda _: None)
    await connection.execute(FILL.format(**sizes))
    await connection.execute(AFTER)
    await connection.executemany(
        "insert into usersession (tokenhash, appuserid, clientid) values ($1, $2, $2)",
        [(_hashed(f"bench-{n}"), n) for n in range(1, min(SESSIONS, int(scale * LARGE)) + 1)],
    )
    await connection.execute(
        "insert into usersession (tokenhash, appuserid, clientid)"
        " select $1, appuserid, clientid from appuser where role = 'staff'",
        _hashed(STAFF),
    )
    await connection.close()


async def restore(url: str, scale: float) -> None:
    """Take away what writes of an earlier run left, so that every run starts from the same."""
    connection = await asyncpg.connect(url)
    await connection.execute(f"delete from usercontact where contactid > {contacts(scale)}")
    await connection.execute("vacuum (analyze)")
    await connection.execute("checkpoint")
    await connection.close()


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def main(server: str, scale: float) -> str:
    """`prepare` for who has no event loop."""
    return asyncio.run(prepare(server, scale))
