"""An edit of code changes what it is recognised by around itself alone."""

from __future__ import annotations

import ast
import itertools
from dataclasses import replace
from datetime import timedelta

import pytest

from ingester.domain.analysis import fingerprint_file

RANGES = """
def merge_ranges(ranges, gap):
    ordered = sorted(ranges)
    merged = []
    for start, end in ordered:
        if merged and start - merged[-1][1] <= gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    total = 0
    for start, end in merged:
        total += end - start
    longest = max((end - start for start, end in merged), default=0)
    return merged, total, longest
"""
METHOD = "class R:" + RANGES.replace("\n", "\n    ").replace("(ranges, gap)", "(self, ranges, gap)")
EDITS = {
    "a parameter more": RANGES.replace("ranges, gap)", "ranges, gap, debug=False)"),
    "a parameter more at the front": RANGES.replace("(ranges, gap)", "(log, ranges, gap)"),
    "a statement more": RANGES.replace("    ordered =", "    log = None\n    ordered =", 1),
    "a method": METHOD,
    "parameters in another order": RANGES.replace("(ranges, gap)", "(gap, ranges)"),
}


@pytest.mark.parametrize("edit", EDITS)
async def test_old_code_with_a_name_more_is_as_old_as_it_was(world, edit):
    world.shelf.files = {"a.py": RANGES}
    world.shelf.past = {"0.9": (world.now - timedelta(days=3000), {"a.py": EDITS[edit]})}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["outside_window"]


@pytest.mark.parametrize("edit", [name for name in EDITS if name != "a method"])
async def test_a_renamed_copy_with_a_name_more_is_a_near_duplicate(world, edit):
    for name, text in (("one", RANGES), ("two", EDITS[edit].replace("merge_ranges", "join").replace("merged", "m"))):
        world.shelf.files = {"a.py": text}
        source = await world.ingestion.add("package", name)
        await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["", "near_duplicate"]


def test_a_name_from_outside_is_no_name_of_the_function_s_own():
    own, foreign, swapped = fingerprint_file(
        b"def f(x, y):\n    return [x - y, y + x, x * y, y % x]\n"
        b"def f(x, v1):\n    global v0\n    return [v0 - v1, v1 + v0, v0 * v1, v1 % v0]\n"
        b"def f(x, y):\n    return [y - x, y + x, x * y, y % x]\n"
    )
    assert len(own.shingles & foreign.shingles) < len(own.shingles) / 2
    assert own.tree != swapped.tree


# Many of them have the same names, numbers and operators in the same order.
STATEMENTS = (
    "return x[n:]", "return x[:n]", "return x[::n]", "return x[n::]", "return x[:n:]", "return x[:]", "return x[n]",
    "return x[n,]", "return x[n, w]", "return x[n:w]", "return x[n::w]", "return x[:n:w]", "return x[n:w,]",
    "return x[n:, w]", "return x[n, w:]", "return x[n, :w]", "return x[n:w:]", "return x[n], w", "return x, n",
    "return x,", "return x", "return (x,)", "x, = n", "x = n", "(x,) = n", "[x] = n", "for x in n, : w",
    "for x in n: w", "for x, in n: w", "return f'{x}'", "return f'{x=}'", "return f'{x = }'", "return f'{x!r}'",
    "return f'{x=!r}'", "return f'{x:d}'", "return f'{x:>5}'", "return f'{x:<5}'", "return f'{x:.2f}'",
    "return f'{x:.3f}'", "return f'{x:{n}}'", "return f'{x:{n}.{w}}'", "return f'{x:.{n}{w}}'", "return f'{x:>{n}}'",
    "return f'{x:{n}d}'", "return f'{x:{n!r}}'", "return f'{x}{n}'", "return f'{x:n}'", "return f'{x,}'",
    "return f'{n=}'", "return x < n", "return x > n", "return x << n", "return x >> n", "return x <= n",
    "return '<b>'", "return '>'", "return '<'", "return 'v0'", "return v0", "return v1", "return '<call'",
    "from . import x", "from .. import x", "from ... import x", "match x:\n        case n, : w",
    "match x:\n        case n: w", "match x:\n        case (n,): w", "match x:\n        case (n): w",
    "match x:\n        case n.w: x", "match x:\n        case n.x: x", "match x:\n        case n(w=1): x",
    "match x:\n        case n(x=1): x", "match x:\n        case {'a': w}: x", "match x:\n        case ['a', w]: x",
    "return {x: n}", "return {x, n}", "return lambda: x", "return lambda x: x", "return lambda *x: x",
    "return x(*n)", "return x(**n)", "return x(n)", "return (x for x in n)", "return [x for x in n]",
    "return 1", "return 1.0", "return 0x1f", "return 31", "return 31j", "return True", "return 10_0", "return 100",
    "return '31'", "return b'31'", "return ['string']", "return ['', '']", "return ['x', 'n']", "return ['x' 'n']",
    "return '\\n'", "return r'\\n'", "return '\\\\n'", "return '\\\\x0a'", "return 'x\\0n'", "return 'x', 'n'",
    "return '\\1v0'", "return '\\x01v0'", "return '\\x01' 'v0'",
    "return f'{{{x}}}'", "return '{x}'", "return '{{x}}'", "return '{x}' f'{x}'", "return f'x{x}n'",
    "return f'x' f'{x}n'", "return f'{x}x' 'n'", "return f'{x}' 'xn'", "return '\\u0041'", "return b'\\\\u0041'",
    "return 'A'",
    "return (x, n), w", "return x, (n, w)", "return (x, n, w)", "return ()", "return [(x, n)]", "return [x, n]",
    "return ['', len]", "return ['len']", "return [f'{x}', len]", "return [f'{x}len']", "return [f'{x}>']",
    "(x, n) = w", "[x, n] = w", "(x, n), w = w", "x, (n, w) = w", "for x, n in w: x", "for (x, n), w in w: x",
    "if x:\n        n()\n    else:\n        if n:\n            w()\n        w()",
    "if x:\n        n()\n    elif n:\n        w()\n    w()", "if x:\n        n()\n    elif n:\n        w()",
    "if x:\n        n()\n    if n:\n        w()", "if x:\n        n()\n    else:\n        w()",
    "if x:\n        n()\n    elif n:\n        w()\n    else:\n        x()",
    "while x:\n        n()\n    else:\n        if n:\n            w()", "x = n",
    "return x(n, (x for x in n))",
)  # fmt: skip
AS_ONE = [
    ("return x[n:w]", "return x[ n : w ]"),
    ("return x[n, w]", "return x[n, w,]"),
    ("return [x, n]", "return [\n        x,  # first\n        n,\n    ]"),
    ("return f'{x:>5}'", 'return f"""{x:>5}"""'),
    ("return x[n::w]", "return (x)[(n)::\n        w  # every\n    ]"),
    ("match x:\n        case n, w: x", "match x:\n        case n, w, : x"),
    ("return 0XaF, 1_000, 1E5, 1.50, 3J, 0B1", "return 0xAf, 1000, 1e5, 1.5, 3j, 0b1"),
    ("return 'it\\'s \"this\"', '\\x41\\12'", 'return "it\'s \\"this\\"", \'A\\n\''),
    ("return u'x', r'\\d', B'x'", "return 'x', '\\\\d', b'x'"),
    ("return 'a long ' 'text'", "return (\n        'a '  # first\n        'long text'\n    )"),
    ("return 'x' f'{n}w'", "return f'x{n}' 'w'"),
    ("return x[(n, w)], (n, w)", "return (x[(n, w)], (n, w))"),
    ("return (x, n)", "return x, n"),
    ("(x, n), w = (n, x)", "((x, n), w) = n, x"),
    ("for (x, n) in w: return x", "for x, n in w: return x"),
    ("return [x for (x, n) in w]", "return [x for x, n in w]"),
    ("return x((n for n in w))", "return x(n for n in w)"),
    (
        "if x:\n        n()\n    else:\n        if n:\n            return 2\n        elif w:\n            return 3",
        "if x:\n        n()\n    elif n:\n        return 2\n    else:\n        if w:\n            return 3",
    ),
]
# Notes beside a name, what a name holds, a body that would be empty otherwise, a prefix without need.
IDLE = [
    ("return f'x', f'{{x}}'", "return 'x', '{x}'"),
    ("x = n\n    'What there is.'\n    return x", "x = n\n    return x"),
    ("x: int\n    x = n\n    return x", "x = n\n    return x"),
    ("if n:\n        pass\n    return x", "if n:\n        ...\n    return x"),
    ("if n:\n        'Nothing.'\n        pass\n    return x", "if n:\n        pass\n    return x"),
    ("'What it does.'\n    pass\n    return x", "return x"),
]


def made(statement: str) -> str:
    return f"def f(x, n, w=3):\n    {statement}\n"


def test_what_is_another_program_has_another_tree():
    known = [
        (each, fingerprint_file(made(each).encode())[0].tree, ast.dump(ast.parse(made(each)))) for each in STATEMENTS
    ]
    for (one, first, meant), (two, second, other) in itertools.combinations(known, 2):
        assert first != second or meant == other, (one, two)


def meaning(statement):
    """What Python's own parser makes of it; it keeps a prefix that says nothing."""
    return ast.dump(ast.parse(made(statement))).replace(", kind='u'", "")


@pytest.mark.parametrize("pair", AS_ONE)
def test_layout_is_no_part_of_a_tree(pair):
    assert len({meaning(each) for each in pair}) == 1
    one, two = (fingerprint_file(made(each).encode())[0] for each in pair)
    assert one == two


@pytest.mark.parametrize("pair", IDLE)
def test_what_does_nothing_is_no_part_of_a_tree(pair):
    one, two = (fingerprint_file(made(each).encode())[0] for each in pair)
    assert one == two


def test_what_a_class_says_of_its_fields_is_part_of_a_tree():
    text = "def f(x):\n    class A(NamedTuple):\n        {}\n    return A"
    some, others = (fingerprint_file(text.format(each).encode())[-1] for each in ("n: int", "pass"))
    assert some.tree != others.tree


@pytest.mark.parametrize("old", ["return 0777", "return 511L", "return 0x1ffL"])
def test_numbers_of_an_old_python_are_what_they_were(old):
    assert fingerprint_file(made(old).encode())[0].tree == fingerprint_file(made("return 511").encode())[0].tree


async def test_code_that_a_formatter_wrote_anew_is_as_old_as_it_was(world):
    text = "def scale_pairs(values):\n    if not values:\n        return {}\n    return {}\n"
    old = text.format("u'', 0XF", "[(b, a) for (a, b) in values], 1")
    new = text.format('"", 0xF', "([(b, a) for a, b in values], 1)")
    world.shelf.files = {"a.py": new}
    world.shelf.past = {"0.9": (world.now - timedelta(days=3000), {"a.py": old})}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["outside_window"]


async def test_a_function_that_differs_in_a_slice_or_a_format_alone_is_a_candidate_beside_the_other(world):
    text = "def {}(x, n):\n    if n > 0:\n        return {}\n    return {}\n"
    world.shelf.files = {
        "a.py": text.format("take_head", "x[:n]", "x") + text.format("drop_head", "x[n:]", "x"),
        "b.py": text.format("with_two", "f'{x:.2f}'", "n") + text.format("with_three", "f'{x:.3f}'", "n"),
        "c.py": text.format("lower", "x < n", "n < x") + text.format("higher", "x > n", "n > x"),
    }
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for item in world.heard.functions] == [""] * 6


PROGRAM = '''
LIMIT = 3


def helper(x):
    """Grow."""
    if x > LIMIT:
        return x + 1
    return x


class Stack:
    """A stack."""

    def __init__(self):
        self.items = []

    def push(self, x):
        """Put on top."""
        if x:
            self.items.append(helper(x))
        return len(self.items)

    def pop(self):
        if not self.items:
            return None
        return self.items.pop()


def scaled_sum(values, factor):
    total = 0
    for value in values:
        if value > factor:
            total += helper(value) * factor
    return total
'''
SAME_PROGRAM = {
    "a comment": PROGRAM.replace("    total = 0\n", "    # all of it\n    total = 0\n").replace(
        "        if x:\n", "        if x:\n            # on top\n"
    ),
    "brackets": PROGRAM.replace("return x + 1", "return (x + 1)").replace("len(self.items)", "(len(self.items))"),
    "a docstring": PROGRAM.replace("Grow", "Grow by one").replace("A stack", "Some").replace("Put on top", "Push"),
    "layout": PROGRAM.replace("helper(value) * factor", "helper(\n                value\n            ) * factor"),
    "a name of its own": PROGRAM.replace("(values, f", "(numbers, f").replace("in values", "in numbers"),
    "the order": PROGRAM.replace("LIMIT = 3\n", "", 1) + "\n\nLIMIT = 3\n",
}
OTHER_PROGRAM = {
    "a helper": PROGRAM.replace("x + 1", "x + 2"),
    "a constant": PROGRAM.replace("LIMIT = 3", "LIMIT = 4"),
    "a slice in a helper": PROGRAM.replace("x + 1", "x + [x][:1]"),
}


async def taken_again(world, newer):
    """What becomes of each slice and sequence of the program in a newer version."""
    world.shelf.files = {"a.py": PROGRAM}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    first = {(each.found.form, each.found.qualname) for each in world.heard.functions if each.task_candidate}
    assert {("slice", "scaled_sum"), ("slice", "helper"), ("sequence", "Stack")} <= first
    world.heard.functions.clear()
    world.shelf.version = replace(world.shelf.version, version="1.1")
    world.shelf.files = {"a.py": newer}
    await world.ingestion.ingest(source.source_id)
    found = [each for each in world.heard.functions if each.found.form in ("slice", "sequence")]
    return {each.found.name: each.rejected_by for each in found}


@pytest.mark.parametrize("change", SAME_PROGRAM)
async def test_what_is_made_of_several_definitions_is_no_candidate_again_for_how_they_are_written(world, change):
    found = await taken_again(world, SAME_PROGRAM[change])
    assert found == dict.fromkeys(("helper", "scaled_sum", "stack_operations"), "unchanged")


@pytest.mark.parametrize("change", OTHER_PROGRAM)
async def test_what_is_made_of_several_definitions_is_another_where_one_of_them_is(world, change):
    assert (await taken_again(world, OTHER_PROGRAM[change]))["scaled_sum"] == ""
