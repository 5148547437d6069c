"""The neutral dress: names are gone, everything else stays, and what cannot wear it is left out for a stated reason."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbt_generator.domain.exercises import dress
from pbt_generator.domain.exercises.dress import ENTRY, Dress, Wearer, dressed, spelled
from pbt_generator.domain.exercises.heads import renamed_heads
from pbt_generator.domain.task.wording.afterwards import kept_fields
from pbt_generator.domain.task.wording.heads import signatures
from pbt_generator.domain.task.wording.instruction import compose
from pbt_generator.domain.task.wording.observed import Observed, observe
from pbt_generator.domain.task.wording.operations import operation_rules
from pbt_generator.domain.task.wording.prose import Prose, read_prose
from pbt_generator.domain.task.wording.told import Told

TEXT, COUNT = Observed("text"), Observed("int")
WORDS = """Cut `text` to a width, as clip_text("abc", width=2) does, ending in `marker * 2`.

>>> clip_text("text width", 3, marker="text")
'text'
>>> from pack.words import clip_text
>>> words.clip_text(text, width=max_width, other=dict(width=1))"""
SOURCE = """MARKS = {1: "x"}


class Mark:
    pass


def clip_text(text, width, marker):
    return text[:width] + marker
"""
CASES = (('["abc",2,"text"]', '"abtext"'), ('["",0,"."]', '"."'))


def wearer(
    words: str = WORDS, entry: str = "clip_text", names: tuple[str, ...] = ("text", "width", "marker")
) -> Wearer:
    typed = [(name, COUNT if name == "width" else TEXT) for name in names]
    told = [Told(name, seen, "No longer than the width" if name == "text" else "") for name, seen in typed]
    rules = ["`width` is compared with `3`.", 'Texts are split at `"text"`.']
    written = compose(entry, "SC", Prose(words, {}, ""), told, TEXT, CASES, rules, (), (), ('["width",1,""]',))
    return Wearer(entry, written, signatures(entry, told, TEXT), SOURCE, CASES, entry, ("pack", "pack"))


def worn(given: Wearer) -> Dress:
    found = dressed(given)
    assert isinstance(found, Dress), found
    return found


def test_names_change_where_they_stand_as_names_and_nothing_else_does():
    found = worn(wearer())
    assert found.instruction.split("\n\n")[:3] == [
        "Write a function named `function_1`.",
        'Cut `arg_1` to a width, as function_1("abc", arg_2=2) does, ending in `arg_3 * 2`.',
        '>>> function_1("text width", 3, arg_3="text")\n\'text\'\n>>> from package_1.words import function_1\n'
        ">>> words.function_1(arg_1, arg_2=max_width, other=dict(width=1))",
    ]
    assert "- `arg_1`: a text. No longer than the width" in found.instruction
    assert "- `arg_2` (“width” in words): an integer" in found.instruction
    assert "`arg_2` is compared with `3`." in found.instruction and 'split at `"text"`' in found.instruction
    for arguments, result in CASES:
        assert f"`{arguments}` gives `{result}`" in found.instruction
    assert '`["width",1,""]`' in found.instruction


def test_heads_change_in_five_languages_and_types_stay():
    typed = [Told("map", Observed("map", COUNT, key="text")), Told("text", Observed("list", TEXT), default="['a, b)']")]
    heads = signatures("clip", typed, TEXT)
    found = renamed_heads(heads, "clip", ENTRY, {"map": "arg_1", "text": "arg_2"})
    assert found == signatures(ENTRY, [replace(typed[0], name="arg_1"), replace(typed[1], name="arg_2")], TEXT)
    assert set(found) == {"python", "javascript", "typescript", "java", "go"}
    assert renamed_heads(heads, "clip", ENTRY, {"map": "arg_1"}) is None
    assert renamed_heads(heads, "other", ENTRY, {"map": "arg_1", "text": "arg_2"}) is None


def test_a_dressed_task_stays_as_it_is_and_the_same_task_gives_the_same_dress():
    found = worn(wearer())
    assert found == worn(wearer())
    again = replace(wearer(), entry_point=ENTRY, instruction=found.instruction, signatures=found.signatures)
    assert worn(again) == replace(found, names={})


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"cases": (('{"text":"a"}', '"a"'),)}, dress.NAMED_ARGUMENTS),
        ({"cases": (('["a"]', '"clip_text: a"'),)}, dress.NAME_IN_RESULTS),
        ({"source": f"{SOURCE}\n\narg_2 = 1\n"}, dress.TAKEN),
        ({"instruction": "Cut texts with `clip_text`."}, dress.OTHER_FORM),
        ({"signatures": {"python": "def clip_text(text, width) -> str"}}, dress.OTHER_HEADS),
        ({"signatures": {"python": "clip_text"}}, dress.OTHER_HEADS),
        ({"packages": ("abc", "cut")}, dress.PACKAGE_IN_WORDS),
    ],
)
def test_what_cannot_be_dressed_faithfully_is_left_out_for_a_stated_reason(changed, reason):
    assert dressed(replace(wearer(), **changed)) == reason


@pytest.mark.parametrize("words", ["Clip text to a width.", "See ClipText.", "A clip-text way.", "CLIP_TEXT cuts it"])
def test_a_name_that_is_used_as_words_leaves_the_task_out(words):
    assert dressed(wearer(words)) == dress.NAME_IN_WORDS
    assert isinstance(dressed(wearer("Clips texts, as clip_text(text) does.")), Dress)


def test_a_name_behind_a_sign_that_makes_another_thing_of_it_stays():
    told = worn(wearer("Cuts at a break (\\n) and writes %s, of *n* or n and s.", names=("text", "n", "s"))).instruction
    assert "Cuts at a break (\\n) and writes %s, of *arg_2* or arg_2 and arg_3." in told


def test_a_result_that_hands_the_name_back_is_no_reason():
    echoed = replace(wearer("Cuts."), cases=(('["clip_text"]', '"clip_text"'),))
    assert isinstance(dressed(echoed), Dress)


def test_names_of_the_file_change_where_they_cannot_be_words():
    words = "Uses Mark() and `MARKS`, but marks and a Mark in a sentence stay; max_width too, n-th, and *width*."
    told = worn(wearer(words)).instruction
    assert (
        "Uses name_2() and `name_1`, but marks and a Mark in a sentence stay; max_width too, n-th, and *arg_2*." in told
    )


def composed(entry: str, source: str, words: str, cases: tuple[tuple[str, str], ...], rules: list[str]) -> Wearer:
    """A wearer with what the cases show of each parameter."""
    names = re.findall(r"\w+", source.rpartition(f"def {entry}(")[2].partition(")")[0])
    columns = zip(*(json.loads(arguments) for arguments, _ in cases), strict=True)
    # A key is told where three cases have it.
    told = [Told(name, observe([*column] * 3)) for name, column in zip(names, columns, strict=True)]
    result = observe([json.loads(expected) for _, expected in cases] * 3)
    written = compose(entry, "SC", read_prose(words), told, result, cases, (), (), rules)
    return Wearer(entry, written, signatures(entry, told, result), source, cases)


PUSHED = """def push(items, max_size, n):
    if len(items) < max_size:
        items.append(n)
    return {"items": items, "max_size": max_size, "_n": n}
"""


def test_keys_of_results_and_of_maps_stay_since_cases_hold_them() -> None:
    """A solver who believed the words under neutral names failed every case."""
    cases = (("[[1],3,2]", '{"_n":2,"items":[1,2],"max_size":3}'), ("[[],0,2]", '{"_n":2,"items":[],"max_size":1}'))
    words = "Put `n` on top, up to max_size, which 'max_size' or \"max_size\" keeps."
    found = worn(composed("push", PUSHED, words, cases, kept_fields(PUSHED, "push"))).instruction
    assert "Put `arg_3` on top, up to arg_2, which 'max_size' or \"max_size\" keeps." in found
    assert 'Result: a map with "_n" (an integer), "items" (a sequence of integers), "max_size" (an integer)' in found
    assert "under `items` what `arg_1` has become, under `max_size` what `arg_2` has become" in found
    held = (('[{"n":1,"max_size":2},3]', "3"), ('[{"n":4,"max_size":2},3]', "7"))
    taken = "def total(n, max_size):\n    return n['n'] + max_size\n"
    told = worn(composed("total", taken, 'Add n["n"] and *max_size* of the map.', held, [])).instruction
    assert 'Add arg_1["n"] and *arg_2* of the map.' in told
    assert '- `arg_1`: a map with "max_size" (an integer), "n" (an integer)' in told


def test_attributes_and_options_in_rules_are_no_parameters() -> None:
    rules = [
        "It matters whether the `width` of `text` is above `3`.",
        "`marker` of `split` is `1`.",
        "`width` is given `2`.",
        "`width` is multiplied by `2`.",
    ]
    given = wearer("Cuts.")
    found = worn(replace(given, instruction=given.instruction + "".join(f"\n\n{rule}" for rule in rules))).instruction
    assert found.split("\n\n")[-4:] == [
        "It matters whether the `width` of `arg_1` is above `3`.", *rules[1:3], "`arg_2` is multiplied by `2`.",
    ]  # fmt: skip


STORE = """class Store:
    def __init__(self, capacity, key):
        self._capacity = capacity

    @property
    def capacity(self):
        \"\"\"How many fit: the `capacity` that was given.\"\"\"
        return self._capacity

    def put(self, key, mark="`: "):
        \"\"\"Put `key` there if `capacity` allows it.\"\"\"
        return key


def store_operations(operations, capacity, key):
    driven = Store(capacity, key)
    methods = {"capacity": lambda: driven.capacity, "put": driven.put}
    return [deepcopy(methods[name](*given)) for name, *given in operations]
"""


def test_operations_and_their_arguments_keep_their_names() -> None:
    cases = (('[[["put","a"],["capacity"]],2,"k"]', '["a",2]'), ('[[["capacity"]],3,"k"]', "[3]"))
    rules = operation_rules(STORE, "store_operations", portable=True)
    found = worn(composed("store_operations", STORE, "Keeps the values of `key`.", cases, rules)).instruction
    assert "`arg_1` holds operations" in found and "Keeps the values of `arg_3`." in found
    assert "- `capacity`: How many fit: the `capacity` that was given." in found
    assert "- `put`, arguments `key`, `mark` (may be left out, then '`: '): Put `key` there" in found


PIECES = ["the", "cut", "`a_b`", "width", "a_b(width=1)", "*mark*", '"width"', "a", "n", "`width > 'mark'`", "ends.",
          '`[1,"width"]`', "x_width"]  # fmt: skip
PLAIN_WORDS = st.lists(st.sampled_from(PIECES), max_size=12)
NAMES = st.sampled_from(["width", "mark", "a", "n", "x_width", "list", "value1", "fromIndex"])


@given(
    words=PLAIN_WORDS,
    names=st.lists(NAMES, min_size=1, max_size=4, unique=True),
    entry=st.sampled_from(["a_b", "clip", "parseIt", "f", "Cut"]),
)
def test_a_dress_is_a_bijection_on_names_that_keeps_every_case(words, names, entry):
    text = " ".join(words).replace("a_b", entry)
    mine = replace(wearer(text, entry, tuple(names)), packages=("pack",), source=f"def {entry}(): ...\n")
    found = dressed(mine)
    if isinstance(found, str):
        assert found == dress.NAME_IN_WORDS and spelled(entry).search(mine.instruction.split("\n\n", 1)[1])
        return
    assert len(set(found.names.values())) == len(found.names) and found == dressed(mine)
    assert not spelled(entry).search(found.instruction)
    for head in found.signatures.values():
        assert not re.search(rf"\b{entry}\b", head)
    # Back again: the heads are what they were, and so are the cases.
    back = {new: old for old, new in found.names.items()}
    parameters = {back[f"arg_{number}"]: f"arg_{number}" for number in range(1, len(names) + 1)}
    assert list(parameters) == names
    assert renamed_heads(found.signatures, ENTRY, entry, {new: old for old, new in parameters.items()}) == dict(
        mine.signatures
    )
    shown = [line for line in mine.instruction.split("\n") if " gives " in line]
    assert [line for line in found.instruction.split("\n") if " gives " in line] == shown and len(shown) == len(CASES)
    # What stands in quotes is a value.
    values = re.findall(r"`\[[^`]*\]`", mine.instruction)
    assert re.findall(r"`\[[^`]*\]`", found.instruction) == values and all(json.loads(one[1:-1]) for one in values)
