"""JSON as XML: lists, null, names that XML does not have, and which requests ask for it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tableapi import exact_json
from tableapi.http import xml


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"resource":[{"id":1,"name":"a"},{"id":2,"name":null}]}',
         "<resource><id>1</id><name>a</name></resource><resource><id>2</id><name/></resource>"),
        ('[{"id":1}]', "<resource><id>1</id></resource>"),
        ('{"resource":[]}', ""),
        ('{"id":1,"tags":["a","b"],"none":[]}', "<id>1</id><tags>a</tags><tags>b</tags>"),
        ('{"m":[[1,2],[3]]}', "<m><item>1</item><item>2</item></m><m><item>3</item></m>"),
        ('{"a":{"b":{"c":true}}}', "<a><b><c>true</c></b></a>"),
        ('{"a":1.10,"b":12345678901234567890.123,"c":-0.0,"d":""}',
         "<a>1.10</a><b>12345678901234567890.123</b><c>-0.0</c><d></d>"),
        ('{"t":"<a href=\\"x\\"> & ]]> \\r\\n\\u0001"}', '<t>&lt;a href="x"&gt; &amp; ]]&gt; &#13;\n\ufffd</t>'),
        ('{"a b":1,"1a":2,"-":3,"":4,"ä":5,"a:b":6,"_x0020_":7,"_xyz":8}',
         "<a_x0020_b>1</a_x0020_b><_x0031_a>2</_x0031_a><_x002D_>3</_x002D_><_x0000_>4</_x0000_><ä>5</ä>"
         "<a_x003A_b>6</a_x003A_b><_x005F_x0020_>7</_x005F_x0020_><_xyz>8</_xyz>"),
        ('{"</resource><x>":1}', "<_x003C__x002F_resource_x003E__x003C_x_x003E_>1"
         "</_x003C__x002F_resource_x003E__x003C_x_x003E_>"),
        ("5", "5"),
    ],
)  # fmt: skip
def test_json_becomes_xml(body: str, expected: str) -> None:
    text = xml.of_json(body.encode()).decode()
    assert text == f'<?xml version="1.0" encoding="UTF-8"?>\n<dfapi>{expected}</dfapi>'
    ElementTree.fromstring(text)


@pytest.mark.parametrize("code", [*range(256), 0x2028, 0x3000, 0xFFFE, 0x1F600])
def test_every_character_in_names_and_values_gives_well_formed_xml(code: int) -> None:
    for name in (chr(code), f"a{chr(code)}"):
        root = ElementTree.fromstring(f"<{xml.escaped_name(name)}/>")
        assert root.tag
    ElementTree.fromstring(xml.of_json(exact_json.dumps({"a": chr(code)})))


@pytest.mark.parametrize(
    ("accept", "query", "expected"),
    [
        ("application/xml", b"", True),
        ("text/xml;q=0.9, application/json", b"", False),
        ("application/json;q=0.1, text/xml;q=0.9", b"", True),
        ("application/json, application/xml", b"", False),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", b"", False),
        ("*/*", b"", False),
        ("*/*", b"format=xml", True),
        ("*/*", b"limit=5&format=xml&x", True),
        ("*/*", b"accept=xml", True),
        ("*/*", b"accept=application%2Fxml", True),
        ("*/*", b"filter=format%3Dxml", False),
        ("*/*", b"myformat=xml", False),
        ("*/*", b"format=xmlx", False),
    ],
)
def test_xml_is_requested_by_header_or_parameter(accept: str, query: bytes, expected: bool) -> None:
    assert xml.wanted(accept, query) is expected
