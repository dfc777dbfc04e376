"""Rate limits of calls that spend credits; account/credits reports them.

Limits per account hold for all of its keys together; a user in the app has them alone.
"""

from tableapi import parse_limits

SEARCHURL = "60/minute per user, 2000/day per user"
GETCONTACT = "60/minute per user"
KEYLOOKUP = "30/minute per account, 5000/day per account"
SEARCH = "60/minute per account"  # for searchpeople and searchcompanies
FACETS = "240/minute per user, 10000/day per user"
REVEALMANY = "20/minute per user"
PRICE = "60/minute per account"
LISTS = "60/minute per account"
REVEAL = "20/minute per account"  # calls by agents
ACCOUNT = "60/minute per account"  # reads of the account's contacts and usage
ENRICH = "30/minute per account"
FINDEMAIL = "60/minute per account, 5000/day per account"
VERIFYEMAIL = "60/minute per account, 5000/day per account"
ADDRESSES = "500/day per account"  # e-mail addresses that a call names or guesses, without those that are paid for


def _rates(limits: str) -> str:
    return ", ".join(limit.rate for limit in parse_limits(limits))


REPORTED = {  # by account/credits
    "searchurl": parse_limits(SEARCHURL)[0].rate,
    "getcontact": _rates(GETCONTACT),
    "searchpeople": _rates(SEARCH),
    "revealmany": _rates(REVEALMANY),
    "enrich": _rates(ENRICH),
    "findemail": _rates(FINDEMAIL),
    "verifyemail": _rates(VERIFYEMAIL),
    "keylookup": _rates(KEYLOOKUP),
}
