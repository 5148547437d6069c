"""Malformed requests and events against the services themselves: a short, seeded run of what `make chaos` does."""

import sys
from pathlib import Path

import pytest

from touchstone_local import postgres as local_postgres

pytestmark = [pytest.mark.real, pytest.mark.timeout(1500)]

CHAOS = Path(__file__).parents[1] / "chaos"
REQUESTS, EVENTS, SEED = 100, 200, 20260101


@pytest.fixture(scope="module")
def hostile(load_module):
    """The generators of malformed requests and events; they import one another by name."""
    sys.path.insert(0, str(CHAOS))
    try:
        yield load_module("tests/chaos/hostile.py")
    finally:
        sys.path.remove(str(CHAOS))


@pytest.fixture(scope="module")
def attacked(hostile, kafka, tmp_path_factory):
    """The lines that an attack prints, what it found wrong, and whether the services go on."""
    lines = []
    # Of its own: what the attack leaves in the services' tables is not for the tests that come after it.
    with local_postgres.start(tmp_path_factory.mktemp("postgres")) as server:
        servers = hostile.Servers(tmp_path_factory.mktemp("services"), kafka, server.url)
        try:
            problems, goes_on = hostile.attack(servers, REQUESTS, EVENTS, SEED, lines.append, patience_s=600.0)
        finally:
            servers.stop()
    return lines, problems, goes_on


def test_nothing_malformed_breaks_a_service_or_is_called_its_own_fault(attacked, hostile):
    lines, problems, goes_on = attacked
    assert problems == []
    assert goes_on
    asked = {line["what"]: line["answers"] for line in lines if line["hostile"] == "requests"}
    assert len(asked) == len(hostile.malformed.rpcs()) >= 48
    assert all(sum(codes.values()) == REQUESTS for codes in asked.values())
    # Most of them say why they are refused; the rest was hostile in words alone, and did no harm.
    assert all(codes.get("INVALID_ARGUMENT", 0) >= REQUESTS // 10 for codes in asked.values())


def test_each_malformed_event_lies_in_the_dead_letters_with_a_reason(attacked, hostile):
    lines, _, _ = attacked
    buried = [line for line in lines if line["hostile"] == "events"]
    assert {(line["what"], line["service"]) for line in buried} == {
        (topic.name, service) for topic in hostile.TOPICS for service in hostile.malformed.consumers(topic)
    }
    assert all(line["sent"] == EVENTS and line["lost"] == 0 for line in buried)
    assert all(line["dead_letters"] >= line["undecodable"] >= EVENTS * 0.9 for line in buried)
