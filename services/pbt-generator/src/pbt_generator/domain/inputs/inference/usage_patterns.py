"""What regular expressions and codecs say about the texts that they are used on."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pbt_generator.domain.inputs.inference.facts import WEAK, Var, derived
from pbt_generator.domain.inputs.inference.usage_literals import flags_of, pattern_of
from pbt_generator.domain.inputs.inference.usage_tables import REGEX_FUNCTIONS

if TYPE_CHECKING:
    from pbt_generator.domain.inputs.inference.usage_expressions import ExpressionReader


def regex_call(reader: ExpressionReader, tail: str, node: ast.Call, arguments: list[Var]) -> Var:
    """Read a call of a function of `re`: its pattern is one of the text."""
    pattern_place, text_place = REGEX_FUNCTIONS[tail]
    if len(arguments) > text_place:
        subject = arguments[text_place]
        subject.add("text")
        pattern = arguments[pattern_place]
        flags = flags_of((*node.args[text_place + 1 :], *(keyword.value for keyword in node.keywords)))
        written = pattern_of(node.args[pattern_place])
        # A pattern from a table or a variable that cannot be followed is one of those that the program writes.
        made = [pattern_of(template) for template in known_templates(pattern)]
        known = [written] if written else known_texts(pattern) or made or list(reader.regexes)
        subject.note("patterns", [flags + text for text in known])
        if not written:
            pattern.add("text", WEAK + 1)
            if not known:
                pattern.note("formats", ["regex"])
        return _found(subject, tail)
    return Var("regex")


def _found(subject: Var, tail: str) -> Var:
    """What a function of `re` gives: texts made from the subject, or a match of it."""
    if tail.startswith("sub"):
        return derived(subject, "text", "same")
    if tail in {"findall", "split"}:
        result = Var("list")
        result.element = derived(subject, "text", "part")
        return result
    match = derived(subject, "regex", "part")
    if tail == "finditer":
        result = Var("list")
        result.element = match
        return result
    return match


def is_compiled(reader: ExpressionReader, receiver: Var, name: str, arguments: list[Var]) -> bool:
    """Whether a method is one of a compiled pattern that came here through a table or a branch."""
    if name not in REGEX_FUNCTIONS or name == "split" or not arguments:
        return False
    sources = [source.find() for source in receiver.find().sources]
    return any("regex" in source.kinds for source in sources) or (bool(reader.regexes) and not receiver.find().kinds)


def compiled_method(reader: ExpressionReader, pattern: Var, name: str, arguments: list[Var]) -> Var:
    """A method of a compiled pattern or of a match."""
    place = {"sub": 1, "subn": 1}.get(name, 0)
    if name in REGEX_FUNCTIONS and len(arguments) > place:
        arguments[place].add("text")
        arguments[place].note("patterns", known_texts(pattern) or reader.regexes)
        return _found(arguments[place], name)
    if name == "group":
        return derived(pattern, "text", "part")
    if name == "groups":
        result = Var("tuple")
        result.element = derived(pattern, "text", "part")
        return result
    return Var("int") if name in {"start", "end"} else Var()


def codec(receiver: Var, name: str, node: ast.Call, arguments: list[Var]) -> None:
    """The arguments of encode and decode are names; what is encoded for hosts is one."""
    values = [*arguments[:2]]
    for value, kind in zip(values, ("encoding", "errors"), strict=False):
        if "text" not in value.find().kinds or not value.find().constants:
            value.add("text", WEAK + 1)
            value.note("formats", [kind])
    first = node.args[0] if node.args else None
    if isinstance(first, ast.Constant) and first.value in {"idna", "punycode"}:
        receiver.note("formats", ["host"])
    elif name == "encode" and isinstance(first, ast.Constant) and first.value in {"ascii", "latin-1", "latin1"}:
        receiver.note("formats", ["accents"])


def token_patterns(node: ast.expr, value: Var) -> list[str]:
    """Patterns of a piece that is looked for and put together from constants and other values."""
    templates = [node] if isinstance(node, (ast.JoinedStr, ast.BinOp)) else known_templates(value)
    return [pattern for pattern in (pattern_of(template, literal=True) for template in templates) if pattern]


def known_templates(value: Var, depth: int = 0) -> list[ast.expr]:
    """The expressions that put a text together, where a local name holds it."""
    node = value.find()
    found = list(node.templates)
    if depth < 3:
        for source in node.sources:
            found.extend(known_templates(source, depth + 1))
    return found[:6]


def known_texts(value: Var, depth: int = 0) -> list[str]:
    """The texts that a value is known to be: a local name bound to a literal, an item of a literal list."""
    node = value.find()
    found = [constant for constant in node.constants if isinstance(constant, str)]
    if depth < 3:
        for source in node.sources:
            found.extend(known_texts(source, depth + 1))
    return found[:20]
