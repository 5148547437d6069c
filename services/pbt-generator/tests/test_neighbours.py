"""Near neighbours, loops that forget, other languages' readings, and what a score rests on."""

from __future__ import annotations

import datetime

import pytest

from pbt_generator.domain.oracle.certificate import FLOOR, Weight
from pbt_generator.domain.oracle.counting import mutation_of, readings_of, weight_of
from pbt_generator.domain.oracle.edges import edges_of
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.kills import KillMatrix
from pbt_generator.domain.oracle.mutation.misreadings import READING, RULES
from pbt_generator.domain.oracle.mutation.mutants import Mutant, mutate
from pbt_generator.domain.oracle.mutation.neighbours import SLIP
from pbt_generator.ports import Harness


def found(source: str) -> dict[str, Mutant]:
    return {mutant.change: mutant for mutant in mutate(source, "f").mutants}


@pytest.mark.parametrize(
    ("head", "expression", "near"),
    [
        ("x", "x.split()", "x.split(' ')"),
        ("x", "x.split(',')", "x.split(',', 1)"),
        ("x", "x.startswith('ab')", "'ab' in x"),
        ("x", "x.replace('a', 'b')", "x.replace('a', 'b', 1)"),
        ("x", "x.count('a')", "int('a' in x)"),
        ("x", "x.get('a', 5)", "x.get('a') or 5"),
        ("x", "sorted(x)", "sorted(set(x))"),
        ("x", "x[0]", "x[-1]"),
        ("x", "x / 2", "x // 2"),
        ("x", "x is None", "not x"),
        ("x", "{**x, **y}", "{**y, **x}"),
        ("x", "re.match('a', x)", "re.fullmatch('a', x)"),
        ("x", "re.sub('a', 'b', x)", "re.sub('a', 'b', x, count=1)"),
        ("x", "heapq.nlargest(2, x)", "heapq.nsmallest(2, x)"),
        ("x", "len(x.encode('utf-8'))", "len(x)"),
        ("x", "repr(x)", "str(x)"),
    ],
)
def test_calls_have_near_neighbours_that_count(head: str, expression: str, near: str) -> None:
    mutant = found(f"import heapq, re\ndef f({head}, y=None):\n    return {expression}\n")[f"{expression} → {near}"]
    assert mutant.reading == ""


@pytest.mark.parametrize(
    "expression",
    [
        "x.split(',')[0]",  # the first part is the same, however many there are
        "sorted(x.items())",  # keys are there once
        "x.get('a', 0) + 1",
        "re.match('a', x).group(0)[0]",
        "x[0] if len(x) == 1 else None",  # the only one is the first and the last
        "re.search('^a', x)",
    ],
)
def test_neighbours_that_make_no_difference_by_their_form_are_left_out(expression: str) -> None:
    near = [change for change in found(f"import re\ndef f(x):\n    return {expression}\n") if " → " in change]
    unwanted = ("x.split(',', 1)", "sorted(set(", "or 0", ".group(0)[-1]", "x[-1]", "re.match('^")
    assert [change for change in near if any(text in change.split(" → ")[1] for text in unwanted)] == []


@pytest.mark.parametrize(
    ("parameter", "expression", "rule", "inputs"),
    [
        ("x: int", "x // 2", "division", [[3], [-3]]),
        ("x: int", "x % 3", "remainder", [[3], [-1]]),
        ("x: float", "round(x)", "halves", [[3.2], [2.5]]),
        ("x: str", "len(x)", "lengths", [["ab"], ["\U0001f600"]]),
        ("x: str", "len(x)", "bytes", [["ab"], ["é"]]),
        ("x: str", "x.isdigit()", "digits", [["1"], ["²"]]),
        ("x: str", "x in '0123456789'", "ASCII digits", [["1"], ["٣"]]),
        ("x: str", "x not in string.digits", "ASCII digits", [["a"], ["٣"]]),
        ("x: str", "all(c in DIGITS for c in x)", "ASCII digits", [["1x²"], ["1²"]]),
        ("x: str", "'0' <= x <= '9'", "ASCII digits", [["1"], ["７"]]),
        ("x: str", "x in string.ascii_letters", "ASCII letters", [["a"], ["é"]]),
        ("x: str", "x not in set(string.ascii_lowercase)", "ASCII letters", [["Q"], ["é"]]),
        ("x: str", "'a' <= x <= 'z'", "ASCII letters", [["É"], ["é"]]),
        ("x: str", "x.strip()", "blanks", [[" a "], ["a\t"]]),
        ("x: str", "x.upper()", "case mapping", [["a"], ["ß"]]),
        ("x", "not x", "truth", [[0], [[]]]),
        ("x, y=1", "x or y", "truth", [[""], [{}]]),
        ("x, y=1", "x and y", "truth", [[""], [[]]]),
        ("x, y=0", "1 if y or x else 2", "truth", [[None], [{}]]),
        ("x, y=1", "1 if y and x else 2", "truth", [[None], [{}]]),
        ("x", "1 if x else 2", "truth", [[None], [[]]]),
        ("x: str", "x.split()", "blanks", [[" a  b"], ["a\tb"]]),
        ("x: str", "x.splitlines()", "lines", [["a\nb\n"], ["a\rb"]]),
        ("x: str", "int(x)", "numerals", [["-7"], ["+7"]]),
        ("x: str", "float(x)", "numerals", [["1.5"], ["1.5 "]]),
        ("x: str", "x.lower()", "case mapping", [["A"], ["ß"]]),
        ("x: str", "x.capitalize()", "case mapping", [["aB c"], ["ßa"]]),
        ("x: str", "x.title()", "case mapping", [["aB c'd"], ["a ßd"]]),
        ("x: int", "x * 3", "overflow", [[5], [2**31]]),
        ("x: list", "sorted(x)", "text order", [[[1, 2]], [[10, 9]]]),
    ],
)
def test_rules_of_other_languages_are_readings_beside_the_score(
    parameter: str, expression: str, rule: str, inputs: list[list[object]], harness: Harness
) -> None:
    head = "import string\nDIGITS = frozenset(string.digits)\n"
    program = mutate(f"{head}def f({parameter}):\n    return {expression}\n", "f")
    readings = [mutant for mutant in program.mutants if mutant.reading == rule]
    assert readings
    space: dict[str, object] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    answers = space["_ts_mutate"](inputs, [[mutant.number, [0, 1], []] for mutant in readings], 4, "portable", 40)
    # The plain input says nothing, the other one does.
    assert {place for _, killers, *_ in answers for place in killers} == {1}
    matrix = KillMatrix(program.mutants)
    assert set(readings).isdisjoint(matrix.counted()) and set(readings) <= set(matrix.readings(alive=True))
    matrix.add(readings[0].number, ["[1]"], 1)
    assert matrix.score() == 0.0 and mutation_of(matrix, frozenset({"[1]"})).mutants == len(matrix.counted())
    told = [reading.told_apart for reading in readings_of(matrix, frozenset({"[1]"})) if reading.rule == rule]
    assert told.count(True) == 1


@pytest.mark.parametrize("expression", ["x in y", "x in KEYS['a']", "x in ('a', 'b')", "x in 'aeiou'", "x in y.keys"])
def test_what_is_looked_up_among_other_things_than_characters_is_read_in_one_way(expression: str) -> None:
    mutants = mutate(f"KEYS = {{}}\ndef f(x, y=''):\n    return {expression}\n", "f").mutants
    assert [mutant.change for mutant in mutants if mutant.reading.startswith("ASCII")] == []


FORGETS = """
def f(xs: list[int]) -> list:
    total, seen, firsts = 0, [], {}
    best = 0
    firsts = {}
    for x in xs:
        y = 0
        y = x + 1
        best += y
        seen.append(best)
        firsts[x] = best
    return [best, seen, firsts]
"""


def test_loops_forget_go_round_once_and_leave_out_their_ends() -> None:
    changes = set(found(FORGETS))
    wanted = {
        "best = 0 in every round", "firsts = {} in every round", "one round alone", "the first of xs left out",
        "the last of xs left out", "firsts[x] = best: the first one stays", "seen.append(best) twice",
        "best += y twice",
    }  # fmt: skip
    assert wanted <= changes
    # It is set in every round anyway.
    assert "y = 0 in every round" not in changes


def test_mutants_of_loops_are_told_apart(harness: Harness) -> None:
    program = mutate(FORGETS, "f")
    space: dict[str, object] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    mutants = [mutant for mutant in program.mutants if mutant.operator in {"carried", "round", "twice"}]
    answers = space["_ts_mutate"]([[[4, 5, 4]]], [[mutant.number, [0], []] for mutant in mutants], 4, "portable", 40)
    assert len(answers) >= 8 and all(killers == [0] for _, killers, *_ in answers)


def test_few_mutants_need_edges() -> None:
    assert Weight(FLOOR, FLOOR, ("zero",), ()).holds
    assert not Weight(FLOOR - 1, FLOOR, ("blank text", "empty text", "zero"), ("zero",)).holds
    assert not Weight(FLOOR - 1, FLOOR, ("empty text", "zero"), ("zero",), 4, 0).holds
    assert Weight(FLOOR - 1, FLOOR, ("empty text", "zero"), ("zero",), 4, 1).holds
    # Half of all that there is will do.
    assert not Weight(2, FLOOR, ("empty text", "zero"), ("zero",), 8, 3).holds
    assert Weight(2, FLOOR, ("empty text", "zero"), ("zero",), 8, 4).holds
    # Half of three is two, and half of none is nothing that a score can rest on.
    assert not Weight(2, FLOOR, ("zero",), ("zero",), 3, 1).holds and Weight(2, FLOOR, ("zero",), ("zero",), 3, 2).holds
    assert not Weight(2, FLOOR, ("zero",), ("zero",), 1, 0).holds and not Weight(FLOOR - 1, FLOOR, (), ()).holds
    assert Weight(FLOOR - 1, FLOOR, ("empty text", "zero"), ("zero",)).evidence == "misreadings and edges"
    told = {number: {'["ab"]'} for number in range(2, FLOOR + 1)}
    others = (Mutant(number, READING, 1, f"x: {number}", reading=READING) for number in told)
    few = KillMatrix((Mutant(1, "constant", 1, "a → b"), *others), told)
    assert not weight_of(few, ['["ab"]', '["cd"]']).holds
    assert not weight_of(few, ['["cd"]', '[""]', '["É é"]', '[" "]']).holds
    assert weight_of(few, ['["ab"]', '[""]', '["É é"]', '[" "]']).holds
    # What the function refuses, no case can hold.
    refused = ['[""]', '[" "]', '["É é"]', '["aa"]']
    assert weight_of(few, ['["ab"]', '["Cd"]'], refused).holds and not weight_of(few, ['["ab"]'], ['[""]']).holds
    # One input for each edge that no case could hold is kept as evidence.
    assert set(weight_of(few, ['["ab"]', '["Cd"]'], [*refused, '["cd"]']).refused) == set(refused)


def test_dates_have_edges_of_their_own() -> None:
    offered, met = edges_of(['["2023-05-17"]'])
    assert {"end of a month", "February", "leap year"} <= offered - met
    _, met = edges_of(['["on 2024-02-29"]', '["2023-03-31"]'])
    assert {"end of a month", "February", "leap year"} <= met
    assert edges_of(['[{"$":"date","v":"2024-02-29"}]'])[1] >= {"February", "leap year"}


RESOLVE = "def f(doc, parts):\n    for part in parts:\n        doc = doc[part]\n    return doc\n"


def test_few_mutants_are_told_together_with_misreadings(harness: Harness) -> None:
    held = {"doc": [{"a.b": {"c": ""}}], "parts": [["a.b", "c"]]}
    program = mutate(RESOLVE, "f", held=held)
    misread = {mutant.change: mutant for mutant in program.mutants if mutant.reading == READING}
    assert {"parts: cut at points", "parts: turned round", "doc: in upper case"} <= set(misread)
    assert "doc, parts: in upper case" in misread
    space: dict[str, object] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    inputs = [[{"ab": {"c": "x"}}, ["ab", "c"]], [{"a.b": {"c": ""}}, ["a.b", "c"]]]
    plan = [[mutant.number, [0, 1], []] for mutant in misread.values()]
    killers = {number: found for number, found, *_ in space["_ts_mutate"](inputs, plan, 4, "portable", 40)}  # pyright: ignore[reportCallIssue]
    assert killers[misread["parts: cut at points"].number] == [1]
    assert killers[misread["parts: in order"].number] == []
    # They stand beside the score, which rests on the others alone.
    matrix = KillMatrix(program.mutants)
    texts = ["[1]", "[2]"]
    for number, found in killers.items():
        matrix.add(number, [texts[place] for place in found], 2)
    assert not set(misread.values()) & set(matrix.counted())
    weight = weight_of(matrix, texts)
    assert (weight.misread, weight.told_apart) == (len(misread), sum(map(bool, killers.values())))


def test_every_misreading_is_one_that_the_harness_knows(harness: Harness) -> None:
    space: dict[str, object] = {"_ts_ENTRY": "f"}
    exec(compile(harness.mutate, "program", "exec"), space)
    rules = {rule for found in RULES.values() for rule in found}
    assert rules == {*space["_ts_LEAVES"], *space["_ts_WHOLE"]}  # pyright: ignore[reportGeneralTypeIssues]
    value = ["b 1", "Q", " a\nc", "007", "é", "", "x.y", "p/q", "k,l", "m-n", -5000000000, 1.5, "b 1", {"d": 0}]
    value += ["e\u0301", "a\n", 2**53 + 1]
    value.append(datetime.datetime(2024, 5, 17, 3, tzinfo=datetime.UTC))
    unchanged = {rule for rule in rules if space["_ts_misread"](rule, value) == value}  # pyright: ignore[reportCallIssue]
    assert unchanged == {"what is empty taken for nothing", "entries without a value left out"}
    assert space["_ts_misread"]("what is empty taken for nothing", 0) is None  # pyright: ignore[reportCallIssue]
    assert space["_ts_misread"]("entries without a value left out", {"d": 0}) == {}  # pyright: ignore[reportCallIssue]


def test_where_mutants_are_many_arguments_are_misread_beside_the_score() -> None:
    tests = "".join(f"    if n == {limit}:\n        return {limit * 7}\n" for limit in range(20))
    matrix = KillMatrix(mutate(f"def f(n):\n{tests}    return n\n", "f", held={"n": [1, 2]}).mutants)
    misread = [mutant for mutant in matrix.mutants if mutant.reading == READING]
    assert misread and not set(misread) & set(matrix.counted())
    # It rests on mutants: nobody counts misreadings.
    assert weight_of(matrix, ["[1]"]).misread == 0


@pytest.mark.parametrize("place", [":, y", "y, :", ":", "1:2, ::3", "*y, 1", "y"])
def test_places_of_arrays_give_mutants_that_can_be_read(place: str) -> None:
    source = f"def f(x, y):\n    return len(x[{place}]) + len(x[{place}].split(':'))\n"
    program = mutate(source, "f")
    assert program.mutants
    compile(program.source, "f", "exec")


SLIPS = """
def f(x, known, table):
    found = []
    for part in x.split(','):
        got = table.get(part)
        if part in known or part == 'Any' or got is None:
            found.append(part.lower())
    found += [x[1:], x[:-1], x.removeprefix('+'), x.removesuffix('px')]
    return found
"""


@pytest.mark.parametrize(
    ("change", "given"),
    [
        ("part in known → in_but_for_case(part, known)", ["a", ["A"], {"a": 1}]),
        ("part in known → in_by_words(part, known)", ["7", [7], {"7": 1}]),
        ("part == 'Any' → equal_but_for_case(part, 'Any')", ["any", [], {"any": 1}]),
        ("table.get(part) → table.get(part) or None", ["a", [], {"a": 0}]),
        ("got is None → not got", ["a", [], {"a": ""}]),
        ("part.lower() → ascii_lower(part)", ["É", [], {}]),
        ("x.split(',') → [c for c in x.split(',') if c]", ["a,,b", [""], {}]),
        ("repeats of x.split(',') left out", ["a,b,a", [], {}]),
        ("all but two of x.split(',') left out", ["a,b,c", [], {}]),
        ("x[1:] → begins_without(x, x[:1])", ["//a", [], {}]),
        ("x[:-1] → ends_without(x, x[-1:])", ["a//", [], {}]),
        ("x.removeprefix('+') → begins_without(x, '+')", ["++a", [], {}]),
        ("x.removesuffix('px') → ends_without(x, 'px')", ["apxpx", [], {}]),
    ],
)
def test_what_is_easily_overlooked_is_a_mistake_that_one_input_shows(
    change: str, given: list[object], harness: Harness
) -> None:
    program = mutate(SLIPS, "f")
    slips = {mutant.change: mutant for mutant in program.mutants if mutant.reading == SLIP}
    space: dict[str, object] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    plain = ["a", ["a"], {"a": 1}]
    plan = [[slips[change].number, [0, 1], []]]
    assert space["_ts_mutate"]([plain, given], plan, 4, "portable", 400)[0][1] == [1]  # pyright: ignore[reportCallIssue]
    assert not set(slips.values()) & set(KillMatrix(program.mutants).counted())


ORDERS = """
def f(x, known):
    if x.count(' ') == 2:
        return x.split(' ')
    if x in known:
        return [known[x]]
    if x.startswith('@'):
        raise ValueError(x)
    if x == 'a':
        kind = 1
    elif len(x) < 3:
        kind = 2
    elif x.isdigit():
        kind = 3
    else:
        kind = 4
    return [x, kind]
"""


@pytest.mark.parametrize(
    ("change", "given"),
    [
        ("if x in known before if x.count(' ') == 2", ["a b c", {"a b c": 1}]),
        ("if x.startswith('@') before if x.count(' ') == 2", ["@ b c", {}]),
        ("if x.startswith('@') before if x in known", ["@a", {"@a": 1}]),
        ("if len(x) < 3 before if x == 'a'", ["a", {}]),
        ("if x.isdigit() before if len(x) < 3", ["7", {}]),
    ],
)
def test_questions_are_asked_in_another_order(change: str, given: list[object], harness: Harness) -> None:
    program = mutate(ORDERS, "f")
    orders = {mutant.change: mutant for mutant in program.mutants if mutant.operator == "order"}
    assert len(orders) == 5 and {mutant.reading for mutant in orders.values()} == {SLIP}
    space: dict[str, object] = {}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    plan = [[orders[change].number, [0, 1], []]]
    assert space["_ts_mutate"]([["bcde", {}], given], plan, 4, "portable", 400)[0][1] == [1]  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(
    "body",
    [
        "if x == 1:\n        return 2\n    if x == 2:\n        return 3\n    return 4",
        "if x is None:\n        return 2\n    if x == 2:\n        return 3\n    return 4",
        "if x > 1:\n        return 2\n    if x < 0:\n        return 2\n    return 4",
        "if x > 1:\n        x = 2\n    if x > 0:\n        return 2\n    return 4",
    ],
)
def test_no_order_that_is_the_same_by_its_form(body: str) -> None:
    assert not [mutant for mutant in mutate(f"def f(x):\n    {body}\n", "f").mutants if mutant.operator == "order"]
