"""What a solver is told: docstrings as plain text, when words suffice, what values are for, public names."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbt_generator.domain.oracle.certificate import Reading
from pbt_generator.domain.task.naming import public
from pbt_generator.domain.task.wording.constants import (
    deciding_constants,
    sentences,
    silent_constants,
    unexplained,
)
from pbt_generator.domain.task.wording.contradicting import contradictions, disagreements
from pbt_generator.domain.task.wording.examples import examples
from pbt_generator.domain.task.wording.giveaways import own_lines, without_lines
from pbt_generator.domain.task.wording.instruction import compose, visible
from pbt_generator.domain.task.wording.mentions import unmentioned
from pbt_generator.domain.task.wording.observed import Entry, Observed
from pbt_generator.domain.task.wording.prose import absent_names, gaps, read_prose
from pbt_generator.domain.task.wording.reading_rules import OF_ENDS, reading_rules
from pbt_generator.domain.task.wording.told import Told
from touchstone_values import decode, encode

GOOGLE = """Cut a text at a width.

    Longer than :class:`~textwrap.TextWrapper` but ``simple``::

    .. versionadded:: 1.2
       Not here.

    Args:
        text (str): what is cut
        width: the most characters,
            the ellipsis included

    Returns:
        str: the text, or its beginning with an ellipsis

    Raises:
        ValueError: never mind
    """
NUMPY = """
    Scale values.

    Parameters
    ----------
    values : list of float
        What is scaled.
    by : float, optional
        The factor.

    Returns
    -------
    list
        As many values.

    Notes
    -----
    Zero stays zero.

    Examples
    --------
    >>> scale([1.0], 2.0)
    [2.0]
    """
SPHINX = ":param int n: how often\n:returns: the text, repeated\n:rtype: str"


def test_sections_become_words_of_parameters_and_result_and_markup_goes() -> None:
    google = read_prose(GOOGLE)
    assert google.text == "Cut a text at a width.\n\nLonger than `TextWrapper` but `simple`:"
    assert google.parameters == {"text": "what is cut", "width": "the most characters, the ellipsis included"}
    assert google.returns == "the text, or its beginning with an ellipsis"
    numpy = read_prose(NUMPY)
    assert numpy.parameters == {"values": "What is scaled.", "by": "The factor."}
    assert "Zero stays zero." in numpy.text and ">>> scale([1.0], 2.0)\n[2.0]" in numpy.text
    assert "---" not in numpy.text and "Parameters" not in numpy.text
    assert numpy.returns == "As many values."
    sphinx = read_prose(f"Repeat.\n\n{SPHINX}\n\nThe end.")
    assert (sphinx.text, sphinx.parameters, sphinx.returns) == (
        "Repeat.\n\nThe end.", {"n": "how often"}, "the text, repeated",
    )  # fmt: skip


def test_what_authors_remind_themselves_of_is_no_part_of_a_description() -> None:
    prose = read_prose("Escape a text.\n\nTODO: verify that it\n  can be used.\n\nIt is quoted.\nFIXME(ann) - slow\n")
    assert prose.text == "Escape a text.\n\nIt is quoted."
    # What is no part of the reminder stays, also without an empty line between them.
    prose = read_prose("XXX: slow.\nReturns the text\nwithout blanks.\nTODO - ask whether\nthis is right\nEnds.")
    assert prose.text == "Returns the text\nwithout blanks.\n\nEnds."
    assert read_prose("Lists the TODO: items.\n\nTODO items are kept.").text == (
        "Lists the TODO: items.\n\nTODO items are kept."
    )


@pytest.mark.parametrize(
    ("docstring", "parameters", "untold", "lacks"),
    [
        (GOOGLE, ["text", "width"], [], []),
        (NUMPY, ["values", "by"], [], []),
        (NUMPY, ["values", "by"], [400], ["1 values that decide are explained nowhere"]),
        ("Compare two texts for being equal.", ["a", "b"], [], []),
        (
            "Quote names that are reserved, such as limit, order, etc.",
            ["name"],
            [],
            ["it enumerates something and does not say all of it (etc.)"],
        ),
        ("", ["x"], [], ["it has hardly any words", "it does not say what comes back"]),
        ("See above.", ["x"], [], ["it has hardly any words", "it does not say what comes back"]),
        ("Merge two maps, the first one wins.", ["left", "right"], [], ["it does not speak of left, right"]),
        ("Return the max length of all given parts.", ["max_length", "parts"], [], []),
        # Written out, as a verb, by its last part, by the one role that it alone has, as one of two.
        ("Cut a string at the maximum width.", ["s", "max_width"], [], []),
        ("Join the items, separated by a text.", ["items", "separator"], [], []),
        ("Return the tail of a path after an anchor.", ["file_path", "anchor"], [], []),
        ("Look a key up in the given dictionary.", ["mapping", "key"], [], []),
        ("Compare two versions by size and date.", ["version1", "version2"], [], []),
        # Two of a role, and two that end alike, are not told apart.
        ("Return a string from the given string.", ["text", "other_string"], [], ["it does not speak of text"]),
        ("Return the tags that are given.", ["old_tags", "new_tags"], [], ["it does not speak of old_tags, new_tags"]),
        ("Pad it.\n\n>>> f('a', 2)\n' a'\n>>> f('a', 3)\n'  a'\nPads a text on the left.", ["text", "k1"], [], []),
        ("Return the price with all fees added.", ["x"], [5, 7, 9, 11], ["4 values that decide are explained nowhere"]),
    ],
)
def test_words_suffice_by_stated_rules(docstring, parameters, untold, lacks) -> None:
    assert gaps(read_prose(docstring), parameters, untold, entry_point="f") == lacks


def test_many_decisions_want_many_words() -> None:
    thin = read_prose("Strip HTML tags and return plain text. Note: HTML entities are unaffected.")
    assert gaps(thin, ["text"], [], decisions=2) == []
    assert gaps(thin, ["text"], [], decisions=4) == ["it has few words for 4 decisions"]
    told = read_prose(
        f"{thin.text}\n\nArgs:\n    text: what may hold tags, comments and entities of HTML, one after another"
    )
    assert gaps(told, ["text"], [], decisions=4) == []


INT, TRUTH, TEXT, NUMBER = (Observed(name) for name in ("int", "bool", "text", "float"))
ANYTHING = Observed("any", kinds=("int", "list", "map", "text"))
RECORD = Observed("map", entries=(Entry("at", ANYTHING, True),))


@pytest.mark.parametrize(
    ("docstring", "told", "result", "against"),
    [
        ("Go on.\n\n:param int n: days", Told("n", TRUTH), INT,
         "`n` is an int in words, and a truth value in the cases"),
        ("Go to the next weekday.", Told("weekday", TRUTH), INT,
         "`weekday` sounds like a value, and is a truth value in the cases"),
        ("Go on where weekday is true: if weekday, say so.", Told("weekday", TRUTH), INT, ""),
        ("Go on.\n\nArgs:\n    strict: how", Told("strict", TRUTH), INT, ""),
        ("Cut.\n\nArgs:\n    n (int): where", Told("n", NUMBER), TEXT,
         "`n` is an int in words, and a number in the cases"),
        ("Cut.\n\nArgs:\n    n (float or None): where", Told("n", INT), TEXT, ""),
        ("Cut.\n\nArgs:\n    n (Money): where", Told("n", TEXT), TEXT, ""),
        ("Return True if it fits.", Told("x", INT), TEXT,
         "the result is a truth value in words, and a text in the cases"),
        ("Return True if it fits.", Told("x", INT), TRUTH, ""),
        ("Check whether it fits.\n\n:rtype: str", Told("x", INT), TEXT, ""),
        ("Return a list of parts.", Told("x", INT), TEXT, "the result is a list in words, and a text in the cases"),
        ("Return a list or a text.", Told("x", INT), TEXT, ""),
        ("Parts.\n\nReturns:\n    dict: of parts", Told("x", INT), TEXT,
         "the result is a dict in words, and a text in the cases"),
        ("Parts.\n\nReturns\n-------\nout : str\n    of parts", Told("x", INT), INT,
         "the result is a str in words, and an integer in the cases"),
        ("Pad.", Told("n", INT, "how far, defaults to 4", "3"), TEXT,
         "the default of `n` is 4 in words, and 3 in the head"),
        ("Pad.", Told("n", INT, "how far (default: 3)", "3"), TEXT, ""),
        ("Is it newer?", Told("x", RECORD), TRUTH,
         '`x` has "at", of which the cases show no kind'),
        ("Return true if it is newer.", Told("x", Observed("map", RECORD)), TRUTH,
         '`x` has "at", of which the cases show no kind'),
        ("Check if it ends in a number and add one to it.", Told("x", TEXT), TEXT, ""),
        ("Turn it round.", Told("x", Observed("list", ANYTHING)), Observed("list", ANYTHING), ""),
        ("Who left.", Told("member", ANYTHING, "the person who leaves"), INT,
         "`member` is of every kind in the cases, and nobody said of which"),
        ("Say it.", Told("x", ANYTHING, "any value at all"), TEXT, ""),
        ("Say it.\n\n:param object x: said", Told("x", ANYTHING, "said"), TEXT, ""),
        ("Cut a list.", Told("list_", Observed("map", TEXT)), Observed("list", TEXT),
         "`list_` sounds like a list, and is a map from texts to texts in the cases"),
        ("Show it.", Told("list", TRUTH, "whether as a list"), TEXT, ""),
        ("Who left.\n\n:type member: Person", Told("member", ANYTHING, "the person who leaves"), INT,
         "`member` is of every kind in the cases, and nobody said of which"),
        ("Cut it.", Told("list_", Observed("list", TEXT)), Observed("list", TEXT), ""),
        ("Weigh.", Told("offers", Observed("list", ANYTHING), "`iterable` of `str`s, each a coding"), INT,
         "`offers` holds str in words, and one of several kinds: an integer, a list, a map, a text in the cases"),
        ("Weigh.", Told("offers", Observed("list", TEXT), "`iterable` of `str`s, each a coding"), INT, ""),
        ("Weigh.", Told("sizes", Observed("list", INT), "a list of numbers"), INT, ""),
        ("Weigh.", Told("people", Observed("list", ANYTHING), "a list of people"), INT, ""),
    ],
)  # fmt: skip
def test_words_that_cases_do_not_bear_out_are_a_gap(docstring, told, result, against) -> None:
    found = disagreements(docstring, [told], result)
    assert found == ([against] if against else [])
    assert [each for each in gaps(read_prose(docstring), ["x"], [], against=found) if each in found] == found


def test_a_role_over_two_lines_is_plain_text() -> None:
    assert read_prose("See :ref:`the\n  rules <r>` there.").text == "See `the rules` there."


EXACTLY = """Return ``True`` if exactly *n* items of the *iterable* pass the *predicate* function.

>>> exactly_n([True, True, False], 2)
True
>>> exactly_n([0, 1, 2], 2, lambda x: x < 2)
True
"""


@pytest.mark.parametrize(
    ("docstring", "own", "given", "absent"),
    [
        (EXACTLY, ["iterable", "n", "predicate"], ["iterable", "n"], ["predicate"]),
        (EXACTLY, ["iterable", "n", "predicate"], ["iterable", "n", "predicate"], []),
        # Its name stands nowhere, and an example gives it.
        (EXACTLY.replace("pass the *predicate* function", "are true"), ["xs", "n", "test"], ["xs", "n"], ["test"]),
        ("Sort texts.\n\n>>> f(['a'], by=len)\n['a']", ["texts", "by"], ["texts"], ["by"]),
        # What only its own section tells is not told to the solver.
        ("Sort texts.\n\nArgs:\n    texts: some\n    order: how", ["texts", "order"], ["texts"], []),
        ("Sort by order.\n\nArgs:\n    texts: some\n    order: how", ["texts"], ["texts"], ["order"]),
        ("Join texts; kwargs go to print.", ["texts", "kwargs"], ["texts"], ["kwargs"]),
    ],
)
def test_words_about_a_parameter_that_cases_never_give_are_a_gap(docstring, own, given, absent) -> None:
    prose = read_prose(docstring)
    assert absent_names(prose, "exactly_n" if "exactly_n" in docstring else "f", own, [], given) == absent
    found = [each for each in gaps(prose, given, [], (), absent) if "not given" in each]
    assert found == [f"it speaks of {name}, which is not given here" for name in absent]


def test_further_arguments_of_an_example_are_no_named_ones() -> None:
    assert absent_names(read_prose("Join.\n\n>>> f(1, 2)\n'12'"), "f", [], ["parts", "sep"], ["parts"]) == []


def test_an_example_that_a_case_contradicts_is_a_gap() -> None:
    text = "Double.\n\n>>> twice(2)\n5\n>>> twice(3)\n6\n>>> other(2)\n9\n"
    against = contradictions(text, "twice", {"[2]": "4", "[3]": "6"}, encode)
    assert against == ["`twice(2)`"]
    named = "Add.\n\n>>> add(2, by=3)\n6\n>>> add(2, by=4)\nTraceback (most recent call last):\nValueError: no\n"
    assert contradictions(named, "add", {"[2,3]": "5", "[2,4]": "6"}, encode, ["x", "by"]) == [
        "`add(2, by=3)`", "`add(2, by=4)`",
    ]  # fmt: skip
    assert contradictions(named, "add", {"[2,3]": "5"}, encode, ["x", "to", "by"]) == []
    assert gaps(read_prose("Return a number doubled, always."), ["x"], [], against)


def test_a_constant_is_told_by_a_value_of_its_own_alone() -> None:
    assert unmentioned([7, "é", ".", 2.5], "17 and 7.5, é. and 2.5") == [7, "."]
    assert unmentioned(["\t"], "a tab") == ["\t"]


def test_patterns_limits_and_long_tables_want_more_than_an_example_or_a_sentence() -> None:
    words = " ".join(f"word{number}" for number in range(90))
    source = (
        "import re\n"
        f"WORDS = {words!r}.split()\n"
        "def f(s, x):\n"
        "    if abs(x) < 0.0001 and s not in WORDS:\n"
        "        return 'a-b'\n"
        "    return re.sub('(?:^|_)(.)', ' ', s) if x % 100 == 13 else s.split(';')[2:] + g('secret')\n"
    )
    assert silent_constants(source) == [0.0001, "(?:^|_)(.)"]
    hidden = unexplained(source, deciding_constants(source))
    points = "def f(s):\n    return all(ord(c) < 128 for c in s)\n"
    assert silent_constants(points) == [128] and unexplained(points, [128]) == []
    assert sentences(points, [128]) == ["It matters whether the code point of an item of `s` is below `128`."]
    # What is compared with a limit is said, the sign left out or not.
    assert sentences(source, [0.0001]) == ["It matters whether the absolute value of `x` is below `0.0001`."]
    assert set(hidden) == {"(?:^|_)(.)", "secret"}
    assert sentences(source, [words]) == [f'A table `WORDS` in which `s` is looked up: the words of `"{words}"`.']


@pytest.mark.parametrize(
    ("body", "value", "said"),
    [
        ("return s.endswith(('.a', '.b'))", ".b", 'It matters whether `s` ends with `".a"`, `".b"`.'),
        ("return any(c in s for c in ('x', 'y'))", "x", '`"x"`, `"y"` are gone through in this order.'),
        ("for u in ['k', 'M']:\n        s += u\n    return s", "M", '`"k"`, `"M"` are gone through in this order.'),
        ("return divmod(s, 60)", 60, "`s` is divided by `60`, down to a whole number, and the remainder is taken."),
        ("return s[s.find('-->') + 3 :]", "-->", '`s` is searched for `"-->"`.'),
        ("return 20, 30", 30, "The result may be `[20, 30]`."),
    ],
)
def test_members_of_a_written_sequence_are_told_with_what_it_is_for(body, value, said) -> None:
    source = f"def f(s):\n    {body}\n"
    assert sentences(source, [value]) == [said]
    assert unexplained(source, [value]) == []


@pytest.mark.parametrize(
    "body",
    [
        'return f"{{0:0{n}b}}".format(s)',
        'return ("{0:0" + str(n) + "b}").format(s)',
        'return ("%0" + str(n) + "x") % s',
        'return format(s, "0" + str(n) + "b")',
        'form = "{0:0" + str(n) + "b}"\n    return form.format(s)',
    ],
)
def test_pieces_of_a_form_are_not_said_to_be_written_and_stay_a_gap(body: str) -> None:
    source = f"def f(s, n):\n    {body}\n"
    pieces = [value for value in deciding_constants(source) if isinstance(value, str)]
    assert pieces and sentences(source, pieces) == []
    assert unexplained(source, pieces), "no word says what the form is"


def test_what_is_written_beside_a_form_is_told() -> None:
    source = "def f(s):\n    return 'total: ' + '%d' % s + ' of them'\n"
    assert sentences(source, ["total: ", " of them"]) == [
        'A text is put together: `"total: … of them"`, where … stands for another part.'
    ]


def test_a_small_step_is_no_sentence() -> None:
    assert sentences("def f(s):\n    return s[s.find('-->') + 3 :]\n", [3]) == []


def test_a_sequence_whose_use_nothing_tells_stays_a_gap() -> None:
    assert unexplained("def f(s):\n    return g(s, ['alpha', 40])\n", ["alpha", 40]) == ["alpha", 40]


def test_examples_show_every_kind_of_argument_and_result() -> None:
    cases = [(f'["a{number}"]', "[]", 0) for number in range(30)]
    cases += [('["abc"]', '["x"]', 0), ('[["abc"]]', "[]", 0), ("[null]", "null", 0)]
    shown = examples(cases)
    assert ('["abc"]', '["x"]') in shown and ('[["abc"]]', "[]") in shown and ("[null]", "null") in shown
    assert len(shown) < 14


def test_values_are_said_with_what_they_are_for() -> None:
    source = (
        "SIZES = {'kb': 1024}\n"
        "def f(text, mode):\n"
        "    if mode in ('a', 'b') or len(text) > 40:\n"
        "        return text.replace('x', 'yy')\n"
        "    if mode == 'skip' and weight(3):\n"
        "        return round(SIZES[text[:4]] * 1.5, 5)\n"
        "    return text.split(';')\n"
    )
    told = sentences(source, deciding_constants(source))
    assert 'A table `SIZES` in which a part of `text` is looked up: `{"kb": 1024}`.' in told
    assert 'It matters whether `mode` is one of `"a"`, `"b"`.' in told
    assert "It matters whether the length of `text` is above `40`." in told
    assert 'In `text` `"x"` is replaced by `"yy"`.' in told
    assert 'It matters whether `mode` is `"skip"`.' in told
    assert "A value made of `text` is multiplied by `1.5`." in told and "Numbers are rounded to `5` decimals." in told
    # A small number whose use nothing tells is noise.
    assert not any("`3`" in each for each in told)


def test_a_piece_of_a_regular_expression_is_said_to_be_one_and_explains_nothing() -> None:
    source = (
        "import re\n"
        "LONG = re.compile('(?:' + KINDS + r')?\\'{3}')\n"
        "def f(text):\n"
        "    return bool(re.match(f'{HEAD}[a-z]+', text)) or 'no' + text\n"
    )
    told = sentences(source, deciding_constants(source))
    assert sorted(told) == [
        'A regular expression is put together: `"(?:…)?\\\\\'{3}"`, where … stands for another part.',
        'A regular expression is put together: `"…[a-z]+"`, where … stands for another part.',
        'A text is put together: `"no…"`, where … stands for another part.',
    ]
    assert unexplained(source, ["[a-z]+", "(?:", "no"]) == ["[a-z]+", "(?:"]


def test_an_instruction_reads_well() -> None:
    told = compose(
        "shorten", "SC", read_prose("Return a list of ``dict()`` or None, see `list`.\n\n:param text: a str"),
        [
            Told("text", Observed("text"), "the str to cut", "'x'"),
            Told("more", Observed("list", Observed("int")), variadic=True),
        ],
        Observed("text"), [('["ab"]', '"a"')], ["Texts are split at `\";\"`."], ["re"], [], ["[3]"],
    )  # fmt: skip
    assert "Return a list of `dict()` or nothing (null), see `list`." in told
    assert '- `text`: a text, default `"x"`. The text to cut' in told
    assert "- `more`: any number of further arguments, together a sequence of integers" in told
    assert "Inputs that are refused with an error, such as `[3]`, are not among the cases." in told
    assert "You may use" not in told
    truth = compose(
        "f", "SC", read_prose("True if it is so."), [], Observed("bool"), [('[{"$":"bytes","v":""}]', "true")]
    )
    assert "\nTrue if it is so." in truth and "are bytes, written in base64" in truth
    told = compose("f", "WSC", read_prose(""), [], Observed("text"), [], libraries=["__future__", "re", "typing"])
    assert told.endswith("You may use: re.")


def test_private_names_become_public_where_nothing_else_changes() -> None:
    assert public("_fib", "def _fib(n):\n    return n if n < 2 else _fib(n - 1)  # _fib\n")[1].count("_fib") == 1
    for name, code in (
        ("_f", "def _f(x, f):\n    return f\n"), ("_in", "def _in(x):\n    return x\n"),
        ("_f", "def _f(x):\n    return globals()['_f']\n"), ("f", "def f(x):\n    return x\n"),
        ("_", "def _(x):\n    return x\n"),
    ):  # fmt: skip
        assert public(name, code) == (name, code)


@given(st.text())
def test_every_character_of_an_example_can_be_seen_and_means_what_it_meant(text):
    shown = visible(encode([text]))
    assert shown.isprintable()
    assert decode(shown) == [text]


LEAKY = '''
def scale(values, factor):
    """Scale values.

    It does the following::

        return [value * factor for value in values if value]

    >>> scale([1], 2)
    [2]
    """
    return [value * factor for value in values if value]
'''


def test_lines_of_the_program_in_its_own_docstring_are_no_description() -> None:
    docstring = ast.get_docstring(ast.parse(LEAKY).body[0]) or ""  # pyright: ignore[reportArgumentType]
    lines = own_lines(LEAKY, "scale")
    kept = without_lines(read_prose(docstring), lines).text
    assert not any(line in kept for line in lines.telling)
    assert "Scale values." in kept and ">>> scale([1], 2)" in kept


def test_every_constant_that_decides_is_told_however_many_there_are() -> None:
    tests = "".join(f"    if word == 'word{number}':\n        return {number + 40}\n" for number in range(40))
    source = f"def f(word):\n{tests}    return 0\n"
    told = " ".join(sentences(source, deciding_constants(source)))
    assert all(f'"word{number}"' in told and f"`{number + 40}`" in told for number in range(40))


@pytest.mark.parametrize("call", ["capitalize()", "title()", "upper()"])
def test_what_becomes_of_a_letter_without_an_upper_one_is_told(call: str) -> None:
    (words,) = reading_rules([Reading("case mapping", 1, f"word.{call} → …", told_apart=True)])
    assert "ß becomes" in words


@pytest.mark.parametrize(
    ("cases", "told"),
    [
        ([('["ΟΔΟΣ"]', '"οδος"')], OF_ENDS),
        # A function that goes letter by letter: readers were told the other.
        ([('["ΟΔΟΣ"]', '"οδοσ"')], "Σ becomes σ in lower case, at the end of a word too."),
        ([('["ODOS"]', '"odos"')], ""),
    ],
)
def test_what_becomes_of_sigma_is_what_the_cases_show(cases: list[tuple[str, str]], told: str) -> None:
    rules = reading_rules([Reading("case mapping", 1, "word.lower() → …", told_apart=True)], cases)
    assert [rule for rule in rules if rule.startswith("Σ")] == ([told] if told else [])
    assert "Σ" not in rules[0]


def test_rules_that_cases_hang_on_are_told_once() -> None:
    readings = [
        Reading("lengths", 1, "len(s) → …", told_apart=True),
        Reading("bytes", 1, "len(s) → …", told_apart=True),
        Reading("digits", 2, "s.isdigit() → s.isdecimal()", told_apart=True),
        Reading("digits", 3, "s.isdigit() → s.isnumeric()", told_apart=True),
        Reading("overflow", 3, "n * 3 → …", told_apart=False),
        Reading("numerals", 4, "int(s) → …", told_apart=True),
    ]
    assert reading_rules(readings) == [
        "Lengths and positions in texts count code points: a character beyond 16 bits is one.",
        "Digits are those of all scripts, superscripts among them (٣, ²).",
        "A text of a number may have blanks (all white space of Unicode) at its ends, and a plus sign.",
    ]


def test_tables_are_told_whatever_they_are_made_as() -> None:
    program = """
PREFIXES = frozenset(("r", "u", "fr"))

def f(x):
    if hasattr(x, "splitlines"):
        return x in PREFIXES
    return x in set(["zz", "yy"])
"""
    constants = deciding_constants(program)
    # By which name a value is asked for an attribute is how the program looks at it.
    assert "splitlines" not in constants
    told = sentences(program, constants)
    assert told == [
        'It matters whether `x` is one of `"r"`, `"u"`, `"fr"`.',
        'It matters whether `x` is one of `"zz"`, `"yy"`.',
    ]
    assert not unexplained(program, constants)
