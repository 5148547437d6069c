"""An OpenAI-compatible endpoint whose every answer is decided by the question: for end-to-end tests.

    python tests/e2e/fake_llm.py --port 8111 --solutions DIR

It answers `POST /v1/chat/completions`, `POST /v1/embeddings` and `GET /v1/models`, by these rules:
1. A question with a JSON schema gets the smallest instance of the schema.
2. A question that asks for a function `NAME` in backticks, or holds a signature `def NAME(`, gets `DIR/NAME.py`
   when the hash of NAME is even and the file is there, and a wrong program with that name otherwise. The folder is
   read anew for each question.
3. Anything else gets one sentence that names the hash of the question.
A model called `locked` is answered with 401, and one called `broken` with 500, whatever is asked.
`GET /stats` tells how many questions came, and how many different ones.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import math
import re
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

Rule = Callable[[dict[str, Any]], str | None]

DIMENSIONS = 64
# By the model's name.
_TROUBLES = {"locked": (401, "no such key"), "broken": (500, "the tensor has no shape")}
_ASKED = re.compile(r"function `([A-Za-z_]\w*)`")
_SIGNATURE = re.compile(r"^[ \t]*(?:async )?def ([A-Za-z_]\w*)[ \t]*[\[(]", re.MULTILINE)


@dataclass
class FakeLlm:
    """The endpoint; the first rule that answers wins.

    Args:
        solutions: Folder of ground truths, `NAME.py` each.
        delay_s: Wait before each answer, so that a test can kill somebody in the middle.
        rules: Asked before the built-in ones; each takes the request's JSON.
    """

    solutions: Path | None = None
    delay_s: float = 0.0
    rules: list[Rule] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)

    @property
    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/embeddings", self._embed, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/health", self._models),
                Route("/stats", self._stats),
            ]
        )

    def answer(self, body: dict[str, Any]) -> str:
        """The answer to a chat request."""
        for rule in (*self.rules, answer_schema, self._answer_task):
            if (text := rule(body)) is not None:
                return text
        return f"I was asked {digest(body['messages'])[:12]}."

    @contextlib.asynccontextmanager
    async def serve(self, port: int = 0, host: str = "127.0.0.1") -> AsyncIterator[str]:
        """Serve, where nothing else is said on the loopback; gives the base URL, ending in /v1."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        server = uvicorn.Server(uvicorn.Config(self.app, log_config=None, access_log=False, lifespan="off"))
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            while not server.started:
                await asyncio.sleep(0.01)
            yield f"http://{host}:{listener.getsockname()[1]}/v1"
        finally:
            server.should_exit = True
            await task
            listener.close()

    def _answer_task(self, body: dict[str, Any]) -> str | None:
        question = "\n".join(message["content"] for message in body["messages"])
        names = _ASKED.findall(question) or _SIGNATURE.findall(question)
        if not names:
            return None
        name = names[0]
        file = (self.solutions / f"{name}.py") if self.solutions else None
        if file and file.is_file() and solves(name):
            return f"```python\n{file.read_text('utf-8')}\n```"
        return f"```python\ndef {name}(*args, **kwargs):\n    return None\n```"

    async def _chat(self, request: Request) -> Response:
        try:
            body = await request.json()
            assert isinstance(body["messages"], list) and body["model"]
        except (ValueError, KeyError, TypeError, AssertionError):
            return JSONResponse({"error": {"message": "no chat request", "type": "invalid_request_error"}}, 400)
        if refused := _TROUBLES.get(body["model"]):
            status, words = refused
            return JSONResponse({"error": {"message": words, "type": "scripted"}}, status)
        await asyncio.sleep(self.delay_s)
        self.asked[digest(body)] += 1
        text = self.answer(body)
        used = {
            "prompt_tokens": sum(len(message["content"]) for message in body["messages"]) // 4 + 1,
            "completion_tokens": len(text) // 4 + 1,
        }
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        return JSONResponse(
            {
                "id": f"fake-{digest(body)[:12]}",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [choice],
                "usage": {**used, "total_tokens": sum(used.values())},
            }
        )

    async def _embed(self, request: Request) -> Response:
        body = await request.json()
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        rows = [{"object": "embedding", "index": n, "embedding": embed(text)} for n, text in enumerate(texts)]
        tokens = sum(len(text) for text in texts) // 4 + 1
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return JSONResponse({"object": "list", "data": rows, "model": body["model"], "usage": usage})

    async def _models(self, _request: Request) -> Response:
        # Nobody in particular: every name is answered.
        return JSONResponse({"object": "list", "data": []})

    async def _stats(self, _request: Request) -> Response:
        return JSONResponse({"questions": self.asked.total(), "different": len(self.asked)})


def solves(name: str) -> bool:
    """Whether the fake gives the right program for an entry point: true for about half of all names."""
    return hashlib.sha256(name.encode()).digest()[-1] % 2 == 0


def answer_schema(body: dict[str, Any]) -> str | None:
    """The smallest instance of the schema that a question comes with."""
    form = body.get("response_format") or {}
    if form.get("type") != "json_schema":
        return None
    schema = form["json_schema"]["schema"]
    return json.dumps(instance(schema, schema))


def instance(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """The smallest value that a JSON Schema, as Pydantic writes them, admits."""
    if "$ref" in schema:
        target: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return instance(target, root)
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword]
    if "enum" in schema:
        return schema["enum"][0]
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            return instance(schema[keyword][0], root)
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            return {name: instance(properties.get(name, {}), root) for name in schema.get("required", properties)}
        case "array":
            items = schema.get("prefixItems", [])
            least = max(schema.get("minItems", 0), len(items))
            return [instance(items[n] if n < len(items) else schema.get("items", {}), root) for n in range(least)]
        case "string":
            return "x" * schema.get("minLength", 1)
        case "integer" | "number" as kind:
            least = schema.get("minimum", schema.get("exclusiveMinimum", 0))
            value = least + ("exclusiveMinimum" in schema)
            return int(value) if kind == "integer" else float(value)
        case "boolean":
            return False
        case _:
            return None


def embed(text: str) -> list[float]:
    """Hash each word into one of the dimensions: texts that share words are near one another."""
    row = [0.0] * DIMENSIONS
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        code = hashlib.sha256(word.encode()).digest()
        row[code[0] % DIMENSIONS] += 1.0 if code[1] % 2 else -1.0
    length = math.sqrt(sum(value * value for value in row)) or 1.0
    return [value / length for value in row]


def digest(value: Any) -> str:
    """Hash of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


async def main() -> None:
    """Serve until interrupted; the first line on standard output is the base URL."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--solutions", type=Path, help="folder of ground truths, NAME.py each")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    options = parser.parse_args()
    async with FakeLlm(options.solutions, options.delay).serve(options.port) as base_url:
        print(base_url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
