"""The reader of the answer channel takes exactly answers."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_executor.domain.frames import (
    FrameReader,
    OversizedError,
    ProtocolError,
    Raised,
    Returned,
    first_request,
    frame,
    read_answer,
    read_load,
    request,
)
from sandbox_executor.domain.judging import judge_case
from sandbox_executor.domain.outcomes import CaseResult, Outcome


@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(1, 7))
def test_frames_survive_any_cutting_of_the_stream(payloads, step):
    stream = b"".join(len(payload).to_bytes(4, "big") + payload for payload in payloads)
    reader = FrameReader(100)
    found = []
    for start in range(0, len(stream), step):
        found += reader.feed(stream[start : start + step])
    assert found == payloads
    assert reader.pending == 0


def test_an_announced_length_beyond_the_cap_is_refused_before_its_content_comes():
    reader = FrameReader(100)
    with pytest.raises(OversizedError):
        reader.feed((101).to_bytes(4, "big"))


@given(st.lists(st.binary(max_size=9), max_size=6), st.integers(1, 60))
def test_frames_before_a_length_that_lies_are_given_however_the_stream_is_cut(payloads, step):
    stream = b"".join(len(payload).to_bytes(4, "big") + payload for payload in payloads) + b"\x7f\xff\xff\xff"
    reader = FrameReader(100)
    found = []
    for start in range(0, len(stream), step):
        with contextlib.suppress(OversizedError):
            found += reader.feed(stream[start : start + step])
    assert found == payloads
    with pytest.raises(OversizedError):
        reader.feed(b"")


def test_a_half_frame_stays_pending():
    reader = FrameReader(100)
    assert reader.feed(b"\0\0\0\x05abc") == []
    assert reader.pending == 7


def test_requests_are_what_the_protocol_says():
    assert request(7, "[1]")[4:] == b'{"i":7,"args":[1]}'
    assert frame("é")[:4] == b"\0\0\0\x02"
    assert json.loads(first_request('/work/"x"', "f")[4:]) == {"source": '/work/"x"', "entry": "f", "options": {}}


def test_answers():
    assert read_answer(b'{"i":3,"o":"returned","v":[1,{"$":"tuple","v":[]}]}', 3) == Returned(
        '[1,{"$":"tuple","v":[]}]'
    )
    assert read_answer(b'{"i":3,"o":"raised","t":"KeyError","m":"\'a\'"}', 3) == Raised("KeyError", "'a'")
    assert read_load(b'{"o":"ready"}') is None
    assert read_load(b'{"o":"load_error","t":"SyntaxError","m":"line 1"}') == Raised("SyntaxError", "line 1")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b'{"i":0,"o":"returned"}',
        b'{"i":1,"o":"returned","v":1}',
        b'{"i": 0,"o":"returned","v":1}',
        b'{"o":"returned","i":0,"v":1}',
        b'{"i":0,"o":"returned","v":1}}',
        b'{"i":0,"o":"returned","v":1',
        b'{"i":0,"o":"returned","v":1,"w":2}',
        b'{"i":0,"o":"returned","v":1,"v":2}',
        b'{"i":0,"o":"returned","v":}',
        b'{"i":0,"o":"returned","v":1 2}',
        b'{"i":0,"o":"returned","v":{"a":1,"a":2}}',
        b'{"i":0,"o":"returned","v":NaN}',
        b'{"i":0,"o":"returned","v":9007199254740993}',
        b'{"i":0,"o":"returned","v":"\\ud800"}',
        b'{"i":0,"o":"returned","v":"\xff"}',
        b'{"i":0,"o":"returned","v":{"$":"python/object","v":1}}',
        b'{"i":0,"o":"returned","v":' + b"[" * 500 + b"]" * 500 + b"}",
        b'{"i":0,"o":"raised","t":"E"}',
        b'{"i":0,"o":"raised","t":"E","m":1}',
        b'{"i":0,"o":"raised","t":"E","m":"x","v":1}',
        b'{"i":0,"o":"raised","t":"E","t":"F","m":"x"}',
        b'{"i":0,"o":"raised","t":"' + b"E" * 300 + b'","m":"x"}',
        b'{"i":0,"o":"raised","t":"E","m":"' + b"x" * 3000 + b'"}',
        b'{"i":00,"o":"returned","v":1}',
        b'{"i":0,"o":"passed","v":1}',
        b'{"o":"ready"}',
        b"\x80\x04\x95\x10\x00",
    ],
    ids=lambda data: data[:60].decode("latin-1"),
)
def test_anything_else_is_a_broken_protocol(data):
    with pytest.raises(ProtocolError):
        read_answer(data, 0)


@pytest.mark.parametrize("character", ["x", "é", "\U0001f600", "\0"])
def test_the_longest_words_that_may_come_are_read_however_json_writes_them(character):
    kind, message = character * 200, character * 2000
    told = json.dumps({"i": 20_000, "o": "raised", "t": kind, "m": message}, separators=(",", ":"))
    assert read_answer(told.encode(), 20_000) == Raised(kind, message)
    loading = json.dumps({"o": "load_error", "t": kind, "m": message}, separators=(",", ":"))
    assert read_load(loading.encode()) == Raised(kind, message)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data):
    for read in (lambda: read_answer(data, 0), lambda: read_load(data)):
        try:
            read()
        except ProtocolError:
            continue


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_words_become_storable_where_a_result_is_made(kind, message, output):
    data = json.dumps({"i": 0, "o": "raised", "t": kind, "m": message}, separators=(",", ":")).encode()
    found = read_answer(data, 0)
    assert isinstance(found, Raised)
    result = CaseResult(0, Outcome.RAISED, "", found.error_type, found.message, output=output)
    for text in (result.error_type, result.error_message, result.output, judge_case(result, "1", "exact").detail):
        assert "\0" not in text
        text.encode()


def test_lone_surrogates_and_nul_in_words_are_replaced():
    found = read_answer(b'{"i":0,"o":"raised","t":"E","m":"a\\ud800b\\u0000"}', 0)
    assert isinstance(found, Raised)
    result = CaseResult(0, Outcome.RAISED, "", found.error_type, found.message)
    assert (result.error_type, result.error_message) == ("E", "a?b\ufffd")
