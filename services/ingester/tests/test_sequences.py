# ruff: noqa: E501  programs, one a line
"""Classes as functions of a list of operations."""

from __future__ import annotations

import pytest

COUNTER = '''
    import asyncio

    STEP = 1

    class BoundedCounter:
        """Counts up to a limit."""

        LEAST = 0

        def __init__(self, limit: int, start: int = STEP):
            self.limit = limit
            self._value = start
            self._seen = []

        def __repr__(self):
            return f"<{self._value}>" if self._value else "<>"

        def add(self, amount: int) -> int:
            """Add an amount, never beyond the limit."""
            if amount < self.LEAST:
                raise ValueError(amount)
            self._value = min(self._value + amount, self.limit)
            self._note(amount)
            return self._value

        async def later(self):
            await asyncio.sleep(1)

        def _note(self, amount):
            self._seen.append(amount)

        @property
        def value(self):
            return self._value

        def seen(self):
            return self._seen

        def __len__(self):
            return len(self._seen)
'''


def test_a_class_becomes_a_function_of_a_list_of_operations(sequences, ran):
    found = sequences(COUNTER)["BoundedCounter"]
    assert (found.name, found.docstring) == ("bounded_counter_operations", "Counts up to a limit.")
    assert [(each.name, each.annotation, each.default) for each in found.parameters] == [
        ("operations", "", None), ("limit", "int", None), ("start", "int", "STEP"),
    ]  # fmt: skip
    assert (found.classification, found.annotation_only, found.libraries) == ("WSC", True, ("copy",))
    function = ran(found)["bounded_counter_operations"]
    calls = [("add", 2), ("value",), ("seen",), ("add", 9), ("seen",), ("len",)]
    assert function(calls, 5) == [3, 3, [2], 5, [2, 9], 2]


def test_methods_that_nobody_calls_are_left_out_with_what_they_need(sequences):
    code = sequences(COUNTER)["BoundedCounter"].code
    assert "__repr__" not in code and "later" not in code and "left-out" not in code and "\n\n\n\n" not in code
    assert "def _note" in code and "def __len__" in code


def test_no_block_of_a_class_is_left_empty(analyse):
    source = COUNTER.replace(
        "        async def later(self):\n            await asyncio.sleep(1)\n",
        "        if STEP:\n            async def later(self):\n                await asyncio.sleep(1)\n"
        "        else:\n            async def later(self):\n                await asyncio.sleep(2)\n",
    )
    assert "if STEP:" in source
    # Whether it is a sequence then is another question: the file is read.
    assert analyse(source)["BoundedCounter"].rejected_by


def test_an_object_that_goes_somewhere_as_a_whole_keeps_all_methods(sequences):
    text = COUNTER.replace("return self._seen\n", "return list(map(str, [self]))\n").replace("async def", "def")
    found = sequences(text.replace("await asyncio.sleep(1)", "return self.seen"))["BoundedCounter"]
    assert "__repr__" in found.code and "later" in found.code


def test_a_class_with_a_base_of_its_file_keeps_all_methods(sequences):
    text = COUNTER.replace("class BoundedCounter:", "class Base:\n        pass\n\n    class BoundedCounter(Base):")
    assert (
        "__repr__"
        in sequences(text.replace("async ", "").replace("await asyncio.sleep(1)", "return 1"))["BoundedCounter"].code
    )


LED_TO = {
    "a lambda": ("", "noted = lambda self, x: self._note(x)"),
    "a function of the file": ("def _noting(self, x=1):\n        self._note(x)\n", "__bool__ = _noting"),
    "a function that another name has": ("def _one(box):\n        return box._note(1)\n", "ONE = property(_one)"),
    "a name written as a text": ("import operator\n", "ONE = property(operator.methodcaller('_note', 1))"),
    "a library": ("import sortedcontainers\n", "ONE = sortedcontainers.SortedDict('_note')"),
}


@pytest.mark.parametrize(("above", "inside"), LED_TO.values(), ids=LED_TO)
def test_methods_that_values_of_the_class_may_call_stay(sequences, above, inside):
    text = COUNTER.replace("self._note(amount)", "self._seen.append(amount)").replace("async def", "def")
    text = text.replace("await asyncio.sleep(1)", "return self.seen")
    assert "def _note" not in sequences(text)["BoundedCounter"].code
    found = sequences(f"    {above}{text.replace('LEAST = 0', inside)}".replace("self.LEAST", "0"))
    assert "def _note" in found["BoundedCounter"].code


def test_what_the_language_calls_for_attributes_stays(sequences, ran):
    hook = "\n        def __getattr__(self, name):\n            return self.limit if name == 'most' else None\n"
    found = sequences(COUNTER.replace("return self._seen\n", "return self.most\n") + hook)["BoundedCounter"]
    assert ran(found)["bounded_counter_operations"]([["add", 2], ["seen"]], 5) == [3, 5]


def test_the_parts_stand_where_they_do_in_the_file(sequences):
    found = sequences(COUNTER)["BoundedCounter"]
    assert [(part.kind, part.name, part.line_start) for part in found.parts] == [
        ("constant", "STEP", 4), ("class", "BoundedCounter", 6),
    ]  # fmt: skip
    assert (found.line_start, found.line_end) == (6, 41)


def test_constants_of_a_class_that_are_read_alone_do_no_harm(sequences):
    text = COUNTER.replace("LEAST = 0", "LEAST = 0\n        TABLE = {1: 2}\n        __slots__ = ['limit']")
    found = sequences(text.replace("return self._value\n", "return self.TABLE.get(self._value, 0)\n"))
    assert "TABLE = {1: 2}" in found["BoundedCounter"].code


def test_what_a_setter_uses_stays(sequences):
    text = COUNTER.replace(
        "@property\n",
        "@property\n        def _other(self):\n            return self._other\n\n        @_other.setter\n        def _other(self, x):\n            self.used(x)\n\n        def used(self, *x):\n            self._other = x\n\n        @property\n",
    )
    assert "def used" not in sequences(text)["BoundedCounter"].code
    text = text.replace("self._note(amount)", "self._other = amount")
    assert "def used" in sequences(text)["BoundedCounter"].code


def test_operations_that_take_or_give_no_data_are_none(sequences, ran):
    methods = """
        def chained(self, amount):
            self._value += amount
            return self

        def pattern(self) -> Pattern[str]:
            return self._value

        def called(self, by: Callable[[int], int]):
            return by(self._value)
    """
    text = COUNTER + methods
    found = sequences(text)["BoundedCounter"]
    assert "def pattern" not in found.code and "def called" not in found.code
    function = ran(found)["bounded_counter_operations"]
    assert function([["chained", 4], ["value"]], 9) == [None, 5]


REFUSED = {
    "has no operation that changes the object": ("self._value = min(self._value + amount, self.limit)", "pass"),
    "inherits from dict": ("class BoundedCounter:", "class BoundedCounter(dict):"),
    "takes any number of arguments when it is made": ("limit: int, start: int = STEP", "limit, *start"),
    "has a value of the class, held, that may be changed": ("LEAST = 0", "LEAST = 0; held = []"),
    "has a value of the class, HELD, that may be changed": (
        "LEAST = 0",
        "LEAST = 0\n        HELD = {}\n\n        def g(self):\n            self.HELD[1] = 2",
    ),
    "has a default of amount that may be changed": ("amount: int)", "amount=[])"),
    "is named by what it needs": ("self._note(amount)", "_other(amount)"),
    "is made of what is no data, limit": ("limit: int", "limit: Callable[[], int]"),
    "is decorated": ("class BoundedCounter:", "@total_ordering\n    class BoundedCounter:"),
}


def test_classes_that_are_no_sequence_say_why(analyse):
    for why, (old, new) in REFUSED.items():
        text = COUNTER.replace(old, new).replace("self._seen.append(amount)", "self._seen")
        text += "\n    def _other(x):\n        return BoundedCounter(x).later()\n"
        found = analyse(f"    from functools import total_ordering\n{text}")
        assert (found["BoundedCounter"].form, found["BoundedCounter"].no_slice) == ("class", why)
