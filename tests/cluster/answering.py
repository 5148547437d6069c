"""A model that gives each agent of the annotator a valid answer, each after the same time; for a pod of the cluster.

    python answering.py PORT SECONDS READ

It is the endpoint of the end-to-end tests, with answers of its own: pairs of a query that begins with READ are settled
by reading, all others by cases that the codes of `labelled.py` pass. `GET /stats` tells how many questions came.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from fake_llm import FakeLlm, Rule

# Of the code that the annotator itself shows, to see whether a judge can say no.
_OTHER = "* number + 7"
# By values alone, as a test that repeats an expression of the code proves nothing; between them stands what is the
# code's own.
_TEST = {
    "interpretation": "the minutes come first and the masts last",
    "cases": [
        {"args": [3, 2], "check": "result[0] == 180 and result[-1] == 2"},
        {"args": [0, 5], "check": "result[0] == 0 and result[-1] == 5"},
        {"args": [10, 1], "check": "result[0] == 600 and result[-1] == 1"},
    ],
}


def answers(read: str) -> Rule:
    """What each agent is told; nothing where the question has another form.

    Args:
        read: How queries begin whose pairs are settled by reading.
    """

    def answer(body: dict[str, Any]) -> str | None:
        form = (body.get("response_format") or {}).get("json_schema", {}).get("schema", {}).get("properties", {})
        question = "\n".join(message["content"] for message in body["messages"])
        verdict = ("no_match" if _OTHER in question else "match") if f"Query: {read}" in question else "unclear"
        told = {"verdict": verdict, "label": 1}
        if "cases" in form:
            return json.dumps(_TEST)
        return json.dumps({"reason": "as it was told", **told}) if set(told) & set(form) else None

    return answer


async def main(port: int, seconds: float, read: str) -> None:
    """Serve until the pod ends."""
    async with FakeLlm(delay_s=seconds, rules=[answers(read)]).serve(port, "0.0.0.0"):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]))
