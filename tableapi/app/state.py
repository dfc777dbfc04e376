"""The state of one worker process: databases, scripts of the project, authenticator."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from tableapi.app.declared import check_rights
from tableapi.app.feature import Feature, Handler
from tableapi.app.options import BadDatasets, ServeOptions
from tableapi.auth.access_file import AccessFile, FileRights
from tableapi.auth.authenticators import (
    AnonymousAuthenticator,
    Authenticator,
    KeyAuthenticator,
    OpenAuthenticator,
    SessionAuthenticator,
)
from tableapi.auth.guesses import Guesses
from tableapi.auth.policy import NO_SESSIONS, Access, DatabaseRole
from tableapi.auth.rights import FullRights, NoRights, PolicyRights, Rights
from tableapi.auth.tokens.authenticator import TokenAuthenticator
from tableapi.auth.tokens.settings import token_settings
from tableapi.config.command_error import MissingExtra
from tableapi.config.settings import Settings
from tableapi.crypto.unseal import Unsealer
from tableapi.datasets.dataset import Dataset, ServedDataset
from tableapi.datasets.declared import BadRights, check_access
from tableapi.datasets.scoped import ScopedDatasets
from tableapi.db import budget
from tableapi.db.database import Db
from tableapi.db.replicas import Replicas
from tableapi.http.origin import OriginGuard
from tableapi.idempotency import replay
from tableapi.log import get_logger
from tableapi.project.files import load_policy
from tableapi.project.registry import Scripts
from tableapi.query.limits import DEEPEST, FilterLimits, Limits
from tableapi.query.spelling import suggestion

log = get_logger(__name__)


class AppState:
    """The served databases, and the authentication of requests to them."""

    def __init__(self, settings: Settings, served: ServeOptions) -> None:
        self.settings, self.served = settings, served
        self.datasets: dict[str, ServedDataset] = {}
        self.scoped = ScopedDatasets()
        self.scripts: Scripts | None = None
        self.module: ModuleType | None = None  # the policy module of a project
        self.features: Sequence[Feature] = ()
        self.views: Mapping[str | None, Handler] = {}  # handlers of features for `GET _table/<table>/<name>`
        # Pages that may use endpoints without a secret: those at the server's own address and in CORS_ORIGINS.
        pages = (settings.public_url, *settings.cors_origins)
        # Whether unknown options are errors by default.
        chosen = settings.strict_options
        self.strict = chosen if chosen is not None else served.project is None and not served.embedded
        self.guard = OriginGuard("" if served.embedded else settings.host, pages)
        self.is_open = False  # whether every database has been reached once
        self.limited = settings.rate_limits if settings.rate_limits is not None else served.project is not None
        self.base_authenticator: Authenticator  # keys and sessions; `authenticator` also accepts signed tokens
        self.sessions = NO_SESSIONS  # of the policy
        self.database_roles: Mapping[str, DatabaseRole] = served.database_roles
        if served.project is not None:
            self._project(served.project)
        elif served.policy is not None:
            self._policy(served, served.policy)
        else:
            access = served.access
            self.base_authenticator = KeyAuthenticator(access) if access else OpenAuthenticator(served.key)
            self.database_roles = access.database_roles if access else {}
            rights = _file_rights(access) if access else lambda role, _: FullRights()
            self._serve(rights, limits=self._limits(None))
        if served.scripts or served.hooks:
            db = next(iter(self.datasets.values())).db
            self.scripts = Scripts.given(served.scripts, served.hooks, settings, db)
            self.scripts.sessions = self.sessions
        # The tables of its sessions are watched; without sessions it watches none.
        self.session_db = next(iter(self.datasets.values())).db
        self.authenticator = self._with_tokens()
        self.idempotency = replay.store(settings, self.scripts if served.project is not None else None)

    @property
    def limit_settings(self) -> Settings:
        return self.settings.model_copy(update={"rate_limits": self.limited})

    def _db(
        self, url: str, most: budget.Sizes, *, shared: budget.Budget | None = None, direct: str = "",
        needed: bool = True,
    ) -> Db:  # fmt: skip
        return Db(
            url, reads=most.reads, writes=most.writes if needed else 0,
            pipelined=(most.piped_reads, most.piped_writes) if needed else (0, 0), pool=most.pool if needed else 0,
            statements=most.statements, budget=shared, idle=self.settings.database_idle_seconds,
            statement_timeout=self.settings.statement_seconds, direct=direct, needed=needed,
        )  # fmt: skip

    def _replicas(self, primary: Db, most: budget.Sizes) -> Replicas | None:
        """Return the replicas of a project, or None. Unreachable replicas are ignored."""
        replicas = [self._db(url, most, needed=False) for url in self.served.replicas]
        return Replicas(primary.reads, replicas, self.settings.statement_seconds) if replicas else None

    def _limits(self, offset: int | None) -> Limits:
        s = self.settings
        filters = FilterLimits(s.filter_chars, s.filter_conditions, min(s.filter_depth, DEEPEST), s.filter_in)
        return Limits(rows=s.max_limit, records=1000, offset=offset, filter=filters, routines=s.public_routines)

    def _serve(self, rights: Callable[[str, str], Rights], **options: Any) -> None:
        """Serve every database of the command line or host program; `options` are passed to `Dataset`."""
        urls = self.served.urls
        most = budget.share(self.settings, len(urls), project=False)
        shared = budget.Budget(most - budget.LEAST * len(urls))
        scripted = bool(self.served.scripts or self.served.hooks)  # they use the first database
        for name, url in urls.items():
            db = self._db(url, budget.sizes(self.settings, most, project=scripted and not self.datasets), shared=shared)
            self.datasets[name] = ServedDataset(name, db, rights, database_roles=self.database_roles, **options)

    def _policy(self, served: ServeOptions, policy: Mapping[str, Access]) -> None:
        """Serve a host program's databases under its policy."""
        sessions = served.sessions or NO_SESSIONS
        named, limits = frozenset(policy), self._limits(self.settings.max_offset)
        self._serve(_policy_rights(policy), limits=limits, named=named, identity=sessions.identities)
        self.sessions = sessions
        if served.authenticator is not None:
            self.base_authenticator = served.authenticator
        elif served.sessions is not None:
            first, guesses = next(iter(self.datasets.values())).db, Guesses(self.settings.address_per_minute)
            self.base_authenticator = SessionAuthenticator(
                first, sessions, self.settings.app_keys or None, guesses, shared=self._shared_mark
            )
        else:
            self.base_authenticator = AnonymousAuthenticator()

    def _with_tokens(self) -> Authenticator:
        """Return the authenticator for requests: keys and sessions, preceded by signed tokens."""
        tokens = token_settings(self.settings)
        if tokens is None:
            return self.base_authenticator
        file_roles = self.served.access.roles if self.served.access else {}
        roles = frozenset(self.settings.jwt_roles or {*self.database_roles, *file_roles})
        return TokenAuthenticator(
            tokens, roles, self.base_authenticator, sessions=self.has_sessions, resources=self.settings.mcp_audience
        )

    @property
    def _shared_mark(self) -> Path | None:
        """The file by which several workers of `tableapi serve` tell each other of ended sessions."""
        run_dir = self.settings.run_dir
        return run_dir / "sessions" if self.settings.workers > 1 and run_dir.is_dir() else None

    @property
    def recorder(self) -> SessionAuthenticator:
        """Return what records the reads of the roles in `Sessions.recorded`."""
        assert isinstance(self.base_authenticator, SessionAuthenticator)
        return self.base_authenticator

    @property
    def has_sessions(self) -> bool:
        """Whether a caller without a session could sign in."""
        return isinstance(self.base_authenticator, SessionAuthenticator)

    def _project(self, folder: Path) -> None:
        policy = self.module = load_policy(folder)
        name, url = next(iter(self.served.urls.items()))
        most = budget.sizes(self.settings, budget.share(self.settings, 1, project=True), project=True)
        db = self._db(url, most, direct=self.settings.database_direct_url or "")
        self.database_roles = getattr(policy, "DATABASE_ROLES", {})
        scripts = self.scripts = Scripts.load(folder, self.settings, db)
        self.datasets[name] = ServedDataset(
            name,
            db,
            _policy_rights(policy.POLICY),
            limits=self._limits(self.settings.max_offset),
            named=frozenset(policy.POLICY),
            unseal=Unsealer(scripts.vault),
            hooked=lambda table, verb: (table, verb) in scripts.hooks,
            replicas=self._replicas(db, most),
            identity=policy.SESSIONS.identities,
            database_roles=self.database_roles,
        )
        self.base_authenticator = SessionAuthenticator(
            db, policy.SESSIONS, self.settings.app_keys, scripts.guesses, scripts.vault, shared=self._shared_mark
        )
        others: Mapping[str, Mapping[str, Access]] = getattr(policy, "POLICIES", {})
        for role, tables in others.items():
            self.datasets[name].add_role(role, _policy_rights(tables), frozenset(tables))
        every = (access for tables in (policy.POLICY, *others.values()) for access in tables.values())
        scripts.masked = frozenset(role for access in every for role in access.masked)
        self.sessions = scripts.sessions = policy.SESSIONS

    def explains(self, role: str) -> bool:
        """Whether a role may ask why a request is rejected."""
        access = self.served.access
        named = access.roles.get(role) if access is not None else None
        of_policy = role in frozenset(self.sessions.explains)
        return of_policy or (role == "*" and self.full_rights) or (named is not None and named.explain)

    @property
    def full_rights(self) -> bool:
        """Whether the role `*` has every right: under `--open` and an access file."""
        return self.served.open or self.served.access is not None

    def known_roles(self) -> frozenset[str] | None:
        """Return the roles of the access file; None if the roles come from a policy."""
        access = self.served.access
        return frozenset((*access.roles, "*")) if access is not None else None

    def reload_access(self) -> None:
        """Re-read the access file. If it is invalid, the error is logged and nothing changes."""
        if self.served.access_path is None:
            return
        try:
            served = self.served.reread()
            if served.access is None or served.access == self.served.access:
                return
            schemas = {name: dataset.schema for name, dataset in self.datasets.items()}
            check_access(served.access, schemas, claims=bool(self.settings.jwt_secret or self.settings.jwt_jwks))
            for feature in self.features:
                feature.check_access(served.access, schemas)
        except (BadDatasets, BadRights, MissingExtra) as error:
            log.error("access_file_rejected", alarm="access_file", error=str(error))
            return
        self.served, self.base_authenticator = served, KeyAuthenticator(served.access)
        self.database_roles = served.access.database_roles
        for dataset in self.datasets.values():
            dataset.use_rights(_file_rights(served.access), self.database_roles)
        self.authenticator = self._with_tokens()
        for feature in self.features:
            feature.use_access(served.access)
        log.info("access_file_read", keys=len(served.access.keys), roles=len(served.access.roles))

    @property
    def rights_mark(self) -> str:
        """A text that changes whenever the access file does; part of the key of cached descriptions."""
        if self.served.access is None:
            return ""
        return hashlib.blake2b(self.served.access.model_dump_json().encode(), digest_size=16).hexdigest()

    def datasets_of(self, role: str) -> Mapping[str, Dataset]:
        """Return the databases from the perspective of a role."""
        return {name: dataset.others.get(role, dataset) for name, dataset in self.datasets.items()}

    async def open(self) -> None:
        """Connect to every database and read its schema. Raises BadRights or asyncpg errors."""
        await asyncio.gather(*(dataset.open() for dataset in self.datasets.values()))
        if isinstance(self.base_authenticator, SessionAuthenticator) and not self.is_open:
            self.base_authenticator.listen()
        if self.served.embedded:
            # `tableapi serve` has already done this before starting workers.
            await check_rights(self.served, self.settings)
        for feature in self.features:
            await feature.opened()
        if not self.is_open:
            self._warn_of_routines()
        self.is_open = True

    def _warn_of_routines(self) -> None:
        """Log the names in PUBLIC_ROUTINES that no database has.

        This is not an error, because a routine may be created later.
        """
        routines = {routine.name for dataset in self.datasets.values() for routine in dataset.schema.routines}
        known = {name.lower() for name in routines}
        for name in self.settings.public_routines:
            if name.lower() not in known:
                hint = suggestion(name, routines).strip()
                log.warning("unknown_routine", name=name, setting="PUBLIC_ROUTINES", hint=hint)

    async def catch_up(self) -> None:
        """Forget the sessions that a write ended, before its response is sent."""
        if isinstance(self.base_authenticator, SessionAuthenticator):
            await self.base_authenticator.catch_up()

    def add(self, features: Sequence[Feature]) -> None:
        """Set the features of the application, and collect their handlers for tables."""
        self.features = features
        self.views = {name: view for feature in features for name, view in feature.table_views.items()}

    def waits(self) -> bool:
        """Return whether requests are waiting for a database connection."""
        return any(dataset.waiting for dataset in self.datasets.values())

    async def close(self) -> None:
        """Close the features, the databases and the connections of scripts."""
        for feature in self.features:
            await feature.close()
        await asyncio.gather(*(dataset.close() for dataset in self.datasets.values()), return_exceptions=True)
        if self.scripts is not None:
            await self.scripts.close()


def _policy_rights(policy: Mapping[str, Access]) -> Callable[[str, str], Rights]:
    return lambda role, _: PolicyRights(policy, role) if role else NoRights()


def _file_rights(access: AccessFile) -> Any:
    def rights(role: str, dataset: str) -> Rights:
        if role == "*":
            return FullRights()
        return FileRights(access.roles[role], dataset) if role in access.roles else NoRights()

    return rights
