"""Pictures: the content decides what a file is. What is kept are its pixels, encoded anew without anything else."""

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


def _pixels(picture: Image.Image, mode: str) -> Image.Image:
    """Return a picture of the same pixels without comments, colour profiles and other metadata."""
    converted = picture.convert(mode)
    clean = Image.new(mode, converted.size)
    clean.paste(converted)
    return clean


def _redraw(data: bytes) -> tuple[str, str, bytes]:
    try:
        with Image.open(io.BytesIO(data), formats=tuple(TYPES)) as picture:
            # The size stands in the head of the file: refused before a bomb is unpacked.
            if max(picture.size) > MOST_PIXELS:
                raise TooLarge(f"The picture is larger than {MOST_PIXELS} pixels.")
            # A JPEG that holds further pictures, as of a phone's camera, calls itself MPO. The first one is kept.
            kind = "PNG" if picture.format == "PNG" else "JPEG"
            plain = _pixels(_upright(picture), "RGB" if kind == "JPEG" else "RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise UnsupportedMedia(NOT_ONE) from None
    out = io.BytesIO()
    plain.save(out, kind, quality=88) if kind == "JPEG" else plain.save(out, kind)
    return (*TYPES[kind], out.getvalue())
