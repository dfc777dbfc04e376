"""Who may do what with which rows and fields. What is not written here does not exist for the API.

The roles: `key` (an app key and nothing else), `unverified` (the session of a sign-up that still has to verify its
address), `temporary` (that of a user who still has to change a mailed password), `client` (the owner of an account) and
`member` (an invited seat, also of the seat role `admin`).
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tableapi.auth.policy import Access, KeyedHash, Rule, SealedTable, Sessions

OWNER = ("client",)
EVERYONE = ("client", "member")
SIGNED_IN = ("client", "member", "unverified")
Clause = sa.ColumnElement[bool]


def own_client(table: Any, actor: Any) -> Clause:
    """Rows of the caller's account."""
    return table.c.clientid == actor.clientid  # type: ignore[no-any-return]


def own_self(table: Any, actor: Any) -> Clause:
    """Rows of the caller alone, in the caller's account."""
    return sa.and_(own_client(table, actor), table.c.appuserid == actor.appuserid)


def no_rows(_table: Any, _actor: Any) -> Clause:
    """No row."""
    return sa.false()


def own_seats(table: Any, actor: Any) -> Clause:
    """Users of the caller's account except its owner, who cannot be switched off."""
    return sa.and_(own_client(table, actor), table.c.role != "client")


def kept(table: Any, _actor: Any) -> Clause:
    """Contacts that were not deleted from the list."""
    return table.c.deleted == 0  # type: ignore[no-any-return]


_LINK = sa.table("usercontactlink", *(sa.column(name) for name in ("clientid", "appuserid", "contactid", "listedon")))


def my_list(actor: Any) -> sa.Select[Any]:
    """What `unlocked` allows, in the index of the links alone."""
    return sa.select(_LINK.c.contactid, _LINK.c.listedon.label("createdon")).where(*_own_links(actor))


def _own_links(actor: Any) -> tuple[Clause, Clause]:
    return _LINK.c.clientid == actor.clientid, _LINK.c.appuserid == actor.appuserid


def unlocked(table: Any, actor: Any) -> Clause:
    """Contacts that the caller unlocked, or asked for after a colleague did."""
    mine = sa.exists().where(*_own_links(actor), _LINK.c.contactid == table.c.contactid)
    return sa.and_(own_client(table, actor), mine)


def offered(table: Any, _actor: Any) -> Clause:
    """Plans that are for sale."""
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
USER_SECRETS = {"password", "passwordproved", "passwordexpireson", "mfacipher", "termsacceptedon", "welcomedon"}
CONTACT_INTERNALS = {"personid"}

POLICY: dict[str, Access] = {
    "appuser": Access(
        # Creating and deleting are the hooks in scripts/tables/appuser.py: they count seats and send mail.
        read=(
            Rule(roles=OWNER, rows=own_client, hidden=USER_SECRETS),
            Rule(roles=("member", "unverified"), rows=own_self, hidden=USER_SECRETS),
            # For who holds a mailed token; the hook serves that one question and no other (call 21).
            Rule(roles=("key",), rows=no_rows, fields={"appuserid", "name", "email", "isverified", "invitestatus"}),
        ),
        create=Rule(
            roles=OWNER,
            fields={"name", "firstname", "lastname", "email", "role"},
            ignored={"clientid", "isactive", "isverified", "password"},
        ),
        update=(
            # A profile is its user's own. An owner switches the others on and off, and never itself.
            Rule(
                roles=OWNER,
                rows=own_client,
                fields=PROFILE | {"isactive", "role"},
                only_in=dict.fromkeys(PROFILE, own_self) | dict.fromkeys(("isactive", "role"), own_seats),
            ),
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
        create=Rule(roles=("key", *SIGNED_IN), fields=set(), ignored={"clientid"}),
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
        # Changing is the hook of call 49: of what the body says only the intent counts.
        read=(
            Rule(roles=("client", "unverified"), rows=own_client, hidden={"stripe_itemid", "stripe_scheduleid"}),
            Rule(roles=("member",), rows=own_client, hidden=PROVIDER_IDS),
            # A plan's subscriptions without a session are none; the hook refuses the table itself.
            Rule(roles=("key",), rows=no_rows, hidden=PROVIDER_IDS),
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
    "apiusage": Access(read=Rule(roles=OWNER, rows=own_client), replica=True),
    "usercontact": Access(
        # No create: a contact is born in scripts/getcontact.py, where it is paid for.
        read=(
            Rule(
                roles=OWNER,
                rows=unlocked,
                listed=my_list,
                hidden=CONTACT_INTERNALS,
                rows_by={"revealedby": own_client, "dialrevealedby": own_client},
            ),
            Rule(roles=("member",), rows=unlocked, listed=my_list, hidden=CONTACT_INTERNALS),
        ),
        update=Rule(roles=EVERYONE, rows=unlocked, fields={"deleted"}, only_in={"deleted": kept}),
        sealed={"emails", "business_emails", "phone_numbers"},
        replica=True,
    ),
    "contactfeedback": Access(
        # Creating is the hook of call 42, which knows what was paid for.
        read=Rule(roles=EVERYONE, rows=own_self, hidden={"infohash", "personid"}),
        create=Rule(roles=EVERYONE, fields={"linkedin_url", "info", "action", "type", "downvotereason", "reasonnote"}),
        sealed={"info", "reasonnote"},
        replica=True,
    ),
    "transactionhistory": Access(read=Rule(roles=OWNER, rows=own_client, hidden={"providerid", "receipts"})),
    "usersession": Access(
        read=Rule(roles=EVERYONE, rows=own_self, hidden={"tokenhash"}),
        delete=Rule(roles=EVERYONE, rows=own_self),
    ),
    "auditlog": Access(read=Rule(roles=OWNER, rows=own_client), replica=True),
}

# What a revoked session of a disabled or deleted user still tells is why it is over; see `refusals`.
SESSIONS = Sessions(
    user="appuserid",
    account="clientid",
    lookup="""
        select s.usersessionid, s.appuserid, u.clientid, u.afid::text as afid, u.name, u.email, u.role as seatrole,
               case when u.isdeleted = 1 then 'deleted'
                    when u.isactive = 0 then 'disabled'
                    when u.isverified = 0 or u.invitestatus <> 'accepted' then 'unverified'
                    when u.mustchangepassword = 1 then 'temporary'
                    when u.role = 'client' then 'client'
                    else 'member' end as role
        from usersession s join appuser u using (appuserid)
        where s.tokenhash = $1 and s.expireson > now() and s.lastused > now() - interval '24 hours'
          and (s.revokedon is null or u.isdeleted = 1 or u.isactive = 0)
    """,
    identity={"clientid": "clientid", "appuserid": "appuserid", "afid": "afid", "role": "seatrole"},
    tenant_mismatches="""
        insert into auditlog (clientid, appuserid, event, target, detail, ip)
        select w.clientid, w.appuserid, 'tenant_mismatch', $2, $3::jsonb, $4
        from jsonb_to_record($1::jsonb) as w (clientid bigint, appuserid bigint)
    """,
    touch="update usersession set lastused = now() where tokenhash = $1 and revokedon is null",
    refusals={
        "deleted": (404, "deleted", "You have been deleted by the admin"),
        "disabled": (403, "disabled", "Your account is temporarily disabled"),
    },
    confined={
        "temporary": (403, "password_change_required", "Please change your temporary password first."),
    },
)

# What the scripts keep under SECRET_KEYS beside the sealed fields above. Left out is what lives for minutes: failed
# sign-ins and reserved key names.
SEALED_TABLES = (
    SealedTable("person", sealed={"personalcipher", "businesscipher", "phonecipher"}),
    SealedTable("onetimetoken", sealed={"datacipher"}),
    SealedTable("apikeys", hashes={"keyhash": KeyedHash("apikey", ("apikey",), str)}),
    SealedTable(
        "contactfeedback",
        hashes={"infohash": KeyedHash("feedback", ("type", "info"), lambda kind, info: f"{kind}:{info.lower()}")},
    ),
    SealedTable("suppression", hashes={"hash": None}),  # of addresses that were to be forgotten
)
