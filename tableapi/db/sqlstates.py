"""Map SQLSTATEs to API errors: by code, otherwise by class (the first two characters)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import asyncpg

from tableapi.errors import RETRY, ApiError, BadRequest, Busy, Conflict, Forbidden, NotFound, Unsupported


@dataclass(frozen=True, slots=True)
class Meaning:
    """The API error for a SQLSTATE: its class, message, reason and headers."""

    kind: type[ApiError]
    message: str
    reason: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def error(self, message: str = "") -> ApiError:
        """Create the error, with `message` instead of the default one."""
        return self.kind(message or self.message, reason=self.reason, headers=self.headers)


VALUE = Meaning(BadRequest, "A value does not match the type of its field.", "bad_value")
DUPLICATE = Meaning(Conflict, "A record with this value already exists.", "duplicate")
REFERENCE = Meaning(
    Conflict, "The record refers to one that does not exist, or another record refers to it.", "reference"
)
CHECK = Meaning(BadRequest, "A value violates a rule of the table.", "check")
REQUIRED = Meaning(BadRequest, "A required field is missing or null.", "required")
RULE = Meaning(BadRequest, "A rule of the database rejects this request.", "rule")
TYPE = Meaning(BadRequest, "The type of the field does not support this operation.", "bad_type")
PATTERN = Meaning(BadRequest, "The regular expression is not valid.", "bad_pattern")
NOT_WRITABLE = Meaning(BadRequest, "This record or field cannot be written.", "not_writable")
DISTRIBUTED = Meaning(
    Unsupported,
    "The database is distributed and cannot combine these rows. Filter each table by the column that it is distributed "
    "by, or read relations with requests of their own.",
    "unsupported",
)
COMPLEX = Meaning(BadRequest, "The request is too complex. Ask for less.", "too_complex")
DENIED = Meaning(Forbidden, "The database does not allow this.", "forbidden")
NO_UPSERT = Meaning(
    BadRequest, "The database does not support an upsert by these fields. Use POST or PATCH.", "not_unique"
)
CHANGED = Meaning(NotFound, "The table has just changed. Try again.", "schema_changed")
AGAIN = Meaning(Busy, "The record is in use. Try again in a moment.", "busy", RETRY)
AFTER_CHANGE = Meaning(Busy, "The table has just changed. Try again.", "busy", RETRY)
SLOW = Meaning(
    Busy, "This takes too long. Request less: use a narrower filter or fewer relations.", "time_limit", RETRY
)
READ_ONLY = Meaning(Busy, "Nothing can be saved at the moment. Try again later.", "read_only", RETRY)
FULL = Meaning(Busy, "The database is busy. Try again in a moment.", "busy", RETRY)
AWAY = Meaning(Busy, "The database cannot be reached. Try again in a moment.", "busy", RETRY)
DAMAGED = Meaning(Busy, "The database reports an internal error. Contact its administrator.", "database_fault", RETRY)
NOT_FILLED = Meaning(
    Conflict, "The materialized view has not been populated. Its owner populates it with REFRESH MATERIALIZED VIEW.",
    "not_populated",
)  # fmt: skip
REJECTED = Meaning(
    BadRequest,
    "The database rejects this operation for the value, or for the definition of the table.",
    "database_refuses",
)
DEFINITION = Meaning(
    Conflict, "A view, trigger or function of the table failed. Contact the administrator of the database.",
    "definition_fails",
)  # fmt: skip

# What the database does not support for a table, view or field: 0A000 and 55000.
UNSUPPORTED = asyncpg.FeatureNotSupportedError, asyncpg.ObjectNotInPrerequisiteStateError

CODES: dict[str, Meaning] = {
    "21000": DEFINITION,  # a scalar subquery of a view returned more than one row
    "22004": REQUIRED,
    "22012": DEFINITION,  # division by zero in a view or function; the engine itself never divides
    "22013": DEFINITION,
    "22014": DEFINITION,
    "22016": DEFINITION,
    "2201B": PATTERN,
    "2201E": DEFINITION,
    "2201F": DEFINITION,
    "2201G": DEFINITION,
    "2201W": DEFINITION,
    "2201X": DEFINITION,
    "2200H": DEFINITION,  # a sequence has reached its limit
    "23000": CHECK,
    "23001": REFERENCE,  # ON DELETE RESTRICT since PostgreSQL 18; 23503 before
    "23502": REQUIRED,
    "23503": REFERENCE,
    "23505": DUPLICATE,
    "23514": CHECK,
    "23P01": DUPLICATE,
    "25006": READ_ONLY,
    "25P02": AFTER_CHANGE,  # a statement in a transaction that has already failed
    "25P03": AWAY,
    "25P04": SLOW,
    "26000": AFTER_CHANGE,  # the prepared statement is gone, for example behind a connection pooler
    "40002": CHECK,
    "40P01": AGAIN,
    "42501": DENIED,
    "42601": VALUE,  # some types report an unreadable value as a syntax error
    "42602": VALUE,
    "42622": VALUE,
    "42703": CHANGED,
    "42704": CHANGED,
    "42P01": CHANGED,
    "42P10": NO_UPSERT,
    "42P02": CHANGED,
    "42809": TYPE,
    "42883": TYPE,
    "428C9": Meaning(BadRequest, "The database computes the value of a generated field. Leave it out.", "generated"),
    "42P17": DEFINITION,  # for example infinite recursion in a row security policy
    "42P19": DEFINITION,
    "3F000": CHANGED,
    "53100": READ_ONLY,
    "55000": NOT_WRITABLE,
    "55006": AGAIN,
    "55P03": AGAIN,
    "55P04": VALUE,  # an enum value added in a transaction that has not committed yet
    "57014": SLOW,
    "P0001": RULE,
    "P0002": DEFINITION,
    "P0003": DEFINITION,
    "P0004": DEFINITION,
    "XX000": REJECTED,  # extensions use it for unreadable values
}  # fmt: skip

CLASSES: dict[str, Meaning] = {
    "00": DEFINITION,  # a success code ends a statement only if a function raises it
    "01": DEFINITION,
    "02": DEFINITION,
    "03": DEFINITION,
    "08": AWAY,
    "09": DEFINITION,
    "0A": NOT_WRITABLE,
    "0B": DEFINITION,
    "0F": DEFINITION,
    "0L": DENIED,
    "0P": DENIED,
    "0Z": DEFINITION,
    "10": DEFINITION,
    "20": DEFINITION,  # CASE without a matching branch in PL/pgSQL
    "21": DEFINITION,
    "22": VALUE,
    "23": CHECK,
    "24": DEFINITION,
    "25": DEFINITION,
    "26": AFTER_CHANGE,
    "27": DEFINITION,  # a trigger modifies the row that is being modified
    "28": AWAY,
    "2B": REFERENCE,
    "2D": DEFINITION,
    "2F": DEFINITION,
    "34": DEFINITION,
    "38": DEFINITION,
    "39": DEFINITION,
    "3B": DEFINITION,
    "3D": AWAY,
    "3F": CHANGED,
    "40": AGAIN,
    "42": TYPE,
    "44": CHECK,  # WITH CHECK OPTION of a view
    "53": FULL,
    "54": COMPLEX,
    "55": NOT_WRITABLE,
    "57": AWAY,
    "58": DAMAGED,
    "72": AGAIN,
    "F0": DAMAGED,
    "HV": DEFINITION,  # an error of a foreign server
    "P0": RULE,
    "XX": DAMAGED,
}


# Classes that, inside a function, point at the definition of the table rather than at the request.
_INSIDE = ("0A", "22", "26", "42", "54", "55", "XX")


def meaning(code: str, *, raised: bool = False, inside: bool = False) -> Meaning:
    """Return the meaning of a SQLSTATE.

    Arguments:
        raised: the error was raised by RAISE, so the author of the function chose its code.
        inside: the error occurred inside a function.
    """
    by_code = CODES.get(code)
    if raised:
        return by_code if by_code is not None and by_code.kind is not Busy and by_code is not DEFINITION else RULE
    result = by_code or CLASSES.get(code[:2], RULE)
    if inside and code[:2] in _INSIDE and result.kind is not Busy and result is not DENIED:
        return DEFINITION
    return result
