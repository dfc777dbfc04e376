"""Access policy of the measured project: sessions, roles, row rules and hidden fields."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tableapi.auth.policy import Access, Rule, Sessions

OWNER = ("client",)
STAFF = ("staff",)
Clause = sa.ColumnElement[bool]


def own_client(table: Any, actor: Any) -> Clause:
    """Select the rows of the caller's account."""
    return table.c.clientid == actor.clientid  # type: ignore[no-any-return]


def living(table: Any, _actor: Any) -> Clause:
    """Select the users that are not deleted."""
    return table.c.isdeleted == 0  # type: ignore[no-any-return]


def shared(hidden: set[str] | frozenset[str] = frozenset()) -> tuple[Rule, Rule]:
    """Let owners read the rows of their client, and staff every row."""
    return Rule(roles=OWNER, rows=own_client, hidden=hidden), Rule(roles=STAFF, hidden=hidden)


POLICY: dict[str, Access] = {
    "client": Access(read=shared({"stripe_custid"})),
    "appuser": Access(
        read=(
            Rule(roles=OWNER, rows=own_client, hidden={"password"}),
            Rule(roles=STAFF, rows=living, hidden={"password"}),
        )
    ),
    "usercredit": Access(read=shared()),
    "usersubscription": Access(read=shared({"stripe_subid"})),
    "subscriptionplan": Access(read=Rule(hidden={"stripe_priceid"})),
    "usercontact": Access(
        read=shared({"personid"}),
        create=Rule(
            roles=OWNER,
            rows=own_client,
            fields={"personid", "name", "linkedinurl", "emails"},
            set_on_create={"clientid": lambda actor: actor.clientid},
        ),
        update=Rule(roles=OWNER, rows=own_client, fields={"name", "deleted"}),
    ),
    "contactnote": Access(
        read=shared(),
        create=Rule(
            roles=OWNER,
            rows=own_client,
            fields={"contactid", "text"},
            set_on_create={"clientid": lambda actor: actor.clientid},
        ),
    ),
}

SESSIONS = Sessions(
    lookup="""
        select s.usersessionid, s.appuserid, u.clientid, u.name, u.email, u.role
        from usersession s join appuser u using (appuserid)
        where s.tokenhash = $1 and s.revokedon is null and s.expireson > now() and u.isactive = 1 and u.isdeleted = 0
    """,
    touch="update usersession set lastused = now() where tokenhash = $1",
)
