"""Client of the contact-data vendor (PEOPLE_URL), with a retry and a circuit breaker."""

from __future__ import annotations

import time

import httpx2
import structlog
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from product.people import phones, search_terms
from tableapi import ApiError, tls_context

log = structlog.get_logger(__name__)
SECONDS = 3.0  # per try; two tries fit into the request timeout
FAILURES, PAUSE_SECONDS = 5, 4.0  # after this many consecutive failures, no requests are sent for this long


class VendorDown(ApiError):
    """The vendor does not respond (503). Nothing is charged."""

    status, reason = 503, "vendor_unavailable"


class FoundPerson(BaseModel):
    """The vendor's data of a person: the fields of the import file; lists may be `;`-separated text."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    full_name: str
    title: str = ""
    company: str = ""
    company_domain: str = ""
    country: str = ""
    city: str = ""
    industry: str = ""
    company_size: str = ""
    seniority: str = ""
    personal_emails: list[str] = []
    business_emails: list[str] = []
    phones: list[str] = []

    @field_validator("company_domain", mode="after")
    @classmethod
    def _domain(cls, value: str) -> str:
        return search_terms.domain_of(value)

    @field_validator("personal_emails", "business_emails", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        if value is None:
            return []
        return [part.strip() for part in value.split(";") if part.strip()] if isinstance(value, str) else value

    @field_validator("phones", mode="before")
    @classmethod
    def _numbers(cls, value: object) -> object:
        if value is None:
            return []
        return phones.split(value) if isinstance(value, str) else value

    @field_validator(
        "title", "company", "company_domain", "country", "city", "industry", "company_size", "seniority", mode="before"
    )
    @classmethod
    def _text(cls, value: object) -> object:
        return "" if value is None else value


class PeopleVendor:
    """The vendor's API."""

    def __init__(self, url: str, key: str, *, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._url = url
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx2.AsyncClient(
            verify=tls_context(), timeout=SECONDS, transport=transport, headers=headers, follow_redirects=False
        )
        self._failures, self._paused_until = 0, 0.0

    async def close(self) -> None:
        await self._client.aclose()

    async def find(self, linkedinurl: str) -> FoundPerson | None:
        """Fetch one person by profile URL; None when the vendor has no data.

        Raises:
            VendorDown: two tries failed, or the circuit breaker is open (503).
        """
        if time.monotonic() < self._paused_until:
            raise _down()
        for last in (False, True):
            try:
                response = await self._client.get(self._url, params={"linkedinurl": linkedinurl})
                person = _parse(response)
            except (httpx2.HTTPError, ValueError) as error:
                if last:
                    self._count_failure(error)
                    raise _down() from None
            else:
                self._failures = 0
                return person
        raise _down()

    def _count_failure(self, error: Exception) -> None:
        self._failures += 1
        if self._failures >= FAILURES:
            self._paused_until = time.monotonic() + PAUSE_SECONDS
        log.warning("people_vendor_failed", error=type(error).__name__, failures=self._failures)


def _down() -> VendorDown:
    message = "The contact data service is not responding. Nothing was charged; try again in a moment."
    return VendorDown(message, headers={"Retry-After": "4"})


def _parse(response: httpx2.Response) -> FoundPerson | None:
    """Return the person of a response, or None for 404, 204 and an empty object.

    Raises:
        ValueError: the response has any other content.
    """
    if response.status_code in (204, 404):
        return None
    response.raise_for_status()
    data = response.json()
    if isinstance(data, dict) and not data:
        return None
    try:
        return FoundPerson.model_validate(data)
    except ValidationError:
        raise ValueError("not a person") from None
