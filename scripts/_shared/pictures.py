"""Pictures: what is really in the file counts, and what is kept is drawn anew, without metadata."""

from __future__ import annotations

import asyncio
import io

from PIL import Image, ImageOps, UnidentifiedImageError

from tableapi.errors import TooLarge, UnsupportedMedia

MOST_BYTES, MOST_PIXELS = 2 * 1024 * 1024, 4096
TYPES = {"JPEG": ("jpg", "image/jpeg"), "PNG": ("png", "image/png")}
NOT_ONE = "Please choose a JPEG or PNG picture."


async def redrawn(data: bytes) -> tuple[str, str, bytes]:
    """File ending, content type and bytes of the picture as it is kept. 413 or 415 for what is none."""
    if len(data) > MOST_BYTES:
        raise TooLarge("The picture is larger than 2 MB.")
    return await asyncio.to_thread(_redraw, data)


def _upright(picture: Image.Image) -> Image.Image:
    """Turned as the camera says; metadata that cannot be read says nothing."""
    picture.load()
    try:
        return ImageOps.exif_transpose(picture)
    except Exception:
        return picture


def _redraw(data: bytes) -> tuple[str, str, bytes]:
    try:
        with Image.open(io.BytesIO(data), formats=tuple(TYPES)) as picture:
            # The size stands in the head of the file: refused before a bomb is unpacked.
            if max(picture.size) > MOST_PIXELS:
                raise TooLarge(f"The picture is larger than {MOST_PIXELS} pixels.")
            kind = str(picture.format)
            plain = _upright(picture).convert("RGB" if kind == "JPEG" else "RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise UnsupportedMedia(NOT_ONE) from None
    out = io.BytesIO()
    plain.save(out, kind, quality=88) if kind == "JPEG" else plain.save(out, kind)
    return (*TYPES[kind], out.getvalue())
