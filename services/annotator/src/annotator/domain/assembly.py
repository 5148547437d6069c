"""Programs of Java, Go, PHP, JavaScript and TypeScript put together from parts, as their compilers want them.

Imports go to the top, from wherever they stood; well-known ones are supplied; a bare method gets a class around it.
"""

from __future__ import annotations

import re

from annotator.domain.declarations import blanked
from annotator.domain.outside import heads, without, without_tags
from annotator.domain.subject import Subject

# The class around a method that has none.
CLASS = "Main"

# Importing a whole package costs nothing, and snippets rarely bring their imports.
_JAVA_PACKAGES = (
    "java.io", "java.math", "java.nio.charset", "java.nio.file", "java.text", "java.time", "java.util",
    "java.util.concurrent", "java.util.function", "java.util.regex", "java.util.stream",
)  # fmt: skip
_GO_PACKAGES = {
    path.rsplit("/", 1)[-1]: path
    for path in (
        "bufio", "bytes", "cmp", "container/heap", "container/list", "crypto/md5", "crypto/sha1", "crypto/sha256",
        "encoding/base64", "encoding/binary", "encoding/csv", "encoding/hex", "encoding/json", "errors", "fmt",
        "hash/fnv", "html", "io", "maps", "math", "math/big", "math/bits", "math/rand", "net", "net/url", "os", "path",
        "path/filepath", "reflect", "regexp", "slices", "sort", "strconv", "strings", "sync", "text/template", "time",
        "unicode", "unicode/utf8",
    )
}  # fmt: skip
_NODE_MODULES = ("assert", "buffer", "crypto", "events", "fs", "os", "path", "querystring", "url", "util", "zlib")

_JAVA_HEAD = re.compile(r"^[ \t]*(?:package\s+[\w.]+|import\s+(?:static\s+)?[\w.*]+)\s*;[ \t]*\n?", re.MULTILINE)
_GO_HEAD = re.compile(
    r"^[ \t]*(?:package\s+\w+|import\s*\([^)]*\)|import\s+(?:[\w.]+\s+)?\"[^\"]+\")[ \t]*;?[ \t]*\n?", re.MULTILINE
)
_NAMESPACE = re.compile(r"^[ \t]*namespace\s+[\w\\]+\s*;[ \t]*\n?", re.MULTILINE)
_DECLARE = re.compile(r"^[ \t]*declare\s*\(\s*strict_types\s*=\s*[01]\s*\)\s*;[ \t]*\n?", re.MULTILINE)
_METHOD = re.compile(r"(?<![\w$])(?:public|private|protected|static)\s+(?:static\s+|final\s+)*function\s+&?\s*\w+\s*\(")
_GO_IMPORT = re.compile(r"(?:(?<![\w.])(?!import\b)([\w.]+)[ \t]+)?\"([^\"]+)\"")


def assembled(subject: Subject, setup: str, tests: str) -> str:
    """The parts as one file; `tests` is empty where the entry point is called from outside."""
    body = body_of(subject)
    match subject.language:
        case "java":
            return _java(subject, setup, body, tests)
        case "go":
            return _go(subject, setup, body, tests)
        case "php":
            parts = (*subject.imports, setup)
            before, after = [_php(part) for part in parts], _php(tests)
            # By these a file begins, and what is put before the code would stand before them.
            first = [line.strip() for part in (*parts, subject.code, tests) for line in heads(_DECLARE, part, "php")]
            return _joined([" ".join(["<?php", *first[:1]]), *before, body, after])
        case _:
            return _script(subject, setup, body, tests)


def body_of(subject: Subject) -> str:
    """The code under test as it stands in a program: without its own imports, in a class where it needs one."""
    match subject.language:
        case "java":
            return without(_JAVA_HEAD, subject.code, "java").strip("\n")
        case "go":
            return without(_GO_HEAD, subject.code, "go").strip("\n")
        case "php":
            code = without(_NAMESPACE, _php(subject.code), "php")
            return f"class {CLASS} {{\n{code}\n}}" if _bare_method(code) else code
        case _:
            return subject.code.strip("\n")


def target_of(subject: Subject) -> str:
    """What the sandbox is told to call in an assembled program."""
    if subject.language == "php" and not subject.owner and _bare_method(subject.code):
        return f"{CLASS}.{subject.entry_point}"
    return subject.target


def _bare_method(code: str) -> bool:
    """Whether PHP code is a method that was cut out of its class."""
    text = blanked(code, "php")
    if re.search(r"\b(?:class|trait|enum|interface)\s+\w+[^{;]*\{", text):
        return False
    # Inside a function these words begin a closure, which has no name.
    return any(not _depth(text, found.start()) for found in _METHOD.finditer(text))


def _depth(text: str, place: int) -> int:
    return text.count("{", 0, place) - text.count("}", 0, place)


def _java(subject: Subject, setup: str, body: str, tests: str) -> str:
    parts = [*subject.imports, setup, subject.code, tests]
    found = [line.strip() for part in parts for line in heads(_JAVA_HEAD, part, "java")]
    own = [line for line in found if line.startswith("import")]
    own += [f"{line.strip().rstrip(';')};" for line in subject.imports if line.strip().startswith("import")]
    imports = [*dict.fromkeys(own), *(f"import {package}.*;" for package in _JAVA_PACKAGES)]
    before, after = (without(_JAVA_HEAD, part, "java").strip("\n") for part in (setup, tests))
    has_class = re.search(r"\b(?:class|interface|enum|record)\s+\w+", blanked(body, "java"))
    if not has_class:
        return _joined([*imports, f"public class {CLASS} {{", before, body, after, "}"])
    # Tests are members: they get a class of their own beside that of the code.
    members = after and not re.search(r"\bclass\s+\w+", blanked(after, "java"))
    if members:
        body = re.sub(
            r"^public\s+(?=(?:final\s+|abstract\s+)*(?:class|interface|enum|record)\b)", "", body, flags=re.MULTILINE
        )
    return _joined([*imports, before, body, f"class {CLASS}Test {{\n{after}\n}}" if members else after])


def _go(subject: Subject, setup: str, body: str, tests: str) -> str:
    # Each import by the names under which it may be used.
    wanted: dict[str, frozenset[str]] = {}
    for part in (*subject.imports, setup, subject.code, tests):
        head = "\n".join(heads(_GO_HEAD, part, "go")) if part not in subject.imports else part
        for name, path in _GO_IMPORT.findall(head):
            wanted[f'{name} "{path}"'.strip()] = frozenset((name,)) if name else _go_names(path)
    before, after = (without(_GO_HEAD, part, "go").strip("\n") for part in (setup, tests))
    text = blanked(_joined([before, body, after]), "go")
    used = set(re.findall(r"(?<![\w.)])(\w+)\.[A-Z]", text))
    declared = set(re.findall(r"\b(\w+)\s*:?=(?!=)|\bvar\s+(\w+)", text))
    taken = {name for pair in declared for name in pair}
    for name in sorted(used.difference(taken, *wanted.values())):
        if name in _GO_PACKAGES:
            wanted[f'"{_GO_PACKAGES[name]}"'] = frozenset((name,))
    # An import that nothing uses is an error in Go.
    kept = sorted(line for line, names in wanted.items() if names & (used | {"_", "."}))
    block = "import (\n" + "".join(f"\t{line}\n" for line in kept) + ")" if kept else ""
    return _joined(["package main", block, before, body, after])


def _go_names(path: str) -> frozenset[str]:
    """What a package may be called that is imported from a path: how its folder is called, or a part of that.

    Example:
        >>> sorted(_go_names("gopkg.in/yaml.v3")), "lru" in _go_names("example.org/golang-lru/v2")
        (['yaml', 'yaml.v3'], True)
    """
    *before, last = path.split("/")
    if before and re.fullmatch(r"v\d+", last):
        last = before[-1]
    plain = re.sub(r"\.v\d+$", "", last)
    return frozenset(
        (last, plain, plain.replace("-", "_"), plain.replace("-", ""), *plain.split("-"), *plain.split("."))
    )


def _script(subject: Subject, setup: str, body: str, tests: str) -> str:
    text = blanked(_joined([*subject.imports, setup, body, tests]), "javascript")
    whole = _joined([*subject.imports, setup, body, tests])
    modern = re.search(r"^[ \t]*(?:import|export)\b", text, re.MULTILINE)
    lines = [
        f'import {name} from "node:{name}";' if modern else f'const {name} = require("node:{name}");'
        for name in _NODE_MODULES
        if re.search(rf"(?<![\w.$]){name}\s*(?:\.\w|\()", text) and not _binds(name, whole)
    ]
    return _joined([*lines, *subject.imports, setup, body, tests])


def _binds(name: str, text: str) -> bool:
    return bool(
        re.search(rf"\b(?:const|let|var|function|class)\s+{name}\b|\bimport\s+(?:\*\s+as\s+)?{name}\b", text)
        or re.search(rf"[(,{{]\s*{name}\s*(?:[,)=}}]|=>)", text)
    )


def _php(text: str) -> str:
    return without(_DECLARE, without_tags(text), "php").strip("\n")


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
