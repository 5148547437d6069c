"""Find the program in a model's answer."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from functools import partial
from itertools import accumulate, chain
from typing import NamedTuple

from touchstone_runtime.thoughts import has_mark, spoken, thought_apart, unmarked

# Nothing longer is looked at: the parser's memory grows with the text, and no honest answer is that long.
_MAX_CHARACTERS = 100_000
# Bounds of the search for a program in running text, and for the end of a block: lines that are tried, and characters.
_MAX_SEARCHED = 20_000
_MAX_TRIES = 200
_MAX_READ = 1_000_000
# Which reading of answers this is: raised when another program is found in the same answer.
READING = 5

FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?P<mark>`{3,})[ \t]*(?P<info>[^\n`]*)|(?P<tildes>~{3,})[ \t]*(?P<about>[^\n]*))$",
    re.MULTILINE,
)
# How far the end of a block may stand to the right of its beginning. Source: CommonMark 0.31.2, 4.5.
_MAX_INDENT = 3
_TAG = re.compile(r"[\w+#-]+")
_START = re.compile(
    r"import |from |def |async def |class |@|[rR]?(?:\"{3}|'{3})|try:|"
    r"(?:async |if |for |while |with |match ).*(?:[:(\[{,\\]|:\s*#.*)$|"
    r"[A-Za-z_][\w.]*(?:\[[^\]\n]*\])?(?:\s*,\s*\*?[A-Za-z_]\w*)*\s*(?::[^\n]*|[-+*/|&%])?="
)
# The first mark of an answer's blocks where other words or a list's mark stand before it on its line.
_LATE = re.compile(r"^(?P<before>[^`\n]+)(?P<fence>`{3,}[ \t]*[\w+#-]*[ \t]*)$", re.MULTILINE)
_LISTED = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)

_LINE_END = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_MADE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_TAGS = {
    "python": {"python", "py", "python3", ""}, "javascript": {"javascript", "js", "node", "mjs", ""},
    "typescript": {"typescript", "ts", ""}, "java": {"java", ""}, "go": {"go", "golang", ""}, "php": {"php", ""},
}  # fmt: skip


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
    """What was found; `code` is empty unless it is worth running. A placeholder does nothing but fail."""

    found: Found
    code: str = ""
    is_placeholder: bool = False

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
    Sight.PROGRAM: Found.PROGRAM, Sight.PLACEHOLDER: Found.PROGRAM,
    Sight.BROKEN: Found.UNPARSABLE, Sight.HEAD: Found.UNPARSABLE,
    # The sandbox knows every way.
    Sight.MENTION: Found.PROGRAM, Sight.OTHER: Found.OTHER, Sight.NOTHING: Found.NOTHING,
}  # fmt: skip


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
        readable: How many of the first lines of a text that is no program may be one, at most.
        is_exact: Whether a text with words around its program makes no sense.
    """

    sight: Callable[[str], Sight]
    start: re.Pattern[str]
    is_prose: Callable[[str], bool]
    is_whole: Callable[[str], bool]
    readable: Callable[[str], int]
    is_exact: bool


def extract(answer: str, entry_point: str, language: str = "python") -> Extraction:
    """Pick the program out of an answer.

    A whole answer that is a program has no blocks: its fences stand in its comments and texts. Else fenced blocks are
    looked at first, in their order, then the whole answer; those tagged as another language come last. The first that
    makes sense to its end and defines the entry point is taken; one whose body is a mere placeholder only when there is
    no other, and a head without a body, or a call, is no definition. A block that the answer's end cut off, and a raw
    answer, are tried without their last lines too. Where there is none, the answer is read with the fence that its
    first block lacks. Nothing is executed.

    Args:
        answer: The model's text.
        entry_point: Name of the asked function.
        language: Target language of the task, lower case.
    """
    tags, reader = _TAGS[language], _reader(entry_point, language)
    best, code = Sight.NOTHING, ""
    for text in chain(readings(answer), _unindented(answer, reader)):
        sight, body = _found(text, tags, reader)
        if sight < best:
            best, code = sight, body
        if best <= Sight.PLACEHOLDER:
            break
    found = Extraction(_FOUND[best], is_placeholder=best is Sight.PLACEHOLDER)
    return replace(found, code=code.strip("\n") + "\n") if found.runnable else found


def _found(text: str, tags: Collection[str], reader: _Reader) -> tuple[Sight, str]:
    bare = _bare(text, reader)
    if bare:
        return reader.sight(bare), bare
    blocks = _blocks(text, partial(_makes_sense, reader=reader))
    fitting = [block for block in blocks if block.tag in tags] or blocks
    best, code = Sight.NOTHING, ""
    for body in _bodies(fitting or [_Block("", text, closed=False)], reader):
        sight = reader.sight(body)
        if sight is Sight.PROGRAM:
            return sight, body
        if sight < best:
            best, code = sight, body
    for body in _bodies([block for block in blocks if block not in fitting], reader):
        if reader.sight(body) is Sight.PROGRAM:
            return Sight.PROGRAM, body
    if best > Sight.PLACEHOLDER:
        # A whole answer may stand in a block, with blocks of its own.
        outer = [block.text for block in blocks if not _makes_sense(block.text, reader)]
        for body in chain.from_iterable(map(fenced, outer)):
            if reader.sight(body) is Sight.PROGRAM:
                return Sight.PROGRAM, body
    if not blocks and best >= Sight.MENTION:
        # Sentences may name the function, and single words may parse: only lines of code count.
        code = _longest_run(text, reader, Sight.MENTION) or _longest_run(text, reader, Sight.OTHER)
        best = reader.sight(code)
    return best, code


def readings(answer: str) -> Iterator[str]:
    """An answer as it stands, and with the fence of its first block where a reader of fences does not see it.

    It may stand behind words, behind the mark of a list or in a quotation, or have been said for the model.
    """
    text = answer.replace("\r\n", "\n")[:_MAX_CHARACTERS]
    yield text
    first, late = FENCE.search(text), _LATE.search(text)
    if late and (first is None or late.start() < first.start()):
        before, block = late["before"], text[late.start("fence") :]
        if before.strip() == ">":
            yield _QUOTED.sub("", text)
        elif _LISTED.fullmatch(before):
            yield f"{text[: late.start()]}{' ' * len(before)}{block}"
        else:
            yield f"{text[: late.start()]}{before}\n{block}"
    elif first and not (first["info"] or first["about"]) and len(FENCE.findall(text)) % 2:
        yield text[: first.start()]


def _unindented(answer: str, reader: _Reader) -> Iterator[str]:
    """An answer whose code stands further in than its sentences, as in Markdown, where none begins at the margin."""
    lines = answer.replace("\r\n", "\n")[:_MAX_CHARACTERS].split("\n")
    if reader.is_exact and not any(FENCE.match(line) or reader.start.match(line) for line in lines):
        yield "\n".join(line[4:] if line.startswith("    ") else line.removeprefix("\t") for line in lines)


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
    said = thought_apart(text)[1]
    if has_mark(said):
        code = extract(said, entry_point, language).code
        if has_mark(code) and _makes_sense(unmarked(code), _reader(entry_point, language)):
            return said
    return spoken(text)


def fenced(answer: str, makes_sense: Callable[[str], bool] | None = None) -> list[str]:
    """The texts of an answer's fenced blocks, in order; the last may lack its end.

    Args:
        answer: The model's text.
        makes_sense: Whether a text is a whole one of what is looked for, which fences within it do not end. Without it
            blocks end where fences alone say so.
    """
    blocks = _blocks(answer.replace("\r\n", "\n")[:_MAX_CHARACTERS], makes_sense or _no)
    return [block.text for block in blocks]


def parse(code: str) -> ast.Module | None:
    """Parse Python, or None; never raises and never executes, whatever the text."""
    if len(code) > _MAX_CHARACTERS:
        return None
    try:
        return _parsed(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parsed(code: str) -> ast.Module:
    with warnings.catch_warnings():
        # The text's own warnings (an odd escape) are no news of ours.
        warnings.simplefilter("ignore")
        return ast.parse(code)


def with_prelude(prelude: str, code: str) -> str:
    """Put a task's imports before a solution, and the solution's `__future__` imports before both."""
    if not prelude.strip():
        return code
    tree, rest = parse(code), code.encode("utf-8", "surrogatepass")
    starts = [0, *accumulate(len(line.encode()) for line in _LINE_END.split(code))] if tree else []
    futures: list[str] = []
    for node in reversed(tree.body if tree else []):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            futures[:0] = [f"from __future__ import {alias.name}" for alias in node.names]
            begin = starts[node.lineno - 1] + node.col_offset
            behind = rest[starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0) :]
            # Another statement may follow on its line.
            rest = rest[:begin] + (b"pass" if behind.lstrip(b" \t\f").startswith(b";") else b"") + behind
    whole = rest.decode("utf-8", "surrogatepass").lstrip("\n")
    return "\n".join([*dict.fromkeys(futures), prelude.strip("\n"), "", whole])


def _reader(entry_point: str, language: str) -> _Reader:
    if language == "python":
        return _Reader(partial(_python_sight, name=entry_point), _START, _no, bool, _readable, is_exact=True)
    # An export takes this file without that one, and has answers in Python only.
    from touchstone_runtime import outline

    return _Reader(
        partial(outline.sight, name=entry_point, language=language),
        outline.START,
        outline.is_prose,
        partial(outline.is_whole, language=language),
        len,
        is_exact=False,
    )


def _no(_text: str) -> bool:
    return False


def _makes_sense(text: str, reader: _Reader) -> bool:
    """Whether a text is the asked program, or may be it, and to its end."""
    sight = reader.sight(text)
    return sight <= Sight.PLACEHOLDER or (sight is Sight.MENTION and reader.is_whole(text))


def _python_sight(text: str, name: str) -> Sight:
    tree = parse(text)
    if tree is not None:
        last = _definition(tree, name)
        bound = bindings(tree, name)
        made = [last] if last else [node for node in bound if isinstance(node, _MADE)]
        if made:
            return Sight.PLACEHOLDER if all(map(_is_placeholder, made)) else Sight.PROGRAM
        if bound or bindings(tree, "*"):
            return Sight.MENTION
        return Sight.OTHER if text.strip() else Sight.NOTHING
    if not re.search(rf"^[ \t]*(?:async )?(?:def|class)[ \t]+{re.escape(name)}\b", text, re.MULTILINE):
        return Sight.NOTHING
    head = parse(f"{text.strip().removesuffix(':')}: ...")
    return Sight.HEAD if head and _definition(head, name) else Sight.BROKEN


def _readable(text: str) -> int:
    """How many of a text's lines stand before the one that Python cannot read."""
    try:
        _parsed(text)
    except SyntaxError as error:
        return (error.lineno or _MAX_CHARACTERS) - 1
    except (ValueError, RecursionError, MemoryError):
        return _MAX_CHARACTERS
    return 0


def _bodies(blocks: Iterable[_Block], reader: _Reader) -> Iterator[str]:
    for block in blocks:
        # Where the whole makes sense, a run of its lines may be an example that stands in a comment.
        exact = reader.is_exact or FENCE.search(block.text)
        fits = block.closed or (exact and _makes_sense(block.text, reader))
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
        opening = fences[at]
        ends = (place for place in range(at + 1, len(fences)) if _closes(fences[at], fences[place]))
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


def _closes(opening: re.Match[str], fence: re.Match[str]) -> bool:
    """Whether a fence can end what another began: of its kind, at least as long, alone on its line."""
    mark, kind = (found["mark"] or found["tildes"] for found in (fence, opening))
    alone = not (fence["info"] or fence["about"] or "").strip()
    return alone and mark.startswith(kind)


def _is_inside(opening: re.Match[str], fence: re.Match[str]) -> bool:
    here, there = (len(each["indent"].expandtabs(4)) for each in (fence, opening))
    return here <= there + _MAX_INDENT


def _block(opening: re.Match[str], text: str, end: re.Match[str] | None) -> _Block:
    tag = _TAG.search(opening["info"] or opening["about"] or "")
    lines = text[opening.end() + 1 : end.start() if end else len(text)].split("\n")
    margins = [len(line) - len(line.lstrip(" \t")) for line in lines if line.strip()]
    # All share it, or it is the fence's own, which lines of a text may lack.
    margin = max(min(margins), min(len(opening["indent"]), margins[0])) if margins else 0
    body = "\n".join(line[min(margin, len(line) - len(line.lstrip(" \t"))) :] for line in lines)
    return _Block(tag.group().lower() if tag else "", body, end is not None)


def _longest_run(text: str, reader: _Reader, worst: Sight) -> str:
    """The longest run of whole lines that is worth as much as `worst`; empty where there is none."""
    lines = text[:_MAX_SEARCHED].split("\n")
    prose = _prose(lines, reader)
    tries = 0
    for start, line in enumerate(lines):
        if not reader.start.match(line):
            continue
        end = next((place for place in prose if place >= start), len(lines))
        while end > start:
            # A program ends before a line that stands at the margin; other ends would cut a statement in two.
            if end < len(lines) and not _at_margin(lines[end]):
                end -= 1
                continue
            if (tries := tries + 1) > _MAX_TRIES:
                return ""
            code = "\n".join(lines[start:end])
            if reader.sight(code) <= worst:
                return code
            end = min(end - 1, start + reader.readable(code))
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


def bindings(tree: ast.AST, name: str) -> list[ast.AST]:
    """What binds a name of a module, wherever it does it and whenever that runs; "*" asks for all names of another."""
    found: list[ast.AST] = []
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, inner = waiting.pop()
        known: str | None = None
        match node:
            case ast.Global(names=names):
                found += [node] * (name in names)
            case ast.alias(name=module, asname=alias):
                known = alias or module.partition(".")[0]
            case ast.FunctionDef(name=known) | ast.AsyncFunctionDef(name=known) | ast.ClassDef(name=known):
                pass
            case ast.ExceptHandler(name=known) | ast.MatchAs(name=known) | ast.MatchStar(name=known):
                pass
            case ast.Name(id=known, ctx=ast.Store() | ast.Del()):
                pass
            case _:
                pass
        found += [node] * (known == name and not inner)
        inner = inner or isinstance(node, (*_MADE, ast.Lambda))
        waiting.extend((child, inner) for child in ast.iter_child_nodes(node))
    return found


def _is_placeholder(node: ast.AST) -> bool:
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
