"""What an author wrote about a function, as plain text: sections taken apart, markup gone, nothing invented.

A docstring is sufficient for the track `described` by stated rules (`gaps`); what has gaps is shown
apart as `by_example`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pbt_generator.domain.inputs.inference.docstrings import cleaned, goes_on, read_docstring
from pbt_generator.domain.oracle.syntax import is_call_of
from pbt_generator.domain.task.wording.speaking import silent

LEAST_WORDS = 5
# So many words for each decision of the function; a docstring with fewer names what it does and leaves open how.
# Set on the 31 tasks of two draws that were read cold, see docs/tasks.md.
WORDS_A_DECISION = 6

_HEADER = re.compile(
    r"^(?P<name>Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Other Parameters|Returns?|Return value"
    r"|Yields?|Raises|Examples?|Usage|Notes?|See Also|References|Warnings?|Attributes|Todo|Inputs?|Output"
    r"|Type Parameters|Complexity|Explanation|Authors?)\s*:?\s*$",
    re.IGNORECASE,
)
_FIELD = re.compile(r"^\s*[:@](?P<name>\w+)(?P<argument>[^:]*):\s*(?P<text>.*)$")
_FIELD_NAMES = {
    "param", "parameter", "arg", "argument", "key", "keyword", "type", "return", "returns", "rtype", "raise", "raises",
    "except", "exception", "yield", "yields", "ytype", "var", "ivar", "cvar", "meta",
}  # fmt: skip
# An error and when it is raised: in a section, or behind `:raises`.
_ERROR = re.compile(
    r"^\s{0,8}:?\s*`*(?:[\w.]*(?:Error|Exception|Warning)|[A-Z]\w+|\w+(?=\s*:))`*\s*(?::\s*(?P<text>.*))?$"
)
# A place of the result with its type, as a section on it names them; how such a line is kept.
_PLACE = re.compile(r"^(?P<name>[A-Za-z_]\w*)\s*:\s*\S.*$")
_PLACED = "\0"
# A parameter as a section in NumPy's form names it, and not the beginning of a sentence.
_ITEM = re.compile(r"^[*`]*[\w.]+`*(?:\s*,\s*[*`]*[\w.]+`*)*\s*(?:[:(\[{<=-].*)?$")
# Kinds as authors name them, and what may stand between them.
_KINDS = {
    "str", "string", "text", "unicode", "basestring", "char", "int", "integer", "long", "float", "double", "number",
    "numeric", "real", "decimal", "complex", "bool", "boolean", "list", "tuple", "dict", "dictionary", "mapping",
    "map", "set", "frozenset", "sequence", "iterable", "iterator", "generator", "array", "array_like", "ndarray",
    "bytearray", "byte", "datetime", "date", "time", "timedelta", "path", "file", "object", "any", "none",
    "nonetype", "callable", "function", "type", "series", "dataframe", "union", "literal",
}  # fmt: skip
# What a kind in brackets holds, whatever its names.
_HELD = re.compile(r"(?<=\w)\[[^:]*\]")
_BETWEEN = {"a", "an", "the", "of", "or", "and", "optional", "new", "none", "like"}
# A class of some package; `True`, `None` and words that open a sentence are none.
_CLASS = re.compile(r"(?:\w+\.)+[A-Za-z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*")
_RULER = re.compile(r"^\s*(?:-{3,}|={3,}|~{3,})\s*$")
_DIRECTIVE = re.compile(r"^(?P<margin>\s*)\.\.\s+(?P<name>[\w-]+)::\s*(?P<rest>.*)$")
_SAID = {"note": "Note: ", "warning": "Warning: ", "tip": "", "important": "", "caution": "", "attention": ""}
_DROPPED = {
    "versionadded",
    "versionchanged",
    "deprecated",
    "version-deprecated",
    "versionremoved",
    "seealso",
    "todo",
    "index",
    "plot",
    "image",
    "figure",
}
# Behind these stands the name of a language, a page or an option, and no words.
_WITHOUT_WORDS = {
    "code", "code-block", "sourcecode", "parsed-literal", "highlight", "doctest", "testsetup", "testcode", "testoutput",
    "ipython", "jupyter-execute", "module", "currentmodule", "class", "container", "contents", "toctree", "raw", "only",
    "role", "default-role", "default-domain", "include", "literalinclude", "graphviz", "bibliography", "sectionauthor",
    "moduleauthor", "codeauthor", "autosummary", "automodule", "autoclass", "autofunction", "automethod", "autodata",
    "autoattribute", "tab", "tabs", "tags", "meta", "legacy",
}  # fmt: skip
_ROLE = re.compile(r":[\w:+.-]+:`~?(?P<inner>[^`]+)`")
# A role that goes on in the next line.
_LONG_ROLE = re.compile(r":[\w:+.-]+:`[^`\n]+\n[^`\n]+`")
_DOUBLED = re.compile(r"``(?P<inner>(?:(?!``).)+)``")
# Markup of Epytext.
_EPYTEXT = re.compile(r"(?<![\\\w])(?P<how>[LCMIBU])\{(?P<inner>[^{}\n]+)\}")
_TARGET = re.compile(r"^(?P<shown>.*?)\s*<[^<>]*>$")
# What authors remind themselves of: the line, what is set in below it, and what goes on with its sentence.
_REMINDER = re.compile(
    r"(?m)^(?P<margin>[ \t]*)(?:@todo\b|(?:TODO|FIXME|XXX|HACK)(?:\([^)\n]*\))?[ \t]*[:-]).*"
    r"(?:\n(?P=margin)[ \t]+\S.*|(?<![.!?:])\n[ \t]*[a-z(].*)*"
)
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.)(?:\s|$)")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")
_SAYS_WHAT = re.compile(
    r"\b(?:returns?|gets?|gives?|yields?|comput|calculat|convert|pars|format|split|join|find|counts?\b|check|test|determin"
    r"|extract|creat|make|build|generat|normali[sz]|strip|remov|replac|merg|sort|filter|escap|quot|encod|decod|translat"
    r"|transform|maps?\b|appl|produc|round|truncat|pads?\b|wrap|group|select|choos|compar|validat|clean|whether|true if"
    r"|is\b|are\b|combin|flatten|insert|append|turn|render|print|writ|read|interpret|resolv|expand|shorten|reduc|sum"
    r"|add|subtract|multipl|divid|invert|revers|rotat|shift|match|search|look|tells?\b|tak|ensure|coerc|cast|guess|infer"
    r"|estimat|measur|list|cuts?\b|indent|dedent|lower|upper|capitali|swap|align|cent(?:er|re)|fill|hash|sanit|describ|represent|unescap|unquot|trim|collaps|drop|keep|swap|partition|chunk|batch|pick)",
    re.IGNORECASE,
)


# Words that stand for what an enumeration leaves out.
_UNFINISHED = re.compile(r"\betc\b\.?|\band so (?:on|forth)\b|\bamong others\b|(?<=\w, )\.\.\.(?!\w)", re.IGNORECASE)


@dataclass(frozen=True)
class Prose:
    """A docstring in plain words.

    Attributes:
        text: Summary and paragraphs; examples as they stand.
        parameters: Meaning of each parameter that has one.
        returns: What comes back; of what is yielded, what each item of the result is.
        raises: When an error is raised, a phrase for each kind of error.
        neutral: The words belong to no language already, so that what looks like one's stands for itself.
    """

    text: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    returns: str = ""
    raises: tuple[str, ...] = ()
    neutral: bool = False


def read_prose(docstring: str) -> Prose:
    """Take a docstring apart and its markup away.

    Example:
        >>> read_prose("Join ``parts``.\\n\\n:param parts: texts\\n:returns: one text").returns
        'one text'
    """
    clean = _REMINDER.sub("", cleaned(docstring))
    kept: list[str] = []
    given: dict[str, list[str]] = {"returns": [], "yields": []}
    raises: list[str] = []
    section, margin, ruled, field_above = "", 0, False, False
    lines = clean.splitlines()
    for number, line in enumerate(lines):
        stripped = line.strip()
        depth = len(line) - len(line.lstrip())
        below = lines[number + 1] if number + 1 < len(lines) else ""
        header = _HEADER.match(stripped)
        fielded = _FIELD.match(line)
        under_ruler = bool(_RULER.match(below)) and not _RULER.match(line)
        # What is set in below an example is a part of it: its own output says nothing of what the function returns.
        within = section == "text" and not ruled and depth > margin and not under_ruler
        if header and not within and (under_ruler or stripped.endswith(":")):
            section, margin, ruled = _section(header["name"], ruled=under_ruler), depth, under_ruler
            if section == "text":
                kept.append(f"{header['name'].capitalize()}:")
            continue
        if under_ruler and stripped and not depth and any(kept):
            section, margin, ruled = "text", 0, True
            kept.append(stripped if stripped[-1] in ".:!?" else f"{stripped}:")
            continue
        if _RULER.match(line) and (section or kept):
            continue
        if fielded and fielded["name"].lower() in _FIELD_NAMES:
            section, margin, ruled, field_above = _section(fielded["name"], field=True), depth, False, True
            if section in given:
                given[section].append(fielded["text"])
            elif section == "raises":
                raises.append(f"{fielded['argument']}: {fielded['text']}")
            continue
        field_above = field_above and goes_on(line)
        if section and stripped and depth <= margin and not ruled and not field_above:
            section = ""
        if section == "parameters" and ruled and depth <= margin and not (lines[number - 1].strip() or _is_item(line)):
            section = ""
        if section in ("", "text"):
            kept.append(line)
        elif section == "raises":
            raises.append(line)
        elif section in given and not (ruled and stripped and depth < _depth(below) and _names_result(stripped)):
            # Where text stands deeper below a line, the line names the result or its type.
            given[section].append(stripped)
        elif section in given and (place := _PLACE.match(stripped)):
            given[section].append(f"{_PLACED}{place['name']}")
    words = {name: _plain(text) for name, text in read_docstring(docstring).words.items() if text.strip()}
    text = re.sub(r"\n{3,}", "\n\n", _plain("\n".join(kept))).strip()
    returned, yielded = (
        _return_words(_plain(_in_places([part for part in lines if part]))) for lines in given.values()
    )
    # A case has all that is yielded as one sequence.
    returned = " ".join(filter(None, (returned, yielded and f"Each item: {yielded}")))
    return Prose(text, words, returned, tuple(map(_plain, _conditions(raises))))


def _in_places(lines: Sequence[str]) -> str:
    """The words of a returns section; where it names several places of the result, each with its name."""
    named = sum(line.startswith(_PLACED) for line in lines)
    told: list[str] = []
    for line in lines:
        if not line.startswith(_PLACED):
            told.append(line)
        elif named > 1:
            told.append(f"{'; ' if told else ''}`{line.removeprefix(_PLACED)}`:")
    return re.sub(r"\.? ; ", "; ", " ".join(told))


def _conditions(lines: Sequence[str]) -> list[str]:
    """When errors are raised: the words of a section on them, or of fields, without the names of the errors.

    Example:
        >>> _conditions(["ValueError: if *n* is negative", "    or too large", "TypeError", "    if it is no number"])
        ['if *n* is negative or too large', 'if it is no number']
    """
    found: list[str] = []
    for line in lines:
        item = _ERROR.match(line)
        if item:
            found.append(item["text"] or "")
        elif found and line.strip():
            found[-1] = f"{found[-1]} {line.strip()}".strip()
    told = (re.sub(r"^(?:If|When|Unless|On|For)\b", lambda word: word[0].lower(), text.rstrip(".")) for text in found)
    return [text for text in told if len(_WORD.findall(text)) > 1]


def _depth(line: str) -> int:
    """The margin of a line; none of an empty one."""
    return len(line) - len(line.lstrip()) if line.strip() else 0


def without_doctests(text: str) -> str:
    """Words without their examples, each of which goes up to an empty line.

    Example:
        >>> without_doctests("Adds.\\n\\n>>> add(1)\\n2\\n\\nAll of them.")
        'Adds.\\n\\n\\nAll of them.'
    """
    kept: list[str] = []
    inside = False
    for line in text.splitlines():
        inside = bool(line.strip()) and (inside or bool(_DOCTEST.match(line)))
        kept += [] if inside else [line]
    return "\n".join(kept)


def _section(name: str, *, ruled: bool = False, field: bool = False) -> str:
    """What becomes of a section.

    Args:
        name: Its name.
        ruled: A ruler stands below it.
        field: It is a field of reST.
    """
    lowered = name.lower()
    if lowered.startswith("return") or lowered == "output":
        return "returns"
    if lowered.startswith("yield"):
        return "yields"
    if lowered.startswith(("raise", "except")):
        return "raises"
    if field:
        return "dropped"
    # Of these the reader of docstrings takes those alone apart that have a ruler.
    if lowered in ("input", "inputs", "other parameters") and not (ruled and lowered != "input"):
        return "text"
    if lowered.startswith(("arg", "param", "keyword", "input", "other")):
        return "parameters"
    told = lowered.startswith(("example", "note", "usage", "warning", "complexity", "explanation"))
    return "text" if told else "dropped"


def _is_item(line: str) -> bool:
    """Whether a line names a parameter, as a section in NumPy's form does, and begins no sentence.

    Example:
        >>> [_is_item(line) for line in ("a, b : float", "*more", "x", "Only the ends are cut.", "These are removed:")]
        [True, True, True, False, False]
    """
    return len(line.split()) < 3 or _ITEM.match(line.strip()) is not None


def _names_result(line: str) -> bool:
    """Whether a line above deeper text names the result or its type, and neither announces it nor goes on there.

    Example:
        >>> [_names_result(line) for line in ("out : ndarray of a, b", "tuple of int", "The place of a match, or")]
        [True, True, False]
        >>> [_names_result(line) for line in ("One of these:", "int:", "lo, hi", "Number of parts")]
        [False, True, True, True]
    """
    if line.endswith(":"):
        return _is_type(line[:-1]) or len(line.split()) == 1
    return not re.search(r"(?:[,;]|\b(?:a|an|and|as|at|by|for|from|if|in|is|of|or|that|the|to|when|where|with))$", line)


def _return_words(text: str) -> str:
    """The words of a returns section without the type that opens it.

    Example:
        >>> _return_words("list[str]: the parts"), _return_words("False where it ends with one of these: a, b")
        ('the parts', 'False where it ends with one of these: a, b')
    """
    opening = re.match(r"(?P<type>[^:\n]{1,60}):\s+(?=\S)", text)
    return (text[opening.end() :] if opening and _is_type(opening["type"]) else text).strip()


def _is_type(text: str) -> bool:
    """Whether words name a kind of value, and say nothing of it.

    Example:
        >>> [_is_type(text) for text in ("int or None", "A list of str", "a.Box", "True", "lo", "The number of parts")]
        [True, True, True, False, False, False]
    """
    if re.search(r"['\"]", text):
        return False
    text = _HELD.sub("", text)
    names = re.findall(r"[\w.]+", text)
    kinds = [name for name in names if name.lower() not in _BETWEEN]
    return bool(kinds) and all(name.lower().removesuffix("s") in _KINDS or _CLASS.fullmatch(name) for name in kinds)


def _plain(text: str) -> str:
    """reST and doubled backticks as plain text; examples stay as they stand."""
    found: list[str] = []
    dropped = -1
    text = _LONG_ROLE.sub(lambda role: " ".join(role[0].split()), text)
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        if dropped >= 0 and (not line.strip() or depth > dropped):
            continue
        dropped = -1
        directive = _DIRECTIVE.match(line)
        if directive:
            name = directive["name"].lower()
            if name in _DROPPED:
                dropped = depth
            elif name not in _WITHOUT_WORDS and (told := f"{_SAID.get(name, '')}{directive['rest']}"):
                # A formula, a title, or what a directive says that nobody here knows.
                found.append(f"{directive['margin']}{told}".rstrip())
            continue
        found.append(line if _DOCTEST.match(line) else _unmarked(line))
    return "\n".join(found)


def _unmarked(line: str) -> str:
    line = _ROLE.sub(lambda found: f"`{_shown(found)}`", line)
    line = _DOUBLED.sub(lambda found: f"`{found['inner']}`", line)
    line = _EPYTEXT.sub(lambda found: found["inner"] if found["how"] in "IBU" else f"`{_shown(found)}`", line)
    return re.sub(r"(?<=\S)::\s*$", ":", line)


def _shown(found: re.Match[str]) -> str:
    inner = found["inner"]
    target = _TARGET.match(inner)
    if target:
        return target["shown"]
    return inner.rpartition(".")[2] if found.group().find("`~") >= 0 else inner


def absent_names(
    prose: Prose, entry_point: str, places: Sequence[str], named: Sequence[str], given: Sequence[str]
) -> list[str]:
    """Parameters that words or their examples speak of, and that cases never give: who reads of them is misled.

    A parameter that takes a function, or all further named arguments, is left to its default.

    Args:
        prose: The words.
        entry_point: The function's name.
        places: Names of the function's parameters that have a place, in order.
        named: Names of its other ones.
        given: Names of those that cases give.

    Example:
        >>> absent_names(Prose("Count what passes *test*.\\n\\n>>> count([1], len)"), "count", ["xs", "by"], [], ["xs"])
        ['by']
    """
    spoken = "\n".join([*(line for line in prose.text.splitlines() if not _DOCTEST.match(line)), prose.returns])
    used: set[str] = set()
    for source in read_docstring(prose.text).calls:
        try:
            calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        except (SyntaxError, ValueError):
            continue
        for call in (each for each in calls if is_call_of(each, entry_point)):
            used |= {*places[: len(call.args)], *(keyword.arg or "" for keyword in call.keywords)}
    documented = [name for name in prose.parameters if len(name) > 2 and name.isidentifier() and name.islower()]
    return [
        name
        for name in dict.fromkeys((*places, *named, *documented))
        if name not in given and (name in used or re.search(rf"\b{re.escape(name)}\b", spoken))
    ]


def gaps(
    prose: Prose, parameters: Sequence[str], untold: Sequence[object], contradicted: Iterable[str] = (),
    absent: Iterable[str] = (), against: Iterable[str] = (), entry_point: str = "", decisions: int = 0,
) -> list[str]:  # fmt: skip
    """Why words are not enough to write the function from, a phrase each; none for a description.

    They are enough when they hold at least five words, and six for each decision of the function, say what comes back,
    speak of every parameter (a single one may go unnamed, and one of a single letter) and of none that cases do not
    give, leave no deciding value unexplained, enumerate to the end, and agree with the cases: no example, kind or
    default in them is another there. A method whose object became a map is told by examples only, unless its words say
    what that map is.

    Args:
        prose: The words.
        parameters: Names of the parameters that cases give.
        untold: Values that decide and of which neither words, rules nor examples say what they are for.
        contradicted: Examples of the docstring that the cases contradict.
        absent: Parameters that the words speak of and that cases do not give.
        against: What the words say of kinds and defaults and cases do not show, or where the cases show no kind.
        entry_point: The function's name, by which examples call it.
        decisions: How often the function decides: its cyclomatic complexity less one.
    """
    found: list[str] = []
    spoken = "\n".join(line for line in prose.text.splitlines() if not _DOCTEST.match(line))
    words = len(_WORD.findall(f"{spoken} {prose.returns}"))
    if words < LEAST_WORDS:
        found.append("it has hardly any words")
    elif (
        words + len(_WORD.findall(" ".join([*prose.parameters.values(), *prose.raises]))) < WORDS_A_DECISION * decisions
    ):
        found.append(f"it has few words for {decisions} decisions")
    if not prose.returns and not _SAYS_WHAT.search(spoken):
        found.append("it does not say what comes back")
    unsaid = silent(prose.parameters, f"{spoken} {prose.returns}", parameters, prose.text, entry_point)
    unsaid = [name for name in unsaid if len(name) > 1]
    if unsaid and len(parameters) > 1:
        found.append(f"it does not speak of {', '.join(unsaid)}")
    if untold:
        found.append(f"{len(untold)} values that decide are explained nowhere")
    if unfinished := _UNFINISHED.search(f"{spoken} {prose.returns}"):
        found.append(f"it enumerates something and does not say all of it ({unfinished[0]})")
    if parameters[:1] in (["self"], ["cls"]) and not prose.parameters.get(parameters[0]):
        found.append(f"it is a method, and nothing tells what its {parameters[0]} is")
    found.extend(f"its example {each} contradicts a case" for each in contradicted)
    found.extend(f"it speaks of {name}, which is not given here" for name in absent)
    found.extend(against)
    return found
