import gzip
import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from touchstone_contracts import generate
from touchstone_contracts.envelope import content_id
from touchstone_contracts.events import SourceRequested
from touchstone_contracts.suite import MAX_BYTES, Case, Suite
from touchstone_contracts.topics import FUNCTION_EXTRACTED, SOURCE_INGESTED, TOPICS, key_of

FOLDER = Path(__file__).resolve().parents[1]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)
)


def stem(topic):
    return topic.name.removeprefix("touchstone.")


@pytest.mark.parametrize("topic", TOPICS, ids=stem)
def test_example_parses_and_fits_its_schema(topic):
    text = (FOLDER / "examples" / f"{stem(topic)}.json").read_text()
    event = topic.event.model_validate_json(text)
    schema = json.loads((FOLDER / "schemas" / f"{stem(topic)}.json").read_text())
    jsonschema.validate(json.loads(text), schema)
    assert topic.event.model_validate_json(event.model_dump_json()) == event
    assert key_of(topic, event)


@pytest.mark.parametrize("topic", TOPICS, ids=stem)
def test_card_says_what_the_code_says(topic):
    card = yaml.safe_load((FOLDER / "topics" / f"{stem(topic)}.yaml").read_text())
    assert card["topic"] == topic.name
    assert card["event"] == topic.event.__name__
    assert card["key"] == topic.key
    assert card["partitions"] == topic.partitions
    assert card["consumers"] == [*topic.consumers]
    assert card["retention_days"] == topic.retention_days
    assert card.get("compacted", False) == topic.compacted
    assert card["dead_letters"] == topic.dead_letters
    assert card["owner"] and card["producers"] and card["description"]


def test_every_card_and_example_belongs_to_a_topic():
    known = {stem(topic) for topic in TOPICS}
    for folder in ("topics", "examples", "schemas"):
        assert {path.stem for path in (FOLDER / folder).iterdir()} == known


def test_schemas_are_fresh():
    for name, schema in generate.schemas().items():
        assert json.loads((FOLDER / "schemas" / name).read_text()) == schema, f"{name} is stale: run `make gen`"


def test_the_event_id_comes_from_the_content_alone():
    first = SourceRequested(source_id="a", request_id="b", trace_id="one")
    second = SourceRequested(source_id="a", request_id="b", trace_id="two")
    assert first.event_id == second.event_id
    assert first.event_id != SourceRequested(source_id="a", request_id="c").event_id


@pytest.mark.parametrize(
    ("topic", "place"),
    [
        *((each, "occurred_at") for each in TOPICS),
        *((FUNCTION_EXTRACTED, f"function.{name}") for name in ("changed_at", "first_seen", "source.released_at")),
        (SOURCE_INGESTED, "source.released_at"),
    ],
    ids=str,
)
def test_a_moment_that_utc_has_no_day_for_is_none_of_any_event(topic, place):
    """Services tell moments in UTC: one that cannot be told there is its message's fault, not that of who reads it."""
    event = json.loads((FOLDER / "examples" / f"{stem(topic)}.json").read_text())
    *path, name = place.split(".")
    holder = event
    for part in path:
        holder = holder[part]
    for edge in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00"):
        holder[name] = edge
        topic.event.model_validate_json(json.dumps(event))
    for beyond in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        holder[name] = beyond
        with pytest.raises(ValidationError, match="in UTC"):
            topic.event.model_validate_json(json.dumps(event))


@given(JSON, JSON)
def test_content_ids_agree_exactly_when_the_contents_do(a, b):
    same = json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)
    assert (content_id(a) == content_id(b)) == same


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5), st.integers())
def test_a_suite_survives_its_bytes_and_keeps_its_digest(cases, seed):
    suite = Suite(
        comparison="portable", entry_point="f", seed=seed, cases=tuple(Case(arguments=a, expected=b) for a, b in cases)
    )
    again = Suite.from_bytes(suite.to_bytes())
    assert again == suite
    assert again.digest() == suite.digest()


GOOD = Suite(comparison="exact", entry_point="f", seed=1, cases=(Case(arguments="[1]", expected="2"),)).to_bytes()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\x1f\x8bbroken", b"[]", b'{"comparison": "loose"}', GOOD[:12] + b"\xff" * 4 + GOOD[16:], GOOD[:-9],
        GOOD + b"more", gzip.compress(b" " * (MAX_BYTES + 1), compresslevel=1),
    ],
    ids=range(8),
)  # fmt: skip
def test_bytes_that_are_no_suite_are_refused_before_they_fill_the_memory(data):
    with pytest.raises(ValueError):
        Suite.from_bytes(data)
