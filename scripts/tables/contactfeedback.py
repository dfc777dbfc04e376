"""Hook of /_table/contactfeedback: vote on a value that the account has paid for.

A new vote replaces the old; the action `withdraw` deletes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, model_validator

from product import emails
from product.accounts import email_domains
from product.contacts.contact import emails_of, phones_of
from product.context import Context
from product.credits import creditback
from product.people import directory, phones, profile_url
from product.people.directory import Person
from product.records import Record
from tableapi import BadRequest, FieldError, Invalid, NotFound, validate

PER_HOUR = 60
MAX_VOTES = 20
KIND = {"personalemail": "personalemail", "businessemail": "businessemail", "phone": "directdial"}
NOT_A_PHONE = FieldError("cell_number_invalid", "Not a valid cell number")
_PHONE = re.compile(r"\+?[0-9][0-9 ().-]{4,24}")


@dataclass(frozen=True, slots=True)
class _Contact:
    emails: str | None
    phone_numbers: str | None


COLUMNS = frozenset((
    "feedbackid", "clientid", "appuserid", "linkedin_url", "info", "action", "type", "downvotereason", "reasonnote",
    "createdon",
))  # fmt: skip


class Vote(Record):
    columns = COLUMNS

    linkedin_url: str
    info: str = Field(min_length=1, max_length=320)
    action: Literal["upvote", "downvote", "withdraw"]
    type: Literal["personalemail", "businessemail", "phone"]
    downvotereason: Literal["invalid", "outofservice", "others"] | None = None
    reasonnote: str | None = Field(default=None, max_length=1000)

    @model_validator(mode="before")
    @classmethod
    def _empty_is_none(cls, data: object) -> object:
        names = ("downvotereason", "reasonnote")
        return {k: None if k in names and v == "" else v for k, v in data.items()} if isinstance(data, dict) else data


_CONTACT = """
    select c.emails, c.phone_numbers from usercontact c join reveal r using (clientid, contactid)
    where clientid = $1 and r.personid = $2 and r.kind = $3
"""
# A transaction does not see the votes of others that are not committed yet. Without the lock, the last votes that an
# agreement needs could each miss the other. Persons are locked in one order, so that requests cannot deadlock.
_LOCK = "select pg_advisory_xact_lock(hashtextextended('contactfeedback', personid)) from unnest($1::bigint[]) personid"
_DELETE = """
    delete from contactfeedback
    where appuserid = $1 and personid = $2 and type = $3 and infohash = any($4) and clientid = $5
    returning feedbackid
"""
_KEEP = """
    insert into contactfeedback (clientid, appuserid, personid, linkedin_url, info, infohash, action, type,
                                 downvotereason, reasonnote)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    on conflict on constraint contactfeedback_appuserid_personid_type_infohash_key do update set
        action = excluded.action,
        downvotereason = excluded.downvotereason, reasonnote = excluded.reasonnote,
        createdon = excluded.createdon
    returning feedbackid
"""


async def post(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    """Store at most 20 votes in one transaction, in the order sent."""
    if len(records) > MAX_VOTES:
        raise BadRequest(
            f"Send at most {MAX_VOTES} votes at once.",
            reason="bad_records",
            case="too_many_votes",
            context={"limit": MAX_VOTES},
        )
    votes = [validate(Vote, record) for record in records]
    for vote in votes:
        _check_reason(vote)
    for _ in votes:
        ctx.limit("feedback", str(ctx.actor.appuserid), PER_HOUR, 3600)
    keys = [profile_url.typed_key(vote.linkedin_url, ctx.settings.profile_host) for vote in votes]
    # Both may query an outside service, so they run outside any transaction.
    persons = {key: await directory.find(ctx, key) for key in set(keys)}
    proofs = [await _proof(ctx, vote, persons[key]) for vote, key in zip(votes, keys, strict=True)]
    async with ctx.db.transaction():
        await ctx.db.execute(_LOCK, sorted(person.personid for person in persons.values() if person is not None))
        return [
            await _vote(ctx, vote, persons[key], proof) for vote, key, proof in zip(votes, keys, proofs, strict=True)
        ]


async def _proof(ctx: Context, vote: Vote, person: Person | None) -> bool:
    if person is None or vote.action != "downvote" or vote.downvotereason == "others":
        return False
    row = await ctx.db.first(_Contact, _CONTACT, ctx.actor.clientid, person.personid, KIND[vote.type])
    if row is None or vote.info.lower() not in _values(ctx, row, vote.type):
        return False
    return await creditback.proves_wrong(ctx, vote.type, vote.info, person.country)


async def _vote(ctx: Context, vote: Vote, person: Person | None, proof: bool) -> dict[str, object]:
    """Store a vote; return its id, and whether its credit was returned."""
    row = None
    if person is not None:
        row = await ctx.db.first(_Contact, _CONTACT, ctx.actor.clientid, person.personid, KIND[vote.type])
    if person is None or row is None or vote.info.lower() not in _values(ctx, row, vote.type):
        raise NotFound("Your account has not revealed this value.", case="not_unlocked")
    url = profile_url.url_of(person.key, ctx.settings.profile_host)
    feedbackid = await _keep(ctx, vote, person.personid, url)
    returned = False
    if vote.action == "downvote":
        clientid, kind = ctx.actor.clientid, KIND[vote.type]
        if proof:
            returned = await creditback.give(ctx, clientid, person.personid, kind, "proof")
        else:
            hashes = ctx.vault.indexes("feedback", f"{vote.type}:{vote.info.lower()}")
            returned = clientid in await creditback.agreed(ctx, person.personid, vote.type, hashes, kind)
    outcome: dict[str, object] = {"feedbackid": feedbackid}
    return outcome | ({"creditback": 1} if returned else {})


def _check_reason(vote: Vote) -> None:
    """Validate the reason of a downvote and the note that it requires; clear both for other actions."""
    if vote.action != "downvote":
        vote.downvotereason = vote.reasonnote = None
        return
    if vote.downvotereason is None or (vote.type != "phone" and vote.downvotereason == "outofservice"):
        raise Invalid({"downvotereason": FieldError("reason_missing", "Please choose a reason")})
    note = vote.reasonnote or ""
    if vote.downvotereason == "others" and not note:
        raise Invalid({"reasonnote": FieldError("fields_missing", "Please fill all required fields")})
    if vote.downvotereason == "invalid":
        if vote.type == "phone" and not (_PHONE.fullmatch(note) or phones.read(note)):
            raise Invalid({"reasonnote": NOT_A_PHONE})
        if vote.type != "phone" and emails.checked(note) is None:
            raise Invalid({"reasonnote": email_domains.not_valid(note)})


def _values(ctx: Context, row: _Contact, type_: str) -> set[str]:
    """Return the revealed values of one type, in lower case."""
    if type_ == "phone":
        return set(phones_of(ctx.vault, row.phone_numbers))
    email_type = type_.removesuffix("email")
    return {item["address"].lower() for item in emails_of(ctx.vault, row.emails) if item["type"] == email_type}


async def _keep(ctx: Context, vote: Vote, personid: int, url: str) -> int | None:
    """Return the id of the vote that was stored or withdrawn, or None if there was no vote to withdraw."""
    hashes = ctx.vault.indexes("feedback", f"{vote.type}:{vote.info.lower()}")
    note = ctx.vault.seal(vote.reasonnote) if vote.reasonnote else None
    appuserid = ctx.actor.appuserid
    if vote.action == "withdraw":
        return await ctx.db.first_value(int, _DELETE, appuserid, personid, vote.type, hashes, ctx.actor.clientid)
    # The unique key does not catch an earlier vote hashed with an older secret key.
    await ctx.db.execute(_DELETE, appuserid, personid, vote.type, hashes[1:], ctx.actor.clientid)
    return await ctx.db.value(
        int, _KEEP,
        ctx.actor.clientid, appuserid, personid, url, ctx.vault.seal(vote.info), hashes[0], vote.action, vote.type,
        vote.downvotereason, note,
    )  # fmt: skip
