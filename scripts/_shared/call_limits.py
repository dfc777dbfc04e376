"""Rate limits of the calls that spend credits; account/credits reports them."""

SEARCHURL = "60/minute per session, 2000/day per user"
GETCONTACT = "60/minute per user"
KEYLOOKUP_PER_MINUTE, KEYLOOKUP_PER_DAY = 30, 5000  # of one API key
