"""The model client against real sockets: a well-behaved endpoint, and every way of behaving badly."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import re
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from touchstone_runtime.faults import Fault, classify
from touchstone_runtime.llm import (
    Catalogue,
    Endpoint,
    EndpointFailedError,
    EndpointNonsenseError,
    EndpointRefusedError,
    EndpointUnavailableError,
    LlmClient,
    MemoryLedger,
    MemoryLlmCache,
    OpenAiTransport,
    QuestionRefusedError,
    RequestRefusedError,
    ask_json,
)

Reply = tuple[int, str, str] | None


def _client(url: str, *, attempts: int = 3, timeout_s: float = 5.0) -> LlmClient:
    transport = OpenAiTransport(attempts=attempts, timeout_s=timeout_s, wait_initial_s=0.001, wait_max_s=0.002)
    return LlmClient(Catalogue({}, f"fake@{url}"), transport, MemoryLlmCache(), MemoryLedger())


@contextlib.asynccontextmanager
async def _endpoint(replies: Callable[[int, dict[str, Any]], Reply]) -> AsyncIterator[tuple[str, list[dict[str, Any]]]]:
    """Answer each request with (status, headers, body); None never answers."""
    bodies: list[dict[str, Any]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lengths = [
                    line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
                ]
                bodies.append(json.loads(await reader.readexactly(int(lengths[0]))) if lengths else {})
                reply = replies(len(bodies), bodies[-1])
                if reply is None:
                    await asyncio.sleep(30)
                    return
                status, headers, body = reply
                data = body.encode()
                writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: {len(data)}\r\n{headers}\r\n".encode() + data)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", bodies
    finally:
        server.close()


def _good(text: str) -> str:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]})


JSON = "content-type: application/json\r\n"


@pytest.fixture(scope="module")
def fake_llm():
    path = Path(__file__).parents[1] / "e2e" / "fake_llm.py"
    spec = importlib.util.spec_from_file_location("fake_llm", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["fake_llm"] = module
    spec.loader.exec_module(module)
    return module


async def test_an_endpoint_without_usage_is_booked_by_length():
    async with _endpoint(lambda _n, _b: (200, JSON, _good("four chars each"))) as (url, _):
        client = _client(url)
        answer = await client.chat("12345678", purpose="p", max_tokens=8)
        await client.close()
    assert (answer.text, answer.usage.tokens_in, answer.usage.tokens_out) == ("four chars each", 3, 3)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_passing_faults_are_retried(status):
    async with _endpoint(lambda n, _: (status, JSON, "{}") if n < 3 else (200, JSON, _good("ok"))) as (url, bodies):
        client = _client(url)
        assert (await client.chat("a", purpose="p", max_tokens=8)).text == "ok"
        await client.close()
    assert len(bodies) == 3


async def test_an_endpoint_that_fails_at_one_request_does_not_hold_it_for_ever():
    async with _endpoint(lambda _n, _b: (500, JSON, '{"error": {"message": "tensor"}}')) as (url, _):
        client = _client(url)
        with pytest.raises(EndpointFailedError, match=r"fails at this request \(500\).*tensor") as caught:
            await client.chat("a", purpose="p", max_tokens=8)
        await client.close()
    assert classify(caught.value) is Fault.RETRY


async def test_a_question_that_waits_to_be_asked_again_holds_up_no_other():
    def reply(_number, body):
        return (500, JSON, "{}") if body["model"] == "broken" else (200, JSON, _good("ok"))

    async with _endpoint(reply) as (url, bodies):
        # Between its tries the broken one waits for an hour.
        transport = OpenAiTransport(attempts=3, timeout_s=300.0, wait_initial_s=3600.0, wait_max_s=3600.0)
        client = LlmClient(Catalogue({}, f"good@{url}"), transport, MemoryLlmCache(), MemoryLedger(), concurrency=1)
        broken = asyncio.create_task(client.chat("a", purpose="p", max_tokens=8, model=f"broken@{url}"))
        async with asyncio.timeout(300):
            while not bodies:
                await asyncio.sleep(0.01)
            assert (await client.chat("b", purpose="p", max_tokens=8)).text == "ok"
        assert not broken.done() and len(bodies) == 2
        broken.cancel()
        await client.close()


async def test_an_endpoint_that_keeps_failing_is_unavailable():
    async with _endpoint(lambda _n, _b: (503, JSON, '{"error": {"message": "loading model"}}')) as (url, bodies):
        client = _client(url)
        with pytest.raises(EndpointUnavailableError, match=r"keeps failing \(503\).*loading model"):
            await client.chat("a", purpose="p", max_tokens=8)
        await client.close()
    assert len(bodies) == 3


async def test_an_endpoint_that_is_down_is_named_with_the_way_out():
    async with _endpoint(lambda _n, _b: None) as (url, _):
        pass
    client = _client(url)
    with pytest.raises(EndpointUnavailableError, match=r"127\.0\.0\.1.*cannot be reached.*start it or correct"):
        await client.chat("a", purpose="p", max_tokens=8)
    await client.close()


async def test_an_endpoint_that_never_answers_times_out():
    async with _endpoint(lambda _n, _b: None) as (url, _):
        client = _client(url, attempts=1, timeout_s=0.2)
        with pytest.raises(EndpointUnavailableError, match="no answer in time"):
            await client.chat("a", purpose="p", max_tokens=8)
        await client.close()


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (JSON, "<html>hello</html>"),
        ("content-type: text/html\r\n", "<html>hello</html>"),
        (JSON, "{}"),
        (JSON, '{"choices": []}'),
        (JSON, '{"choices": "many"}'),
        (JSON, '{"choices": [{"message": null}]}'),
        (JSON, "[1, 2]"),
        (JSON, ""),
    ],
)
async def test_nonsense_is_named(headers, body):
    async with _endpoint(lambda _n, _b: (200, headers, body)) as (url, _):
        client = _client(url)
        with pytest.raises(EndpointNonsenseError, match="answers nonsense"):
            await client.chat("a", purpose="p", max_tokens=8)
        await client.close()


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refusal_of_us_halts(status):
    async with _endpoint(lambda _n, _b: (status, JSON, '{"error": {"message": "who?"}}')) as (url, bodies):
        client = _client(url)
        with pytest.raises(EndpointRefusedError, match=r"who\?"):
            await client.chat("a", purpose="p", max_tokens=8)
        await client.close()
    assert len(bodies) == 1


async def test_a_refusal_of_the_request_is_final():
    async with _endpoint(lambda _n, _b: (400, JSON, '{"error": {"message": "exceeds context"}}')) as (url, _):
        client = _client(url)
        with pytest.raises(RequestRefusedError, match="exceeds context"):
            await client.chat("a", purpose="p", max_tokens=8)
        await client.close()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."),
        (400, "the request exceeds the available context size, try increasing it"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "Prompt contains 33000 tokens and is too large for this model"),
        (422, "Input length (9000) exceeds the maximum allowed length"),
        (413, "payload too large"),
        (400, "Invalid prompt: your prompt was flagged as potentially violating our usage policy."),
        (400, "The response was filtered due to the prompt triggering our content management policy."),
        (400, "data_inspection_failed: Input data may contain inappropriate content."),
        (403, 'm requires moderation on DeepInfra. Your input was flagged for "violence".'),
        (403, "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"),
    ],
)
@pytest.mark.parametrize("form", ['{"error": {"message": %s}}', '{"error": %s, "code": "x"}', "%s"])
async def test_a_question_that_is_too_long_or_against_the_rules_is_told_from_other_refusals(status, said, form):
    async with _endpoint(lambda _n, _b: (status, JSON, form % json.dumps(said))) as (url, _):
        client = _client(url)
        with pytest.raises(QuestionRefusedError, match=re.escape(said[:40])):
            await client.chat("a", purpose="p", max_tokens=8)
        await client.close()


@pytest.mark.parametrize(
    ("status", "said", "error"),
    [
        (402, "Insufficient Balance", EndpointRefusedError),
        (405, "Method Not Allowed", EndpointRefusedError),
        (410, "the model was retired", EndpointRefusedError),
        (451, "not available here", EndpointRefusedError),
        (400, "Your credit balance is too low to access the API.", RequestRefusedError),
        (400, "API key not valid. Please pass a valid API key.", RequestRefusedError),
        (400, "User location is not supported for the API use.", RequestRefusedError),
        (400, "max_tokens is too large: 9000. This model supports at most 4096 completion tokens", RequestRefusedError),
        (400, "messages[0].content must be a list", RequestRefusedError),
        (400, "context deadline exceeded", RequestRefusedError),
        (400, "upstream request failed: context canceled", RequestRefusedError),
        (400, "invalid security context for workspace", RequestRefusedError),
        (400, "Invalid value for safety_identifier", RequestRefusedError),
        (400, "schema violation: messages[0].content must be a string", RequestRefusedError),
        (400, "The account was flagged for violating our usage policies.", RequestRefusedError),
        (403, "Your organization has been suspended since it violated our usage policies.", EndpointRefusedError),
        (403, "The caller does not have permission to execute the specified operation", EndpointRefusedError),
        (401, "Invalid key: the prompt was flagged", EndpointRefusedError),
    ],
)
async def test_a_refusal_that_says_nothing_of_the_question_is_no_answer_to_it(status, said, error):
    async with _endpoint(lambda _n, _b: (status, JSON, json.dumps({"error": {"message": said}}))) as (url, _):
        client = _client(url)
        with pytest.raises(error) as raised:
            await client.chat("a", purpose="p", max_tokens=8)
        assert not isinstance(raised.value, QuestionRefusedError)
        await client.close()


async def test_a_refusal_that_gives_the_question_back_is_not_read_by_its_words():
    def replies(_number, body):
        fault = {"type": "missing", "loc": ["body", "session_id"], "msg": "Field required", "input": body}
        return 422, JSON, json.dumps({"detail": [fault]})

    async with _endpoint(replies) as (url, bodies):
        client = _client(url)
        for question in ("the maximum context length", "was flagged; temperature and seed are not supported"):
            with pytest.raises(RequestRefusedError) as raised:
                await client.chat(question, purpose="p", max_tokens=8)
            assert not isinstance(raised.value, QuestionRefusedError)
        assert len(bodies) == 2
        await client.close()


async def test_a_parameter_is_kept_that_was_left_out_in_vain():
    said = "not allowed by our content policy: stopped at a temperature; the seed of a max_tokens"

    def replies(_number, body):
        bad = body["messages"][0]["content"] == "bad"
        return (400, JSON, json.dumps({"error": {"message": said}})) if bad else (200, JSON, _good("hello"))

    async with _endpoint(replies) as (url, bodies):
        client = _client(url)
        with pytest.raises(QuestionRefusedError):
            await client.chat("bad", purpose="p", max_tokens=8, temperature=0.8, seed=1)
        await client.chat("good", purpose="p", max_tokens=8, temperature=0.8, seed=1, stop=["x"])
        assert {"temperature", "seed", "max_tokens", "stop"} <= set(bodies[-1])
        await client.close()


@pytest.mark.parametrize("end", ["error", "abort"])
async def test_an_answer_that_says_that_it_failed_is_none(end):
    broken = json.dumps({"choices": [{"message": {"content": ""}, "finish_reason": end}]})
    async with _endpoint(lambda number, _b: (200, JSON, broken if number == 1 else _good("hello"))) as (url, _):
        client = _client(url)
        with pytest.raises(EndpointFailedError, match=end):
            await client.chat("a", purpose="p", max_tokens=8)
        # Nothing of it was kept.
        assert (await client.chat("a", purpose="p", max_tokens=8)).text == "hello"
        await client.close()


@pytest.mark.parametrize("named", [True, False])
async def test_an_endpoint_that_refuses_a_parameter_is_asked_without_it_from_then_on(named):
    def replies(_number, body):
        for name in ("max_tokens", "seed"):
            if name in body:
                told = {"message": f"Unsupported parameter: '{name}' is not supported with this model."}
                return 400, JSON, json.dumps({"error": told | ({"param": name} if named else {})})
        return 200, JSON, _good("hello")

    async with _endpoint(replies) as (url, bodies):
        client = _client(url)
        for question in ("one", "two"):
            assert (await client.chat(question, purpose="test", max_tokens=7)).text == "hello"
        await client.close()
    # The bound itself stays, under its newer name.
    assert [("max_tokens" in body, body.get("max_completion_tokens"), "seed" in body) for body in bodies] == [
        (True, None, True),
        (False, 7, True),
        (False, 7, False),
        (False, 7, False),
    ]


async def test_neither_name_of_the_bound_is_insisted_on():
    def replies(_number, body):
        if name := next((name for name in ("max_tokens", "max_completion_tokens") if name in body), ""):
            return 422, JSON, json.dumps({"error": {"message": f"Unknown parameter {name}", "param": name}})
        return 200, JSON, _good("hello")

    async with _endpoint(replies) as (url, bodies):
        client = _client(url)
        assert (await client.chat("one", purpose="test", max_tokens=7)).text == "hello"
        await client.close()
    assert len(bodies) == 3


async def test_a_value_that_is_too_large_is_no_refused_parameter():
    words = '{"error": {"message": "max_tokens is too large: 9000", "param": "max_tokens"}}'
    async with _endpoint(lambda _n, _b: (400, JSON, words)) as (url, bodies):
        client = _client(url)
        with pytest.raises(RequestRefusedError, match="too large"):
            await client.chat("one", purpose="test", max_tokens=9000)
        with pytest.raises(RequestRefusedError, match="too large"):
            await client.chat("two", purpose="test", max_tokens=9000)
        await client.close()
    # Asked once without it; the next question has it again.
    assert ["max_tokens" in body for body in bodies] == [True, False] * 2


async def test_an_endpoint_without_schemas_is_asked_plainly_from_then_on():
    def reply(_n: int, body: dict[str, Any]) -> Reply:
        if "response_format" in body:
            return 400, JSON, '{"error": {"message": "response_format is not supported"}}'
        return 200, JSON, _good("{}")

    async with _endpoint(reply) as (url, bodies):
        client = _client(url)
        for question in "ab":
            await client.chat(question, purpose="p", max_tokens=8, json_schema={"type": "object"})
        await client.close()
    assert ["response_format" in body for body in bodies] == [True, False, False]


@pytest.mark.parametrize(
    ("listing", "answered"),
    [
        ('{"data": [{"id": "small"}, {"id": "other"}]}', True),
        ('{"data": [{"id": "other"}]}', False),
        ('{"data": []}', True),
        ("nonsense", True),
    ],
)
async def test_the_platforms_own_server_is_asked_whether_it_holds_the_model(listing, answered):
    async with _endpoint(lambda _n, body: (200, JSON, _good("ok") if body else listing)) as (url, bodies):
        transport = OpenAiTransport(attempts=1, timeout_s=60.0)
        catalogue = Catalogue({"small": Endpoint("small", "small", url, own=True)}, "small")
        client = LlmClient(catalogue, transport, MemoryLlmCache(), MemoryLedger())
        if answered:
            for question in "ab":
                assert (await client.chat(question, purpose="p", max_tokens=8)).text == "ok"
            assert [bool(body) for body in bodies] == [False, True, True]
        else:
            with pytest.raises(EndpointRefusedError, match="holds other, not small"):
                await client.chat("a", purpose="p", max_tokens=8)
        await client.close()


class Step(BaseModel):
    kind: Literal["read", "write"]
    amount: int = Field(ge=3)
    note: str | None = None


class Plan(BaseModel):
    title: str
    steps: list[Step] = Field(min_length=2)
    share: float


async def test_the_fake_of_the_end_to_end_tests_answers_schemas_tasks_and_the_rest(fake_llm, tmp_path):
    names = [f"f{n}" for n in range(20)]
    right, wrong = next(n for n in names if fake_llm.solves(n)), next(n for n in names if not fake_llm.solves(n))
    for name in (right, wrong):
        (tmp_path / f"{name}.py").write_text(f"def {name}(x):\n    return x + 1\n")
    fake = fake_llm.FakeLlm(solutions=tmp_path)
    async with fake.serve() as url:
        client = _client(url)
        plan = await ask_json(client, "Plan it", Plan, purpose="p", max_tokens=64)
        assert [step.amount for step in plan.value.steps] == [3, 3]
        solved = await client.chat(f"Write\n```\ndef {right}(x):\n```", purpose="p", max_tokens=64)
        assert "return x + 1" in solved.text
        failed = await client.chat(f"Write\n```\ndef {wrong}(x):\n```", purpose="p", max_tokens=64)
        assert "return None" in failed.text
        first = await client.chat("Hello", purpose="p", max_tokens=64)
        assert first.text.startswith("I was asked")
        assert first.usage.tokens_in > 0
        await client.close()
        assert fake.asked.total() == 4


async def test_log_probabilities_are_told_where_the_endpoint_knows_them_and_replayed():
    tokens = [{"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": "Yes", "logprob": -0.1, "id": 5}]}]
    choice = {"message": {"role": "assistant", "content": "Yes"}, "finish_reason": "length"}
    body = json.dumps({"choices": [{**choice, "logprobs": {"content": tokens}}]})
    async with _endpoint(lambda _n, _b: (200, JSON, body)) as (url, bodies):
        client = _client(url)
        first = await client.chat("a", purpose="p", max_tokens=1, top_logprobs=5)
        again = await client.chat("a", purpose="p", max_tokens=1, top_logprobs=5)
        plain = await client.chat("a", purpose="p", max_tokens=1)
        await client.close()
    assert first.logprobs == again.logprobs == ((("Yes", -0.1),),)
    assert again.cached and not plain.cached
    assert bodies[0]["logprobs"] is True and bodies[0]["top_logprobs"] == 5
    assert "logprobs" not in bodies[1] and "top_logprobs" not in bodies[1]


@pytest.mark.parametrize("told", ["null", '{"content": null}', '{"content": [{"token": "Yes"}]}'])
async def test_an_endpoint_without_log_probabilities_tells_none(told):
    body = f'{{"choices": [{{"message": {{"content": "Yes"}}, "finish_reason": "stop", "logprobs": {told}}}]}}'
    async with _endpoint(lambda _n, _b: (200, JSON, body)) as (url, _):
        client = _client(url)
        answer = await client.chat("a", purpose="p", max_tokens=1, top_logprobs=5)
        await client.close()
    assert answer.text == "Yes" and not any(answer.logprobs)


THOUGHT = "First a draft:\n```python\ndef f(): return 1\n```\nNo, better two."


@pytest.mark.parametrize(
    ("content", "more", "used", "text", "thought"),
    [
        (f"<think>{THOUGHT}</think>\n\nhello", {}, {}, "hello", len(THOUGHT) // 4 + 1),
        # The opening mark was a part of the prompt, or the other one stands in the answer: whoever reads it tells.
        (f"{THOUGHT}</think>hello", {}, {}, f"{THOUGHT}</think>hello", len(THOUGHT) // 4),
        # Cut before it came to an answer.
        (f"<think>{THOUGHT}", {}, {}, "", (len(THOUGHT) + 7) // 4),
        ("hello", {"reasoning_content": THOUGHT}, {}, "hello", len(THOUGHT) // 4),
        ("hello", {"reasoning": THOUGHT}, {"completion_tokens_details": {"reasoning_tokens": 33}}, "hello", 33),
        (None, {"reasoning_content": THOUGHT}, {"completion_tokens_details": None}, "", len(THOUGHT) // 4),
        # An answer about such marks is an answer.
        ("Write `<think>` and `</think>`.", {}, {}, "Write `<think>` and `</think>`.", 0),
        ("hello", {}, {"completion_tokens_details": {"reasoning_tokens": 10**9}}, "hello", 90),
    ],
)
async def test_what_a_model_thinks_is_no_part_of_its_answer_and_is_counted(content, more, used, text, thought):
    body = {"choices": [{"message": {"content": content, **more}, "finish_reason": "stop"}]}
    body["usage"] = {"prompt_tokens": 5, "completion_tokens": 90, **used}
    async with _endpoint(lambda *_: (200, "", json.dumps(body))) as (url, _):
        client = _client(url)
        for _ in range(2):
            answer = await client.chat("one", purpose="p", max_tokens=8)
            assert (answer.text, answer.usage.tokens_out) == (text, 90)
            assert abs(answer.thought_tokens - thought) <= 1 and (answer.thought_tokens == 0) == (thought == 0)
        assert answer.cached
        await client.close()


async def test_a_thought_is_booked_where_the_endpoint_tells_no_tokens():
    body = _good("<think>" + "x" * 400 + "</think>hello you")
    async with _endpoint(lambda *_: (200, "", body)) as (url, _):
        client = _client(url)
        answer = await client.chat("one", purpose="p", max_tokens=8)
        assert answer.usage.tokens_out >= 100 and answer.thought_tokens >= 100
        await client.close()


async def test_a_model_that_thinks_is_given_its_budget_on_top_of_the_answers_bound():
    body = _good("hello")
    async with _endpoint(lambda *_: (200, "", body)) as (url, bodies):
        models = {
            name: Endpoint(name, name, url, thinking_tokens=tokens) for name, tokens in (("thinks", 500), ("says", 0))
        }
        transport = OpenAiTransport(attempts=1)
        client = LlmClient(Catalogue(models, "says"), transport, MemoryLlmCache(), MemoryLedger())
        for name in models:
            await client.chat("one", purpose="p", max_tokens=8, model=name)
        assert [each["max_tokens"] for each in bodies] == [508, 8]
        await client.close()
