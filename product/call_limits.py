"""Rate limits of the calls that spend credits; account/credits reports them."""

SEARCHURL = "60/minute per user, 2000/day per user"
GETCONTACT = "60/minute per user"
KEYLOOKUP = "30/minute per key, 5000/day per key"
