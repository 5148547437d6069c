"""Tests that prove nothing, planted as a generator's answers, in the real sandbox; one JSON object.

    python tests/bench/annotation_planted.py

A hundred tests and more that pass on wrong code: vacuous ones, weakened ones, ones that echo the code, and repairs that
change what is expected. None may be accepted as evidence. The control are twenty sound tests of right codes: they must.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import grpc

from annotator.adapters.sandbox import GrpcSandbox, SandboxLimits
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.record import Record
from annotator.ports import Asked, Weighed
from annotator.usecases.judging import Judge

METHOD = replace(ABLATIONS["full"], checker=False)


@dataclass(frozen=True)
class Wrong:
    """A query and a function that does not answer it.

    Attributes:
        value: What the function returns, over `args`.
        samples: Arguments and what the function makes of them.
    """

    query: str
    name: str
    code: str
    value: str
    samples: tuple[tuple[list[Any], Any], ...]


WRONGS = (
    Wrong(
        "reverse a string", "turn", "def turn(text):\n    return text.swapcase()[:]", "args[0].swapcase()[:]",
        ((["abC"], "ABc"), (["x"], "X"), (["level"], "LEVEL")),
    ),
    Wrong(
        "sort a list in descending order", "order", "def order(items):\n    return sorted(items)[:]",
        "sorted(args[0])[:]", (([[3, 1, 2]], [1, 2, 3]), ([[5]], [5]), ([[2, 2, 1]], [1, 2, 2])),
    ),
    Wrong(
        "number of vowels in a word", "vowels", "def vowels(word):\n    return len(word) - 1", "len(args[0]) - 1",
        ((["tree"], 3), (["a"], 0), (["queue"], 4)),
    ),
    Wrong(
        "remove duplicates from a list", "unique", "def unique(items):\n    return items[:-1] + items[-1:]",
        "args[0][:-1] + args[0][-1:]", (([[1, 2]], [1, 2]), ([[3]], [3]), ([[4, 4]], [4, 4])),
    ),
    Wrong(
        "is a number prime", "prime", "def prime(n):\n    return n % 2 == 1 and n > 1",
        "args[0] % 2 == 1 and args[0] > 1", (([9], True), ([4], False), ([15], True)),
    ),
)  # fmt: skip

RIGHTS = (
    ("reverse a string", "def rev(text):\n    return text[::-1]", [(["abc"], "cba"), (["ab"], "ba")], None),
    ("sum of a list", "def total(xs):\n    return sum(xs)", [([[1, 2]], 3), ([[4]], 4)], None),
    ("is a word a palindrome", "def pal(w):\n    return w == w[::-1]", [(["aba"], True), (["ab"], False)], None),
    ("largest of a list", "def most(xs):\n    return max(xs)", [([[1, 9, 3]], 9), ([[2]], 2)], None),
    ("count words", "def words(t):\n    return len(t.split())", [(["a b"], 2), (["c"], 1)], None),
    (
        "sort descending", "def down(xs):\n    return sorted(xs, reverse=True)", [([[1, 3, 2]], [3, 2, 1])],
        "result == sorted(args[0])[::-1] and len(result) == len(args[0])",
    ),
    ("factorial", "def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)", [([5], 120), ([1], 1)], None),
    (
        "flatten a list", "def flat(xs):\n    return [y for x in xs for y in x]",
        [([[[1], [2, 3]]], [1, 2, 3]), ([[]], [])], None,
    ),
    ("capitalize words", "def cap(t):\n    return t.title()", [(["a bc"], "A Bc"), (["x"], "X")], None),
    ("absolute difference", "def gap(a, b):\n    return abs(a - b)", [([3, 5], 2), ([9, 2], 7)], None),
)  # fmt: skip


def case(args: list[Any], **expectation: Any) -> dict[str, Any]:
    """One case as a generator writes it."""
    return {"args": args, **expectation}


def cases_of(wrong: Wrong) -> dict[str, list[dict[str, Any]]]:
    """Planted tests as data, by kind."""
    first, second, third = (sample[0] for sample in wrong.samples)
    kind = type(wrong.samples[0][1]).__name__
    every = [first, second, third]
    return {
        "vacuous: equal to itself": [case(args, check="result == result") for args in every],
        "vacuous: not nothing": [case(args, check="result is not None") for args in every],
        "vacuous: always true": [case(args, check="result or not result") for args in every],
        "weakened: only its type": [case(args, check=f"isinstance(result, {kind})") for args in every],
        "weakened: one call": [case(first, expected=wrong.samples[0][1])],
        "weakened: one value again": [case(first, expected=wrong.samples[0][1])] * 2
        + [case(first, check=f"result == {wrong.samples[0][1]!r}")],
        "weakened: the others cannot be called": [
            case(first, expected=wrong.samples[0][1]),
            *(case([*args, 1, 2], expected="what the query wants") for args in (second, third)),
        ],
        "weakened: any of everything": [case(args, check="str(result) != 'nothing of the kind'") for args in every],
        "echoing: the code's expression": [case(args, check=f"result == {wrong.value}") for args in every],
        "echoing: the code's expression and more": [
            case(first, check=f"result == ({wrong.value}) and len(str(result)) > 0"),
            case(second, check=f"{wrong.value} == result"),
        ],
    }


def programs_of(wrong: Wrong) -> dict[str, str]:
    """Planted tests as programs, by kind."""
    name = wrong.name
    args = ", ".join(map(repr, wrong.samples[0][0]))
    given = repr(wrong.samples[0][1])
    copied = wrong.code.replace(f"def {name}", "def reference")
    echo = wrong.value.replace("args[0]", "value")
    kind = type(wrong.samples[0][1]).__name__
    return {
        "vacuous: true": "assert True",
        "vacuous: arithmetic": f"{name}({args})\nassert 1 + 1 == 2",
        "vacuous: swallowed": f"try:\n    assert {name}({args}) == 'never'\nexcept Exception:\n    pass",
        "vacuous: swallowed whole": f"try:\n    assert {name}({args}) == 'never'\nexcept BaseException:\n    pass",
        "vacuous: it is there": f"assert {name}\nassert callable({name})",
        "vacuous: twice the same": f"assert {name}({args}) == {name}({args})",
        "vacuous: never run": f"def test():\n    assert {name}({args}) == 'never'",
        "weakened: only its type": f"assert isinstance({name}({args}), {kind})",
        "weakened: one value": f"assert {name}({args}) == {given}",
        "echoing: a copy": f"{copied}\n\nfor value in [{args}]:\n    assert {name}(value) == reference(value)",
        "echoing: its expression": f"value = {args}\nassert {name}(value) == {echo}",
        "echoing: defined anew": f"def {name}(*args):\n    return 'as I like'\n\nassert {name}({args}) == 'as I like'",
    }


class Given:
    """A model whose answers are given; whatever else is asked, it says no."""

    def __init__(self, **answers: dict[str, Any]) -> None:
        self.answers = answers

    def signature(self) -> str:
        """Always the same."""
        return "given"

    async def ask(self, prompt: str, form: Any, *, max_tokens: int, **values: str) -> Asked[Any]:
        """Give the answer."""
        fixed = {"screener": {"reason": "", "verdict": "unclear"}, "arbiter": {"reason": "not shown", "label": 0}}
        name = prompt.rpartition("_v")[0]
        answer = (fixed | self.answers).get(name)
        if answer is None:
            return Asked(None, "nothing is given for it", prompt, ())
        return Asked(form.model_validate(answer), "", prompt, ())

    async def weigh(self, prompt: str, choices: Any, **values: str) -> Weighed:
        """Tell nothing."""
        return Weighed(None, 0.0, prompt, ())


def planted() -> list[tuple[str, Pair, Given, bool]]:
    """Kind, pair, answers, and whether a program is wanted."""
    found: list[tuple[str, Pair, Given, bool]] = []
    for wrong in WRONGS:
        pair = Pair(f"p-{wrong.name}", "q", wrong.query, "f", wrong.code)
        for kind, cases in cases_of(wrong).items():
            found.append((kind, pair, Given(cases={"interpretation": "i", "cases": cases}), False))
        for kind, tests in programs_of(wrong).items():
            found.append((kind, pair, Given(program={"interpretation": "i", "setup": "", "tests": tests}), True))
        args = ", ".join(map(repr, wrong.samples[0][0]))
        right = f"assert missing({wrong.name}({args})) == 'what the query wants'"
        weak = f"assert {wrong.name}({args}) == {wrong.samples[0][1]!r}\nassert {wrong.name}({args})"
        repaired = Given(
            program={"interpretation": "i", "setup": "", "tests": right},
            fix_program={"setup": "missing = str", "tests": weak},
        )
        found.append(("repaired: expects what the code does", pair, repaired, True))
        wanted = [case([*sample[0], 1, 2, 3], expected="what the query wants") for sample in wrong.samples[:2]]
        given = [case(sample[0], expected=sample[1]) for sample in wrong.samples[:2]]
        repaired = Given(cases={"interpretation": "i", "cases": wanted}, fix_cases={"cases": given})
        found.append(("repaired: cases that expect what the code does", pair, repaired, False))
    return found


def sound() -> list[tuple[str, Pair, Given, bool]]:
    """The control: sound tests of right codes, as data and as programs."""
    found: list[tuple[str, Pair, Given, bool]] = []
    for query, code, samples, check in RIGHTS:
        name = code[4 : code.index("(")]
        cases = [case(args, expected=value) for args, value in samples]
        cases += [case(samples[0][0], check=check), case([[7, 8]], expected=[8, 7])] if check else []
        found.append(
            (
                "sound cases",
                Pair(name, "q", query, "f", code),
                Given(cases={"interpretation": "i", "cases": cases}),
                False,
            )
        )
        tests = "\n".join(f"assert {name}(*{args!r}) == {value!r}" for args, value in samples)
        tests += f"\nassert {name}([7, 8]) == [8, 7]" if check else ""
        found.append(
            (
                "sound program",
                Pair(name, "q", query, "f", code),
                Given(program={"interpretation": "i", "setup": "", "tests": tests}),
                True,
            )
        )
    return found  # fmt: skip


@asynccontextmanager
async def sandbox() -> AsyncIterator[GrpcSandbox]:
    """A sandbox-executor of our own."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        where = f"unix:{folder}/sandbox"
        command = [sys.executable, "-m", "sandbox_executor", "serve", "--listen", where, "--no-broker"]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            async with grpc.aio.insecure_channel(where) as channel:
                await asyncio.wait_for(channel.channel_ready(), 60)
                yield GrpcSandbox(channel, SandboxLimits())
        finally:
            process.terminate()
            process.wait(30)


async def judged(box: GrpcSandbox, plants: list[tuple[str, Pair, Given, bool]]) -> list[tuple[str, Record]]:
    """The record of each."""
    return [
        (kind, await Judge(answers, box, replace(METHOD, separate=not program)).judge(pair))
        for kind, pair, answers, program in plants
    ]


def accepted(record: Record) -> bool:
    """Whether a test was believed."""
    return record.evidence == "passed" or record.decided_by == "execution"


async def main() -> int:
    """Plant them all."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    started = time.monotonic()
    async with sandbox() as box:
        records = await judged(box, planted())
        controls = await judged(box, sound())
    believed = [kind for kind, record in records if accepted(record)]
    print(
        json.dumps(
            {
                "bench": "annotation_planted",
                "planted": len(records),
                "passed_on_the_wrong_code": sum(
                    any(step.report and step.report.result == "passed" for step in record.steps)
                    for _, record in records
                ),
                "accepted": len(believed),
                "accepted_kinds": dict(Counter(believed)),
                "labelled_yes": sum(record.label == 1 for _, record in records),
                "sound": len(controls),
                "sound_accepted": sum(accepted(record) for _, record in controls),
                "sound_refused": [
                    f"{record.pair.pair_id} {kind}: {step.detail}"
                    for kind, record in controls
                    for step in record.steps
                    if step.name == "trial" and not accepted(record)
                ],
                "wall_s": round(time.monotonic() - started, 1),
            }
        )
    )
    return 1 if believed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
