"""The search, and the page of one function."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import parse_qs, urlsplit

import grpc
import pytest

from touchstone.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from touchstone_web.highlight import lines
from touchstone_web.services import Services

TYPED = {"hx-request": "true"}
STREAM = {"accept": "text/event-stream"}


def asked(visitor, name="retriever.Search"):
    return [request for method, request in visitor.services.asked if method == name]


def test_nothing_is_asked_before_there_is_a_question(visit):
    visitor = visit()
    assert "Say in plain words" in visitor.get("/search").text
    assert "Say in plain words" in visitor.get("/search?language=go&licence=MIT&q=+").text
    assert asked(visitor) == []


def test_the_whole_question_stands_in_the_address(visit):
    visitor = visit()
    address = (
        "/search?q=shorten+text&repository=wordkit&language=python&kind=method&licence=MIT&symbol=s*&path=src"
        "&pattern=yield&versions=1"
    )
    text = visitor.get(address).text
    (request,) = asked(visitor)
    assert (request.query, request.mode, request.limit, request.include_superseded) == ("shorten text", "", 20, True)
    assert request.merge_duplicates
    filters = request.filters
    assert [list(each) for each in (filters.repositories, filters.languages, filters.kinds, filters.licences)] == [
        ["wordkit"],
        ["python"],
        ["method"],
        ["MIT"],
    ]
    assert (filters.symbol, filters.path, filters.pattern) == ("s*", "src", "yield")
    assert ", and in at least 30 other places.</span>" in text
    for shown in (
        'value="shorten text"',
        'value="wordkit"',
        '<option value="python" selected>',
        "checked",
        '<details class="whole" open>',
    ):
        assert shown in text
    assert "3 results, and more; 1,234 functions indexed, 7 not yet" in text
    unknown = visit().get("/search?q=unknown").text
    assert "1,234 functions indexed, whether all of them is not known" in unknown
    assert "Ranked by all-MiniLM-L6-v2, text, crowding." in text


def test_a_name_is_question_enough(visit):
    visitor = visit()
    assert "3 results" in visitor.get("/search?symbol=shorten").text
    assert [request.query for request in asked(visitor)] == [""]


def test_a_result_shows_its_place_its_code_and_where_else_it_stands(visit):
    text = visit().get("/search?q=x").text
    assert "wordkit 1.2, wordkit/shorten.py:7" in text and "· MIT" in text and "0.600" in text
    assert "The same in otherkit, src/text.py:3, and in at least 30 other places." in text
    assert '<span class="k">def</span><span class="w"> </span><span class="nf">shorten</span>' in text
    assert "8 lines more." in text
    assert 'href="/search/shorten-1.2"' in text and 'href="/search/shorten-1.2#similar"' in text
    assert "all-MiniLM-L6-v2" in text and "1.750" in text
    # A name of foreign code is neither markup nor a way out of the address.
    assert "/search/%3Cscript%3E" in text and "<script>alert" not in text


def test_further_results_and_the_model_are_links_that_keep_the_rest(visit):
    text = visit().get("/search?q=x&language=go").text
    links = [
        parse_qs(urlsplit(link.replace("&amp;", "&")).query) for link in re.findall(r'href="(/search\?[^"]+)"', text)
    ]
    assert {"q": ["x"], "language": ["go"], "cursor": ["next"]} in links
    assert {"q": ["x"], "language": ["go"], "mode": ["augmented"]} in links
    visitor = visit()
    text = visitor.get("/search?q=x&cursor=next&mode=augmented&wait=1").text
    assert "The best" in text and "As the model put it" in text and "Further" not in text
    assert (asked(visitor)[0].cursor, asked(visitor)[0].mode) == ("next", "augmented")


def told_in(stream):
    """Events by name with their text, in order."""
    events = [event.split("\n") for event in stream.split("\n\n") if event.startswith("event: ")]
    return [
        (name.removeprefix("event: "), "\n".join(line.removeprefix("data: ") for line in data))
        for name, *data in events
    ]


def test_an_answer_that_a_model_works_on_comes_in_pieces(visit):
    visitor = visit()
    address = "/search?q=x&language=go&mode=augmented"
    # The page itself waits for nobody, and without scripts there is a way too.
    text = visitor.get(address).text
    assert asked(visitor) == []
    assert f'data-pieces="{address.replace("&", "&amp;")}"' in text and "mode=augmented&amp;wait=1" in text
    answer = visitor.get(address, headers=STREAM)
    assert answer.headers["content-type"].startswith("text/event-stream")
    # A proxy that gathers answers would hand all pieces over at once.
    assert answer.headers["x-accel-buffering"] == "no"
    first, looked_up, enriched, (name, last) = told_in(answer.text)
    assert [each[0] for each in (first, looked_up, enriched)] == ["piece"] * 3 and name == "answer"
    assert "A model reads the question …" in first[1] and "3 results so far" in first[1] and "Further" not in first[1]
    # A retriever of before it told what goes on says nothing.
    assert "The search goes on …" in looked_up[1]
    assert "What the model looked up" in looked_up[1] and 'href="/search/truncate-1.2"' in looked_up[1]
    assert "As the model put it" in enriched[1] and "<script>alert" not in answer.text
    assert "1 result, and more" in last and "so far" not in last and "…</strong>" not in last
    assert 'href="/search?q=x&amp;language=go"' in last
    (request,) = asked(visitor, "retriever.StreamSearch")
    assert (request.search.query, request.search.mode, list(request.search.filters.languages)) == (
        "x",
        "augmented",
        ["go"],
    )
    # The same, and nothing in pieces, where somebody waits for the whole.
    assert "1 result" not in visitor.get(f"{address}&wait=1").text and len(asked(visitor)) == 1


def test_a_piece_of_code_with_odd_ends_of_lines_breaks_no_event(visit, known_services):
    odd = known_services.answers["retriever.StreamSearch"](
        retriever_pb2.StreamSearchRequest(search=retriever_pb2.SearchRequest(query="x"))
    )
    odd[-1].answer.results[0].code = "a = 1\r\rdata: b\r\n\nc\u2028d"
    answers = known_services.answers | {"retriever.StreamSearch": lambda _request: odd}
    text = visit(answers).get("/search?q=x&mode=augmented", headers=STREAM).text
    assert [name for name, _data in told_in(text)] == ["piece"] * 3 + ["answer"]
    assert "\r" not in text
    assert "[U+2028]" in text


@pytest.mark.parametrize(
    ("after", "words"),
    [
        ([], "The answer ended before it was whole"),
        ([grpc.StatusCode.UNAVAILABLE], "A service does not answer: no model"),
        ([grpc.StatusCode.INVALID_ARGUMENT], "This cannot be asked for: no model"),
    ],
)
def test_a_fault_amid_the_pieces_is_the_last_of_them(visit, known_services, fault_of, after, words):
    request = retriever_pb2.StreamSearchRequest(search=retriever_pb2.SearchRequest(query="x"))
    told = known_services.answers["retriever.StreamSearch"](request)[:2]
    broken = [*told, *(fault_of(code, "no model") for code in after)]
    visitor = visit(known_services.answers | {"retriever.StreamSearch": lambda _request: broken})
    *pieces, (name, last) = told_in(visitor.get("/search?q=x&mode=augmented", headers=STREAM).text)
    assert len(pieces) == 2 and name == "answer" and f"<strong>{words}" in last
    # What stood before it stays, with what the model had looked up.
    assert "3 results; " in last and "…</strong>" not in last and last.count('class="result"') == 3
    assert "What the model looked up" in last


def test_a_fault_before_anything_was_found_is_told_alone(visit, known_services, fault_of):
    empty = retriever_pb2.StreamSearchResponse(step="plain")
    for stood in ([], [empty]):
        broken = [*stood, fault_of(grpc.StatusCode.UNAVAILABLE, "no model")]
        answers = known_services.answers | {"retriever.StreamSearch": lambda _request, broken=broken: broken}
        _name, last = told_in(visit(answers).get("/search?q=x&mode=augmented", headers=STREAM).text)[-1]
        assert "A service does not answer: no model</p>" in last and "0 results" not in last


async def test_who_reads_no_further_cancels_the_call():
    ended = asyncio.Event()

    class Retriever(retriever_pb2_grpc.RetrieverServiceServicer):
        async def StreamSearch(self, request, context):
            try:
                yield retriever_pb2.StreamSearchResponse(step="plain")
                await asyncio.Event().wait()
            finally:
                ended.set()

    server = grpc.aio.server()
    retriever_pb2_grpc.add_RetrieverServiceServicer_to_server(Retriever(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        pieces = Services({"retriever": channel}).stream(
            "retriever", "StreamSearch", retriever_pb2.StreamSearchRequest(), timeout_s=100
        )
        assert (await anext(pieces)).step == "plain"
        await pieces.aclose()
        await ended.wait()
    await server.stop(None)


def test_while_somebody_types_the_address_follows_and_sources_are_left_alone(visit):
    visitor = visit()
    answer = visitor.get("/search?q=a+%26+b&repository=&language=go&kind=", headers=TYPED)
    assert answer.headers["hx-replace-url"] == "/search?q=a+%26+b&language=go"
    assert asked(visitor, "ingester.ListSources") == []
    assert visitor.get("/search?q=&language=", headers=TYPED).headers["hx-replace-url"] == "/search"


def test_what_goes_wrong_is_told_beside_the_form(visit, fault_of):
    whole, typed = visit().get("/search?pattern=("), visit().get("/search?pattern=(", headers=TYPED)
    assert (whole.status_code, typed.status_code) == (400, 200)
    for answer in (whole, typed):
        assert "This cannot be asked for: (: no regular expression" in answer.text and 'id="q"' in answer.text
    away = visit({}).get("/search?q=x")
    assert away.status_code == 503 and "A service does not answer: the retriever is away" in away.text
    refused = visit({"retriever.Search": fault_of(grpc.StatusCode.UNAUTHENTICATED, "no token")}).get("/search?q=x")
    assert refused.status_code == 403 and "This needs a token: no token" in refused.text


def test_the_note_of_the_service_is_shown(visit):
    text = visit().get("/search?q=nothing").text
    assert "0 results" in text and "<strong>nothing indexed matches</strong>" in text


def test_a_function_has_a_page_with_lines_that_can_be_linked_and_what_is_like_it(visit):
    visitor = visit()
    text = visitor.get("/search/shorten-1.2").text
    assert '<span class="line" id="L7"><a class="at" tabindex="-1" href="#L7">7</a><span class="k">def</span>' in text
    assert 'id="L26"' in text and 'id="L27"' not in text
    assert "MIT" in text and "2026-01-01" in text and "abbreviate" in text
    (code,), (similar,) = asked(visitor, "retriever.GetCode"), asked(visitor)
    assert (code.function_id, similar.like_function_id) == ("shorten-1.2", "shorten-1.2")


def test_an_id_may_hold_slashes(visit):
    visitor = visit()
    assert visitor.get("/search/a/b%2Fc").status_code == 200
    assert asked(visitor, "retriever.GetCode")[0].function_id == "a/b/c"


def test_a_function_is_shown_where_nothing_can_be_compared(visit, fault_of, known_services):
    answers = known_services.answers | {"retriever.Search": fault_of(grpc.StatusCode.UNAVAILABLE, "no model answers")}
    text = visit(answers).get("/search/shorten-1.2").text
    assert "no model answers" in text and 'id="L7"' in text


def test_a_function_that_is_not_there_is_a_page_that_says_so(visit, fault_of, known_services):
    answers = known_services.answers | {"retriever.GetCode": fault_of(grpc.StatusCode.NOT_FOUND, "no such function")}
    answer = visit(answers).get("/search/nobody")
    assert answer.status_code == 404 and "no such function" in answer.text


@pytest.mark.parametrize("language", ["python", "javascript", "typescript", "java", "go", "php", "cobol-85", ""])
@pytest.mark.parametrize(
    "code",
    [
        "",
        "\n\n  x = 1\n\n",
        'a = "<b>&"  # </pre>\r\n\r\nb = 2\r',
        "def f():\n    '''open\n<script>alert(1)</script>\n",
        "x" * 30_000 + "\ny",
        "a\u2028b\x0cc\nd\x00e",
    ],
)
def test_highlighting_keeps_every_line_and_lets_no_markup_through(language, code):
    told = lines(code, language)
    assert len(told) == len(code.split("\n"))
    plain = re.sub(r'<span class="[a-z0-9]+">|</span>', "", "\n".join(told))
    assert "<" not in plain
    if len(code) > 20_000:
        assert "<span" not in told[0]


def test_only_the_first_lines_are_coloured_where_no_more_are_wanted():
    assert len(lines("a\nb\nc", "python", 2)) == 2
