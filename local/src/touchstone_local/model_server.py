"""A llama.cpp server for one chat model, as a process of its own.

`python -m touchstone_local.model_server --model FILE --port N` serves the OpenAI-compatible API under `/v1`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import httpx

from touchstone_local.ports import LOOPBACK
from touchstone_local.settings import setting

# Tokens of question and answer together that one request may use.
CONTEXT = 4096
# Answers written side by side cost less each: per processor-second, four at once give 28 tokens, two 21, one 13.
SLOTS = 4
# Its threads wait for each other after every layer; put off in turn by others of equal weight they get nowhere (half a
# token a second instead of twenty). What is asked is short, so who asks goes first: beside four busy processes, -10
# gives 6.1 tokens a second, -15 gives 10.6 for the same CPU-seconds; a single thread gives 8.2 and leaves a core.
NICE = -15
# Waiting asleep rather than spinning: beside work on every core, the same answers in the same time at .85 of the CPU.
WAITING = {"OMP_WAIT_POLICY": "PASSIVE"}


def default_threads() -> int:
    """All cores, up to eight.

    Two threads on two cores are 1.8 times as fast as one. Where the server cannot go before other processes (see
    `NICE`: only root may say so) and many of them are busy, `TOUCHSTONE_MODEL_THREADS=1` is the better choice.
    """
    return min(8, len(os.sched_getaffinity(0)))


def ready(port: int, timeout_s: float = 2.0) -> bool:
    """Whether a server on this port has its model loaded."""
    try:
        # A proxy of the environment does not know this machine's servers.
        answer = httpx.get(f"http://{LOOPBACK}:{port}/health", timeout=timeout_s, trust_env=False)
        return answer.status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def command(model: Path, port: int, alias: str, *, context: int = CONTEXT, slots: int = SLOTS) -> list[str]:
    """The command line that serves a model; `TOUCHSTONE_MODEL_THREADS` says by how many threads."""
    threads = setting("TOUCHSTONE_MODEL_THREADS", str(default_threads()))
    return [
        sys.executable,
        "-m",
        "touchstone_local.model_server",
        *("--model", str(model), "--port", str(port), "--alias", alias),
        *("--context", str(context), "--slots", str(slots), "--threads", threads),
    ]


def serve(model: Path, port: int, alias: str, context: int, slots: int, threads: int) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        model: A GGUF file.
        port: Port on loopback.
        alias: Name of the model in answers.
        context: Tokens that one request may use; the cache holds so many for each slot.
        slots: Requests at a time.
        threads: Threads that compute.
    """
    xllamacpp: Any = importlib.import_module("xllamacpp")
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {alias}
    params.hostnames = [LOOPBACK]
    params.port = port
    params.n_ctx = context * slots
    params.n_parallel = slots
    params.n_predict = context
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.endpoint_metrics = True
    params.warmup = False
    # A reused prefix is computed in other batches, and at temperature 0 other rounding gives other words: the same
    # question must get the same answer whatever was asked before.
    params.cache_prompt = False
    params.cache_ram_mib = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"serving {alias} at {server.listening_address}\n")
    sys.stdout.flush()
    ended.wait()
    # The library's own shutdown waits for requests in flight; callers retry, so the process just ends.
    os._exit(0)


def main() -> None:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m touchstone_local.model_server", description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--alias", default="local")
    parser.add_argument("--context", type=int, default=CONTEXT)
    parser.add_argument("--slots", type=int, default=SLOTS)
    parser.add_argument("--threads", type=int, default=default_threads())
    asked = parser.parse_args()
    serve(asked.model, asked.port, asked.alias, asked.context, asked.slots, asked.threads)


if __name__ == "__main__":
    main()
