"""docs/reference/calls.md matches the code: every call with its fields, hooks and tables."""

from __future__ import annotations

import inspect
import re

from pydantic import BaseModel

from tableapi.openapi.document import described_errors
from tests.docs import code, pages
from tools.pages import calls

_CALL = re.compile(r"^`(?P<method>GET|POST|PUT|PATCH|DELETE) /api/v2/(?P<path>\S+)` · ", re.MULTILINE)
_TABLE = "leads/_table/"
_STATUS = re.compile(r"\b(4\d\d|50[1-4])(?= \[`| as `|[,.;]| for | if | and \[)")
_VERBS = {"get": {"GET"}, "post": {"POST"}, "patch": {"PUT", "PATCH"}, "delete": {"DELETE"}}


def _told_calls() -> list[re.Match[str]]:
    return list(_CALL.finditer(pages.prose(pages.read("reference/calls.md"))))


def test_every_call_is_documented() -> None:
    text = pages.prose(pages.read("reference/calls.md"))
    lines = set(re.findall(r"^`(GET|POST|PUT|PATCH|DELETE) /api/v2/(\S+)`", text, re.MULTILINE))
    documented = {line for line in lines if not line[1].startswith(_TABLE)}
    assert (calls().keys() - documented, documented - calls().keys()) == (set(), set()), "docs/reference/calls.md"


def test_every_field_of_a_call_is_documented() -> None:
    sections = re.split(r"^(?=### )", pages.read("reference/calls.md"), flags=re.MULTILINE)
    missing = []
    for (method, path), script in calls().items():
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


def test_the_description_has_the_errors_that_the_page_names() -> None:
    sections = re.split(r"^(?=###? )", pages.read("reference/calls.md"), flags=re.MULTILINE)
    problems = []
    for (method, path), script in sorted(calls().items()):
        named: set[int] = set()
        for text in sections:
            if f"`{method} /api/v2/{path}`" in text and text.count("`/api/v2/") + text.count(" /api/v2/") == 1:
                named |= {int(status) for status in _STATUS.findall(text)}
        described = {int(status) for status in described_errors(script)}
        if missing := named - described:
            problems.append(f"{method} {path}: add errors={tuple(sorted(missing))} to @script")
    assert not problems, "\n".join(problems)


def test_the_description_has_only_the_errors_of_the_call() -> None:
    assert set(described_errors(calls()["GET", "account/credits"])) == {"401", "402", "403", "429", "500", "503"}
    assert set(described_errors(calls()["POST", "webhooks/payment"])) == {
        "400",
        "408",
        "413",
        "415",
        "422",
        "429",
        "500",
        "503",
    }
    assert "402" in described_errors(calls()["POST", "enrich"])
    assert not {"404", "405", "413"} & set(described_errors(calls()["GET", "keylookup"]))


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
