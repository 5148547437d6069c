"""SVG that a model can read: what is drawn and written, without what only a browser needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

_LONGEST = 2000
# Longer than the harness lets one be: what is parsed takes time, and a draft may write the data by itself.
_MOST_PARSED = 200_000
_ELEMENT = 160
# After so many that found no room the rest is only counted.
_MISSED = 100
_WORDS = 80
# Definitions of markers and clips, and words about the file.
_LEFT_OUT = frozenset({"metadata", "style", "defs", "clipPath", "title", "desc", "script"})
_KEPT = (
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "width",
    "height",
    "points",
    "d",
    "fill",
    "stroke",
)
_PAINT = re.compile(r"(?:^|;)\s*(fill|stroke):\s*([^;]+)")
_NUMBER = re.compile(r"-?\d+\.\d+")


def reduced(svg: str) -> str:
    """An SVG with its shapes and words in their order, numbers rounded, long paths cut; at most some 2,000 characters.

    Args:
        svg: As a drawing library wrote it, or as a candidate forged it: what is no XML, or longer than 200,000
            characters, is cut as it is.

    Example:
        >>> reduced('<svg xmlns="http://www.w3.org/2000/svg" width="9pt"><text x="1.26">a &lt; b</text></svg>')
        '<svg width="9pt">\\n<text x="1">a &lt; b</text>\\n</svg>'
    """
    if len(svg) > _MOST_PARSED:
        return _cut(svg)
    try:
        root = _parsed(svg)
    except (expat.ExpatError, ValueError):
        return _cut(svg)
    size = "".join(f" {name}={quoteattr(root.attrib[name])}" for name in ("width", "height") if name in root.attrib)
    lines, length, more = [f"<svg{size[:_WORDS]}>"], 0, 0
    for element, kind in _drawn(root):
        if more > _MISSED:
            more += 1
            continue
        line = _written(element, kind)
        if length + len(line) > _LONGEST:
            more += 1
            continue
        lines.append(line)
        length += len(line) + 1
    return "\n".join([*lines, *([f"… {more} more elements"] if more else []), "</svg>"])


def _cut(svg: str) -> str:
    return svg if len(svg) <= _LONGEST else f"{svg[:_LONGEST]}… ({len(svg)} characters)"


def _parsed(svg: str) -> ElementTree.Element:
    """The root of what is XML.

    ElementTree's own parser writes out the namespace in each name: a long one and many elements are a quadratic number
    of characters. Expat refuses entities that grow, and resolves none from outside.
    """
    builder, parser = ElementTree.TreeBuilder(), expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    parser.Parse(svg, True)
    return builder.close()


def _drawn(root: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, str]]:
    """Shapes and texts with their kinds."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        kind = _name(element)
        if kind in _LEFT_OUT:
            continue
        if kind != "text":
            # All the words within a text are its own.
            waiting.extend(reversed(element))
        if kind not in ("svg", "g", "tspan"):
            yield element, kind


def _written(element: ElementTree.Element, kind: str) -> str:
    words = " ".join("".join(element.itertext()).split())[:_WORDS] if kind == "text" else ""
    shown = "".join(f" {name}={quoteattr(value)}" for name, value in _attributes(element))
    shown = shown if len(shown) <= _ELEMENT else f"{shown[:_ELEMENT]}…"
    return f"<{kind}{shown}>{escape(words)}</{kind}>" if words else f"<{kind}{shown}/>"


def _attributes(element: ElementTree.Element) -> Iterator[tuple[str, str]]:
    paint = dict(_PAINT.findall(element.get("style", "")[:400]))
    for name in _KEPT:
        value = element.get(name) or paint.get(name, "")
        if value and value != "none":
            short = _NUMBER.sub(lambda found: f"{float(found[0]):.0f}", value[:1000])
            yield name, " ".join(short.split())


def _name(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition(":")[2]
