"""What a code of another language than Python works by and its test brings along, as far as signs tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from annotator.domain.declarations import (
    Declaration,
    blanked,
    closing_of,
    declarations,
    end_of_expression,
    names_of_parameters,
    texts,
)
from annotator.domain.subject import Subject
from annotator.domain.vocabulary import OF_LANGUAGE

# A name, and where in a code it begins and ends to be known.
_Binding = tuple[str, int, int]

# Who only tells of what is done does nothing of it.
_TELLS = re.compile(
    r"(?:sys)?log(?:s|f|ln|ger|gers|ging|ged)?|[fs]?print(?:s|f|ln|er|ing|ed)?|(?:warn|debug|trace|metric|notif|verbos)\w*"
    r"|progress\w*|stats?d?|echo|console"
)
_SCALAR = r"(?:[-+]?[\d.][\w.]*|true|false|null|nil|undefined|'[^'\n]*'|\"[^\"\n]*\")\s*(?:[;,)\n]|$)"
_LOADED = r"(?:await\s+)?(?:require|import)\s*\(\s*['\"][^'\"\n]*['\"]\s*\)(?:\.\w+)*\s*(?:[;,)\n]|$)"
_WORK = rf"=\s*+(?![=>])(?!{_SCALAR})(?!{_LOADED})"
# Whatever is given a name by a sign, declared there or before, as a field or as a part of what is seen everywhere.
_BOUND = re.compile(rf"(?:(?<![\w$.>])|(?<=\bglobalThis\.)|(?<=\bglobal\.)|(?<=\bwindow\.))(\w+)\s*{_WORK}")
# What stands there as the type of what is named, in TypeScript.
_TYPE_OF_BOUND = re.compile(r"(?<=\w)[?!]?[ \t]*+:\s*+[\w.$]++(?:\s*+[|&]\s*+[\w.$]++)*(?=\s*=(?![=>]))")
# The same with a type behind the name, and what is declared without a value and filled in by other means.
_TYPED = re.compile(rf"\b(?:const|let|var)\s+(\w+)\s*(?::[^=;\n]+|[ \t]+[^=;\n]+){_WORK}")
# By these a part of a test gives names without a sign of it: they stand in a text, or name what an object has.
_SCRIPT_MEDDLES = re.compile(r"\b(?:eval|globalThis|global|window|vm)\b|\bFunction\s*\(")
_MEDDLES = {
    "javascript": _SCRIPT_MEDDLES,
    "typescript": _SCRIPT_MEDDLES,
    "php": re.compile(
        r"\b(?:eval|create_function|include|require|include_once|require_once|define|class_alias"
        r"|spl_autoload_register)\b"
    ),
}
# By these it makes files that may be modules, or changes what a module is.
_MAKES_MODULES = re.compile(
    r"\.cache\b|\{[^{}]*\bcache\b[^{}]*\}\s*=|\b(?:_load|_resolveFilename|_extensions|registerHooks)\b"
    r"|\bregister\s*\(|\bmock\.module\b|\b(?:write|append|copy)File(?:Sync)?\b|\bwriteSync\b|\bcreateWriteStream\b"
    r"|\b(?:(?:sym)?link|rename|cp)(?:Sync)?\s*\(|\b(?:exec|spawn)(?:File)?(?:Sync)?\s*\("
)
_WRITES = re.compile(
    r"\b(?:file_put_contents|fwrite|fputs|copy|rename|symlink|link|exec|shell_exec|system|passthru)\s*\("
)
_INCLUDES = re.compile(r"\b(?:include|require)(?:_once)?\b")
_HEREDOC = re.compile(r"<<<\s*['\"]?(\w+).*?^\s*\1\b", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"[{,]\s*([A-Za-z_$][\w$]*)\s*(?=[:,}(])")
# What a code gives a meaning itself, so that nothing of its test stands there.
_ITS_OWN = {
    "java": re.compile(
        r"(?:\A|(?<=[;{}:])|\bfor\s*\(|\btry\s*\()\s*(?:@\w+\s+)*(?:(?:public|private|protected|static|final|volatile)\s+)*"
        r"(?!(?:return|throw|new|else|package|import|goto|assert|yield)\b)"
        r"[A-Za-z_][\w.]*(?:<[^;(){}=]*>)?(?:\s*\[\s*\])*\s+(\w+)\s*(?:\[\s*\]\s*)*(?=[;=,])"
    ),
    "javascript": re.compile(r"\b(?:const|let|var)\s+([\w$]+)"),
    "go": re.compile(r"\bvar\s+(\w+(?:\s*,\s*\w+)*)"),
}
_ITS_OWN["typescript"] = _ITS_OWN["javascript"]
# What has no value where it is declared.
_LATER = {
    "java": re.compile(r"(?:\A|(?<=[;{}\n]))\s*(?:\w+\s+){0,5}[\w.]+(?:<[^;(){}=]*>)?(?:\s*\[\s*\])*\s+(\w+)\s*;"),
    "go": re.compile(r"\bvar\s+(\w+)|^[ \t]+(\w+)[ \t]+[\w.*\[\]]+[ \t]*(?:\([^=\n]*)?$", re.MULTILINE),
}
_CAUGHT = re.compile(r"\bcatch\s*\([^()]{0,300}?(\w+)\s*\)\s*(?=\{)")
_GO_HEAD = re.compile(r"\bfunc\b([^{}]{0,2000})(?=\{)")
# What stands before a sign that binds several names at once, and how far it is looked for.
_GO_SEVERAL = re.compile(r"(?:\w+\s*,\s*)*\w+\s*\Z")
_SEVERAL = 200
_GO_NAMED = re.compile(r"[(,]\s*(\w+)(?=\s*,|\s+[\w.*\[(])")
# The same of a function without a name and of a loop.
_ARROW = {
    "java": re.compile(r"\(([^()]*)\)\s*->|(?<![\w$.])(\w+)\s*->"),
    "javascript": re.compile(r"\(([^()]*)\)\s*(?::[^=;{}()]*)?=>|(?<![\w$.])([\w$]+)\s*=>"),
}
_ARROW["typescript"] = _ARROW["javascript"]
_EACH = re.compile(r"\bfor\s*\([^():;]*?(\w+)\s*:")
_PARTS_OF_ITS_OWN = re.compile(r"\b(?:const|let|var)\s*+(?=[{\[])")
_PARTS_BOUND = re.compile(rf"\b(?:const|let|var)\s*([{{\[][^=]*[}}\]])\s*{_WORK}")
_CHANGED = re.compile(
    r"(?:require\(\s*['\"](?:node:)?([^'\"\n]+)['\"]\s*\)|^[ \t]*([A-Za-z_$][\w$]*))((?:\.[\w$]+)+)\s*" + _WORK,
    re.MULTILINE,
)
_IMPORTED = (
    re.compile(r"\b(?:const|let|var)\s+(\w+|\{[^}]*\})\s*=\s*require\(\s*['\"](?:node:)?([^'\"\n]+)['\"]"),
    re.compile(r"\bimport\s+(?:\*\s*as\s+)?(\w+|\{[^}]*\})\s*from\s*['\"](?:node:)?([^'\"\n]+)['\"]"),
)
_LOADS = re.compile(r"\brequire\(\s*['\"][^'\"\n]*['\"]\s*\)|\bfrom\s*['\"][^'\"\n]*['\"]")
_CLASS = re.compile(r"\bclass\s+(\w+)")
_INNER = re.compile(r"\bfunction\s*+\*?\s*+([\w$]+)")
# What every code of these languages has, so that a text which speaks of it brings nothing.
_OF_SCRIPTS = """
abstract as async await boolean break case catch class const constructor continue debugger declare default delete do
else enum export extends false finally for function if implements import in instanceof interface let namespace never
new null number private protected public readonly return static string super switch this throw true try type typeof
undefined unknown var void while with yield any AbortController AggregateError Array ArrayBuffer Atomics BigInt
BigInt64Array BigUint64Array Blob Boolean Buffer DataView Date Error EvalError Event EventTarget FinalizationRegistry
Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number
Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol SyntaxError
TextDecoder TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray
WeakMap WeakRef WeakSet WebAssembly atob btoa clearImmediate clearInterval clearTimeout console crypto decodeURI
decodeURIComponent encodeURI encodeURIComponent escape eval exports fetch global globalThis isFinite isNaN module
parseFloat parseInt performance process queueMicrotask require self setImmediate setInterval setTimeout
structuredClone unescape
"""
_EVERYWHERE = {
    "javascript": frozenset(_OF_SCRIPTS.split()),
    "typescript": frozenset(_OF_SCRIPTS.split()),
    "php": OF_LANGUAGE["php"],
}
_KEEPS = re.compile(r"(?:get|set|is|has)(?:[A-Z_]\w*)?|toString|equals|hashCode|compareTo|constructor|__\w+")


def tells(name: str) -> bool:
    """Whether one of the words of a name is one of those that tell of the work."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
    return any(_TELLS.fullmatch(word.lower()) for word in words)


def supplied_by_signs(subject: Subject, setup: str, tests: str) -> tuple[str, ...]:
    """The names by which a code works, and which only its test gives a meaning; see `supplied`.

    Args:
        subject: The code under test.
        setup: What stands before it.
        tests: What stands after it, where the test is a program.
    """
    language, parts = subject.language, (setup, tests)
    text = blanked(subject.code, language)
    places = [*_bindings(text, language), *_declared(subject, text)]
    places += [(name, 0, len(text)) for name in _modules(subject.code)]
    brought = {name for part in parts for name in _brought(part, language)}
    brought |= {name for part in parts for name in _made_at_run_time(subject.code, part, language)}
    found = {name for name in brought if _works_by(name, text, places)}
    if language in ("javascript", "typescript"):
        inner = [each for each in places if each[1:] != (0, len(text))]
        found |= _changed_in_script(subject.code, text, inner, parts)
        found |= _written_for_script(subject, text, inner, parts)
    return tuple(sorted(found))


def _brought(part: str, language: str) -> set[str]:
    """What a part of a test gives a meaning, but plain values, what is loaded, and what only keeps some."""
    found = declarations(part, language)
    working = {each.owner for each in found if each.owner and not _KEEPS.fullmatch(each.name)}
    brought = {each.name for each in found if not each.owner} | working
    brought |= {each.name for each in found if language == "java"} - {"main"}
    outside = _outside(part, found, language)
    if language == "typescript":
        outside = _TYPE_OF_BOUND.sub("", outside)
    for pattern in (_BOUND, _TYPED):
        brought |= set(pattern.findall(outside))
    if language in _LATER:
        later = {name for each in _LATER[language].findall(outside) for name in _each(each)}
        brought |= later & set(_BOUND.findall(part))
    brought |= {name for parts in _PARTS_BOUND.finditer(part) for name in re.findall(r"\w+(?=\s*[,}\]])", parts[1])}
    return brought - ({found[1] for found in _CLASS.finditer(part)} - working)


def _each(names: str | tuple[str, ...]) -> list[str]:
    return [name for name in ([names] if isinstance(names, str) else names) if name]


def _outside(part: str, found: Sequence[Declaration], language: str) -> str:
    """A part of a test; of Java and Go without what stands in functions, whose variables no other one sees."""
    if language in ("java", "go"):
        for each in found:
            part = part[: each.body] + " " * (each.end - each.body) + part[each.end :]
    return part


def _made_at_run_time(code: str, part: str, language: str) -> set[str]:
    """Names that a part of a test may bring without a sign of it: whatever its texts speak of, and its objects have."""
    meddles = _MEDDLES.get(language)
    text = blanked(part, language)
    if meddles is None or not (meddles.search(text) or _writes_what_is_included(code, text, language)):
        return set()
    spoken = texts(part, language)
    if language == "php":
        return _words(*spoken, *(found[0] for found in _HEREDOC.finditer(part))) - _EVERYWHERE[language]
    loaded = {name for name, module in _modules(part).items() if not module.startswith((".", "/"))}
    return (_words(*spoken) | set(_KEY.findall(text))) - _EVERYWHERE[language] - loaded


def _words(*spoken: str) -> set[str]:
    return {word for each in spoken for word in re.findall(r"[A-Za-z_]\w*", each)}


def _writes_what_is_included(code: str, text: str, language: str) -> bool:
    return (
        language == "php" and _WRITES.search(text) is not None and _INCLUDES.search(blanked(code, language)) is not None
    )


def _declared(subject: Subject, text: str) -> list[_Binding]:
    """The functions and classes of a code, and where each is known by its name alone."""
    language = subject.language
    script = language in ("javascript", "typescript")

    def known(name: str, place: int) -> _Binding:
        begin, end = _around(text, place) if script else (0, len(text))
        return name, begin, end

    found: list[_Binding] = []
    for each in declarations(subject.code, language):
        # A method is called on something, but in Java.
        if not each.owner or language == "java":
            found.append(known(each.name, each.start))
        if language != "php":
            found += [(name, each.start, each.end) for name in each.parameters]
    found += [known(name[1], name.start()) for name in _CLASS.finditer(text)]
    if script:
        found += [known(name[1], name.start()) for name in _INNER.finditer(text)]
    return [*found, (subject.entry_point, 0, len(text)), (subject.owner, 0, len(text))]


def _bindings(text: str, language: str) -> list[_Binding]:
    """Names that variables, functions without a name, loops and parts of a value bind in a code; texts are blanked."""
    if language == "php":
        # What begins with a stroke of its own is another name.
        return []
    found: list[_Binding] = []
    for bound in _ITS_OWN[language].finditer(text):
        named = re.findall(r"[\w$]+", bound[1])
        named += _listed(text, bound.end()) if language != "go" else []
        found += [(name, *_around(text, bound.end())) for name in named]
    if language in _ARROW:
        for arrow in _ARROW[language].finditer(text):
            names = names_of_parameters(arrow[1] or arrow[2] or "", language)
            found += [(name, arrow.start(), _end_of_arrow(text, arrow.end())) for name in names]
    found += [(each[1], each.start(), closing_of(text, each.end())) for each in _CAUGHT.finditer(text)]
    if language == "java":
        found += [(each[1], *_around(text, each.start())) for each in _EACH.finditer(text)]
    if language == "go":
        for bound in re.finditer(":=", text):
            before = _GO_SEVERAL.search(text[max(0, bound.start() - _SEVERAL) : bound.start()])
            names = re.findall(r"\w+", before[0]) if before else []
            found += [(name, *_around(text, bound.start())) for name in names]
        for head in _GO_HEAD.finditer(text):
            found += [(name, head.start(), closing_of(text, head.end())) for name in _GO_NAMED.findall(head[1])]
    if language in ("javascript", "typescript"):
        for parts in _PARTS_OF_ITS_OWN.finditer(text):
            names = re.findall(r"[\w$]+(?=\s*[,=}\]])", text[parts.end() : closing_of(text, parts.end()) + 1])
            found += [(name, *_around(text, parts.start())) for name in names]
    return found


def _listed(text: str, place: int) -> list[str]:
    """The names that are declared behind the first one, at a place where its own value may begin."""
    found: list[str] = []
    depth = 0
    for sign in re.compile(r"[(\[{]|[)\]}]|;|\n|,\s*([\w$]+)(?=\s*(?:[=,;:\n\[]|\Z))").finditer(text, place):
        depth += (sign[0] in "([{") - (sign[0] in ")]}")
        if depth < 0 or (depth == 0 and (sign[0] == ";" or (sign[0] == "\n" and not _goes_on(text, sign.start())))):
            break
        if depth == 0 and sign[1]:
            found.append(sign[1])
    return found


def _goes_on(text: str, place: int) -> bool:
    """Whether what stands at the end of a line goes on in the next one."""
    before, behind = text[max(0, place - _SEVERAL) : place].rstrip(), text[place : place + _SEVERAL].lstrip()
    return before[-1:] in tuple(",=+-*/?:&|(<>.") or behind[:1] in tuple(",=+-*/?:&|.<>")


def _around(text: str, place: int) -> tuple[int, int]:
    """Where the block begins and ends in which a place lies; the whole text where it lies in none."""
    opening = max((begin for begin, end in _blocks(text) if begin < place < end), default=-1)
    return (0, len(text)) if opening < 0 else (opening, closing_of(text, opening))


@lru_cache(maxsize=4)
def _blocks(text: str) -> tuple[tuple[int, int], ...]:
    places = (found.start() for found in re.finditer(r"\{", text))
    return tuple((place, end) for place in places if (end := closing_of(text, place)) >= 0)


def _end_of_arrow(text: str, place: int) -> int:
    """Where the body of a function without a name ends."""
    body = re.compile(r"\s*+\{").match(text, place)
    return closing_of(text, body.end() - 1) if body else end_of_expression(text, place)


def _changed_in_script(code: str, text: str, inside: list[_Binding], parts: tuple[str, ...]) -> set[str]:
    """Names of a code for modules, or things of the language, of which a part of a test changes something.

    Args:
        code: The code under test.
        text: The same, its texts blanked.
        inside: What it binds inside of its functions, which is nothing of the test's.
        parts: Setup and tests.
    """
    meant = _modules(code)
    spelled = {name: module for part in (code, *parts) for name, module in _modules(part).items()}
    found: set[str] = set()
    for change in (each for part in parts for each in _CHANGED.finditer(part)):
        root, path = change[2] or "", change[3].split(".")[1:]
        if root in ("module", "exports", "this", "self", "globalThis", "global", "window"):
            continue
        if path[0] == "prototype" and len(path) > 1:
            found |= {path[1]} if re.search(rf"\.{re.escape(path[1])}\s*\(", text) else set()
            continue
        module = change[1] or spelled.get(root, root)
        names = {name for name, other in meant.items() if other == module} | {module, root}
        found |= {name for name in names if name and name.isidentifier() and _works_by(name, text, inside)}
    return found


def _written_for_script(subject: Subject, text: str, inside: list[_Binding], parts: tuple[str, ...]) -> set[str]:
    """Names of a code for modules that a part of a test speaks of, where it writes files or changes what is loaded."""
    language = subject.language
    spoken = "\n".join(part for part in parts if _changes_modules(blanked(part, language)))
    spoken = _LOADS.sub(" ", spoken)
    code = "\n".join((*subject.imports, subject.code))
    return {
        name
        for name, module in _modules(code).items()
        if spoken.strip() and _works_by(name, text, inside)
        if module.startswith((".", "/")) or re.search(rf"['\"`./]{re.escape(module)}['\"`./]", spoken)
    }


def _changes_modules(text: str) -> bool:
    return any(pattern.search(text) for pattern in (_MAKES_MODULES, _SCRIPT_MEDDLES))


def _modules(text: str) -> dict[str, str]:
    """Which module each name stands for, or is a part of."""
    found: dict[str, str] = {}
    for pattern in _IMPORTED:
        for names, module in pattern.findall(text):
            found |= dict.fromkeys(re.findall(r"\w+(?=\s*(?:[,}]|$))", names), module)
    return found


def _works_by(name: str, text: str, bindings: Sequence[_Binding]) -> bool:
    """Whether a code takes something from what stands under a name, as far as its signs tell.

    Args:
        name: The name.
        text: The code, its texts blanked.
        bindings: What the code gives a meaning itself, and where.
    """
    own = [(begin, end) for other, begin, end in bindings if other == name]
    place = rf"(?:(?<![\w$.>:])|(?<=\.\.\.)){re.escape(name)}"
    for found in re.finditer(rf"{place}(?=\s*(?:\(|\.|::|->|\[|,|\)|;|\}}|\]|[-+*/%?&|:]|[=!]=)|[ \t]*(?:\n|$))", text):
        if any(begin <= found.start() <= end for begin, end in own):
            continue
        before = text[: found.start()].rstrip()
        if (
            text[found.end() :].lstrip()[:1] == ":"
            and text[found.end() :].lstrip()[:2] != "::"
            and before[-1:] in ("{", ",")
        ):
            # The name of a field.
            continue
        if re.search(r"\b(?:throw\s+new|throw|catch\s*\(|instanceof)$", before):
            continue
        alone = not before or before[-1] in ";{}"
        if alone and tells(name):
            continue
        return True
    return False
