"""Forms of values inside texts that are Python's own are told to solvers in other languages."""

from __future__ import annotations

import pytest

from pbt_generator.domain.task.wording.instruction import neutral
from pbt_generator.domain.task.wording.rendering import (
    HELD,
    NOTHING,
    NUMBER,
    ROUNDING,
    SIGN,
    TRUTH,
    numbers_of_both_kinds,
    rendering_rules,
)


@pytest.mark.parametrize(
    ("body", "cases", "expected"),
    [
        ("f'{x}!'", [("[true]", '"True!"')], [TRUTH]),
        ("f'{x}!'", [("[null]", '"None!"')], [NOTHING]),
        ("f'{x}!'", [("[2.0]", '"2.0!"')], [NUMBER]),
        ("f'{x / 4}!'", [("[2]", '"0.5!"')], [NUMBER]),
        ("'%s' % x", [("[1e-05]", '"1e-05"')], [NUMBER]),
        ("'{}'.format(x)", [("[[1, 2]]", '"[1, 2]"')], [HELD]),
        ("[str(part) for part in x]", [("[[null, true, [1]]]", '["None", "True", "[1]"]')], [TRUTH, NOTHING, HELD]),
        ("','.join(map(str, x))", [("[[1.5]]", '"1.5"')], [NUMBER]),
        ("f'{round(x * 100, 1)}%'", [("[-0.0001]", '"-0.0%"'), ("[0.5]", '"50.0%"')], [ROUNDING, SIGN, NUMBER]),
        ("'%.0f' % x", [("[-0.2]", '"-0"')], [ROUNDING, SIGN]),
        ("f'{x}!'", [("[-0.0]", '"-0.0!"'), ("[1.5]", '"1.5!"')], [NUMBER]),
        ("f'v-0.{x}'", [("[5]", '"v-0.5"')], []),
        ("'-%d-g' % x", [("[0]", '"-0-g"')], []),
        ("f'{x * 0.5}'", [("[-0.0]", '"-0.0"')], [NUMBER]),
        ("f'{x * 0}'", [("[-1.5]", '"-0.0"')], [SIGN, NUMBER]),
        ("x", [("[[0]]", '["-0.0"]')], []),
        # Brackets of the function's own.
        ("'[' + ','.join(str(each) for each in x) + ']'", [("[[1, 2]]", '"[1,2]"'), ("[[1]]", '"[1]"')], []),
        ("' '.join(f'({each};{each})' for each in x)", [("[[1]]", '"(1;1)"')], []),
        ("'[' + ', '.join(str(each) for each in x) + ']'", [('[[1, "b"]]', '"[1, b]"')], []),
        ("f'{x}!'", [('[[1, "]b"]]', "\"[1, ']b']!\"")], [HELD]),
        # Points that the function takes off.
        ("str(x / 2).removesuffix('.0') + '%'", [("[1]", '"0.5%"'), ("[2]", '"1%"')], []),
        ("str(x / 2).rstrip('0').rstrip('.') + '%'", [("[1]", '"0.5%"'), ("[2]", '"1%"')], []),
        ("str(int(x)) if x == int(x) else str(x)", [("[1.5]", '"1.5"')], []),
        ("f'{x}' if x % 1 else f'{x:.0f}'", [("[1.5]", '"1.5"')], [ROUNDING]),
        ("'{:g} of {}'.format(x, x / 2)", [("[1.5]", '"1.5 of 0.75"')], [ROUNDING]),
        ("shown(x)", [("[2.0]", '"2"'), ("[1.5]", '"1.5"')], []),
        # Said by the form, by the input or by the code itself, or not there at all.
        ("f'{x:.1f}!'", [("[2.0]", '"2.0!"')], [ROUNDING]),
        ("f'{x:>{3}}!'", [("[2]", '"  2!"')], []),
        ("round(x)", [("[2.5]", "2")], [ROUNDING]),
        ("'%.2f' % x", [("[2.0]", '"2.00"')], [ROUNDING]),
        ("'{:,.0f} {}'.format(x, x)", [("[2.0]", '"2 2.0"')], [ROUNDING, NUMBER]),
        ("f'{x[0]}!'", [('["None", null]', '"None!"')], []),
        ("'None' if x is None else str(x)", [("[null]", '"None"')], []),
        ("f'{x}!'", [("[2]", '"2!"')], []),
        ("f'{x}!'", [('["v1.2"]', '"v1.2!"')], []),
        ("x", [("[true]", "true")], []),
        ("f'{x}!'", [('["[1]"]', '"[1]!"')], []),
        ("f'{x[::-1]}!'", [('["]1["]', '"[1]!"')], []),
    ],
)
def test_rules_come_from_what_results_show(body: str, cases: list[tuple[str, str]], expected: list[str]) -> None:
    assert rendering_rules(f"def f(x):\n    return {body}\n", cases) == expected


def test_what_is_written_into_errors_is_no_result() -> None:
    source = "def f(x):\n    if x == 0:\n        raise ValueError(f'not {x}')\n    return ['1.5', x][1:]\n"
    assert rendering_rules(source, [("[1.5]", '["1.5"]')]) == []


def test_decimals_of_a_form_are_no_shortest_digits() -> None:
    body = "def f(x):\n    return f'{x / 4:.2f} of {x}'\n"
    assert rendering_rules(body, [("[2]", '"0.50 of 2"'), ("[2.5]", '"0.62 of 2.5"')]) == [ROUNDING]
    assert rendering_rules(body, [("[2.5]", '"0.62 of 2.5"')]) == [ROUNDING, NUMBER]


@pytest.mark.parametrize(
    ("results", "both"),
    [(["0", "0.5"], True), (['{"a":[1,2.0]}'], True), (["1", "2"], False), (["true", "0.5"], False)],
)
def test_numbers_of_both_kinds(results: list[str], both: bool) -> None:
    assert numbers_of_both_kinds(results) is both


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("It is 'str', 'dict' or \"None given\".", "It is 'str', 'dict' or \"None given\"."),
        (
            "Of a dict the items' names, don't ask; None if a tuple.",
            "Of a map the items' names, don't ask; nothing (null) if a sequence.",
        ),
        ("`None` or `True`, `dict`.", "nothing (null) or true, `dict`."),
        ("None of the dicts is in dictionary order.", "None of the maps is in dictionary order."),
        ("The option kind='str' means 'None'.", "The option kind='str' means 'None'."),
    ],
)
def test_what_stands_in_quotes_is_a_value_and_stays(words: str, told: str) -> None:
    assert neutral(words) == told
