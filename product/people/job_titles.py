"""Derive seniority and function from a job title, and normalize their names in files and filters."""

from __future__ import annotations

import re
from functools import lru_cache

# The first pattern that matches a title wins: "Vice President" is tried before "President".
_SENIORITY = (
    ("intern", r"intern|internship|trainee|apprentice|working student|praktikant\w*|werkstudent\w*"),
    ("owner", r"(?:co )?founder|(?:co )?owner|partner|proprietor|inhaber\w*|gründer\w*"),
    ("vp", r"s?vp|evp|vice president"),
    ("c_suite", r"c[a-z]o|chief|president|chair(?:man|woman|person)?|managing director|geschäftsführer\w*"),
    ("head", r"head|leiter\w*"),
    ("director", r"director|direktor\w*|directeur|directrice"),
    ("manager", r"manager\w*|mgr|supervisor|team lead\w*|lead"),
    ("senior", r"senior|sr|principal|staff|expert"),
    ("entry", r"junior|jr|assistant|associate|entry level|graduate"),
)
_FUNCTION = (
    ("customer_success", r"customer|client success|support|helpdesk"),
    ("product", r"product(?!ion)|scrum"),
    ("data", r"data|analytics|machine learning|ai|bi"),
    ("marketing", r"marketing|brand\w*|growth|communications?|content|seo|cmo|pr"),
    ("hr", r"hr|human resources|people|talent|recruit\w*|chro"),
    ("finance", r"financ\w*|account(?:ant|ing)|controller|controlling|treasur\w*|audit\w*|tax|cfo"),
    ("legal", r"legal|lawyer|counsel|attorney|compliance"),
    ("procurement", r"procurement|purchasing|buyer|sourcing|einkauf\w*"),
    ("design", r"design\w*|ux|ui|creative"),
    ("it", r"it|information technology|cio|ciso|security|network|systems?|administrator"),
    ("engineering", r"engineer\w*|develop(?:er|ment)|software|technology|architect|devops|qa|research|cto|entwickl\w*"),
    ("sales", r"sales|account (?:executive|manager)|business development|bdr|sdr|revenue|vertrieb\w*|cro|commercial"),
    ("operations", r"operations?|logistics|supply chain|production|manufacturing|plant|coo|facilit\w*"),
    (
        "management",
        r"ceo|chief executive\w*|president|founder|owner|managing director|general manager|geschäftsführer\w*",
    ),
)
_ALIASES = {
    "c level": "c_suite", "clevel": "c_suite", "cxo": "c_suite", "csuite": "c_suite", "c suite": "c_suite",
    "vice president": "vp", "founder": "owner", "junior": "entry", "entry level": "entry", "leadership": "c_suite",
    "human resources": "hr", "information technology": "it", "customer support": "customer_success",
}  # fmt: skip
SENIORITIES = (*(word for word, _ in _SENIORITY), "staff")
FUNCTIONS = tuple(word for word, _ in _FUNCTION)
_NOT_WORDS = re.compile(r"[\W_]+")


def _compiled(table: tuple[tuple[str, str], ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((word, re.compile(rf"\b(?:{pattern})\b")) for word, pattern in table)


_SENIORITY_PATTERNS, _FUNCTION_PATTERNS = _compiled(_SENIORITY), _compiled(_FUNCTION)


@lru_cache(maxsize=50_000)
def derived(title: str) -> tuple[str, str]:
    """Return the seniority and the function of a title; "" if the title does not indicate one."""
    text = _NOT_WORDS.sub(" ", title.casefold())
    if not text.strip():
        return "", ""
    seniority = _first(_SENIORITY_PATTERNS, text) or "staff"
    if "assistant to" in text:
        seniority = "entry"
    elif seniority == "owner" and "business partner" in text:
        seniority = "staff"
    return seniority, _first(_FUNCTION_PATTERNS, text)


def known_seniority(word: str) -> str:
    """Return the stored spelling of a seniority, "Chief" is `c_suite`; "" for a word that names none."""
    return _known(word, SENIORITIES, _SENIORITY_PATTERNS)


def known_function(word: str) -> str:
    """Return the stored spelling of a function; "" for a word that names none."""
    return _known(word, FUNCTIONS, _FUNCTION_PATTERNS)


def _known(word: str, names: tuple[str, ...], patterns: tuple[tuple[str, re.Pattern[str]], ...]) -> str:
    known = canonical(word)
    return known if known in names else _first(patterns, _NOT_WORDS.sub(" ", word.casefold()))


def _first(patterns: tuple[tuple[str, re.Pattern[str]], ...], text: str) -> str:
    return next((word for word, pattern in patterns if pattern.search(text)), "")


@lru_cache(maxsize=5_000)
def canonical(word: str) -> str:
    """Return the stored spelling of a seniority or function: "C-Level" is `c_suite`."""
    text = _NOT_WORDS.sub(" ", word.casefold()).strip()
    return _ALIASES.get(text) or text.replace(" ", "_")
