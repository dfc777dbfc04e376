"""Answer calls about test people: all calls with a test key, and others that name only such people.

The responses have the form of those for other people, and nothing is charged. `served` is the only place that accepts a
test key: a call without it rejects the key (`api_keys.live`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, cast, get_args, get_type_hints

from pydantic import BaseModel

from product import api_keys, call_limits, callers, idempotent
from product.contacts import agents, purchase
from product.contacts import lists as contact_lists
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances
from product.people import job_titles, profile_url
from product.people.search import PeopleSearch
from product.sample import people
from product.sample.people import CHECKED, COMPANY, DOMAIN, LISTED, Sample
from tableapi import TooMany

P = ParamSpec("P")
Run = Callable[Concatenate[Context, P], Awaitable[object]]
Fields = dict[str, object]
CREDITS = Balances(contactcredit=100, bus_email_credits=100, personal_email_credits=100)
_NO_CREDITS = Balances(contactcredit=0, bus_email_credits=0, personal_email_credits=0)
_LOOKUP = {"personalemails": "personalemail", "businessemails": "businessemail", "directdials": "directdial"}
_WORK = "businessemail"
_PLACE = {"company": COMPANY, "company_domain": DOMAIN, "country": "NOR", "city": "Oslo"}
_BRANCH = {"industry": "Software", "company_size": "51-200"}


class Wanted(Protocol):
    """One person of an enrichment."""

    reference: str | int | None
    linkedinurl: str
    email: str
    name: str
    company: str


class Sent(Protocol):
    """The fields of the inputs, each of which has some of them."""

    linkedinurl: str
    type: str
    people: Sequence[Wanted]
    kinds: Sequence[str]
    max_credits: int | None
    dry_run: bool
    name: str
    domain: str
    email: str
    listid: int | None
    linkedinurls: Sequence[str]
    search: PeopleSearch | None
    first: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call to answer: the input, and the balances to show."""

    ctx: Context
    sent: Sent
    credits: Balances

    @property
    def host(self) -> str:
        return self.ctx.settings.profile_host

    def url(self, person: Sample) -> str:
        return profile_url.url_of(person.key, self.host)


def served(answer: Callable[[Call], Fields], scope: str, limits: str = "") -> Callable[[Run[P]], Run[P]]:
    """Let `answer` return the fields of the response instead of the script, for test keys and test people.

    scope, limits: those of the script. Calls with a test key are counted apart from those with other keys.
    """

    def decorate(run: Run[P]) -> Run[P]:
        returned = get_type_hints(run)["return"]
        kinds = get_args(returned) or (returned,)
        output: type[BaseModel] = next(kind for kind in kinds if issubclass(kind, BaseModel))

        @wraps(run)
        async def answered(ctx: Context, /, *sent: P.args, **none: P.kwargs) -> object:
            key, host = api_keys.sent(ctx), ctx.settings.profile_host
            test = api_keys.is_test(key)
            if not test and (not key or key in ctx.settings.app_keys or not sent or not people.named(sent[0], host)):
                return await run(ctx, *sent, **none)
            caller = await callers.by_key(ctx, scope, limits, test=test)
            left = CREDITS if test else await balance.balances(ctx, caller.clientid)
            call = Call(ctx, cast("Sent", sent[0] if sent else None), left)
            response = output.model_validate(answer(call))
            return response if len(kinds) == 1 else idempotent.response(ctx, response)

        return answered

    return decorate


def _admit(person: Sample | None) -> Sample | None:
    """Return the person. Raises TooMany for the one that stands for a rate limit (429)."""
    if person is not None and person.result == "rate_limit":
        raise TooMany("Too many requests: at most 30 a minute. Try again in 60 seconds.", headers={"Retry-After": "60"})
    return person


def _values(person: Sample, kind: str) -> list[str]:
    return list({"directdial": person.phones, _WORK: (person.email,), "personalemail": person.personal}[kind])


def _checked(person: Sample, kind: str) -> list[Fields]:
    word = person.verification if kind == _WORK else "unknown"
    return [{"address": each, "verification": word, "checkedon": CHECKED} for each in _values(person, kind)]


def _details(person: Sample, kinds: Sequence[str]) -> Fields:
    shown = set(kinds) & set(person.kinds)
    return {
        "phones": list(person.phones) if "directdial" in shown else [],
        "business_emails": _checked(person, _WORK) if _WORK in shown else [],
        "personal_emails": _checked(person, "personalemail") if "personalemail" in shown else [],
    }


# -- look-ups ----------------------------------------------------------------------------------------------------------


def keylookup(call: Call) -> Fields:
    sent, kind = call.sent, _LOOKUP[call.sent.type]
    key = profile_url.typed_key(sent.linkedinurl, call.host)
    person = _admit(people.by_url(sent.linkedinurl, call.host))
    if person is not None and person.result == "no_credit":
        raise balance.spending_error(kind, _NO_CREDITS, live=True)
    match = person if person is not None and kind in person.kinds else None
    left = getattr(call.credits, balance.CREDIT[kind])
    call.ctx.headers["X-Credits-Remaining"] = str(left)
    data = {"full_name": match.full_name if match else "", "linkedinurl": profile_url.url_of(key, call.host)}
    values = _values(match, kind) if match else []
    return {"data": data | {sent.type: values}, "charged": 0, "credits_left": left}


def enrich(call: Call) -> Fields:
    sent = call.sent
    found = [_wanted(each, call.host) for each in sent.people]
    price = _price([person for person, _ in found if person is not None], sent.kinds)
    call.ctx.headers["X-Credits-Price"] = str(price)
    if not sent.dry_run:
        purchase.check_ceiling(price, sent.max_credits)
        call.ctx.headers["X-Credits-Charged"] = "0"
    items = [_item(call, each, *match) for each, match in zip(sent.people, found, strict=True)]
    return {"price": price, "charged": 0, "credits": call.credits, "resource": items}


def _wanted(wanted: Wanted, host: str) -> tuple[Sample | None, str]:
    """Return the person that is meant, or the reason why there is none."""
    if wanted.linkedinurl.strip():
        try:
            person = people.by_url(wanted.linkedinurl, host)
        except profile_url.NotAProfile:
            return None, "bad_profile"
    elif wanted.email.strip():
        person = people.by_email(wanted.email)
    elif wanted.name.strip() and wanted.company.strip():
        person = people.by_name(wanted.name, wanted.company)
    else:
        return None, "no_identifier"
    known = _admit(person)
    return (known, "") if known is not None and known.kinds else (None, "unknown_person")


def _price(found: Sequence[Sample], kinds: Sequence[str]) -> int:
    return sum(len(set(kinds) & set(person.kinds)) for person in dict.fromkeys(found))


def _item(call: Call, wanted: Wanted, person: Sample | None, why: str) -> Fields:
    item: Fields = {"reference": wanted.reference, "status": "not_found", "reason": why}
    if person is None:
        return item
    if not set(call.sent.kinds) & set(person.kinds):
        return item | {"reason": "no_data"}
    if person.result == "no_credit" and not call.sent.dry_run:
        return item | {"status": "no_credit", "reason": "no_credit"}
    item["status"] = "found"
    if call.sent.dry_run:
        return item
    details = {"linkedinurl": call.url(person), "full_name": person.full_name, "title": person.title}
    return item | {"person": details | _PLACE | _details(person, call.sent.kinds)}


def findemail(call: Call) -> Fields:
    sent, left = call.sent, call.credits.bus_email_credits
    person = _admit(people.by_name(sent.name, sent.domain))
    purchase.check_ceiling(1, sent.max_credits)
    if person is not None and person.result == "no_credit":
        raise balance.spending_error(_WORK, _NO_CREDITS, live=True)
    found = person is not None and _WORK in person.kinds
    call.ctx.headers |= {"X-Credits-Price": str(int(found)), "X-Credits-Charged": "0", "X-Credits-Remaining": str(left)}
    if person is None or not found:
        return {"credits_left": left, "reasons": ["unknown_person"]}
    return {"email": person.email, "verification": person.verification, "checkedon": CHECKED, "credits_left": left}


def verifyemail(call: Call) -> Fields:
    person = _admit(people.by_email(call.sent.email))
    call.ctx.headers |= {"X-Credits-Price": "0", "X-Credits-Charged": "0"}
    word = person.verification if person is not None else "unknown"
    return {"email": call.sent.email.strip(), "verification": word, "checkedon": CHECKED, "reasons": []}


# -- searches ----------------------------------------------------------------------------------------------------------


def _matching(name: str) -> list[Sample]:
    """Return the people with a name that has these words or beginnings of words."""
    _admit(people.by_name(name, COMPANY))
    words = name.lower().split()
    return [
        person for person in LISTED
        if all(any(part.startswith(word) for part in person.full_name.lower().split()) for word in words)
    ]  # fmt: skip


def searchpeople(call: Call) -> Fields:
    found = _matching(call.sent.name)
    return {"meta": {"count": len(found), "estimated": False}, "resource": [_match(call, person) for person in found]}


def _match(call: Call, person: Sample) -> Fields:
    seniority, function = job_titles.derived(person.title)
    details = {"linkedinurl": call.url(person), "full_name": person.full_name, "title": person.title}
    rank = {"seniority": seniority, "function": function, "has": list(person.kinds), "owned": [], "owned_by": []}
    known = {"verification": person.verification, "firstseen": CHECKED, "lastchecked": CHECKED}
    return details | _PLACE | _BRANCH | rank | known


def searchcompanies(call: Call) -> Fields:
    words = call.sent.name.lower().split()
    functions = [job_titles.derived(person.title)[1] for person in LISTED]
    company = {
        "company": COMPANY, "company_domain": DOMAIN, "people": len(LISTED), "countries": [_PLACE["country"]],
        "functions": {name: functions.count(name) for name in functions},
    }  # fmt: skip
    found = [company | _BRANCH] if all(word in COMPANY.lower() for word in words) else []
    return {"meta": {"count": len(found), "estimated": False}, "resource": found}


# -- the account -------------------------------------------------------------------------------------------------------


def contacts(call: Call) -> Fields:
    rows = [
        {"contactid": number, "linkedinurl": call.url(person), "name": person.full_name, "title": person.title,
         "phones": list(person.phones), "business_emails": [person.email], "personal_emails": list(person.personal),
         "verification": person.verification, "checkedon": CHECKED, "createdon": CHECKED,
         "revealed": [{"kind": kind, "by": None, "keyid": None, "on": CHECKED} for kind in person.kinds]} | _PLACE
        for number, person in enumerate(LISTED, 1)
    ]  # fmt: skip
    return {"meta": {"next": None}, "resource": rows}


def usage(call: Call) -> Fields:
    return {"credits": call.credits, "days": [], "callers": []}


def credits_(call: Call) -> Fields:
    plan = {"plan": "Test", "renewson": None, "autorenew": False}
    return {"credits": call.credits, "spent": _NO_CREDITS, "limits": call_limits.REPORTED} | plan


def lists(call: Call) -> Fields:
    if call.sent.listid is None:
        shown = {"listid": 1, "name": "Test list", "shared": True, "people": len(LISTED), "createdon": CHECKED}
        return {"lists": [shown]}
    if call.sent.listid != 1:
        raise contact_lists.no_such(call.sent.listid, "Your lists: 1 (Test list).")
    about = {"company": COMPANY, "country": _PLACE["country"], "tags": [], "note": "", "createdon": CHECKED}
    named = ({"linkedinurl": call.url(each), "full_name": each.full_name, "title": each.title} for each in LISTED)
    return {"resource": [each | about for each in named]}


# -- tools of agents ---------------------------------------------------------------------------------------------------


def _asked(call: Call) -> list[tuple[str, Sample | None, bool]]:
    """Return each requested address with its person, and whether it is the address of a profile."""
    if call.sent.search is not None:
        found = _matching(call.sent.search.name)[: call.sent.first]
        return [(call.url(person), person, True) for person in found]
    asked: list[tuple[str, Sample | None, bool]] = []
    for url in call.sent.linkedinurls:
        try:
            person = _admit(people.by_url(url, call.host))
        except profile_url.NotAProfile:
            asked.append((url, None, False))
        else:
            asked.append((url, person if person is not None and person.kinds else None, True))
    return asked


def _priced(call: Call, url: str, person: Sample | None, *, valid: bool) -> Fields:
    if person is None:
        return {"linkedinurl": url, "status": "not_found" if valid else "invalid"}
    price = len(set(call.sent.kinds) & set(person.kinds))
    named = {"linkedinurl": call.url(person), "full_name": person.full_name, "title": person.title, "company": COMPANY}
    return named | {"status": "found" if price else "not_found", "price": price}


def price(call: Call) -> Fields:
    total, items = _quote(call)
    return {"price": total, "credits": call.credits, "resource": [item for item, _ in items]}


def _quote(call: Call) -> tuple[int, list[tuple[Fields, Sample | None]]]:
    """Return the price, and each requested person with its price."""
    asked = _asked(call)
    items = [(_priced(call, url, person, valid=valid), person) for url, person, valid in asked]
    return _price([person for _, person in items if person is not None], call.sent.kinds), items


def reveal(call: Call) -> Fields:
    total, items = _quote(call)
    quoted = {"price": total, "charged": 0, "credits": call.credits}
    if call.sent.max_credits is None:
        return quoted | {"resource": [item for item, _ in items], "note": agents.ASK}
    purchase.check_ceiling(total, call.sent.max_credits)
    return quoted | {"resource": [item | _revealed(person, call.sent.kinds) for item, person in items]}


def _revealed(person: Sample | None, kinds: Sequence[str]) -> Fields:
    if person is None:
        return {}
    return {"status": "no_credit"} if person.result == "no_credit" else _details(person, kinds)
