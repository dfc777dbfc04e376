"""Rate limits of calls that spend credits; account/credits reports them."""

SEARCHURL = "60/minute per user, 2000/day per user"
GETCONTACT = "60/minute per user"
KEYLOOKUP = "30/minute per key, 5000/day per key"
SEARCH = "60/minute per key"  # for searchpeople and searchcompanies, counted per user or API key
REVEALMANY = "20/minute per user"
PRICE = "60/minute per key"
LISTS = "60/minute per key"
REVEAL = "20/minute per key"  # calls by agents, per user or API key
ACCOUNT = "60/minute per key"  # reads of the account's contacts and usage
ENRICH = "30/minute per key"
FINDEMAIL = "60/minute per key, 5000/day per key"
VERIFYEMAIL = "60/minute per key, 5000/day per key"
