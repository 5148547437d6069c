"""What of a repaired test is taken in languages whose syntax nobody reads here: chunk by chunk, by its tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
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
    r"(?:\bas\s+|[{,]\s*|import\s+(?:static\s+)?(?:\*\s+as\s+)?|const\s+|let\s+|var\s+)([\w$]+)(?!\s*[.\\:])"
)
# By these something may be given another meaning without being named anew.
_MEDDLING = frozenset(
    (
        *("eval", "globalThis", "global", "window", "prototype", "__proto__", "defineProperty", "assign", "Reflect"),
        *("Proxy", "process", "exit", "die", "os", "setPrototypeOf", "require_cache", "ini_set", "assert_options"),
        *("GLOBALS", "extract", "compact", "setAccessible", "System", "Runtime", "unsafe", "recover", "valueOf"),
        *("register_shutdown_function", "set_error_handler", "set_exception_handler", "equals", "hashCode", "toJSON"),
    )
)
_CLASS = re.compile(r"\b(?:class|interface|trait|enum|record|struct)\b|=\s*\{")
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
    own = _tokens("\n".join(written))
    used = set(_tokens("\n".join((before.setup, before.tests, subject.code, *subject.imports))))
    bound = {name for text in (before.setup, before.tests, subject.code) for name in _bound(text)}
    loose = {chunk for chunk in old if _names(chunk) and not _names(chunk) & set(own)}
    kept = [chunk for chunk in old if chunk not in loose and not (fault.imports and _IMPORT.match(chunk))]
    supplied = {name for chunk in loose for name in _names(chunk)}
    # What is used and bound nowhere is the language's own, unless the error says that it is nothing.
    known = _Known(frozenset(bound - supplied), frozenset(used - supplied - fault.words))
    setup = _keeps(kept, new, known, fault)
    tests = after.tests if _same_tests(before.tests, after.tests, subject, fault, known) else before.tests
    if setup:
        return Parts(after.setup, tests)
    added = [chunk for chunk in new if _adds(chunk, known) and chunk not in old]
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
            found.append(text[begun : place + 1].strip())
            begun = place + 1
    found.append(text[begun:].strip())
    return [each for each in found if each and blanked(each, language).strip()]


def _keeps(old: list[str], new: list[str], known: _Known, fault: Fault) -> bool:
    waiting = list(old)
    for chunk in new:
        if waiting and _same_or_grown(waiting[0], chunk, fault):
            waiting.pop(0)
        elif (place := next((n for n, each in enumerate(waiting) if _tokens(each) == _tokens(chunk)), -1)) >= 0:
            if not _IMPORT.match(chunk) and not re.match(r"\s*(?:class|function|func|interface|type)\b", chunk):
                return False
            waiting.pop(place)
        elif not _adds(chunk, known) and _tokens(chunk) not in [_tokens(each) for each in old]:
            return False
    return not waiting


def _same_or_grown(old: str, new: str, fault: Fault) -> bool:
    before, after = _tokens(old), _tokens(new)
    if before == after:
        return True
    if not fault.attributes or not _CLASS.search(old) or len(after) <= len(before):
        return False
    # What was added is one piece, between members of what is declared here.
    for start in range(len(before) + 1):
        if before[:start] != after[:start]:
            return False
        end = len(after) - (len(before) - start)
        piece = after[start:end]
        at_members = sum((each == "{") - (each == "}") for each in before[:start]) == 1
        if at_members and before[start:] == after[end:] and _balanced(piece):
            lacking = bool(fault.attributes & set(piece))
            if lacking and not _MEDDLING & set(piece) and not fault.attributes & set(before):
                return True
    return False


def _balanced(tokens: list[str]) -> bool:
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
    if names & known.bound or _MEDDLING & set(_tokens(chunk)) - {"os"}:
        return False
    if _IMPORT.match(chunk):
        # A module under its own name is what that name would be; a name out of a path has it from there.
        quoted = re.findall(r"[\"']([^\"']*)[\"']", chunk)
        return not quoted or all(any(name in text for text in quoted) for name in names & known.used)
    return bool(names) and not names & known.used and not known.bound & set(_tokens(chunk))


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
    theirs = [_tokens(each) for each in old]
    fresh = [each for each in new if _IMPORT.match(each) and _adds(each, known) and _tokens(each) not in theirs]
    gone = [each for each in old if fault.imports and _IMPORT.match(each)]
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
