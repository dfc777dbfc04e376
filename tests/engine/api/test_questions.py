"""Questions from PostgREST's tests, in the grammar of this API; each one succeeds or is rejected by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx2 as httpx
import pytest

from tests.helpers.support import DATA, ROOT, NewDatabase, Serve, execute

QUESTIONS: list[dict[str, Any]] = json.loads((DATA / "questions.json").read_text())["questions"]
SCHEMA = (DATA / "questions.sql").read_text()
ROUTINES = "add_them,all_projects,nothing"
MIN_ANSWERED = 120
# Errors that are the correct outcome.
ASKED_FOR = {"a ceiling of changed rows", "an error for no object"}


@pytest.fixture(scope="module")
def database(module_database: NewDatabase) -> str:
    return module_database(SCHEMA)


@pytest.fixture(scope="module")
def http(database: str, module_serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("questions")
    started = module_serve("--dataset", f"questions={database}", "--open", cwd=folder, PUBLIC_ROUTINES=ROUTINES)
    with httpx.Client(base_url=f"{started.url}/api/v2/questions/", timeout=30) as client:
        yield client


def ask(http: httpx.Client, question: dict[str, Any]) -> httpx.Response:
    headers, body = dict(question.get("headers", {})), question.get("body")
    if body is not None and not isinstance(body, str):
        body = json.dumps(body)
        headers.setdefault("Content-Type", "application/json")
    query = f"?{urlencode(question['query'], quote_via=quote)}" if "query" in question else ""
    path = quote(question["path"], safe="/%,")
    return http.request(question["method"], path + query, content=body.encode() if body else None, headers=headers)


def is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(name in whole and is_part(part[name], whole[name]) for name in part)
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(is_part, part, whole))
    return bool(part == whole)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: f"{question['spec']}: {question['question']}")
def test_a_question_gets_its_answer(http: httpx.Client, database: str, question: dict[str, Any]) -> None:
    want = question["want"]
    response = ask(http, question)
    if question["method"] not in ("GET", "HEAD", "OPTIONS") and question["path"].startswith("_table"):
        execute(database, SCHEMA)
    assert response.status_code == want["status"], response.text
    assert {name: response.headers.get(name) for name in want.get("headers", {})} == want.get("headers", {})
    if "refused" in want:
        assert response.json()["error"]["context"]["reason"] == want["refused"]
    elif "answer" in want:
        assert response.json() == want["answer"]
    elif "part" in want:
        assert is_part(want["part"], response.json()), response.text
    else:
        assert response.text == want.get("text", "")


def test_most_questions_have_answers_and_the_page_counts_them() -> None:
    answered = [q for q in QUESTIONS if "refused" not in q["want"] or q["question"] in ASKED_FOR]
    assert len(answered) >= MIN_ANSWERED
    page = (ROOT / "docs" / "explanation" / "questions.md").read_text()
    assert f"{len(answered)} of {len(QUESTIONS)} are answered" in page
