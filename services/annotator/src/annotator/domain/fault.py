"""What an error says is lacking: only that may a repair supply."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MODULE = re.compile(r"""No module named ['"]([\w.]+)|Cannot find (?:module|package) ['"]([^'"\s]+)""")
_NAME_OF_MODULE = re.compile(r"cannot import name ['\"](\w+)['\"] from (?:partially initialized module )?['\"]([\w.]+)")
_ABSENT_IMPORT = re.compile(
    r"No module named|cannot import|Cannot find (?:module|package)|could not import|cannot be resolved|does not exist"
    r"|is not in std|no required module|not found|does not provide an export",
    re.IGNORECASE,
)
_UNDEFINED = re.compile(r"name ['\"](\w+)['\"] is not defined")
_ATTRIBUTE = re.compile(
    r"has no attribute ['\"](\w+)|undefined method [\w\\]+::(\w+)|Undefined property: [\w\\]+::\$(\w+)"
    r"|\.(\w+) is not a function|no field or method (\w+)|Property ['\"](\w+)['\"] does not exist"
    r"|symbol:\s+(?:method|variable) (\w+)|The method (\w+)\(|missing method (\w+)"
)
_FILE = re.compile(r"No such file or directory:? ['\"]([^'\"]+)['\"]")
_CALLED = re.compile(r"([\w.<>]+)\(\) (?:takes|missing|got|argument)")
_ARGUMENTS = re.compile(
    r"argument|parameter|positional|TypeError|await|coroutine|cannot be applied|incompatible types|not applicable",
    re.IGNORECASE,
)
_SURPLUS = re.compile(
    r"but \d+ (?:was|were|positional)|unexpected keyword|multiple values for|takes no arguments|too many arguments"
    r"|Expected \d+ arguments?, but got|cannot be applied|not applicable|Unknown named parameter",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What was lacking when a test did not run, as far as the error's words tell.

    Attributes:
        modules: Modules that were not there.
        members: By module the names that could not be imported from it.
        imports: Whether anything could not be imported.
        undefined: Names that stood for nothing.
        attributes: Attributes that a thing lacked.
        file: Path of a file that was not there; empty where none is told.
        called: Functions that were called in a way that is not theirs.
        arguments: Whether the error may lie in how something was called.
        surplus: Whether more was given than is taken.
        words: Every word of the error.
    """

    modules: frozenset[str] = frozenset()
    members: frozenset[tuple[str, str]] = frozenset()
    imports: bool = False
    undefined: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    file: str = ""
    called: frozenset[str] = frozenset()
    arguments: bool = False
    surplus: bool = False
    words: frozenset[str] = frozenset()


def fault_in(words: str) -> Fault:
    """What the words of an error tell.

    Example:
        >>> fault = fault_in("NameError: name 'Box' is not defined")
        >>> sorted(fault.undefined), fault.arguments
        (['Box'], False)
    """
    path = _FILE.search(words)
    return Fault(
        modules=_named(_MODULE, words),
        members=frozenset((module, name) for name, module in _NAME_OF_MODULE.findall(words)),
        imports=_ABSENT_IMPORT.search(words) is not None,
        undefined=_named(_UNDEFINED, words),
        attributes=_named(_ATTRIBUTE, words),
        file=path[1] if path else "",
        called=frozenset(part for name in _named(_CALLED, words) for part in name.split(".")),
        arguments=_ARGUMENTS.search(words) is not None,
        surplus=_SURPLUS.search(words) is not None,
        words=frozenset(re.findall(r"[\w$]+", words)),
    )


def _named(pattern: re.Pattern[str], words: str) -> frozenset[str]:
    return frozenset(group for found in pattern.finditer(words) for group in found.groups() if group)
