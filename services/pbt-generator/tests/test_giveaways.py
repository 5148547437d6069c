"""Lines of a program go out of the words on it, and words stay: also those that many programs hold."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.task.wording.giveaways import leaks, own_lines, without_lines
from pbt_generator.domain.task.wording.operations import operation_rules
from pbt_generator.domain.task.wording.prose import Prose, read_prose

HELPED = '''
class NoMark(Exception):
    """Where it ends; an empty mark stands for a blank."""


class Mark:
    """Marks that end a head; an empty mark stands for a blank."""

    def shown(self):
        """Text to be cut, blanks at its ends included."""
        return self.mark + " "


def _head(text, mark):
    """Give the head.

    Parameters
    ----------
    text : str
        Text to be cut, blanks at its ends included.
    mark : str
        Where it ends; an empty mark stands for a blank.
    """
    return text.partition(mark or " ")[0]


def heads(text, mark):
    """Give the heads of all lines.

    Marks that end a head; an empty mark stands for a blank.

    Parameters
    ----------
    text : str
        Text to be cut, blanks at its ends included.
    mark : str
        Where it ends; an empty mark stands for a blank.
    """

    def own(line):
        """Where it ends; an empty mark stands for a blank."""
        return _head(line, mark)

    return [own(line) for line in text.splitlines()]
'''


def test_what_a_docstring_of_a_helper_says_is_no_line_of_the_program() -> None:
    """A meaning that a helper shares was lost, and every line of an operation's docstring but the first."""
    entry = next(node for node in ast.parse(HELPED).body if getattr(node, "name", "") == "heads")
    assert isinstance(entry, ast.FunctionDef)
    prose = read_prose(ast.get_docstring(entry) or "")
    assert without_lines(prose, own_lines(HELPED, "heads")) == prose
    assert "return text.partition(mark or ' ')[0]" in own_lines(HELPED, "heads").telling


STORE = '''
class Store:
    def __init__(self, size):
        self.size = size

    def put(self, key, value=0):
        """Keep a value.

        The one that was used longest ago makes way for it.

        >>> Store(1).put("a")
        1

        A key that is there moves to the end.

        Args:
            key: What to look for.

        Returns:
            The size.
        """
        return self.size

    @property
    def left(self):
        """How many fit.

        None are refused.
        """
        return self.size


def store_operations(operations, size):
    driven = Store(size)
    methods = {"put": driven.put, "left": lambda: driven.left}
    return [deepcopy(methods[name](*given)) for name, *given in operations]
'''


def test_all_words_of_an_operation_are_told() -> None:
    lines = operation_rules(STORE, "store_operations", portable=False)[1].splitlines()
    assert lines[1:] == [
        "- `put`, arguments `key`, `value` (may be left out, then 0): Keep a value. The one that was used longest ago "
        "makes way for it. A key that is there moves to the end. `key`: What to look for. The size.",
        "- `left`: How many fit. None are refused.",
    ]


EVERYDAY = """def is_code(text, items, low, high):
    result = None
    if not text:
        return False
    for item in items:
        if item is None:
            return low, high
        if low == 0:
            raise ValueError('none of them')
        result = item if result is None else result
    if high < 0:
        return 'minus'
    while items:
        return set()
    return [value for value in items if value] or result
"""


@pytest.mark.parametrize(
    "words",
    [
        "A text that is empty or begins with a digit will return False.",
        "For what is empty it will\n\nreturn False\n\nand else the truth.",
        "Sets and maps return (low, high), in this order.",
        "If it is below zero: return 'minus', else the values.",
        "What has no item will return set().",
        "The loop goes on, for item in items: each is looked at once.",
        "Without one it will raise ValueError('none of them').",
        "It says return result.",
        "if low == 0: an error",
        "Here result = None means that there is nothing.",
        "if item is None:\n    both ends.",
    ],
)
def test_what_many_programs_hold_is_words(words: str) -> None:
    """A rule vanished from the description, and its task ranked as described."""
    prose = Prose(words, {"text": words}, words, (words,))
    assert without_lines(prose, own_lines(EVERYDAY, "is_code")) == prose
    assert leaks(words, EVERYDAY, "is_code", "") == []


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("Cut.\n\n    if not text:\n        return False\n\nAll.", "Cut.\n\nAll."),
        ("Cut.\n\n    if high < 0:\n        return 'minus'\n    while items:\n        return set()", "Cut."),
        ("Cut.\n\n- `if not text:`\n- `return False`\n\nAll.", "Cut.\n\nAll."),
        ("So:\n    return [value for value in items if value] or result\nAll.", "So:\nAll."),
        ("It does return [value for value in items if value] or result, mostly.\nAll.", "All."),
        ("So:\n    result = item if result is None else result\nAll.", "So:\nAll."),
    ],
)
def test_what_tells_how_a_program_works_goes_and_so_do_lines_of_it_that_stand_together(words: str, left: str) -> None:
    assert without_lines(Prose(words), own_lines(EVERYDAY, "is_code")).text == left
    assert leaks(words, EVERYDAY, "is_code", "") != []
    assert leaks(words, EVERYDAY, "is_code", words) == []


def test_a_call_with_arguments_tells_how_a_program_works() -> None:
    source = "def is_code(text):\n    if not text:\n        return False\n    return text.isalnum()\n"
    assert leaks("An empty text will return False.", source, "is_code", "") == []
    assert leaks("Others return text.isalnum().", source, "is_code", "") == ["return text.isalnum()"]


MARKS = r"""def shelf_mark(name, width):
    if (len(name) > width):
        return name[:width].replace("a", "e") + "*"
    elif width*2 > len(name):
        return re.sub(
            r"\d", "0x" "y",
            name,
        )
    return name.upper() . replace("\x2d", '_')
"""


@pytest.mark.parametrize(
    "copied",
    [
        '    return name[:width].replace("a", "e") + "*"',
        "return (name[ : width].replace('a','e')+'*')",
        "- `if (len(name) > width):`",
        "if len(name)>width :",
        "if (width * 2) > len(name):",
        'return re.sub(\n        r"\\d", "0x" "y",\n        name,\n    )',
        "return re.sub('\\\\d', '0xy', name)",
        'return name.upper().replace("\\x2d", "_")',
        "return name.upper().replace('-', '_')",
    ],
)
def test_a_line_of_a_program_is_one_however_it_is_spelt(copied: str) -> None:
    """Its author has other quotes, brackets and lines than a parser writes, and so has a model that copies them."""
    assert leaks(f"Marks a name.\n\n{copied}\n\nAll.", MARKS, "shelf_mark", "Marks a name.")
    assert leaks(f"Marks a name.\n\n{copied}\n\nAll.", MARKS, "shelf_mark", f"So: {copied}") == []
    left = without_lines(Prose(f"Marks a name.\n\n{copied}\n\nAll."), own_lines(MARKS, "shelf_mark"))
    assert left.text == "Marks a name.\n\nAll."


@pytest.mark.parametrize(
    "words",
    [
        "Returns the upper name, replaced.",
        "If the length of name (a text) is above width: the first (width) characters.",
        "If twice the width is above the length (of the name), others return re.sub of it.",
        ">>> shelf_mark('a', 2)\n'A'",
    ],
)
def test_words_with_the_same_names_are_none(words: str) -> None:
    assert leaks(words, MARKS, "shelf_mark", "") == []
    assert without_lines(Prose(words), own_lines(MARKS, "shelf_mark")).text == words


GROUPED = """
def largest(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    best = max(groups.values(), key=len)
    return [row for row in best if row.get("on")]
"""


@pytest.mark.parametrize(
    ("words", "given_away"),
    [
        ("So: g = {}\n\n    b = max(g.values(), key=len)\n    return [r for r in b if r.get('on')]", True),
        ("So:\n\n    for r in rows: g.setdefault(r[key], []).append(r)\n    b = max(g.values(), key=len)", True),
        # One line may be so by chance, and names that change from place to place are another program's.
        ("The longest: b = max(g.values(), key=len)", False),
        ("b = max(g.values(), key=len)\n\nreturn [r for s in b if t.get('on')]", False),
    ],
)
def test_a_program_with_other_names_for_what_is_its_own_is_given_away(words: str, given_away: bool) -> None:
    assert bool(leaks(words, GROUPED, "largest", "")) is given_away
    assert leaks(words, GROUPED, "largest", words) == []
