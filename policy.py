"""Access policy of the product. Tables, actions and columns not listed here are not exposed.

Roles:
    key: an application key without a session.
    unverified: a session of a new account with an email address that is not verified yet.
    temporary: a session opened with a mailed temporary password that has not been changed yet.
    client: the owner of an account.
    member: an invited user, whether the seat role is `member` or `admin`.
    staff: a member of staff, without an account (docs/guides/desk.md).
    viewclient, viewmember: staff looking at the app as a client or member sees it, read only.

The words used here are defined in docs/reference/policy.md.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from product.desk.tables import DESK
from tableapi import Access, Forbidden, KeyedHash, NotFound, Rule, SealedTable, Sessions

OWNER = ("client",)
EVERYONE = ("client", "member")
SIGNED_IN = ("client", "member", "unverified")
VIEWS = ("viewclient", "viewmember")
OWNER_READS, MEMBER_READS = (*OWNER, "viewclient"), ("member", "viewmember")
EVERYONE_READS = (*EVERYONE, *VIEWS)
Clause = sa.ColumnElement[bool]


def own_client(table: Any, actor: Any) -> Clause:
    """Match rows of the caller's account."""
    return table.c.clientid == actor.clientid  # type: ignore[no-any-return]


def own_self(table: Any, actor: Any) -> Clause:
    """Match rows that belong to the caller alone."""
    return sa.and_(own_client(table, actor), table.c.appuserid == actor.appuserid)


def no_rows(_table: Any, _actor: Any) -> Clause:
    """Match no row."""
    return sa.false()


def own_seats(table: Any, actor: Any) -> Clause:
    """Match users of the caller's account except its owner, which cannot be disabled or deleted."""
    return sa.and_(own_client(table, actor), table.c.role != "client")


def not_deleted(table: Any, _actor: Any) -> Clause:
    """Match contacts that were not removed from the list."""
    return table.c.deleted == 0  # type: ignore[no-any-return]


_LINK = sa.table("usercontactlink", *(sa.column(name) for name in ("clientid", "appuserid", "contactid", "listedon")))


def my_list(actor: Any) -> sa.Select[Any]:
    """Select the rows that `unlocked` matches from usercontactlink, using only its index."""
    return sa.select(_LINK.c.contactid, _LINK.c.listedon.label("createdon")).where(*_own_links(actor))


def _own_links(actor: Any) -> tuple[Clause, Clause]:
    return _LINK.c.clientid == actor.clientid, _LINK.c.appuserid == actor.appuserid


def unlocked(table: Any, actor: Any) -> Clause:
    """Match contacts that the caller revealed, or requested after a colleague revealed them."""
    mine = sa.exists().where(*_own_links(actor), _LINK.c.contactid == table.c.contactid)
    return sa.and_(own_client(table, actor), mine)


_LISTS = sa.table("contactlist", *(sa.column(name) for name in ("listid", "clientid", "appuserid", "shared")))


def shared_or_own(table: Any, actor: Any) -> Clause:
    """Match rows of the caller, and those that a user of the account shares with the team."""
    return sa.and_(own_client(table, actor), sa.or_(table.c.appuserid == actor.appuserid, table.c.shared == 1))


def on_visible_lists(table: Any, actor: Any) -> Clause:
    """Match people on the caller's lists, and on lists shared with the team."""
    visible = sa.exists().where(_LISTS.c.listid == table.c.listid, shared_or_own(_LISTS, actor))
    return sa.and_(own_client(table, actor), visible)


def offered(table: Any, _actor: Any) -> Clause:
    """Match plans that are on sale."""
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
PROFILE = {"name", "firstname", "lastname", "phonenumber", "avatar", "language"}
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
USER_SECRETS = {
    "password", "passwordproved", "passwordexpireson", "mfacipher", "termsacceptedon", "welcomedon", "madeby",
}  # fmt: skip
CONTACT_INTERNALS = {"personid", "emailhashes"}
ITEM_INTERNALS = {"personid"}
NOTES = {"note"}  # may contain contact data: hidden from staff, in a look as at the desk

POLICY: dict[str, Access] = {
    "appuser": Access(
        # Rows are created and deleted by the hooks in scripts/tables/appuser.py, which count seats and send mail.
        read=(
            Rule(roles=OWNER_READS, rows=own_client, hidden=USER_SECRETS),
            Rule(roles=(*MEMBER_READS, "unverified"), rows=own_self, hidden=USER_SECRETS),
            # For this role the hook serves a single query, by email and mailed token, and rejects all others.
            Rule(roles=("key",), rows=no_rows, fields={"appuserid", "name", "email", "isverified", "invitestatus"}),
        ),
        create=Rule(
            roles=OWNER,
            fields={"name", "firstname", "lastname", "email", "role"},
            ignored={"clientid", "isactive", "isverified", "password"},
        ),
        update=(
            # Users edit their own profile. The owner enables, disables and changes the role of other users only.
            Rule(
                roles=OWNER,
                rows=own_client,
                fields=PROFILE | {"isactive", "role"},
                editable_in=dict.fromkeys(PROFILE, own_self) | dict.fromkeys(("isactive", "role"), own_seats),
            ),
            Rule(roles=("member", "unverified"), rows=own_self, fields=PROFILE),
        ),
        delete=Rule(roles=OWNER, rows=own_seats),
        changes={"clientid"},
        granting={"create", "delete", "role", "isactive"},
    ),
    "client": Access(
        # Rows are created by registration and social sign-up, in scripts/tables/client.py.
        read=(
            Rule(roles=(*OWNER_READS, "unverified"), rows=own_client, hidden={"stripe_custid"}),
            Rule(roles=MEMBER_READS, rows=own_client, fields={"clientid", "companyname"}),
        ),
        create=Rule(roles=("key", *SIGNED_IN), fields=set(), ignored={"clientid"}),
        update=Rule(roles=("client", "unverified"), rows=own_client, fields=COMPANY),
    ),
    "usercredit": Access(
        read=(
            Rule(roles=(*OWNER_READS, "unverified"), rows=own_client),
            Rule(roles=MEMBER_READS, rows=own_client, fields=BALANCES),
        ),
        changes={"clientid"},
    ),
    "creditledger": Access(read=Rule(roles=OWNER_READS, rows=own_client, hidden={"staffid"})),
    "usersubscription": Access(
        # The hook records a downgrade; it takes only the subscription and the target plan from the body.
        read=(
            Rule(roles=(*OWNER_READS, "unverified"), rows=own_client, hidden={"stripe_itemid", "stripe_scheduleid"}),
            Rule(roles=MEMBER_READS, rows=own_client, hidden=PROVIDER_IDS),
            # Lets an application key read plans with related subscriptions, none of which it can see. The hook rejects
            # reads of the table itself.
            Rule(roles=("key",), rows=no_rows, hidden=PROVIDER_IDS),
        ),
        update=Rule(roles=OWNER, rows=own_client, fields=set()),
        granting={"update"},
    ),
    "subscriptionplan": Access(read=Rule(roles=("key", *SIGNED_IN, *VIEWS), rows=offered, hidden={"isactive"})),
    "apikeys": Access(
        # Keys are created and disabled by the hooks in scripts/tables/apikeys.py.
        read=Rule(roles=OWNER_READS, rows=own_client, hidden={"keyhash", "oldkeyhash", "madeby"}),
        create=Rule(roles=OWNER, rows=own_client, fields={"purpose", "name", "scopes", "expireson", "istest"}),
        update=Rule(
            roles=OWNER, rows=own_client, fields={"purpose", "name", "isactive", "isdeleted", "scopes", "expireson"}
        ),
        sealed={"apikey"},
        masked=VIEWS,
        credentials={"apikey"},
        granting={"create", "update", "delete"},
    ),
    "apiusage": Access(read=Rule(roles=OWNER_READS, rows=own_client), replica=True),
    "usercontact": Access(
        # No create rule: contacts are inserted by the reveal, which charges for them.
        read=(
            Rule(
                roles=OWNER_READS,
                rows=unlocked,
                key_list=my_list,
                hidden=CONTACT_INTERNALS,
                # Contacts of the account: with `clientid` all of them, with the other fields those of one user.
                rows_when_filtered_by={"clientid": own_client, "revealedby": own_client, "dialrevealedby": own_client},
            ),
            Rule(roles=MEMBER_READS, rows=unlocked, key_list=my_list, hidden=CONTACT_INTERNALS),
        ),
        update=Rule(roles=EVERYONE, rows=unlocked, fields={"deleted"}, editable_in={"deleted": not_deleted}),
        sealed={"emails", "business_emails", "phone_numbers"},
        masked=VIEWS,
        replica=True,
        changes={"clientid"},
    ),
    # Written by scripts/contactmeta_addupdate.py and scripts/bulklookup.py. A colleague's notes and jobs are their own.
    "contactmeta": Access(read=(Rule(roles=EVERYONE, rows=own_self), Rule(roles=VIEWS, rows=own_self, hidden=NOTES))),
    "bulkjob": Access(read=Rule(roles=EVERYONE_READS, rows=own_self), changes={"clientid", "appuserid"}),
    # Rows are created and changed by the hooks in scripts/tables, which check filters and find people. Only the creator
    # of a search or list may rename, share or delete it; every user of the team may edit the people on a shared list.
    "savedsearch": Access(
        read=Rule(roles=EVERYONE_READS, rows=shared_or_own),
        create=Rule(roles=EVERYONE, fields={"name", "kind", "filters", "shared"}),
        update=Rule(roles=EVERYONE, rows=own_self, fields={"name", "filters", "shared"}),
        delete=Rule(roles=EVERYONE, rows=own_self),
    ),
    "contactlist": Access(
        read=Rule(roles=EVERYONE_READS, rows=shared_or_own),
        create=Rule(roles=EVERYONE, fields={"name", "shared"}),
        update=Rule(roles=EVERYONE, rows=own_self, fields={"name", "shared"}),
        delete=Rule(roles=EVERYONE, rows=own_self),
    ),
    "contactlistitem": Access(
        read=(
            Rule(roles=EVERYONE, rows=on_visible_lists, hidden=ITEM_INTERNALS),
            Rule(roles=VIEWS, rows=on_visible_lists, hidden=ITEM_INTERNALS | NOTES),
        ),
        create=Rule(roles=EVERYONE, fields={"listid", "linkedinurl", "tags", "note"}),
        update=Rule(roles=EVERYONE, rows=on_visible_lists, fields={"tags", "note"}),
        delete=Rule(roles=EVERYONE, rows=on_visible_lists),
    ),
    "creditback": Access(read=Rule(roles=OWNER_READS, rows=own_client, hidden=ITEM_INTERNALS)),
    "contactfeedback": Access(
        # Rows are created by the hook in scripts/tables/contactfeedback.py, which checks what was paid for.
        read=Rule(roles=EVERYONE_READS, rows=own_self, hidden={"infohash", "personid"}),
        create=Rule(roles=EVERYONE, fields={"linkedin_url", "info", "action", "type", "downvotereason", "reasonnote"}),
        sealed={"info", "reasonnote"},
        masked=VIEWS,
        replica=True,
    ),
    "transactionhistory": Access(read=Rule(roles=OWNER_READS, rows=own_client, hidden={"providerid", "receipts"})),
    "usersession": Access(
        read=Rule(roles=EVERYONE_READS, rows=own_self, hidden={"tokenhash", "signedinon"}),
        delete=Rule(roles=EVERYONE, rows=own_self),
    ),
    "auditlog": Access(read=Rule(roles=OWNER_READS, rows=own_client, hidden={"staffid"}), replica=True),
    "webhook": Access(
        # The hooks in scripts/tables/webhook.py write the rows.
        read=Rule(roles=OWNER_READS, rows=own_client, hidden={"madeby"}),
        create=Rule(roles=OWNER, rows=own_client, fields={"url", "events"}),
        update=Rule(roles=OWNER, rows=own_client, fields={"url", "events", "isactive"}),
        delete=Rule(roles=OWNER, rows=own_client),
        sealed={"secret"},
        masked=VIEWS,
        credentials={"secret"},
        granting={"create", "update", "delete"},
    ),
    "webhookdelivery": Access(read=Rule(roles=OWNER_READS, rows=own_client)),
}

# Roles with tables of their own, which exist for no other role.
POLICIES = {"staff": DESK}

# The lookup also returns revoked sessions of disabled and deleted users, so that `rejected` can report the reason.
SESSIONS = Sessions(
    user=("staff", "appuserid"),
    explains=("staff",),
    account="clientid",
    lookup="""
        select s.usersessionid, s.appuserid, u.clientid, u.afid::text as afid, u.name, u.email, u.role as seatrole,
               case when u.isdeleted = 1 then 'deleted'
                    when u.isactive = 0 then 'disabled'
                    when u.isverified = 0 or u.invitestatus <> 'accepted' then 'unverified'
                    when u.mustchangepassword = 1 then 'temporary'
                    when u.role = 'client' then 'client'
                    else 'member' end as role,
               null::bigint as staffid, null as staff
        from usersession s join appuser u using (appuserid)
        where s.tokenhash = $1 and s.expireson > now() and s.lastused > now() - interval '24 hours'
          and (s.revokedon is null or u.isdeleted = 1 or u.isactive = 0) and s.scopes is null
        union all
        select null, u.appuserid, u.clientid, u.afid::text, coalesce(u.name, m.name), coalesce(u.email, m.email),
               u.role, case when s.viewing is null then 'staff' when u.role = 'client' then 'viewclient'
                            else 'viewmember' end,
               m.staffid, 'staff-' || m.staffid
        from staffsession s join staff m using (staffid) left join appuser u on u.appuserid = s.viewing
        where s.tokenhash = $1 and s.expireson > now() and s.lastused > now() - interval '2 hours'
          and s.revokedon is null and m.isactive = 1 and (s.viewing is null or u.isactive = 1)
    """,
    # Sessions of agents that the user signed in. They last as long as the client keeps refreshing its tokens.
    client_lookup="""
        select s.usersessionid, s.appuserid, u.clientid, u.afid::text as afid, u.name, u.email, u.role as seatrole,
               case when u.isdeleted = 1 then 'deleted'
                    when u.isactive = 0 then 'disabled'
                    when u.isverified = 0 or u.invitestatus <> 'accepted' then 'unverified'
                    when u.mustchangepassword = 1 then 'temporary'
                    when u.role = 'client' then 'client'
                    else 'member' end as role,
               null::bigint as staffid, null as staff, t.scopes, encode(s.tokenhash, 'hex') as session
        from oauthtoken t join usersession s using (usersessionid) join appuser u using (appuserid)
        where t.tokenhash = $1 and t.kind = 'access' and t.expireson > now() and s.expireson > now()
          and (s.revokedon is null or u.isdeleted = 1 or u.isactive = 0)
    """,
    # API keys of accounts; the scripts check their scopes. No table has a rule for their role.
    key_lookup="""
        select k.keyid, k.clientid, 'apikey' as role, null::bigint as appuserid, null::bigint as staffid, k.scopes
        from apikeys k join appuser u on u.clientid = k.clientid and u.role = 'client'
        where (k.keyhash = any($1) or k.oldkeyhash = any($1) and k.oldkeyuntil > now())
          and k.isactive = 1 and k.isdeleted = 0 and u.isactive = 1 and u.isdeleted = 0
          and (k.expireson is null or k.expireson > now())
    """,
    unknown_key=(
        "The key in X-API-Key is not a valid app key. An API key of an account serves GET /api/v2/account/credits, and"
        " by its scopes keylookup, enrich, findemail, verifyemail, searchpeople, searchcompanies, account/contacts,"
        " account/usage and the tools of /mcp only."
    ),
    identity={"clientid": "clientid", "appuserid": "appuserid", "afid": "afid", "role": "seatrole"},
    credentials_read="""
        insert into auditlog (clientid, appuserid, event, target, detail, ip)
        select (a->>'clientid')::bigint, (a->>'appuserid')::bigint, 'keys_read', $2, $3::jsonb, $4
        from (select $1::jsonb as a) actor
    """,
    tenant_mismatches="""
        insert into auditlog (clientid, appuserid, event, target, detail, ip)
        select w.clientid, w.appuserid, 'tenant_mismatch', $2, $3::jsonb, $4
        from jsonb_to_record($1::jsonb) as w (clientid bigint, appuserid bigint)
    """,
    touch="""
        with staffed as (update staffsession set lastused = now() where tokenhash = $1 and revokedon is null)
        update usersession set lastused = now() where tokenhash = $1 and revokedon is null
    """,
    rejected={
        "deleted": NotFound("You have been deleted by the admin", reason="deleted"),
        "disabled": Forbidden("Your account is temporarily disabled", reason="disabled"),
    },
    confined={
        "temporary": Forbidden("Please change your temporary password first.", reason="password_change_required")
    },
    unlisted={"unverified": Forbidden("Please verify your email address first.", reason="unverified", code=802)},
    expired="Your account access session is expired",
    read_only={
        "staff": Forbidden(
            "A staff account reads tables and uses the calls of the desk; it writes no table.", reason="desk_only"
        ),
        **dict.fromkeys(
            VIEWS, Forbidden("You are looking at this account as support: nothing can be changed.", reason="view_only")
        ),
    },
    recorded=dict.fromkeys(
        ("staff", *VIEWS),
        """
        insert into auditlog (clientid, staffid, event, target, detail, ip)
        select $2::bigint, (a->>'staffid')::bigint,
               case when a->>'role' = 'staff' then 'support_read' else 'support_viewed' end, $3, $4::jsonb, $5
        from (select $1::jsonb as a) actor
        """,
    ),
)

# Values that the scripts encrypt or hash with SECRET_KEYS in addition to the sealed fields above, and that `tableapi
# rotate-keys` rewrites. Values that expire within minutes are left out: failed sign-ins and reserved key names.
SEALED_TABLES = (
    SealedTable("person", sealed={"personalcipher", "businesscipher", "phonecipher"}),
    SealedTable("onetimetoken", sealed={"datacipher"}),
    SealedTable("appuser", sealed={"mfacipher"}),
    SealedTable("formeraddress", sealed={"mfacipher"}),
    # An old key is not stored: its hash lasts for the hours of a rotation.
    SealedTable("apikeys", hashes={"keyhash": KeyedHash("apikey", ("apikey",), str), "oldkeyhash": None}),
    SealedTable(
        "contactfeedback",
        hashes={"infohash": KeyedHash("feedback", ("type", "info"), lambda kind, info: f"{kind}:{info.lower()}")},
    ),
    SealedTable("dropitem", hashes={"hash": None}),
    SealedTable("suppression", hashes={"hash": None}),  # hashes of erased values, which cannot be recomputed
)
