"""SQLSTATE -> what it means to the client: the codes of PostgreSQL 15 to 18, by code and else by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tableapi.errors import RETRY, ApiError, BadRequest, Busy, Conflict, Forbidden, NotFound


@dataclass(frozen=True, slots=True)
class Meaning:
    """A refusal without its request: `kind` with a message and a reason."""

    kind: type[ApiError]
    message: str
    reason: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def refusal(self, message: str = "") -> ApiError:
        return self.kind(message or self.message, reason=self.reason, headers=self.headers)


VALUE = Meaning(BadRequest, "A value does not fit its field.", "bad_value")
DUPLICATE = Meaning(Conflict, "A record with this value exists already.", "duplicate")
REFERENCE = Meaning(Conflict, "Refers to a record that does not exist, or is referred to by another.", "reference")
CHECK = Meaning(BadRequest, "A value breaks a rule of the table.", "check")
REQUIRED = Meaning(BadRequest, "A required field is missing or null.", "required")
RULE = Meaning(BadRequest, "A rule of the table refuses this.", "rule")
TYPE = Meaning(BadRequest, "The field has a type that does not allow this.", "bad_type")
NOT_WRITABLE = Meaning(BadRequest, "This cannot be written here.", "not_writable")
COMPLEX = Meaning(BadRequest, "The request is too complex. Ask for less.", "too_complex")
DENIED = Meaning(Forbidden, "The database does not allow this.", "forbidden")
CHANGED = Meaning(NotFound, "The table has just changed. Try again.", "schema_changed")
AGAIN = Meaning(Busy, "The record is in use. Try again in a moment.", "busy", RETRY)
AFTER_CHANGE = Meaning(Busy, "The table has just changed. Try again.", "busy", RETRY)
SLOW = Meaning(Busy, "This takes too long. Ask for less: a narrower filter, fewer relations.", "time_limit", RETRY)
READ_ONLY = Meaning(Busy, "Nothing can be saved at the moment. Try again later.", "read_only", RETRY)
FULL = Meaning(Busy, "The database is busy. Try again in a moment.", "busy", RETRY)
AWAY = Meaning(Busy, "The database cannot be reached. Try again in a moment.", "busy", RETRY)
DAMAGED = Meaning(Busy, "The database reports a fault of its own. Tell those who run it.", "database_fault", RETRY)
NOT_FILLED = Meaning(
    Conflict, "The materialized view has no content yet. Its owner fills it with REFRESH MATERIALIZED VIEW.",
    "not_populated",
)  # fmt: skip
REFUSED = Meaning(
    BadRequest, "The database cannot do this with the value, or with the table as it is defined.", "database_refuses"
)
DEFINITION = Meaning(
    Conflict, "A view, a trigger or a function of the table fails. Tell those who maintain the database.",
    "definition_fails",
)  # fmt: skip

CODES: dict[str, Meaning] = {
    "21000": DEFINITION,  # a sub-select of a view gives more than one row
    "22004": REQUIRED,
    "22012": DEFINITION,  # division by zero: the engine divides nothing
    "22013": DEFINITION,
    "22014": DEFINITION,
    "22016": DEFINITION,
    "2201E": DEFINITION,
    "2201F": DEFINITION,
    "2201G": DEFINITION,
    "2201W": DEFINITION,
    "2201X": DEFINITION,
    "2200H": DEFINITION,  # a sequence is at its end
    "23000": CHECK,
    "23001": REFERENCE,  # ON DELETE RESTRICT since PostgreSQL 18; 23503 before
    "23502": REQUIRED,
    "23503": REFERENCE,
    "23505": DUPLICATE,
    "23514": CHECK,
    "23P01": DUPLICATE,
    "25006": READ_ONLY,
    "25P02": AFTER_CHANGE,  # a second try inside a transaction whose first one failed
    "25P03": AWAY,
    "25P04": SLOW,
    "26000": AFTER_CHANGE,  # the prepared statement is gone, as behind a pooler
    "40002": CHECK,
    "40P01": AGAIN,
    "42501": DENIED,
    "42601": VALUE,  # some types call a value they cannot read a syntax error
    "42602": VALUE,
    "42622": VALUE,
    "42703": CHANGED,
    "42704": CHANGED,
    "42P01": CHANGED,
    "42P02": CHANGED,
    "42809": TYPE,
    "42883": TYPE,
    "428C9": Meaning(BadRequest, "A value is made by the database and cannot be set.", "generated"),
    "42P17": DEFINITION,  # as infinite recursion in a policy of rows
    "42P19": DEFINITION,
    "3F000": CHANGED,
    "53100": READ_ONLY,
    "55000": NOT_WRITABLE,
    "55006": AGAIN,
    "55P03": AGAIN,
    "55P04": VALUE,  # an enum value that was added in a transaction not yet committed
    "57014": SLOW,
    "P0001": RULE,
    "P0002": DEFINITION,
    "P0003": DEFINITION,
    "P0004": DEFINITION,
    "XX000": REFUSED,  # extensions use it for values they cannot read
}  # fmt: skip

CLASSES: dict[str, Meaning] = {
    "00": DEFINITION,  # only a function that raises it can end a statement with a code of success
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
    "20": DEFINITION,  # CASE without a branch that fits, in PL/pgSQL
    "21": DEFINITION,
    "22": VALUE,
    "23": CHECK,
    "24": DEFINITION,
    "25": DEFINITION,
    "26": AFTER_CHANGE,
    "27": DEFINITION,  # a trigger changes the row that is being changed
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
    "HV": DEFINITION,  # a foreign server
    "P0": RULE,
    "XX": DAMAGED,
}


# What fails inside a function, and is then no matter of the request's own statement.
_INSIDE = ("0A", "22", "26", "42", "54", "55", "XX")


def meaning(code: str, *, raised: bool = False, inside: bool = False) -> Meaning:
    """What a SQLSTATE means. `raised`: by RAISE, with a code of the author's choice; `inside`: in a function."""
    found = CODES.get(code)
    if raised:
        return found if found is not None and found.kind is not Busy and found is not DEFINITION else RULE
    found = found or CLASSES.get(code[:2], RULE)
    if inside and code[:2] in _INSIDE and found.kind is not Busy and found is not DENIED:
        return DEFINITION
    return found
