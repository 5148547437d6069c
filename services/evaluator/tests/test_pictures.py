"""What a draft forged as a picture takes no time, and is shown shortly."""

import json

import pytest

from evaluator.domain.pictures import reduced
from evaluator.domain.serialise import describe

NESTED = 12_000


@pytest.mark.parametrize(
    "svg",
    [
        # The words of each are those of all within: read once more for each, they would be read 70 million times.
        f"<svg>{'<text>a' * NESTED}{'</text>' * NESTED}</svg>",
        f"<svg>{'<text>' * NESTED}{'<tspan>a</tspan>' * 10}{'</text>' * NESTED}</svg>",
    ],
)
def test_words_in_a_forged_picture_are_read_once(svg):
    assert len(svg) < 200_000 and reduced(svg).count("<text>") == 1
    assert len(describe(json.dumps({"$picture": "Plot", "svg": svg}))) < 6100


def test_the_namespaces_of_a_picture_are_left_out():
    svg = '<v:svg xmlns:v="http://www.w3.org/2000/svg" width="9pt"><v:g><v:path d="M 1.5 2"/></v:g><v:defs/></v:svg>'
    assert reduced(svg) == '<svg width="9pt">\n<path d="M 2 2"/>\n</svg>'
    # Its name is not written out for each element: one here would be longer than any that is shown.
    many = f'<svg xmlns:a="{"u" * 100_000}">{"<a:x/>" * 16_000}</svg>'
    assert reduced(many).endswith("<x/>\n… 15600 more elements\n</svg>")


def test_a_forged_picture_that_no_harness_gave_is_not_parsed():
    for count, parsed in ((4000, True), (60_000, False)):
        svg = f"<svg>{'<g/>' * count}</svg>"
        assert (reduced(svg) == "<svg>\n</svg>") == parsed
        assert parsed or reduced(svg) == f"{svg[:2000]}… ({len(svg)} characters)"
