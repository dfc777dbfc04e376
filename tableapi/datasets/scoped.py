"""A dataset restricted to the scopes of a user's client."""

from __future__ import annotations

from tableapi.auth.rights import Rights
from tableapi.auth.scopes import OF_TABLES, ScopedRights, Scopes
from tableapi.datasets.dataset import Dataset
from tableapi.datasets.plan_cache import PlanCache

MAX_SCOPED = 32  # remembered combinations of scopes


class _Scope:
    """The rights of roles within some scopes. They have their own plans, because plans are cached by role."""

    def __init__(self, dataset: Dataset, scopes: Scopes) -> None:
        self._dataset, self._scopes = dataset, scopes
        self._rights: dict[str, tuple[Rights, Rights]] = {}  # by role: its full rights, and those within the scopes
        limits = dataset.limits
        self.plans = PlanCache(limits.plan_cache, limits.shape_bytes, limits.filter)

    def rights(self, role: str) -> Rights:
        full = self._dataset.rights(role)
        known = self._rights.get(role)
        if known is None or known[0] is not full:
            if known is not None:  # the schema or the rights were replaced, so the plans are outdated
                self._rights.clear()
                self.plans.clear()
            known = self._rights[role] = full, ScopedRights(full, self._scopes)
        return known[1]


class ScopedDatasets:
    """The datasets for the scopes in use."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Scopes], Dataset] = {}

    def of(self, dataset: Dataset, scopes: Scopes | None) -> Dataset:
        """Return a dataset restricted to scopes; the dataset itself without any.

        With every scope, too, a client does not read credentials.
        """
        if scopes is None:
            return dataset
        # Other scopes, such as those of scripts, do not concern tables.
        scopes = frozenset(scope for scope in scopes if scope.partition(":")[0] in OF_TABLES)
        key = id(dataset), scopes
        if (found := self._known.pop(key, None)) is None:
            scope = _Scope(dataset, scopes)
            found = dataset.view(rights=scope.rights, plans=scope.plans)
        if len(self._known) >= MAX_SCOPED:
            del self._known[next(iter(self._known))]
        self._known[key] = found
        return found
