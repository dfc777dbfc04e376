"""The product with two clients: one sends requests, the rows of the other must not change."""

from __future__ import annotations

import hashlib
from typing import Any

import asyncpg

from product.people.directory import sealed_fields
from product.vendors.people import FoundPerson
from tableapi.crypto.vault import Vault

SECRET, KEY = "a secret for tests", "test-app-key"
OWNER, MEMBER, VICTIM = "fuzz-owner", "fuzz-member", "fuzz-victim"
PEOPLE = 30
_TOKENS = {OWNER: (900, 900), MEMBER: (902, 900), VICTIM: (901, 901)}
CALLERS: dict[str, dict[str, str]] = {
    "nobody": {},
    "app key": {"X-API-Key": KEY},
    "owner": {"X-API-Key": KEY, "X-Session-Token": OWNER},
    "member": {"X-API-Key": KEY, "X-Session-Token": MEMBER},
}
_ACCOUNT = """
insert into client (clientid, companyname) values ({id}, 'Fuzz {id} Ltd');
insert into usersubscription (clientid, planid, expirydate) values ({id}, 4, now() + interval '1 year');
insert into usercredit (clientid, contactcredit, bus_email_credits, personal_email_credits, seatcount,
    apicallcount) values ({id}, 50, 50, 50, 5, 5);
insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)
    select {id}, kind, 50, 50, 'test', 'test', kind
    from unnest(array['contactcredit', 'bus_email_credits', 'personal_email_credits']) kind;
insert into appuser (appuserid, clientid, name, email, isverified) values
    ({id}, {id}, 'Fuzz', 'fuzz-{id}@f.example', 1);
"""
# One checksum per table of the rows of the other client and of rows without a client.
_UNTOUCHED = {
    "client": "clientid = 901", "appuser": "clientid = 901", "usercredit": "clientid = 901",
    "creditledger": "clientid = 901", "usersubscription": "clientid = 901", "apikeys": "clientid = 901",
    "usercontact": "clientid = 901", "contactfeedback": "clientid = 901", "reveal": "clientid = 901",
    "transactionhistory": "clientid = 901", "subscriptionplan": "true", "person": "true", "auditlog": "clientid = 901",
}  # fmt: skip
# These columns depend on the time of a session, not on rights.
_BOOKS = """
select coalesce(bool_and(c.contactcredit = l.a and c.bus_email_credits = l.b and c.personal_email_credits = l.c), true)
from usercredit c join (
    select clientid, coalesce(sum(delta) filter (where kind = 'contactcredit'), 0) a,
           coalesce(sum(delta) filter (where kind = 'bus_email_credits'), 0) b,
           coalesce(sum(delta) filter (where kind = 'personal_email_credits'), 0) c
    from creditledger group by clientid) l using (clientid)
"""
_OWNER_IS_ONE = "select count(*) from appuser where clientid in (900, 901) and role = 'client'"


async def fill(url: str) -> None:
    db = await asyncpg.connect(url)
    for number in (900, 901):
        await db.execute(_ACCOUNT.format(id=number))
    await db.execute(
        "insert into appuser (appuserid, clientid, name, email, isverified, role)"
        " values (902, 900, 'Member', 'fuzz-902@f.example', 1, 'member')"
    )
    vault = Vault([SECRET])
    person = FoundPerson(full_name="Fred Fuzz", business_emails=["fred@fuzz.example:valid"],
                        personal_emails=["f@home.example"], phones=["+4512345678"])  # fmt: skip
    columns = ["profilekey", "full_name", "title", "company", "company_domain", "country", "personalcipher",
               "businesscipher", "phonecipher"]  # fmt: skip
    rows = [(f"in/fuzz-{number}", *sealed_fields(vault, person)) for number in range(PEOPLE)]
    await db.copy_records_to_table("person", records=rows, columns=columns)
    await db.close()
    await sign_in(url)


async def sign_in(url: str) -> None:
    """Restore sessions, users and account, since some requests end their own session."""
    db = await asyncpg.connect(url)
    for token, (user, client) in _TOKENS.items():
        hashed = hashlib.sha256(token.encode()).digest()
        await db.execute(
            "insert into usersession (tokenhash, appuserid, clientid) values ($1, $2, $3)"
            " on conflict (tokenhash) do update set revokedon = null, lastused = now()",
            hashed, user, client,
        )  # fmt: skip
    await db.execute("update appuser set isactive = 1, isdeleted = 0, role = 'member' where appuserid = 902")
    await db.close()


async def state(url: str) -> dict[str, Any]:
    """Return the checksums that must be the same before and after."""
    db = await asyncpg.connect(url)
    value = {
        table: await db.fetchval(
            f"select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from {table} t where {rows}"
        )
        for table, rows in _UNTOUCHED.items()
    }
    value["ledger is balance"] = await db.fetchval(_BOOKS)
    value["owners"] = await db.fetchval(_OWNER_IS_ONE)
    await db.close()
    return value


async def reveal_for_victim(url: str, http: Any) -> None:
    """Create contacts, an API key and feedback of the other client."""
    headers = {"X-API-Key": KEY, "X-Session-Token": VICTIM}
    for number in range(3):
        body = {"linkedinurl": f"linkedin.com/in/fuzz-{number}", "type": "directdial", "action": "reveal"}
        response = await http.post(f"{url}/api/v2/getcontact", json=body, headers=headers)
        assert response.status_code == 200, response.text
    keys = await http.post(
        f"{url}/api/v2/leads/_table/apikeys", json={"resource": [{"purpose": "CRM"}]}, headers=headers
    )
    assert keys.status_code == 200, keys.text
