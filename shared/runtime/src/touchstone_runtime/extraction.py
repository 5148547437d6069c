"""Find the program in a model's answer."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from functools import partial
from itertools import chain
from typing import NamedTuple

# Nothing longer is looked at: the parser's memory grows with the text, and no honest answer is that long.
_MAX_CHARACTERS = 100_000
# Bounds of the search for a program in running text, and for the end of a block: lines that are tried, and characters.
_MAX_SEARCHED = 20_000
_MAX_TRIES = 200
_MAX_READ = 1_000_000
# Which reading of answers this is: raised when another program is found in the same answer.
READING = 3

# How models mark what they think aloud before they answer.
_OPENING, _CLOSING = "<think>", "</think>"
FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?P<mark>`{3,})[ \t]*(?P<info>[^\n`]*)|(?P<tildes>~{3,})[ \t]*(?P<about>[^\n]*))$",
    re.MULTILINE,
)
# How far the end of a block may stand to the right of its beginning. Source: CommonMark 0.31.2, 4.5.
_MAX_INDENT = 3
_TAG = re.compile(r"[\w+#-]+")
_START = re.compile(r"^(?:import |from |def |async def |class |@|[rR]?(?:\"{3}|'{3})|[A-Za-z_]\w*\s*(?::[^\n]*)?=)")

_TAGS = {
    "python": {"python", "py", "python3", ""},
    "javascript": {"javascript", "js", "node", "mjs", ""},
    "typescript": {"typescript", "ts", ""},
    "java": {"java", ""},
    "go": {"go", "golang", ""},
    "php": {"php", ""},
}


class Found(StrEnum):
    """How far an answer holds a program."""

    # A program with the asked function.
    PROGRAM = "program"
    # Text that means to be the program and does not parse; the sandbox says what is wrong.
    UNPARSABLE = "unparsable"
    # A program without the asked function.
    OTHER = "other"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Extraction:
    """What was found; `code` is empty unless it is worth running."""

    found: Found
    code: str = ""

    @property
    def runnable(self) -> bool:
        """Whether there is something to run."""
        return self.found in (Found.PROGRAM, Found.UNPARSABLE)


class Sight(IntEnum):
    """How much a text is of the asked program; of two the smaller one is worth more."""

    PROGRAM = 0
    # It defines what was asked for, and does nothing but fail.
    PLACEHOLDER = 1
    # It means to define it, and makes no sense to its end.
    BROKEN = 2
    # The function's head without a body.
    HEAD = 3
    # It names it, and may define it in a way that is not known here.
    MENTION = 4
    # Some other code.
    OTHER = 5
    NOTHING = 6


_FOUND = {
    Sight.PROGRAM: Found.PROGRAM,
    Sight.PLACEHOLDER: Found.PROGRAM,
    Sight.BROKEN: Found.UNPARSABLE,
    Sight.HEAD: Found.UNPARSABLE,
    # The sandbox knows every way.
    Sight.MENTION: Found.PROGRAM,
    Sight.OTHER: Found.OTHER,
    Sight.NOTHING: Found.NOTHING,
}


@dataclass(frozen=True)
class _Block:
    tag: str
    text: str
    closed: bool = True


class _Reader(NamedTuple):
    """How texts of one language are looked at.

    Attributes:
        sight: How much a text is of the asked program.
        start: What a line begins with that may be a program's first.
        is_prose: Whether a line is a sentence; never where `sight` tells sentences from code.
        is_whole: Whether a text makes sense to its end that may define the asked function in a way not known here.
    """

    sight: Callable[[str], Sight]
    start: re.Pattern[str]
    is_prose: Callable[[str], bool]
    is_whole: Callable[[str], bool]


def extract(answer: str, entry_point: str, language: str = "python") -> Extraction:
    """Pick the program out of an answer.

    A whole answer that is a program has no blocks: its fences stand in its comments and texts. Else fenced blocks are
    looked at first, in their order, then the whole answer; those tagged as another language come last. The first that
    makes sense to its end and defines the entry point is taken; one whose body is a mere placeholder only when there is
    no other, and a head without a body, or a call, is no definition. A block that the answer's end cut off, and a raw
    answer, are tried without their last lines too. Nothing is executed.

    Args:
        answer: The model's text.
        entry_point: Name of the asked function.
        language: Target language of the task, lower case.
    """
    text = answer.replace("\r\n", "\n")[:_MAX_CHARACTERS]
    tags, reader = _TAGS[language], _reader(entry_point, language)
    bare = _bare(text, reader)
    if bare:
        return _extraction(reader.sight(bare), bare)
    blocks = _blocks(text, partial(_makes_sense, reader=reader))
    fitting = [block for block in blocks if block.tag in tags] or blocks
    best, code = Sight.NOTHING, ""
    for body in _bodies(fitting or [_Block("", text, closed=False)], reader):
        sight = reader.sight(body)
        if sight is Sight.PROGRAM:
            return _extraction(sight, body)
        if sight < best:
            best, code = sight, body
    for body in _bodies([block for block in blocks if block not in fitting], reader):
        if reader.sight(body) is Sight.PROGRAM:
            return _extraction(Sight.PROGRAM, body)
    if best > Sight.PLACEHOLDER:
        # A whole answer may stand in a block, with blocks of its own.
        outer = [block.text for block in blocks if not _makes_sense(block.text, reader)]
        for body in chain.from_iterable(map(fenced, outer)):
            if reader.sight(body) is Sight.PROGRAM:
                return _extraction(Sight.PROGRAM, body)
    if not blocks and best >= Sight.MENTION:
        # Sentences may name the function, and single words may parse: only lines of code count.
        code = _longest_run(text, reader, Sight.MENTION) or _longest_run(text, reader, Sight.OTHER)
        best = reader.sight(code)
    return _extraction(best, code)


def is_program(text: str, entry_point: str, language: str = "python") -> bool:
    """Whether a whole text is a program that defines the entry point, with nothing around it."""
    return len(text) <= _MAX_CHARACTERS and _reader(entry_point, language).sight(text) <= Sight.PLACEHOLDER


def _extraction(sight: Sight, code: str) -> Extraction:
    found = Extraction(_FOUND[sight])
    return replace(found, code=code.strip("\n") + "\n") if found.runnable else found


def thought_apart(text: str) -> tuple[str, str]:
    """What a model thought aloud before it answered, and the answer, which comes late or not at all.

    Some endpoints leave the opening mark to the prompt, so that an answer begins within the thought.

    Example:
        >>> thought_apart("<think>a draft</think> the answer")
        ('<think>a draft', 'the answer')
    """
    opened = text.lstrip().startswith(_OPENING)
    before, mark, after = text.partition(_CLOSING)
    if mark and (opened or _OPENING not in before):
        return before, after.lstrip()
    return (text, "") if opened else ("", text)


def answer_of(text: str, entry_point: str, language: str = "python") -> str:
    """What a model answered, without what it thought aloud before; a mark in a text of its program ends no thought.

    Args:
        text: All that the model said.
        entry_point: Name of the asked function.
        language: Target language of the task, lower case.

    Example:
        >>> answer_of("a draft</think> the answer", "f")
        'the answer'
        >>> answer_of("def f(): return '</think>'", "f")
        "def f(): return '</think>'"
    """
    if _CLOSING in text and not text.lstrip().startswith(_OPENING):
        code = extract(text, entry_point, language).code
        # Between its words a bracket in the place of the mark would leave no program.
        if _CLOSING in code and is_program(code.replace(_CLOSING, ")"), entry_point, language):
            return text
    return thought_apart(text)[1]


def fenced(answer: str, makes_sense: Callable[[str], bool] | None = None) -> list[str]:
    """The texts of an answer's fenced blocks, in order; the last may lack its end.

    Args:
        answer: The model's text.
        makes_sense: Whether a text is a whole one of what is looked for, which fences within it do not end. Without it
            blocks end where fences alone say so.
    """
    blocks = _blocks(answer.replace("\r\n", "\n")[:_MAX_CHARACTERS], makes_sense or _unread)
    return [block.text for block in blocks]


def defines(code: str, name: str) -> bool:
    """Whether a Python program binds a name at its top level; False when it does not parse."""
    tree = parse(code)
    return tree is not None and _definition(tree, name) is not None


def parse(code: str) -> ast.Module | None:
    """Parse Python, or None; never raises and never executes, whatever the text."""
    if len(code) > _MAX_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            # The text's own warnings (an odd escape) are no news of ours.
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def with_prelude(prelude: str, code: str) -> str:
    """Put a task's imports before a solution, and the solution's `__future__` imports before both."""
    if not prelude.strip():
        return code
    futures: list[str] = []
    rest = code
    tree = parse(code)
    if tree is not None:
        lines = code.split("\n")
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                futures.extend(f"from __future__ import {alias.name}" for alias in node.names)
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
        rest = "\n".join(lines) if futures else code
    return "\n".join([*dict.fromkeys(futures), prelude.strip("\n"), "", rest.lstrip("\n")])


def _reader(entry_point: str, language: str) -> _Reader:
    if language == "python":
        return _Reader(partial(_python_sight, name=entry_point), _START, _never, _never)
    # An export takes this file alone, and has answers in Python only.
    from touchstone_runtime import outline

    return _Reader(
        partial(outline.sight, name=entry_point, language=language),
        outline.START,
        outline.is_prose,
        partial(outline.is_whole, language=language),
    )


def _never(line: str) -> bool:
    return not line


def _unread(_text: str) -> bool:
    """No text makes sense to who does not read it."""
    return False


def _makes_sense(text: str, reader: _Reader) -> bool:
    """Whether a text is the asked program, or may be it, and to its end."""
    sight = reader.sight(text)
    return sight <= Sight.PLACEHOLDER or (sight is Sight.MENTION and reader.is_whole(text))


def _python_sight(text: str, name: str) -> Sight:
    tree = parse(text)
    if tree is not None:
        node = _definition(tree, name)
        if node is None:
            return Sight.OTHER if text.strip() else Sight.NOTHING
        return Sight.PLACEHOLDER if _is_placeholder(node) else Sight.PROGRAM
    if not re.search(rf"^[ \t]*(?:async )?(?:def|class)[ \t]+{re.escape(name)}\b", text, re.MULTILINE):
        return Sight.NOTHING
    return Sight.HEAD if defines(f"{text.strip().removesuffix(':')}: ...", name) else Sight.BROKEN


def _bodies(blocks: Iterable[_Block], reader: _Reader) -> Iterator[str]:
    for block in blocks:
        # Where the whole makes sense, a run of its lines may be an example that stands in a comment.
        fits = block.closed or (FENCE.search(block.text) and _makes_sense(block.text, reader))
        yield block.text if fits else _longest_run(block.text, reader, Sight.PLACEHOLDER) or block.text


def _bare(text: str, reader: _Reader) -> str:
    """The program of an answer whose fences all stand within it, in comments and texts; empty where there is none."""
    first = FENCE.search(text)
    if first is None:
        return ""
    if _makes_sense(text, reader):
        # Sentences before and behind may pass for code.
        run = _longest_run(text, reader, reader.sight(text)) if _prose(text.split("\n"), reader) else ""
        return run if FENCE.search(run) else text
    if not any(map(reader.start.match, text[: first.start()].split("\n"))):
        return ""
    run = _longest_run(text, reader, Sight.PROGRAM)
    return run if FENCE.search(run) else ""


def _blocks(text: str, makes_sense: Callable[[str], bool]) -> list[_Block]:
    """Fenced blocks in order; the last may lack its end.

    A fence that could end a block may stand in a comment or a text of the program, and not end it: of the places where
    it can end, the first is taken at which it makes sense. Where it does at none, it is the first one that stands no
    further in than a fence may, and else the first of all.
    """
    fences = list(FENCE.finditer(text))
    blocks: list[_Block] = []
    at, tries, left = 0, _MAX_TRIES, _MAX_READ
    while at < len(fences):
        opening, ends = fences[at], _ends(fences, at)
        chosen, is_inside = len(fences), False
        for place in ends:
            if chosen == len(fences) or (not is_inside and _is_inside(opening, fences[place])):
                chosen, is_inside = place, _is_inside(opening, fences[place])
            if tries > 0 and left > 0:
                body = _block(opening, text, fences[place]).text
                tries, left = tries - 1, left - len(body)
                if makes_sense(body):
                    chosen = place
                    break
            elif is_inside:
                break
        else:
            if chosen < len(fences) and left > 0:
                left -= len(text) - opening.end()
                chosen = len(fences) if makes_sense(_block(opening, text, None).text) else chosen
        blocks.append(_block(opening, text, fences[chosen] if chosen < len(fences) else None))
        at = chosen + 1
    return blocks


def _ends(fences: Sequence[re.Match[str]], at: int) -> Iterator[int]:
    return (place for place in range(at + 1, len(fences)) if _closes(fences[at], fences[place]))


def _closes(opening: re.Match[str], fence: re.Match[str]) -> bool:
    """Whether a fence can end what another began: of its kind, at least as long, alone on its line."""
    mark, kind = (found["mark"] or found["tildes"] for found in (fence, opening))
    alone = not (fence["info"] or fence["about"] or "").strip()
    return alone and mark.startswith(kind)


def _is_inside(opening: re.Match[str], fence: re.Match[str]) -> bool:
    return _width(fence) <= _width(opening) + _MAX_INDENT


def _width(fence: re.Match[str]) -> int:
    return len(fence["indent"].expandtabs(4))


def _block(opening: re.Match[str], text: str, end: re.Match[str] | None) -> _Block:
    tag = _TAG.search(opening["info"] or opening["about"] or "")
    body = text[opening.end() + 1 : end.start() if end else len(text)]
    return _Block(tag.group().lower() if tag else "", textwrap.dedent(body), end is not None)


def _longest_run(text: str, reader: _Reader, worst: Sight) -> str:
    """The longest run of whole lines that is worth as much as `worst`; empty where there is none."""
    lines = text[:_MAX_SEARCHED].split("\n")
    prose = _prose(lines, reader)
    tries = 0
    for start, line in enumerate(lines):
        if not reader.start.match(line):
            continue
        for end in range(next((place for place in prose if place >= start), len(lines)), start, -1):
            # A program ends before a line that stands at the margin; other ends would cut a statement in two.
            if end < len(lines) and not _at_margin(lines[end]):
                continue
            if (tries := tries + 1) > _MAX_TRIES:
                return ""
            code = "\n".join(lines[start:end])
            if reader.sight(code) <= worst:
                return code
    return ""


def _prose(lines: list[str], reader: _Reader) -> list[int]:
    return [place for place, line in enumerate(lines) if _at_margin(line) and reader.is_prose(line)]


def _at_margin(line: str) -> bool:
    return bool(line) and not line[0].isspace()


def _definition(tree: ast.Module, name: str) -> ast.stmt | None:
    """The last top-level statement that binds a name."""
    found: ast.stmt | None = None
    for node in tree.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node.name == name:
                found = node
            case ast.Assign() if any(isinstance(target, ast.Name) and target.id == name for target in node.targets):
                found = node
            case ast.AnnAssign(target=ast.Name(id=bound), value=value) if bound == name and value is not None:
                found = node
            case _:
                pass
    return found


def _is_placeholder(node: ast.stmt) -> bool:
    """Whether a function's body is nothing but `pass`, `...`, a docstring, or NotImplementedError."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    for statement in node.body:
        match statement:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                continue
            case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
                continue
            case _:
                return False
    return True
