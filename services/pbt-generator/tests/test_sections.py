"""Pages of documentation are cut to what tells the function, and examples are real ones first."""

from __future__ import annotations

import pytest

from pbt_generator.domain.inputs.domains.reality import is_near, nearness
from pbt_generator.domain.oracle.certificate import Reading
from pbt_generator.domain.task.wording.constants import deciding_constants, possible_keys, sentences
from pbt_generator.domain.task.wording.examples import decided, examples
from pbt_generator.domain.task.wording.prose import gaps, read_prose
from pbt_generator.domain.task.wording.reading_rules import reading_rules
from pbt_generator.domain.task.wording.sections import PAGE, cut

PAGE_OF_A_PROPERTY = """LINK properties as a sequence.

    Purpose:
        LINK provides a reference to external information.

    Conformance:
        This property can be specified zero or more times.

    Property Parameters:
        The VALUE parameter is required.

    Examples:
        The following shows how to add a link.

            >>> from icalendar import Event
            >>> event = Event()

    Back at the margin, as `rootLabs`_ says.

    .. _`rootLabs`: http://example.com
    """


def test_a_page_is_cut_to_what_tells_the_function() -> None:
    told = cut(PAGE_OF_A_PROPERTY, "links", ["self"])
    assert "Conformance" not in told and "VALUE" not in told and "event" not in told
    assert told.startswith("LINK properties as a sequence.") and "provides a reference" in told
    assert told.endswith("Back at the margin, as rootLabs says.")


def test_sections_that_speak_of_the_function_stay() -> None:
    text = (
        "Pad a text.\n\n"
        "Args:\n    width: how wide\n\nReturns:\n    the text\n\nBorders:\n    The width counts them.\n\n"
        "Example:\n    >>> from shelf import pad\n    >>> pad('a')  # doctest: +SKIP\n    'a '\n"
    )
    told = cut(text, "pad", ["text", "width"])
    assert "The width counts them." in told and "import pad" not in told and "SKIP" not in told
    assert ">>> pad('a')" in told and read_prose(told).parameters == {"width": "how wide"}


def test_a_long_page_keeps_paragraphs_that_speak_of_parameters_or_results() -> None:
    history = "It was first thought of long ago, and much was written about it then. " * 30
    told = cut(
        f"Count words.\n\n{history}\n\nWords of text are cut at blanks.\n\nReturns zero for none.", "f", ["text"]
    )
    assert len(history) > PAGE and "long ago" not in told
    assert told == "Count words.\n\nWords of text are cut at blanks.\n\nReturns zero for none."


def test_a_method_whose_object_became_a_map_is_told_by_examples() -> None:
    prose = read_prose("Returns the links of this component, in the order of their names.")
    assert gaps(prose, ["self"], []) == ["it is a method, and nothing tells what its self is"]
    assert gaps(prose, ["component"], []) == []


def test_nearness() -> None:
    real = [("blue box", 3, [1, 2])]
    assert nearness(("blue box", 3, [1, 2]), real) == "real"
    assert nearness(("blue fox", 4, [1, 2, 9]), real) == "near"
    assert nearness(("x" * 30, 3, [1, 2]), real) == "inferred"
    assert nearness(("blue box", True, [1, 2]), real) == "inferred"
    assert nearness(("blue box",), []) == "inferred"
    assert is_near({"a": 1}, {"a": 2}) and not is_near({"a": 1}, {"b": 1}) and not is_near(1, True)


def test_real_examples_stand_first_and_noise_is_left_out_where_they_are_known() -> None:
    cases = [
        ("[1]", '"a"', 0),
        ("[77]", '"b"', 0),
        ("[2]", '"c"', 1),
        ("[3]", '"d"', 0),
        ("[4]", '"e"', 0),
        ("[5]", '"f"', 0),
    ]
    shown = examples(cases, [2, 0, 2, 1, 2, 2], [frozenset({4})])
    assert shown[0] == ("[77]", '"b"') and {("[2]", '"c"'), ("[4]", '"e"')} <= set(shown)
    assert examples(cases)[:2] == [("[1]", '"a"'), ("[2]", '"c"')]


def test_examples_decide_between_readings_and_take_every_way() -> None:
    cases = [(f"[{number}]", str(number), number % 2) for number in range(30)]
    apart = [frozenset({7, 9}), frozenset({9}), frozenset({20, 21}), frozenset({9, 20}), frozenset({400})]
    shown = examples(cases, (), apart)
    assert {("[9]", "9"), ("[20]", "20")} <= set(shown)
    assert decided(shown, [case[:2] for case in cases], apart) == 4
    assert len(shown) == 4


def test_what_gives_an_argument_back_and_what_is_always_the_same_are_told_by_an_example() -> None:
    same = [(f'[["{name}"]]', f'["{name}"]', 0) for name in "abcdefgh"]
    assert ('[["c","c"]]', '["c"]') in examples([*same, ('[["c","c"]]', '["c"]', 0)])
    second = [(f"[{number},{number + 1}]", str(number + 1), 0) for number in range(9)]
    assert ("[30,3]", "30") in examples([*second, ("[30,3]", "30", 0)])
    none = [(f"[{number}]", "null", 0) for number in range(9)]
    assert ("[77]", "1") in examples([*none, ("[77]", "1", 0)])


def test_every_reading_that_a_short_case_decides_is_decided() -> None:
    cases = [(f"[{number}]", str(number), 0) for number in range(40)]
    apart = [*(frozenset(range(9)) for _ in range(90)), *(frozenset({number}) for number in range(20, 30))]
    assert decided(examples(cases, (), apart), [case[:2] for case in cases], apart) == 100


def test_a_long_case_is_shown_where_no_short_one_decides_a_reading() -> None:
    cases = [("[1]", "1", 0), ("[2]", "2", 0), (f'["{"x" * 300}"]', "3", 0)]
    assert cases[2][:2] in examples(cases, (), [frozenset({2})])


def test_each_of_few_results_is_shown_twice() -> None:
    cases = [(f'["a{number}"]', "false", 0) for number in range(9)] + [('["FORM"]', "true", 0), ('["form"]', "true", 0)]
    assert [case[:2] for case in cases[-2:]] == [case for case in examples(cases) if case[1] == "true"]


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        ([('["","9",76]', "[]"), ('["a","9",76]', '["a"]')], ('["",",",0]', '[""]')),
        ([('["ab",","]', '["ab"]'), ('[" a",","]', '["a"]')], ('[" ab",";"]', '[" ab"]')),
        ([('["ab"]', '"ab"'), ('["Cd"]', '"cd"'), ('["é"]', '"é"')], ('["aİ"]', '"ai"')),
        ([("[[1,2]]", "[1,2]"), ("[[2,1]]", "[1,2]")], ("[[9,9,1]]", "[9,9,1]")),
        ([("[3]", "4"), ("[0]", "1")], ("[-4]", "-3")),
        ([('["ab"]', '"ab"'), ('[" "]', '" "')], ('["a\\tb"]', '"a  b"')),
    ],
)
def test_what_examples_lead_to_believe_is_contradicted_by_one(
    usual: list[tuple[str, str]], other: tuple[str, str]
) -> None:
    plain = [
        (arguments.replace("b", letter), expected.replace("b", letter))
        for letter in "bcd"
        for arguments, expected in usual
    ]
    cases = [(*case, 0) for case in [*usual, *plain]]
    assert other in examples([*cases, (*other, 0)])


def test_a_long_case_is_shown_where_no_short_one_shows_its_way() -> None:
    long = f'{{"url":"{"x" * 300}"}}'
    cases = [("[null]", "null", 0), ('[""]', "null", 0), ('["44"]', long, 1), ('["45"]', long + " " * 9, 1)]
    assert [case for case in examples(cases) if case[0] in ('["44"]', '["45"]')] == [('["44"]', long)]
    assert ('["44"]', "9" * 1700) not in examples([("[null]", "null", 0), ('["44"]', "9" * 1700, 1)])


def test_an_example_of_plain_text_stands_for_an_odd_one_that_shows_the_same() -> None:
    cases = [('["\u0080²İ"]', "1", 0), ('["two words"]', "1", 0), ('["  -- \\t"]', "1", 1)]
    assert examples(cases, (), [frozenset({0, 1})])[0] == ('["two words"]', "1")


def test_forms_are_no_values_and_patterns_are_named() -> None:
    source = 'import re\ndef f(s):\n    return "{}{}/{}".format(s, 1, 2) if re.match("^[a-z]+$", s) else "%s" % s\n'
    assert sentences(source, deciding_constants(source)) == [
        'The beginning of `s` is matched against the regular expression `"^[a-z]+$"`.'
    ]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a subset of `ISO8601`_-formatted texts", "a subset of ISO8601-formatted texts"),
        ("see `the guide`_ and `this`__.", "see the guide and this."),
        ("like `the page <https://example.org>`_ says", "like the page says"),
        ("`type_` and id_ are names, __init__ and my_var_ too", "`type_` and id_ are names, __init__ and my_var_ too"),
    ],
)
def test_links_lose_their_marks_and_names_keep_theirs(written: str, shown: str) -> None:
    assert cut(written, "f", ["x"]) == shown


def test_a_value_that_decides_gets_an_example_and_plain_ones_stand_first() -> None:
    cases = [('["zz"]', "3", 0), ('["  .é"]', "1", 0), ('["http_equiv"]', "2", 0)]
    cases += [(f'["a{number}"]', "1", 0) for number in range(9)]
    assert ('["http_equiv"]', "2") not in examples(cases)
    shown = examples(cases, values=["http_equiv", 7, "nowhere"])
    assert ('["http_equiv"]', "2") in shown and shown[0] == ('["a0"]', "1")


def test_examples_that_call_something_else_are_no_words_of_a_task() -> None:
    docstring = """Join both.

    >>> extract("a.b").joined
    'a.b'

    >>> x = ["a", "b"]
    >>> joined(x)
    'a.b'

    >>> from elsewhere import help
    >>> help(1)
    2
    """
    text = cut(docstring, "joined", ["x"])
    assert "extract" not in text and "help" not in text and ">>> joined(x)\n'a.b'" in text
    assert ">>> _joined(x)" in cut(docstring.replace(">>> joined", ">>> _joined"), "joined", ["x"])


def test_a_place_that_the_program_writes_down_is_no_rule() -> None:
    told = [Reading("negative position", 1, change, True) for change in ("x[-1] → 1", "x[:-2] → 1", "x[i] → 1")]
    assert reading_rules(told[:2]) == [] and len(reading_rules(told)) == 1


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("case mapping", "s.split('.')[-1].lower() → ascii(s.split('.')[-1])"),
        ("division", "xs[-1] // 2 → int(xs[-1] / 2)"),
        ("lengths", "len(s[:-1]) → len(s[:-1].encode())"),
        ("negative position", "rows[-1][at] → rows[-1][at] if at >= 0 else None"),
        ("negative position", "rows[-1][:end] → rows[-1][:0]"),
    ],
)
def test_a_place_within_what_another_rule_changed_hides_no_rule(rule: str, change: str) -> None:
    assert len(reading_rules([Reading(rule, 1, change, True)])) == 1
    assert reading_rules([Reading("negative position", 1, "rows[at][-1] → None", True)]) == []


def test_texts_are_not_spoken_of_where_none_is_given():
    reading = [Reading("kinds", 1, "whole == 0 → …", True)]
    assert reading_rules(reading, [("[1,0]", '"n/a"')]) == [] and reading_rules(reading, [('["1",0]', "0")]) != []


@pytest.mark.parametrize(
    "program",
    [
        "def f(row, key='id'):\n    return row.get(key)\n",
        "def f(row, *, key='id'):\n    return row[key]\n",
        "def pick(row, key):\n    return row[key]\ndef f(row):\n    return pick(row, 'id')\n",
        "def pick(row, key):\n    return row[key]\ndef f(row):\n    return pick(row, key='id')\n",
        "def pick(row, key):\n    return row[key]\ndef f(row, a):\n    return pick(row, 'id' if a else a or 'id')\n",
        "def f(row):\n    return (lambda key='id': row[key])()\n",
        "def f(row):\n    return shop.pick(row, 'id')\n",
        "def f(row):\n    return shop.pick(row, key='id')\n",
        "def key():\n    return 'id'\ndef f(row):\n    return row[key()]\n",
        "def f(row):\n    key: str = 'id'\n    return row[key]\n",
        "def f(row):\n    match row:\n        case {'id': found}:\n            return found\n",
    ],
)
def test_a_text_that_reaches_a_look_up_is_a_key(program: str) -> None:
    assert possible_keys(program) == {"id"}


def test_what_is_written_and_what_stands_for_a_missing_key_is_none() -> None:
    program = "def f(row, key='id'):\n    return row.get(key, 'none') + '!' + row.pop(key, 'gone') + f'{key}?'\n"
    assert possible_keys(program) == {"id"}


@pytest.mark.parametrize(
    ("example", "stays"),
    [
        (">>> show(halve(3))", True),
        (">>> low = [1, 2]\n>>> halve(low)", True),
        (">>> import numpy as np\n>>> halve(np.array([1]))", True),
        (">>> halve([x for x in range(3)])", True),
        (">>> halve(low)", False),
        (">>> from own import Pair\n>>> halve(Pair(1, 2))", False),
        (">>> halve(3, by=lambda x: x)", False),
        (">>> halve(3, by=len)", False),
    ],
)
def test_an_example_that_no_case_can_be_is_left_out(example: str, stays: bool) -> None:
    """A solver read of objects and functions that nobody gives him."""
    assert ("halve(" in cut(f"Halve it.\n\n{example}\n1\n", "halve", ["low", "by"])) is stays


def test_an_announcement_goes_with_its_examples() -> None:
    """Of an example on an object that a solver does not have the last words of its announcement were left."""
    words = (
        "Halve the range.\n\nTo find the first number whose square is over\n1000:\n\n>>> s = Range(0, 9)\n>>> s.go()\n4"
    )
    assert cut(words, "halve", ["low"]) == "Halve the range."
    assert cut("Halve it, so that:\n\n>>> s = Range(0, 9)\n>>> s.go()\n4", "halve", []) == "Halve it, so that:"
    called = "Halve it.\n\nAs in:\n\n>>> halve(3)\n1"
    assert cut(called, "halve", []) == called


@pytest.mark.parametrize(
    ("docstring", "parameters", "returns"),
    [
        # Its last words stood in the description, torn off.
        ("Add.\n\n@param x: the first\nnumber\n\n@return: the\nsum", {"x": "the first number"}, "the sum"),
        ("Add.\n\n@param x   the first\n@return    the sum", {"x": "the first"}, "the sum"),
        ("Add.\n\n:param x: the L{first} I{number}\n:return: C{int}", {"x": "the `first` number"}, "`int`"),
        ("Add.\n\n:param x: first\n>>> f(1)\n2", {"x": "first"}, ""),
    ],
)
def test_a_field_holds_all_its_words(docstring: str, parameters: dict[str, str], returns: str) -> None:
    prose = read_prose(docstring)
    assert (prose.parameters, prose.returns) == (parameters, returns)
    assert prose.text.split("\n")[0] == "Add." and "number" not in prose.text and "sum" not in prose.text
