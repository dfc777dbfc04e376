"""The tables that staff may read across all clients, as data for policy.py."""

from __future__ import annotations

from tableapi import Access, Rule

STAFF = ("staff",)
NONE: frozenset[str] = frozenset()


def _desk(
    hidden: set[str] | frozenset[str] = NONE, sealed: set[str] | frozenset[str] = NONE, *, of_client: bool = True
) -> Access:
    """Let staff read every row of a table.

    of_client: the rows belong to a client and always include its id, because the audit log needs it.
    """
    always = {"clientid"} if of_client else set[str]()
    return Access(read=Rule(roles=STAFF, hidden=hidden, always_returned=always), sealed=sealed, masked=STAFF)


# The tables that staff may read, across all clients. None of this exists for other roles. Hashes, tokens, keys, links
# that grant access, stored responses and payloads are excluded; sealed values are masked; notes may contain contact
# data.
DESK: dict[str, Access] = {
    "addonpayment": _desk({"tokenid"}),
    "apikeys": _desk({"keyhash", "oldkeyhash"}, {"apikey"}),
    "apiusage": _desk(),
    "appuser": _desk({"password", "passwordproved", "passwordexpireson", "mfacipher"}),
    "auditlog": _desk(),
    "bulkjob": _desk(),
    "bulkrow": _desk(),
    "checkout": _desk({"url"}),
    "client": _desk(),
    "clientplan": _desk(),
    "contactfeedback": _desk({"infohash"}, {"info", "reasonnote"}),
    "contactlist": _desk(),
    "contactlistitem": _desk({"note"}),
    "contactmeta": _desk({"note"}),
    "creditback": _desk(),
    "creditledger": _desk(),
    "creditnotice": _desk(),
    "creditreturn": _desk(),
    "feedbackdecision": _desk(),
    "paymentreversal": _desk(of_client=False),
    "paymentsync": _desk(),
    "person": _desk({"personalcipher", "businesscipher", "phonecipher", "searchable"}, of_client=False),
    "planchange": _desk(),
    "planprice": _desk(of_client=False),
    "reveal": _desk(),
    "savedsearch": _desk(),
    "searchuse": _desk(),
    "staff": _desk({"password"}, of_client=False),
    "staffsession": _desk({"tokenhash"}, of_client=False),
    "stripeevent": _desk({"payload"}, of_client=False),
    "subscriptionplan": _desk(of_client=False),
    "transactionhistory": _desk({"payurl"}),
    "upload": _desk({"path"}),
    "usercontact": _desk({"emailhashes"}, sealed={"emails", "business_emails", "phone_numbers"}),
    "usercontactlink": _desk(),
    "usercredit": _desk(),
    "usersession": _desk({"signedinon", "tokenhash"}),
    "usersubscription": _desk(),
    "webhook": _desk({"url"}, {"secret"}),
    "webhookdelivery": _desk({"payload"}),
}
