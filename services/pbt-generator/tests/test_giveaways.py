"""Lines of a program go out of the words on it, and words stay: also those that many programs hold."""

from __future__ import annotations

import ast

from pbt_generator.domain.task.wording.giveaways import own_lines, without_lines
from pbt_generator.domain.task.wording.operations import operation_rules
from pbt_generator.domain.task.wording.prose import read_prose

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
    assert "return text.partition(mark or ' ')[0]" in own_lines(HELPED, "heads")


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
