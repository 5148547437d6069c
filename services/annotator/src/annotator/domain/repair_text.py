"""What of a repaired test is taken in languages whose syntax nobody reads here: chunk by chunk, by its tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotator.domain.declarations import blanked
from annotator.domain.fault import Fault
from annotator.domain.literals import TOKEN
from annotator.domain.repair_python import Parts
from annotator.domain.subject import Subject

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_IMPORT = re.compile(
    r"\s*(?:import\b|package\b|use\s+[\w\\]|require(?:_once)?\b|include(?:_once)?\b"
    r"|(?:const|let|var)\s+[\w${}\s,:]+=\s*require\s*\(\s*[\"'][^\"']+[\"']\s*\)(?:\.\w+)?\s*;?\s*$)"
)
_DECLARES = re.compile(
    r"\s*(?:(?:export|public|private|protected|static|final|abstract|async|default|declare|readonly)\s+)*"
    r"(?:(?:class|interface|enum|record|trait|type|function\*?|func|const|let|var)\s+[&*]?([\w$]+)|(\$\w+)\s*=(?![=>])"
    r"|(\w+)\s*:=|[\w.<>\[\], ]+?\s+(\w+)\s*(?:\(|=(?!=)|;))"
)
_BINDS = re.compile(
    r"(?:class|interface|enum|record|trait|type|function\*?|func|const|let|var)\s+[&*]?([\w$]+)"
    r"|(\$\w+)\s*=(?![=>])|(\w+)\s*:="
)
_LISTED = re.compile(
    r"(?:\bas\s+|[{,:]\s*|import\s+(?:static\s+)?(?:\*\s+as\s+)?|const\s+|let\s+|var\s+)([\w$]+)(?!\s*[.\\:])"
)
# By these something may be given another meaning without being named anew.
_MEDDLING = frozenset(
    (
        *("eval", "globalThis", "global", "window", "prototype", "__proto__", "defineProperty", "assign", "Reflect"),
        *(
            "Proxy",
            "process",
            "exit",
            "Exit",
            "Goexit",
            "die",
            "setPrototypeOf",
            "require_cache",
            "ini_set",
            "assert_options",
        ),
        *("GLOBALS", "extract", "compact", "setAccessible", "System", "Runtime", "unsafe", "recover", "valueOf"),
        *("register_shutdown_function", "set_error_handler", "set_exception_handler", "equals", "hashCode", "toJSON"),
    )
)
_ANYWHERE = re.compile(r"\s*(?:export\s+)?(?:class|function|func|interface|type|trait|enum|record)\b")
_CLASS = re.compile(r"\b(?:class|interface|trait|enum|record|struct)\b|=\s*\{")
# A member or an item that is given another value.
_STORED = re.compile(
    r"(?<![\w$.>:])([\w$]++)(?:\s*+(?:(?:\.|->|::)\s*+[\w$]++|\[[^\]]*+\]))++\s*+(?:=(?![=>])|[-+*/%.|&^?]{1,2}=)"
)
_OWN_NAME = re.compile(
    r"\s*(?:import\s+(?:\*\s+as\s+)?([\w$]+)\s+from\s*[\"'](?:node:)?(?:[^\"']*/)?\1[\"']"
    r"|(?:const|let|var)\s+([\w$]+)\s*=\s*require\s*\(\s*[\"'](?:node:)?(?:[^\"']*/)?\2[\"']\s*\)\s*;?\s*$)"
)
_CLOSED = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class _Known:
    """Names that the test or the code bind, and names that they use and that are not said to be nothing."""

    bound: frozenset[str]
    used: frozenset[str]


def taken(first: Parts, before: Parts, after: Parts, subject: Subject, fault: Fault) -> Parts:
    """What is taken of a repair: of a part that changes an expectation only imports and new names.

    Args:
        first: The test as it was written; what repairs supplied since may be supplied otherwise.
        before: The test that was run last.
        after: The repaired test.
        subject: The code under test.
        fault: What the last run lacked.
    """
    language = subject.language
    old, new = chunks(before.setup, language), chunks(after.setup, language)
    written = [*chunks(first.setup, language), *chunks(first.tests, language)]
    own = set(_tokens("\n".join(written)))
    used = set(_tokens("\n".join((before.setup, before.tests, subject.code, *subject.imports))))
    bound = {name for text in (before.setup, before.tests, subject.code) for name in _bound(text)}
    loose = {chunk for chunk in old if _names(chunk) and not _names(chunk) & own}
    kept = [chunk for chunk in old if chunk not in loose and not (fault.imports and _IMPORT.match(chunk))]
    supplied = {name for chunk in loose for name in _names(chunk)}
    # What is used and bound nowhere is the language's own, unless the error says that it is nothing.
    known = _Known(frozenset(bound - supplied), frozenset(used - supplied - fault.words))
    setup = _keeps(kept, new, known, fault)
    tests = after.tests if _same_tests(before.tests, after.tests, subject, fault, known) else before.tests
    if setup:
        return Parts(after.setup, tests)
    theirs = set(old)
    added = [chunk for chunk in new if chunk not in theirs and _adds(chunk, known)]
    named = {name for chunk in added for name in _names(chunk)}
    stays = [chunk for chunk in old if not (chunk in loose and _names(chunk) & named)]
    return Parts("\n".join((*added, *stays)) if added else before.setup, tests)


def chunks(text: str, language: str) -> list[str]:
    """The statements and declarations of a text that stand in no brackets.

    Example:
        >>> chunks("const a = {\\n  b: 1\\n};\\nuse(a)", "javascript")
        ['const a = {\\n  b: 1\\n};', 'use(a)']
    """
    shape, depth, begun = blanked(text, language), 0, 0
    found: list[str] = []
    for place, sign in enumerate(shape):
        depth += (sign in "([{") - (sign in ")]}")
        if depth <= 0 and (sign == "\n" or sign == ";"):
            if shape[begun : place + 1].strip():
                found.append(text[begun : place + 1].strip())
            begun = place + 1
    if shape[begun:].strip():
        found.append(text[begun:].strip())
    return found


def _keeps(old: list[str], new: list[str], known: _Known, fault: Fault) -> bool:
    theirs = {tuple(_tokens(each)) for each in old}
    # It does not matter where an import, a function or a class stands.
    anywhere = {chunk for chunk in old if _IMPORT.match(chunk) or _ANYWHERE.match(chunk)}
    declared = Counter(tuple(_tokens(chunk)) for chunk in old if chunk in anywhere)
    waiting = [tuple(_tokens(chunk)) for chunk in old if chunk not in anywhere][::-1]
    for chunk in new:
        tokens = tuple(_tokens(chunk))
        if declared[tokens]:
            declared[tokens] -= 1
        elif waiting and _same_or_grown(waiting[-1], tokens, fault):
            waiting.pop()
        elif (found := _grown_of(declared, tokens, fault)) is not None:
            declared[found] -= 1
        elif not _adds(chunk, known) and not (tokens in theirs and _IMPORT.match(chunk)):
            return False
    return not waiting and not +declared


def _grown_of(declared: Counter[tuple[str, ...]], tokens: tuple[str, ...], fault: Fault) -> tuple[str, ...] | None:
    if not fault.attributes or not fault.attributes & set(tokens):
        return None
    begins = (each for each, times in declared.items() if times and each[:2] == tokens[:2])
    return next((each for each in begins if _same_or_grown(each, tokens, fault)), None)


def _same_or_grown(before: tuple[str, ...], after: tuple[str, ...], fault: Fault) -> bool:
    """Whether a chunk is what it was, or a stand-in that has what it lacked as well."""
    if before == after:
        return True
    more = len(after) - len(before)
    lacking = fault.attributes & set(after) and not fault.attributes & set(before)
    if more <= 0 or not lacking or not _CLASS.search(" ".join(before[:20])):
        return False
    ahead = _common(before, after)
    behind = _common(before[::-1], after[::-1])
    # What was added is one piece, between members of what is declared here.
    for start in range(max(0, len(before) - behind), ahead + 1):
        piece = after[start : start + more]
        at_members = sum((each == "{") - (each == "}") for each in before[:start]) == 1
        if at_members and _balanced(piece) and fault.attributes & set(piece) and not _MEDDLING & set(piece):
            return True
    return False


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    places = (place for place, (mine, its) in enumerate(zip(one, other, strict=False)) if mine != its)
    return next(places, min(len(one), len(other)))


def _balanced(tokens: Sequence[str]) -> bool:
    open_ones: list[str] = []
    for token in tokens:
        if token in "([{":
            open_ones.append(token)
        elif token in _CLOSED and (not open_ones or open_ones.pop() != _CLOSED[token]):
            return False
    return not open_ones


def _adds(chunk: str, known: _Known) -> bool:
    """Whether a chunk is an import, or a declaration of new names that touches nothing that was there."""
    names = _names(chunk)
    if names & known.bound or _MEDDLING & set(_tokens(chunk)):
        return False
    if _IMPORT.match(chunk):
        # A module under its own name is what that name would be; a name out of a path has it from there.
        own = _OWN_NAME.match(chunk)
        return not re.search(r"[\"']", chunk) or names & known.used <= ({own[1] or own[2]} if own else set[str]())
    if not names or names & known.used or known.bound & set(_tokens(chunk)):
        return False
    given = re.search(r"\(([^()]*)\)", chunk)
    own_names = {*_bound(chunk), *(_NAME.findall(given[1]) if given else ()), "this", "$this", "self"}
    return all(root in own_names for root in _STORED.findall(chunk))


def _names(chunk: str) -> set[str]:
    """What a chunk binds, if it is an import or a declaration."""
    if _IMPORT.match(chunk):
        words = re.sub(r"[\"'][^\"']*[\"']", "", chunk)
        listed = _LISTED.findall(words)
        last = re.findall(r"[.\\](\w+)\s*;", words)
        return {*listed, *last} - {"static", "import", "from", "as"}
    found = _DECLARES.match(chunk)
    return {name for name in found.groups() if name} if found else set()


def _bound(text: str) -> set[str]:
    declared = {name for groups in _BINDS.findall(text) for name in groups if name}
    typed = set(re.findall(r"(?:^|[;{}\n])\s*(?:[\w<>\[\].]+\s+)+(\w+)\s*(?:=(?!=)|\()", text))
    listed = {name for found in re.findall(r"(?:const|let|var)\s*\{([^}]*)\}", text) for name in _NAME.findall(found)}
    imported = {name for line in text.splitlines() if _IMPORT.match(line) for name in _names(line)}
    return (declared | typed | listed | imported) - {"if", "for", "while", "switch", "return", "new", "else"}


def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def _same_tests(before: str, after: str, subject: Subject, fault: Fault, known: _Known) -> bool:
    """Whether tests are what they were but for imports and what calls of the entry point are given."""
    if before == after:
        return True
    language = subject.language
    old, new = chunks(before, language), chunks(after, language)
    theirs = {tuple(_tokens(each)) for each in old}
    fresh = {each for each in new if _IMPORT.match(each) and _adds(each, known) and tuple(_tokens(each)) not in theirs}
    gone = {each for each in old if fault.imports and _IMPORT.match(each)}
    one, its = _calls([token for each in old if each not in gone for token in _tokens(each)], subject.entry_point)
    other, others = _calls([token for each in new if each not in fresh for token in _tokens(each)], subject.entry_point)
    if subject.entry_point and not _waits(one, subject.entry_point):
        other = _without_await(other, subject.entry_point)
    return one == other and len(its) == len(others) and all(map(_arguments_kept(fault), its, others))


def _arguments_kept(fault: Fault) -> Callable[[list[str], list[str]], bool]:
    def kept(old: list[str], new: list[str]) -> bool:
        if old == new:
            return True
        one, other = Counter(old), Counter(new)
        return fault.arguments and (one == other or (fault.surplus and other <= one))

    return kept


def _waits(tokens: list[str], entry_point: str) -> bool:
    return any(one == "await" and other == entry_point for one, other in pairwise(tokens))


def _without_await(tokens: list[str], entry_point: str) -> list[str]:
    return [one for one, other in pairwise([*tokens, ""]) if not (one == "await" and other == entry_point)]


def _calls(tokens: list[str], entry_point: str) -> tuple[list[str], list[list[str]]]:
    """Tokens without what the entry point's calls are given, and that: each argument as text."""
    kept: list[str] = []
    given: list[list[str]] = []
    depth = 0
    for index, token in enumerate(tokens):
        if depth:
            depth += (token in "([{") - (token in ")]}")
            if not depth:
                kept.append(token)
            elif token == "," and depth == 1:
                given[-1].append("")
            else:
                given[-1][-1] += f" {token}"
            continue
        kept.append(token)
        if token == "(" and index and tokens[index - 1] == entry_point and entry_point:
            depth = 1
            given.append([""])
    return kept, given
