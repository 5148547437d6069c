"""A real HTTP server that plays an endpoint with batches, as the OpenAI API reference describes them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

Said = tuple[int, dict[str, Any]]


def completion(text: str) -> Said:
    """An answer of 7 tokens to a question of 5."""
    usage = {"prompt_tokens": 5, "completion_tokens": 7}
    return 200, {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage}


def refusal(message: str, status: int = 400, **more: str) -> Said:
    """A fault of one request."""
    return status, {"error": {"message": message, **more}}


def echo(body: dict[str, Any]) -> Said:
    """The default answer: the question, in capitals."""
    return completion(body["messages"][-1]["content"].upper())


class BatchEndpoint:
    """Files and batches in memory; whoever asks may die, this stays.

    Attributes:
        answer: What it says to a request.
        looks: How often a batch is looked at before it ends.
        ends: The state in which batches end.
        answered_of: How many of its requests an ended batch has come to; None for all.
        broken: Path to status: what it answers instead, for so long as it stands here.
        loses: Paths of which the answer is lost on its way, after all was done.
        asked: Method and path of every request, in order.
        direct: Bodies of questions that did not come in a batch.
        line: What becomes of a line of its files.
        beside: What it tells of a batch besides, or otherwise.
        told: Bodies of the requests of all batches.
        paid: Questions that were answered and have to be paid for.
    """

    def __init__(self) -> None:
        self.answer: Callable[[dict[str, Any]], Said] = echo
        self.looks = 1
        self.ends = "completed"
        self.answered_of: int | None = None
        self.line: Callable[[dict[str, Any]], str] = json.dumps
        self.beside: dict[str, Any] = {}
        self.failure = [{"code": "invalid", "message": "the model takes no batches", "line": 1}]
        self.extra_lines: list[str] = []
        self.broken: dict[str, int] = {}
        self.loses: set[str] = set()
        self.asked: list[str] = []
        self.direct: list[dict[str, Any]] = []
        self.told: list[dict[str, Any]] = []
        self.paid: list[str] = []
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.page = 2
        self.url = ""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[BatchEndpoint]:
        """Listen on a free port."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        try:
            yield self
        finally:
            server.close()

    def end(self, batch: dict[str, Any]) -> None:
        """End a batch as `ends` says."""
        batch["status"] = self.ends
        if self.ends == "failed":
            batch["errors"] = {"object": "list", "data": self.failure}
            return
        requests = [json.loads(line) for line in self.files[batch["input_file_id"]].decode().splitlines()]
        come_to = len(requests) if self.answered_of is None else self.answered_of
        good, bad = [*self.extra_lines], []
        # In another order than they were asked in.
        for request in reversed(requests[:come_to]):
            self.told.append(request["body"])
            status, said = self.answer(request["body"])
            line = {"id": "x", "custom_id": request["custom_id"], "error": None}
            line["response"] = {"status_code": status, "request_id": "r", "body": said}
            if status == 200:
                self.paid.append(request["body"]["messages"][-1]["content"])
            (good if status == 200 else bad).append(self.line(line))
        for request in requests[come_to:]:
            error = {"code": "batch_expired" if self.ends == "expired" else "batch_cancelled", "message": "too late"}
            bad.append(json.dumps({"custom_id": request["custom_id"], "response": None, "error": error}))
        counts = {"total": len(requests), "completed": len(good) - len(self.extra_lines), "failed": len(bad)}
        batch["request_counts"] = counts
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                batch[name] = f"file-{len(self.files)}"
                self.files[batch[name]] = ("\n".join(lines) + "\n").encode()

    def _look(self, batch: dict[str, Any]) -> dict[str, Any]:
        batch["looked"] += 1
        if batch["status"] == "in_progress" and batch["looked"] > self.looks:
            self.end(batch)
        return batch | self.beside

    def _answered(self, method: str, path: str, data: bytes) -> tuple[int, Any]:
        if (method, path) == ("POST", "/files"):
            # The file is the part of the form that begins with a brace.
            content = re.search(rb"\r\n\r\n(\{.*?\n)\r\n--", data, re.DOTALL)
            assert content is not None
            name = f"file-{len(self.files)}"
            self.files[name] = content[1]
            return 200, {"id": name}
        if (method, path) == ("POST", "/batches"):
            told = json.loads(data)
            assert (told["endpoint"], told["completion_window"]) == ("/v1/chat/completions", "24h")
            total = len(self.files[told["input_file_id"]].splitlines())
            counts = {"total": total, "completed": 0, "failed": 0}
            batch = {"id": f"batch_{len(self.batches)}", "status": "in_progress", "looked": 0, **told}
            self.batches[batch["id"]] = batch | {"request_counts": counts}
            return 200, self.batches[batch["id"]]
        if (method, path) == ("POST", "/chat/completions"):
            self.direct.append(json.loads(data))
            return self.answer(self.direct[-1])
        if path.startswith("/batches?") or path == "/batches":
            newest = list(self.batches.values())[::-1]
            after = re.search(r"after=(\w+)", path)
            start = [each["id"] for each in newest].index(after[1]) + 1 if after else 0
            page = newest[start : start + self.page]
            return 200, {"object": "list", "data": page, "has_more": start + self.page < len(newest)}
        if found := re.fullmatch(r"/batches/(\w+)(/cancel)?", path):
            if found[1] not in self.batches:
                return 404, {"error": {"message": "no such batch"}}
            batch = self.batches[found[1]]
            if found[2]:
                self.ends, self.looks = "cancelled", batch["looked"]
                return 200, batch
            return 200, self._look(batch)
        return 404, {"error": {"message": f"nothing at {path}"}}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            method, path, _ = head.decode().split(" ", 2)
            path = path.removeprefix("/v1")
            told = re.search(rb"content-length: *(\d+)", head.lower())
            data = await reader.readexactly(int(told[1])) if told else b""
            self.asked.append(f"{method} {path}")
            broken = self.broken.get(path.split("?")[0])
            if file := re.fullmatch(r"/files/(.+)/content", path):
                status, out = 200, self.files[file[1]]
            elif broken:
                status, out = broken, b'{"error": {"message": "broken"}}'
            else:
                status, said = self._answered(method, path, data)
                out = json.dumps(said).encode()
            if path not in self.loses:
                line = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(out)}\r\n"
                writer.write(line.encode() + b"connection: close\r\n\r\n" + out)
                await writer.drain()
        writer.close()
