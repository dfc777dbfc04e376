"""The settings of the engine: frozen, and passed down.

A host program passes `Settings` to `TableAPI`: keyword arguments and defaults. Commands read `EnvironmentSettings`
(`environment.py`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tableapi.config.networks import Networks
from tableapi.crypto.vault import key_error

# Any scheme is allowed, because pages inside an app have origins such as capacitor://localhost.
_ORIGIN = re.compile(r"([a-z][a-z0-9+.-]*)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?")


_HOST = re.compile(r"(?:\[[0-9a-fA-F:.%]+\]|[^:\[\]]*)(?::(\d{1,5}))?")
_AFTER_HOST = re.compile("[/?#]")
_RAW = re.compile("[#/?@\\[\\]]|%(?![0-9A-Fa-f]{2})")  # in a user name or password
_SCHEME = re.compile("[a-z0-9]{2,20}")
_WORDS = re.compile(r"(?:host|hostaddr|dbname|user|port|service)\s*=")  # of libpq: host=... dbname=...
_POSTGRES_URL = "postgresql://user:password@host:5432/database"


def _listed(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def postgres_url(value: str) -> str:
    """Convert a URL to asyncpg's form; also accepts `postgres://` and `postgresql+driver://`.

    Raises:
        ValueError: another URL, or one in which a character of the password would end the address.
    """
    scheme, _, rest = value.partition("://")
    if scheme.split("+")[0] not in ("postgres", "postgresql") or not rest:
        raise ValueError(_other_address(scheme.lower(), rest))
    if signs := _unencoded(rest):
        has, codes = " and ".join(signs), " and ".join(quote(sign, safe="") for sign in signs)
        raise ValueError(
            f"the user name or password contains {has}, which {'have' if signs[1:] else 'has'} a meaning in a URL: "
            f"write {codes}"
        )
    hosts = _AFTER_HOST.split(rest)[0].rpartition("@")[2].split(",")
    if not all((match := _HOST.fullmatch(host)) and int(match[1] or 1) <= 65535 for host in hosts):
        raise ValueError(f"the host or port is not valid. The form is {_POSTGRES_URL}")
    return f"postgresql://{rest}"


def _other_address(scheme: str, rest: str) -> str:
    """Say how to write an address that is not a PostgreSQL URL, without repeating its password."""
    if scheme.startswith("jdbc:"):
        return "the address must not begin with 'jdbc:'. Leave out 'jdbc:' and write user:password@ before the host"
    if rest and _SCHEME.fullmatch(scheme):
        return f"the address is of {scheme}, but only PostgreSQL is supported: {_POSTGRES_URL}"
    if not rest and ("@" in scheme or "/" in scheme or _WORDS.match(scheme)):
        return f"the address lacks postgresql:// in front. The form is {_POSTGRES_URL}"
    return f"must be a PostgreSQL URL: {_POSTGRES_URL}"


def _unencoded(rest: str) -> list[str]:
    """Return the characters of a user name or password that must be encoded, in their order.

    rest: a URL after `://`. The last @ ends the password, except that one in a query belongs to it.
    """
    before_query, _, query = rest.partition("?")
    if "@" in before_query:
        secret = before_query.rpartition("@")[0]
    elif "@" in query and not _HOST.fullmatch(before_query.partition("/")[0]):
        secret = rest.rpartition("@")[0]
    else:
        return []
    return [*dict.fromkeys(_RAW.findall(secret))]


def origin(value: str) -> str:
    """Check a URL such as `https://app.example.com`, and remove a trailing slash."""
    parts = urlsplit(value)
    unusual = parts.query or parts.fragment or not value.isprintable() or " " in value
    if parts.scheme not in ("http", "https") or not parts.netloc or unusual:
        raise ValueError("must be a URL such as https://app.example.com")
    return value.rstrip("/")


def _without_path(value: str) -> str:
    if path := urlsplit(value).path:
        raise ValueError(f"must not have a path, such as '{path[:100]}': write https://app.example.com")
    return value


def _cors_origin(value: str) -> str:
    """Return an origin in the form sent by browsers: in lower case, without the scheme's default port."""
    match = _ORIGIN.fullmatch(value.lower().rstrip("/"))
    if value != "*" and match is None:
        raise ValueError("must be origins such as https://app.example.com, separated by commas, or *")
    if match is None:
        return value
    port = "" if (match[1], match[3]) in (("https", ":443"), ("http", ":80")) else match[3] or ""
    return f"{match[1]}://{match[2]}{port}"


def _proxies(value: tuple[str, ...]) -> tuple[str, ...]:
    try:
        Networks(value)
    except ValueError:
        raise ValueError("must be addresses or networks, such as 10.0.0.7,10.1.0.0/16") from None
    return value


def _collector(value: str) -> str:
    if value and not value.startswith(("http://", "https://")):
        raise ValueError("must be a URL such as http://collector:4318")
    return value


def _redis_url(value: str) -> str:
    if not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must be a URL such as redis://host:6379/0")
    return value


def _secret_keys(value: tuple[str, ...]) -> tuple[str, ...]:
    if error := key_error(value):
        raise ValueError(error)
    return value


Words = Annotated[tuple[str, ...], BeforeValidator(_listed)]
PostgresUrl = Annotated[str, AfterValidator(postgres_url)]
PostgresUrls = Annotated[tuple[PostgresUrl, ...], BeforeValidator(_listed)]
Origin = Annotated[str, AfterValidator(origin)]
CorsOrigins = Annotated[tuple[Annotated[str, AfterValidator(_cors_origin)], ...], BeforeValidator(_listed)]
Proxies = Annotated[Words, AfterValidator(_proxies)]
AnyCase = BeforeValidator(_lower)
Seconds = Annotated[float, Field(allow_inf_nan=False)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,62}$")]


def _contact(value: str) -> str:
    """Accept the forms of a contact in RFC 9116."""
    if value and (not value.startswith(("mailto:", "https://", "tel:")) or not value.isprintable() or " " in value):
        raise ValueError("must be a mailto: or https:// URL, such as mailto:security@example.com")
    return value


class Settings(BaseModel):
    """One attribute per setting, named like its environment variable in lower case.

    An empty text disables a feature.

    Values are keyword arguments, which are validated; the rest have defaults.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=1, le=65535)
    workers: int = Field(default=1, ge=1, le=256)
    public_url: Annotated[Origin, AfterValidator(_without_path)] = Field(
        default_factory=lambda data: f"http://127.0.0.1:{data['port']}"
    )
    cors_origins: CorsOrigins = ()  # pages of these origins may call the API, besides PUBLIC_URL; "*" for any
    dataset: Name = "data"

    data_dir: Path = Path(".data")
    database_url: PostgresUrl | None = Field(default=None, repr=False)
    database_direct_url: PostgresUrl | None = Field(default=None, repr=False)  # bypasses a pooler
    database_replica_urls: PostgresUrls = Field(default=(), repr=False)
    database_connections: int | None = Field(default=None, ge=1, le=100_000)  # over all workers and databases
    database_idle_seconds: Seconds = Field(default=60.0, gt=0)  # unused connections are closed after this long
    database_pipeline: bool = True  # several requests in flight on one connection
    redis_url: Annotated[str, AfterValidator(_redis_url)] | None = Field(default=None, repr=False)
    init: bool = True
    worker: bool = True

    app_keys: Words = Field(default=(), repr=False)
    secret_keys: Annotated[Words, AfterValidator(_secret_keys)] = Field(default=(), repr=False)
    # Tokens (JWT) from an issuer: docs/guides/row-security.md.
    jwt_secret: str = Field(default="", repr=False)
    jwt_jwks: str = ""  # URL or file with the issuer's keys
    jwt_issuer: str = ""
    jwt_audience: Words = ()
    jwt_algorithms: Words = ()  # empty: HS256 with a secret; RS256, ES256 and EdDSA with keys
    jwt_role_claim: str = Field(default="role", min_length=1)
    jwt_default_role: str = ""
    jwt_roles: Words = ()  # roles that a token may name; empty: the database roles and those of an access file
    jwt_leeway_seconds: Seconds = Field(default=10.0, ge=0, le=300)
    mcp_audience: Words = ()  # `aud` of tokens for /mcp, if the issuer cannot use its URL
    mcp_read_only: bool | None = None  # agents only read; None: on for --open, off for a project and --access
    mcp_results: Annotated[Literal["both", "structured", "text"], AnyCase] = "both"  # form of the results of tools
    metrics_token: str = Field(default="", repr=False)
    security_contact: Annotated[str, AfterValidator(_contact)] = ""  # for /.well-known/security.txt
    strict_options: bool | None = None  # reject unknown options; None: off for a project, on for --open and --access
    rate_limits: bool | None = None  # None: on for a project, off for --open and --access
    trusted_proxies: Proxies = ()  # addresses and networks of proxies; X-Forwarded-For is read only from these
    log_level: Annotated[Literal["debug", "info", "warning", "error"], AnyCase] = "info"

    otel_exporter_otlp_endpoint: Annotated[str, AfterValidator(_collector)] = ""  # enables traces (tracing.py)
    otel_traces_exporter: str = ""
    otel_service_name: str = "tableapi"

    # Limits of filters, pages, bodies and rates: docs/reference/wire.md, docs/reference/rules.md.
    filter_chars: int = Field(default=2000, ge=1)
    filter_conditions: int = Field(default=50, ge=1)
    filter_depth: int = Field(default=10, ge=1)
    filter_in: int = Field(default=500, ge=1)
    max_limit: int = Field(default=1000, ge=1)
    public_routines: Words = ()  # functions and procedures that may be called
    max_offset: int = Field(default=100_000, ge=0)
    body_bytes: int = Field(default=1_048_576, ge=1024)
    compression: bool = True  # gzip of large responses
    import_bytes: int = Field(default=1_073_741_824, ge=1024)  # per imported file
    import_seconds: Seconds = Field(default=600.0, gt=0)
    # PostgreSQL takes whole milliseconds as a 32-bit integer, and 0 as no limit.
    statement_seconds: Seconds = Field(default=5.0, ge=0.001, le=2_147_483)
    request_seconds: Seconds = Field(default=15.0, gt=0)
    max_in_flight: int = Field(default=512, ge=1)  # requests in flight per worker; additional ones get 503
    drain_seconds: Seconds = Field(default=0.0, ge=0, le=300)
    session_per_minute: int = Field(default=300, ge=1)
    address_per_minute: int = Field(default=60, ge=1)
    changes_poll_seconds: Seconds = Field(default=0.05, ge=0.005, le=10)  # interval between checks for changes
    changes_heartbeat_seconds: Seconds = Field(default=15.0, ge=0.5, le=600)
    # a stream can be resumed after an interruption of up to this length
    changes_keep_seconds: Seconds = Field(default=600.0, ge=10)
    changes_streams: int = Field(default=5000, ge=0)  # per worker; 0 turns them off
    changes_streams_per_caller: int = Field(default=50, ge=1)
    changes_streams_per_user: int = Field(default=100, ge=1)
    changes_streams_per_account: int = Field(default=500, ge=1)
    changes_queue_bytes: int = Field(default=262_144, ge=4096)  # buffered for a slow client
    webhooks_private: bool = False  # webhooks may go to private addresses, and over http
    webhooks_timeout_seconds: Seconds = Field(default=10.0, gt=0, le=60)  # per attempt
    webhooks_backoff_seconds: Seconds = Field(default=5.0, gt=0, le=900)  # the first pause after a failure
    webhooks_keep_seconds: Seconds = Field(default=259_200.0, ge=1, le=2_592_000)  # retries, and the log

    @model_validator(mode="after")
    def _direct_beside_pooled(self) -> Self:
        if self.database_direct_url is not None and self.database_url is None:
            raise ValueError(
                "DATABASE_DIRECT_URL requires DATABASE_URL: it must name the same database, without the pooler"
            )
        return self

    @property
    def direct_url(self) -> str:
        """The address for LISTEN, jobs and migrations, which do not work through a pooler in transaction mode."""
        return str(self.database_direct_url or self.database_url)

    @property
    def direct_setting(self) -> str:
        """The setting with that URL."""
        return "DATABASE_DIRECT_URL" if self.database_direct_url else "DATABASE_URL"

    @property
    def run_dir(self) -> Path:
        """The folder with the files that a running server's workers share, one per port."""
        return self.data_dir / "run" / str(self.port)
