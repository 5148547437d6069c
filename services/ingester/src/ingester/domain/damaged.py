"""The functions of a file that does not parse as a whole: an old release's may be of an older Python, or damaged.

What a file may have held decides how old code is, so nothing of it is passed over: the tree that the parser made around
the errors tells of most functions, and each definition's block of lines, cut out by its indentation and read alone,
tells of those that an error before them swallowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Parser

from ingester.domain.reading import UnparsableError, decode
from ingester.domain.scope_builder import build_scope_graph
from ingester.domain.scopes import ScopeGraph, Site

_DEFINITION = re.compile(rb"([ \t]*)(?:async[ \t]+)?def[ \t]+\w")
# Lines that end no block though they stand no deeper: empty ones, comments, the end of a bracket.
_GOES_ON = re.compile(rb"[ \t]*(?:[)\]}#]|$)")


def functions_around_errors(parser: Parser, content: bytes) -> Iterator[tuple[ScopeGraph, Site]]:
    """Functions of a damaged file as far as they can be told; some of them twice, some with errors inside."""
    source = _loosely(content)
    graph = _graph(parser, source)
    if graph is not None:
        yield from ((graph, site) for site in graph.sites if site.form != "class")
    for block in _blocks(source):
        graph = _graph(parser, block)
        first = next((site for site in graph.sites if site.form == "function"), None) if graph is not None else None
        if graph is not None and first is not None:
            yield graph, first


def _loosely(content: bytes) -> bytes:
    """A file's text, whatever it is encoded in."""
    try:
        return decode(content)
    except UnparsableError:
        text = content.replace(b"\0", b"").decode("latin-1").encode()
        return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _graph(parser: Parser, source: bytes) -> ScopeGraph | None:
    try:
        return build_scope_graph(parser.parse(source), source)
    except Exception:  # noqa: BLE001  written for trees without errors: around one anything may be missing
        return None


def _blocks(source: bytes) -> Iterator[bytes]:
    """The lines of each definition, from the margin."""
    lines = source.split(b"\n")
    for first, opening in enumerate(lines):
        match = _DEFINITION.match(opening)
        if match is None:
            continue
        indent, block = match[1], [opening]
        for row in range(first + 1, len(lines)):
            line = lines[row]
            deeper = line.startswith(indent) and line[len(indent) : len(indent) + 1] in (b" ", b"\t")
            if not deeper and not _GOES_ON.match(line):
                break
            block.append(line)
        yield b"\n".join(line.removeprefix(indent) for line in block) + b"\n"
