"""The SQL condition of a live subscription; reveal_contact in schema.sql repeats it."""

from __future__ import annotations

# `s` is usersubscription. After a failed renewal the subscription stays live until graceuntil; `greatest` ignores
# nulls.
LIVE = "s.isactive = 1 and greatest(s.expirydate, s.graceuntil) > now()"
