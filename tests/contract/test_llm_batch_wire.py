"""Batches over the wire, from a real server that answers out of order, in part, with faults, or not at all."""

from __future__ import annotations

import json

import pytest

from touchstone_runtime.llm import (
    Endpoint,
    EndpointFailedError,
    EndpointNonsenseError,
    EndpointRefusedError,
    EndpointUnavailableError,
    OpenAiTransport,
    QuestionRefusedError,
    RequestRefusedError,
)
from touchstone_runtime.llm.batch_wire import ENDED, BatchRefusedError, OpenAiBatches, RemoteBatch, fault_of

BODIES = {
    name * 64: {"model": "m", "messages": [{"role": "user", "content": f"say {name}"}], "max_tokens": 8}
    for name in "abc"
}
ASKED = dict.fromkeys(BODIES, 5)


@pytest.fixture(scope="module")
def parts(load_module):
    return load_module("tests/contract/batch_endpoint.py")


@pytest.fixture
async def server(parts):
    async with parts.BatchEndpoint().serving() as server:
        yield server


@pytest.fixture
async def wire():
    transport = OpenAiTransport(timeout_s=5.0)
    yield OpenAiBatches(transport.connection)
    await transport.close()


async def _ended(wire: OpenAiBatches, server) -> tuple[Endpoint, RemoteBatch]:
    endpoint = Endpoint("m", "m", server.url)
    batch = await wire.submit(endpoint, "ours", await wire.upload(endpoint, "ours", BODIES))
    while batch.status not in ENDED:
        batch = await wire.look(endpoint, batch.remote_id)
    return endpoint, batch


async def test_answers_come_back_by_their_keys_in_whatever_order(wire, server):
    server.looks = 3
    endpoint, batch = await _ended(wire, server)
    lines = await wire.lines(endpoint, batch, ASKED)
    assert {line.key: line.answer.text for line in lines} == {name * 64: f"SAY {name.upper()}" for name in "abc"}
    assert [line.key[0] for line in lines] == list("cba")
    assert {(line.answer.tokens_in, line.answer.tokens_out) for line in lines} == {(5, 7)}
    assert (batch.status, batch.total, batch.answered) == ("completed", 3, 3)
    sent = [json.loads(line) for line in server.files["file-0"].splitlines()]
    assert [each["custom_id"] for each in sent] == list(BODIES) and [each["body"] for each in sent] == [
        *BODIES.values()
    ]


async def test_a_fault_is_that_of_its_own_request(parts, wire, server):
    faults = {"say a": parts.refusal("exceeds context"), "say b": parts.refusal("worker died", 500)}
    server.answer = lambda body: faults.get(body["messages"][0]["content"]) or parts.echo(body)
    endpoint, batch = await _ended(wire, server)
    found = {line.key[0]: line for line in await wire.lines(endpoint, batch, ASKED)}
    assert found["c"].answer.text == "SAY C" and batch.answered == 3
    refused, failed = (fault_of(endpoint, found[name].status, found[name].said) for name in "ab")
    assert isinstance(refused, RequestRefusedError) and "exceeds context" in str(refused)
    assert isinstance(failed, EndpointFailedError) and "worker died" in str(failed)
    unknown = fault_of(endpoint, 404, "no such model")
    assert isinstance(unknown, EndpointRefusedError) and not unknown.own


@pytest.mark.parametrize("ends", ["expired", "cancelled"])
async def test_of_a_batch_that_ended_early_come_the_answers_that_there_are(wire, server, ends):
    server.ends, server.answered_of = ends, 1
    endpoint, batch = await _ended(wire, server)
    assert batch.status == ends
    assert [line.key for line in await wire.lines(endpoint, batch, ASKED)] == ["a" * 64]


async def test_a_batch_that_failed_says_why_and_at_which_line(wire, server):
    server.ends = "failed"
    endpoint, batch = await _ended(wire, server)
    assert (batch.status, batch.reason) == ("failed", "the model takes no batches (line 1)")
    assert await wire.lines(endpoint, batch, ASKED) == []


async def test_lines_that_mean_nothing_are_passed_over(wire, server):
    stranger = {"custom_id": "f" * 64, "response": {"status_code": 200, "body": {}}}
    nonsense = {"custom_id": "a" * 64, "response": {"status_code": 200, "body": {"choices": 5}}}
    silent = {"custom_id": "b" * 64, "response": None, "error": None}
    server.extra_lines = ["{", "[]", "", *map(json.dumps, (stranger, nonsense, silent))]
    endpoint, batch = await _ended(wire, server)
    found = {line.key[0]: line.answer for line in await wire.lines(endpoint, batch, ASKED)}
    # An answer that comes after a line without one counts.
    assert sorted(found) == list("abc") and all(found.values())


@pytest.mark.parametrize("error", [{"code": 0, "message": ""}, {"code": "batch_expired"}, "", {}, [], 5])
async def test_an_answer_is_taken_whatever_stands_beside_it(wire, server, error):
    server.line = lambda line: json.dumps(line | {"error": error, "id": None})
    endpoint, batch = await _ended(wire, server)
    assert all(line.answer is not None for line in await wire.lines(endpoint, batch, ASKED)) and batch.whole


async def test_half_a_pair_in_an_answer_is_taken(parts, wire, server):
    server.answer = lambda _body: parts.completion("cut \ud83d")
    endpoint, batch = await _ended(wire, server)
    assert {line.answer.text for line in await wire.lines(endpoint, batch, ASKED)} == {"cut \ud83d"}


@pytest.mark.parametrize("spoilt", [lambda line: line[:-40], lambda line: line.replace('"status_code": 200', '"s": 1')])
async def test_a_line_that_cannot_be_read_may_have_been_an_answer(wire, server, spoilt):
    server.line = lambda line: spoilt(json.dumps(line))
    endpoint, batch = await _ended(wire, server)
    lines = await wire.lines(endpoint, batch, ASKED)
    assert sorted(line.key for line in lines) == sorted(ASKED)
    assert all(line.lost and line.taken is None and line.status == 500 for line in lines)


async def test_a_filtered_answer_is_a_refusal_and_was_paid(wire, server):
    usage = {"prompt_tokens": 5, "completion_tokens": 7}
    choice = {"message": {"content": "a"}, "finish_reason": "content_filter"}
    server.answer = lambda _body: (200, {"choices": [choice], "usage": usage})
    endpoint, batch = await _ended(wire, server)
    for line in await wire.lines(endpoint, batch, ASKED):
        assert line.lost and line.taken == (5, 7)
        assert isinstance(fault_of(endpoint, line.status, line.said), QuestionRefusedError)


async def test_a_fault_under_a_status_of_success_has_the_status_that_it_names(wire, server):
    server.answer = lambda _body: (200, {"error": {"message": "slow", "code": 429}})
    endpoint, batch = await _ended(wire, server)
    lines = await wire.lines(endpoint, batch, ASKED)
    assert {(line.status, line.lost) for line in lines} == {(429, False)}
    assert isinstance(fault_of(endpoint, lines[0].status, lines[0].said), EndpointUnavailableError)


@pytest.mark.parametrize(
    ("beside", "answered", "whole"),
    [
        ({"request_counts": {"total": None, "completed": None, "failed": None}}, 0, True),
        ({"request_counts": 3, "errors": [], "metadata": "none"}, 0, True),
        ({"errors": {"data": [{"code": 1, "message": "x", "line": "three"}]}}, 3, True),
        ({"status": "COMPLETED"}, 3, True),
        ({"output_file_id": None}, 3, False),
        ({"output_file_id": None, "error_file_id": "file-9"}, 3, False),
    ],
)
async def test_what_is_told_beside_a_batch_makes_no_nonsense_of_it(wire, server, beside, answered, whole):
    server.beside, server.looks = beside, 0
    _, batch = await _ended(wire, server)
    assert (batch.status, batch.answered, batch.whole) == ("completed", answered, whole)


async def test_a_batch_is_found_again_by_our_own_id_on_whatever_page(wire, server):
    endpoint = Endpoint("m", "m", server.url)
    assert await wire.find(endpoint, "ours-0") is None
    for number in range(5):
        await wire.submit(endpoint, f"ours-{number}", await wire.upload(endpoint, f"ours-{number}", BODIES))
    for number in range(5):
        found = await wire.find(endpoint, f"ours-{number}")
        assert found is not None and found.remote_id == f"batch_{number}"
    assert await wire.find(endpoint, "theirs") is None


async def test_a_submission_whose_answer_is_lost_is_found(wire, server):
    endpoint = Endpoint("m", "m", server.url)
    file = await wire.upload(endpoint, "ours", BODIES)
    server.loses.add("/batches")
    with pytest.raises(EndpointUnavailableError):
        await wire.submit(endpoint, "ours", file)
    found = await wire.find(endpoint, "ours")
    assert found is not None and (found.remote_id, len(server.batches)) == ("batch_0", 1)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, EndpointRefusedError),
        (429, EndpointUnavailableError),
        (503, EndpointUnavailableError),
        (500, EndpointFailedError),
        (400, BatchRefusedError),
        (404, BatchRefusedError),
        (405, BatchRefusedError),
    ],
)
async def test_faults_of_the_endpoint_have_their_names(wire, server, status, error):
    endpoint = Endpoint("m", "m", server.url)
    server.broken = dict.fromkeys(("/files", "/batches", "/batches/batch_0"), status)
    for asked in (
        lambda: wire.upload(endpoint, "ours", BODIES),
        lambda: wire.submit(endpoint, "ours", "file-0"),
        lambda: wire.find(endpoint, "ours"),
        lambda: wire.look(endpoint, "batch_0"),
    ):
        with pytest.raises(error, match="broken"):
            await asked()
    assert len(server.asked) == 4


async def test_what_is_no_batch_is_nonsense(wire, server):
    server.broken = {"/batches": 200}
    with pytest.raises(EndpointNonsenseError, match="of batches"):
        await wire.find(Endpoint("m", "m", server.url), "ours")


async def test_a_cancelled_batch_keeps_what_it_has(wire, server):
    endpoint = Endpoint("m", "m", server.url)
    batch = await wire.submit(endpoint, "ours", await wire.upload(endpoint, "ours", BODIES))
    await wire.cancel(endpoint, batch.remote_id)
    server.answered_of = 2
    batch = await wire.look(endpoint, batch.remote_id)
    assert batch.status == "cancelled" and len(await wire.lines(endpoint, batch, ASKED)) == 2
