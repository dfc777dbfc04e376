"""docs/reference/calls.md matches the code: every call with its callers, limits and fields, hooks and tables."""

from __future__ import annotations

import inspect
import re

import pytest
from pydantic import BaseModel

from product.settings import Settings
from tableapi.openapi.document import described_errors
from tableapi.project.guard import Script, parse_limits
from tableapi.project.registry import Scripts
from tests.docs import code, pages
from tests.helpers.support import ROOT

_CALL = re.compile(
    r"^`(?P<method>GET|POST|PUT|PATCH|DELETE) /api/v2/(?P<path>\S+)` · (?P<who>[^·\n]+?)(?: · (?P<limit>[^·\n]+))?$",
    re.MULTILINE,
)
_TABLE = "leads/_table/"
_STATUS = re.compile(r"\b(4\d\d|50[1-4])(?= \[`| as `|[,.;]| for | if | and \[)")
_ROLES = {
    ("client", "member"): "session", ("client",): "owner", ("unverified",): "sign-up session",
    ("temporary",): "temporary session", ("*",): "app key", ("viewclient", "viewmember"): "support view",
    ("viewclient",): "owner's support view",
}  # fmt: skip
_VERBS = {"get": {"GET"}, "post": {"POST"}, "patch": {"PUT", "PATCH"}, "delete": {"DELETE"}}


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Script]:
    """Return every call of the product with a URL: (method, path) -> script."""
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("data"), secret_keys=("a key for the documentation tests",), _env_file=None
    )
    scripts = Scripts.load(ROOT, settings)
    return {(script.method, script.name): script for script in scripts}


def _told_calls() -> list[re.Match[str]]:
    return list(_CALL.finditer(pages.prose(pages.read("reference/calls.md"))))


def _who(script: Script) -> set[str]:
    """Return the documented names for the callers of a script."""
    if script.public:
        return {"public"}
    roles, words = set(script.roles), set()
    for names, word in _ROLES.items():
        if roles >= set(names):
            words.add(word)
            roles -= set(names)
    return words | roles


def _line(script: Script) -> str:
    limit = ", ".join(f"{each.rate} per {each.per}" for each in script.limits)
    words = f"`{script.method} /api/v2/{script.name}` · {', '.join(sorted(_who(script)))}"
    return f"{words} · {limit}" if limit else words


def test_every_call_is_documented_with_its_callers_and_limits(calls: dict[tuple[str, str], Script]) -> None:
    documented = {
        (match["method"], match["path"]): match for match in _told_calls() if not match["path"].startswith(_TABLE)
    }
    problems = [f"docs/reference/calls.md: add {_line(calls[key])}" for key in calls.keys() - documented.keys()]
    problems += [f"docs/reference/calls.md: remove {' '.join(key)}" for key in documented.keys() - calls.keys()]
    for key in calls.keys() & documented.keys():
        match, script = documented[key], calls[key]
        who = {word.strip() for word in match["who"].split(",")}
        if who != _who(script) or parse_limits(match["limit"] or "") != script.limits:
            problems.append(f"docs/reference/calls.md: write {_line(script)}\n  instead of {match[0]}")
    assert not problems, "\n".join(sorted(problems))


def test_every_field_of_a_call_is_documented(calls: dict[tuple[str, str], Script]) -> None:
    sections = re.split(r"^(?=### )", pages.read("reference/calls.md"), flags=re.MULTILINE)
    missing = []
    for (method, path), script in calls.items():
        models = (script.input, script.output)
        fields = {
            field
            for model in models
            if inspect.isclass(model) and issubclass(model, BaseModel)
            for field in model.model_fields
        }
        number = next((at for at, text in enumerate(sections) if f"`{method} /api/v2/{path}`" in text), None)
        if number is not None:
            text = "".join(sections[number : number + 3])  # calls that share a path follow each other
            missing += [
                f"docs/reference/calls.md: {method} {path}: name `{name}`"
                for name in sorted(fields)
                if name not in text
            ]
    assert not missing, "\n".join(missing)


def test_the_description_has_the_errors_that_the_page_names(calls: dict[tuple[str, str], Script]) -> None:
    sections = re.split(r"^(?=###? )", pages.read("reference/calls.md"), flags=re.MULTILINE)
    problems = []
    for (method, path), script in sorted(calls.items()):
        named: set[int] = set()
        for text in sections:
            if f"`{method} /api/v2/{path}`" in text and text.count("`/api/v2/") + text.count(" /api/v2/") == 1:
                named |= {int(status) for status in _STATUS.findall(text)}
        described = {int(status) for status in described_errors(script)}
        if missing := named - described:
            problems.append(f"{method} {path}: add errors={tuple(sorted(missing))} to @script")
    assert not problems, "\n".join(problems)


def test_the_description_has_only_the_errors_of_the_call(calls: dict[tuple[str, str], Script]) -> None:
    assert set(described_errors(calls["GET", "account/credits"])) == {"401", "402", "403", "429", "500", "503"}
    assert set(described_errors(calls["POST", "webhooks/payment"])) == {
        "400",
        "408",
        "413",
        "415",
        "422",
        "429",
        "500",
        "503",
    }
    assert "402" in described_errors(calls["POST", "enrich"])
    assert not {"404", "405", "413"} & set(described_errors(calls["GET", "keylookup"]))


def test_every_table_hook_is_documented() -> None:
    documented = {
        (match["path"].removeprefix(_TABLE).partition("/")[0].partition("?")[0], match["method"])
        for match in _told_calls()
        if match["path"].startswith(_TABLE)
    }
    missing = [
        f"docs/reference/calls.md: add `{method} /api/v2/{_TABLE}{table}` (scripts/tables/{table}.py)"
        for table, verbs in code.hooks().items()
        for verb in verbs
        for method in sorted(_VERBS[verb])
        if (table, method) not in documented
    ]
    assert not missing, "\n".join(missing)


def test_every_table_of_the_policy_is_documented() -> None:
    from policy import POLICY

    text = pages.read("reference/calls.md")
    missing = [f"docs/reference/calls.md: add `_table/{name}`" for name in POLICY if f"_table/{name}" not in text]
    assert not missing, "\n".join(missing)


def test_calls_have_their_own_titles() -> None:
    titles = re.findall(r"^### (.+)$", pages.read("reference/calls.md"), re.MULTILINE)
    assert len(titles) == len(set(titles))
