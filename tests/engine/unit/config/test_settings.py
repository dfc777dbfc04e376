"""Settings: their sources, invalid values, and secrets that are generated once."""

from __future__ import annotations

import pickle
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from product.settings import Settings
from tableapi.config.command_error import BadSettings
from tableapi.config.secret_file import kept_secret
from tableapi.config.settings import Settings as HostSettings
from tableapi.config.settings import origin, postgres_url


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing set, nothing in .env."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "0"),
        ("PORT", "eighty"),
        ("WORKERS", "-1"),
        ("DEMO", "perhaps"),
        ("DATASET", "a b"),
        ("DATABASE_URL", "mysql://u:hidden@h/d"),
        ("DATABASE_REPLICA_URLS", "postgresql://a/b,http://u:hidden@h"),
        ("DATABASE_DIRECT_URL", "mysql://u:hidden@h/d"),
        ("DATABASE_DIRECT_URL", "postgresql://u:hidden@h/d"),  # without DATABASE_URL
        ("MAIL_URL", "mail://u:hidden@h"),
        ("REDIS_URL", "http://u:hidden@h"),
        ("PUBLIC_URL", "app.example.com"),
        ("QUERY_TOKENS", "none"),
        ("LOG_LEVEL", "loud"),
        ("LINKEDIN_CLIENT_SECRET", "hidden"),
        ("STATEMENT_SECONDS", "5s"),
        ("STATEMENT_SECONDS", "inf"),
        ("STATEMENT_SECONDS", "1e30"),  # more than PostgreSQL's integer
        ("STATEMENT_SECONDS", "0.0004"),  # 0 ms, which PostgreSQL takes as no limit
        ("REQUEST_SECONDS", "NaN"),
        ("IMPORT_SECONDS", "inf"),
        ("DATABASE_IDLE_SECONDS", "-inf"),
        ("CHANGES_KEEP_SECONDS", "1e400"),
        ("MAX_LIMIT", "1e3"),
        ("BODY_BYTES", "1MB"),
        ("RATE_LIMITS", "none"),
        ("TRUSTED_PROXIES", "*"),
        ("TRUSTED_PROXIES", "10.0.0.7,balancer"),
        ("TRUSTED_PROXIES", "10.0.0.0/33"),
        ("PUBLIC_URL", "https://app.example.com?next=1"),
        ("PUBLIC_URL", "https://app.example.com other"),
        ("CORS_ORIGINS", '"https://app.example.com"'),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
        ("STRIPE_PUBLISHABLE_KEY", "sk_test_hidden"),  # would be sent to every browser
        ("STRIPE_PUBLISHABLE_KEY", "rk_live_hidden"),
        ("STRIPE_PUBLISHABLE_KEY", "whsec_hidden"),
        ("STRIPE_SECRET_KEY", "pk_test_hidden"),
        ("STRIPE_WEBHOOK_SECRET", "sk_test_hidden"),
        ("STRIPE_WEBHOOK_SECRET", "whsec_old,pk_test_hidden"),
        ("MAIL_FROM", "Acme"),
        ("MAIL_FROM", "Acme <hello@acme.example>\nBcc: x@y.example"),
        ("PROFILE_HOST", "https://linkedin.com"),
        ("PROFILE_HOST", '"linkedin.com"'),
        ("BRAND_NAME", "Acme\nBcc: x@y.example"),
        ("COMING_SOON", "people\nsearch"),
        ("COMING_SOON", "people\udcffsearch"),
    ],
)
def test_an_invalid_value_is_reported_in_one_line(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(BadSettings, match=name) as refused:
        Settings.read()

    assert len(str(refused.value).splitlines()) == 1
    assert "hidden" not in str(refused.value)


def test_an_unwritable_folder_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", "/proc/nothing")

    with pytest.raises(BadSettings, match="DATA_DIR /proc/nothing cannot be used"):
        Settings.read()


def test_no_setting_is_required() -> None:
    settings = Settings.read()

    assert (settings.host, settings.port, settings.dataset) == ("127.0.0.1", 8000, "leads")
    assert settings.data_dir.is_absolute()
    assert settings.database_url is None
    assert settings.database_direct_url is None
    assert pickle.loads(pickle.dumps(settings)) == settings  # workers may be spawned


def test_the_command_line_beats_the_environment_which_beats_the_file(
    empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_folder / ".env").write_text("PORT=1001\nHOST=10.0.0.1\nDATASET=shop\nOTHERS=thing\n")
    monkeypatch.setenv("PORT", "1002")
    monkeypatch.setenv("HOST", "")  # empty is unset

    settings = Settings.read({"dataset": "hr"})

    assert (settings.port, settings.host, settings.dataset) == (1002, "10.0.0.1", "hr")
    assert settings.public_url == "http://127.0.0.1:1002"


def test_lists_and_urls_accept_common_spellings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_KEYS", "one, two,")
    monkeypatch.setenv("DATABASE_URL", "postgres://me@h/d")
    monkeypatch.setenv("DATABASE_REPLICA_URLS", "postgresql+asyncpg://me@r1/d, postgresql://me@r2/d")
    monkeypatch.setenv("CHECK_MX", "on")
    monkeypatch.setenv("INIT", "off")

    settings = Settings.read()

    assert settings.app_keys == ("one", "two")
    assert settings.database_url == "postgresql://me@h/d"
    assert settings.database_replica_urls == ("postgresql://me@r1/d", "postgresql://me@r2/d")
    assert settings.direct_url == "postgresql://me@h/d"
    assert (settings.check_mx, settings.init) == (True, False)


@pytest.mark.parametrize("blank", ["", " ", "\t \n"])
def test_blank_values_count_as_not_set(blank: str, empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = Settings.read(make_secrets=False)
    for name in Settings.model_fields:
        monkeypatch.setenv(name.upper(), blank)
    assert Settings.read(make_secrets=False) == defaults

    (empty_folder / ".env").write_text("HOST=10.0.0.1\nDATASET\n")
    assert Settings.read(make_secrets=False).host == "10.0.0.1"


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("HOST", " 0.0.0.0\n", "0.0.0.0"),
        ("PORT", " 8001 ", 8001),
        ("RATE_LIMITS", "OFF ", False),
        ("LOG_LEVEL", "WARNING", "warning"),
        ("MCP_RESULTS", "Text", "text"),
        ("PUBLIC_URL", "https://app.example.com/ ", "https://app.example.com"),
        ("STRIPE_SECRET_KEY", "sk_live\n", "sk_live"),
        ("JWT_SECRET", " s3cret\n", " s3cret\n"),  # the issuer has the same bytes
        ("SELLER_ADDRESS", "1 Main Street\nSpringfield\n", "1 Main Street\nSpringfield"),
        ("PROFILE_HOST", "LinkedIn.com", "linkedin.com"),
        ("MAIL_FROM", "Acme, Inc. <mail@acme.example>", '"Acme, Inc." <mail@acme.example>'),
        ("MAIL_FROM", "mail@acme.example", "mail@acme.example"),
        ("MAIL_FROM", '"Acme" <mail@acme.example>', "Acme <mail@acme.example>"),
        ("TRUSTED_PROXIES", "10.0.0.7, 10.1.0.0/16,::1", ("10.0.0.7", "10.1.0.0/16", "::1")),
        ("DATABASE_URL", " postgresql://me@h/d\n", "postgresql://me@h/d"),
    ],
)
def test_space_around_a_value_is_ignored(name: str, value: str, read: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert getattr(Settings.read(), name.lower()) == read


def test_a_database_behind_a_pooler_has_two_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://me@pooler:6432/d?statement_cache_size=0")
    monkeypatch.setenv("DATABASE_DIRECT_URL", "postgres://me@h/d")

    assert Settings.read().direct_url == "postgresql://me@h/d"


def test_secrets_are_generated_once_and_private() -> None:
    first, second = Settings.read(), Settings.read()

    assert first.secret_keys == second.secret_keys
    assert first.app_keys != first.secret_keys
    file = first.data_dir / "secrets" / "secret_key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert first.secret_keys[0] not in repr(first)


def test_simultaneous_starts_get_the_same_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(kept_secret, [tmp_path / "s" / "key"] * 64))

    assert len(secrets) == 1
    assert [file.name for file in (tmp_path / "s").iterdir()] == ["key"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("postgresql://a@h/d", "postgresql://a@h/d"),
        ("postgres://a@h/d?sslmode=require", "postgresql://a@h/d?sslmode=require"),
        ("postgresql+asyncpg://h1:1,h2:2/d", "postgresql://h1:1,h2:2/d"),
    ],
)
def test_postgresql_urls_are_normalized(value: str, expected: str) -> None:
    assert postgres_url(value) == expected


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("", "must be a PostgreSQL URL"), ("postgresql://", "must be a PostgreSQL URL"),
        ("postgresql", "must be a PostgreSQL URL"), ("mysql://h/d", "is of mysql"),
        ("h/d", "lacks postgresql:// in front"),
    ],
)  # fmt: skip
def test_invalid_postgresql_urls_are_rejected(value: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        postgres_url(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("https://app.example.com/", "https://app.example.com"), ("http://127.0.0.1:80", "http://127.0.0.1:80")],
)
def test_origins_are_normalized(value: str, expected: str) -> None:
    assert origin(value) == expected


@pytest.mark.parametrize("value", ["", "app.example.com", "ftp://h", "https://"])
def test_invalid_origins_are_rejected(value: str) -> None:
    with pytest.raises(ValueError, match="must be a URL such as"):
        origin(value)


def test_a_host_program_sets_only_what_it_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "1002")
    monkeypatch.setenv("WORKERS", "9")

    assert (HostSettings().port, HostSettings(port=1003).port, HostSettings().workers) == (8000, 1003, 1)
