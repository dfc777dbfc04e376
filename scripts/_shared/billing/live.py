"""When a subscription counts. Every question about it uses this one condition, and reveal_contact the same."""

from __future__ import annotations

# Of usersubscription as `s`. A renewal that could not be charged has its grace; `greatest` leaves nulls out.
LIVE = "s.isactive = 1 and greatest(s.expirydate, s.graceuntil) > now()"
