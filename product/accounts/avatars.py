"""Validate uploaded pictures and re-encode them without metadata.

The type is detected from the content.
"""

from __future__ import annotations

import asyncio
import io

from PIL import Image, ImageOps, UnidentifiedImageError

from tableapi import TooLarge, UnsupportedMedia

MAX_BYTES, MAX_PIXELS = 2 * 1024 * 1024, 4096
TYPES = {"JPEG": ("jpg", "image/jpeg"), "PNG": ("png", "image/png")}
NOT_A_PICTURE = "Please choose a JPEG or PNG image."


async def reencode(data: bytes) -> tuple[str, str, bytes]:
    """Return file extension, content type and bytes of the re-encoded picture.

    Raises:
        TooLarge: the file or its dimensions exceed the limit (413).
        UnsupportedMedia: the file is not a JPEG or PNG picture (415).
    """
    if len(data) > MAX_BYTES:
        raise TooLarge("The image is larger than 2 MB.", case="image_too_large", context={"limit_mb": 2})
    return await asyncio.to_thread(_reencode, data)


def _upright(picture: Image.Image) -> Image.Image:
    """Rotate the picture according to its EXIF orientation, and ignore metadata that cannot be read."""
    picture.load()
    try:
        return ImageOps.exif_transpose(picture)
    except Exception:
        return picture


def _pixels(picture: Image.Image, mode: str) -> Image.Image:
    """Return a picture with the same pixels and without comments, colour profiles or other metadata."""
    converted = picture.convert(mode)
    clean = Image.new(mode, converted.size)
    clean.paste(converted)
    return clean


def _reencode(data: bytes) -> tuple[str, str, bytes]:
    try:
        with Image.open(io.BytesIO(data), formats=tuple(TYPES)) as picture:
            # The header contains the size, so a decompression bomb is rejected before it is decoded.
            if max(picture.size) > MAX_PIXELS:
                raise TooLarge(
                    f"The image is larger than {MAX_PIXELS} pixels.",
                    case="image_too_wide",
                    context={"limit": MAX_PIXELS},
                )
            # Phone cameras write MPO, a JPEG with additional pictures. The first one is stored.
            kind = "PNG" if picture.format == "PNG" else "JPEG"
            plain = _pixels(_upright(picture), "RGB" if kind == "JPEG" else "RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise UnsupportedMedia(NOT_A_PICTURE, case="not_a_picture") from None
    out = io.BytesIO()
    plain.save(out, kind, quality=88) if kind == "JPEG" else plain.save(out, kind)
    return (*TYPES[kind], out.getvalue())
