"""Made-up people with odd names, numbers, addresses and domains, the same for the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from urllib.parse import quote

# First and last names in many scripts, with marks, quotes and signs that files and spreadsheets give a meaning to.
FIRST = (
    "Jörg", "Zoë", "Anaïs", "Łukasz", "Nguyễn Văn", "太郎", "길동", "Сергей", "Γιώργος", "Ayşe", "مريم", "נועה", "अनिल",
    "Jean-Luc", "D’Arcy", "O'Ren", "Mary \"Mae\"", "José María", "J. R. R.", "X Æ", "=1+1", "-Ann", "+Bo", "@Cy",
    "Dr. Ann", "Jane, M.D.", "😀 Kim", "a\u0301gnes", "Señor;Paco", "N|A", "Ann\\Lee", "null", "00123", "1e5", "TRUE",
)  # fmt: skip
LAST = (
    "Groß", "Müller-Lüdenscheidt", "van der Berg", "de la Cruz", "O’Brien", "Núñez", "Dąbrowska", "山田", "홍",
    "Иванов", "Παπαδόπουλος", "Yılmaz", "الأحمد", "כהן", "शर्मा", "Smith Jr.", "Doe (she/her)", "Doe | Sales", "Ødegård",
    "Þórsdóttir", "Ionașcu", "Erdős", "O", "Ng", "=SUM(A1)", "Doe, PhD", "\"Quote\"", "Straße", "ﬁnn", "Æsir", "",
)  # fmt: skip
COMPANIES = (
    "Größe & Söhne",
    "Acme, Inc.",
    '"The" Firm',
    "株式会社",
    "-",
    "=Cell",
    "Ærø; Færge",
    "O'Brien's",
    "A|B",
    "",
)
TITLES = ("CEO", "Head of Sales, EMEA", "Geschäftsführerin", "営業部長", "VP; Growth", "+1 Engineer", '"Guru"', "")
# With reserved domains, in Unicode and in ASCII.
DOMAINS = (
    "acme.example",
    "müller.example",
    "xn--mller-kva.example",
    "faß.example",
    "例え.example",
    "a-b.co.example",
    "ACME.example",
)
LOCAL = ("jane.doe", "o'neil+sales", "J_D", "用户", "jürgen", "a-b", "x%y", "1")
# Countries as files name them, and numbers in them as people write them.
NUMBERS = {
    "Germany": ("+49 30 23125 {}", "030/23125-{}", "0049 (30) 23125{}", "+49\u00a030\u202f23125–{}"),
    "UK": ("01632 960{}", "+44 (0)1632 960{}", "tel:+44-1632-960{}"),
    "USA": ("(201) 555-0{}", "+1 201.555.0{} x4", "1-201-555-0{}"),
    "Deutschland": ("(030) 23125-{}", "+493023125{}"),
    "FRA": ("01 99 00 0{:.1} 1{:.1}", "+33 1 99 00 0{:.1} 1{:.1}"),
    "Japan": ("03-1000-0{}", "+81 3-1000-0{}"),
    "": ("+1 201 555 0{}", "+44 7700 900{}"),
}
FORMS = (
    "https://www.linkedin.com/in/{}",
    "linkedin.com/in/{}/",
    "https://de.linkedin.com/in/{}?trk=x",
    "https://m.linkedin.com/in/{}",
)


@dataclass(frozen=True, slots=True)
class Made:
    """A line of the people file, and the profile key that it stands for."""

    key: str
    cells: dict[str, str]


def make(seed: int, count: int) -> list[Made]:
    """Return people with distinct profiles; most have one or two kinds of contact data."""
    source = random.Random(seed)
    return [_person(source, number) for number in range(count)]


def _person(source: random.Random, number: int) -> Made:
    pick = source.choice
    slug = pick((f"trip-{number}", f"tríp-{number}", f"旅-{number}", f"ACoAA{number:07}BkLMnopQRSTuvWXyz0123456789ab"))
    country = pick(list(NUMBERS))
    digits = f"{source.randrange(100, 200)}"
    addresses = [f"{pick(LOCAL)}.{number}.{place}@{pick(DOMAINS)}" for place in range(2)]
    kinds = source.choices(("phones", "business_emails", "personal_emails"), k=pick((1, 1, 2)))
    contacts = {
        "phones": ";".join({pick(NUMBERS[country]).format(digits, digits) for _ in range(pick((1, 1, 2)))}),
        "business_emails": ";".join(addresses[: pick((1, 1, 2))]),
        "personal_emails": addresses[0],
    }
    name = f"{pick(FIRST)} {pick(LAST)}".strip()
    cells = {
        "linkedinurl": pick(FORMS).format(quote(slug) if pick((True, False)) else slug),
        "full_name": f"{name} {number}", "title": pick(TITLES),
        # Companies of 50 people, so that a page of a search has all of one.
        "company": f"{pick(COMPANIES)} Trip{number // 50}".strip(), "company_domain": pick(DOMAINS), "country": country,
        "city": pick(("Köln", "São Paulo", "東京", "Saint-Étienne, Loire", "")),
        **{kind: text if kind in kinds else "" for kind, text in contacts.items()},
    }  # fmt: skip
    return Made(f"in/{slug}", cells)
