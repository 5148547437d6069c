"""Events evolve: later members are carried, and what would break a released reader is found."""

import importlib.util
import json
from pathlib import Path

import pytest

from touchstone_contracts.events import UNDECIDED, Function, PairLabelled
from touchstone_contracts.topics import TOPICS

FOLDER = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def compatibility():
    spec = importlib.util.spec_from_file_location("compatibility", FOLDER / "compatibility.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def malformed():
    path = FOLDER.parents[1] / "tests" / "chaos" / "malformed.py"
    spec = importlib.util.spec_from_file_location("malformed", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_members_and_fields_that_a_later_version_added_are_carried(topic, malformed):
    body, added = malformed.of_a_later_version(topic)
    assert added >= 2
    event = topic.event.model_validate_json(body)
    # Whoever publishes it again, whole or a part of it, says all that the first writer said.
    again = json.loads(event.model_dump_json())
    assert json.dumps(again).count(malformed.LATER) == added
    if "function" in again:
        assert malformed.LATER in Function.model_validate(again["function"]).model_dump()
    assert topic.event.model_validate(again) == event


def test_an_event_of_our_own_says_nothing_more():
    for topic in TOPICS:
        example = (FOLDER / "examples" / f"{topic.name.removeprefix('touchstone.')}.json").read_text()
        assert topic.event.model_validate_json(example).model_extra == {}


def test_numbers_that_are_members_are_open_and_other_kinds_are_not():
    example = json.loads((FOLDER / "examples" / "pair.labelled.v1.json").read_text())
    assert PairLabelled.model_validate(example | {"label": 2, "audit": 3}).label == 2
    assert PairLabelled.model_validate(example | {"label": UNDECIDED}).label not in (0, 1)
    for label in (None, [1], {"v": 1}, 1.5):
        with pytest.raises(ValueError, match="label"):
            PairLabelled.model_validate(example | {"label": label})


def test_what_a_release_promised_still_holds(compatibility):
    assert compatibility.main() == 0


@pytest.mark.parametrize(
    ("now", "problem"),
    [
        ({"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}, ""),
        ({"properties": {}}, "a: is gone"),
        ({"properties": {"a": {"type": "integer"}}}, "a: was string, is integer"),
        ({"properties": {"a": {"type": "string"}, "b": {}}, "required": ["b"]}, "b: is required now"),
        ({"properties": {"a": {"type": "string", "enum": ["x"]}}}, "a: member y is gone"),
    ],
)
def test_breaking_changes_are_found(compatibility, now, problem):
    before = {"properties": {"a": {"type": "string", "enum": ["x", "y"]}}}
    if "enum" not in str(now):
        before["properties"]["a"].pop("enum")
    assert compatibility.breaks(before, now) == ([problem] if problem else [])
