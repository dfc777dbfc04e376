"""Lists of people: access, capacity and errors. Saved searches share some of the errors."""

from __future__ import annotations

from product.context import Context
from tableapi import Conflict, FieldError, Invalid, NotFound


class TooManyLists(Conflict):
    """The user has reached the maximum number of lists or searches (409)."""

    reason = "too_many_lists"


MAX_ITEMS = 10_000  # people on one list


class ListFull(Conflict):
    """The list has reached the maximum number of people (409)."""

    reason = "list_full"

    def __init__(self) -> None:
        super().__init__(
            f"A list may contain at most {MAX_ITEMS:,} people. Remove some first, or use another list.",
            context={"limit": MAX_ITEMS},
        )


class MappingNeeded(Invalid):
    """The columns have unknown names (422); `context.columns` lists them."""

    reason = "mapping_needed"

    def __init__(self, columns: list[str]) -> None:
        message = "Choose the column that contains the profile address, or those with the name and the company."
        super().__init__({"mapping": FieldError("mapping_needed", message)})
        self.context["columns"] = columns


_PEOPLE = """
    select (select count(*) from contactlistitem i where i.clientid = l.clientid and i.listid = l.listid)
    from contactlist l
    where l.listid = $1 and l.clientid = $2 and (l.appuserid = $3 or l.shared = 1)
"""


async def people(ctx: Context, listid: int, *, lock: bool = False) -> int:
    """Return the number of people on a list that the caller may use.

    lock: keeps the list from changing until the end of the transaction. Raises NotFound (404).
    """
    sql = f"{_PEOPLE} for update of l" if lock else _PEOPLE
    count: int | None = await ctx.db.fetchval(sql, listid, ctx.actor.clientid, ctx.actor.appuserid)
    if count is None:
        raise NotFound("There is no such list.", case="no_such_list")
    return count
