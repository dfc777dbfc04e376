"""The colors, font and logo of pages and mails outside of the app.

`tools/tokens` generates the files in this folder, except `instrument-sans-*.ttf`: the typeface in the three weights of
PDFs, made with fonttools from the latin and latin-ext files of `@fontsource-variable/instrument-sans` (SIL Open Font
License 1.1), because typst reads neither woff2 nor variable fonts.

`LIGHT` and `DARK` map colors by the names of `frontend/shared/tokens.css` without hyphens: `LIGHT["onaccent"]`.
"""

from __future__ import annotations

from pathlib import Path

import orjson

FOLDER = Path(__file__).parent
_TOKENS: dict[str, dict[str, str]] = orjson.loads((FOLDER / "tokens.json").read_bytes())
LIGHT, DARK = _TOKENS["light"], _TOKENS["dark"]
LOGO = (FOLDER / "logo.svg").read_text()
