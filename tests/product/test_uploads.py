"""Uploaded pictures and files: checked by content, and readable by their account only."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageCms, PngImagePlugin

from tests.helpers.product import API, Account, Product


def _picture(kind: str = "PNG", size: tuple[int, int] = (40, 30)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "teal").save(out, kind, exif=b"Exif\0\0secret place")
    return out.getvalue()


async def _send(account: Account, path: str, name: str, data: bytes) -> tuple[int, dict[str, object]]:
    response = await account.owner.http.post(API + path, files={"files": (name, data)})
    body = response.json()
    return response.status_code, body.get("resource", [body])[0]


@pytest.mark.parametrize(
    ("name", "data", "status"),
    [
        ("x.png", b"not a picture", 415),
        ("x.gif", b"GIF89a" + b"\0" * 100, 415),
        ("x.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, 415),
        ("x.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", 415),
        ("x.png", b"\0" * (2 * 1024 * 1024 + 1), 413),
        ("x.png", b"\0" * (3 * 1024 * 1024), 413),
    ],
)
async def test_non_pictures_are_rejected(account: Account, name: str, data: bytes, status: int) -> None:
    assert (await _send(account, "userimage", name, data))[0] == status


async def test_other_bodies_are_rejected(product: Product, account: Account) -> None:
    assert (await product.caller().post(API + "userimage", files={"files": ("x.png", _picture())})).status_code == 401
    assert (await account.owner.http.post(API + "userimage", json={})).status_code == 415
    assert (await account.owner.http.post(API + "userimage", files={"other": ("x.png", b"")})).status_code == 400
    broken = {"content-type": "multipart/form-data; boundary=x"}
    assert (await account.owner.http.post(API + "userimage", content=b"junk", headers=broken)).status_code == 400
    large = _picture(size=(4100, 10))
    assert (await _send(account, "userimage", "x.png", large))[0] == 413


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
async def test_a_picture_is_redrawn_and_becomes_the_avatar(product: Product, account: Account, kind: str) -> None:
    status, upload = await _send(account, "userimage", f"../../me.{kind.lower()}", _picture(kind))
    assert (status, upload["name"]) == (200, f"me.{kind.lower()}")
    shown = await product.caller(key="").get(str(upload["path"]))
    assert shown.headers["content-type"] == f"image/{kind.lower()}"
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert b"secret place" not in shown.content
    record = {"appuserid": account.owner.appuserid, "avatar": upload["path"]}
    assert (await account.owner.table("PATCH", "appuser", record)).status_code == 200
    assert (await product.caller(key="").get(API + "userimage/nothing-here-at-all.png")).status_code == 404


async def test_files_are_private(product: Product, account: Account, other: Account) -> None:
    status, upload = await _send(account, "files", "notes.csv", b"a,b\n1,2\n")
    assert (status, upload["size"]) == (200, 8)
    own = await account.owner.http.get(str(upload["path"]))
    assert (own.content, own.headers["content-disposition"]) == (b"a,b\n1,2\n", 'attachment; filename="notes.csv"')
    assert (await other.owner.http.get(str(upload["path"]))).status_code == 404
    assert (await (await account.user()).http.get(str(upload["path"]))).status_code == 404
    assert (await account.owner.http.get(API + "files/no-uuid")).status_code == 422
    for name, data in (("x.html", b"<html>"), ("x.pdf", b"no pdf"), ("x.csv", b"\xff\xfe"), ("x", b"")):
        assert (await _send(account, "files", name, data))[0] == 415


def _hostile_jpeg() -> bytes:
    """Build a JPEG with a comment, colour profile, GPS position, second picture and trailing bytes."""
    first, second = Image.new("RGB", (40, 30), "teal"), Image.new("RGB", (40, 30), "red")
    out = io.BytesIO()
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes() + b"secret profile"
    first.save(
        out, "MPO", save_all=True, append_images=[second], comment=b"secret comment", icc_profile=profile,
        exif=b"Exif\0\0secret place", xmp=b"secret xmp",
    )  # fmt: skip
    return out.getvalue() + b"secret end"


def _plain_jpeg() -> bytes:
    out = io.BytesIO()
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes() + b"secret profile"
    Image.new("RGB", (40, 30), "teal").save(
        out, "JPEG", comment=b"secret comment", icc_profile=profile, xmp=b"secret xmp", dpi=(300, 300)
    )
    return out.getvalue()


def _hostile_png() -> bytes:
    out, texts = io.BytesIO(), PngImagePlugin.PngInfo()
    texts.add_text("Comment", "secret comment")
    texts.add_itxt("XML:com.adobe.xmp", "secret xmp")
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes() + b"secret profile"
    Image.new("RGBA", (40, 30), "teal").save(out, "PNG", pnginfo=texts, icc_profile=profile, exif=b"Exif\0\0secret")
    return out.getvalue() + b"secret end"


@pytest.mark.parametrize(
    ("name", "data"),
    [("me.jpg", _plain_jpeg()), ("phone.jpg", _hostile_jpeg()), ("me.png", _hostile_png())],
    ids=["jpeg", "phone", "png"],
)
async def test_a_stored_picture_contains_only_pixels(
    product: Product, account: Account, name: str, data: bytes
) -> None:
    status, upload = await _send(account, "userimage", name, data)
    assert status == 200, upload
    kept = (await product.caller(key="").get(str(upload["path"]))).content
    assert b"secret" not in kept
    assert b"ICC_PROFILE" not in kept
    assert b"iCCP" not in kept
    with Image.open(io.BytesIO(kept)) as picture:
        assert not {"comment", "icc_profile", "exif", "xmp", "Comment"} & picture.info.keys()
        assert (picture.format, picture.size, getattr(picture, "n_frames", 1)) == (
            "PNG" if name.endswith("png") else "JPEG", (40, 30), 1,
        )  # fmt: skip
        colour = picture.convert("RGB").getpixel((20, 15))
    assert isinstance(colour, tuple)
    assert all(abs(got - expected) < 6 for got, expected in zip(colour, (0, 128, 128), strict=True))
