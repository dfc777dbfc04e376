"""The reason that staff enter for an action. The owner of the account sees it in the audit log."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, StringConstraints
from pydantic_core import PydanticCustomError

from product.accounts import person_names

_NUMBER = re.compile(r"(?:\d[ ()./-]{0,2}){7}")
REJECTED = "Leave addresses and phone numbers out of the reason: the owner of the account can read it"


def _plain(text: str) -> str:
    if not person_names.is_plain(text) or _NUMBER.search(text):
        raise PydanticCustomError("reason_with_address", REJECTED)
    return text


Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=300), AfterValidator(_plain)]


class Input(BaseModel):
    appuserid: int = Field(ge=1, lt=2**63)
    reason: Reason
