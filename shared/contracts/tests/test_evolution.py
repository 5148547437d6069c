"""Events evolve: later members are carried, and what would break a released reader is found."""

import importlib.util
import json
from pathlib import Path

import pytest

from touchstone_contracts.topics import TOPICS

FOLDER = Path(__file__).resolve().parents[1]
LATER = "of_a_later_version"


@pytest.fixture(scope="module")
def compatibility():
    spec = importlib.util.spec_from_file_location("compatibility", FOLDER / "compatibility.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def changed_members(content, schema, definitions):
    """The content with every enumerated text replaced, and how many there were."""
    schema = definitions.get(schema.get("$ref", "").rpartition("/")[2], schema)
    if isinstance(content, str) and "enum" in schema:
        return LATER, 1
    if isinstance(content, dict):
        done = {
            key: changed_members(value, schema.get("properties", {}).get(key, {}), definitions)
            for key, value in content.items()
        }
        return {key: value for key, (value, _) in done.items()}, sum(count for _, count in done.values())
    if isinstance(content, list):
        done = [changed_members(value, schema.get("items", {}), definitions) for value in content]
        return [value for value, _ in done], sum(count for _, count in done)
    return content, 0


def test_a_member_that_a_later_version_added_is_carried():
    total = 0
    for topic in TOPICS:
        stem = topic.name.removeprefix("touchstone.")
        schema = json.loads((FOLDER / "schemas" / f"{stem}.json").read_text())
        content, count = changed_members(
            json.loads((FOLDER / "examples" / f"{stem}.json").read_text()), schema, schema.get("$defs", {})
        )
        event = topic.event.model_validate(content)
        assert event.model_dump_json().count(LATER) >= count
        total += count
    assert total > 10


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
