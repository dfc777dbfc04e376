"""Repair people stored under wrong profile keys: `tableapi run repairprofiles [dry=1]`.

Former versions joined members if their ids differed in case only, and stored pages of companies as people. A key with
another form of a person's address is replaced. Of keys that name no person, or a member's id without its case, which is
lost, those that no account refers to are deleted, and the others reported: import their people again. Safe to repeat.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from pydantic import BaseModel

from product.context import Context
from product.people import companies, profile_url
from tableapi import script

_WRONG = """
    select personid, profilekey from person
    where profilekey !~ '^(in/[^/]+|(removed|former)/[0-9]+)$' or profilekey ~ '^in/a[a-z][a-z0-9]aa[a-z0-9_-]{25,}$'
    order by personid
"""
_TAKEN = "select exists (select 1 from person where profilekey = $1)"
_RENAME = "update person set profilekey = $2, updatedon = now() where personid = $1"
_ADDRESSES = (
    "update usercontact set linkedinurl = $2 where personid = $1 and linkedinurl <> ''",
    "update contactlistitem set linkedinurl = $2 where personid = $1",
    "update contactfeedback set linkedin_url = $2 where personid = $1",
)
_DELETE = """
    delete from person p where personid = $1
      and not exists (select 1 from usercontact r where r.personid = p.personid)
      and not exists (select 1 from reveal r where r.personid = p.personid)
      and not exists (select 1 from contactlistitem r where r.personid = p.personid)
      and not exists (select 1 from contactfeedback r where r.personid = p.personid)
      and not exists (select 1 from creditback r where r.personid = p.personid)
    returning lower(company)
"""


class Input(BaseModel):
    dry: bool = False


class Output(BaseModel):
    renamed: int = 0
    deleted: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class _Wrong:
    personid: int
    profilekey: str


@script(internal=True)
async def run(ctx: Context, input: Input) -> Output:
    done, changed = Output(), set[str]()
    for row in await ctx.db.all(_Wrong, _WRONG):
        key = _right_key(row.profilekey, ctx.settings.profile_host)
        if key == row.profilekey:
            continue
        async with ctx.db.transaction():
            taken = key is not None and await ctx.db.first_value(bool, _TAKEN, key)
            if key is not None and not taken:
                done.renamed += 1
                if not input.dry:
                    await _rename(ctx, row.personid, key)
            elif input.dry or (company := await ctx.db.first_value(str, _DELETE, row.personid)) is None:
                done.kept += 1
                reason = "another person has its right address" if taken else "it is not the address of a person"
                sys.stderr.write(f"personid {row.personid}: {reason}. Import the person again.\n")
            else:
                done.deleted += 1
                changed.add(company)
    await companies.recount(ctx, changed)
    return done


async def _rename(ctx: Context, personid: int, key: str) -> None:
    await ctx.db.execute(_RENAME, personid, key)
    for statement in _ADDRESSES:
        await ctx.db.execute(statement, personid, profile_url.url_of(key, ctx.settings.profile_host))


def _right_key(key: str, host: str) -> str | None:
    try:
        return profile_url.key_of(profile_url.url_of(key, host), host)
    except profile_url.NotAProfile:
        return None
