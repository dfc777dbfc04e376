"""The policy of the first release, without what later schemas added (tests/processes/test_rolling_update.py).

The roles: `key` (an app key and nothing else), `unverified` (the session of a sign-up that still has to verify its
address), `client` (the owner of an account) and `member` (an invited seat, also of the seat role `admin`).
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tableapi.auth.policy import Access, Rule, Sessions

OWNER = ("client",)
EVERYONE = ("client", "member")
SIGNED_IN = ("client", "member", "unverified")
Clause = sa.ColumnElement[bool]


def own_client(table: Any, actor: Any) -> Clause:
    """Select the rows of the caller's account."""
    return table.c.clientid == actor.clientid  # type: ignore[no-any-return]


def own_self(table: Any, actor: Any) -> Clause:
    """Select the rows of the caller."""
    return table.c.appuserid == actor.appuserid  # type: ignore[no-any-return]


def nobody(_table: Any, _actor: Any) -> Clause:
    """Select no row."""
    return sa.false()


def own_seats(table: Any, actor: Any) -> Clause:
    """Select the users of the caller's account except its owner, which cannot be disabled."""
    return sa.and_(own_client(table, actor), table.c.role != "client")


_LINK = sa.table("usercontactlink", *(sa.column(name) for name in ("clientid", "appuserid", "contactid")))


def _own_links(actor: Any) -> tuple[Clause, Clause]:
    return _LINK.c.clientid == actor.clientid, _LINK.c.appuserid == actor.appuserid


def unlocked(table: Any, actor: Any) -> Clause:
    """Select the contacts that the caller unlocked, or requested after a colleague did."""
    mine = sa.exists().where(*_own_links(actor), _LINK.c.contactid == table.c.contactid)
    return sa.and_(own_client(table, actor), mine)  # the index of this order begins with the client


def offered(table: Any, _actor: Any) -> Clause:
    """Select the plans that are for sale."""
    return table.c.isactive == 1  # type: ignore[no-any-return]


COMPANY = {
    "companyname",
    "phonenumber",
    "country",
    "salespeoplecount",
    "requiredleadcount",
    "department",
    "taxid",
    "billingaddress",
}
PROFILE = {"name", "firstname", "lastname", "phonenumber", "avatar"}
BALANCES = {
    "clientid",
    "contactcredit",
    "bus_email_credits",
    "personal_email_credits",
    "emailcredit",
    "seatcount",
    "apicallcount",
}
PROVIDER_IDS = {"stripe_subid", "stripe_itemid", "stripe_scheduleid", "transactionid"}
USER_SECRETS = {"password", "passwordexpireson", "mfacipher", "termsacceptedon", "welcomedon"}
CONTACT_INTERNALS = {"personid"}

POLICY: dict[str, Access] = {
    "appuser": Access(
        # Creating and deleting are the hooks in scripts/tables/appuser.py: they count seats and send mail.
        read=(
            Rule(roles=OWNER, rows=own_client, hidden=USER_SECRETS),
            Rule(roles=("member", "unverified"), rows=own_self, hidden=USER_SECRETS),
            # For holders of a mailed token; the hook answers that one request and no other.
            Rule(roles=("key",), rows=nobody, fields={"appuserid", "name", "email", "isverified", "invitestatus"}),
        ),
        create=Rule(roles=OWNER, fields={"name", "firstname", "lastname", "email", "role"}),
        update=(
            Rule(roles=OWNER, rows=own_client, fields=PROFILE | {"isactive", "role"}),
            Rule(roles=("member", "unverified"), rows=own_self, fields=PROFILE),
        ),
        delete=Rule(roles=OWNER, rows=own_seats),
    ),
    "client": Access(
        # Creating is registration and social sign-up, scripts/tables/client.py.
        read=(
            Rule(roles=("client", "unverified"), rows=own_client, hidden={"stripe_custid"}),
            Rule(roles=("member",), rows=own_client, fields={"clientid", "companyname"}),
        ),
        create=Rule(roles=("key", *SIGNED_IN), fields=set()),
        update=Rule(roles=("client", "unverified"), rows=own_client, fields=COMPANY),
    ),
    "usercredit": Access(
        read=(
            Rule(roles=("client", "unverified"), rows=own_client),
            Rule(roles=("member",), rows=own_client, fields=BALANCES),
        )
    ),
    "creditledger": Access(read=Rule(roles=OWNER, rows=own_client)),
    "usersubscription": Access(
        # Changing is the hook in scripts/tables/usersubscription.py: only the intent of the body counts.
        read=(
            Rule(roles=("client", "unverified"), rows=own_client, hidden={"stripe_itemid", "stripe_scheduleid"}),
            Rule(roles=("member",), rows=own_client, hidden=PROVIDER_IDS),
        ),
        update=Rule(roles=OWNER, rows=own_client, fields=set()),
    ),
    "subscriptionplan": Access(read=Rule(roles=("key", *SIGNED_IN), rows=offered, hidden={"isactive"})),
    "apikeys": Access(
        # Creating and switching off are the hooks in scripts/tables/apikeys.py.
        read=Rule(roles=OWNER, rows=own_client, hidden={"keyhash"}),
        create=Rule(roles=OWNER, rows=own_client, fields={"purpose", "name"}),
        update=Rule(roles=OWNER, rows=own_client, fields={"purpose", "name", "isactive", "isdeleted"}),
        sealed={"apikey"},
    ),
    "apiusage": Access(read=Rule(roles=OWNER, rows=own_client)),
    "usercontact": Access(
        # No create rule: scripts/getcontact.py inserts contacts and charges for them.
        read=(
            Rule(
                roles=OWNER,
                rows=unlocked,
                hidden=CONTACT_INTERNALS,
                rows_by={"revealedby": own_client, "dialrevealedby": own_client},
            ),
            Rule(roles=("member",), rows=unlocked, hidden=CONTACT_INTERNALS),
        ),
        update=Rule(roles=EVERYONE, rows=unlocked, fields={"deleted"}),
        sealed={"emails", "business_emails", "phone_numbers"},
    ),
    "contactfeedback": Access(
        # Creating is the hook in scripts/tables/contactfeedback.py, which checks what was paid for.
        read=Rule(roles=EVERYONE, rows=own_self, hidden={"infohash", "personid"}),
        create=Rule(roles=EVERYONE, fields={"linkedin_url", "info", "action", "type", "downvotereason", "reasonnote"}),
        sealed={"info", "reasonnote"},
    ),
    "transactionhistory": Access(read=Rule(roles=OWNER, rows=own_client, hidden={"providerid", "receipts"})),
    "usersession": Access(
        read=Rule(roles=EVERYONE, rows=own_self, hidden={"tokenhash"}),
        delete=Rule(roles=EVERYONE, rows=own_self),
    ),
    "auditlog": Access(read=Rule(roles=OWNER, rows=own_client)),
}

# A revoked session of a disabled or deleted user still reports the reason; see `refusals`.
SESSIONS = Sessions(
    lookup="""
        select s.usersessionid, s.appuserid, u.clientid, u.afid::text as afid, u.name, u.email, u.role as seatrole,
               case when u.isdeleted = 1 then 'deleted'
                    when u.isactive = 0 then 'disabled'
                    when u.isverified = 0 or u.invitestatus <> 'accepted' then 'unverified'
                    when u.role = 'client' then 'client'
                    else 'member' end as role
        from usersession s join appuser u using (appuserid)
        where s.tokenhash = $1 and s.expireson > now() and s.lastused > now() - interval '24 hours'
          and (s.revokedon is null or u.isdeleted = 1 or u.isactive = 0)
    """,
    touch="update usersession set lastused = now() where tokenhash = $1 and revokedon is null",
    refusals={
        "deleted": (404, "deleted", "You have been deleted by the admin"),
        "disabled": (403, "disabled", "Your account is temporarily disabled"),
    },
)
