"""Format dates, numbers and amounts as the app's screens do in each language."""

from __future__ import annotations

from datetime import date

from product.language import Language

_MONTHS: dict[Language, tuple[str, ...]] = {
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "de": ("Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."),
}
_DAYS: dict[Language, str] = {"en": "{} {} {}", "de": "{}. {} {}"}
_MARKS: dict[Language, dict[int, int]] = {"en": {}, "de": str.maketrans(",.", ".,")}  # for thousands and decimals
_SYMBOLS = {"usd": "$", "eur": "€", "gbp": "£"}
_SPACE = "\u00a0"  # keeps an amount on one line


def day(value: date, language: Language) -> str:
    """Return `5 Nov 2026`, in German `5. Nov. 2026`."""
    return _DAYS[language].format(value.day, _MONTHS[language][value.month - 1], value.year)


def number(value: int, language: Language) -> str:
    """Return `1,234`, in German `1.234`."""
    return f"{value:,}".translate(_MARKS[language])


def money(amount: int, currency: str, language: Language) -> str:
    """Return an amount in the smallest unit as `−$1,234.50`, in German as `−1.234,50 $`."""
    sign, figure = "−" if amount < 0 else "", f"{abs(amount) / 100:,.2f}".translate(_MARKS[language])
    symbol = _SYMBOLS.get(currency)
    if language == "de":
        return f"{sign}{figure}{_SPACE}{symbol or currency.upper()}"
    return f"{sign}{symbol or currency.upper() + _SPACE}{figure}"


def percent(share: float, language: Language) -> str:
    """Return a share as `8.5%`, in German as `8,5 %`, with one decimal unless the share is whole."""
    figure = f"{share * 100:.1f}".removesuffix(".0").translate(_MARKS[language])
    return f"{figure}{_SPACE}%" if language == "de" else f"{figure}%"
